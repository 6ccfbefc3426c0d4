#!/bin/sh
# How many mistakes the tests find: each mutation of bench/mutants.txt by itself in a copy of the tree, built, and its tests run.
# Prints which test caught it first, and how many of all. NAMES (parts of them) choose some.    mutants.sh [--check | --write] [NAME ...]
# --check only says whether every mutation still applies; --write puts the answers into bench/results/mutants.md, where rows that were not chosen keep theirs.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
check=
write=
case ${1-} in
--check) check=yes && shift ;;
--write) write=yes && shift ;;
esac

# mutate FILE LINE: writes FILE with the mutation that begins at LINE of the table; fails where its text is not there exactly once.
mutate() {
  awk -v at="$2" '
    NR == FNR { if (FNR == at + 1) from = substr($0, 3); if (FNR == at + 2) to = substr($0, 3); next }
    { while ((place = index($0, from)) > 0) { found++; printf "%s%s", substr($0, 1, place - 1), to; $0 = substr($0, place + length(from)) } print }
    END { exit found != 1 }' "$table" "$1"
}

# rows [NAME...]: LINE|NAME|FILE|TESTS of the mutations asked for.
rows() {
  awk -F ' [|] ' '/^[^#+-]/ { print NR "|" $1 "|" $2 "|" $3 }' "$table" | if [ $# -eq 0 ]; then cat; else
    for name; do set -- "$@" -e "$name"; shift; done
    grep -F "$@"
  fi
}

# tests NAME...: the regular expression of CTest that they match.
tests() {
  printf '%s\n' "$@" | sort -u | sed 's|^test_|unit/test_|; t; s|^|cli/|' | paste -sd'|' | sed 's/.*/^(&)$/'
}

# build NAME...: the command, what its suites link and run, and these unit tests.
build() {
  # shellcheck disable=SC2046  # words
  ninja -C "$tree/build/release" roofline roofline_shared roofline_core_static roofline_region_shared roofline_region_static crash-shim crash-replay $(printf '%s\n' "$@" | grep '^test_' | sort -u) >"$scratch/log" 2>&1
}

pass() { # NAME...: whether these tests do; the first that does not ends it
  ctest --test-dir "$tree/build/release" --timeout 120 --stop-on-failure -R "$(tests "$@")" >"$scratch/log" 2>&1 </dev/null
}

failed() { # the test that did not pass, as CTest's log has it
  sed -n 's/.*[0-9] - \([a-z/_-]*\) (\(Failed\|Timeout\|SEGFAULT\).*/\1/p' "$scratch/log" | paste -sd' '
}

# page ANSWERS: writes those of all mutations into the results' page, the older ones included.
page() {
  awk -F ' [|] ' '
    FILENAME == ARGV[1] { if (/^[^#+-]/) { order[++count] = $1; file[$1] = $2 } next }
    FILENAME == ARGV[2] { if (/^[|] / && !($1 ~ /mistake/)) answer[substr($1, 3)] = $3 " | " $4; next }
    { answer[$1] = $2 " | " $3 " |" }
    END {
      for (i = 1; i <= count; i++) { if (!(order[i] in answer)) answer[order[i]] = "not run | |"; caught += answer[order[i]] !~ /^(nothing|not run) / }
      printf "%d of %d found, %.1f %%.\n\n| mistake | in | found first by | day |\n|---|---|---|---|\n", caught, count, 100 * caught / count
      for (i = 1; i <= count; i++) printf "| %s | `%s` | %s\n", order[i], file[order[i]], answer[order[i]]
    }' "$table" "$results" "$1" >"$scratch/table.md"
  put mutants "$scratch/table.md" "$results"
}

results=bench/results/mutants.md
scratch=$(mktemp -d)
table=$scratch/table # as it is now: a run takes long
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cp bench/mutants.txt "$table"
rows "$@" >"$scratch/rows"
stale=
while IFS='|' read -r line name file wanted; do
  mutate "$file" "$line" >"$scratch/mutant" || {
    echo "bench/mutants.txt:$line: not exactly once in $file: $name" >&2
    stale=yes
  }
done <"$scratch/rows"
[ -z "$stale" ] || exit 1
if [ -n "$check" ]; then
  echo "mutants: $(wc -l <"$scratch/rows") apply"
  exit 0
fi

tree=${MUTANTS_TREE:-$scratch/tree}
mkdir -p "$tree"
git ls-files -z | tar --null -T - -cf - | tar -xmf - -C "$tree" # as of now: no object of an earlier run is newer
(cd "$tree" && cmake --preset release -DROOFLINE_NVCC= >/dev/null)
# shellcheck disable=SC2046  # words
set -- $(cut -d'|' -f4 "$scratch/rows")
if ! build "$@" || ! pass "$@"; then
  tail -n 5 "$scratch/log"
  echo "without any mistake: does not build, or fails: $(failed)" >&2
  exit 1
fi
: >"$scratch/answers"
while IFS='|' read -r line name file wanted; do
  cp "$tree/$file" "$scratch/original"
  mutate "$tree/$file" "$line" >"$scratch/mutant"
  cp "$scratch/mutant" "$tree/$file"
  # shellcheck disable=SC2086  # words
  if ! build $wanted; then
    tail -n 5 "$scratch/log"
    echo "does not build: $name"
    by='not run'
  elif pass $wanted; then
    echo "SURVIVED  $name ($wanted)"
    by=nothing
  else
    by=$(failed)
    echo "caught    $name ($by)"
  fi
  echo "$name | $by | $(date -u +%F)" >>"$scratch/answers"
  cp "$scratch/original" "$tree/$file"
done <"$scratch/rows"
echo "$(grep -cvE ' [|] (nothing|not run) [|] ' "$scratch/answers") of $(wc -l <"$scratch/answers") caught"
if [ -n "$write" ]; then
  page "$scratch/answers"
fi
