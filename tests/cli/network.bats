#!/usr/bin/env bats
# The network between nodes, measured for real: network namespaces whose delay and rate are set.
load lib
load ../netns

setup() {
  start
  local why
  why=$(netns_absent)
  [ -z "$why" ] || skip "$why"
  command -v mpirun.openmpi >/dev/null || skip "no mpirun.openmpi here"
  [ -f "$ROOFLINE_BUILD/mpi/roofline_mpi_openmpi.so" ] || skip "no plugin for Open MPI was built"
}

teardown() {
  netns_down
}

# Bytes of a message in an IP packet of 9000: 40 of headers, 12 of TCP's time stamp.
payload=8948/9000

@test "latency and bandwidth are those that were set, the slowed node is found" {
  netns_up 4 5000 400mbit
  netns_rate 4 80mbit
  netns_openmpi 4 "$ROOFLINE" measure --cluster --backend fake --quick --network 4s --to c.json >out 2>err || { cat err; return 1; }
  run -0 jq .network c.json
  [ "$(json '[.ranks, (.distances | length), .distances[0].distance, .distances[0].node, .distances[0].other_node]')" = \
    '[4,1,"network","n1","n2"]' ]
  near '.distances[0].protocols[0].latency_seconds.value' 5e-3 0.05
  near '[.distances[0].messages[] | select(.windowed_seconds != null) | .bytes / .windowed_seconds][-1]' \
    "$(awk "BEGIN { print 400e6 / 8 * $payload }")" 0.05
  [ "$(json '[.nodes[] | select(.slow) | .node]')" = '["n4"]' ]
  near '.nodes[3].bytes_per_second' "$(awk "BEGIN { print 80e6 / 8 * $payload }")" 0.3
  grep -q 'slower than the others: n4' out

  # Collectives were sealed before they ran, and none beats its bound.
  run -0 "$ROOFLINE" ledger verify roofline.ledger
  [ "$(jq -s '[.[] | select(.kind == "prediction")] | length > 20 and ([.[].sequence] == [range(1; 1 + length)])' roofline.ledger)" = true ]
  [ "$(jq '[.network.collectives[].op] | unique | length' c.json)" = 6 ]
  [ "$(jq '[.network.collectives[].sizes[] | select(.seconds != null)] | length > 6 and all(.seconds > 5e-3)' c.json)" = true ]
  run -0 "$ROOFLINE" cluster report c.json
  has 'network: a message takes 5.'
  has 'allreduce'
}
