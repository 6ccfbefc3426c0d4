#!/usr/bin/env bats
# roofline sweep: points in order, where the limit changes, the exact critical value, CSV of any length.

setup() {
  load lib.bash
  start
  machine ridge152 152e12 1e12 >ridge152.json
}

# sweep ARGUMENT...: as JSON.
sweep() {
  run -0 "$ROOFLINE" sweep "$@" --json
}

@test "the critical batch is exact, whatever the values swept" {
  sweep linear batch=1..1024*2 in=4096 out=4096 --machine ./ridge152.json --overhead 0
  near '.crossings[0].value' 164.186 1e-5
  [ "$(json '.crossings | length')" = 1 ]
  [ "$(json '.crossings[0] | [.parameter, .machine, .from, .to, .at]')" = '["batch","ridge152","memory","compute",165]' ]
  sweep linear batch=1,2 in=768 out=768 --machine ./ridge152.json
  near '.crossings[0].value' 251.586 1e-5
  sweep linear batch=1,2 in=768 out=3072 --machine ./ridge152.json
  near '.crossings[0].value' 201.965 1e-5
  [ "$(json '.crossings[0].at')" = 202 ]
}

@test "never is null and says why" {
  sweep linear batch=1..1024*2 in=256 out=256 --machine ./ridge152.json --overhead 0
  equals '.crossings' '[{"parameter":"batch","machine":"ridge152","value":null,"from":"memory","to":null,"at":null,"why":"never: intensity saturates at 128 FLOP/B as batch grows, under the ridge of 152 FLOP/B","parameters":{}}]'
  sweep gemm m=1,2 n=1e5 k=1e5 --machine "$h989" --weights int4 --overhead 0
  near '.crossings[0].value' 74.5 2e-2
  sweep copy n=1e6,1.1e6 --machine h100
  [ "$(json '.crossings[0].why')" = '"never: it has no FLOP"' ]
}

@test "a kernel leaves its launch behind at twice its latency, or at the cutoff that is asked for" {
  sweep copy n=1e6,2e6 --machine h100
  [[ $(json '.crossings[0].why') == *'passes the overhead cutoff of 4.000 µs'* ]]
  sweep copy n=1e6,1e8 --machine h100 --overhead 20us
  [[ $(json '.crossings[0].why') == *'passes the overhead cutoff of 20.00 µs'* ]]
}

@test "points are predictions, the first axis outermost, machine by machine" {
  sweep gemm m=1,2 n=16..64*2 k=8 --machine h100 --machine a100
  [ "$(json '[.schema, (.points | length)]')" = '["roofline.sweep/1",12]' ]
  [ "$(json '[.points[] | .parameters | [.m, .n]][0:6]')" = '[[1,16],[1,32],[1,64],[2,16],[2,32],[2,64]]' ]
  [ "$(json '[.points[].machine] | unique')" = '["nvidia-a100-sxm-80gb","nvidia-h100-sxm"]' ]
  [ "$(json '[.points[].schema] | unique')" = '["roofline.prediction/1"]' ]
  local point=$(json '.points[5]')
  run -0 "$ROOFLINE" predict gemm m=2 n=64 k=8 --machine h100 --json
  [ "$(command jq -cS . <<<"$output")" = "$(command jq -cS . <<<"$point")" ]
}

@test "lists, geometric and arithmetic ranges, suffixes" {
  sweep add n=1,10..40*2,1k..3k+1k,4Ki --machine h100
  [ "$(json '[.points[].parameters.n]')" = '[1,10,20,40,1000,2000,3000,4096]' ]
}

@test "parameters vary together: cubes cross at 886" {
  sweep gemm m=n=k=256..1024*2 --machine "$h989" --overhead 0
  [ "$(json '[.points[] | [.parameters.n, .parameters.k, .regime]]')" = \
    '[[256,256,"memory"],[512,512,"memory"],[1024,1024,"compute"]]' ]
  near '.points[2].intensity' 341.333
  near '.crossings[0].value' 885.672
  [ "$(json '.crossings[0].at')" = 886 ]
}

@test "a critical value that overhead hides is reported as such" {
  run -0 "$ROOFLINE" sweep gemm m=n=k=64..8192*2 --machine "$h989"
  [[ ${lines[0]} == "gemm on h989: overhead-bound at m=n=k=64, compute-bound from m=n=k=1456 (exactly 1455.85)" ]]
  has "compute time over memory time from m=n=k=886 (exactly 885.672)"
  [[ ${lines[2]} == "  m=n=k "* ]]
  has "but it is still overhead-bound"
}

@test "other changes of regime are found between the samples" {
  sweep gemm m=n=k=1e3,1e6 --machine "$h989"
  [ "$(json '[.crossings[] | [.from, .to, .at]]')" = '[["memory","compute",886],["overhead","compute",1456],["compute","capacity",115471]]' ]
  sweep add n=1..1e9*10 --machine "$h989"
  near '.crossings[0].value' 3484000
  [ "$(json '.crossings[0] | [.from, .to, .why]')" = \
    '["overhead","memory","there the time passes the overhead cutoff of 8.000 µs"]' ]
}

@test "each line of a sweep over two parameters has its crossing" {
  sweep linear batch=1,512 in=1024,4096 out=4096 --machine "$h989" --overhead 0
  [ "$(json '[.crossings[] | select(.parameter == "batch") | [.parameters.in, .at]]')" = '[[1024,462],[4096,345]]' ]
}

@test "the text is a table with the answer first" {
  run -0 "$ROOFLINE" sweep linear batch=1..1024*2 in=4096 out=4096 --machine "$h989" --machine ./ridge152.json
  golden sweep-linear.txt
  run -0 "$ROOFLINE" sweep attention batch=1 heads=32 q_len=1,4096 kv_len=4096 head_dim=128 algorithm=flash,standard \
    --machine "$h989"
  golden sweep-attention.txt
}

@test "a long sweep shows its ends and changes, and says where the rest is" {
  run -0 "$ROOFLINE" sweep gemm m=1..5000 n=4096 k=4096 --machine "$h989"
  [ "${#lines[@]}" -lt 48 ]
  has "of 5000 points; --csv has all"
  grep -Eq '^ +344 .* memory ' <<<"$output"
  grep -Eq '^ +345 .* compute ' <<<"$output"
  grep -Eq '^ +5000 ' <<<"$output"
}

@test "CSV has every point, every parameter and the same figures" {
  run -0 "$ROOFLINE" sweep attention batch=1 heads=32 q_len=1,4096 kv_len=4096 head_dim=128 algorithm=flash,standard \
    --machine "$h989" --csv
  golden sweep-attention.csv
  "$ROOFLINE" sweep gemm m=1..1000 n=1..100 k=64 --machine h100 --csv >many.csv
  [ "$(wc -l <many.csv)" -eq 100001 ]
  [ "$(awk -F, '{ print NF }' many.csv | sort -u)" = 18 ]
  [ "$(sed -n '100001p' many.csv | cut -d, -f1-8)" = "1000,100,64,1,0,nvidia-h100-sxm,gemm,fp16" ]
  local seconds
  seconds=$(awk -F, 'NR == 100001 { print $16 }' many.csv)
  run -0 "$ROOFLINE" predict gemm m=1000 n=100 k=64 --machine h100 --json
  near .seconds.lower "$seconds" 1e-11
}

@test "a full disk is one line and exit 3" {
  run -3 --separate-stderr bash -c '"$ROOFLINE" sweep gemm m=1..100000 n=8 k=8 --machine h100 --csv >/dev/full'
  [ "$stderr" = "roofline: standard output: No space left on device" ]
}

@test "names with commas and quotes are quoted in CSV" {
  machine odd 1e12 1e12 | jq '.levels[0].name = "HBM 3,\"e\""' >odd.json
  run -0 "$ROOFLINE" sweep gemm m=1,2 n=4096 k=4096 --machine ./odd.json --csv
  [[ ${lines[1]} == *',memory,"HBM 3,""e""",'* ]]
}

@test "a point that cannot be is an error that names it, before any output" {
  run -2 --separate-stderr "$ROOFLINE" sweep conv2d batch=1 in_channels=64 out_channels=64 height=56 width=56 kernel=3 \
    groups=1,2,3 --machine h100 --csv
  [ "$stderr" = "roofline: groups=3: conv2d: groups=3 must divide in_channels and out_channels" ]
  [ -z "$output" ]
  local words=
  while read -r words want; do
    run -2 --separate-stderr "$ROOFLINE" sweep gemm ${words//;/ } --machine h100
    [ -z "$output" ]
    [[ $stderr == *"$want"* ]] || { echo "$stderr"; return 1; }
  done <<'ROWS'
m=1..8;m=2;n=8;k=8 `m`: given twice
m=n=m=2;k=8 `m`: given twice
m=n=beta=1,2;k=8 `beta` and `m` have different types and cannot be tied
m=8..1;n=8;k=8 a range goes up
m=..8;n=8;k=8 m=..8: a range has a value before and after its dots
m=8..;n=8;k=8 m=8..: a range has a value before and after its dots
m=8..*2;n=8;k=8 m=8..*2: a range has a value before and after its dots
m=1..8*1;n=8;k=8 a range goes up
m=1,2;n=8 `k` is missing
m=0,1;n=8;k=8 must be from 1
m=1..1e6;n=1..1e6;k=8 1e+12 points: at most 1e+09
=1;n=8;k=8 not key=value
ROWS
}

@test "where nothing is computed the first line says what binds, and nothing crosses" {
  run -0 "$ROOFLINE" sweep allreduce size=1KB,1GB ranks=8 --machine h100
  [[ "${lines[0]}" = "allreduce on NVIDIA H100 SXM5 80GB: overhead-bound at size=1000, network-bound from size="* ]]
  run -0 "$ROOFLINE" sweep allreduce size=4MB,64MB,1GB ranks=8 --machine h100
  [ "${lines[0]}" = "allreduce on NVIDIA H100 SXM5 80GB: network-bound at all 3 points" ]
  [[ "$output" != *Crossings* && "$output" != *never* ]]
  [[ "$output" = *"  with ranks=8 algorithm=ring in fp16"* ]]
  run -0 "$ROOFLINE" sweep copy n=1k,1G --machine h100
  [[ "${lines[0]}" = *"overhead-bound at n=1000, memory-bound from n="* && "$output" != *never* ]]
  [ "${lines[1]}" = "  in fp16" ]
}

@test "a side that is left again has two crossings, in sweep and predict alike; a step is named by its own row" {
  causal=(attention batch=1 heads=32 kv_len=2048 head_dim=128 causal=1 --machine h100)
  run -0 "$ROOFLINE" sweep "${causal[@]}" q_len=1,1024,8192
  [[ ${lines[0]} == *": memory-bound at q_len=1, compute-bound from q_len=383 (exactly 382.858), memory-bound from q_len=5126 (exactly 5125.57)" ]]
  run -0 "$ROOFLINE" sweep "${causal[@]}" q_len=4096,8192
  [[ ${lines[0]} == *": compute-bound at q_len=4096 and from q_len=383 on, memory-bound from q_len=5126 (exactly 5125.57)" ]]
  run -0 "$ROOFLINE" sweep gemm m=n=k=128..8192*2 --machine a100 --dtype fp32
  [[ ${lines[0]} == *": compute-bound throughout, from m=n=k=58 on" ]]
  run -0 "$ROOFLINE" predict "${causal[@]}" q_len=1024
  has "critical    compute-bound from q_len=383 (exactly 382.858); memory-bound from q_len=5126 (exactly 5125.57)"
  run -0 "$ROOFLINE" sweep linear batch=64,65,128 in=1024 out=1024 --machine h100
  [[ ${lines[0]} == *": overhead-bound at batch=64, memory-bound from batch=65; beyond "* ]]
  has "there the time passes the overhead cutoff of 4.302 µs"
  run -0 "$ROOFLINE" predict linear batch=64 in=1024 out=1024 --machine h100
  has "to escape   longer than 4.302 µs, twice the latency: at most about "
}

@test "what the points share has every format, as predict has it" {
  typed=(linear in=8192 out=8192 --machine h100 --dtype fp16 --weights int4 --group 128 --output fp32)
  run -0 "$ROOFLINE" sweep "${typed[@]}" batch=64,256
  [ "${lines[1]}" = "  with in=8192 out=8192 in fp16, weights int4 with a scale per 128, result fp32" ]
  run -0 "$ROOFLINE" predict "${typed[@]}" batch=64
  has "in=8192 out=8192 in fp16, weights int4 with a scale per 128, result fp32"
  "$ROOFLINE" sweep "${typed[@]}" batch=64,256 --to formats.svg
  grep -q '>in fp16, weights int4 with a scale per 128, result fp32: the rate' formats.svg
}
