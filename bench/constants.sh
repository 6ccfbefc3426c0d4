#!/bin/bash
# Writes data/constants from measurements that others published: one table says what each file there was fitted to.
# Usage: bench/constants.sh FOLDER [FILE ...], with the folder of the tables; names of files without .json, or all.
set -euo pipefail
cd "$(dirname "$0")/.."
measured=$1
shift
roofline=${ROOFLINE:-build/release/roofline}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# FILE is FAMILY.KIND (or MACHINE.KIND), or longer for a framework's own. Lines of one FILE add to it.
#   FILE FRAMEWORK FORMAT SOURCE TABLE ...   what `calibrate` finds there; - for any framework or format, A>B for A's timings as B's.
#                                            TABLE is a name without .csv; +TEXT keeps its rows with that extended expression, -TEXT
#                                            drops them.
#   FILE = OTHER [NAME=VALUE ...]            as another file of this table, above it; assumed, with some constants of its own,
#                                            or NAME*=FACTOR times the other's
# H20 has a seventh of the arithmetic that its memory and caches could feed: almost all of its peak is reached, of a whole Hopper's
# three quarters (deepseek-ai/DeepGEMM's own figures).
# Cards of 70 to 75 W cannot feed their peak: those with more or fewer watts per FLOP/s than the L40S, or than the cards of a table,
# reach more or less of it. What the tables have of P4 and P100 differs by that too. RTX PRO 6000: 600 W for 504 TFLOP/s of bf16 on a desk,
# for 468 in a server, 1.23 and 1.33 times the L40S's. FlashAttention 2, which vLLM and SGLang run on both, reaches 0.68 of an A100's peak,
# which has as many, and 0.54 of the L40S's: it wants for power too; TensorRT-LLM's attention, at 0.42, does not.
# NetX-lab/Frontier@a4b22df timed the same norms on H800 eagerly and alone: 16 us, and 2 us and more. What is no host's has the
# latency of a kernel alone, waits as long for a row's sums, and has other kernels between it and what it finds in a cache.
# SGLang has no timings there: on Hopper its experts are the Triton kernels that vLLM took over, on Blackwell both take FlashInfer's.
# llm-foundry's attention of 2023 is Triton's, without Hopper's own instructions: a fifth of what engines reach, from its 21 training
# steps on H100 (bench/training.sh), whose time grows with the tokens of a sequence as nothing else could make it.
# TensorRT-LLM adds up in the kernel that norms (one shot, without NCCL's handshake): six tenths of NCCL's latency, of 0.4 to 1 what
# leaves the least error of its serving points (aiconfigurator/serving_points).
# What no framework is named for is FlashAttention's and FlashInfer's, which vLLM runs too, rather than half TensorRT-LLM's: of H20's
# timings (infersim) the one is 7 to 10 % off, a mixture of both 12 to 20 %. Nor are narrow keys of GPUs without timings TensorRT-LLM's,
# whose kernels read them again for each head of a group of more than 63.
# Before Hopper TensorRT-LLM has no kernels of its own for a latent: what A100 takes says nothing of later GPUs, and is that of Ada's.
# Nor does what vLLM falls back to for modelopt's experts in fp8 on H200 alone, five times as long as any other's.
# Of n ranks that share a path each has an nth of it or more: `sharing` beyond 1, which the L40S's board shows, is of that board alone. What
# others take from it has 1, and an interval from twice as fast (28 GB/s of eight RTX 5090, NVIDIA/nccl#1639) to two and a half times as slow
# (four L40S). Of narrow rows that fewer than three machines have, the interval is at most a quarter wider at each end than that of the wide
# ones: two machines apart say how they differ, not how far a third is off.
# A family without a device of its own among the tables is as the one that has memory and power of its kind.
# shellcheck disable=SC2034 # names of a column
aiconfigurator=ai-dynamo/aiconfigurator@095f58a
neusight=sitar-lab/NeuSight@6945927
vidur=microsoft/vidur@7d47513
infersim=alibaba/InferSim@f2293da
table() {
  cat <<'END'
hopper.decode.vllm            vllm    bf16  aiconfigurator  aiconfigurator/generation_attention_h200_sxm
hopper.decode.trtllm          trtllm  bf16  aiconfigurator  aiconfigurator/generation_attention_h200_sxm
hopper.decode                 = hopper.decode.vllm framework=null
blackwell.decode.vllm         vllm    bf16  aiconfigurator  aiconfigurator/generation_attention_b200_sxm
blackwell.decode.trtllm       trtllm  bf16  aiconfigurator  aiconfigurator/generation_attention_b200_sxm
blackwell.decode              = blackwell.decode.vllm framework=null
ada.decode.vllm               vllm    bf16  aiconfigurator  aiconfigurator/generation_attention_l40s
ada.decode.trtllm             trtllm  bf16  aiconfigurator  aiconfigurator/generation_attention_l40s
ada.decode                    = ada.decode.vllm framework=null
ampere.decode                 -       bf16  aiconfigurator  aiconfigurator/generation_attention_a100_sxm-trtllm/1.0.0
ampere.decode.sglang          sglang  bf16  aiconfigurator  aiconfigurator/generation_attention_a100_sxm-trtllm/1.0.0
blackwell-rtx.decode          = ada.decode
blackwell-rtx.decode.vllm     = ada.decode.vllm
blackwell-rtx.decode.trtllm   = ada.decode.trtllm
ampere-rtx.decode             = ada.decode
ampere-rtx.decode.vllm        = ada.decode.vllm
ampere-rtx.decode.trtllm      = ada.decode.trtllm

hopper.prefill.vllm           vllm    -     aiconfigurator  aiconfigurator/context_attention_h200_sxm
hopper.prefill.trtllm         trtllm  -     aiconfigurator  aiconfigurator/context_attention_h200_sxm
hopper.prefill                = hopper.prefill.vllm framework=null
hopper.prefill                -       fp8   aiconfigurator  aiconfigurator/context_attention_h200_sxm
hopper.prefill.llm-foundry    = hopper.prefill framework="llm-foundry" efficiency*=0.22
blackwell.prefill.vllm        vllm    -     aiconfigurator  aiconfigurator/context_attention_b200_sxm
blackwell.prefill.trtllm      trtllm  -     aiconfigurator  aiconfigurator/context_attention_b200_sxm
blackwell.prefill             = blackwell.prefill.vllm framework=null
blackwell.prefill             -       fp8   aiconfigurator  aiconfigurator/context_attention_b200_sxm
ada.prefill.vllm              vllm    -     aiconfigurator  aiconfigurator/context_attention_l40s
ada.prefill.trtllm            trtllm  -     aiconfigurator  aiconfigurator/context_attention_l40s
ada.prefill                   = ada.prefill.vllm framework=null
ada.prefill                   -       fp8   aiconfigurator  aiconfigurator/context_attention_l40s
ampere.prefill                -       -     aiconfigurator  aiconfigurator/context_attention_a100_sxm
ampere.prefill.sglang         sglang  -     aiconfigurator  aiconfigurator/context_attention_a100_sxm
ampere.prefill.trtllm         trtllm  -     aiconfigurator  aiconfigurator/context_attention_a100_sxm
blackwell-rtx.prefill         = ada.prefill efficiency*=1.23
blackwell-rtx.prefill.vllm    = ada.prefill.vllm efficiency*=1.23
blackwell-rtx.prefill.trtllm  = ada.prefill.trtllm
ampere-rtx.prefill            = ada.prefill
ampere-rtx.prefill.vllm       = ada.prefill.vllm
ampere-rtx.prefill.trtllm     = ada.prefill.trtllm

hopper.mla-decode             -       -     aiconfigurator  aiconfigurator/generation_mla_h200_sxm
blackwell.mla-decode          -       -     aiconfigurator  aiconfigurator/generation_mla_b200_sxm
ampere.mla-decode             -       -     aiconfigurator  aiconfigurator/generation_mla_a100_sxm
hopper.mla-prefill            -       -     aiconfigurator  aiconfigurator/context_mla_h200_sxm
blackwell.mla-prefill         -       -     aiconfigurator  aiconfigurator/context_mla_b200_sxm
ampere.mla-prefill            -       -     aiconfigurator  aiconfigurator/context_mla_a100_sxm
ada.mla-decode.trtllm         = ampere.mla-decode framework="trtllm"
ada.mla-prefill.trtllm        = ampere.mla-prefill framework="trtllm"
ampere-rtx.mla-decode.trtllm  = ampere.mla-decode framework="trtllm"
ampere-rtx.mla-prefill.trtllm = ampere.mla-prefill framework="trtllm"

hopper.experts                -       -     aiconfigurator  aiconfigurator/moe_h200_sxm-modeloptfp8
hopper.experts.vllm           vllm    -     aiconfigurator  aiconfigurator/moe_h200_sxm
hopper.experts.trtllm         trtllm  -     aiconfigurator  aiconfigurator/moe_h200_sxm
hopper.experts.sglang         vllm>sglang - aiconfigurator  aiconfigurator/moe_h200_sxm+triton_tritonexperts
blackwell.experts             -       -     aiconfigurator  aiconfigurator/moe_b200_sxm-,nvfp4,
blackwell.experts.vllm        vllm    -     aiconfigurator  aiconfigurator/moe_b200_sxm-,nvfp4,
blackwell.experts.trtllm      trtllm  -     aiconfigurator  aiconfigurator/moe_b200_sxm-,nvfp4,
blackwell.experts.nvfp4       -       fp4   aiconfigurator  aiconfigurator/moe_b200_sxm
blackwell.experts.nvfp4       vllm    fp4   aiconfigurator  aiconfigurator/moe_b200_sxm
blackwell.experts.nvfp4       trtllm  fp4   aiconfigurator  aiconfigurator/moe_b200_sxm
blackwell.experts.sglang      = blackwell.experts.vllm framework="sglang"
blackwell.experts.sglang.nvfp4 vllm>sglang fp4 aiconfigurator  aiconfigurator/moe_b200_sxm
ada.experts                   -       -     aiconfigurator  aiconfigurator/moe_l40s
ada.experts.vllm              vllm    -     aiconfigurator  aiconfigurator/moe_l40s
ada.experts.trtllm            trtllm  -     aiconfigurator  aiconfigurator/moe_l40s
ampere.experts                -       -     aiconfigurator  aiconfigurator/moe_a100_sxm
ampere.experts.sglang         sglang  -     aiconfigurator  aiconfigurator/moe_a100_sxm
ampere.experts.trtllm         trtllm  -     aiconfigurator  aiconfigurator/moe_a100_sxm
blackwell-rtx.experts         = ada.experts
blackwell-rtx.experts.vllm    = ada.experts.vllm
blackwell-rtx.experts.trtllm  = ada.experts.trtllm
blackwell-rtx.experts.nvfp4   = blackwell.experts.nvfp4

hopper.collective             -       fp16  aiconfigurator  aiconfigurator/nccl
blackwell.collective          -       fp16  aiconfigurator  aiconfigurator/nccl
nvidia-l40s.collective        -       fp16  aiconfigurator  aiconfigurator/nccl
ada.collective                = nvidia-l40s.collective
ampere.collective             -       fp16  aiconfigurator  aiconfigurator/nccl
hopper.collective.trtllm      = hopper.collective framework="trtllm" latency_seconds=3.4e-6
blackwell.collective.trtllm   = blackwell.collective framework="trtllm" latency_seconds=4.7e-6
blackwell-rtx.collective      = nvidia-l40s.collective
ampere-rtx.collective         = nvidia-l40s.collective
turing.collective             = nvidia-l40s.collective

hopper.product                -       -     aiconfigurator  aiconfigurator/gemm_h200_sxm+,bfloat16,
hopper.product                -       -     aiconfigurator  aiconfigurator/gemm_h200_sxm+,trtllm/.*,fp8(_block)?,
hopper.product                vllm    -     aiconfigurator  aiconfigurator/gemm_h200_sxm+,vllm/.*,fp8,
blackwell.product             -       -     aiconfigurator  aiconfigurator/gemm_b200_sxm+,bfloat16,
blackwell.product             -       -     aiconfigurator  aiconfigurator/gemm_b200_sxm+,trtllm/.*,fp8(_block)?,
blackwell.product             vllm    -     aiconfigurator  aiconfigurator/gemm_b200_sxm+,vllm/.*,fp8,
blackwell.product.nvfp4       -       -     aiconfigurator  aiconfigurator/gemm_b200_sxm+,vllm/.*,nvfp4,
blackwell.product.nvfp4       trtllm  -     aiconfigurator  aiconfigurator/gemm_b200_sxm+,trtllm/.*,nvfp4,
ada.product                   -       -     aiconfigurator  aiconfigurator/gemm_l40s+,bfloat16,
ada.product                   -       -     aiconfigurator  aiconfigurator/gemm_l40s+,trtllm/.*,fp8(_block)?,
ada.product                   vllm    -     aiconfigurator  aiconfigurator/gemm_l40s+,vllm/.*,fp8,
ampere.product                -       -     aiconfigurator  aiconfigurator/gemm_a100_sxm+,(bfloat16|sq),
ampere.product.weights        trtllm  -     aiconfigurator  aiconfigurator/gemm_a100_sxm+,int[48]_wo,
ampere.product.weights        = ampere.product.weights framework=null latency_seconds=2e-6
hopper.product.weights        = ampere.product.weights efficiency=0.6
ada.product.weights           = ampere.product.weights
ampere-rtx.product.weights    = ampere.product.weights
ampere.product.pytorch        PyTorch -     vidur           vidur/mlp_median_us
ampere.product.eager          eager   -     neusight        neusight/linear neusight/bmm
volta.product.eager           eager   -     neusight        neusight/linear neusight/bmm
pascal.product.eager          eager   -     neusight        neusight/linear neusight/bmm
gpu.product.eager             eager   -     neusight        neusight/linear neusight/bmm
ampere.product.cudnn          cuDNN   -     neusight        neusight/conv
volta.product.cudnn           cuDNN   -     neusight        neusight/conv
pascal.product.cudnn          cuDNN   -     neusight        neusight/conv
gpu.product.cudnn             cuDNN   -     neusight        neusight/conv
nvidia-h20.product            -       -     infersim        infersim/gemm__h20__data
nvidia-h20.product.deepgemm   = nvidia-h20.product framework="DeepGEMM"
hopper.product.deepgemm       = nvidia-h20.product framework="DeepGEMM" machine="nvidia-h200-sxm" efficiency=0.75 bandwidth=0.8
blackwell-rtx.product         = ada.product efficiency*=1.23
nvidia-rtx-pro-6000-server.product = ada.product efficiency*=1.33
nvidia-l4.product             = ada.product efficiency*=0.65
nvidia-l4.product.eager       = gpu.product.eager efficiency*=0.4
nvidia-t4.product.eager       = gpu.product.eager efficiency*=0.5
nvidia-l4.product.cudnn       = gpu.product.cudnn efficiency*=0.4
nvidia-t4.product.cudnn       = gpu.product.cudnn efficiency*=0.5
nvidia-p4.product.eager       eager   -     neusight        neusight/linear neusight/bmm
nvidia-p100-pcie.product.eager eager  -     neusight        neusight/linear neusight/bmm
nvidia-p4.product.cudnn       cuDNN   -     neusight        neusight/conv
nvidia-p100-pcie.product.cudnn cuDNN  -     neusight        neusight/conv
blackwell-rtx.product.nvfp4   = blackwell.product.nvfp4
ampere-rtx.product            -       -     vidur           vidur/mlp_median_us
volta.product                 = volta.product.eager framework=null host_seconds=null latency_seconds=2e-6
pascal.product                = pascal.product.eager framework=null host_seconds=null latency_seconds=2e-6

ampere.stream.pytorch         PyTorch -     vidur           vidur/mlp_median_us
ampere-rtx.stream.pytorch     PyTorch -     vidur           vidur/mlp_median_us
hopper.stream.pytorch         = ampere.stream.pytorch
ampere.stream.eager           eager   -     neusight        neusight/vec
volta.stream.eager            eager   -     neusight        neusight/vec
pascal.stream.eager           eager   -     neusight        neusight/vec
cdna.stream.eager             eager   -     neusight        neusight/vec
nvidia-p4.stream.eager        eager   -     neusight        neusight/vec
nvidia-p100-pcie.stream.eager eager   -     neusight        neusight/vec
amd-mi100.stream.eager        eager   -     neusight        neusight/vec
amd-mi210.stream.eager        eager   -     neusight        neusight/vec
gpu.stream.eager              eager   -     neusight        neusight/vec
hopper.stream.eager           = gpu.stream.eager host_seconds=1.6e-5
gpu.stream                    = gpu.stream.eager framework=null machine=null host_seconds=null latency_seconds=2e-6 row_passes=null cache_gain=1 wave_seconds=2e-6
gpu.decode                    -       bf16  aiconfigurator  aiconfigurator/generation_attention_h200_sxm-trtllm/.*,fp8, aiconfigurator/generation_attention_b200_sxm-trtllm/.*,fp8, aiconfigurator/generation_attention_l40s-trtllm/.*,fp8, aiconfigurator/generation_attention_a100_sxm-trtllm/1.0.0
gpu.prefill                   -       -     aiconfigurator  aiconfigurator/context_attention_h200_sxm aiconfigurator/context_attention_b200_sxm aiconfigurator/context_attention_l40s aiconfigurator/context_attention_a100_sxm
gpu.mla-decode                -       -     aiconfigurator  aiconfigurator/generation_mla_h200_sxm aiconfigurator/generation_mla_b200_sxm
gpu.mla-prefill               -       -     aiconfigurator  aiconfigurator/context_mla_h200_sxm aiconfigurator/context_mla_b200_sxm
gpu.experts                   -       -     aiconfigurator  aiconfigurator/moe_h200_sxm-modeloptfp8 aiconfigurator/moe_b200_sxm aiconfigurator/moe_l40s aiconfigurator/moe_a100_sxm
gpu.product                   -       -     aiconfigurator  aiconfigurator/gemm_h200_sxm+,bfloat16, aiconfigurator/gemm_b200_sxm+,bfloat16, aiconfigurator/gemm_l40s+,bfloat16, aiconfigurator/gemm_a100_sxm+,bfloat16,
gpu.product                   -       -     aiconfigurator  aiconfigurator/gemm_h200_sxm+,trtllm/.*,fp8(_block)?, aiconfigurator/gemm_b200_sxm+,trtllm/.*,fp8(_block)?, aiconfigurator/gemm_l40s+,trtllm/.*,fp8(_block)?,
gpu.collective                -       fp16  aiconfigurator  aiconfigurator/nccl
gpu.stream.pytorch            PyTorch -     vidur           vidur/mlp_median_us
END
}

# The rows of a TABLE that are kept, to a file whose name it prints.
rows() {
  local name=${1%%[+-][!/]*} file filter
  [ -f "$measured/$1.csv" ] && name=$1
  filter=${1#"$name"}
  file=$measured/$name.csv
  [ -f "$file" ] || { echo "constants: no $file" >&2; exit 3; }
  case $filter in
  '') echo "$file"; return ;;
  +*) filter="NR == 1 || \$0 ~ wanted" ;;
  -*) filter="NR == 1 || \$0 !~ wanted" ;;
  esac
  mkdir -p "$scratch/${name%/*}"
  wanted=${1:${#name}+1} awk "BEGIN { wanted = ENVIRON[\"wanted\"] } $filter" "$file" >"$scratch/$name.csv"
  echo "$scratch/$name.csv"
}

# The constants of one line, to $scratch/fit.json.
fit() {
  local family=${1%%.*} kind=${1#*.} options=() word tables=()
  kind=${kind%%.*}
  [ "$2" = - ] || options+=(--framework "${2%>*}")
  [ "$3" = - ] || options+=(--dtype "$3")
  for word in "${@:5}"; do
    tables+=("$(rows "$word")")
  done
  "$roofline" calibrate "${tables[@]}" --family "$family" --kernel "$kind" --source "${!4}" ${options[@]+"${options[@]}"} \
    --quiet --to "$scratch/fit.json" | sed -n "s/^[0-9.]* % off/$1: &/p"
  case $2 in *\>*) sed -i "s/\"framework\": \"${2%>*}\"/\"framework\": \"${2#*>}\"/" "$scratch/fit.json" ;; esac
}

# The constants of another file, with some of its own, to $scratch/fit.json.
as() {
  local other=$2 own='{}' times='{}' word
  for word in "${@:3}"; do
    case $word in
    *\**) times=$(jq -c --arg name "${word%%\**}" --argjson value "${word#*=}" '.[$name] = $value' <<<"$times") ;;
    *) own=$(jq -c --arg name "${word%%=*}" --argjson value "${word#*=}" '.[$name] = $value' <<<"$own") ;;
    esac
  done
  jq --arg other "$other" --argjson own "$own" --argjson times "$times" '
    def scaled: reduce ($times | keys[]) as $name (.; .[$name] = ([if $name == "efficiency" then 0.9 else infinite end,
      .[$name] * $times[$name]] | min * 1e4 | round / 1e4));
    .constants |= map(scaled + $own + {kind: "assumed"} | del(.. | nulls)
    | .source |= "as \($other)" + ($own + $times | if . == {} then "" else " but for \(keys | join(", "))" end) + ": " + .)' \
    "data/constants/$other.json" >"$scratch/fit.json"
}

# One constant a line, as `calibrate` writes them; what others inherit within the two rules above.
write() {
  local inherited=true
  [ ! -f "data/machines/${1%%.*}.json" ] || inherited=false
  jq -r --arg name "$1" --slurpfile fit "$scratch/fit.json" --argjson first "$2" --argjson inherited "$inherited" -n '
    def machines: .source | split(", ") | length - 2;
    def shared: if $inherited and .sharing > 1 then
        (if machines == 1 then .time_low = 0.4 | .time_high = 2.5 else . end)
        | .source += "; sharing 1 in place of \(.sharing), which is of the board of nvidia-l40s" | .sharing = 1
      else . end;
    def narrowed($wide): if $inherited and .narrow and machines < 3 and $wide != null
        and (.time_low < $wide.time_low / 1.25 or .time_high > $wide.time_high * 1.25) then
        .time_low = ([.time_low, $wide.time_low / 1.25] | max * 1e4 | round / 1e4)
        | .time_high = ([.time_high, $wide.time_high * 1.25] | min * 1e4 | round / 1e4)
        | .source += "; interval a quarter wider than that of the wide cache"
      else . end;
    (if $first then [] else input.constants end) + $fit[0].constants
    | . as $all
    | map(. as $c | shared | narrowed($all | map(select(.kernel == $c.kernel and .framework == $c.framework and (.narrow | not)))[0]))
    | "{\n  \"schema\": \"roofline.machine/1\",\n  \"name\": \"\($name)\",\n  \"constants\": [\n"
      + (map("    " + (tojson | gsub("\":(?=[^ ])"; "\": ") | gsub(",\""; ", \"") | sub(", \"kind\""; ",\n     \"kind\""))) | join(",\n")) + "\n  ]\n}"' \
    "data/constants/$1.json" >"$scratch/written.json"
  cp "$scratch/written.json" "data/constants/$1.json"
}

written=
table | while read -r file what rest; do
  [ -n "$file" ] || continue
  [ $# -eq 0 ] || [[ " $* " == *" $file "* ]] || continue
  read -ra words <<<"$rest"
  if [ "$what" = = ]; then
    as "$file" "${words[@]}"
  else
    fit "$file" "$what" "${words[@]}"
  fi
  [[ " $written " == *" $file "* ]] && first=false || first=true
  [ -f "data/constants/$file.json" ] || echo '{}' >"data/constants/$file.json"
  write "$file" $first
  written="$written $file"
done
