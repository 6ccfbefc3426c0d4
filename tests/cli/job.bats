#!/usr/bin/env bats
# `mpirun -n N roofline run -- PROGRAM`: the ranks of a job as one answer of rank 0, without MPI in roofline.
load lib

setup() {
  start
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_RANK PMI_SIZE PMIX_RANK MPI_LOCALNRANKS SLURM_STEP_ID SLURM_STEP_NUM_TASKS
  "$ROOFLINE" measure --backend fake >/dev/null
  cat >rank.sh <<'END'
#!/bin/sh
r=${OMPI_COMM_WORLD_RANK-$PMI_RANK}
export SLURMD_NODENAME=node$((r / 2))
[ ! -d own.$r ] || cd own.$r
exec "$@"
END
  cat >work.sh <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" != "$1" ] || sleep 0.2
[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" != "$2" ] || exit 7
sleep 0.1
END
  chmod +x rank.sh work.sh
}

# needs MPI: skips where its launcher is not here; sets `launch`.
needs() {
  command -v "mpirun.$1" >/dev/null || skip "no mpirun.$1 here"
  launch=("mpirun.$1")
  [ "$1" = mpich ] || launch+=(--allow-run-as-root --oversubscribe)
}

# of_all RANKS OPTION... -- PROGRAM: stderr is in `stderr`.
of_all() {
  local ranks=$1
  shift
  "${launch[@]}" -n "$ranks" ./rank.sh "$ROOFLINE" run --machine fake "$@"
}

one_answer() {
  needs "$1"
  run -0 --separate-stderr of_all 4 --bytes 10M -- "$PWD/work.sh" 3
  [ -z "$output" ]
  [[ $stderr == *"work.sh: 4 ranks on 2 nodes: work.sh at "*" of the ceiling of "*"; rank 3 (node1) takes "*" times the mean"* ]]
  [[ $stderr == *"  node0 "*"  node1 "*"pinned"* ]]
  [ "$(grep -c 'ceilings:' <<<"$stderr")" = 1 ]
  [ -z "$(find . -name '.roofline-*')" ]
  run -0 of_all 3 --bytes 10M --to j.json -- "$PWD/work.sh"
  [ "$output" = 'wrote j.json' ]
  output=$(cat j.json)
  [ "$(json '[.schema, .job.rank_count, .job.missing, (.job.nodes | map(.node)), (.job.ranks | map([.rank, .node])), .kernels[0].calls, .kernels[0].ranks.count]')" = \
    '["roofline.measurements/1",3,0,["node0","node1"],[[0,"node0"],[1,"node0"],[2,"node1"]],3,3]' ]
  near '.job | .regions[0].bytes_per_second / ([.ranks[].regions[].bytes_per_second] | add)' 1
  near '.job | .nodes[0].regions[0].bytes_per_second / ([.ranks[:2][].regions[].bytes_per_second] | add)' 1
  near '.kernels[0].fraction_of_ceiling / .job.regions[0].fraction_of_ceiling' 1
  run -0 "$ROOFLINE" record j.json --unsealed
}

@test "MPICH: one answer of all ranks, by node and for the job" {
  one_answer mpich
}

@test "Open MPI: one answer of all ranks, by node and for the job" {
  one_answer openmpi
}

@test "a rank whose program fails says so itself, and its exit code is not lost" {
  needs openmpi
  run of_all 3 -- "$PWD/work.sh" none 2
  [ "$status" -ne 0 ]
  has "roofline: rank 2 (node1): $PWD/work.sh: failed with exit code 7: nothing is reported"
}

@test "nodes that do not share the folder: what there is, who is missing, and which option helps" {
  needs mpich
  mkdir own.1
  run of_all 2 --bytes 1M --patience 0.5s -- "$PWD/work.sh"
  [ "$status" -ne 0 ]
  has 'work.sh: 1 of 2 ranks on 1 node: '
  has 'rank 1 is missing: not seen within 500.0 ms after rank 0: its node does not share the folder (--gather names'
  has 'roofline: work.sh: 1 of 2 ranks gave no answer'
  [ -z "$(find . -name '.roofline-*')" ]
  mkdir shared
  run -0 of_all 2 --bytes 1M --gather "$PWD/shared" -- "$PWD/work.sh"
  has 'work.sh: 2 ranks on 1 node: '
  [ -z "$(ls -A shared)" ]
}

@test "what a job does not take is said once" {
  needs mpich
  run of_all 2 --repeat 2 -- true
  [ "$status" -eq 2 ]
  [ "$(grep -c 'roofline: ' <<<"$output")" = 1 ]
  has '--repeat 2: a rank starts MPI once'
}
