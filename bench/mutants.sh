#!/bin/sh
# How many mistakes the tests find: each mutation of bench/mutants.txt by itself in a copy of the tree, built, and its tests run.
# Prints who caught it, and how many of all. `--check` only says whether every mutation still applies; NAMES (parts of them) choose some.
set -eu
cd "$(dirname "$0")/.."
check=
if [ "${1-}" = --check ]; then
  check=yes
  shift
fi

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

scratch=$(mktemp -d)
table=$scratch/table # as it is now: a run takes long
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cp bench/mutants.txt "$table"
rows "$@" >"$scratch/rows"
stale=
while IFS='|' read -r line name file tests; do
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
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$tree"
(cd "$tree" && cmake --preset release -DROOFLINE_NVCC= >/dev/null)
caught=0
total=0
while IFS='|' read -r line name file tests; do
  total=$((total + 1))
  units=$(printf '%s\n' $tests | grep '^test_' || true)
  wanted=$(printf '%s\n' $tests | sed 's|^test_|unit/test_|; t; s|^|cli/|' | paste -sd'|')
  cp "$tree/$file" "$scratch/original"
  mutate "$tree/$file" "$line" >"$scratch/mutant"
  cp "$scratch/mutant" "$tree/$file"
  if ! ninja -C "$tree/build/release" roofline roofline_region_shared $units >"$scratch/log" 2>&1; then
    tail -n 5 "$scratch/log"
    echo "does not build: $name"
  elif ctest --test-dir "$tree/build/release" --timeout 120 -R "^($wanted)\$" >"$scratch/log" 2>&1 </dev/null; then
    echo "SURVIVED  $name ($tests)"
  else
    caught=$((caught + 1))
    echo "caught    $name ($(sed -n 's/.*[0-9] - \([a-z/_-]*\) (\(Failed\|Timeout\|SEGFAULT\).*/\1/p' "$scratch/log" | paste -sd' '))"
  fi
  cp "$scratch/original" "$tree/$file"
done <"$scratch/rows"
echo "$caught of $total caught"
