#!/bin/sh
# Time per token as predicted, compared with what others measured: llama-bench's tg128 (ggml-org/llama.cpp discussions 4167 and
# 15013) and the TPOT of serving engines (ai-dynamo/aiconfigurator@095f58a), dense models. Nothing is fitted: machines
# are their datasheets, settings the defaults. Prints a table; with a document, writes it there between the two
# `validate` marks.
set -eu
cd "$(dirname "$0")/.."
roofline=${ROOFLINE:-${ROOFLINE_BUILD:-build/release}/roofline}
measured=${MEASURED:-../shared/measured}
if [ ! -d "$measured" ]; then
  echo "validate: skipped: no measurements in $measured; MEASURED=FOLDER says where they are" >&2
  exit 3
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# device of llama.cpp's tables | machine
cat >"$scratch/devices" <<'END'
RTX 5090|nvidia-rtx-5090
RTX 4090|nvidia-rtx-4090
RTX 3090|nvidia-rtx-3090
H100 80GB|nvidia-h100-sxm
A100 80GB|nvidia-a100-sxm-80gb
DGX Spark (GB10)|nvidia-dgx-spark-gb10
RX 7900 XTX|amd-rx-7900-xtx
Arc B580|intel-arc-b580
END

# GGUF blocks: 32 weights and an fp16 scale. The output projection is Q8_0 too, in a Q4_0 file Q6_K (8 bits here).
gguf() { # BITS: a config of Llama 2 7B whose weights are stored so
  jq --argjson bits "$1" '.config + {quantization_config: {quant_method: "compressed-tensors", config_groups:
    {group_0: {weights: {num_bits: $bits, group_size: 32, type: "int"}}}}}' data/models/llama-2-7b.json >"$scratch/q$1_0.json"
}

bandwidth() { # MACHINE: GB/s of its memory
  "$roofline" machine show "$1" --json 2>/dev/null | jq '.levels as $all | [$all[] | select(.name == $all[-1].name)][0].bytes_per_second / 1e9'
}

# Rows of both sources: source|device|format|machine|measured seconds|share of prompts|arguments

llama_rows() { # device|GB/s|format|tokens/s: one per line
  while IFS='|' read -r device rate format tokens; do
    machine=$(sed -n "s/^$device|//p" "$scratch/devices")
    [ -n "$machine" ] || machine=apple-$(echo "$device" | tr 'A-Z ' 'a-z-')
    own=$(bandwidth "$machine")
    if ! awk "BEGIN { exit !(${own:-0} > 0.95 * $rate && ${own:-0} < 1.05 * $rate) }"; then
      echo "$device of $rate GB/s" >>"$scratch/left"
      continue
    fi
    case $format in
      f16) model="llama-2-7b --dtype fp16 --precision fp16" ;;
      *) model="$scratch/$format.json --precision head=w8a16" ;;
    esac
    seconds=$(awk "BEGIN { print 1 / $tokens }")
    echo "llama-bench tg128|$machine|$format|$machine|$seconds|0|$model prompt=1 generate=128"
  done
}

llama() {
  awk -F, 'NR > 1 { for (i = 0; i < 3; i++) if ($(5 + 2 * i) > 0)
      print $1 "|" $3 "|" (i == 0 ? "f16" : i == 1 ? "q8_0" : "q4_0") "|" $(5 + 2 * i) }' "$measured/llamacpp/apple_4167.csv" |
    llama_rows
  awk -F, 'NR > 1 && $2 == "cuda" { print $1 "|" $3 "|q4_0|" $5 }' "$measured/llamacpp/llama2_7b_q4_0_gpu.csv" | llama_rows
}

serving() {
  awk -F, '
    BEGIN {
      model["meta-llama/Llama-3.1-8B-Instruct"] = model["nvidia/Llama-3.1-8B-Instruct-FP8"] = "llama-3.1-8b"
      model["meta-llama/Llama-3.1-70B"] = "llama-3.1-70b"
      model["nvidia/Qwen3-32B-NVFP4"] = "qwen3-32b"
      machine["h200_sxm"] = "nvidia-h200-sxm"; machine["b200_sxm"] = "nvidia-b200-hgx"
      format["fp8"] = "fp8"; format["fp8_block"] = "fp8-block"; format["nvfp4"] = "nvfp4"
    }
    NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    $c["mode"] == "agg" && $c["model_path"] in model && $c["pp_size"] == 1 && $c["silicon_tpot_ms"] > 0 {
      print "TPOT of " $c["backend"] "|" machine[$c["system"]] "|" format[$c["gemm_quant_mode"]] "|" machine[$c["system"]] "|" \
        $c["silicon_tpot_ms"] / 1e3 "|" ($c["batch_size"] - 1) / $c["batch_size"] / $c["osl"] "|" model[$c["model_path"]] \
        " --precision " format[$c["gemm_quant_mode"]] " batch=" $c["batch_size"] " prompt=" $c["isl"] " generate=" $c["osl"] \
        " tp=" $c["tp_size"]
    }' "$measured/aiconfigurator/serving_points.csv"
}

# Adds what is predicted: a step at best, a step, and a step that also carries its share of the other prompts. A batch
# that does not fit is left out: the engine ran fewer sequences at a time than the row says.
predict() {
  while IFS='|' read -r source device format machine seconds share arguments; do
    # shellcheck disable=SC2086 # arguments are words
    "$roofline" model $arguments --machine "$machine" --json 2>>"$scratch/errors" |
      jq -r --arg row "$source|$device|$format|$seconds" --argjson share "$share" \
        'if .memory.fits then "\($row)|\(.phases.decode.seconds.lower)|\(.tpot_seconds)|\(.tpot_seconds + $share * .ttft_seconds)"
         else "does not fit" end'
  done
}

# Medians of each group, then of each source.
table() {
  echo '| measured | device | weights | points | error of a step | error with prompts | measured / expected | measured / at best |'
  echo '|---|---|---|---:|---:|---:|---:|---:|'
  awk -F'|' '
    function add(key, column, value) { values[key, column, ++count[key, column]] = value }
    function median(key, column, n, i, j, v) {
      n = count[key, column]
      for (i = 2; i <= n; i++) {
        v = values[key, column, i]
        for (j = i - 1; j > 0 && values[key, column, j] > v; j--) values[key, column, j + 1] = values[key, column, j]
        values[key, column, j + 1] = v
      }
      return (values[key, column, int((n + 1) / 2)] + values[key, column, int(n / 2) + 1]) / 2
    }
    function off(expected, seen) { return 100 * (seen > expected ? seen - expected : expected - seen) / seen }
    function note(key) {
      if (!(key in known)) { known[key] = 1; keys[++rows] = key }
      add(key, 1, off($6, $4)); add(key, 2, off($7, $4)); add(key, 3, $4 / $6); add(key, 4, $4 / $5)
    }
    function line(key, prompts) {
      prompts = key ~ /^TPOT/ ? sprintf("%.1f %%", median(key, 2)) : "-"
      printf "| %s | %d | %.1f %% | %s | %.2f | %.2f |\n", key, count[key, 1], median(key, 1), prompts, median(key, 3), median(key, 4)
    }
    FNR == NR { note($1 " | " $2 " | " $3); next }
    $1 ~ /^TPOT/ { note("TPOT | all | all"); next }
    { if ($2 ~ /^apple/ && $3 == "f16") note($1 " | Apple | f16"); note($1 " | all | all") }
    END { for (i = 1; i <= rows; i++) line(keys[i]) }' "$scratch/results" "$scratch/results"
  printf '\nRoofline %s, %s. Measured faster than the lower bound: %d of %d points. Left out: %d whose batch does not fit.' \
    "$("$roofline" --version | cut -d' ' -f2)" "$(date -u +%F)" "$(awk -F'|' '$4 < $5' "$scratch/results" | grep -c .)" \
    "$(grep -c . "$scratch/results")" "$(grep -c 'does not fit' "$scratch/all")"
  printf ' No machine file, or another memory: %s.\n' \
    "$(sort -u "$scratch/left" | awk '{ printf "%s%s", (NR > 1 ? ", " : ""), $0 }')"
}

: >"$scratch/left"
gguf 4
gguf 8
{ llama && serving; } >"$scratch/rows"
predict <"$scratch/rows" >"$scratch/all"
grep -v 'does not fit' "$scratch/all" >"$scratch/results"
table >"$scratch/table"
cat "$scratch/table"
if [ $# -gt 0 ]; then
  awk -v table="$scratch/table" '
    /<!-- validate -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
    /<!-- end of validate -->/ { skip = 0 }
    !skip' "$1" >"$scratch/document"
  cat "$scratch/document" >"$1"
fi
