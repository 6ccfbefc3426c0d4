#!/bin/sh
# How far predictions of single operations are from what others measured: ai-dynamo/aiconfigurator@095f58a (A100, H200, B200, L40S;
# CUDA graphs), sitar-lab/NeuSight@6945927 (fp32, PyTorch), microsoft/vidur@7d47513 (fp16 layers of A100 and A40) and alibaba/InferSim@f2293da
# (H20); and of whole models that engines served. Prints a table; with a document, writes it there between the two `accuracy` marks.
# Usage: bench/accuracy.sh [DOCUMENT [NAME ...]]: names of what to judge again; the document keeps its other rows.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
roofline=${ROOFLINE:-${ROOFLINE_BUILD:-build/release}/roofline}
measured=${MEASURED:-../shared/measured}
if [ ! -d "$measured" ]; then
  echo "accuracy: skipped: no measurements in $measured; MEASURED=FOLDER says where they are" >&2
  exit 3
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
aic=$measured/aiconfigurator

# What its own publisher would not fit: a host's floor, and decode attention beyond what the memory gives.
for device in a100_sxm h200_sxm b200_sxm l40s; do
  grep -v 'vllm.*,fp8_block,' "$aic/gemm_$device.csv" >"$scratch/gemm_$device.csv"
  grep -v ',trtllm/1\.0\.0,' "$aic/generation_attention_$device.csv" >"$scratch/generation_$device.csv"
done

# Kernels that one machine alone runs: vLLM's of modelopt's experts in fp8 on H200.
grep -v modeloptfp8 "$aic/moe_h200_sxm.csv" >"$scratch/moe_h200_sxm.csv"

document=${1-}
[ $# -eq 0 ] || shift
again=" $* "

judge() { # NAME FILE...: as it ships, by constants of other shapes, by those of other devices
  name=$1
  shift
  case $again in "  " | *" $name "*) ;; *) return 0 ;; esac
  "$roofline" validate "$@" --json >"$scratch/$name.ships"
  for split in shape device; do
    "$roofline" validate "$@" --split "$split" --json >"$scratch/$name.$split" || echo null >"$scratch/$name.$split"
  done
}

judge_simulated() { # FILE: runs of whole models event by event; nothing of it is fitted by parts
  case $again in "  " | *" simulated "*) ;; *) return 0 ;; esac
  "$roofline" validate "$@" --simulate --json >"$scratch/simulated.ships"
  echo null | tee "$scratch/simulated.shape" >"$scratch/simulated.device"
}

judge_apart() { # NAME FILE...: a device that nobody fitted, by the constants of its family
  name=$1
  shift
  case $again in "  " | *" $name "*) ;; *) return 0 ;; esac
  "$roofline" validate "$@" --json >"$scratch/$name.device"
  echo null | tee "$scratch/$name.ships" >"$scratch/$name.shape"
}

judge_devices() { # NAME FILE...: machines by constants of the others, of kernels that several of them run
  name=$1
  shift
  case $again in "  " | *" $name "*) ;; *) return 0 ;; esac
  "$roofline" validate "$@" --split device --json >"$scratch/$name.device"
  echo null | tee "$scratch/$name.ships" >"$scratch/$name.shape"
}

row() { # TITLE NAME LINE GOAL GOAL: a row of the table; LINE is a jq expression for one line of an answer
  if [ ! -f "$scratch/$2.ships" ]; then
    grep -F "| $1 |" "$document"
    return
  fi
  jq -rn --arg title "$1" --arg shapes "$4" --arg devices "$5" --slurpfile ships "$scratch/$2.ships" \
    --slurpfile shape "$scratch/$2.shape" --slurpfile device "$scratch/$2.device" '
    def percent: 100 * . | if fabs < 9.95 then . * 10 | round / 10 else round end | tostring;
    def errors: if . == null then "-" else [.median_error, .mean_error, .p90_error | percent] | join(" / ") end;
    def inside: if . == null then "-" else .fraction_inside_interval | percent end;
    def line: if . == null then null else '"$3"' end;
    ($ships[0] | line) as $s | ($shape[0] | line) as $o | ($device[0] | line) as $d
    | ([$s, $d] | map(values)[0]) as $any
    | "| " + ([$title, $any.timings, ($any.median_error_of_lower | percent), ($s | errors), ($s | inside), ($o | errors), ($o | inside),
        $shapes, ($d | errors), ($d | inside), $devices] | map(tostring) | join(" | ")) + " |"'
}

of() { # GROUPING NAME: the jq expression of that line
  echo "(.by.$1 | map(select(.name == \"$2\"))[0])"
}

judge gemm "$scratch"/gemm_*.csv
judge attention "$aic"/context_attention_*.csv "$scratch"/generation_*.csv
judge mla "$aic"/context_mla_*.csv "$aic"/generation_mla_*.csv
judge moe "$aic"/moe_*.csv
judge_devices mla-shared "$aic"/context_mla_[hb]*.csv "$aic"/generation_mla_[hb]*.csv
judge_devices moe-shared "$scratch/moe_h200_sxm.csv" "$aic"/moe_b200_sxm.csv "$aic"/moe_l40s.csv "$aic"/moe_a100_sxm.csv
judge nccl "$aic"/nccl.csv
judge layers "$measured"/vidur/mlp_median_us.csv
judge vector "$measured"/neusight/vec.csv
judge conv "$measured"/neusight/conv.csv
judge fp32 "$measured"/neusight/linear.csv "$measured"/neusight/bmm.csv
judge h20 "$measured"/infersim/gemm__h20__data.csv
judge_apart h20-decode "$measured"/infersim/mha__decode__h20__[123]*.csv
judge_apart h20-prefill "$measured"/infersim/mha__prefill__h20__*.csv
judge_apart h20-mla "$measured"/infersim/mla__decode__h20__*.csv
judge_apart h20-experts "$measured"/infersim/grouped_gemm__*__h20__data.csv
judge_apart h800 "$measured"/frontier/h800_llama2_7b_linear_op_kernel_only.csv
judge serving "$aic"/serving_points.csv
judge_simulated "$aic"/serving_points.csv

{
  echo '| what | timings | bound alone | as it ships | inside | other shapes | inside | goal | other devices | inside | goal |'
  echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
  row 'GEMM, bf16' gemm "$(of format bf16)" '6 / 8 / 18' '8 / 12 / 26'
  row 'GEMM, fp8' gemm "$(of format fp8)" '7 / 11 / 24' '11 / 17 / 38'
  row 'GEMM, fp8 in blocks' gemm "$(of format 'fp8, 16384 per scale')" '7 / 11 / 24' '11 / 17 / 38'
  row 'GEMM, nvfp4' gemm "$(of format 'fp4, 16 per scale')" '7 / 11 / 24' '11 / 17 / 38'
  row 'GEMM, fp8 in blocks, H20 (DeepGEMM)' h20 .all '' ''
  row 'decode attention' attention "$(of kernel decode)" '8 / 14 / 34' '11 / 19 / 44'
  row 'prefill attention' attention "$(of kernel prefill)" '9 / 14 / 34' '12 / 19 / 44'
  row 'MLA' mla .all '8 / 14 / 34' '11 / 19 / 44'
  row 'mixtures of experts' moe .all '12 / 20 / 45' '14 / 22 / 52'
  row 'MLA by kernels that several run' mla-shared .all '' '11 / 19 / 44'
  row 'mixtures of experts by kernels that several run' moe-shared .all '' '14 / 22 / 52'
  row 'collectives (NCCL)' nccl .all '7 / 14 / 30' '9 / 19 / 35'
  row 'products of layers, fp16, PyTorch' layers "$(of kernel product)" '6 / 8 / 18' '8 / 12 / 26'
  row 'norms, activations, fp16, PyTorch' layers "$(of kernel stream)" '7 / 13 / 26' '10 / 17 / 36'
  row 'elementwise, norms, softmax, fp32, PyTorch' vector .all '7 / 13 / 26' '10 / 17 / 36'
  row 'products, fp32, PyTorch' fp32 .all '' ''
  row 'convolution, fp32, PyTorch' conv .all '16 / 25 / 50' '22'
  row 'decode attention, H20 as H200' h20-decode "$(of kernel decode)" '' '11 / 19 / 44'
  row 'prefill attention, H20 as H200' h20-prefill .all '' '12 / 19 / 44'
  row 'MLA, decode, H20 as H200' h20-mla .all '' '11 / 19 / 44'
  row 'mixtures of experts, fp8, H20 as H200' h20-experts "$(of kernel experts)" '' '14 / 22 / 52'
  row 'products of layers, fp16, H800 as H200' h800 "$(of kernel product)" '' '8 / 12 / 26'
  row 'serving engines, time per token' serving "$(of operation TPOT)" '8' '10'
  row 'serving engines, time to the first token' serving "$(of operation TTFT)" '' ''
  row 'serving engines, a whole request' serving "$(of operation request)" '' ''
  row 'the same simulated, time per token' simulated "$(of operation TPOT)" '10' ''
  row 'the same simulated, time to the first token' simulated "$(of operation TTFT)" '25' ''
  row 'the same simulated, a whole request' simulated "$(of operation request)" '10' ''
  printf '\nRoofline %s, %s.\n' "$("$roofline" --version | cut -d' ' -f2)" "$(date -u +%F)"
} >"$scratch/table"
cat "$scratch/table"
if [ -n "$document" ]; then
  put accuracy "$scratch/table" "$document"
fi
