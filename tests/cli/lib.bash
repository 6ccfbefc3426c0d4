# What the suites of the predicting commands share: load it in setup.
bats_require_minimum_version 1.5.0

# jq 1.6 takes 25 ms to start, gojq 2. It sorts keys, though: what is about their order says `command jq`.
if command -v gojq >/dev/null; then
  jq() { gojq "$@"; }
fi

# An empty home, no colour, and `$h989`: the H100 with its figures rounded as people quote them.
start() {
  cd "$BATS_TEST_TMPDIR" || return
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config NO_COLOR=1
  unset ROOFLINE_PATH
  h989=$PWD/h989.json
  machine h989 989e12 3.35e12 >"$h989"
}

# machine NAME PEAK BANDWIDTH: a machine file with one fp16 matrix peak (sparse: twice) and 80 GB of HBM.
machine() {
  jq -n --arg name "$1" --argjson peak "$2" --argjson bandwidth "$3" '
    {kind: "datasheet", source: "the test"} as $from
    | {schema: "roofline.machine/1", name: $name, kind: "datasheet",
       peaks: [{dtype: "fp16", unit: "matrix", flops_per_second: $peak} + $from,
               {dtype: "fp16", unit: "matrix", sparse: true, flops_per_second: (2 * $peak)} + $from],
       levels: [{name: "HBM", bytes: 80e9, bytes_per_second: $bandwidth} + $from]}'
}

# json FILTER: of the last run's output.
json() {
  jq -c "$1" <<<"$output"
}

# equals FILTER JSON: of the last run's output, whatever the order of keys and the way numbers are written.
equals() {
  jq -e --argjson want "$2" "($1) == \$want" <<<"$output" >/dev/null || { echo "$1: $(jq -c "$1" <<<"$output"), not $2"; return 1; }
}

# near FILTER NUMBER [TOLERANCE]: the JSON number is within the relative tolerance (1e-4) of NUMBER.
near() {
  local got
  got=$(jq -r "$1" <<<"$output")
  awk -v got="$got" -v want="$2" -v tolerance="${3-1e-4}" 'BEGIN {
    gap = got - want; gap = gap < 0 ? -gap : gap; size = want < 0 ? -want : want
    if (got == "null" || got == "" || gap > tolerance * size) { print "got " got ", not " want; exit 1 } }' ||
    { echo "$1"; return 1; }
}

# has TEXT: the last run's output contains it.
has() {
  [[ $output == *"$1"* ]] || { echo "no \`$1\` in: $output"; return 1; }
}

# golden NAME: the last run's output equals tests/golden/NAME; ROOFLINE_UPDATE_GOLDEN=1 writes it instead.
golden() {
  local file=$ROOFLINE_SOURCE/tests/golden/$1
  if [ "${ROOFLINE_UPDATE_GOLDEN-}" = 1 ]; then
    printf '%s\n' "$output" >"$file"
  fi
  diff "$file" <(printf '%s\n' "$output")
}
