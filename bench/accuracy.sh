#!/bin/sh
# How far predictions of single operations are from what others measured: ai-dynamo/aiconfigurator@095f58a (A100, H200, B200, L40S;
# CUDA graphs) and sitar-lab/NeuSight@6945927 (fp32, PyTorch). Nothing is fitted. Prints a table; with a document, writes
# it there between the two `accuracy` marks.
set -eu
cd "$(dirname "$0")/.."
roofline=${ROOFLINE:-${ROOFLINE_BUILD:-build/release}/roofline}
measured=${MEASURED:-../shared/measured}
if [ ! -d "$measured" ]; then
  echo "accuracy: skipped: no measurements in $measured; MEASURED=FOLDER says where they are" >&2
  exit 3
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

rows() { # WHAT GROUPING FILE...: a row for each line of that grouping
  what=$1 by=$2
  shift 2
  "$roofline" validate "$@" --json | jq -r --arg what "$what" --arg by "$by" '
    def percent: 100 * . | if fabs < 9.95 then . * 10 | round / 10 else round end;
    .by[$by][] | [$what, .name, .timings, (.median_error, .mean_error, .p90_error, .bias, .median_error_of_lower,
      .fraction_inside_interval, .fraction_below_lower | percent)] | "| " + (map(tostring) | join(" | ")) + " |"'
}

{
  echo '| what | of it | timings | median | mean | 90th | bias | bound alone | inside | below the bound |'
  echo '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|'
  rows 'GEMM by format' format "$measured"/aiconfigurator/gemm_*.csv
  rows 'GEMM by measured time' duration "$measured"/aiconfigurator/gemm_*.csv
  rows 'attention, prompt' device "$measured"/aiconfigurator/context_attention_*.csv
  rows 'attention, decoding' device "$measured"/aiconfigurator/generation_attention_*.csv
  rows 'NCCL' operation "$measured"/aiconfigurator/nccl.csv
  rows 'fp32, PyTorch' operation "$measured"/neusight/vec.csv "$measured"/neusight/linear.csv "$measured"/neusight/bmm.csv
  printf '\nRoofline %s, %s.\n' "$("$roofline" --version | cut -d' ' -f2)" "$(date -u +%F)"
} >"$scratch/table"
cat "$scratch/table"
if [ $# -gt 0 ]; then
  awk -v table="$scratch/table" '
    /<!-- accuracy -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
    /<!-- end of accuracy -->/ { skip = 0 }
    !skip' "$1" >"$scratch/document"
  cat "$scratch/document" >"$1"
fi
