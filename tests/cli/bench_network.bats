#!/usr/bin/env bats
# bench/network.sh: our messages against those of peers, whose outputs here are of their form, with numbers of our own.
load lib
load mpi

setup() {
  start
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_RANK PMI_SIZE PMIX_RANK MPI_LOCALNRANKS SLURM_STEP_ID SLURM_STEP_NUM_TASKS
}

# peer NAME: a program that prints what it is given, as the one of that name would.
peer() {
  mkdir -p peers
  { printf '#!/bin/sh\n%scat <<END\n' "${2:-}"; cat; printf 'END\n'; } >"peers/$1"
  chmod +x "peers/$1"
}

# Two ranks of ours really; a peer once.
launcher() {
  printf '#!/bin/sh\ncase $* in *measure*) exec %s -n 2 "$@" ;; *) exec "$@" ;; esac\n' "${launch[*]}" >mpirun
  chmod +x mpirun
}

# column N BYTES: of the row of that size.
column() {
  awk -F ' *[|] *' -v n="$1" -v bytes="$2" '$2 == bytes { print $(n + 1) }' <<<"$output"
}

@test "OSU's columns, with validation too, and Intel's, with sizes that we do not have" {
  needs mpich
  launcher
  peer osu_latency <<'END'

# OSU MPI Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)        Validation
1                       1.00              Pass
4                       2.00              Pass
END
  peer osu_bw <<'END'
# OSU MPI Bandwidth Test v5.9
# Size      Bandwidth (MB/s)
1                       5.00
4                      10.00
END
  # shellcheck disable=SC2016
  peer IMB-MPI1 '[ "$1" = PingPong ] || exit 0
' <<'END'
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Minimum message length in bytes:   0
#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.90         0.00
            1         1000         4.00         0.25
            4         1000         8.00         0.50

# All processes entering MPI_Finalize
END
  run -0 env ROOFLINE="$ROOFLINE" ROUNDS=1 TIME=0.02s MPIRUN="$PWD/mpirun" OSU="$PWD/peers" IMB="$PWD/peers" sh "$ROOFLINE_SOURCE/bench/network.sh"
  has '| bytes | latency | / IMB | / OSU | bandwidth | / IMB | / OSU |'
  has 'not here, and not measured: NetPIPE (packages netpipe-openmpi, netpipe-mpich2)'
  for bytes in 1 4; do # ours over theirs, two digits of a ratio
    awk -v ours="$(column 2 $bytes)" -v imb="$(column 3 $bytes)" -v osu="$(column 4 $bytes)" -v them=$bytes 'BEGIN {
      t = them == 1 ? 1 : 2; exit !(ours > 0 && (osu - ours / t) ^ 2 <= 0.011 ^ 2 && (imb - ours / (4 * t)) ^ 2 <= 0.011 ^ 2) }'
    # Between other work a message in a row can take less than nothing beyond the first: then it is not known, nor is a ratio of it.
    awk -v ours="$(column 5 $bytes)" -v osu="$(column 7 $bytes)" -v them=$bytes 'BEGIN {
      t = them == 1 ? 5 : 10; exit !(ours == "-" ? osu == "-" : (osu - ours / t) ^ 2 <= 0.011 ^ 2) }'
    [ "$(column 6 $bytes)" = - ]
  done
  [ -z "$(column 2 0)" ]
}

@test "a rate that is not known has no ratio" {
  printf '%s\n' '1 4.00' '4 4.00' | peer osu_latency
  printf '%s\n' '1 5.00' '4 5.00' | peer osu_bw
  cat >mpirun <<'END'
#!/bin/sh
case $* in *measure*) ;; *) exec "$@" ;; esac
while [ "$1" != --to ]; do shift; done
echo '{"network": {"library": "none", "distances": [{"distance": "node", "messages": [
  {"bytes": 1, "seconds": 2e-6, "windowed_seconds": null}, {"bytes": 4, "seconds": 3e-6, "windowed_seconds": 1e-6}]}]}}' >"$2"
END
  chmod +x mpirun
  run -0 env ROOFLINE="$ROOFLINE" ROUNDS=1 MPIRUN="$PWD/mpirun" OSU="$PWD/peers" sh "$ROOFLINE_SOURCE/bench/network.sh"
  has '| 1 | 2 us | 0.5 | - | - |'
  has '| 4 | 3 us | 0.75 | 4 MB/s | 0.8 |'
}

@test "without a peer, or without a peer's program, it is said" {
  run -3 env MPIRUN=true sh "$ROOFLINE_SOURCE/bench/network.sh"
  has 'network.sh: no peer is here: NetPIPE (packages netpipe-openmpi, netpipe-mpich2), OSU micro-benchmarks (OSU=FOLDER), Intel MPI benchmarks (IMB=FOLDER)'
  run -2 env MPIRUN=true OSU="$PWD" sh "$ROOFLINE_SOURCE/bench/network.sh"
  has "network.sh: $PWD/osu_latency: no such program"
}
