#!/usr/bin/env bats
# roofline claim: what cannot be is caught, with what it probably is; exit 1 is the gate.

setup() {
  load lib.bash
  start
}

# claim CODE WORD...: on the H100 in fp16.
claim() {
  local code=$1
  shift
  run "-$code" "$ROOFLINE" claim "$@" --machine h100 --dtype fp16
}

@test "the level whose bandwidth limits data that the last cache holds is named" {
  run -0 "$ROOFLINE" claim add n=1Mi 3.2TB/s --machine h100 --dtype fp32
  has '  limit    10.14 TB/s: memory-bound (L2)'
  run -0 "$ROOFLINE" claim add n=1Gi 3.2TB/s --machine h100 --dtype fp32
  has '  limit    3.350 TB/s: memory-bound (HBM)'
}

@test "1700 TFLOP/s of fp16 on an H100 is a sparse figure" {
  claim 1 1700TFLOP/s
  [ "${lines[0]}" = "impossible: 172 % of the dense fp16 matrix peak (989.4 TFLOP/s) of NVIDIA H100 SXM5 80GB; it is 86 % of the 2:4 sparse fp16 peak (1.979 PFLOP/s): a sparse figure" ]
  has "source   secondary of "
  claim 0 1700TFLOP/s --sparse
  [[ ${lines[0]} == "possible: 86 % of the 2:4 sparse fp16 matrix peak"* ]]
}

@test "a sparse claim takes the clock of the dense peak, and says nothing of other formats" {
  run -1 --separate-stderr "$ROOFLINE" claim 4PFLOP/s --machine h100 --dtype fp8 --sparse
  [[ ${lines[0]} == *"; the peak is at a nominal 1.830 GHz: this takes 1.850 GHz" ]]
  [ -z "$stderr" ]
}

@test "a figure that is another one's is recognised" {
  claim 1 1979TFLOPS
  has "it is 100 % of the 2:4 sparse fp16 peak"
  has "same as  dense fp8 matrix peak: 1.979 PFLOP/s"
  run -0 "$ROOFLINE" claim 1979TFLOP/s --machine h100 --dtype fp8
  [[ ${lines[0]} == "possible: 100 % of the dense fp8 matrix peak"* ]]
  has "same as  2:4 sparse fp16 matrix peak"
}

@test "bandwidths are held against the memory, or against the link named" {
  claim 0 3.0TB/s
  [[ ${lines[0]} == "possible: 90 % of the HBM bandwidth (3.350 TB/s)"* ]]
  has "verdict  good"
  claim 1 4TB/s
  claim 0 900GB/s
  has "same as  NVLink 4 both ways together (one way: 450.0 GB/s)"
  claim 1 900GB/s --link "NVLink 4"
  [[ ${lines[0]} == "impossible: 200 % of the NVLink 4 bandwidth one way (450.0 GB/s)"* ]]
  claim 0 400Gb/s
  has "claimed  50.00 GB/s"
}

@test "a time or a rate of an operation is held against its bound" {
  claim 1 gemm m=8192 n=8192 k=8192 1ms
  [ "${lines[0]}" = "impossible: 111 % of what NVIDIA H100 SXM5 80GB can do: gemm takes at least 1.111 ms, compute-bound (fp16 matrix); with 2:4 sparse weights it would be 56 %: a sparse figure; with a level of Strassen's algorithm it would be 97 %" ]
  claim 0 gemm m=8192 n=8192 k=8192 1.4ms
  has "verdict  normal"
  claim 0 gemm m=8192 n=8192 k=8192 800TFLOP/s
  [[ ${lines[0]} == "possible: 81 % of the 989.4 TFLOP/s gemm can reach"* ]]
  claim 1 gemm m=1 n=8192 k=8192 10TFLOP/s --cold
  [[ ${lines[0]} == "impossible: 299 % of the 3.349 TFLOP/s gemm can reach on NVIDIA H100 SXM5 80GB, memory-bound (HBM)" ]]
  claim 1 copy n=1e9 4TB/s
  claim 0 copy n=1e9 3TB/s
}

@test "an intensity caps the rate: 90 % of the peak at 64 FLOP/B cannot be" {
  claim 1 64FLOP/B 90%
  [ "${lines[0]}" = "impossible: 415 % of the HBM roof at 64 FLOP/B (214.4 TFLOP/s) of NVIDIA H100 SXM5 80GB" ]
  claim 1 intensity=64 rate=890TFLOP/s
  claim 0 intensity=64 rate=200TFLOP/s
  claim 0 1000FLOP/B 90%
}

@test "names and units say the same" {
  claim 1 gemm m=8192 n=8192 k=8192 time=1ms
  claim 0 gemm m=8192 n=8192 k=8192 rate=800TFLOP/s
  claim 0 bandwidth=3e12
  claim 1 rate=1.7e15
}

@test "JSON has the claim, its limit and the verdict" {
  claim 1 1700TFLOP/s --json
  [ "$(json keys)" = '["algorithm","because","claimed","dtype","fraction","limit","machine","matches","op","parameters","possible","schema","verdict"]' ]
  [ "$(json '[.schema, .machine, .op, .parameters, .dtype, .possible, .verdict]')" = \
    '["roofline.claim/1","nvidia-h100-sxm",null,null,"fp16",false,"explain"]' ]
  near .claimed.flops_per_second 1.7e15
  near .limit.flops_per_second 989.4e12
  near .fraction 1.71821
  [ "$(json '[.claimed.seconds, .limit.bytes_per_second]')" = '[null,null]' ]
  claim 0 gemm m=8192 n=8192 k=8192 1.4ms --json
  [ "$(json '[.op, .parameters.m, .possible, .verdict, .claimed.seconds]')" = '["gemm",8192,true,"normal",0.0014]' ]
  near .fraction 0.793776
}

@test "quiet says the answer alone" {
  claim 1 1700TFLOP/s --quiet
  [ "${#lines[@]}" -eq 1 ]
}

@test "what is no claim is refused" {
  local words want
  while IFS='|' read -r words want; do
    run -2 --separate-stderr "$ROOFLINE" claim $words --machine h100
    [ -z "$output" ]
    [[ $stderr == "roofline: "*"$want"* ]] || { echo "$words: $stderr"; return 1; }
  done <<'ROWS'
|what is claimed?
1700|which unit?
1ms|a time needs an operation
gemm m=1 n=1 k=1|what is claimed?
gemm m=1 n=1 k=1 1ms 5TB/s|one speed, bandwidth or time at once
1ms 2ms|a second time
m=4 1TB/s|a shape needs an operation
64FLOP/B 1TB/s|an intensity goes with a rate
gemm add 1ms|unexpected argument
gemmm m=1 1ms|did you mean `gemm`?
gemm m=1,2 n=1 k=1 1ms|one shape at a time
copy n=1e9 5TFLOP/s|copy has no FLOP to count
rate=fast|not a number
0TB/s|must be more than 0
1ZB/s|not a known unit; use B/s
99parsec/s|which unit? FLOP/s, B/s, s, FLOP/B
1TB/s --machine a100|one machine at a time
ROWS
  run -3 --separate-stderr "$ROOFLINE" claim 100TFLOP/s --machine h100 --dtype fp4
  [[ $stderr == *"no native fp4 path"* ]]
}

@test "--warm and --tile count for an operation and are refused by name without one" {
  for option in --warm '--tile 1'; do
    run -2 --separate-stderr "$ROOFLINE" claim 5FLOP/B 19TFLOP/s --machine a100 --dtype fp32 $option
    [[ $stderr == *"claim: ${option% 1} goes with an operation"* ]]
  done
  run -1 "$ROOFLINE" claim add n=1e5 500ns --machine a100 --dtype fp32 --launch 0 --cold
  run -0 "$ROOFLINE" claim add n=1e5 500ns --machine a100 --dtype fp32 --launch 0 --warm
}

@test "a sparse peak of more than twice the dense one is not called 2:4; what was measured is possible" {
  run -1 "$ROOFLINE" claim 2PFLOP/s --machine trainium2 --dtype bf16
  [[ $output == *"of the sparse bf16 peak"* ]]
  run -1 "$ROOFLINE" claim 2.563PFLOP/s --machine trainium2 --dtype bf16
  [[ $output == *"same as  sparse fp16 matrix peak"* && $output != *2:4* ]]
  run -0 "$ROOFLINE" claim 92.3TFLOP/s --machine gb10 --dtype bf16
}

@test "a limit that is assumed leaves a claim little above it unknown, and says what it rests on" {
  run -0 "$ROOFLINE" claim 1.8PFLOP/s --machine gaudi3 --dtype bf16
  [ "${lines[0]}" = "unknown: 107 % of the dense bf16 matrix peak (1.677 PFLOP/s, assumed) of Intel Gaudi 3" ]
  has 'source   assumed of 2026-08-22, recalculated at 1.6 GHz'
  has 'Intel publishes 1,835 T/s'
  has 'verdict  explain: above the ceiling: the ceiling, the work counted or the time is wrong'
  run -0 "$ROOFLINE" claim 1.8PFLOP/s --machine gaudi3 --dtype bf16 --json
  [ "$(json '[.possible, .verdict]')" = '[null,"explain"]' ]
  run -0 "$ROOFLINE" claim 1.8PFLOP/s --machine gaudi3 --dtype bf16 --csv
  [[ ${lines[1]} == *,,explain,* ]]
  run -0 "$ROOFLINE" claim 300TOP/s --machine a10g --dtype int8
  [[ ${lines[0]} == unknown:* ]]
  run -1 "$ROOFLINE" claim 3000TOP/s --machine a10g --dtype int8
  [[ ${lines[0]} == impossible:* ]]
  run -1 "$ROOFLINE" claim 2PFLOP/s --peak 1PFLOP/s --bandwidth 1TB/s
  [[ ${lines[0]} == impossible:* ]]
  run -1 "$ROOFLINE" claim relu n=4096 2us --machine h100 --dtype fp16 --launch 5us
  [[ ${lines[0]} == impossible:* ]]
}

@test "a claim a little above a peak at a nominal clock says which clock it takes" {
  run -0 "$ROOFLINE" claim 340TFLOP/s --machine rtx4090 --dtype fp8
  [[ ${lines[0]} == "unknown: 103 % of the dense fp8 matrix peak (330.3 TFLOP/s) of NVIDIA GeForce RTX 4090; the peak is at a nominal 2.520 GHz: this takes 2.594 GHz; with fp16 sums, whose peak is 660.6 TFLOP/s, it would be 51 %" ]]
  run -1 "$ROOFLINE" claim 170TFLOP/s --machine rtx4090 --dtype bf16
  [[ ${lines[0]} == "impossible: 103 % of the dense bf16 matrix peak (165.2 TFLOP/s) of NVIDIA GeForce RTX 4090; the peak is at a nominal 2.520 GHz: this takes 2.593 GHz" ]]
  run -0 "$ROOFLINE" claim 240TFLOP/s --machine rtx5090 --dtype fp16
  [[ ${lines[0]} == "unknown: 115 % of the dense fp16 matrix peak (209.5 TFLOP/s) of NVIDIA GeForce RTX 5090; the peak is at a nominal 2.407 GHz, above which it was measured: this takes 2.757 GHz; with fp16 sums, whose peak is 419.0 TFLOP/s, it would be 57 %" ]]
  run -1 "$ROOFLINE" claim 300TFLOP/s --machine rtx5090 --dtype bf16
  has 'a sparse figure'
  run -1 "$ROOFLINE" claim 700TFLOP/s --machine rtx4090 --dtype fp8
  [[ $output != *nominal* ]]
}

@test "a claim above a peak at a processor's base clock says which clock it takes" {
  run -0 "$ROOFLINE" claim gemm m=8192 n=8192 k=8192 5TFLOP/s --machine epyc-9654 --dtype fp64
  [ "${lines[0]}" = "unknown: 136 % of the 3.686 TFLOP/s gemm can reach on AMD EPYC 9654, compute-bound (fp64 vector), assumed; the peak is at a nominal 2.400 GHz: this takes 3.255 GHz" ]
  run -0 "$ROOFLINE" claim 5TFLOP/s --machine epyc-9654 --dtype fp64
  has 'the peak is at a nominal 2.400 GHz: this takes 3.255 GHz'
  run -0 "$ROOFLINE" claim 6.2TFLOP/s --machine epyc-9654 --dtype fp64
  [[ $output != *nominal* ]]
}

@test "an operation is judged by what was measured above a peak, as a bare rate is" {
  run -0 "$ROOFLINE" claim gemm m=8192 n=8192 k=8192 236TFLOP/s --machine rtx5090 --dtype bf16
  [ "${lines[0]}" = "possible: 100 % of the 236.0 TFLOP/s gemm can reach on NVIDIA GeForce RTX 5090, compute-bound (bf16 matrix), measured above its nominal figure" ]
  has 'source   measured of 2026-11-22'
  run -0 "$ROOFLINE" claim gemm m=8192 n=8192 k=8192 4.7ms --machine rtx5090 --dtype bf16
  [[ ${lines[0]} == "possible: 99 % of what "* ]]
  run -0 "$ROOFLINE" claim gemm m=8192 n=8192 k=8192 245TFLOP/s --machine rtx5090 --dtype bf16
  [[ ${lines[0]} == "unknown: 117 % of "*"nominal 2.407 GHz, above which it was measured: this takes 2.815 GHz"* ]]
  run -1 "$ROOFLINE" claim gemm m=8192 n=8192 k=8192 300TFLOP/s --machine rtx5090 --dtype bf16
  has 'a sparse figure'
}

@test "a bandwidth that was measured above the nominal one is possible" {
  run -0 "$ROOFLINE" claim 473.9GB/s --machine b580
  [ "${lines[0]}" = "possible: 100 % of the measured GDDR bandwidth, above its nominal one (473.9 GB/s) of Intel Arc B580" ]
  has 'verdict  done'
  run -0 "$ROOFLINE" claim 2018GB/s --machine h100-pcie
  run -0 "$ROOFLINE" claim copy n=1G 2018GB/s --machine h100-pcie --dtype fp32
  [ "${lines[0]}" = "possible: 100 % of the 2.018 TB/s copy can reach on NVIDIA H100 PCIe 80GB, memory-bound (HBM), measured above its nominal figure" ]
  run -1 "$ROOFLINE" claim copy n=1G 2100GB/s --machine h100-pcie --dtype fp32
  run -1 "$ROOFLINE" claim 490GB/s --machine b580
  has '107 % of the GDDR bandwidth (456.0 GB/s)'
}

@test "a claim that fp16 sums make possible is unknown on cards that halve products with fp32 sums" {
  run -0 "$ROOFLINE" claim 300TFLOP/s --machine rtx4090 --dtype fp16
  [ "${lines[0]}" = "unknown: 182 % of the dense fp16 matrix peak (165.2 TFLOP/s) of NVIDIA GeForce RTX 4090; with fp16 sums, whose peak is 330.3 TFLOP/s, it would be 91 %" ]
  run -0 "$ROOFLINE" claim 391TFLOP/s --machine rtx4080 --dtype fp8
  run -0 "$ROOFLINE" claim gemm m=8192 n=8192 k=8192 300TFLOP/s --machine rtx4090 --dtype fp16
  has 'with fp16 sums, whose peak is 330.3 TFLOP/s, it would be 91 %'
  run -0 "$ROOFLINE" claim 330.3TFLOP/s --machine rtx4090 --dtype fp16
  has 'same as  dense fp16 matrix peak with fp16 sums: 330.3 TFLOP/s'
  run -1 "$ROOFLINE" claim 400TFLOP/s --machine rtx4090 --dtype fp16
  run -0 "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine rtx4090 --dtype fp16
  has 'of 165.2 TFLOP/s fp16 matrix'
}

@test "products of operands with scales have their own peak on GeForce cards" {
  run -0 "$ROOFLINE" claim 654TFLOP/s --machine rtx5090 --dtype mxfp8
  [ "${lines[0]}" = "possible: 78 % of the dense mxfp8 matrix peak (838.0 TFLOP/s, assumed) of NVIDIA GeForce RTX 5090" ]
  run -0 "$ROOFLINE" claim 654TFLOP/s --machine rtx5090 --dtype fp8
  [[ ${lines[0]} == "unknown: 156 % of the dense fp8 matrix peak (419.0 TFLOP/s) of "*"; with fp16 sums, whose peak is 838.0 TFLOP/s, it would be 78 %" ]]
  run -0 "$ROOFLINE" claim gemm m=4096 n=4096 k=4096 210us --machine rtx5090 --dtype mxfp8
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine rtx5090 --dtype mxfp8 --json
  [ "$(json '.seconds.expected < 300e-6')" = true ]
}

@test "a claim names its source in a word, the whole trail stands in the machine and in JSON" {
  claim 0 1880GB/s
  has 'source   datasheet of 2026-08-22; `roofline machine show nvidia-h100-sxm`'
  claim 0 relu n=4096 2us
  has 'source   assumed'
  claim 1 gemm m=1 n=1 k=1 10ps
  [[ ${lines[0]} == 'impossible: over 10000 times what '* ]]
  run -0 "$ROOFLINE" claim 1700TFLOP/s --machine h100 --dtype fp8 --json
  [[ $(json .limit.source) == *'whitepaper'* ]]
}

@test "what a benchmark reached on this machine is not suspicious" {
  run -0 "$ROOFLINE" claim 1880GB/s --machine a100
  has 'verdict  done: as good as the benchmark'
  run -0 "$ROOFLINE" claim 2030GB/s --machine a100
  has 'verdict  remeasure'
}

@test "Winograd, Fourier and Strassen are named where they alone could be so fast" {
  conv() { "$ROOFLINE" claim conv2d batch=32 in_channels=256 out_channels=256 height=56 width=56 "$@" --machine h100 --dtype fp16; }
  run -0 conv kernel=3 time=80us
  [[ ${lines[0]} == "possible with Winograd's algorithm, F(4x4, 3x3): 150 % of "*', without it' ]]
  has "needs    Winograd's algorithm, F(4x4, 3x3), which takes at least 29.91"
  run -0 conv kernel=3 time=80us --json
  [ "$(json '[.possible, .algorithm]')" = "[true,\"Winograd's algorithm, F(4x4, 3x3)\"]" ]
  run -1 conv kernel=3 time=20us
  [[ ${lines[0]} == impossible:* && ${lines[0]} != *Winograd* ]]
  run -0 conv kernel=7 time=400us
  [[ ${lines[0]} == 'possible with a Fourier transform: '* ]]
  run -1 "$ROOFLINE" claim gemm m=n=k=16384 time=8ms --machine h100 --dtype fp16
  [[ ${lines[0]} == impossible:*"with a level of Strassen's algorithm it would be 97 %" ]]
  run -1 "$ROOFLINE" claim gemm m=n=k=16384 time=6ms --machine h100 --dtype fp16
  [[ ${lines[0]} != *Strassen* ]]
}

@test "a kernel in a graph follows faster than launches one after another" {
  for asked in 'gemm m=16 n=128 k=128 1.8us --machine a100' 'copy n=1000 1.5us --machine l40s'; do
    run -0 "$ROOFLINE" claim $asked --dtype bf16
    [[ ${lines[0]} == possible:* ]]
  done
}

@test "the limit of drafted tokens has all of them right, unless it is said how many are" {
  run -0 "$ROOFLINE" claim llama-3.1-8b draft=3 accept=1 tpot=1.5ms --machine h100 --json
  limit=$(json .limit)
  run -0 "$ROOFLINE" claim llama-3.1-8b draft=3 tpot=1.5ms --machine h100 --json
  near .limit "$limit"
  [ "$(json '[.draft, .accept]')" = '[3,0.7]' ]
  run -0 "$ROOFLINE" claim llama-3.1-8b draft=3 tpot=1.5ms --machine h100
  has "3 drafted per step, each 70 % right (assumed)"
  has "verify, all drafted tokens right"
  run -1 "$ROOFLINE" claim llama-3.1-8b draft=3 accept=0.7 tpot=1.5ms --machine h100
  run -0 "$ROOFLINE" model llama-3.1-8b draft=3 --machine h100 --json
  [ "$(json '.settings.accept')" = 0.7 ]
}

@test "data may come from a cache whose bandwidth is unknown, unless they are cold" {
  run -0 "$ROOFLINE" claim 20us copy n=1M --machine amd-epyc-9654 --dtype fp64
  [[ ${lines[0]} == "possible with its data in a cache whose bandwidth is unknown: 174 % of"*"(DDR), without it" ]]
  run -0 "$ROOFLINE" claim 5us copy n=2M --machine apple-m2-max --dtype fp16
  [[ ${lines[0]} == "possible with its data in a cache"* ]]
  run -1 "$ROOFLINE" claim 20us copy n=1M --machine amd-epyc-9654 --dtype fp64 --cold
  [[ ${lines[0]} == impossible:* ]]
  run -1 "$ROOFLINE" claim 1ms copy n=100M --machine amd-epyc-9654 --dtype fp64
}

@test "units as people write them" {
  local words same
  while read -r words same; do
    run "$ROOFLINE" claim "$same" --machine h100 --json
    want=$output
    run "$ROOFLINE" claim "$words" --machine h100 --json
    [ "$output" = "$want" ] || { echo "$words: $output"; return 1; }
  done <<'ROWS'
1200tflops 1200TFLOP/s
1200TF 1200TFLOP/s
1.2PF 1.2PFLOP/s
3000GBps 3000GB/s
400gbps 50GB/s
ROWS
}

@test "what is claimed of a model says of what" {
  run "$ROOFLINE" claim llama-3.1-8b batch=8 1200tok/s --machine h100 --json
  want=$output
  run "$ROOFLINE" claim llama-3.1-8b batch=8 1200tokens/s --machine h100 --json
  [ "$output" = "$want" ]
  run -2 "$ROOFLINE" claim llama-3.1-8b batch=8 1200tps --machine h100
  has '5000tokens/s'
}

@test "data that do not fit are said in the first line, and measured all the same they are of the memory" {
  ask='attention batch=64 heads=64 q_len=1 kv_len=1M head_dim=128'
  run -0 "$ROOFLINE" claim $ask 650ms --machine h100 --dtype fp16
  [[ ${lines[0]} == *"; its data do not fit in the memory" ]]
  run -0 "$ROOFLINE" predict $ask --machine h100 --dtype fp16 --seal --label a
  run -0 "$ROOFLINE" record a seconds=2s
  run -0 "$ROOFLINE" reconcile
  has 'HBM delivers 1.049 TB/s, 31.3 % of its ceiling'
}

@test "what claim cannot refute reconcile does not either: a bound that is assumed, a cache of unknown bandwidth" {
  judged() { # MACHINE SECONDS CODE OPERATION...: both exit with CODE
    rm -f roofline.ledger
    "$ROOFLINE" predict "${@:4}" --machine "$1" --seal --label c >/dev/null
    "$ROOFLINE" record c seconds="$2" >/dev/null
    run "-$3" "$ROOFLINE" claim "${@:4}" "$2" --machine "$1"
    run "-$3" "$ROOFLINE" reconcile
  }
  judged amd-epyc-9654 18.2us 0 add n=1Mi --dtype fp32
  judged amd-epyc-9654 100ns 1 add n=1Mi --dtype fp32
  judged h100 2.2us 0 gemv m=4096 n=4096 --dtype fp16
  judged h100 0.5us 1 gemv m=4096 n=4096 --dtype fp16
  judged h100 100us 1 gemm m=4096 n=4096 k=4096 --dtype fp16
}

@test "a bandwidth of an exchange is the bus bandwidth of nccl-tests" {
  run -0 "$ROOFLINE" claim allreduce size=1GB ranks=8 480GB/s --machine h100 --json
  limit=$(json .limit.bytes_per_second)
  run -0 "$ROOFLINE" claim allreduce size=1GB ranks=8 4ms --machine h100 --json # each rank sends 2 x 7 / 8 GB
  near '1.75e9 / .limit.seconds' "$limit" 1e-3
  run -1 "$ROOFLINE" claim allgather size=1GB ranks=8 480GB/s --machine h100
  has 'network-bound (NVLink 4)'
}

@test "a training step in a pipeline is held against any cut and any schedule, not stages as long as the longest" {
  run -0 "$ROOFLINE" claim llama-3.2-1b train batch=16 pp=16 microbatches=16 step=100ms --machine h100
  run -1 "$ROOFLINE" claim llama-3.2-1b train batch=16 pp=16 microbatches=16 step=50ms --machine h100
}

@test "a step that hides its transfers has not counted work twice" {
  of() { run -0 "$ROOFLINE" claim deepseek-v3 train batch=15360 prompt=4096 dp=128 pp=16 ep=64 zero=1 microbatches=120 recompute=full "$1" --machine h800 --precision fp8; }
  of step=19.9s
  has "verdict  faster: nine in ten like it take longer: transfers, expected in turn with the work, make most of the difference"
  [[ $output != *"counted twice"* ]]
}
