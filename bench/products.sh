#!/bin/sh
# Fits the constants of products to what others measured: bench/products.sh MEASURED writes data/constants/*.product.json.
# What is kept apart for judging is not in MEASURED.
set -eu
cd "$(dirname "$0")/.."
measured=${1:?usage: bench/products.sh MEASURED}
roofline=${ROOFLINE:-build/release/roofline}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
gemm="ai-dynamo/aiconfigurator@095f58a gemm"

rows() { # DEVICE FRAMEWORKS FORMATS: those rows of aiconfigurator's table, to a file whose name it prints
  awk -F, -v frameworks="$2" -v formats="$3" 'NR == 1 || ($2 ~ "^(" frameworks ")/" && $3 ~ "^(" formats ")$")' \
    "$measured/aiconfigurator/gemm_$1.csv" >"$scratch/$1.csv"
  echo "$scratch/$1.csv"
}

fit() { # FAMILY SOURCE FILE... [--option]: one line of constants a format
  family=$1 source=$2
  shift 2
  "$roofline" calibrate "$@" --family "$family" --kernel product --source "$source" --quiet --to "$scratch/fit.json" >/dev/null
  jq -c '.constants[] | if .dtype | test("^(fp8|fp6|fp4|int8|int4)$") then . else del(.quantise_passes) end' "$scratch/fit.json"
}

# Matrix units in other formats have no timings: as bf16, without the interval's claim to be measured.
as_bf16() {
  jq -c '., (select(.dtype == "bf16" and .weights == null and .framework == null)
    | (.dtype = ("tf32", "fp64")) | .kind = "assumed" | .source = "as bf16: " + .source)'
}

write() { # NAME: the lines as a file of constants
  jq -s --arg name "$1.product" '{schema: "roofline.machine/1", name: $name, constants: .}' |
    jq --indent 1 . >"data/constants/$1.product.json"
}

any=trtllm'|'vllm'|'sglang

{
  fit hopper "$gemm" "$(rows h200_sxm "$any" bfloat16)"
  fit hopper "$gemm, TensorRT-LLM" "$(rows h200_sxm trtllm 'fp8|fp8_block')"
  fit hopper "$gemm" "$(rows h200_sxm vllm fp8)" --framework vllm
} | as_bf16 | write hopper

{
  fit blackwell "$gemm" "$(rows b200_sxm "$any" bfloat16)"
  fit blackwell "$gemm, TensorRT-LLM" "$(rows b200_sxm trtllm 'fp8|fp8_block')"
  fit blackwell "$gemm" "$(rows b200_sxm vllm fp8)" --framework vllm
  fit blackwell "$gemm, vLLM" "$(rows b200_sxm vllm nvfp4)"
  fit blackwell "$gemm" "$(rows b200_sxm trtllm nvfp4)" --framework trtllm
} | as_bf16 | write blackwell

{
  fit ada "$gemm" "$(rows l40s "$any" bfloat16)"
  fit ada "$gemm, TensorRT-LLM" "$(rows l40s trtllm 'fp8|fp8_block')"
  fit ada "$gemm" "$(rows l40s vllm fp8)" --framework vllm
} | as_bf16 | write ada

{
  fit ampere "$gemm" "$(rows a100_sxm "$any" 'bfloat16|sq')"
  fit ampere "sitar-lab/NeuSight@6945927 linear and bmm, timed eagerly" \
    "$measured/neusight/linear.csv" "$measured/neusight/bmm.csv"
} | as_bf16 | write ampere

for family in volta pascal; do
  fit $family "sitar-lab/NeuSight@6945927 linear and bmm, timed eagerly" \
    "$measured/neusight/linear.csv" "$measured/neusight/bmm.csv" | write $family
done

# GDDR and power as Ada's: no member of these families was measured; nvfp4 as datacentre Blackwell's.
as_ada() { # NAME [FILE]: with the constants of fp4 of FILE
  jq -s --arg name "$1.product" '{schema: "roofline.machine/1", name: $name,
    constants: [.[0].constants[], (.[1:][].constants[] | select(.dtype == "fp4"))] | map(.kind = "assumed")}' \
    data/constants/ada.product.json ${2:+"$2"} | jq --indent 1 . >"data/constants/$1.product.json"
}
as_ada blackwell-rtx data/constants/blackwell.product.json
as_ada ampere-rtx
