#!/bin/sh
# Whole models as predicted, compared with what others measured: llama-bench's prompts of 512 and 128 tokens after them (ggml-org/llama.cpp
# discussions 4167 and 15013), and TTFT, TPOT and whole requests of serving engines (ai-dynamo/aiconfigurator@095f58a). Machines are their
# datasheets, settings the defaults. Prints a table; with documents, writes it into the first between the two `validate` marks, and its
# sums into the second between the two `sums` marks.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
roofline=${ROOFLINE:-${ROOFLINE_BUILD:-build/release}/roofline}
measured=${MEASURED:-../shared/measured}
if [ ! -d "$measured" ]; then
  echo "validate: skipped: no measurements in $measured; MEASURED=FOLDER says where they are" >&2
  exit 3
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

table() { # TITLE FILE...: the errors of each figure, then by device, model, formats and engine
  title=$1
  shift
  "$roofline" validate "$@" --json >"$scratch/answer"
  jq -r --arg title "$title" '
    def percent: 1000 * . | round / 10 | tostring;
    def row($name): "| " + ([$name, .timings] + ([.median_error, .mean_error, .p90_error, .bias, .median_error_of_lower,
      .fraction_inside_interval, .fraction_below_lower] | map(percent)) | map(tostring) | join(" | ")) + " |";
    (.by.operation[] | row("**\($title), \(.name)**")),
    (.by | (.device, .model, .format)[] | select(.timings >= 5) | row(.name))' "$scratch/answer"
  jq -r '.left_out[] | "\(.timings): \(.why)"' "$scratch/answer" >>"$scratch/left"
}

: >"$scratch/left"
{
  echo '| measured | points | median | mean | 90th | bias | bound alone | inside | below the bound |'
  echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|'
  table llama-bench "$measured"/llamacpp/*.csv
  table 'serving engines' "$measured/aiconfigurator/serving_points.csv"
  printf '\nIn percent. Roofline %s, %s. Groups of fewer than 5 points are not shown. Left out:\n\n' \
    "$("$roofline" --version | cut -d' ' -f2)" "$(date -u +%F)"
  sed 's/^/- /' "$scratch/left"
} >"$scratch/table"
cat "$scratch/table"
if [ $# -gt 0 ]; then
  put validate "$scratch/table" "$1"
fi
if [ $# -gt 1 ]; then
  sed -n '1,2p; s/\*\*//gp' "$scratch/table" >"$scratch/sums"
  put sums "$scratch/sums" "$2"
fi
