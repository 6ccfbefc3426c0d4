#!/usr/bin/env bats
# roofline measure --cluster under the launchers that are here, and what `cluster` answers about its file. The nodes are ranks with
# names of their own, measured by the scripted backend.

setup() {
  load lib.bash
  load mpi.bash
  start
  cat >rank.sh <<'END'
#!/bin/sh
r=${OMPI_COMM_WORLD_RANK-${PMI_RANK-$SLURM_PROCID}}
export SLURMD_NODENAME=node$r
[ ! -e fake.$r ] || export ROOFLINE_FAKE=fake.$r
[ ! -x roofline.$r ] || { shift; set -- ./roofline.$r "$@"; }
echo $$ >pid.$r
exec "$@"
END
  chmod +x rank.sh
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_RANK PMI_SIZE PMIX_RANK MPI_LOCALNRANKS SLURM_STEP_ID SLURM_STEP_NUM_TASKS
}

# cluster RANKS OPTION...: measures that many nodes.
cluster() {
  local ranks=$1
  shift
  "${launch[@]}" -n "$ranks" ./rank.sh "$ROOFLINE" measure --cluster --backend fake "$@"
}

# begin RANKS: the same in the background, where rank 1 never answers; goes on when the file so far has the two others.
begin() {
  mkfifo fake.1
  (exec "${launch[@]}" -n "$1" ./rank.sh "$ROOFLINE" measure --cluster --backend fake) >out 2>&1 3>&- &
  job=$!
  for _ in $(seq 200); do
    ! jq -e '.nodes | length == 2' cluster.json.part >/dev/null 2>&1 || return 0
    sleep 0.1
  done
  cat out
  return 1
}

# gone PID: nothing of the job is left, or goes soon.
gone() {
  for _ in $(seq 100); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  echo "process $1 is still there"
  return 1
}

one_run() {
  needs "$1"
  echo 'read = 28GB/s' >fake.2
  run -0 cluster 4 --quiet
  has 'cluster.json: 4 nodes, 1 stands out: node2 slow memory'
  has 'DRAM read 28.00 GB/s, 30 % under the median of 40.00 GB/s'
  run -0 cat cluster.json
  [ "$(json '.nodes | map(.name)')" = '["node0","node1","node2","node3"]' ]
  [ "$(json '[.schema, .job.ranks, .incomplete, .outliers[0].node]')" = '["roofline.nodes/1",4,null,"node2"]' ]
  [ "$(json '.distribution[] | select(.name == "DRAM read") | [.nodes, .median, .low, .slowest]')" = '[4,40000000000,28000000000,"node2"]' ]
  [ ! -e cluster.json.part ]
}

@test "Open MPI: four nodes in one run, the slow one stands out" {
  one_run openmpi
}

@test "MPICH: four nodes in one run, the slow one stands out" {
  one_run mpich
}

@test "ranks of one node are one node" {
  needs openmpi
  run -0 --separate-stderr "${launch[@]}" -n 3 "$ROOFLINE" measure --cluster --backend fake --json
  [ "$(json '[.nodes[] | .ranks]')" = '[3]' ]
}

# domains RANKS A_NODE OPTION...: RANKS ranks, so many of them on each node.
domains() {
  local ranks=$1 each=$2
  shift 2
  sed -i "s/SLURMD_NODENAME=.*/SLURMD_NODENAME=node\$((r \/ $each))/; s/fake\.\$r/fake.\$((r \/ $each))/g" rank.sh
  cluster "$ranks" "$@"
}

@test "a rank for each domain of memory reads it while the others do; one that is slower than its siblings stands out" {
  needs openmpi
  printf 'read = 40GB/s\ndomains = 10GB/s 10.01GB/s 7GB/s 9.99GB/s\n' >fake.0
  run -0 domains 5 5 --quiet --to one.json
  has 'one.json: 1 node, 1 stands out: node0 slow memory domain'
  has 'DRAM at once, node 2 7.000 GB/s, 30 % under the median of 9.995 GB/s of the node'"'"'s 4 domains'
  has 'The domains of a node read 37.00 GB/s at once, the node as one 40.00 GB/s (medians).'
  run -0 cat one.json
  [ "$(json '.nodes[0] | [.ranks, .domains]')" = '[5,"4 at once, by a rank each"]' ]
  [ "$(json '[.nodes[0].ceilings[] | select(.name | startswith("DRAM at once")) | .median / 1e9]')" = '[10,10.01,7,9.99,37]' ]
  run -0 "$ROOFLINE" cluster report one.json --to one.html
  grep -q 'slow memory domain' one.html
  sed -i 's/7GB/10GB/' fake.0
  run -0 cluster 4 --quiet --to before.json
  [[ $output != *'stands out:'* ]]
  run -1 "$ROOFLINE" cluster check one.json --against before.json
  has 'node0 DRAM at once, node 2 fell'
}

@test "fewer ranks than domains: the node is measured with what there is, and says so" {
  needs mpich
  printf 'domains = 10GB/s 10GB/s 7GB/s 10GB/s\n' >fake.0
  run -0 domains 2 2 --quiet
  has 'Memory domains of node0: 4 one after the other; with 4 ranks a node they are read at once.'
  run -0 cat cluster.json
  [ "$(json '[.nodes[0].ceilings[] | select(.name | startswith("DRAM at once"))]')" = '[]' ]
}

@test "without a launcher one line says how to start it" {
  run -3 "$ROOFLINE" measure --cluster
  [ "${#lines[@]}" -eq 1 ]
  has 'no launcher started this: `mpirun -n RANKS roofline ...`'
  SLURM_STEP_NUM_TASKS=4 run -3 "$ROOFLINE" measure --cluster
  has 'srun started 4 tasks that cannot reach each other: `srun --mpi=pmix`'
  run -2 "$ROOFLINE" measure --patience 3s
  has 'roofline: --patience: has no effect without --cluster'
  run -2 "$ROOFLINE" measure --cluster --to nodes.svg
  has '`roofline cluster report FILE.json --to nodes.svg` draws it'
}

@test "an MPI that is not here says what to install; another MPI's launcher is noticed" {
  needs mpich
  ROOFLINE_MPI_PLUGINS=$PWD run cluster 2
  [ "$status" -ne 0 ]
  has 'no MPI (the plugin for MPICH): roofline_mpi_mpich.so cannot be loaded'
  ROOFLINE_MPI=lam run cluster 2
  [ "$status" -ne 0 ]
  has 'ROOFLINE_MPI `lam`: unknown; known: openmpi, mpich'
}

@test "a node of another version is refused by its name" {
  needs openmpi
  version=$("$ROOFLINE" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)
  sed "s/${version//./\\.}/${version%.*}.9/g" "$ROOFLINE" >roofline.1
  chmod +x roofline.1
  ROOFLINE_MPI_PLUGINS=$(dirname "$ROOFLINE")/mpi run cluster 3
  [ "$status" -ne 0 ]
  has "cluster: node1: has roofline ${version%.*}.9, and node0 $version: one version on all nodes"
  grep -qE 'Process name: \[\[[0-9]+,1\],0\]' <<<"$output" # the rank that said why ended the job
  [ ! -e cluster.json ] && [ ! -e cluster.json.part ]
}

@test "a node that does not answer ends the run within a limit, named; the others are kept" {
  needs openmpi
  mkfifo fake.1
  run -3 cluster 3 --patience 1s
  has 'rank 1 (node1) gave no answer: not within 1 s after the first node; 2 of 3 nodes are in cluster.json.part'
  [ ! -e cluster.json ]
  run -0 "$ROOFLINE" cluster report cluster.json.part
  has 'the run is incomplete: rank 1 (node1) gave no answer'
}

killed() {
  needs "$1"
  begin 3
  first=$(cat pid.0)
  kill -9 "$(cat pid.1)"
  run ! wait "$job"
  gone "$first"
  [ ! -e cluster.json ]
  run -0 "$ROOFLINE" cluster report cluster.json.part
  has '2 nodes'
  has 'the run is incomplete: rank 1 (node1)'
}

@test "Open MPI: a rank that is killed is named, the others are kept" {
  killed openmpi
  grep -q 'rank 1 (node1) ended' out
}

@test "MPICH: a rank that is killed leaves what was measured" {
  killed mpich
}

@test "interrupted, it leaves no half file" {
  needs openmpi
  begin 3
  first=$(cat pid.0)
  kill -TERM "$job"
  run ! wait "$job"
  gone "$first"
  [ ! -e cluster.json ]
  jq -e '.nodes | length == 2' cluster.json.part
}

# nodes NAME=READ...: a file of nodes with that much GB/s of memory.
nodes() {
  jq -n --args '{schema: "roofline.nodes/1", job: {launcher: "the test", mpi: "none", ranks: 4}, nodes: [$ARGS.positional[] | split("=") |
    {name: .[0], processor: "P", cores: 64, ceilings: [
      {name: "fp64 vector", unit: "FLOP/s", median: 2e12, spread: 0.01},
      {name: "DRAM read", unit: "B/s", median: (.[1] | tonumber * 1e9), spread: 0.01}]}]}' "$@"
}

@test "the report as text, page, drawing, JSON and CSV; names are data" {
  nodes 'n1=300' 'n2=301' '<script>alert(1)</script>=200' 'n4=299' >c.json
  run -0 "$ROOFLINE" cluster report c.json
  [ "${lines[0]}" = 'c.json: 4 nodes, 1 stands out: <script>alert(1)</script> slow memory' ]
  run -0 "$ROOFLINE" cluster report c.json --to c.html
  grep -q '&lt;script&gt;alert(1)' c.html
  run ! grep -q '<script>alert(1)' c.html
  grep -q 'Nodes from the slowest to the fastest' c.html
  run ! grep -q 'What was predicted' c.html
  run -0 "$ROOFLINE" cluster report c.json --to c.svg
  grep -q 'Nodes from the slowest to the fastest' c.svg
  run ! grep -q '<script' c.svg
  run -0 "$ROOFLINE" cluster report c.json --json
  [ "$(json '.outliers | map(.what)')" = '["slow memory"]' ]
  run -0 --separate-stderr "$ROOFLINE" cluster report c.json --csv
  [ "${lines[0]}" = 'node,ceiling,unit,median,spread' ]
  [ "${#lines[@]}" -eq 9 ]
}

@test "of each kind the report has the ceiling that binds, and each that stands out" {
  nodes n1=300 n2=301 n3=302 n4=303 |
    jq '.nodes |= [to_entries[] | .key as $i | .value | .ceilings += [
      {name: "fp64 vector SSE2", unit: "FLOP/s", median: 5e11, spread: 0.01},
      {name: "DRAM copy", unit: "B/s", median: 2e11, spread: 0.01},
      {name: "DRAM write", unit: "B/s", median: (if $i == 2 then 1e11 else 2e11 end), spread: 0.01}]]' >c.json
  run -0 "$ROOFLINE" cluster report c.json
  has 'fp64 vector '
  has 'DRAM write '
  has '2 slower instruction sets and other accesses: --csv'
  [[ $output != *'fp64 vector SSE2'* ]]
  [[ $output != *'DRAM copy'* ]]
}

@test "check: what fell since, node by node, is the exit code" {
  nodes n1=300 n2=301 n3=302 >before.json
  nodes n1=300 n2=250 n3=303 >after.json
  command jq -S . before.json >sorted.json # its schema comes last
  run -0 "$ROOFLINE" cluster check before.json --against sorted.json
  has 'no node fell behind what was expected; '
  run -1 "$ROOFLINE" cluster check after.json --against before.json
  has 'after.json against before.json: 1 node fell behind what was expected: n2 DRAM read fell'
  run -1 "$ROOFLINE" cluster check after.json --against before.json --json
  [ "$(json '[.schema, .fallen, (.changes | map([.node, .figure, .verdict]))]')" = '["roofline.nodes_change/1",1,[["n2","DRAM read","fell"]]]' ]
  nodes n1=300 n3=302 >fewer.json
  run -1 "$ROOFLINE" cluster check fewer.json --against before.json
  has 'n2 node missing'
}

@test "check has no picture" {
  nodes n1=300 n2=301 n3=302 >c.json
  for ending in svg png pdf; do
    run -2 "$ROOFLINE" cluster check c.json --against c.json --to "check.$ending"
    [ "$output" = "roofline: --to check.$ending: \`cluster check\` writes files that end in .txt, .html, .json or .csv" ]
    [ ! -e "check.$ending" ]
  done
  for ending in txt html json csv; do
    run -0 "$ROOFLINE" cluster check c.json --against c.json --to "check.$ending"
    [ -s "check.$ending" ]
  done
}

@test "check against the machine that was ordered, with a tolerance" {
  machine ordered 2e12 307e9 | jq '.peaks = [{dtype: "fp64", unit: "vector", flops_per_second: 2e12, kind: "datasheet", source: "x"}]
    | .levels[0].name = "DDR5"' >ordered.json
  nodes n1=300 n2=301 n3=270 >c.json
  run -1 "$ROOFLINE" cluster check c.json --against ordered.json
  has '1 node fell behind what was expected: n3 DRAM fell'
  run -0 "$ROOFLINE" cluster check c.json --against ordered.json --tolerance 15
  run -2 "$ROOFLINE" cluster check c.json --against ordered.json --tolerance 150
  run -2 "$ROOFLINE" cluster check c.json --against c.json --tolerance 5
}

@test "check against a machine: a node without a GPU or a figure that others have lacks it" {
  jq -n '{schema: "roofline.nodes/1", nodes: [["a", 2, 2], ["b", 2, 1], ["c", 0, 0], ["d", 2, 2]] | map(. as [$name, $gpus, $measured] |
    {name: $name, cores: 64, gpus: $gpus, ceilings: [range($measured) |
      {name: "gpu\(.) HBM read", unit: "B/s", median: 3.2e12}, {name: "gpu\(.) fp16 matrix", unit: "FLOP/s", median: 9.5e14}]})}' >gpus.json
  run -1 --separate-stderr "$ROOFLINE" cluster check gpus.json --against h100 --csv
  [ "$(printf '%s\n' "${lines[@]}" | cut -d , -f 1,2,9 | grep missing)" = 'b,gpu1 fp16 matrix,missing
b,gpu1 HBM read,missing
c,gpu0 fp16 matrix,missing
c,gpu0 HBM read,missing
c,gpu1 fp16 matrix,missing
c,gpu1 HBM read,missing' ]
  nodes n1=300 n2=301 n3=302 | jq '.nodes[1].ceilings = [] | del(.nodes[2].ceilings[1])' >c.json
  run -1 "$ROOFLINE" cluster check c.json --against amd-epyc-9654 --tolerance 80
  has '2 nodes fell behind what was expected: n2 fp64 vector missing and 2 more figures; '
  jq '.nodes |= map(.ceilings = [.ceilings[] | select(.name == "DRAM read")])' c.json >c_dram.json
  run -1 "$ROOFLINE" cluster check c_dram.json --against amd-epyc-9654 --tolerance 80
  run ! grep -q fp64 <<<"$output"
}

@test "check against an earlier run: memory within noise, a node absent as it was, the largest loss first" {
  nodes n1=300 n2=301 n3=302 | jq '.nodes[].memory_bytes = 512000000000' >before.json
  jq '.nodes[1].memory_bytes -= 4096' before.json >kernel.json
  run -0 "$ROOFLINE" cluster check kernel.json --against before.json
  jq '.nodes[1].memory_bytes -= 64e9' before.json >module.json
  run -1 "$ROOFLINE" cluster check module.json --against before.json
  has ': n2 memory fell; '
  jq '.nodes[0].ceilings[1].median = 280e9 | .nodes[2].ceilings[].median *= 0.4' before.json >slow.json
  run -1 "$ROOFLINE" cluster check slow.json --against before.json
  has '2 nodes fell behind what was expected: n3 fp64 vector fell and 2 more figures; '
  jq '.nodes[2] |= (.ceilings = [] | .absent = "killed")' before.json >killed.json
  run -0 "$ROOFLINE" cluster check killed.json --against killed.json
  jq '.nodes[2].absent = "no answer"' killed.json >silent.json
  run -1 "$ROOFLINE" cluster check silent.json --against killed.json --json
  [ "$(json '.changes | map([.node, .was, .is, .verdict])')" = '[["n3","killed","no answer","missing"]]' ]
  jq 'del(.nodes[2])' before.json >gone.json
  run -1 "$ROOFLINE" cluster check gone.json --against killed.json --json
  [ "$(json '.changes | map([.was, .is])')" = '[["killed","not in this run"]]' ]
}

@test "a link that is slower than the others stands out, and check compares links" {
  nodes n1=300 n2=301 n3=302 n4=303 n5=304 | jq '.network = {library: "Open MPI", ranks: 5, distances: [], collectives: [],
    nodes: [.nodes[].name | {node: ., rank: 0, latency_seconds: 2e-6, bytes_per_second: 25e9}]}' >before.json
  jq '.network.nodes[4].bytes_per_second = 5e9' before.json >after.json
  run -0 "$ROOFLINE" cluster report before.json
  has 'before.json: 5 nodes, none stands out'
  run -0 "$ROOFLINE" cluster report after.json
  [ "${lines[0]}" = 'after.json: 5 nodes, 1 stands out: n5 slow network' ]
  has 'messages go at 5.000 GB/s to the others, 80 % under the median of 25.00 GB/s (80.0 deviations)'
  run -1 "$ROOFLINE" cluster check after.json --against before.json
  has '1 node fell behind what was expected: n5 network bandwidth fell; '
  jq '.network.nodes[4].bytes_per_second = 23e9 | .network.nodes[3].latency_seconds = 3e-6' before.json >late.json
  run -1 "$ROOFLINE" cluster check late.json --against before.json
  has '1 node fell behind what was expected: n4 network latency fell; '
  jq 'del(.network.nodes[4])' before.json >fewer.json
  run -1 "$ROOFLINE" cluster check fewer.json --against before.json
  has 'n5 network latency missing and 1 more figure; '
  jq '.network = null' before.json >without.json
  run -0 "$ROOFLINE" cluster check without.json --against before.json
}

@test "standard input is a file, also of what reads it more than once" {
  cp "$ROOFLINE_SOURCE/examples/cluster.json" c.json
  jq '.levels[0].name = "DDR5"' "$h989" >ordered.json
  while read -r file words; do
    # shellcheck disable=SC2086
    run "$ROOFLINE" ${words//FILE/"$file"}
    by_name=$status${output//"$file"/-}
    # shellcheck disable=SC2086
    run "$ROOFLINE" ${words//FILE/-} <"$file"
    [ "$status$output" = "$by_name" ] || { echo "$words: $output"; return 1; }
  done <<END
c.json cluster report FILE
c.json cluster report FILE --csv
c.json cluster check FILE --against $ROOFLINE_SOURCE/examples/cluster_accepted.json
ordered.json cluster check c.json --against FILE
c.json cluster links FILE
c.json model llama-3.1-8b tp=2 --machine h100 --network FILE
$ROOFLINE_SOURCE/examples/scaling.json cluster report FILE
END
  run -0 "$ROOFLINE" cluster report - <c.json
  run -2 "$ROOFLINE" cluster report - </dev/null
  run -2 "$ROOFLINE" cluster report "$PWD"
  has 'Is a directory'
}

@test "what is refused" {
  nodes n1=300 >c.json
  run -2 "$ROOFLINE" cluster report
  has 'cluster report: no file named'
  run -2 "$ROOFLINE" cluster report none.json
  run -2 "$ROOFLINE" cluster check c.json
  has 'needs --against'
  head -c 60 c.json >short.json
  run -2 "$ROOFLINE" cluster report short.json
  has 'short.json:'
  has 'ends early'
  jq '.nodes[0].ceilings[0].median = "1e9"' c.json >text.json
  run -2 "$ROOFLINE" cluster report text.json
  [[ $output == "roofline: text.json:"*': cluster: `median` is no number from 0 on' ]]
  jq '.nodes += .nodes' c.json >twice.json
  run -2 "$ROOFLINE" cluster report twice.json
  [[ $output == 'roofline: twice.json:'*': cluster: two nodes of one name' ]]
  run -2 "$ROOFLINE" cluster llama-3.1-8b --against c.json
  has 'roofline: --against: has no effect without `check`'
}

@test "ten thousand nodes are read, judged and drawn" {
  seq 10000 | jq -nc '{schema: "roofline.nodes/1", nodes: [inputs | {name: "n\(.)", ceilings: [{name: "DRAM read", unit: "B/s",
    median: (if . == 4711 then 2e11 else 3e11 + . * 1e5 end), spread: 0.01}]}]}' >many.json
  run -0 "$ROOFLINE" cluster report many.json
  has '10000 nodes, 1 stands out: n4711 slow memory'
  run -0 "$ROOFLINE" cluster report many.json --to many.svg
  run -0 "$ROOFLINE" cluster check many.json --against many.json
}

@test "--network FILE: figures of processors are none of a GPU, and the answer says so" {
  nodes n1=300 n2=301 n3=214 >c.json
  run -0 "$ROOFLINE" model llama-3.1-70b tp=8 pp=2 --machine h100 --network c.json
  has 'stragglers  none counted: c.json has no figures of GPUs of two nodes'
  run -0 --separate-stderr "$ROOFLINE" model llama-3.1-70b tp=8 pp=2 --machine h100 --network c.json --json
  [ "$(json .stragglers)" = null ]
  [[ $stderr == *'none counted'* ]]
}

@test "--network FILE: the link as it was measured, and every step waits for the slowest node" {
  "$ROOFLINE" machine show h100 --json >h100.json
  jq -n '{schema: "roofline.nodes/1", date: "2026-11-23T12:00:00.000Z", nodes: [{n: "n1", f: 8e14}, {n: "n2", f: 8e14}, {n: "n3", f: 6e14}] | map(
    {name: .n, gpus: 1, ceilings: [{name: "gpu0 int8 matrix", unit: "FLOP/s", median: .f, spread: 0.01}, {name: "gpu0 bf16 matrix", unit: "FLOP/s", median: .f, spread: 0.01}]})}' >plain.json
  jq '.network = {library: "x", ranks: 3, bisection_bytes_per_second: null, bisection_pairs: 0, nodes: [], collectives: [], distances: [
    {distance: "network", rank: 0, other_rank: 1, node: "n1", other_node: "n2", fit_error: 0, messages_per_second: null, messages: [],
     loggp: null, protocols: [{from_bytes: 0, to_bytes: 1e9, latency_seconds: {value: 3e-6, low: 3e-6, high: 3e-6},
       seconds_per_byte: {value: 5e-11, low: 5e-11, high: 5e-11}}]}]}' plain.json >c.json
  run -0 "$ROOFLINE" cluster params=7e9 tokens=1e6 devices=64 --machine h100 --dtype bf16 --network c.json
  has 'network     c.json: 20.00 GB/s one way, 3.000 µs of latency, as measured between processors by x'
  has "stragglers  every step waits for the slowest node, n3: peaks at 75 % of the median's"
  has 'network as measured'
  run -0 --separate-stderr "$ROOFLINE" cluster params=7e9 tokens=1e6 devices=64 --machine h100 --dtype bf16 --json
  before=$(json .compute_seconds)
  run -0 --separate-stderr "$ROOFLINE" cluster params=7e9 tokens=1e6 devices=64 --machine h100 --dtype bf16 --network c.json --json
  near .compute_seconds "$(jq -n "$before / 0.75")"
  [[ $stderr == *'stragglers'* ]]
  equals .stragglers '{"file":"c.json","node":"n3","compute_share":0.75,"memory_share":1}'
  for of in 'model llama-3.1-8b --train batch=64 dp=16' 'plan llama-3.1-8b --train --batch 64 --devices 16' 'plan llama-3.1-8b --devices 16'; do
    run -0 --separate-stderr "$ROOFLINE" $of --machine h100 --network c.json --json
    [ "$(json '.stragglers | [.node, .compute_share]')" = '["n3",0.75]' ]
    run -0 --separate-stderr "$ROOFLINE" $of --machine h100 --json
    [ "$(json '[has("stragglers"), .stragglers]')" = '[true,null]' ]
  done
  run -0 "$ROOFLINE" model llama-3.1-8b --train batch=64 dp=16 --machine h100 --network c.json
  has 'stragglers  every step waits for the slowest node, n3'
  has 'peaks at 75 %, memory at 100 % of the median'
  run -0 "$ROOFLINE" plan llama-3.1-8b --train --batch 64 --devices 16 --machine h100 --network c.json
  has 'stragglers  every step waits for the slowest node, n3'
  run -0 "$ROOFLINE" cluster report c.json # the same pace, of any format
  has 'A step that waits for all nodes goes at 75 % of the median'
  has 'computing on GPUs binds, that of n3'
  run -0 "$ROOFLINE" cluster links c.json --json
  [ "$(json '[.schema, .ranks, .distances[0].node]')" = '["roofline.network/1",3,"n1"]' ]
  run -0 "$ROOFLINE" cluster params=7e9 tokens=1e6 devices=64 --machine h100 --network plain.json
  has 'plain.json has no network, which measure --cluster --network adds: the usual link'
}

@test "--network FILE: GPUs send over their own link, whatever is measured is expected, and one node has stragglers too" {
  nodes n1=300 n2=301 n3=302 | jq 'def part($library; $rate): {library: $library, ranks: 3, bisection_bytes_per_second: null,
    bisection_pairs: 0, nodes: [], collectives: [], distances: [{distance: "network", rank: 0, other_rank: 1, node: "n1", other_node: "n2",
      fit_error: 0, messages_per_second: null, messages: [], loggp: null, protocols: [{from_bytes: 0, to_bytes: 1e9,
        latency_seconds: {value: 2e-6, low: 2e-6, high: 2e-6}, seconds_per_byte: {value: (1 / $rate), low: null, high: null}}]}]};
    .network = part("Open MPI v4.1.4"; 25e9) + {gpus: part("NCCL 2.18.3 on a GPU"; 40e9)}' >c.json
  run -0 "$ROOFLINE" cluster devices=64 --machine h100 --network c.json
  has '40.00 GB/s one way, 2.000 µs of latency, as measured between GPUs by NCCL 2.18.3 on a GPU'
  run -0 --separate-stderr "$ROOFLINE" cluster devices=64 node=1 size=1GB --machine amd-epyc-9654 --network c.json --json
  [[ $stderr == *'25.00 GB/s one way, 2.000 µs of latency, as measured between processors by Open MPI v4.1.4'* ]]
  near '.all_reduce[0].seconds' "$(jq -n '126 * (1e9 / 64 / 25e9 + 2e-6)')" 1e-3
  run -0 "$ROOFLINE" model llama-3.1-8b tp=2 --machine h100 --network c.json
  has 'stragglers  none counted'
}

@test "a node a hair better than the median is 0.0 deviations from it" {
  nodes n1=300 n2=301 n3=302 | jq '.network = {library: "x", ranks: 3, collectives: [], bisection_bytes_per_second: null,
    bisection_pairs: 0, distances: [{distance: "network", rank: 0, other_rank: 1, node: "n1", other_node: "n2", fit_error: 0,
      messages_per_second: null, messages: [], loggp: null, protocols: []}], nodes: [{n: "n1", l: 1.9999e-6}, {n: "n2", l: 2e-6}, {n: "n3", l: 2.0001e-6}] | map({node: .n, rank: 0,
      latency_seconds: .l, bytes_per_second: 25e9})}' >c.json
  run -0 "$ROOFLINE" cluster links c.json
  has '0.0'
  [[ $output != *-0.0* ]]
}
