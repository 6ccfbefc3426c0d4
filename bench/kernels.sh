#!/bin/sh
# Every built-in kernel on this machine, checked and timed, beside the roof that its measured ceilings give it: a Markdown
# table on stdout, with a document also between its two `kernels` marks.
# usage: bench/kernels.sh [--quick] [DOCUMENT]; needs jq. The ceilings and the samples stay in ROOFLINE_RESULTS, where that is set.
set -eu
cd "$(dirname "$0")/.."
roofline=${ROOFLINE:-build/release/roofline}
results=${ROOFLINE_RESULTS:-$(mktemp -d)}
[ -n "${ROOFLINE_RESULTS:-}" ] || trap 'rm -rf "$results"' EXIT
mkdir -p "$results"
XDG_CONFIG_HOME=$results
export XDG_CONFIG_HOME
quick=
if [ "${1:-}" = --quick ]; then
  quick=--quick
  shift
fi

# shellcheck disable=SC2086  # no word when empty
{
  "$roofline" measure $quick --json >"$results/ceilings.json"
  "$roofline" run all $quick --json >"$results/kernels.json"
  "$roofline" run all $quick --dtype fp64 --json >"$results/kernels-fp64.json"
}

# A roof at a peak of the format is compute, any other is the level that holds the data.
table() {
  jq -r '"* \(.title), \(.unit_count) cores, \(.date)"' "$results/ceilings.json"
  printf '* %s%s\n\n' "$("$roofline" --version)" "${quick:+, quick}"
  echo '| kernel | time | spread | achieved | roof | of the roof | regime |'
  echo '|---|---:|---:|---:|---:|---:|---|'
  jq -r --slurpfile machine "$results/ceilings.json" '
    def short: . * 10 | round / 10;
    .kernels[] | . as $k | (.flops | to_entries[0]) as $work | (.bytes | to_entries[0].value) as $moved
    | (if $work.value > 0 then {n: $work.value, u: "GFLOP/s"} else {n: $moved, u: "GB/s"} end) as $of
    | any([$machine[0].peaks[] | select(.dtype == $work.key and .cores == null and (.mixed | not))] | group_by(.unit)[]
        | map(.flops_per_second) | max; ($work.value / ($k.ceiling_seconds // infinite) / . - 1 | fabs) < 0.01) as $compute
    | [.name, "\(.seconds * 1e3 * 100 | round / 100) ms", "\(.spread * 100 | short) %", "\($of.n / .seconds / 1e9 | short) \($of.u)",
       if .ceiling_seconds then "\($of.n / .ceiling_seconds / 1e9 | short) \($of.u)" else "" end,
       "\((.fraction_of_ceiling // 0) * 100 | short) %", if $compute then "compute" else "memory (\(.level // "?"))" end]
    | "| " + join(" | ") + " |"' "$results/kernels.json" "$results/kernels-fp64.json"
  jq -r '.skipped[] | "\nSkipped: \(.what): \(.why)"' "$results/kernels.json"
}

table >"$results/table"
cat "$results/table"
if [ $# -gt 0 ]; then
  awk -v table="$results/table" '
    /<!-- kernels -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
    /<!-- end of kernels -->/ { skip = 0 }
    !skip' "$1" >"$results/document"
  cat "$results/document" >"$1"
fi
