#!/usr/bin/env bats
# `measure --cluster --network` between GPUs: NCCL and RCCL by libraries of the tests, which move real bytes between real ranks, on the
# emulated device. No figure of it is a GPU's.
load lib
load mpi
load ../netns

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return
  mkdir nccl rccl
  cc -shared -fPIC -O1 -D_GNU_SOURCE "$ROOFLINE_SOURCE/tests/fixtures/nccl/nccl.c" -o nccl/libnccl.so.2
  cc -shared -fPIC -O1 -D_GNU_SOURCE -DHIP "$ROOFLINE_SOURCE/tests/fixtures/nccl/nccl.c" -o rccl/librccl.so.1
  ln -s "$ROOFLINE_BUILD/tests/cuda/libcuda.so.1" nccl/
  ln -s librccl.so.1 rccl/libamdhip64.so.6
}

setup() {
  start
  export ROOFLINE_CUDA_LIBRARIES=$BATS_FILE_TMPDIR/nccl ROOFLINE_HIP_LIBRARIES=$BATS_FILE_TMPDIR/rccl FAKE_CUDA=count=2
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_RANK PMI_SIZE PMIX_RANK MPI_LOCALNRANKS SLURM_STEP_ID SLURM_STEP_NUM_TASKS
}

teardown() {
  [ -z "${netns_wire:-}" ] || netns_down
}

# measure RANKS
measure() {
  run -0 timeout 60 "${launch[@]}" -n "$1" "$ROOFLINE" measure --cluster --backend fake --quick --network 0.02s --to c.json
}

@test "collectives between GPUs are right, predicted by their own messages, sealed before they run, and measured" {
  needs mpich
  measure 2
  has 'between 2 GPUs, by NCCL 2.18.3 on Emulated device, not a GPU:'
  output=$(jq -c .network.gpus c.json)
  [ "$(json '[.ranks, (.distances | map(.distance)), (.collectives | map(.op)), .gpus]')" = \
    '[2,["node"],["allreduce","allgather","reducescatter","alltoall","broadcast"],null]' ]
  [ "$(json '[.collectives[].sizes[] | select(.seconds != null)] | length > 0 and all(.seconds > 0)')" = true ]
  [ "$(json '.distances[0].messages | length >= 3 and all(.seconds > 0 and .windowed_seconds == null)')" = true ]
  run -0 "$ROOFLINE" ledger verify
  # of each label the prediction comes before the measurement
  [ "$(jq -sc '[.[] | select(.machine == "gpus") | [.label, .kind]] | group_by(.[0])
    | (length > 20) and all(.[0][1] == "prediction" and (length < 2 or .[1][1] == "measurement"))' roofline.ledger)" = true ]
  [ "$(jq -s '[.[] | select(.machine == "gpus" and .kind == "measurement" and (.label | startswith("gpus ")))] | length > 0' roofline.ledger)" = true ]
}

@test "wrong results, no NCCL, one GPU for all: a note says which, and the network is there" {
  needs mpich
  FAKE_NCCL=wrong measure 2
  has '): NCCL 2.18.3 on Emulated device, not a GPU: the result of allreduce is wrong'
  ROOFLINE_CUDA_LIBRARIES=$ROOFLINE_BUILD/tests/cuda measure 2
  has '): no NCCL: libnccl.so.2 cannot be loaded'
  [ "$(jq -c '[.network.gpus, (.network.distances | length)]' c.json)" = '[null,1]' ]
  FAKE_CUDA=count=1 measure 2
  has 'GPUs: messages between them are not measured: the ranks have one GPU together'
}

@test "RCCL, between nodes that are network namespaces, a GPU each" {
  local why
  why=$(netns_absent)
  [ -z "$why" ] || skip "$why"
  needs openmpi
  netns_up 3 100 1gbit
  ROOFLINE_CUDA_LIBRARIES=/none run -0 netns_openmpi 3 "$ROOFLINE" measure --cluster --backend fake --quick --network 0.02s --to c.json
  has 'between 3 GPUs, by RCCL 2.18.3 on Emulated device, not a GPU:'
  [ "$(jq -c '.network.gpus | [.ranks, (.distances[0] | .distance, .node, .other_node), (.collectives | length)]' c.json)" = \
    '[3,"network","n1","n2",5]' ]
}
