# What every lint shares: where the tree is, a scratch folder, one way to skip, to fail and to prove that it can fail.
set -eu
: "${ROOFLINE_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${ROOFLINE_BUILD:=$ROOFLINE_SOURCE/build/release}"
: "${ROOFLINE:=$ROOFLINE_BUILD/roofline}"
# shellcheck disable=SC2034  # used by those who read this file
lib=$ROOFLINE_SOURCE/tests/lint/lib
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

# catches TEXT COMMAND...: the self-test fails unless COMMAND fails and says TEXT.
catches() {
  text=$1
  shift
  if "$@" >"$scratch/caught" 2>&1; then
    cat "$scratch/caught"
    fail "self-test: nothing was found where \`$text\` was planted"
  fi
  grep -qF -- "$text" "$scratch/caught" || {
    cat "$scratch/caught"
    fail "self-test: \`$text\` was not reported"
  }
}

# passes COMMAND...: the self-test fails unless COMMAND succeeds.
passes() {
  "$@" >"$scratch/passed" 2>&1 || {
    cat "$scratch/passed"
    fail "self-test: a clean tree was refused"
  }
}

# c_files ROOT FOLDER...: C and C++ sources and headers under the folders that exist.
c_files() {
  root=$1
  shift
  for folder; do
    [ ! -d "$root/$folder" ] || find "$root/$folder" -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' \)
  done | sort
}
