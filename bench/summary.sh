#!/bin/sh
# The first table of docs/limits.md, out of those that it sums up: what bench/accuracy.sh, validate.sh and training.sh wrote. Prints it;
# with a document, writes it there between the two `summary` marks. `lint/docs` fails where they disagree.
# Usage: bench/summary.sh [DOCUMENT]
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
kernels=docs/accuracy.md models=docs/whole-models.md training=bench/results/training.md

cell() { # TABLE ROW COLUMN: the first number there
  awk -F ' *[|] *' -v row="$2" -v column="$3" '$2 == row { split($column, numbers, " "); print numbers[1]; found = 1; exit } END { exit !found }' "$1" ||
    { echo "summary: no row \`$2\` in $1" >&2; exit 1; }
}

row() { # WHAT COLUMN TABLE LINK ROW ...: the timings and the median of each
  what=$1 column=$2 table=$3 link=$4 counts='' errors=''
  shift 4
  for name; do
    count=$(cell "$table" "$name" 3)
    error=$(cell "$table" "$name" "$column")
    counts="${counts:+$counts; }$count" errors="${errors:+$errors; }$error %"
  done
  echo "| $what | $counts | $errors | [table]($link) |"
}

{
  echo '| prediction | published measurements | median error | more |'
  echo '|---|---:|---:|---|'
  row 'time per token of llama-bench, batch 1; of serving engines' 4 $models 'whole-models.md#how-far-from-measured' \
    'llama-bench, TPOT' 'serving engines, TPOT'
  row 'time to the first token of both' 4 $models 'whole-models.md#how-far-from-measured' 'llama-bench, TTFT' 'serving engines, TTFT'
  row 'throughput of so many requests at once' 4 $models 'whole-models.md#how-far-from-measured' 'serving engines, request'
  row 'one matrix product in bf16; fp8; fp8 in blocks; nvfp4' 5 $kernels accuracy.md \
    'GEMM, bf16' 'GEMM, fp8' 'GEMM, fp8 in blocks' 'GEMM, nvfp4'
  row 'attention of a decoding step; of a prompt' 5 $kernels accuracy.md 'decode attention' 'prefill attention'
  row 'a layer of experts; collectives (NCCL)' 5 $kernels accuracy.md 'mixtures of experts' 'collectives (NCCL)'
  row 'training step on A100; on H100' 4 $training ../bench/results/training.md 'llm-foundry a100' 'llm-foundry h100'
} >"$scratch/table"
cat "$scratch/table"
if [ $# -gt 0 ]; then
  put summary "$scratch/table" "$1"
fi
