#!/bin/sh
# Training steps as predicted, compared with published ones. Prints a table; with a document, writes it there
# between the two `training` marks.
#
# mosaicml/llm-foundry@061f2c7, scripts/train/benchmarking/README.md: MPT (GPT with 50368 words) in bf16, FSDP that shards everything;
# tokens per second and GPU of 8 GPUs, and of 16 to 64. Narayanan et al. 2021 (arXiv:2104.04473), abstract: 1 trillion parameters on 3072
# A100, 502 PFLOP/s of its equation 3, all activations computed again. Korthikanti et al. 2023 (arXiv:2205.05198), abstract: 530 billion
# on 2240 A100, MFU of 42.1 % with all activations computed again and 54.2 % with sequence parallelism and selective recomputation.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
roofline=${ROOFLINE:-${ROOFLINE_BUILD:-build/release}/roofline}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

gpt() { # NAME HEADS HIDDEN LAYERS WORDS TOKENS: its config
  jq -n --argjson heads "$2" --argjson hidden "$3" --argjson layers "$4" --argjson words "$5" --argjson tokens "$6" '{model_type: "gpt2",
    n_embd: $hidden, n_layer: $layers, n_head: $heads, n_positions: $tokens, vocab_size: $words, torch_dtype: "bfloat16"}' >"$scratch/$1.json"
}

# model|tokens|GPUs|GPU|micro-batch|accumulated|tokens/s per GPU|recomputed
mosaic() {
  while IFS='|' read -r model tokens gpus gpu micro accumulated rate recompute; do
    case $model in
      1b) sizes='16 2048 24' ;;
      3b) sizes='20 2560 32' ;;
      7b) sizes='32 4096 32' ;;
      13b) sizes='40 5120 40' ;;
      30b) sizes='56 7168 48' ;;
      70b) sizes='64 8192 80' ;;
    esac
    # shellcheck disable=SC2086 # three words
    gpt "mpt-$model-$tokens" $sizes 50368 "$tokens"
    batch=$((micro * accumulated * gpus))
    seconds=$(awk "BEGIN { print $batch * $tokens / $gpus / ($rate) }")
    echo "$scratch/mpt-$model-$tokens.json,$gpu,train batch=$batch prompt=$tokens dp=$gpus zero=3 microbatches=$accumulated recompute=$recompute,,,,,$seconds,llm-foundry $gpu"
  done <<'END'
1b|2048|8|h100|14|1|45455|none
1b|8192|8|h100|3|4|29157|none
1b|2048|64|h100|20|1|44402|none
3b|1024|8|h100|20|6|27046|none
3b|4096|8|h100|5|6|20964|none
3b|8192|8|h100|3|6|16578|none
3b|2048|16|h100|10|3|24142|none
3b|2048|64|h100|6|3|22525|none
7b|1024|8|h100|64|2|10203|full
7b|2048|8|h100|6|1|10643|none
7b|4096|8|h100|16|2|8611|full
7b|8192|8|h100|8|2|6935|full
13b|1024|8|h100|40|3|5502|full
13b|2048|8|h100|2|1|4792|none
13b|4096|8|h100|10|3|4717|full
13b|2048|32|h100|2|1|4811|none
30b|1024|8|h100|6|21|2084|full
30b|2048|8|h100|3|21|2002|full
30b|4096|8|h100|1|21|1802|full
30b|2048|32|h100|14|3|2308|full
70b|2048|64|h100|8|4|1039|full
13b|2048|8|a100|2|3|2262|none
13b|4096|8|a100|10|3|2060|full
13b|8192|8|a100|5|3|1795|full
30b|1024|8|a100|6|21|946|full
30b|2048|8|a100|3|21|916|full
30b|4096|8|a100|1|21|814|full
70b|2048|32|a100|2|16|373|full
70b|2048|64|a100|8|4|410|full
END
}

# name|heads|hidden|layers|pp|dp|batch|FLOP/s of all GPUs|passes that they count, in sixths of 24 B s l h^2|how
megatron() {
  while IFS='|' read -r name heads hidden layers pp dp batch rate passes how; do
    gpt "$name" "$heads" "$hidden" "$layers" 51200 2048
    seconds=$(awk "BEGIN { s = 2048; h = $hidden; l = $layers
      print 24 * $passes * $batch * s * l * h * h * (1 + s / (6 * h) + 51200 / (4 * $passes * l * h)) / ($rate) }")
    echo "$scratch/$name.json,a100,train batch=$batch prompt=2048 tp=8 pp=$pp dp=$dp microbatches=$((batch / dp)) $how,,,,,$seconds,Megatron-LM"
  done <<'END'
gpt-1t|160|25600|128|64|6|3072|502e15|4|recompute=full
gpt-530b|128|20480|105|35|8|2240|0.421*312e12*2240|3|recompute=full
gpt-530b|128|20480|105|35|8|2240|0.542*312e12*2240|3|sp recompute=selective
END
}

{
  echo 'model,device,settings,dtype,weights,ttft_seconds,tpot_seconds,step_seconds,how'
  mosaic
  megatron
} >"$scratch/training.csv"
"$roofline" validate "$scratch/training.csv" --json >"$scratch/answer"
{
  echo '| measured | points | median | mean | 90th | bias | bound alone | inside | below the bound |'
  echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|'
  jq -r '
    def percent: 1000 * . | round / 10 | tostring;
    def row($name): "| " + ([$name, .timings] + ([.median_error, .mean_error, .p90_error, .bias, .median_error_of_lower,
      .fraction_inside_interval, .fraction_below_lower] | map(percent)) | map(tostring) | join(" | ")) + " |";
    (.all | row("**training step**")), (.by.how[] | row(.name | sub("^[^,]*, "; "")))' "$scratch/answer"
  printf '\nIn percent. Roofline %s, %s.' "$("$roofline" --version | cut -d' ' -f2)" "$(date -u +%F)"
  jq -r '.left_out | map(" Left out: \(.timings): \(.why | sub("^.*/"; "")).") | add // ""' "$scratch/answer"
} >"$scratch/table"
cat "$scratch/table"
if [ $# -gt 0 ]; then
  put training "$scratch/table" "$1"
fi
