#!/usr/bin/env bats
# roofline predict: the worked shapes, every regime, mixed formats, the options of the model, the JSON contract.

setup() {
  load lib.bash
  start
}

# predict ARGUMENT...: on the rounded H100 in fp16, as JSON.
predict() {
  run -0 "$ROOFLINE" predict "$@" --machine "$h989" --dtype fp16 --json
}

@test "a training GEMM is compute-bound" {
  predict gemm m=8192 n=28672 k=8192
  [ "$(json '[.flops, .bytes, .intensity, .regime, .binding]')" = \
    '[3848290697216,1073741824,3584,"compute","fp16 matrix"]' ]
  near .ridge 295.224
  near '.intensity / .ridge' 12.14 1e-3
  near .attainable_flops_per_second 989e12
  near .seconds.lower 3891.09e-6
  near .seconds.upper 4211.61e-6
  near .seconds.expected 4988.6e-6
  near .seconds.expected_low 4577.8e-6
  near .seconds.expected_high 5986.3e-6
}

@test "attention scores are memory-bound, one head or thirty-two" {
  predict gemm m=4096 n=4096 k=128
  near .bytes 35651584
  near .intensity 120.4706
  near '.intensity / .ridge' 0.40806 1e-3
  near .seconds.expected 13.64e-6 1e-3
  [ "$(json '[.regime, .binding]')" = '["memory","HBM"]' ]
  predict gemm m=4096 n=4096 k=128 batch=32
  near .bytes 1140850688
  near .intensity 120.4706
  near .seconds.expected 436.6e-6 1e-3
  predict gemm m=4096 n=4096 k=128 --efficiency 0.55
  near .seconds.expected 19.35e-6 1e-3
  near .seconds.expected_high 19.35e-6 1e-3
}

@test "a decode GEMV is memory-bound; int4 weights move a quarter" {
  predict gemm m=1 n=28672 k=8192
  [ "$(json '[.flops, .regime]')" = '[469762048,"memory"]' ]
  near .intensity 0.99984
  near .seconds.lower 140.2e-6 1e-3
  near .seconds.expected 179.8e-6 1e-3
  predict gemm m=1 n=28672 k=8192 --weights int4
  near .intensity 3.99749
  predict gemm m=1 n=28672 k=8192 --weights int4 --group 128 --efficiency 0.7
  near .intensity 3.87643
  near .seconds.expected 51.7e-6 1e-2
  [ "$(json .flops)" = 469762048 ]
}

@test "the overhead cutoff is a parameter" {
  predict gemm m=1 n=1024 k=1024
  [ "$(json '[.regime, .binding]')" = '["overhead","launch"]' ]
  predict gemm m=1 n=4096 k=4096
  near .seconds.expected 12.85e-6 1e-3
  [ "$(json .regime)" = '"memory"' ]
  predict gemm m=1 n=4096 k=4096 --overhead 20us
  [ "$(json .regime)" = '"overhead"' ]
  predict gemm m=32 n=28672 k=8192
  near .seconds.expected 180.7e-6 1e-3
  [ "$(json .regime)" = '"memory"' ]
  run -0 "$ROOFLINE" predict gemm m=1 n=1024 k=1024 --machine "$h989"
  has "overhead-bound (launch)"
  has "to escape   more than 20.90 MB or 6.171 GFLOP: that lasts 8.000 µs"
}

@test "launches cost what they cost" {
  predict gemm m=1 n=4096 k=4096 --launch 5us
  near .seconds.overhead 5e-6
  near .seconds.expected 17.85e-6 1e-3
  predict gemm m=1 n=4096 k=4096 --launch 20us
  [ "$(json .regime)" = '"overhead"' ]
  near .seconds.lower 20e-6
}

@test "network and capacity are regimes too" {
  run -0 "$ROOFLINE" predict allreduce size=1GB ranks=8 --machine h100 --json
  [ "$(json '[.regime, .binding, .link_bytes]')" = '["network","NVLink 4",1750000000]' ]
  near .seconds.network 3.8889e-3
  predict gemm m=1e6 n=1e6 k=1e6
  [ "$(json '[.regime, .binding]')" = '["capacity","HBM"]' ]
}

@test "elementwise and row operations count what is read and written" {
  local op want
  while read -r op want; do
    predict ${op//:/ }
    near .intensity "$want"
  done <<'ROWS'
relu:n=1e6 0.25
add:n=1e6 0.166667
gelu:n=1e6 3
softmax:rows=1024:cols=1024 1.25
rmsnorm:rows=1024:cols=1024 1.25
layernorm:rows=1024:cols=1024 2
ROWS
  [ "$(json '[.regime, .seconds.compute]')" = '["overhead",null]' ]
  run -0 "$ROOFLINE" predict add n=1e6 --machine h100 --dtype fp32 --json
  near .intensity 0.0833333
}

@test "columns that are normalised stream, and an add before a norm makes it no faster" {
  at() { run -0 "$ROOFLINE" predict "$@" --json; json .seconds.expected; }
  batchnorm=$(at batchnorm rows=401408 cols=64 --machine h100 --dtype fp16)
  copy=$(at copy n=401408*64 --machine h100 --dtype fp16)
  [ "$(jq -n "$batchnorm <= 1.1 * $copy")" = true ]
  alone=$(at layernorm rows=1 cols=1280 --machine gb300 --dtype fp16)
  added=$(at add_layernorm rows=1 cols=1280 --machine gb300 --dtype fp16)
  [ "$(jq -n "$added >= $alone")" = true ]
}

@test "softmax passes over memory as often as its passes= says" {
  local passes want
  while read -r passes want; do
    predict softmax rows=1024 cols=1024 passes="$passes"
    near .intensity "$want"
    near .flops 5242880
  done <<'ROWS'
2 1.25
3 0.833333
4 0.625
ROWS
  run -2 --separate-stderr "$ROOFLINE" predict softmax rows=64 cols=64 passes=5 --machine h100
  [ "$stderr" = 'roofline: softmax: passes=5: from 2 (read, write) to 4' ]
}

@test "three bits are a format of weights" {
  predict gemm m=1 n=28672 k=8192 --weights fp3
  near .bytes 88154112
  run -3 --separate-stderr "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine h100 --dtype fp3
  [[ $stderr == *'as weights only: --dtype fp8 --weights fp3'* ]]
}

@test "how often it runs in a second, and what it counts per element" {
  run -0 "$ROOFLINE" predict gemm m=1 n=28672 k=8192 --machine "$h989" --efficiency 0.7 --launch 0
  has "  rate        4991 calls per second, at most 7130"
  run -0 "$ROOFLINE" predict linear batch=64 in=8192 out=8192 --machine "$h989"
  has "/s of batch"
  run -0 "$ROOFLINE" predict softmax rows=4096 cols=4096 --machine h100
  has "work        83.89 MFLOP (5 per element), "
}

@test "attention: flash moves Q, K, V, O once, standard the scores too" {
  run -0 "$ROOFLINE" predict attention batch=1 heads=32 q_len=4096 kv_len=4096 head_dim=128 --machine h100 \
    --dtype fp16 --json
  near .intensity 2068
  [ "$(json '[.flops, .regime, .parameters.algorithm, .parameters.kv_heads]')" = '[277562261504,"compute","flash",32]' ]
  run -0 "$ROOFLINE" predict attention batch=1 heads=32 q_len=4096 kv_len=4096 head_dim=128 algorithm=standard passes=4 \
    --machine h100 --dtype fp16 --json
  near .intensity 62.6667
  [ "$(json .regime)" = '"memory"' ]
}

@test "overlap goes from the longest time to the sum" {
  predict gemm m=8192 n=28672 k=8192 --overlap 0 --efficiency 1
  near .seconds.expected 4211.61e-6
  [ "$(json '[.effects[].name]')" = '["overlap"]' ]
  predict gemm m=8192 n=28672 k=8192 --overlap 0.5 --efficiency 1
  near .seconds.expected 4051.35e-6
}

@test "a tile sets what the level outside it supplies" {
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine "$h989" --tile 1 --json
  near '.levels[-1].intensity' 0.49997 1e-3
  near .intensity 1365.33
  [ "$(json .regime)" = '"memory"' ]
}

@test "a tile has from 1 to 2^53 elements on a side" {
  for side in 0 0.5 -1 1e300; do
    run -2 "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine "$h989" --tile $side
    has 'must be from 1 to 2^53 elements'
  done
}

@test "a tile that is too large for a level is kept further out, and said to be" {
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16 --tile 256
  has 'compute-bound'
  has '  tile        256 x 256 does not fit L1/shared (256 KiB, at most 209 x 209); L2 keeps it'
  has '  block       227 KiB of shared memory hold three tiles up to 196 x 196: choose 192'
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16 --tile 200
  has 'choose 192'
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16 --tile 196
  [[ $output != *'choose 192'* ]]
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16 --tile 128
  [[ $output != *'does not fit'* ]]
}

@test "a private cache is no larger for being there many times" {
  run -0 "$ROOFLINE" predict gemm m=512 n=512 k=512 --machine a100 --dtype fp32 --warm --json
  [ "$(json '[.levels[] | select(.bytes > 0) | .name][-1]')" = '"L2"' ]
}

@test "warm data come from the level that holds them" {
  run -0 "$ROOFLINE" predict gemm m=1024 n=1024 k=1024 --machine h100 --json
  local cold=$output
  run -0 "$ROOFLINE" predict gemm m=1024 n=1024 k=1024 --machine h100 --warm --json
  [ "$(json '.levels[] | select(.name == "HBM") | .bytes')" = 0 ]
  near .seconds.memory "$(jq '.bytes / 10.1376e12' <<<"$cold")" 1e-3
}

@test "the sparse peak is used only when asked for, and shown" {
  predict gemm m=8192 n=28672 k=8192 --sparse
  near .attainable_flops_per_second 1978e12
  [ "$(json '[.effects[].name] | index("sparsity") != null')" = true ]
  run -0 "$ROOFLINE" predict gemm m=8192 n=28672 k=8192 --machine "$h989" --sparse
  has "2:4 sparse"
}

@test "every key of the contract is there, unknown is null" {
  predict copy n=1000
  [ "$(json 'keys - ["link_bytes", "working_set_bytes", "ceilings", "device_class", "least"]')" = \
    '["attainable_flops_per_second","binding","bytes","dtype","effects","energy_joules","flops","intensity","levels","machine","op","parameters","regime","ridge","schema","seconds"]' ]
  [ "$(json '.seconds | keys')" = \
    '["compute","expected","expected_high","expected_low","lower","memory","network","overhead","upper"]' ]
  [ "$(json '.levels[0] | keys')" = '["bytes","intensity","name","ridge","seconds"]' ]
  [ "$(json '.effects[0] | keys')" = '["factor","name","seconds","why"]' ]
  [ "$(json '[.schema, .machine, .op, .dtype, .seconds.overhead, .energy_joules, .ridge]')" = \
    '["roofline.prediction/1","h989","copy","fp16",null,null,null]' ]
}

@test "small times and small working sets have their digits" {
  run -0 "$ROOFLINE" predict add n=1 --machine h100
  [[ $output == *"compute"*" fs"* && $output != *"0.00"*" ps"* ]]
  run -0 "$ROOFLINE" predict gemm m=n=k=64 --machine rtx4090
  has 'keeps 24 KiB from the run before'
}

@test "with effects left out the expected time has no range" {
  run -0 "$ROOFLINE" predict gemm m=4k n=4k k=4k --machine h100 --without waves,tiles
  [[ $output == *$'\n  expected    '*$' µs\n'* && $output != *'8 of 10'* ]]
  run -0 "$ROOFLINE" explain expected gemm m=4k n=4k k=4k --machine h100 --without waves
  [[ $output != *'8 of 10 cases'* ]]
  run -0 "$ROOFLINE" predict gemm m=4k n=4k k=4k --machine h100 --launch 5us
  has 'in 8 of 10 cases'
}

@test "the effects make the expected time of the longest, with constants or without" {
  for machine in apple-m4-pro h100; do
    for words in 'add n=149' 'gemm m=1000 n=1000 k=1000 --overlap 0.5'; do
      [[ $machine$words == h100*overlap* ]] && continue
      # shellcheck disable=SC2086
      run -0 "$ROOFLINE" predict $words --machine "$machine" --json
      near '(([.effects[].seconds] | add) + ([.seconds.compute, .seconds.memory] | max)) / .seconds.expected' 1
    done
  done
  [ "$(json '[.effects[] | has("seconds")] | all')" = true ]
}

@test "a kernel that waits for the host that launches it is bound by that" {
  run -0 "$ROOFLINE" predict dot n=1 --machine l4 --framework eager
  [[ ${lines[0]} == 'dot on NVIDIA L4: overhead-bound (launch), about 30.94 µs, which the host takes to launch it' ]]
  [[ $output == *'to escape   longer than 30.94 µs, what the host takes to launch it'* ]]
  run -0 "$ROOFLINE" predict gemm m=16 n=16 k=16 --machine h100 --framework eager --json
  [ "$(json .regime)" = '"overhead"' ]
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --framework eager --json
  [ "$(json .regime)" = '"compute"' ]
}

@test "several machines answer one after the other" {
  run -0 "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --machine a100 --json
  [ "$(json '[.schema, .predictions[].machine]')" = \
    '["roofline.predictions/1","nvidia-h100-sxm","nvidia-a100-sxm-80gb"]' ]
  run -0 "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --machine a100 --csv
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[0]} == m,n,k,batch,beta,machine,op,dtype,flops,bytes,intensity,ridge,regime,binding,* ]]
  [[ ${lines[2]} == 8192,8192,8192,1,0,nvidia-a100-sxm-80gb,gemm,fp16,1099511627776,402653184,2730.66666667,* ]]
}

@test "the text says the answer first and aligns the rest" {
  run -0 "$ROOFLINE" predict gemm m=8192 n=28672 k=8192 --machine "$h989"
  golden predict-gemm.txt
  run -0 "$ROOFLINE" predict gemm m=1 n=28672 k=8192 --machine "$h989" --weights int4 --group 128 --explain
  golden predict-gemv-explain.txt
}

@test "the critical batch is exact, or never" {
  run -0 "$ROOFLINE" predict gemm m=1 n=28672 k=8192 --machine "$h989"
  has "critical    compute-bound from m=310 (exactly 309.568)"
  run -0 "$ROOFLINE" predict linear batch=1 in=256 out=256 --machine "$h989"
  has "critical    never: intensity saturates at 128 FLOP/B as batch grows, under the ridge of 295.2 FLOP/B"
}

@test "a format the machine lacks is refused, with what it has" {
  run -3 --separate-stderr "$ROOFLINE" predict gemm m=8 n=8 k=8 --machine h100 --dtype int4
  [[ $stderr == "roofline: nvidia-h100-sxm: no native int4 path on its matrix unit; as weights only: --dtype int8 --weights int4" ]]
  run -2 --separate-stderr "$ROOFLINE" predict gemm m=8 n=8,16 k=8 --machine h100
  [[ $stderr == *'`roofline sweep` takes lists and ranges' ]]
  run -2 --separate-stderr "$ROOFLINE" predict gemm m=8 n=8 --machine h100
  [[ $stderr == *'`k` is missing'* ]]
}

@test "a user's operation that gives only bytes claims no split of them" {
  printf 'op twice\nparam n\nflops = 2 * n\nbytes = n * (a + o)\n' >twice.ops
  run -0 "$ROOFLINE" predict twice n=1e9 --ops twice.ops --machine "$h989"
  has "2.000 GFLOP, 4.000 GB moved (each byte once)"
  run -0 "$ROOFLINE" op show twice --ops twice.ops
  ! grep ' $' <<<"$output"
}

@test "each part of a mixed operation moves its own bytes" {
  predict gemm m=4 n=8 k=16
  near .bytes 448
  predict gemm m=4 n=8 k=16 --output fp32
  near .bytes 512
  predict gemm m=4 n=8 k=16 --accumulate fp32
  near .bytes 448
  predict attention batch=1 heads=2 q_len=1 kv_len=100 head_dim=64
  near .bytes 51712
  predict attention batch=1 heads=2 q_len=1 kv_len=100 head_dim=64 --kv fp8
  near .bytes 26112
}

@test "achieved ceilings are the measured ones where the machine has them" {
  run -0 "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --dtype bf16 --json
  near .attainable_flops_per_second 989.4e12
  run -0 "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --dtype bf16 --achieved --json
  near .attainable_flops_per_second 794.5e12
}

@test "a measured machine's bandwidth is that of the operation's pattern, and --explain names it" {
  cd "$BATS_TEST_TMPDIR"
  "$ROOFLINE" measure --backend fake --quiet --to fake.json >/dev/null
  jq '.levels[0].update_bytes_per_second = 50e9' fake.json >host.json
  explain() { run -0 --separate-stderr "$ROOFLINE" predict "$@" --machine host.json --explain; }
  explain scal n=64Mi
  [[ $output == *"536.9 MB / 50.00 GB/s ="*"50.0 % of the bytes are written, all where they were read: update 50.00 GB/s"* ]]
  explain axpy n=64Mi
  [[ $output == *"805.3 MB / 50.00 GB/s ="*"33.3 % of the bytes are written, all where they were read: no faster than the fastest pattern, update 50.00 GB/s"* ]]
  jq '.levels[0].read_bytes_per_second = 30e9' host.json >slow.json
  run -0 "$ROOFLINE" predict axpy n=64Mi --machine slow.json --explain
  [[ $output == *"805.3 MB / 45.00 GB/s ="*"all reads at read 30.00 GB/s take longer than update 50.00 GB/s"* ]]
  explain triad n=64Mi
  [[ $output == *"805.3 MB / 36.00 GB/s ="*"33.3 % of the bytes are written: triad 36.00 GB/s"* ]]
  explain dot n=64Mi
  [[ $output == *"0.0 % of the bytes are written: read 40.00 GB/s"* ]]
  explain embedding tokens=4096 hidden=4096 --output fp64
  [[ $output == *"% of the bytes are written: between copy 34.00 GB/s and write 30.00 GB/s"* ]]
  run -0 "$ROOFLINE" predict scal n=64Mi --machine fake.json --explain
  [[ $output == *"50.0 % of the bytes are written: copy 34.00 GB/s"* ]]
  run -0 "$ROOFLINE" predict scal n=64Mi --machine h100 --explain
  [[ $output != *"of the bytes are written"* ]]
}

@test "the ridge quoted is that of the level that binds" {
  printf 'op probe\nparam n\nparam ai\nflops = ai * n\nbytes = n\n' >ai.ops
  run -0 "$ROOFLINE" predict probe n=20M ai=5 --ops ai.ops --machine a100 --dtype fp32 --warm --overhead 0
  has 'compute-bound'
  has 'right of the ridge of L'
  run -0 "$ROOFLINE" predict probe n=20M ai=5 --ops ai.ops --machine a100 --dtype fp32 --overhead 0
  has 'left of the ridge (9.5'
}

@test "the work of an overhead-bound operation excludes its launch" {
  run -0 "$ROOFLINE" predict gemm m=128 n=128 k=128 --machine a100 --dtype fp16 --launch 5us --without all
  [[ ${lines[0]} == *'overhead-bound (launch), about '*' µs: 6'*' ns of work, shorter than the overhead cutoff of 5.000 '* ]]
  run -0 "$ROOFLINE" predict gemm m=128 n=128 k=128 --machine a100 --dtype fp16 --launch 5us --overhead 0 --without all
  [[ ${lines[0]} == *'overhead-bound (launch), about '*' µs: 6'*' ns of work, shorter than its launches, 5.000 '* ]]
}

@test "a parameter without effect is not shown: flash attention makes no passes over its scores" {
  attention=(attention batch=1 heads=8 q_len=512 kv_len=512 head_dim=64 --machine h100)
  run -0 "$ROOFLINE" predict "${attention[@]}"
  [[ $output != *passes* ]]
  has "algorithm=flash"
  run -0 "$ROOFLINE" predict "${attention[@]}" algorithm=standard
  has "passes=2"
}

@test "a tile is refused where no data are used twice" {
  run -2 --separate-stderr "$ROOFLINE" predict softmax rows=64 cols=64 --tile 64 --machine h100
  [[ $stderr == *"--tile: has no effect: softmax reads its data once, so a tile changes nothing"* ]]
  run -2 "$ROOFLINE" sweep add n=1k,2k --tile 64 --machine h100
  run -0 "$ROOFLINE" predict gemm m=64 n=64 k=64 --tile 64 --machine h100
}

@test "formats with scales are multiplied as fp4 or fp8 and move their scales" {
  local format gemm="gemm m=4096 n=4096 k=4096"
  for format in nvfp4:0.5625:fp4 mxfp4:0.53125:fp4 mxfp8:1.03125:fp8; do
    IFS=: read -r name bytes peak <<<"$format"
    run -0 "$ROOFLINE" predict $gemm --dtype $name --machine b200 --json
    near .bytes "$(jq -n "3 * 4096 * 4096 * $bytes")"
    [ "$(json '[.dtype, .binding]')" = "[\"$name\",\"$peak matrix\"]" ]
    compute=$(json .seconds.compute)
    run -0 "$ROOFLINE" predict $gemm --dtype $peak --machine b200 --json
    near .seconds.compute "$compute"
  done
  run -3 "$ROOFLINE" predict $gemm --dtype nvfp4 --machine h100
  [ "$output" = "roofline: nvidia-h100-sxm: no native nvfp4 path on its matrix unit; as weights only: --dtype fp8 --weights nvfp4" ]
  run -0 "$ROOFLINE" predict $gemm --dtype fp8 --weights nvfp4 --machine h100
  for words in "claim $gemm 1ms" "advise $gemm" "energy $gemm" "explain $gemm" "plot $gemm" "seal $gemm" "sweep gemm m=1,64 n=64 k=64" \
    "cluster" "claim 5PFLOP/s" "model $ROOFLINE_SOURCE/examples/decoder-layer.txt"; do
    run -0 "$ROOFLINE" $words --dtype nvfp4 --machine b200
  done
  run -2 "$ROOFLINE" model llama-3.1-8b --dtype nvfp4 --machine b200
  [ "$output" = "roofline: --dtype nvfp4: of activations; --precision nvfp4 is of weights" ]
}

@test "a lower bound under the times shown says why" {
  softmax="softmax rows=4096 cols=4096 --machine a100"
  run -0 "$ROOFLINE" predict $softmax
  has "at best     the last cache (40 MiB) holds data of a run before"
  run -0 "$ROOFLINE" predict $softmax --cold
  [[ $output != *"at best   "* ]]
  run -0 "$ROOFLINE" predict gemm m=1 n=8 k=8 --machine h100 --explain
  has "at best     a launch among others takes 500.0 ns"
  has "longest of them = 2.000 µs, and 500.0 ns at best"
}

@test "weights stored as nf4, awq, mxfp4, q4_k_m" {
  local format
  for format in nf4:0.5625 NF4:0.5625 awq:0.515625 mxfp4:0.53125 q4_k_m:0.605 Q8_0:1.0625; do
    run -0 "$ROOFLINE" predict gemm m=1 n=8192 k=8192 --weights "${format%:*}" --machine h100 --dtype fp16 --json
    near .bytes "$(jq -n "8192 * 8192 * ${format#*:} + 4 * 8192")"
  done
}

@test "overhead-bound work has a time in its first line, and its share is that of the work" {
  predict() { run -0 "$ROOFLINE" predict "$@"; }
  predict gemm m=1k n=1k k=1k --machine h100 --dtype bf16 --without all
  [[ ${lines[0]} == *'overhead-bound (launch), about 4.592 µs: 2.592 µs of work, shorter than '* ]]
  has 'expected    4.592 µs (the launch, and the work at 78 % of its bound)'
  has 'launch (assumed)'
  predict gemm m=128 n=128 k=128 --machine a100 --dtype fp16 --launch 5us --overhead 0
  has 'that lasts 5.000 µs'
}

@test "a missing format names one that the machine has: as wide, or the next wider" {
  lacks() { run -3 --separate-stderr "$ROOFLINE" predict gemm m=8 n=8 k=8 --machine "$1" --dtype "$2"; }
  lacks tpu-v5p fp16
  [[ $stderr == *'no native fp16 path on its matrix unit; as wide: --dtype bf16' ]]
  lacks grace fp16
  [[ $stderr == *'its fp16 peak is not known; as weights only: --dtype fp32 --weights fp16' ]]
  lacks orin bf16
  [[ $stderr == *'its bf16 peak is not known; as wide: --dtype fp16' ]]
  lacks h100 fp6
  [[ $stderr == *'--dtype fp8 --weights fp6' ]]
}

@test "the effects that matter most have a line each, all of them with --explain" {
  run -0 "$ROOFLINE" predict gemm m=4097 n=4096 k=4096 --machine h200 --dtype bf16
  for line in "${lines[@]}"; do [ ${#line} -le 100 ]; done
  has ' in 8 of 10 cases'
  has '528 tiles of 128 x 256 on 132 SMs: 4 waves'
  run -0 "$ROOFLINE" predict gemm m=300 n=4300 k=4096 --machine h200 --dtype bf16
  [[ $output == *'latency'* && $output != *'waves'* ]]
  run -0 "$ROOFLINE" predict gemm m=300 n=4300 k=4096 --machine h200 --dtype bf16 --explain
  has 'waves'
  run -0 "$ROOFLINE" predict gemm m=1 n=64 k=64 --machine h200 --dtype bf16
  [[ ${lines[0]} == *'overhead-bound (launch), about '*' of it latency' ]]
  run -0 "$ROOFLINE" predict gemm m=4097 n=4096 k=4096 --machine h200 --dtype bf16 --json
  [ "$(json '[.effects[] | select(.name == "waves") | .why]')" = '["528 tiles of 128 x 256 on 132 SMs: 4 waves"]' ]
}

@test "predict: ranks that share a path through the host are named where they are slow" {
  run -0 "$ROOFLINE" predict allreduce size=64MiB ranks=8 --machine l40s
  [[ $output == *'86 % of the bandwidth of PCIe 4.0 x16, 4.7 % of it for each of the ranks that share the host'* ]]
  for others in 'ranks=2 --machine l40s' 'ranks=4 --machine h100'; do
    run -0 "$ROOFLINE" predict allreduce size=64MiB $others
    [[ $output == *'of the bandwidth of '* && $output != *'share the host'* ]]
  done
}

@test "the line of a shape has all that had to be typed, and the format of the cache" {
  run -0 "$ROOFLINE" predict attention batch=8 heads=32 q_len=1 kv_len=8192 head_dim=128 --machine h100 --dtype bf16 --kv fp8
  [[ "$output" = *" q_len=1 kv_len=8192 head_dim=128"*" in bf16, keys and values fp8"* ]]
  run -0 "$ROOFLINE" predict attention batch=8 heads=32 q_len=1 kv_len=8192 head_dim=128 --machine h100 --dtype bf16
  [[ "$output" != *"keys and values"* ]]
}

@test "the longest bar is of the longest time, the network's too" {
  run -0 "$ROOFLINE" predict allreduce size=16MB ranks=8 --machine h100
  [[ "$output" = *"    network     62.22 µs  ████████████████████  NVLink 4"* ]]
}

@test "predict: what no link joins is unknown, on that machine alone" {
  run -0 "$ROOFLINE" predict allreduce size=1GB ranks=2 --machine m2-ultra,h100
  [ "${lines[0]}" = 'allreduce on Apple M2 Ultra GPU: unknown: its file has no link to other devices' ]
  has 'allreduce on NVIDIA H100 SXM5 80GB: network-bound (NVLink 4), about 3.439 ms'
  run -0 "$ROOFLINE" predict allreduce size=1GB ranks=2 --machine m2-ultra --json
  [ "$(json '[.seconds | .network, .lower, .upper, .expected, .expected_high]')" = '[null,null,null,null,null]' ]
  [ "$(json '[.regime, .binding, .energy_joules]')" = '["network","unknown",null]' ]
  run -0 "$ROOFLINE" sweep allreduce size=1GB ranks=2,4 --machine m2-ultra,h100 --json
  [ "$(json '[.points[].seconds.expected != null]')" = '[false,false,true,true]' ]
  run -0 "$ROOFLINE" predict allreduce size=1KB ranks=8 --machine h100
  [ "${lines[0]}" = 'allreduce on NVIDIA H100 SXM5 80GB: overhead-bound (latency), about 17.12 µs, 17.11 µs of it latency' ]
  run -0 "$ROOFLINE" predict allreduce size=1GB ranks=1 --machine m2-ultra
  has 'overhead-bound (launch)'
}

@test "predict: ranks that exchange over a link are no more than it joins" {
  for link in 'ranks=2 --machine h100-pcie (NVLink 4 bridge)' 'ranks=4 --machine h100-pcie (PCIe 5.0 x16)' \
    'ranks=2 --machine a100-pcie (NVLink 3)' 'ranks=8 --machine a100-pcie (PCIe 4.0 x16)' \
    'ranks=4 --machine dgx-spark-gb10 (ConnectX-7 200 GbE)' 'ranks=8 --machine h100 (NVLink 4)'; do
    run -0 "$ROOFLINE" predict allreduce size=64MiB ${link%% (*}
    [[ ${lines[0]} == *"network-bound (${link#* (}, about "* ]]
  done
  for machine in h100 a100 a100-40gb; do # also where boards of eight can be joined
    run -0 "$ROOFLINE" predict allreduce size=1GB ranks=16 --machine $machine
    [[ ${lines[0]} == *': unknown: its links join at most 8 devices, not 16; between nodes `roofline cluster` has all-reduces, `model` plans' ]]
  done
  run -0 "$ROOFLINE" predict allreduce size=1GB ranks=2 --machine epyc-9654
  [[ ${lines[0]} == *': unknown: its file has no link to other devices' ]]
  run -3 --separate-stderr "$ROOFLINE" claim allreduce size=1GB ranks=4 1s --machine h100-pcie --link 'NVLink 4 bridge'
  [ "$stderr" = 'roofline: nvidia-h100-pcie: NVLink 4 bridge joins at most 2 devices, not 4; between nodes `roofline cluster` has all-reduces, `model` plans' ]
}

@test "predict: who asks for a link between nodes hears where those are" {
  run -2 --separate-stderr "$ROOFLINE" predict allreduce size=1GB ranks=16 --machine h100 --link ndr
  [[ $stderr == *'`cluster` has those between nodes'* ]]
}

@test "predict: the bound of a collective says that it has one of its messages" {
  run -0 "$ROOFLINE" predict allreduce size=1MB ranks=2 --machine nvidia-dgx-spark-gb10
  has 'at best     one message, 2.700 µs, of 2 in sequence'
  run -0 "$ROOFLINE" predict sendrecv size=1MB --machine h100
  [[ $output != *'one message'* ]]
}

@test "predict: sums that the switch adds up are named with their bytes" {
  run -0 "$ROOFLINE" predict allreduce size=1GB ranks=8 --machine h100
  has 'the switch adds up: 1.125 GB, not 1.750 GB, at 60 % of NVLink 4'
}

@test "predict: what hides in part adds no more than the shorter of both times" {
  for asked in 'attention batch=8 heads=32 q_len=2048 kv_len=2048 head_dim=128' \
    'moe tokens=32 hidden=7168 intermediate=2048 experts=256 top_k=8 -d fp8'; do
    run -0 "$ROOFLINE" predict $asked --machine h100 --json
    [ "$(json '([.seconds.compute, .seconds.memory] | min) as $shorter
      | .effects[] | select(.name == "corner") | .seconds <= $shorter')" != false ]
  done
  run -0 "$ROOFLINE" predict attention batch=8 heads=32 q_len=2048 kv_len=2048 head_dim=128 --machine h100
  has 'store      + 453.6 µs  new keys and values that are written into their cache first'
}

@test "predict: an unknown time is neither sealed nor claimed nor advised on" {
  for asked in 'predict allreduce size=1GB ranks=2 --seal' 'claim allreduce size=1GB ranks=2 3us' \
    'advise allreduce size=1GB ranks=2'; do
    run -3 --separate-stderr "$ROOFLINE" $asked --machine m2-ultra
    [ "$stderr" = 'roofline: apple-m2-ultra: its file has no link to other devices' ]
  done
}

@test "a machine whose memory bandwidth is not known bounds no bytes" {
  echo '{"schema": "roofline.machine/1", "name": "slow", "device_class": "gpu",
    "peaks": [{"dtype": "fp16", "unit": "matrix", "flops_per_second": 100e12}],
    "levels": [{"name": "HBM", "level": "memory", "bytes": 16e9}]}' >slow.json
  for asked in 'predict gemm m=64 n=64 k=64' 'predict copy n=1M' 'sweep copy n=1M,2M' 'claim copy n=1M 3TB/s' 'model gpt2' \
    'plan gpt2' 'advise gemm m=64 n=64 k=64'; do
    run -3 --separate-stderr "$ROOFLINE" $asked --machine slow.json --dtype fp16
    [ "$stderr" = 'roofline: slow: the bandwidth of its memory is not known' ]
  done
  run -0 "$ROOFLINE" explain gemm m=64 n=64 k=64 --machine slow.json --dtype fp16
  has "memory time: unknown: no bandwidth of it is known"
}

@test "predict: messages whose latency is assumed are named" {
  run -0 "$ROOFLINE" predict allreduce size=1Ki ranks=8 --machine p100-sxm2
  has '(14 messages of 600.0 ns, assumed, the launch, and the'
}

@test "predict: tiles of experts cover their rows at least once; what is not split says so" {
  run -0 "$ROOFLINE" predict grouped batch=32 groups=8 in=4096 out=3584 --machine h100
  has "tiles of 8 x 128 cover 2 times the matrix"
  run -0 --separate-stderr "$ROOFLINE" predict attention batch=9 heads=64 q_len=4 kv_len=8192 head_dim=64 kv_heads=8 --machine l40s --dtype fp8 --json
  [[ $(json '.effects[] | select(.name == "split") | .why') != *'split in 1'* ]]
}

@test "weights of experts in 8 bits take no longer than wide ones and no less than those in 4" {
  for machine in h100 mi300x a100; do
    times=
    for weights in int4 int8 bf16; do
      run -0 "$ROOFLINE" predict grouped batch=8 groups=8 in=7168 out=512 --machine $machine --dtype bf16 --weights $weights --json
      times+=" $(json .seconds.expected)"
    done
    [ "$(jq -n "[$(tr ' ' , <<<"${times# }")] | .[0] <= .[1] and .[1] <= 1.05 * .[2]")" = true ]
  done
}

@test "what saves arithmetic is named: keys in their own format, Winograd's algorithm" {
  run -0 "$ROOFLINE" predict attention batch=1 heads=32 kv_heads=8 q_len=8192 kv_len=8192 head_dim=128 --machine h100 --dtype bf16 --kv fp8
  has "at best     keys and values are multiplied as fp8, 2 times as fast"
  has "attainable  989.4 TFLOP/s, 1.979 PFLOP/s with keys and values multiplied as fp8, of 989.4 TFLOP/s"
  run -0 "$ROOFLINE" predict conv2d batch=32 in_channels=512 out_channels=512 height=28 width=28 kernel=3 --machine h100 --dtype fp32
  has "Winograd's algorithm has 25 % of the multiplications"
}

@test "activations that are quantised say what a pass and a row take" {
  run -0 "$ROOFLINE" predict gemm m=8192 n=512 k=512 --machine h100 --dtype fp8 --framework vllm
  has "activations are written as fp8 before by a kernel: 2.6 passes, 6.76 ns per row"
}

@test "narrow keys that many heads share are read once, on a GPU of whose kernels none was timed with them" {
  for machine in a100 v100 mi325x; do
    for heads in 60 71; do
      "$ROOFLINE" predict attention batch=36 heads=$heads kv_heads=1 head_dim=64 q_len=1 kv_len=3000 --dtype fp16 --kv fp8 \
        --machine $machine --json | jq .seconds.expected >$heads
    done
    [ "$(jq -n --slurpfile few 60 --slurpfile many 71 '$many[0] < 1.5 * $few[0]')" = true ]
  done
}
