#!/usr/bin/env bats
# roofline advise: the side first, five answers, levers with their gain, causes, mixes and what-ifs.

setup() {
  load lib.bash
  start
  gemv="gemv m=8192 n=28672"
}

# advise ARGUMENT...: as text.
advise() {
  run -0 "$ROOFLINE" advise "$@"
}

@test "the side comes first, then five numbered answers" {
  advise gemm m=1 n=28672 k=8192 --machine "$h989" --dtype fp16
  [[ ${lines[0]} == 'memory side: '* ]]
  has '295x left of the ridge'
  for i in 1 2 3 4 5; do
    [ "$(grep -c "^  $i\. [a-z]" <<<"$output")" -eq 1 ]
  done
  advise gemm m=8192 n=8192 k=8192 --machine "$h989" --dtype fp16
  [[ ${lines[0]} == 'compute side: '* ]]
  advise add n=1024 --machine h100
  [[ ${lines[0]} == 'overhead side: '* ]]
  advise allreduce size=1Gi ranks=8 --machine h100
  [[ ${lines[0]} == 'network side: '* ]]
  advise gemm m=1 n=300000 k=300000 --machine h100 --dtype fp16
  [[ ${lines[0]} == 'capacity side: '* ]]
  has 'split over 3 devices'
}

@test "JSON: the contract" {
  advise $gemv measured=240us --machine h100 --dtype fp16 --json
  [ "$(json '[.schema, .side, (.measured | keys | length), .measured.class, (.measured.actions | length)]')" = \
    '["roofline.advice/1","memory",11,"memory-bound, moderate efficiency",3]' ]
  near .measured.fraction_of_ceiling 0.584401 1e-3
  [ "$(json '.levers | map(.gain) | . == (sort | reverse)')" = true ]
  [ "$(json '.machines | map(.seconds) | . == sort')" = true ]
  [ "$(json '.machines | length > 50')" = true ]
  [ "$(json '[.machines[] | select(.energy_rank == 1) | .joules][0] == ([.machines[].joules | select(. != null)] | min)')" = true ]
  advise $gemv --machine h100 --json
  [ "$(json .measured)" = null ]
}

@test "what will not help: faster math left of the ridge, faster memory right of it" {
  advise gemm m=1 n=28672 k=8192 --machine "$h989" --dtype fp16 --json
  [ "$(json '.levers[] | select(.change == "math twice as fast") | [.gain, .helps]')" = '[1,false]' ]
  [ "$(json '.levers[] | select(.lever == "batching") | .flips_at')" = 310 ]
  advise gemm m=8192 n=8192 k=8192 --machine "$h989" --dtype fp16 --json
  [ "$(json '.levers[] | select(.change == "memory twice as fast") | [.gain, .helps]')" = '[1,false]' ]
}

@test "a guess from the time alone is possible; a counter shows" {
  advise gemm m=8192 n=28672 k=8192 measured=50ms --machine h100 --dtype fp16
  has 'possible       no tensor cores: '
  [[ $output != *'shown          no tensor cores'* ]]
  advise gemm m=8192 n=28672 k=8192 measured=50ms --machine h100 --dtype fp16 --counter matrix=0
  has 'shown          no tensor cores: the matrix unit was active in 0 %'
}

@test "a measured time: verdict, both clauses, two checks before a rewrite" {
  advise $gemv measured=281us --machine "$h989" --dtype fp16
  has 'HBM delivers'
  has '% of its ceiling, 28.1 points below the expected 78.0 %; no counter shows why'
  [[ $output != *'fast because'* ]]
  [[ ${output#*before rewriting} =~ 1\.\ host\ time.*2\.\ lanes\ active ]]
  has 'memory-bound, low efficiency'
  advise $gemv measured=180us --machine "$h989" --dtype fp16
  has 'memory-bound, moderate efficiency'
  [[ $output != *'before rewriting'* ]]
  advise $gemv measured=150us --machine "$h989" --dtype fp16
  has 'stop: 93.5 % of the ceiling, the kernel is done; what would raise the ceiling: '
  advise $gemv measured=160us --machine "$h989" --dtype fp16
  [[ $output != *'stop:'* ]]
  jq '.levels += [.levels[0] | .kind = "measured" | .bytes_per_second = 3.0e12]' "$h989" >achieved.json
  advise $gemv measured=173us --machine "$PWD/achieved.json" --dtype fp16
  has '81.07 % of the ceiling'
  has '90.53 % of the measured ceiling'
  has 'stop: 90.5 % of the measured ceiling'
  advise $gemv measured=175us --machine "$PWD/achieved.json" --dtype fp16 --json
  [ "$(json .measured.stop)" = false ]
}

@test "counters name causes and what it waits on" {
  advise $gemv measured=240us --machine h100 -c sector_use=50% -c occupancy=0.3
  has '; uncoalesced access: only 50 %'
  has 'shown          occupancy: only 30 %'
  advise gemm m=4096 n=4096 k=4096 measured=300us --machine h100 -c lanes=0.5
  has 'divergence: 50 % of the lanes'
  advise gemm m=4096 n=4096 k=4096 measured=300us --machine h100 -c active=0.49 --json
  [ "$(json .measured.waits_on)" = '"host launch"' ]
  advise gemm m=4096 n=4096 k=4096 measured=300us --machine h100 -c active=0.51 --json
  [ "$(json .measured.waits_on)" = null ]
  advise $gemv measured=0.4ms wall=1.1ms --machine h100
  has 'host overhead: no kernel runs for 63.6 % of the elapsed time'
}

@test "a starved device: the same advice everywhere, and none on the kernel" {
  advise gemm m=8192 n=8192 k=8192 measured=20ms --machine h100 -c active=30% -c memory=20% -c matrix=10%
  has 'launch overhead: the device had work in only 30 %'
  has 'overhead-bound'
  has 'next step      the device waits for work'
  [[ $output != *'use the matrix unit'* && $output != *'another kernel'* ]]
  [[ ${output#*what will not help} != *'CUDA graphs'* ]]
  advise gemm m=8192 n=8192 k=8192 measured=20ms --machine h100 -c active=30% --without all --json
  near '[.levers[] | select(.lever == "launches") | .gain][0]' 3.3333 1e-4
  near '[.levers[] | select(.change | startswith("compute and store in fp8")) | .gain][0]' 1.176 1e-3
  advise gemm m=8192 n=8192 k=8192 measured=20ms --machine h100 -c active=30%
  has 'hardware: not compared; the device waits for work'
  [[ $output != *'by energy'* ]]
}

@test "a time that cannot be is said first, with what to doubt and no lever" {
  advise gemm m=8192 n=28672 k=8192 measured=260us --machine h100 --dtype fp8
  [[ ${lines[0]} == 'impossible: gemm in 260.0 µs is 747.9 % of what NVIDIA H100 SXM5 80GB can do: '* ]]
  has '1. the time: its unit'
  [[ $output != *'leave the kernel'* && $output != *'what would help'* && $output != *'hardware'* ]]
}

@test "a measured time stands between both bounds" {
  advise gemm m=8192 n=28672 k=8192 measured=50ms --machine h100 --dtype fp16
  has '50.00 ms measured, 3.890 ms at best, 4.212 ms if nothing overlaps'
  has 'possible       host overhead'
}

@test "a processor has no warps, and fp16 only where it computes in it" {
  advise triad n=10000000 measured=15ms --machine epyc-9654 --dtype fp32
  has 'host overhead: measure the time of the loop alone'
  for word in l1tex warp smsp CUDA bank 'in fp16' 'tensor core'; do
    [[ $output != *"$word"* ]]
  done
  advise triad n=10000000 --machine h100 --dtype fp32
  has 'compute and store in fp16'
}

@test "what lasts as long as a launch is ranked among machines whose launch is known" {
  advise add n=4096 --machine h100 --json
  [ "$(json '[.machines[].seconds] | min > 1e-6')" = true ]
  near '.machines[] | select(.name == "nvidia-h100-sxm") | .gain' 1
  advise add n=4096 measured=5us --machine h100 --without all
  has 'moves launch cost 2.000 µs -> 1.000 µs'
  has 'machines whose launch cost is known'
  has '; overhead, launching takes the time'
  [[ $output != *'before rewriting'* ]]
}

@test "time and counters may come from the ledger, and are as reconcile has them" {
  "$ROOFLINE" predict add n=64Mi --machine h100 --seal --label x --ledger l.jsonl >/dev/null
  "$ROOFLINE" record x seconds=290us bytes=805306368 -c occupancy=50% --ledger l.jsonl
  run -0 "$ROOFLINE" reconcile --ledger l.jsonl --json
  causes=$(json '.entries[0].causes | map(select(.certainty == "shown").name)')
  [ "$causes" = '["L2 reuse"]' ]
  advise add n=64Mi --machine h100 --ledger l.jsonl --label x --json
  [ "$(json '.measured.seconds')" = 0.00029 ]
  [ "$(json '[.. | objects | select(.certainty? == "shown").name]')" = "$causes" ]
  run -2 "$ROOFLINE" advise add n=64Mi --machine h100 --ledger l.jsonl --label none
}

@test "a label of another operation, size, machine or format is refused in its own words" {
  "$ROOFLINE" predict add n=64Mi --machine h100 --seal --label add --ledger l.jsonl >/dev/null
  "$ROOFLINE" record add seconds=290us --ledger l.jsonl
  for words in 'gemm m=64 n=64 k=64 --machine h100' 'add n=32Mi --machine h100' \
    'add n=64Mi --machine a100' 'add n=64Mi --machine h100 --dtype fp32'; do
    # shellcheck disable=SC2086
    run -2 "$ROOFLINE" advise $words --ledger l.jsonl --label add
    has '--label add: of `add n=67108864 --machine nvidia-h100-sxm --dtype fp16`'
  done
}

@test "a mix: 80 % decode and 20 % prefill on H200 against H100" {
  advise --mix decode=0.8,prefill=0.2 --machine h100 --machine h200 --json
  near .gain 1.31868 1e-5
  advise --mix decode=1 --machine h100 --machine h200 --json
  near .gain 1.432836 1e-5
  advise --mix decode=0.5,prefill=0.25,overhead=0.25 --machine h100 --machine h200 --json
  near .gain 1.177905 1e-5
}

@test "what if: what moves, and by how much" {
  advise gemm m=10 n=8192 k=8192 --machine "$h989" --dtype fp16 --set peak=2x --json
  near .gain 1
  [ "$(json .moved)" = '"peak 989.0 TFLOP/s -> 1.978 PFLOP/s (2x)"' ]
  advise gemm m=8192 n=8192 k=8192 --machine "$h989" --dtype fp16 --set bandwidth=2x --json
  near .gain 1
  advise linear batch=1 in=8192 out=8192 --machine "$h989" --dtype fp16 --set weights=int4 --json
  [ "$(json '[.before.flops == .after.flops, .before.ridge == .after.ridge, .moved[0:5]]')" = '[true,true,"bytes"]' ]
  advise linear batch=64 in=8192 out=8192 --machine h100 --set batch=128 --without all --json
  near .gain 1.96923 1e-3
  advise gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16 --set dtype=fp8 --without all --json
  near .gain 1.978 1e-3
  advise linear batch=1 in=8192 out=8192 --machine h100 --set batch=64 --set weights=int4 --set machine=h200 --json
  [ "$(json '[.after.machine, .after.parameters.batch, .set]')" = \
    '["nvidia-h200-sxm",64,["batch=64","weights=int4","machine=h200"]]' ]
  advise attention batch=1 heads=32 q_len=2048 kv_len=2048 head_dim=128 algorithm=standard passes=1 --machine h100 --set algorithm=flash
  has 'intensity'
  has 'moved  bytes'
}

@test "what if: the same work in another way by its time, more work by FLOPs, bytes or bytes of the link" {
  same() { # OP ... CHANGE: the same work
    run -0 "$ROOFLINE" advise "${@:1:$#-1}" --machine h100 --set "${@: -1}" --json
    near .gain "$(json '.before.seconds.expected / .after.seconds.expected')"
  }
  more() { # TIMES OP ... CHANGE: so many times the work
    run -0 "$ROOFLINE" advise "${@:2:$#-2}" --machine h100 --set "${@: -1}" --json
    near .gain "$(json "$1 * .before.seconds.expected / .after.seconds.expected")"
  }
  same mla batch=4 heads=128 q_len=4096 kv_len=4096 algorithm=expanded
  [ "$(json '.gain > 3')" = true ]
  local attention='attention batch=1 heads=32 q_len=8192 kv_len=8192 head_dim=128'
  same $attention window=4096
  same $attention causal=1
  same $attention kv_heads=8
  more 2 $attention batch=2
  more 4 gemm m=512 n=512 k=512 batch=4
  more 100 copy n=1e6 n=1e8
  more 1000 allreduce size=1MB ranks=8 size=1GB
  more 64 embedding tokens=64 hidden=4096 tokens=4096
  run -0 "$ROOFLINE" advise $attention --machine h100 --set q_len=16384 --set kv_len=16384 --json
  near .gain "$(json '4 * .before.seconds.expected / .after.seconds.expected')"
  run -0 "$ROOFLINE" advise $attention --machine h100 --set batch=2 --set causal=1 --json
  near .gain "$(json '2 * .before.seconds.expected / .after.seconds.expected')"
}

@test "the best machines, or all of the catalogue" {
  advise $gemv --machine h100
  has 'hardware: '
  [ "$(grep -c '^ *[0-9]* *[a-z][a-z0-9-]* .* W ' <<<"$output")" -lt 12 ]
  local few=${#lines[@]} ranked
  ranked=$(sed -n 's/^  hardware: \([0-9]*\) machines.*/\1/p' <<<"$output")
  advise $gemv --machine h100 --all
  [ "${#lines[@]}" -gt $((few + ranked / 2)) ]
  has 'raspberry-pi-5'
}

@test "bad input" {
  refuses() {
    run --separate-stderr "$ROOFLINE" advise "${@:3}"
    [ "$status" -eq "$1" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == *"$2"* ]] && return
    echo "advise ${*:3}: $status $output $stderr"
    return 1
  }
  refuses 2 'which operation'
  refuses 2 'one shape' gemv m=1,2 n=8 --machine h100
  refuses 2 'one machine' $gemv --machine h100 --machine a100
  refuses 2 'not a number' $gemv --machine h100 measured=fast
  refuses 2 'over 0' $gemv --machine h100 measured=0s
  refuses 2 'did you mean `occupancy`' $gemv measured=1ms --machine h100 -c ocupancy=1
  refuses 2 'NAME=VALUE' $gemv measured=1ms --machine h100 -c occupancy
  refuses 2 'needs a time' $gemv --machine h100 -c occupancy=0.5
  refuses 2 'counter sector_use: 1.5 is no share: at most 1, or 100%' $gemv measured=1ms --machine h100 -c sector_use=150%
  refuses 2 'wall=100.0 µs: shorter than the kernel in it, measured=150.0 µs' $gemv --machine h100 measured=150us wall=100us
  refuses 2 'wall=TIME needs a time to explain: measured=TIME' $gemv --machine h100 wall=300us
  refuses 2 'two machines' --mix decode=1 --machine h100
  refuses 2 'add up to 0.9' --mix decode=0.9 --machine h100 --machine h200
  refuses 2 'did you mean `decode`' --mix decod=1 --machine h100 --machine h200
  refuses 2 'share from 0 to 1' --mix decode=2 --machine h100 --machine h200
  refuses 2 'did you mean `weights`' $gemv --machine h100 --set weight=int4
  refuses 2 'a factor' $gemv --machine h100 --set peak=0x
  refuses 2 'not key=value' $gemv --machine h100 --set batch
  refuses 2 'roofline.ledger' $gemv --machine h100 --label x
}

@test "where the network binds: links, steps, sizes, overlap; steps that cost are not compared with unknown ones" {
  run -0 "$ROOFLINE" advise allreduce size=1GB ranks=8 --machine h100
  [[ $output == *"in 14 steps of 822.0 ns"* ]]
  [[ $output == *"overlapped with independent arithmetic"* ]]
  [[ $output != *"bus bandwidth instead"* ]]
  "$ROOFLINE" machine show h100 --json |
    jq '.name = "node" | .aliases = [] | .links = [{name: "IB", bytes_per_second: 50e9, latency_seconds: 5e-6, kind: "assumed", source: "x"}]' >node.json
  run -0 "$ROOFLINE" advise allreduce size=1MB ranks=16 --machine node.json
  [[ $output == *"in 30 steps of 5.000 µs"* ]]
  [[ $output == *"5. lever       parallel plan: algorithm=direct, 2.87x"* ]]
  [[ $output == *"nvidia-dgx-spark-gb10"* && $output != *"nvidia-b200-hgx"* ]] # by a network of known latency as well
}

@test "a change may cost something each call, and the next step of an observation is named" {
  run -0 "$ROOFLINE" advise linear batch=1 in=8192 out=8192 --machine h100 --dtype fp16 --set weights=int4 --set cost=100us --json
  near .after.seconds.expected "$(json '.before.seconds.expected / .gain')"
  [ "$(json '.gain < 1')" = true ]
  run -2 --separate-stderr "$ROOFLINE" advise linear batch=1 in=64 out=64 --machine h100 --set cost=1x
  [[ $stderr == *"--set cost"* ]]
  run -0 "$ROOFLINE" advise gemm m=8192 n=8192 k=8192 measured=20ms --machine h100 -c active=98% -c matrix=5% --json
  [ "$(json .measured.next_step)" = '"profile it: the throughput of the SMs and of the memory say what it is busy with"' ]
}

@test "launches twice as fast shorten a kernel by half a launch, as predict has it" {
  now=$("$ROOFLINE" predict relu n=1048576 --machine h100 --dtype fp16 --json | jq .seconds.expected)
  run -0 --separate-stderr "$ROOFLINE" advise relu n=1048576 --machine h100 --dtype fp16 --json
  near '.levers[] | select(.change == "launches twice as fast") | .gain' "$(jq -n "$now / ($now - 1e-6)")"
}

@test "a host that launches twice as fast saves half of what a graph saves" {
  run -0 --separate-stderr "$ROOFLINE" advise softmax rows=16 cols=1024 --machine h100 --framework eager --json
  near '.levers[] | select(.change == "launches twice as fast") | .seconds' \
    "$(json '[.levers[] | select(.lever == "launches") | .seconds][0] as $graph | (.prediction.seconds.expected + $graph) / 2')"
  [ "$(json '.levers[] | select(.change == "launches twice as fast") | .moved')" = '"launch cost, by 7.787 µs"' ]
}

@test "what hides a resource has its own time, not that of a cache that may have kept its data" {
  run -0 --separate-stderr "$ROOFLINE" advise gemm m=16 n=4096 k=4096 --machine h100 --dtype bf16 --json
  [ "$(json '.levers[] | select(.change == "math twice as fast") | .why | contains("HBM (10.09 µs)")')" = true ]
}

@test "a format that changes nothing is refused with --set too" {
  for words in 'rmsnorm rows=8 cols=4096' 'allgather size=1e6 ranks=8' 'add_layernorm rows=8 cols=4096'; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr "$ROOFLINE" advise $words --machine h100 --set weights=fp8
    [[ $stderr == "roofline: --weights: has no effect: ${words%% *} has no weights" ]]
  done
  run -0 "$ROOFLINE" advise linear batch=1 in=8192 out=8192 --machine h100 --set weights=fp8
}

@test "levers and machines start from the time that is predicted" {
  run -0 "$ROOFLINE" advise dot n=835 --dtype fp64 --machine amd-epyc-9755 --json
  [ "$(json '.levers[] | select(.change | startswith("compute and store in fp32")) | .gain | . > 1.9 and . < 2.1')" = true ]
  [ "$(json '[.levers[] | select(.lever == "launches") | .gain, .seconds] | unique')" = '[null]' ]
  run -0 "$ROOFLINE" advise dot n=835 --dtype fp64 --machine amd-epyc-9755
  [[ $output == *'?  launches        one call for many'* ]]
}

@test "a rate above what the vector units can give is no reason to ask for the matrix unit" {
  advise gemm m=8192 n=8192 k=8192 measured=0.9ms --machine b200 --dtype fp8
  [[ $output != *'no tensor cores'* && $output != *'use the matrix unit'* ]]
  has '1. keep more warps resident'
}

@test "a processor's levers are formats that its file has a peak of" {
  for dtype in fp32 fp64; do
    advise triad n=16Mi measured=20ms --machine "$ROOFLINE_SOURCE/examples/epyc.json" --dtype $dtype
    [[ $output != *'compute and store in'* ]]
  done
}

@test "a kernel above its measured ceiling is not done, and has that to explain" {
  advise gemv m=8192 n=28672 measured=145us --machine h100 --dtype fp16
  has '% of the measured ceiling: explain, faster than the benchmark'
  has 'it is above its measured ceiling, so that ceiling, the work or the time is wrong'
  [[ $output != *'nothing to explain'* && $output != *'the kernel is done'* ]]
}

@test "a counter that is no sign of a cause there is said not to be used" {
  advise gemm m=8192 n=8192 k=8192 measured=3ms --machine h100 -c occupancy=10%
  has 'not used       occupancy: no sign of a cause in compute-bound work'
  advise $gemv measured=240us --machine h100 -c occupancy=0.3
  [[ $output != *'not used'* ]]
}

@test "the bandwidth is that of the operation's reads and writes, as its ridge is" {
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  run -0 "$ROOFLINE" advise triad n=16Mi --machine fake --dtype fp32
  has '10.67 FLOP/B: 384.0 GFLOP/s over 36.00 GB/s'
  has 'bandwidth 36.00 GB/s -> 72.00 GB/s (2x)'
  run -0 "$ROOFLINE" advise triad n=16Mi --machine fake --dtype fp32 --set n=32Mi
  [[ $output =~ bandwidth\ +36.00\ GB/s\ +36.00\ GB/s ]]
}

@test "the scripted machine is ranked where it is asked about alone" {
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  run -0 "$ROOFLINE" advise gemm m=8 n=k=4096 --machine fake --dtype fp32 --all
  [[ $output =~ [0-9]\ +fake\  ]]
  run -0 "$ROOFLINE" advise gemm m=8 n=k=4096 --machine h100 --dtype fp32 --all
  [[ ! $output =~ [0-9]\ +fake\  ]]
}

@test "a launch costs the same in both sentences about it" {
  "$ROOFLINE" loop --quick --backend fake >/dev/null # its constants let a launch hide in part
  run -0 "$ROOFLINE" advise gemm m=n=k=1536 --machine fake --dtype fp32
  has 'hide a launch (5.000 µs)'
  has 'hides the launch of 5.000 µs'
}

@test "the level that gives the time at best begins the answer and the cascade" {
  run -0 "$ROOFLINE" advise gemm m=1 n=4096 k=4096 --machine h100 measured=12us
  has 'at best 3.312 µs from L2'
  has '    L2                10.14 TB/s  100.0 %  assumed'
  has '    HBM               3.350 TB/s   33.0 %  datasheet'
  has '    measured          2.798 TB/s   27.6 %'
  has 'memory-bound, high efficiency' # nine in ten like it take longer
  run -0 "$ROOFLINE" sweep gemm m=1 n=4096 k=4096 --machine h100
  has '10.13 TFLOP/s  3.312 µs'
}
