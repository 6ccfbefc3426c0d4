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

# measure COUNT TIME FILE: what its first lines are is in `out`.
measure() {
  netns_openmpi "$1" "$ROOFLINE" measure --cluster --backend fake --quick --network "$2" --to "$3" >out 2>err ||
    { cat err; return 1; }
}

# as_set FILE: latency and bandwidth of the file are those that were set, within 5 %.
as_set() {
  output=$(jq .network "$1")
  near '.distances[0].protocols[0].latency_seconds.value' 10e-3 0.05 &&
    near '[.distances[0].messages[] | select(.windowed_seconds != null) | .bytes / .windowed_seconds][-1]' \
      "$(awk "BEGIN { print 400e6 / 8 * $payload }")" 0.05
}

@test "latency and bandwidth are those that were set" {
  netns_up 2 10000 400mbit
  for _ in 1 2 3; do # what else runs here only adds
    measure 2 8s c.json
    ! as_set c.json || break
  done
  as_set c.json
  [ "$(json '[.ranks, (.distances | length), .distances[0].distance, .distances[0].node, .distances[0].other_node]')" = \
    '[2,1,"network","n1","n2"]' ]

  # Collectives were sealed before they ran, and none is faster than a message.
  run -0 "$ROOFLINE" ledger verify
  [ "$(jq -s '.[0].kind == "prediction" and ([.[] | select(.kind == "prediction")] | length > 20)' roofline.ledger)" = true ]
  [ "$(jq '[.network.collectives[].op] | unique | length' c.json)" = 6 ]
  [ "$(jq '[.network.collectives[].sizes[] | select(.seconds != null)] | length > 6 and all(.seconds > 9e-3)' c.json)" = true ]
  run -0 "$ROOFLINE" cluster report c.json
  has 'network: a message takes 10.'
  has 'allreduce'
  run -0 "$ROOFLINE" cluster links c.json --to n.svg
  xmllint --noout n.svg
  grep -q 'network, n1 to n2' n.svg
  run -2 "$ROOFLINE" cluster links c.json --json
  has '`roofline cluster report FILE --json` has it'
}

@test "a node that sends slowly is found" {
  netns_up 4 500 400mbit
  netns_rate 4 40mbit
  measure 4 3s c.json
  run -0 jq .network c.json
  [ "$(json '[.nodes[] | select(.slow) | .node] | contains(["n4"])')" = true ]
  [ "$(json '.nodes | min_by(.bytes_per_second) | .node')" = '"n4"' ]
  grep -q 'slower than the others: .*n4' out
}
