#!/bin/sh
# Answers stay what scripts know: every key of every schema that a version had (tests/fixtures/answers/VERSION/keys.txt) is there in this one, of the
# same type or null, and documents of that version are read. `ROOFLINE_ANSWERS=0.1 sh tests/lint/answers.sh` writes the keys of a version that
# is about to be released.
. "$(dirname "$0")/lib/lint.sh"
[ -x "$ROOFLINE" ] || skip "no $ROOFLINE: build first"
command -v jq >/dev/null || skip "no jq"
answers=$ROOFLINE_SOURCE/tests/fixtures/answers
export HOME=$scratch/home XDG_CONFIG_HOME=$scratch/home/.config NO_COLOR=1
mkdir -p "$HOME"
cd "$scratch"
ln -s "$ROOFLINE_SOURCE/examples" examples

# "COMMAND|SCHEMA schema" and "COMMAND|PATH TYPE" of every value: elements of a list are [].
keys() { # FILE OF COMMANDS
  "$ROOFLINE" seal gemm m=8 n=8 k=8 --machine h100 --ledger roofline.ledger >/dev/null
  while read -r command; do
    # shellcheck disable=SC2086  # words of a command line
    "$ROOFLINE" $command --json 2>/dev/null </dev/null | jq -r --arg command "$command" '
      "\($command)|\(.schema) schema",
      ([paths as $p | "\($command)|\($p | map(if type == "number" then "[]" else "." + . end) | join("")) \(getpath($p) | type)"] | unique[])' || return 2
  done <"$1"
}

# documents FOLDER: what that version wrote is read.
documents() {
  "$ROOFLINE" machine show "$1/machine.json" >/dev/null && "$ROOFLINE" predict gemm m=8 n=8 k=8 --machine "$1/machine.json" >/dev/null &&
    "$ROOFLINE" check "$1/measurements.json" --min 0 >/dev/null && "$ROOFLINE" check "$1/reconcile.json" --min 0 >/dev/null &&
    "$ROOFLINE" ledger verify --ledger "$1/roofline.ledger" >/dev/null && "$ROOFLINE" reconcile --ledger "$1/roofline.ledger" >/dev/null
}

# kept OLD NEW: what the old one has and the new one has neither of that type nor as null; so is a schema.
kept() {
  awk -F'[|]' 'NR == FNR { now[$0] = 1; next }
    { known = $0; sub(/ [a-z]+$/, " null", known) }
    !($0 in now) && !(known in now) && $2 !~ / null$/ { print "gone: " $0; bad = 1 }
    END { exit bad }' "$2" "$1"
}

printf 'predict gemm|.a number\npredict gemm|.b[].c string\n' >old
printf 'predict gemm|.a null\npredict gemm|.b[].c string\npredict gemm|.d number\n' >new
passes kept old new
catches 'gone: predict gemm|.d number' kept new old
printf 'predict gemm|.a string\npredict gemm|.b[].c string\n' >new
catches 'gone: predict gemm|.a number' kept old new
printf 'predict gemm|roofline.prediction/1 schema\n' >old
catches 'gone: predict gemm|roofline.prediction/1 schema' kept old new

if [ -n "${ROOFLINE_ANSWERS-}" ]; then
  to=$answers/$ROOFLINE_ANSWERS
  keys "$to/commands.txt" | grep -v ' null$' | LC_ALL=C sort >"$to/keys.txt"
  "$ROOFLINE" measure --backend fake --json >"$to/machine.json"
  "$ROOFLINE" seal triad n=134217728 --dtype fp32 --machine fake --ledger written.ledger >/dev/null
  "$ROOFLINE" run triad --backend fake --json >"$to/measurements.json"
  "$ROOFLINE" record "$to/measurements.json" --ledger written.ledger >/dev/null
  "$ROOFLINE" reconcile --ledger written.ledger --json >"$to/reconcile.json"
  cp written.ledger "$to/roofline.ledger"
  wc -l "$answers/$ROOFLINE_ANSWERS/keys.txt"
  exit
fi
failed=0
for version in "$answers"/*/; do
  keys "$version/commands.txt" >now
  kept "$version/keys.txt" now || failed=1
  documents "$version" || { echo "a document of $version is not read"; failed=1; }
  echo "$(wc -l <"$version/keys.txt") keys of $(wc -l <"$version/commands.txt") answers of $(basename "$version")"
done
[ "$failed" -eq 0 ] || fail "scripts that read these keys break: keep them, or give the schema another version"
