#!/usr/bin/env bats
# What `measure` finds beyond single figures: ceilings by cores, bandwidth by working set, loads mixed with arithmetic, operations that
# no peak counts, links between devices; occupancy; kernels in turns on processors.
bats_require_minimum_version 1.5.0

setup() {
  load lib.bash
  start
  printf '%s\n' 'cores = 8' 'core_read = 12GB/s' 'cache = 1MiB' 'cache_read = 90GB/s' 'hidden = 0.8' 'divide = 16e9' >node.script
  ROOFLINE_FAKE=node.script "$ROOFLINE" measure --backend fake --to node.json >/dev/null
}

plot() {
  run -0 --separate-stderr "$ROOFLINE" plot "$@"
}

@test "measure: how ceilings grow with the cores, and how many saturate them" {
  [ "$(jq -c '[.scaling[] | [.name, .unit, .cores, .saturating_cores]]' node.json)" = \
    '[["fp64 vector fake","FLOP/s",[1,2,4,8],null],["DRAM read","B/s",[1,2,4,8],4]]' ]
  [ "$(jq -c '.scaling[1].per_second' node.json)" = '[12000000000,24000000000,40000000000,40000000000]' ]
  run -0 "$ROOFLINE" machine show ./node.json
  has 'DRAM read            12.00 GB/s     40.00 GB/s   3.33             4  measured'
  has 'fp64 vector fake  24.00 GFLOP/s  192.0 GFLOP/s      8           all  measured'
  has 'fp64 divide, fake, 1 core  2.000 Gop/s      0.667'
  run -0 "$ROOFLINE" machine lint ./node.json
}

@test "plot scaling: memory in another mode than when its ceiling was measured" {
  jq '.scaling[1].per_second |= map(. / 2)' node.json >slow.json
  plot scaling --machine ./node.json --width 80
  [[ $output != *'memory ran'* ]]
  plot scaling --machine ./slow.json --width 80
  has 'memory ran at 50 % of its ceiling meanwhile'
  plot scaling --machine ./slow.json --to slow.svg
  grep -q 'saturate it; memory ran at 50 % of its ceiling meanwhile' slow.svg
}

@test "plot scaling: printed and drawn" {
  plot scaling --machine ./node.json --json
  [ "$(jq -c '[.bars[] | select(.label | startswith("DRAM")) | .value * 100 | round]' <<<"$output")" = '[100,200,333,333]' ]
  [ "$(jq -r '[.bars[] | select(.note | contains("saturated")) | .label] | join(",")' <<<"$output")" = 'DRAM read, 4 cores' ]
  plot scaling --machine ./node.json --width 80
  [[ $output == *'DRAM read, 8 cores'*'3.333 x'*'40.00 GB/s'* ]]
  plot scaling --machine ./node.json --to scaling.svg
  xmllint --noout scaling.svg
  grep -q 'times one core' scaling.svg
}

@test "plot curve: what one core reads by working set" {
  plot curve --machine ./node.json --csv
  [ "$(head -2 <<<"$output" | tail -1)" = '8 KiB,90000000000,' ]
  [ "$(tail -1 <<<"$output")" = '64 MiB,12000000000,' ]
  plot curve --machine ./node.json --to curve.svg
  xmllint --noout curve.svg
  grep -q 'working set' curve.svg
  plot curve --machine ./node.json --to curve.html
  grep -q '<svg' curve.html
}

@test "plot intensity: whether both ceilings overlap at the ridge" {
  plot intensity --machine ./node.json
  # the ridge is 192 / 40 = 4.8 FLOP/B; at 4 memory takes 1.2 times as long, and a fifth of the arithmetic shows
  has 'at 4 FLOP/B, next to the ridge of 4.8: 85.7 % of the roofline'
  has '4 FLOP/B     '
  plot intensity --machine ./node.json --csv
  grep -q '^4 FLOP/B,13714285714[0-9],85.7 % of the roofline' <<<"$output"
  plot intensity --machine ./node.json --to ridge.svg
  xmllint --noout ridge.svg
  grep -q 'ridge 4.8 FLOP/B' ridge.svg
  grep -q '82 % of the shorter time hidden' ridge.svg
}

@test "what was not measured, and what was mistyped" {
  for chart in curve scaling intensity; do
    run -2 "$ROOFLINE" plot $chart --machine h100
    [ "$output" = "roofline: $chart: not measured; \`roofline measure\` finds it on a processor" ]
    run -2 "$ROOFLINE" plot $chart --machine h100 --to x.svg
    [ ! -e x.svg ]
  done
  jq '.unit_count = 1 | del(.scaling)' node.json >one.json
  run -2 "$ROOFLINE" plot scaling --machine ./one.json
  [ "$output" = 'roofline: scaling: a machine of one core has none' ]
  run -2 "$ROOFLINE" plot curve --machine ./node.json --machine h100
  has 'plot curve: one machine at a time'
  run -2 "$ROOFLINE" plot curve gemm --machine ./node.json
  has 'gemm'
}

@test "plot --isa: the lesser roofs under an operation" {
  plot gemm m=n=k=100 --machine "$ROOFLINE_SOURCE/examples/epyc.json" --dtype fp64 --isa --json
  [ "$(jq '[.roofs[] | select(.label | startswith("scalar") or startswith("SSE2"))] | length > 1' <<<"$output")" = true ]
  [ "$(jq '.dots | length' <<<"$output")" -eq 1 ]
  plot gemm m=n=k=100 --machine "$ROOFLINE_SOURCE/examples/epyc.json" --dtype fp64 --json
  [ "$(jq '[.roofs[] | select(.label | startswith("scalar"))] | length' <<<"$output")" -eq 0 ]
}

@test "explain occupancy: blocks, what limits them, what lets one more in" {
  run -0 "$ROOFLINE" explain occupancy threads=256 registers=96 shared=40Ki --machine h100
  has 'threads=256 registers=96 shared=40 KiB: 2 blocks per SM, 16 of 64 warps, 25 %, limited by registers'
  has 'one block more with registers=80, or threads=192'
  run -0 "$ROOFLINE" explain occupancy threads=1024 registers=32 shared=48Ki --machine h100 # threads=672 let three in, of 63 warps
  has '64 of 64 warps, 100 %, limited by warps and registers'
  [[ $output != *'one block more'* && $output != *'no single change'* ]]
  run -0 "$ROOFLINE" explain occupancy threads=1024 registers=32 shared=48Ki --machine h100 --json
  [ "$(jq -c '.occupancy.next_threads' <<<"$output")" = null ]
  run -0 "$ROOFLINE" explain occupancy threads=256 registers=96 shared=40Ki --machine h100 --json
  [ "$(jq -c '.occupancy | [.blocks, .warps, .share, .limit, .most_blocks.shared, .next_registers, .next_shared_bytes]' <<<"$output")" = \
    '[2,16,0.25,"registers",5,80,null]' ]
  run -0 "$ROOFLINE" explain occupancy threads=1024 shared=228Ki --machine h100
  has 'no block can be launched: shared=228 KiB: a block has at most 227 KiB'
  run -0 "$ROOFLINE" explain occupancy threads=64 --machine ./node.json
  has 'unknown: it has no blocks'
  run -2 "$ROOFLINE" explain occupancy threads=64 registrs=3 --machine h100
  has 'did you mean `registers`?'
  run -0 "$ROOFLINE" explain ridge --json --machine h100
  [ "$(jq .occupancy <<<"$output")" = null ]
}

@test "run --baseline: two kernels in turns on a processor" {
  run -0 --separate-stderr "$ROOFLINE" run gemm-blocked --baseline gemm-naive m=64 n=64 k=64 --quick --json
  [ "$(jq -c '.kernels[0].baseline | [.name, .fraction > 0, (.samples | length)]' <<<"$output")" = \
    "[\"gemm-naive m=64 n=64 k=64 fp32\",true,$(jq '.kernels[0].samples | length' <<<"$output")]" ]
  [ "$(jq -r '.kernels[0].power' <<<"$output")" = 'not measured: two kernels ran in turns' ]
  run -0 "$ROOFLINE" run scale --baseline scale n=10000 --quick
  [[ $output == *" % of scale, which took "*" in turns with it"* ]]
  run -2 "$ROOFLINE" run scale --baseline triad n=10000 --quick
  [ "$output" = 'roofline: scale and triad: two operations, scale and triad' ]
}
