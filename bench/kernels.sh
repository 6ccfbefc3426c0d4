#!/bin/sh
# Every built-in kernel on this machine, checked and timed, compared with its measured ceiling: a Markdown
# table on stdout, with a document also between its two `kernels` marks of this processor.
# usage: bench/kernels.sh [--quick] [--seconds S] [DOCUMENT]; needs jq.
# Measures what ROOFLINE_RESULTS (build/kernel-results) lacks, for about S seconds (all of it without): the ceilings, then a kernel
# at a time, which all stay there. The table has what is there; delete the folder to measure anew.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
roofline=${ROOFLINE:-build/release/roofline}
results=${ROOFLINE_RESULTS:-build/kernel-results}
quick="" seconds=""
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=--quick ;;
    --seconds) seconds=$2; shift ;;
    *) break ;;
  esac
  shift
done
results=$results${quick:+-quick}
mkdir -p "$results"
XDG_CONFIG_HOME=$(cd "$results" && pwd)
export XDG_CONFIG_HOME

# One kernel; what cannot run here is skipped with the reason, a wrong result ends it all.
one() { # KERNEL FORMAT [OPTION ...]
  kernel=$1
  file=$results/$2-$1.json
  shift 2
  [ ! -s "$file" ] || return 0
  [ -z "$seconds" ] || [ $(($(date +%s) - began)) -lt "$seconds" ] || return 0
  status=0
  # shellcheck disable=SC2086  # no word when empty
  "$roofline" run "$kernel" $quick "$@" --json >"$results/part" 2>"$results/reason" || status=$?
  if [ $status -eq 3 ]; then
    jq -n --arg what "$kernel" --arg why "$(sed 's/^roofline: [^:]*: //' "$results/reason")" \
      '{kernels: [], skipped: [{what: $what, why: $why}]}' >"$results/part"
  elif [ $status -ne 0 ]; then
    cat "$results/reason" >&2
    exit $status
  fi
  mv "$results/part" "$file"
}

began=$(date +%s)
if [ ! -s "$results/ceilings.json" ]; then
  # shellcheck disable=SC2086  # no word when empty
  "$roofline" measure $quick --json >"$results/part"
  mv "$results/part" "$results/ceilings.json"
fi
names=$("$roofline" run --list --json | jq -r '.kernels[].name')
for name in $names; do one "$name" own; done
for name in $names; do one "$name" fp64 --dtype fp64; done

gather() { # FORMAT: the parts that are there, in the order of the list
  for name in $names; do
    [ ! -s "$results/$1-$name.json" ] || cat "$results/$1-$name.json"
  done | jq -s '{kernels: map(.kernels[]), skipped: map(.skipped[])}'
}
gather own >"$results/kernels.json"
gather fp64 >"$results/kernels-fp64.json"

# A roof at a peak of the format is compute, any other is the level that holds the data.
table() {
  jq -r --arg processor "$(processor)" '"* \($processor), \(.unit_count) cores, \(.date)"' "$results/ceilings.json"
  printf '* %s%s\n\n' "$("$roofline" --version)" "${quick:+, quick}"
  echo '| kernel | time | spread | achieved | ceiling | of ceiling | regime |'
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
  put_here kernels "$results/table" "$1"
fi
