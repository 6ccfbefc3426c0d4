#!/usr/bin/env bats
# roofline explain: every topic, worked on the machine's and the user's numbers.

setup() {
  load lib.bash
  start
}

explain() {
  run -0 "$ROOFLINE" explain "$@"
}

@test "every topic of the list explains itself" {
  local topic count=0
  for topic in $("$ROOFLINE" explain --json | jq -r '.topics[]'); do
    explain "$topic" --machine h100
    [ "${#output}" -gt 80 ]
    [[ ! $output =~ (^|[^a-zA-Z])(nan|inf)([^a-zA-Z]|$) ]] || { echo "$topic: $output"; return 1; }
    count=$((count + 1))
  done
  [ "$count" -ge 30 ]
  explain
  has "  ridge "
}

@test "a format that the machine does not compute in is said to be none, and nothing is no number" {
  local topic dtype
  for topic in $("$ROOFLINE" explain --json | jq -r '.topics[]'); do
    for dtype in int4 fp6; do
      explain "$topic" --machine h100 --dtype "$dtype"
      [[ ! $output =~ (^|[^a-zA-Z])(nan|inf)([^a-zA-Z]|$) ]] || { echo "$topic: $output"; return 1; }
    done
  done
  explain ridge --machine h100 --dtype int4
  has '  NVIDIA H100 SXM5 80GB has no native int4 path; its memory delivers 3.350 TB/s'
  has '  989.4 TFLOP/s / the same = 295.3 FLOP/B in fp16'
}

@test "the words of the design are topics" {
  local topic
  for topic in ttft tpot mfu mbu kv kv-cache latency; do
    explain "$topic" --machine h100
  done
  for topic in machine unit work operation intensity operational-intensity ridge regime bounds expected effect \
    measurement headroom verdict ledger compute memory overhead network capacity flop critical-batch; do
    explain "$topic" --machine h100
  done
}

@test "the words of serving are topics" {
  local word
  for word in batching "chunked prefill" paged-attention goodput speculation draft "prefix cache" disaggregation LoRA mxfp4; do
    explain "$word"
  done
  explain draft
  has "(1 - a^(N+1)) / (1 - a) tokens"
}

@test "two ceilings, one division" {
  explain roofline --machine "$h989"
  has "compute ceiling"
  has "bandwidth ceiling"
  has "at 1 FLOP/B: min(989.0 TFLOP/s, 1 x 3.350 TB/s) = 3.350 TFLOP/s"
  explain ridge --machine "$h989"
  has "989.0 TFLOP/s / 3.350 TB/s = 295.2 FLOP/B"
  has "The ridge is not a goal"
  explain ridge --machine h100 --dtype fp8
  has "1.979 PFLOP/s / 3.350 TB/s = 590.7 FLOP/B in fp8"
}

@test "no overlap is the sum of the bounds, its launch included" {
  explain overlap --machine h100
  local sum
  sum=$(sed -n 's/^  --overlap 0: //p' <<<"$output")
  explain bounds --machine h100
  has "no overlap: the sum = $sum"
}

@test "peaks of a measured machine say by which instructions and on how many cores" {
  explain peak --machine "$ROOFLINE_SOURCE/examples/epyc.json"
  has 'measured   AVX2 FMA+ADD, 1 core'
  has 'measured   AVX2 FMA+ADD
'
}

@test "a FLOP is not an FMA" {
  explain flop --machine "$h989"
  has "989.0 TFLOP/s = 494.5 TFMA/s"
  has "147.6 FMA per byte"
}

@test "what is taught wrong, what kernels reach, what to keep" {
  explain errata --machine h100
  has "not 1979 TFLOP/s but 989.4 TFLOP/s: 1979 needs 2:4 sparsity"
  has "not 4096 FLOP/B but 2731 FLOP/B"
  # Every command of the list prints the number over it.
  local line right count=0
  while read -r line; do
    case $line in
    *' but '*) right=$(sed -n 's/^not .* but \([0-9.]* [^:]*\):.*/\1/p' <<<"$line") ;;
    'roofline '*)
      # shellcheck disable=SC2086  # words of a command
      "$ROOFLINE" ${line#roofline } | grep -qF -- "${right% tokens}" || { echo "$right: $line"; return 1; }
      count=$((count + 1))
      ;;
    esac
  done <<<"$output"
  [ "$count" -ge 20 ]
  explain production --machine h100
  has "FlashAttention-3         fp16    2068  compute   74.8 % of the peak; Shah et al. 2024"
  has "are of the operation, each byte once"
  explain takeaways
  has "  8. Predict, seal, then measure"
  explain optimisations
  has "  fusion           right"
  explain decisions
  has "6. recompute, do not store"
  explain reading
  has "Williams, Waterman, Patterson"
}

@test "what lives at which level, and what fits a block" {
  explain levels --machine h100
  has "shared memory 228 KiB per SM, 227 KiB per block; registers 65536 x 4 B = 262144 B per SM,"
  has "of 256 x 4 B = 1024 B (sm_90)"
  has "  HBM            weights, KV cache"
  explain tile --machine a100 --dtype fp32
  has "up to 117 x 117: choose 96,"
  has "or 64 as a power of two"
}

@test "peaks and bandwidths by what they follow from" {
  explain peak --machine h100
  has "fp16  matrix dense    989.4 TFLOP/s  secondary   14.79x fp32 vector  = 132 SM x 4096 FLOP x 1.830 GHz"
  explain levels --machine a100
  has "registers  156.0 TB/s = 9.750 TFMA/s x 4 numbers"
  has "L1/shared  19.49 TB/s = 108 x 128 B x 1.410 GHz"
  has "L2         7.219 TB/s = 5120 B x 1.410 GHz"
  has "HBM        2.039 TB/s = 5120 bits / 8 x 3.186 GT/s"
  explain losses --machine h100
  has "HBM               3.350 TB/s by its file, 2.958 TB/s measured: 88.3 %, 11.7 % lost"
}

@test "tiles: what they allow, what keeps them" {
  explain tile --machine a100 --dtype fp32
  grep -Eq ' 64 .* 48 KiB  L1/shared$' <<<"$output"
  grep -Eq ' 128 .* 192 KiB  L1/shared, more than a block can have$' <<<"$output"
  grep -Eq ' 256 .* 768 KiB  L2, more' <<<"$output"
  explain tile gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp32
  grep -Eq ' 1 +549.8 GB +0.25 +837.4 GFLOP/s +1.25 %' <<<"$output"
}

@test "the conventions that others count by" {
  explain flop gemm m=128 n=128 k=128 --machine a100 --dtype fp32
  has "4177920 FLOP"
  explain flop dot n=10 --machine h100 --dtype bf16
  has "19 FLOP, 0.4524 FLOP/B"
  explain bytes add n=1000 --machine h100 --dtype fp16
  has "reads alone, as some lessons count: 4.000 kB, 0.25 FLOP/B"
  explain precision --machine a100
  grep -Eq 'int4 +4 +0.5 +4 +1.248 PFLOP/s +64x  weights' <<<"$output"
  explain mma gemm m=16 n=16 k=16 --machine a100
  has "a tensor core does 8 x 4 x 8 = 256 FMA per clock"
  has "wmma 16x16x16       4096 FMA each: 1 instructions, 100 % of their FMA useful"
  has "mma m16n8k16 "
  [[ $output != *wgmma* ]]
  explain mma gemm m=16 n=16 k=16 --machine v100
  [[ $output == *wmma* && $output != *m16n8k16* ]]
  explain mma gemm m=16 n=16 k=16 --machine h100
  [[ $output == *wgmma* && $output != *tcgen05* ]]
  explain mma gemm m=16 n=16 k=16 --machine b200
  [[ $output == *tcgen05* && $output != *wgmma* ]]
  for machine in tpu-v5e mi300x epyc-9654; do
    explain mma gemm m=16 n=16 k=16 --machine $machine
    [[ $output != *wmma* && $output == *'no matrix instruction is known here'* ]]
  done
}

@test "a topic answers to the words people use" {
  local word
  for word in arithmetic-intensity memory-bound T_math T_comms kitchen fma ceiling attainable bandwidth; do
    explain "$word" --machine h100
  done
  has "Memory levels, inner to outer"
}

@test "case, and a hyphen or a space, do not matter; two words are one name" {
  local word
  explain kv-cache --machine h100
  topic=$output
  for word in 'KV cache' KV_Cache Kv-cAcHe; do
    explain "$word" --machine h100
    [ "$output" = "$topic" ]
  done
  explain KV cache --machine h100
  [ "$output" = "$topic" ]
  explain critical batch linear batch=1 in=4096 out=4096 --machine a100
  topic=$output
  explain critical-batch linear batch=1 in=4096 out=4096 --machine a100
  [ "$output" = "$topic" ]
}

@test "the glossary marks what is a topic, and nothing else" {
  local word
  glossary() { sed -n 's/^| \([^|]*\) | .*/\1/p' "$ROOFLINE_SOURCE/docs/glossary.md" | grep -v -e '^word$'; }
  while read -r word; do
    explain "$word" --machine h100
  done < <(glossary | grep -o '`[^`]*`' | tr -d '`')
  while read -r word; do
    run ! "$ROOFLINE" explain "$word" --machine h100 || { echo "$word is a topic"; return 1; }
  done < <(glossary | grep -v '`')
  [ "$(glossary | grep -c '`')" -ge 30 ]
}

@test "a measured machine has a ridge for each mix of reads and writes" {
  explain ridge --machine "$ROOFLINE_SOURCE/examples/epyc.json" --dtype fp64
  has "116.2 GFLOP/s / 78.86 GB/s = 1.474 FLOP/B in fp64"
  has "where 43.8 % of the bytes are written, as here; read alone 54.01 GB/s: 2.152 FLOP/B, as a triad 77.67 GB/s: 1.496"
}

@test "ridges of every format" {
  explain ridge --machine b200
  has "9.669 FLOP/B in fp32 (vector unit)"
  has "584.4 FLOP/B in fp8"
  has "1169 FLOP/B in fp4"
  run -0 "$ROOFLINE" machine compare h200 b200
  has "ridge, fp32 vector"
  grep -Eq 'ridge, fp4 +1.169 kFLOP/B' <<<"$output"
}

@test "topics take a shape" {
  explain critical-batch linear batch=1 in=256 out=256 --machine "$h989"
  has "never: intensity saturates at 128 FLOP/B"
  explain critical-batch linear batch=1 in=4096 out=4096 --machine "$h989"
  has "compute-bound from batch=345 (exactly 344.949)"
  explain critical-batch linear batch=1 in=8192 out=8192 --weights int8 --machine h100
  has "linear batch=1 in=8192 out=8192 in fp16, weights int8:"
  explain intensity gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp32
  has "= 682.667 FLOP/B"
  explain memory gemm m=1 n=4096 k=4096 --machine "$h989"
  has "twice the peak would make it 1x as fast, twice the bandwidth 2x"
  explain compute --machine "$h989"
  has "twice the peak would make it 2x as fast, twice the bandwidth 1x"
  explain overhead --machine "$h989"
  has "to escape   more than 20.90 MB or 6.171 GFLOP: that lasts 8.000 µs"
  explain overhead gemm m=1 n=1024 k=1024 --machine h100
  has "to escape   longer than 4.302 µs, twice the latency: at most about 5.621 MB or 1.660 GFLOP"
}

@test "what the figures of a whole model count" {
  explain tpot
  has "the mean step of decoding"
  explain tokens/s
  has "generated tokens alone"
  explain MBU
  has "each operand once per operation"
}

@test "an operation is worked by hand" {
  explain add n=4 --dtype bf16 --machine h100
  has "12 numbers of 2 bytes = 24 bytes; 4 FLOP / 24 bytes = 0.167 FLOP/B, 239.6x left of the ridge of bf16 vector, 39.94"
  has "1. FLOP = n"
  has "2. bytes = n * (2 * a + o)"
  has "= 4 * (2 * 2 + 2)"
  explain add
  has "Give n=... to see it worked."
}

@test "the effects of a worked example add up to the expected time" {
  run -0 "$ROOFLINE" explain stencil3d nx=512 ny=512 nz=512 --machine h100
  has '7. expected = 160.3 µs and its effects = 214.0 µs'
  has 'others     + 740.7 ns  of which none is half a percent of the time'
  run -0 "$ROOFLINE" predict stencil3d nx=512 ny=512 nz=512 --machine h100
  [[ $output != *'others '* ]]
}

@test "without a machine the example is said to be one" {
  explain ridge
  has "On NVIDIA H100 SXM5 80GB (an example: this machine is not measured yet"
  explain ridge --machine h100
  [[ $output != *"an example"* ]]
}

@test "JSON has text and worked numbers" {
  explain ridge --machine "$h989" --json
  [ "$(json '[.schema, .topic, .machine, .dtype]')" = '["roofline.explanation/1","ridge","h989","fp16"]' ]
  [[ $(json .worked) == *"295.2 FLOP/B"* ]]
}

@test "the text of a topic stays as it is" {
  explain critical-batch --machine "$h989"
  golden explain-critical-batch.txt
}

@test "a wrong topic gets the nearest" {
  run -2 --separate-stderr "$ROOFLINE" explain riddge
  [ "$stderr" = 'roofline: topic `riddge`: unknown; did you mean `ridge`?; `roofline explain` lists them' ]
  run -2 --separate-stderr "$ROOFLINE" explain add n=0 --machine h100
  [[ $stderr == *"n=0: must be from 1"* ]]
  run -2 --separate-stderr "$ROOFLINE" explain ridge gemm m=1,2 n=1 k=1 --machine h100
  [[ $stderr == *"one shape at a time"* ]]
}

@test "numbers of a topic's own are answered first" {
  run -0 "$ROOFLINE" explain occupancy threads=256 registers=128 --machine h100
  [[ ${lines[0]} == "On NVIDIA H100"* && ${lines[1]} == *"2 blocks per SM"* ]]
  for shared in 64Ki 64KiB 65536B; do
    run -0 "$ROOFLINE" explain occupancy threads=256 shared=$shared --machine h100
    [[ ${lines[1]} == *"shared=64 KiB: 3 blocks per SM"* ]]
  done
  run -0 "$ROOFLINE" explain occupancy threads=1024 registers=64 --machine h100
  [[ ${lines[3]} == "  registers         1 block   65536 of 65536 each" ]]
  run -0 "$ROOFLINE" explain occupancy threads=1024 registers=32 --machine h100 --json
  [ "$(jq -c '.occupancy | .limit, .limits' <<<"$output")" = $'"warps"\n["warps","registers"]' ]
  run -0 "$ROOFLINE" explain occupancy --machine h100
  [[ ${lines[0]} == "The share of the warps"* ]]
}

@test "a line of the answer is broken where the terminal ends, and nowhere else" {
  COLUMNS=200 run -0 "$ROOFLINE" explain occupancy threads=256 --machine mi300x
  [[ "$output" = *"--machine h100 and other NVIDIA GPUs have them"* ]]
}
