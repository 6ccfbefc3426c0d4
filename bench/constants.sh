#!/bin/bash
# Writes data/constants from measurements that others published: what each file there was fitted to, and how.
# Usage: bench/constants.sh FOLDER [NAME ...], with the folder of the tables; names of files without .json, or all.
set -euo pipefail
cd "$(dirname "$0")/.."
tables=$1
shift
roofline=build/release/roofline
rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT

wanted() {
  local name=$1 only
  shift
  [ $# -eq 0 ] && return 0
  for only in "$@"; do
    [ "$only" = "$name" ] && return 0
  done
  return 1
}

names=("$@")

# fit FAMILY KIND FRAMEWORK|- FORMAT|- SOURCE TABLE ...
fit() {
  local family=$1 kind=$2 framework=$3 format=$4 source=$5 name=$1.$2
  shift 5
  local options=(--family "$family" --kernel "$kind" --source "$source")
  [ "$framework" = - ] || { options+=(--framework "$framework"); name=$name.$framework; }
  [ "$format" = - ] || options+=(--dtype "$format")
  wanted "$name" ${names[@]+"${names[@]}"} || return 0
  "$roofline" calibrate "$@" "${options[@]}" --to "data/constants/$name.json" --quiet 2>&1 | sed -n "s/^[0-9.]* % off/$name: &/p"
}

# A family without a device of its own among the tables: the constants of one that has memory and power of its kind.
as() {
  local family=$1 of=$2 kind=$3 file
  wanted "$family.$kind" ${names[@]+"${names[@]}"} || return 0
  for file in data/constants/"$of.$kind"*.json; do
    sed "s/\"name\": \"$of\"/\"name\": \"$family\"/; s/\"source\": \"fitted/\"source\": \"as $of: fitted/" "$file" \
      >"data/constants/$family${file#data/constants/"$of"}"
  done
}

aic=$tables/aiconfigurator
here="ai-dynamo/aiconfigurator@095f58a"

attention() {
  local kind=$1 format=$2
  local -A frameworks=([hopper]="- vllm trtllm" [blackwell]="- vllm trtllm" [ada]="- vllm trtllm" [ampere]="- sglang trtllm")
  local family framework
  for family in hopper:h200_sxm blackwell:b200_sxm ada:l40s ampere:a100_sxm; do
    local device=${family#*:} own=() file
    for file in generation_attention context_attention generation_mla context_mla; do
      [ -f "$aic/${file}_$device.csv" ] && own+=("$aic/${file}_$device.csv")
    done
    if [ "$device" = a100_sxm ]; then
      # Decode attention of TensorRT-LLM 1.0.0 on A100 would read 1.5 times what the memory gives.
      grep -v trtllm/1.0.0 "$aic/generation_attention_$device.csv" >"$rows/a100.csv"
      own=("$rows/a100.csv" "${own[@]:1}")
    fi
    for framework in ${frameworks[${family%:*}]}; do
      [ "$device.$kind.$framework" = a100_sxm.decode.trtllm ] && continue
      fit "${family%:*}" "$kind" "$framework" "$format" "$here" "${own[@]}"
    done
  done
  as blackwell-rtx ada "$kind"
  as ampere-rtx ada "$kind"
}

mkdir -p data/constants
attention decode bf16
attention prefill -
wanted product ${names[@]+"${names[@]}"} && bench/products.sh "$tables"
