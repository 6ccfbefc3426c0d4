#!/usr/bin/env bats
# What courses on the roofline ask, each by one command. Their arithmetic is in predict.bats, explain.bats and
# tests/questions.md; here are the rest: charts that are no rooflines, and where a peak goes.

setup() {
  load lib.bash
  start
}

# table QUESTION | WORD OF THE ANSWER | COMMAND: each command exits 0 and prints the word.
answers() {
  local question word command
  while IFS='|' read -r question word command; do
    # shellcheck disable=SC2086  # words of a command
    run -0 "$ROOFLINE" $command
    [[ $output == *"$word"* ]] || { echo "$question: no \`$word\` in: $output"; return 1; }
  done
}

@test "each question has a command that answers it" {
  answers <<'ROWS'
the shared memory and registers of an SM|228 KiB per SM, 227 KiB per block; 65536 registers|machine show h100
reading less is what helps under the memory's ceiling|quantize, fuse, keep prefixes cached|advise gemm m=1 n=28672 k=8192 --machine h100
a kernel as calls per second|calls per second|predict gemm m=1 n=28672 k=8192 --machine h100
softmax of three passes|passes=3|predict softmax rows=4096 cols=4096 passes=3 --machine h100
flash attention whose K and V are read again by tiles of 64|"intensity": 64.12|predict attention batch=1 heads=1 q_len=4096 kv_len=4096 head_dim=128 --machine h100 --dtype fp16 --tile 64 --json
what production kernels reach|FlashAttention-3|explain production --machine h100
a reading list|Williams, Waterman, Patterson|explain reading
a thread's registers in bytes|1024 B|explain levels --machine h100
what lives at which level|hot KV cache|explain levels --machine h100
ridges of several machines by format|ridge, fp8|machine compare orin-nano-super h100 h200 b200
a new format|fp3|predict gemm m=1 n=4096 k=4096 --machine h100 --weights fp3
the ridge that a distance is taken from|1772x left of the ridge of bf16 matrix|explain add n=4 --dtype bf16 --machine h100 --unit matrix
a naive product's ceiling|0.25     837.4 GFLOP/s|explain tile gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp32
FLOPs per element|5 per element|predict softmax rows=4096 cols=4096 --machine h100
reads without writes|reads alone|explain bytes add n=1000 --machine h100
numbers taught wrong|not 1979 TFLOP/s but 989.4|explain errata --machine h100
FMAs of an MMA tile|4096 FMA each|explain mma --machine a100
peaks by format as a chart|32x fp32|plot peaks --machine a100
the bandwidth of registers|156.0 TB/s|explain levels --machine a100
the exact FLOPs of a product|4177920|explain flop gemm m=128 n=128 k=128 --machine a100 --dtype fp32
which level holds a tile|768 KiB  L2|explain tile --machine a100 --dtype fp32
a block's limit of shared memory|up to 117 x 117|explain tile --machine a100 --dtype fp32
which tile to choose|choose 96|explain tile --machine a100 --dtype fp32
the sections of Nsight Compute|Memory Workload Analysis|explain ncu
optimisations with their direction|fewer launches   up|explain optimisations
a decision tree|6. recompute, do not store|explain decisions
what to keep|Predict, seal, then measure|explain takeaways
bits, ratio and use of each format|64x  weights|explain precision --machine a100
a peak from units and clock|132 SM x 4096 FLOP x 1.830 GHz|explain peak --machine h100
a bandwidth from bus and rate|5120 bits / 8 x 3.186 GT/s|explain levels --machine a100
where bandwidth is lost|refresh|explain losses --machine h100
ROWS
}

@test "a cascade of losses, named" {
  run -0 "$ROOFLINE" plot losses HBM=2039GB/s refresh=1905GB/s rows=1850GB/s access=1800GB/s kernel=1750GB/s --csv
  [ "$(sed -n 's/^kernel,1750000000000,//p' <<<"$output")" = '85.8 %' ]
  [ "$(sed -n 's/^refresh,1905000000000,//p' <<<"$output")" = '93.4 %' ]
  run -0 "$ROOFLINE" plot losses HBM=2039GB/s kernel=1750GB/s --ascii
  [[ $output == *'###..'* ]]
  run -2 --separate-stderr "$ROOFLINE" plot losses HBM=1GB/s kernel=2GB/s
  [[ $stderr == *'more than what was left before it'* ]]
}

@test "bars: peaks and shares, in every form" {
  run -0 "$ROOFLINE" plot peaks --machine a100 --json
  [ "$(json '[.schema, .unit, (.bars[] | select(.label == "int8 matrix") | .value, .note)]')" = \
    '["roofline.bars/1","FLOP/s",624000000000000,"32x fp32, datasheet"]' ]
  run -0 "$ROOFLINE" plot peaks --machine a100 --machine h100 --to peaks.svg
  grep -q '<title>fp8 matrix nvidia-h100-sxm: 1.979 PFLOP/s' peaks.svg
  run -0 "$ROOFLINE" plot peaks --machine a100 --to peaks.html
  grep -q '<svg ' peaks.html
  local size
  for size in 128 4096; do
    jq -n --argjson n "$size" '{name: "gemm \($n)", seconds: (2 * $n * $n * $n / 277e12), flops: {fp16: (2 * $n * $n * $n)},
      bytes: {DRAM: (6 * $n * $n)}}'
  done | jq -s '{schema: "roofline.measurements/1", machine: "nvidia-a100-sxm-80gb", kernels: .}' >sizes.json
  run -0 "$ROOFLINE" plot shares sizes.json --machine a100 --csv
  [[ $output == *'gemm 4096,0.887820512821,"fp16 matrix, good"'* ]]
  run -2 --separate-stderr "$ROOFLINE" plot shares --machine a100
  [ "$stderr" = 'roofline: plot shares: of which file of measurements?' ]
}

@test "bars take what they use" {
  run -2 --separate-stderr "$ROOFLINE" plot peaks gemm --machine h100
  [ "$stderr" = 'roofline: plot peaks: `gemm`: it takes no more words' ]
  run -2 --separate-stderr "$ROOFLINE" plot peaks --machine h100 --dtype fp16
  [ "$stderr" = 'roofline: --dtype: has no effect with `peaks`' ]
  run -2 --separate-stderr "$ROOFLINE" plot losses A=2GB/s B=1GB/s --machine h100
  [ "$stderr" = 'roofline: --machine: has no effect with `losses`' ]
}

@test "throughput and intensity over the batch" {
  run -0 --separate-stderr "$ROOFLINE" sweep linear batch=1..4096*2 in=out=1024,4096 --machine tpu-v5e --to batch.svg
  grep -q 'in=out=1024</text>' batch.svg
  grep -q 'ridge 240.5 FLOP/B' batch.svg
  grep -q 'ridge passed at 272.5' batch.svg
  run -2 --separate-stderr "$ROOFLINE" sweep linear batch=8 in=4096 out=4096 --machine h100 --to one.svg
  [[ $stderr == *'a chart needs several values of a parameter'* ]]
}

@test "where the time of a measured kernel went" {
  run -0 "$ROOFLINE" advise gemv m=8192 n=28672 measured=400us --machine h100 --dtype fp16 -c active=60%
  has '    HBM               3.350 TB/s  100.0 %  datasheet'
  grep -Eq '    idle device .* work in 60 % of the cycles' <<<"$output"
  grep -Eq '    measured .* that no figure explains' <<<"$output"
  run -0 --separate-stderr "$ROOFLINE" advise gemv m=8192 n=28672 measured=400us --machine h100 --dtype fp16 --to losses.svg
  grep -q '<title>HBM: 3.350 TB/s' losses.svg
  run -2 --separate-stderr "$ROOFLINE" advise gemv m=8192 n=28672 --machine h100 --to losses.svg
  [ "$stderr" = 'roofline: losses: nothing is measured: measured=TIME' ]
}

@test "three ways to store weights: fused faster, a kernel of its own slower, a small device gains" {
  local layer="linear batch=8 in=8192 out=8192 --dtype fp16"
  run -0 "$ROOFLINE" advise $layer --machine h100 --set weights=awq --without all --json
  [ "$(json '.gain > 3')" = true ]
  run -0 "$ROOFLINE" advise $layer --machine h100 --set weights=nf4 --set dequant=separate --json
  [ "$(json '.gain < 0.5')" = true ]
  run -0 "$ROOFLINE" advise $layer --machine h100 --set weights=nf4 --set dequant=separate
  [[ ${lines[0]} == *': slower' ]]
  run -0 "$ROOFLINE" advise $layer --machine orin-nano-super --set weights=int4 --set group=128 --without all --json
  [ "$(json '.gain > 3')" = true ]
  run -2 --separate-stderr "$ROOFLINE" advise $layer --machine h100 --set dequant=separate
  [[ $stderr == *'goes with weights narrower than the dtype'* ]]
  run -2 --separate-stderr "$ROOFLINE" advise $layer --machine h100 --set dequant=fuzed
  [[ $stderr == *'did you mean `fused`?'* ]]
  run -0 "$ROOFLINE" explain nf4 --machine h100
  grep -Eq 'NF4, own kernel .* 0\.[34]' <<<"$output"
}

@test "the operations of a network and of a list under the ceilings" {
  local net=$ROOFLINE_SOURCE/examples/resnet50.onnx
  run -0 "$ROOFLINE" plot "$net" batch=1 "$net" batch=64 --arrows --machine a100 --dtype fp16 --json
  [ "$(json '[.dots[] | .machine] | unique')" = '["resnet50 batch=1","resnet50 batch=64"]' ]
  [ "$(json '[.dots[] | select(.label | startswith("all of")) | .label]')" = '["all of resnet50 batch=1","all of resnet50 batch=64"]' ]
  [ "$(json '[.dots[] | select(.next != null)] | length')" = 1 ]
  [ "$(json 'all(.dots[]; .ceiling_flops_per_second == null or .expected_flops_per_second <= .ceiling_flops_per_second)')" = true ]
  printf 'gemm m=4096 n=4096 k=128\nsoftmax rows=32 cols=4096\n' >list.txt
  run -0 "$ROOFLINE" plot list.txt --machine h100 --dtype fp16
  has "gemm m=4096 n=4096 k=128"
  has "all of list"
}

@test "several formats on one chart, with a ridge each" {
  run -0 --separate-stderr "$ROOFLINE" plot --machine a100 --dtype fp32,tf32,fp16,int8,int4 --to formats.svg
  local ridge
  for ridge in 9.564 76.51 153 306 612.1; do
    grep -q ">ridge $ridge<" formats.svg
  done
  [ "$(grep -o 'HBM 2.039 TB/s' formats.svg | sort -u | wc -l)" = 1 ]
  run -0 --separate-stderr "$ROOFLINE" plot gemm m=2048 n=4096 k=4096 --machine h100 --dtype fp16,fp8 --linear --to linear.svg
  grep -q '>fp8 matrix 1.979 PFLOP/s<' linear.svg
  # What the H100 does not compute in are weights: the roof of fp16 once, the dots further right.
  run -0 "$ROOFLINE" plot linear batch=1 in=2560 out=19456 --machine h100 --dtype fp16,fp8,int4 --json
  [ "$(json '[.dots[] | .machine]')" = '["fp16","fp8","fp16, weights int4"]' ]
  [ "$(json '[.roofs[] | select(.label | startswith("fp16 matrix"))] | length')" = 1 ]
  [ "$(json '.dots[2].intensity / .dots[0].intensity > 3.9')" = true ]
  run -2 --separate-stderr "$ROOFLINE" plot --machine h100 --machine a100 --dtype fp16,fp8
  [ "$stderr" = 'roofline: --dtype: several formats are of one machine' ]
  run -2 --separate-stderr "$ROOFLINE" plot --machine h100 --dtype fp16,fq8
  [[ $stderr == *'dtype `fq8`: unknown; did you mean `fp8`?'* ]]
}

@test "the phases of a model under the ceilings" {
  run -0 "$ROOFLINE" plot llama-2-7b prompt=512 llama-2-7b prompt=512 batch=64 --machine h100 --json
  [ "$(json '[.dots[] | select(.label | contains(" ") | not) | [.machine, .label]]')" = \
    '[["llama-2-7b prompt=512","prefill"],["llama-2-7b prompt=512","decode"],["llama-2-7b prompt=512 batch=64","prefill"],["llama-2-7b prompt=512 batch=64","decode"],["llama-2-7b prompt=512 batch=64","mixed"]]' ]
  [ "$(json '[.dots[] | select(.label == "decode attention")] | length')" = 2 ]
  near '[.dots[] | select(.label == "decode")][0].intensity' "$("$ROOFLINE" model llama-2-7b prompt=512 --machine h100 --json | jq '.phases.decode | .flops / .bytes')"
  run -2 --separate-stderr "$ROOFLINE" plot llama-2-7b promt=512 --machine h100
  [[ $stderr == *'`promt`: unknown; did you mean `prompt`?'* ]]
}
