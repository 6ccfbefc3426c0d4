#!/bin/sh
# Every built-in kernel on this machine, checked and timed, as a share of the measured ceiling: a Markdown table on stdout.
# usage: bench/kernels.sh [--quick]; needs jq. The ceilings and the samples stay in ROOFLINE_RESULTS, where that is set.
set -eu
cd "$(dirname "$0")/.."
roofline=${ROOFLINE:-build/release/roofline}
results=${ROOFLINE_RESULTS:-$(mktemp -d)}
[ -n "${ROOFLINE_RESULTS:-}" ] || trap 'rm -rf "$results"' EXIT
mkdir -p "$results"
XDG_CONFIG_HOME=$results
export XDG_CONFIG_HOME

"$roofline" measure "$@" --json >"$results/ceilings.json"
"$roofline" run all "$@" --json >"$results/kernels.json"
"$roofline" run all "$@" --dtype fp64 --json >"$results/kernels-fp64.json"

jq -r '"\(.title), \(.unit_count) cores, \(.date):\n"' "$results/ceilings.json"
echo '| kernel | time | spread | GFLOP/s | GB/s | data in | of ceiling |'
echo '|---|---:|---:|---:|---:|---|---:|'
jq -r '.kernels[] | (.flops | to_entries[0].value / 1e9) as $work | (.bytes | to_entries[0].value / 1e9) as $moved |
  [.name, "\(.seconds * 1e5 | round / 100) ms", "\(.spread * 1000 | round / 10) %", ($work / .seconds * 100 | round / 100),
   ($moved / .seconds * 100 | round / 100), .level // "", "\((.fraction_of_ceiling // 0) * 1000 | round / 10) %"] |
  "| " + (map(tostring) | join(" | ")) + " |"' "$results/kernels.json" "$results/kernels-fp64.json"
jq -r '.skipped[] | "\nSkipped: \(.what): \(.why)"' "$results/kernels.json"
