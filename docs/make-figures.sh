#!/bin/sh
# Draws the pictures of the documents with the tool itself: sh docs/make-figures.sh [FOLDER], docs/ if none is named.
# The documents test draws them again and fails when they differ from those in docs/.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
roofline=${ROOFLINE:-$root/build/release/roofline}
folder=${1:-$root/docs}

"$roofline" plot gemm m=1,16,256,4096 n=28672 k=8192 \
  attention batch=1 heads=64 q_len=4096 kv_len=4096 head_dim=128 algorithm=flash,standard \
  softmax rows=8192 cols=8192 \
  --machine h100 --dtype fp16 --quiet --to "$folder/roofline.svg"
"$roofline" energy gemm m=1,64,512,4096 n=4096 k=4096 --machine a100 --dtype fp16 \
  --joules-per-flop 0.3pJ --joules-per-byte 120pJ --idle-watts 50 --to "$folder/energy.svg"
"$roofline" model llama-3.1-8b batch=1..512*2 --precision bf16/fp8 --machine h100 --to "$folder/batch.svg"

# The chart of the report of `loop`, on the scripted machine, so that it is the same everywhere.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && XDG_CONFIG_HOME=$scratch "$roofline" loop --quick --backend fake --quiet >/dev/null)
sed -n '/<svg/,/<\/svg>/p' "$scratch/roofline-report.html" >"$folder/report.svg"
