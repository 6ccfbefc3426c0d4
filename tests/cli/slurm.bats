#!/usr/bin/env bats
# roofline measure --cluster under Slurm: its controller and three of its node daemons on this host, in a folder of their own.
# bats file_tags=slow

bats_require_minimum_version 1.5.0

# begun FILE COMMAND...: a daemon in the background, its number in `daemons`.
begun() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 3>&- &
  echo $! >>"$folder/daemons"
}

write_configuration() {
  host=$(hostname -s)
  port=$((20000 + RANDOM % 20000))
  cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
TmpFS=$folder/tmp/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=node[0-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
}

# Starts all; `$folder/why` says why it cannot be.
start_slurm() {
  for program in munged slurmctld slurmd srun sinfo; do
    command -v $program >/dev/null || { echo "no $program here" >"$folder/why"; return; }
  done
  [ "$(id -u)" -eq 0 ] || { echo "only root starts Slurm's daemons" >"$folder/why"; return; }
  mkdir -p "$folder"/{state,munge,spool/node{0,1,2},tmp/node{0,1,2}}
  chmod 755 "$folder"
  chmod 711 "$folder/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
  write_configuration
  begun "$folder/munged" munged -F --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
  begun "$folder/slurmctld" slurmctld -D -i -f "$folder/slurm.conf"
  for i in 0 1 2; do
    begun "$folder/slurmd.$i" slurmd -D -N "node$i" -f "$folder/slurm.conf"
  done
  for _ in $(seq 150); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" != 3 ] || return 0
    sleep 0.2
  done
  echo "Slurm does not start here: $(tail -qn 1 "$folder"/slurmctld "$folder"/slurmd.0 | tr '\n' ' ')" >"$folder/why"
}

setup_file() {
  export folder SLURM_CONF SLURM_PMIX_FENCE=tree # as docs/clusters.md says
  folder=$(mktemp -d /tmp/roofline-slurm.XXXXXX) # a short name: of a socket too
  SLURM_CONF=$folder/slurm.conf
  start_slurm
}

teardown_file() {
  [ ! -f "$folder/daemons" ] || tac "$folder/daemons" | while read -r process; do
    kill "$process" 2>/dev/null || true
    for _ in $(seq 50); do
      kill -0 "$process" 2>/dev/null || break
      sleep 0.1
    done
  done
  rm -rf "$folder"
}

setup() {
  load lib.bash
  start
  [ ! -s "$folder/why" ] || skip "$(cat "$folder/why")"
}

# on_nodes PROTOCOL PLUGIN: three nodes by srun.
on_nodes() {
  [ -f "$(dirname "$ROOFLINE")/mpi/roofline_mpi_$2.so" ] || skip "no plugin for $2 was built"
  srun --mpi=list 2>&1 | grep -qw "$1" || skip "this Slurm has no $1"
  run -0 timeout 60 srun --mpi="$1" -N 3 -n 3 "$ROOFLINE" measure --cluster --backend fake --to "$PWD/nodes.json" --quiet
  has '3 nodes, none stands out'
  jq -e '.nodes | map(.name) == ["node0", "node1", "node2"]' nodes.json
  jq -e --arg by "$3" '.job.launcher == $by and .job.ranks == 3' nodes.json
}

@test "srun with PMIx starts it on three nodes, with Open MPI" {
  on_nodes pmix openmpi 'srun with PMIx'
}

@test "srun with PMI2 starts it on three nodes, with MPICH" {
  on_nodes pmi2 mpich 'srun with PMI2'
}

@test "srun: a program on three nodes is one answer, whatever starts MPI in it" {
  "$ROOFLINE" measure --backend fake >/dev/null
  srun --mpi=list 2>&1 | grep -qw pmi2 || skip "this Slurm has no pmi2"
  program=(true) when=()
  if ! nm -D "$ROOFLINE_BUILD/libroofline_region.so" | grep -q ' U __asan_init'; then # else a program needs it too
    cc -D_GNU_SOURCE -I "$ROOFLINE_SOURCE/include" "$ROOFLINE_SOURCE/tests/fixtures/ranks/ranks.c" -o ranks -L "$ROOFLINE_BUILD" \
      -lroofline_region -Wl,-rpath,"$ROOFLINE_BUILD"
    program=("$PWD/ranks" 3) when=(--timeline "$PWD/when.json")
  fi
  run -0 timeout 60 srun --mpi=pmi2 -N 3 -n 3 "$ROOFLINE" run --machine fake --to "$PWD/job.json" "${when[@]}" -- "${program[@]}"
  [ "${program[0]}" = true ] || jq -e '[.ranks[] | [.rank, .node, .calls]] == [[0, "node0", 20], [1, "node1", 20], [2, "node2", 20]]' when.json
  jq -e '.job | .launcher == "srun with PMI2" and .missing == 0 and (.nodes | map(.node) | sort) == ["node0", "node1", "node2"]' job.json
}

@test "srun without MPI says what to type" {
  run timeout 60 srun --mpi=none -N 2 -n 2 "$ROOFLINE" measure --cluster --backend fake
  [ "$status" -eq 3 ]
  has 'srun started 2 tasks that cannot reach each other: `srun --mpi=pmix`'
}

@test "sbatch runs the script of the documentation" {
  [ -f "$(dirname "$ROOFLINE")/mpi/roofline_mpi_openmpi.so" ] || skip "no plugin for openmpi was built"
  sed -n '/^    #!\/bin\/sh/,/^$/s/^    //p' "$ROOFLINE_SOURCE/docs/clusters.md" >accept.sbatch
  grep -q '^#SBATCH' accept.sbatch
  sed -i "s|roofline measure --cluster|$ROOFLINE measure --cluster --backend fake|; s|roofline cluster|$ROOFLINE cluster|; s/--exclusive//" accept.sbatch
  run -0 sbatch --nodes=3 --output="$PWD/log" accept.sbatch
  for _ in $(seq 300); do # sbatch --wait asks every ten seconds
    [ ! -s cluster.html ] || break
    sleep 0.1
  done
  cat log
  grep -q 'cluster.json: 3 nodes, none stands out' log
  grep -q 'none stands out' cluster.html
}
