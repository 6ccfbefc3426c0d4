# What the tests that start ranks share.

# needs MPI: skips where its launcher or its plugin is not here; sets `launch`.
needs() {
  command -v "mpirun.$1" >/dev/null || skip "no mpirun.$1 here"
  [ -f "$(dirname "$ROOFLINE")/mpi/roofline_mpi_$1.so" ] || skip "no plugin for $1 was built"
  launch=("mpirun.$1")
  [ "$1" = mpich ] || launch+=(--allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1)
}
