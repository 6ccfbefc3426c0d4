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

# FILE is FAMILY.KIND, or longer for a framework's own. Lines of one FILE add to it.
#   FILE FRAMEWORK FORMAT SOURCE TABLE ...   what `calibrate` finds there; - for any framework or format. TABLE is a name without
#                                            .csv; +TEXT keeps its rows with that extended expression, -TEXT drops them.
#   FILE = OTHER [NAME=VALUE ...]            as another file of this table, above it; assumed, with some constants of its own
# A family without a device of its own among the tables is as the one that has memory and power of its kind.
aiconfigurator=ai-dynamo/aiconfigurator@095f58a
neusight=sitar-lab/NeuSight@6945927
table() {
  cat <<'END'
hopper.decode                 -       bf16  aiconfigurator  aiconfigurator/generation_attention_h200_sxm
hopper.decode.vllm            vllm    bf16  aiconfigurator  aiconfigurator/generation_attention_h200_sxm
hopper.decode.trtllm          trtllm  bf16  aiconfigurator  aiconfigurator/generation_attention_h200_sxm
blackwell.decode              -       bf16  aiconfigurator  aiconfigurator/generation_attention_b200_sxm
blackwell.decode.vllm         vllm    bf16  aiconfigurator  aiconfigurator/generation_attention_b200_sxm
blackwell.decode.trtllm       trtllm  bf16  aiconfigurator  aiconfigurator/generation_attention_b200_sxm
ada.decode                    -       bf16  aiconfigurator  aiconfigurator/generation_attention_l40s
ada.decode.vllm               vllm    bf16  aiconfigurator  aiconfigurator/generation_attention_l40s+,0,[0-9.]+$
ada.decode.trtllm             trtllm  bf16  aiconfigurator  aiconfigurator/generation_attention_l40s
ampere.decode                 -       bf16  aiconfigurator  aiconfigurator/generation_attention_a100_sxm-trtllm/1.0.0
ampere.decode.sglang          sglang  bf16  aiconfigurator  aiconfigurator/generation_attention_a100_sxm-trtllm/1.0.0
blackwell-rtx.decode          = ada.decode
blackwell-rtx.decode.vllm     = ada.decode.vllm
blackwell-rtx.decode.trtllm   = ada.decode.trtllm
ampere-rtx.decode             = ada.decode
ampere-rtx.decode.vllm        = ada.decode.vllm
ampere-rtx.decode.trtllm      = ada.decode.trtllm

hopper.prefill                -       -     aiconfigurator  aiconfigurator/context_attention_h200_sxm
hopper.prefill.vllm           vllm    -     aiconfigurator  aiconfigurator/context_attention_h200_sxm
hopper.prefill.trtllm         trtllm  -     aiconfigurator  aiconfigurator/context_attention_h200_sxm
blackwell.prefill             -       -     aiconfigurator  aiconfigurator/context_attention_b200_sxm
blackwell.prefill.vllm        vllm    -     aiconfigurator  aiconfigurator/context_attention_b200_sxm
blackwell.prefill.trtllm      trtllm  -     aiconfigurator  aiconfigurator/context_attention_b200_sxm
ada.prefill                   -       -     aiconfigurator  aiconfigurator/context_attention_l40s
ada.prefill.vllm              vllm    -     aiconfigurator  aiconfigurator/context_attention_l40s
ada.prefill.trtllm            trtllm  -     aiconfigurator  aiconfigurator/context_attention_l40s
ampere.prefill                -       -     aiconfigurator  aiconfigurator/context_attention_a100_sxm
ampere.prefill.sglang         sglang  -     aiconfigurator  aiconfigurator/context_attention_a100_sxm
ampere.prefill.trtllm         trtllm  -     aiconfigurator  aiconfigurator/context_attention_a100_sxm
blackwell-rtx.prefill         = ada.prefill
blackwell-rtx.prefill.vllm    = ada.prefill.vllm
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

hopper.experts                -       -     aiconfigurator  aiconfigurator/moe_h200_sxm-modeloptfp8
hopper.experts.vllm           vllm    -     aiconfigurator  aiconfigurator/moe_h200_sxm
hopper.experts.trtllm         trtllm  -     aiconfigurator  aiconfigurator/moe_h200_sxm
blackwell.experts             -       -     aiconfigurator  aiconfigurator/moe_b200_sxm-,nvfp4,
blackwell.experts.vllm        vllm    -     aiconfigurator  aiconfigurator/moe_b200_sxm-,nvfp4,
blackwell.experts.trtllm      trtllm  -     aiconfigurator  aiconfigurator/moe_b200_sxm-,nvfp4,
blackwell.experts.nvfp4       -       fp4   aiconfigurator  aiconfigurator/moe_b200_sxm
blackwell.experts.nvfp4       vllm    fp4   aiconfigurator  aiconfigurator/moe_b200_sxm
blackwell.experts.nvfp4       trtllm  fp4   aiconfigurator  aiconfigurator/moe_b200_sxm
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
ada.collective                -       fp16  aiconfigurator  aiconfigurator/nccl
ampere.collective             -       fp16  aiconfigurator  aiconfigurator/nccl
blackwell-rtx.collective      = ada.collective

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
ampere.product                -       -     neusight        neusight/linear neusight/bmm
volta.product                 -       -     neusight        neusight/linear neusight/bmm
pascal.product                -       -     neusight        neusight/linear neusight/bmm
blackwell-rtx.product         = ada.product
blackwell-rtx.product.nvfp4   = blackwell.product.nvfp4
ampere-rtx.product            = ada.product
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

# The constants of one line, to $scratch/fit.json. What only narrow formats have is left out of the others.
fit() {
  local family=${1%%.*} kind=${1#*.} options=() word tables=()
  kind=${kind%%.*}
  [ "$2" = - ] || options+=(--framework "$2")
  [ "$3" = - ] || options+=(--dtype "$3")
  for word in "${@:5}"; do
    tables+=("$(rows "$word")")
  done
  "$roofline" calibrate "${tables[@]}" --family "$family" --kernel "$kind" --source "${!4}" ${options[@]+"${options[@]}"} \
    --quiet --to "$scratch/found.json" | sed -n "s/^[0-9.]* % off/$1: &/p"
  jq '.constants |= map(if .dtype | test("^(fp8|fp6|fp4|int8|int4)$") then . else del(.quantise_passes) end)' \
    "$scratch/found.json" >"$scratch/fit.json"
}

# The constants of another file, with some of its own, to $scratch/fit.json.
as() {
  local other=$2 own='{}' word
  for word in "${@:3}"; do
    own=$(jq -c --arg name "${word%%=*}" --argjson value "${word#*=}" '.[$name] = $value' <<<"$own")
  done
  jq --arg other "$other" --argjson own "$own" '.constants |= map(. + $own + {kind: "assumed"}
    | .source |= "as \($other)" + (if $own == {} then "" else " but for \($own | keys | join(", "))" end) + ": " + .)' \
    "data/constants/$other.json" >"$scratch/fit.json"
}

# One constant a line, as `calibrate` writes them.
write() {
  jq -r --arg name "$1" --slurpfile fit "$scratch/fit.json" --argjson first "$2" -n '
    (if $first then [] else input.constants end) + $fit[0].constants
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
