#!/bin/sh
# Training steps as predicted, compared with published ones, and what other programs publish of single runs next to what this one predicts
# of the same. Prints both tables; with documents, writes the first between the two `training` marks of the first, and the other between the
# two `peers` marks of the second.
# Usage: bench/training.sh [DOCUMENT [DOCUMENT]]
#
# mosaicml/llm-foundry@061f2c7, scripts/train/benchmarking/README.md: MPT (GPT with 50368 words) in bf16, FSDP that shards everything;
# tokens per second and GPU of 8 GPUs, and of 16 to 64. Narayanan et al. 2021 (arXiv:2104.04473), abstract: 1 trillion parameters on 3072
# A100, 502 PFLOP/s of its equation 3, all activations computed again. Korthikanti et al. 2023 (arXiv:2205.05198), abstract: 530 billion
# on 2240 A100, MFU of 42.1 % with all activations computed again and 54.2 % with sequence parallelism and selective recomputation.
#
# Other programs: calculon-ai/calculon, what its `llm-validation` prints of table 5 of Korthikanti et al. (its validation/seqsel/tab5/*.json have the
# plans, with pipelines of 175B and 530B interleaved by three, attention and the activation not fused; Megatron joined q, k and v);
# cli99/llm-analysis@b60b392, examples/fastertransformer/README.md (FasterTransformer as kipp.ly/blog/transformer-inference-arithmetic measured
# it; profiled efficiencies); alibaba/InferSim@0d2b567, README.md (SGLang; time per token of 100 requests per GPU, of its tokens per second and
# GPU; attention in parallel over requests, experts over 4 GPUs).
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
megatron_kernels=fuse=qkv
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
    echo "$scratch/$name.json,a100,\"train batch=$batch prompt=2048 tp=8 pp=$pp dp=$dp microbatches=$((batch / dp)) $megatron_kernels $how\",,,,,$seconds,Megatron-LM"
  done <<'END'
gpt-1t|160|25600|128|64|6|3072|502e15|4|recompute=full
gpt-530b|128|20480|105|35|8|2240|0.421*312e12*2240|3|interleave=3 recompute=full
gpt-530b|128|20480|105|35|8|2240|0.542*312e12*2240|3|interleave=3 sp recompute=selective
END
}

# program|run|model|device|settings|dtype|column|measured|as that program predicts it, both in s
others() {
  gpt megatron-22b 64 6144 48 51200 2048
  gpt megatron-175b 96 12288 96 51200 2048
  gpt megatron-530b 128 20480 105 51200 2048
  gpt megatron-1t 160 25600 128 51200 2048
  gpt transformer-13b 40 5120 40 50272 2048
  cat <<END
Calculon|Megatron 22B, 8 A100, all recomputed|megatron-22b.json|a100|train batch=4 prompt=2048 tp=8 microbatches=1 $megatron_kernels recompute=full||step|1.42|1.40
Calculon|Megatron 175B, 64 A100, all recomputed|megatron-175b.json|a100|train batch=64 prompt=2048 tp=8 pp=8 microbatches=64 interleave=3 $megatron_kernels recompute=full||step|18.13|18.03
Calculon|Megatron 530B, 280 A100, all recomputed|megatron-530b.json|a100|train batch=280 prompt=2048 tp=8 pp=35 microbatches=280 interleave=3 $megatron_kernels recompute=full||step|49.05|49.89
Calculon|Megatron 1T, 512 A100, all recomputed|megatron-1t.json|a100|train batch=512 prompt=2048 tp=8 pp=64 microbatches=512 $megatron_kernels recompute=full||step|94.42|90.08
Calculon|Megatron 22B, 8 A100, selective|megatron-22b.json|a100|train batch=4 prompt=2048 tp=8 microbatches=1 $megatron_kernels sp recompute=selective||step|1.10|1.14
Calculon|Megatron 175B, 64 A100, selective|megatron-175b.json|a100|train batch=64 prompt=2048 tp=8 pp=8 microbatches=64 interleave=3 $megatron_kernels sp recompute=selective||step|13.75|13.64
Calculon|Megatron 530B, 280 A100, selective|megatron-530b.json|a100|train batch=280 prompt=2048 tp=8 pp=35 microbatches=280 interleave=3 $megatron_kernels sp recompute=selective||step|37.83|34.47
Calculon|Megatron 1T, 512 A100, selective|megatron-1t.json|a100|train batch=512 prompt=2048 tp=8 pp=64 microbatches=512 $megatron_kernels sp recompute=selective||step|71.49|66.04
llm-analysis|13B, A100 40GB, prompt of 512|transformer-13b.json|nvidia-a100-sxm-40gb|batch=1 prompt=512 generate=10|fp16|ttft|0.06317|0.06215
llm-analysis|13B, A100 40GB, a token|transformer-13b.json|nvidia-a100-sxm-40gb|batch=1 prompt=512 generate=10|fp16|tpot|0.0220|0.01897
llm-analysis|13B, 2 A100 40GB, prompt of 512|transformer-13b.json|nvidia-a100-sxm-40gb|batch=1 prompt=512 generate=10 tp=2|fp16|ttft|0.04545|0.03298
llm-analysis|13B, 2 A100 40GB, a token|transformer-13b.json|nvidia-a100-sxm-40gb|batch=1 prompt=512 generate=10 tp=2|fp16|tpot|0.0135|0.01032
InferSim|Qwen3-30B-A3B, 4 H20, a token|qwen3-30b-a3b|h20|batch=400 prompt=4096 generate=2048 dp=4 ep=4|bf16|tpot|100/2749|100/2632
END
}

# The rows of `others` as a table of runs, the n-th of them run by n.
others_as_runs() {
  awk -F '|' -v folder="$scratch/" 'function seconds(text, p) { return split(text, p, "/") > 1 ? p[1] / p[2] : text }
    { print ($3 ~ /json$/ ? folder : "") $3 "," $4 ",\"" $5 "\"," $6 ",," ($7 == "ttft" ? seconds($8) : "") "," ($7 == "tpot" ? seconds($8) : "") "," \
        ($7 == "step" ? seconds($8) : "") "," NR }' "$1"
}

# The share by which each program is off on each row, and the mean of all rows of one.
compare_others() { # ROWS ANSWER
  echo '| of | run | measured | it predicts | off | Roofline predicts | off | inside |'
  echo '|---|---|---:|---:|---:|---:|---:|---|'
  jq -r '.by.how[] | [(.name | sub("^.*, "; "")), .bias, .fraction_inside_interval] | @tsv' "$2" >"$scratch/biases"
  awk -F '|' -v biases="$scratch/biases" '
    function seconds(text, p) { return split(text, p, "/") > 1 ? p[1] / p[2] : text }
    function shown(s) { return s < 1 ? sprintf("%.3g ms", 1e3 * s) : sprintf("%.4g s", s) }
    function abs(x) { return x < 0 ? -x : x }
    BEGIN { while ((getline line < biases) > 0) { split(line, p, "\t"); bias[p[1]] = p[2]; inside[p[1]] = p[3] } }
    {
      measured = seconds($8); theirs = seconds($9) / measured - 1; ours = bias[NR]
      printf "| %s | %s | %s | %s | %+.1f %% | %s | %+.1f %% | %s |\n", $1, $2, shown(measured), shown(seconds($9)), 100 * theirs, shown(measured * (1 + ours)),
        100 * ours, (inside[NR] > 0 ? "yes" : "no")
      if (!($1 in count)) { order[++programs] = $1 }
      count[$1]++; sum[$1] += abs(theirs); own[$1] += abs(ours)
    }
    END { for (i = 1; i <= programs; i++) if (count[n = order[i]] > 1)
      printf "| %s | **mean of %d** | | | **%.1f %%** | | **%.1f %%** | |\n", n, count[n], 100 * sum[n] / count[n], 100 * own[n] / count[n] }' "$1"
}

others >"$scratch/others"
{
  echo 'model,device,settings,dtype,weights,ttft_seconds,tpot_seconds,step_seconds,how'
  others_as_runs "$scratch/others"
} >"$scratch/others.csv"
"$roofline" validate "$scratch/others.csv" --json >"$scratch/others.answer"
{
  compare_others "$scratch/others" "$scratch/others.answer"
  printf '\nRoofline %s, %s.\n' "$("$roofline" --version | cut -d' ' -f2)" "$(date -u +%F)"
} >"$scratch/peers"

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
echo
cat "$scratch/peers"
if [ $# -gt 0 ]; then
  put training "$scratch/table" "$1"
fi
if [ $# -gt 1 ]; then
  put peers "$scratch/peers" "$2"
fi
