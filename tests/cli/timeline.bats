#!/usr/bin/env bats
# `run --timeline`: when the regions of a program were called, of all ranks of a job by one clock.
load lib

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return
  local from=$ROOFLINE_SOURCE/tests/fixtures/ranks
  cc -shared -fPIC -D_GNU_SOURCE "$from/clock.c" -o clock.so
  cc -D_GNU_SOURCE -I "$ROOFLINE_SOURCE/include" "$from/ranks.c" -o ranks -L "$ROOFLINE_BUILD" -lroofline_region \
    -Wl,-rpath,"$ROOFLINE_BUILD"
}

setup() {
  start
  # a library with sanitizers needs a program with them
  nm -D "$ROOFLINE_BUILD/libroofline_region.so" | grep -q ' U __asan_init' && skip "the library is built with sanitizers"
  ranks=$BATS_FILE_TMPDIR/ranks
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_RANK PMI_SIZE PMIX_RANK MPI_LOCALNRANKS SLURM_STEP_ID SLURM_STEP_NUM_TASKS
  unset ROOFLINE_TIMELINE ROOFLINE_TIMELINE_CALLS
}

# needs MPI: skips where its launcher is not here; sets `launch`.
needs() {
  command -v "mpirun.$1" >/dev/null || skip "no mpirun.$1 here"
  launch=("mpirun.$1")
  [ "$1" = mpich ] || launch+=(--allow-run-as-root --oversubscribe)
}

# events RANK: start and end of its calls of `compute`, in seconds.
events() {
  jq -r --argjson rank "$1" '[.traceEvents[] | select(.ph == "X" and .name == "compute" and .pid == $rank)]
    | sort_by(.ts)[] | "\(.ts / 1e6) \((.ts + .dur) / 1e6)"' when.json
}

# agrees RANK UNCERTAINTY: its calls are where its program saw them by rank 0's clock, of which they may be so far off.
agrees() {
  awk -v most="$2" '
    FNR == NR { low = !some || $1 - $5 > low ? $1 - $5 : low; low = $3 - $6 > low ? $3 - $6 : low
                high = !some || $2 - $5 < high ? $2 - $5 : high; high = $4 - $6 < high ? $4 - $6 : high; some = 1; next }
    { count++; for (i = 0; i < 2; i++) { early = $(1 + 2 * i) - ($(5 + i) + high); late = $(5 + i) + low - $(2 + 2 * i)
        if (early > most || late > most) { print "call " FNR ": " early " s too early, " late " s too late"; bad = 1 } } }
    END { exit bad || count != 10 }' <(paste -d' ' truth.0 <(events 0)) <(paste -d' ' "truth.$1" <(events "$1"))
}

@test "clocks that are seconds apart and drift: calls are where they were, within the uncertainty that is stated" {
  needs mpich
  CLOCK_BASE=$(cut -d' ' -f1 /proc/uptime)
  export CLOCK_BASE SHIFT_1=5 DRIFT_1=1e-4 SHIFT_2=-3 DRIFT_2=-5e-3
  run -0 "${launch[@]}" -n 3 env LD_PRELOAD="$BATS_FILE_TMPDIR/clock.so" "$ROOFLINE" run --timeline when.json -- "$ranks" 3
  has 'wrote when.json'
  [[ ${lines[-1]} == '3 ranks over '*', their clocks aligned within '* ]]
  [ -z "$(find . -name '.roofline-*')" ]
  output=$(cat when.json)
  near '.ranks[1].offset_seconds' -5 0.01
  near '.ranks[2].offset_seconds' 3 0.05
  near '.ranks[2].drift' 0.005 0.3
  for rank in 1 2; do
    uncertainty=$(jq ".ranks[$rank].uncertainty_seconds" when.json)
    awk -v u="$uncertainty" 'BEGIN { exit !(u > 0 && u < 0.02) }'
    agrees $rank "$uncertainty"
  done
  [ "$(jq -c '[.ranks[] | [.rank, .calls, .dropped]]' when.json)" = '[[0,20,0],[1,20,0],[2,20,0]]' ]
  [ "$(jq -c '[.traceEvents[] | select(.name == "process_name") | .args.name | split(" on ")[0]]' when.json)" = \
    '["rank 0","rank 1","rank 2"]' ]
  run -0 --separate-stderr "$ROOFLINE" import when.json --json
  [ "$(json '[.time.waits | .cut, (.regions | map(.region) | sort), (.stretches | length)]')" = '[false,["allreduce","compute"],6]' ]
}

@test "which rank waits for which fits a screen of 80 by 24, by rank and drawn too" {
  run -0 env COLUMNS=80 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/ranks.json"
  [[ ${lines[0]} == 'rank 1 is waited for most: 780.0 µs of 1.190 ms that ranks wait for each other' ]]
  [ "${#lines[@]}" -lt 24 ]
  for line in "${lines[@]}"; do [ "${#line}" -le 80 ]; done
  run -0 --separate-stderr "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/ranks.json" --by rank --json
  [ "$(json '[.time.waits, (.parts | map([.part, .calls]))]')" = '[null,[["rank 0",6],["rank 1",6]]]' ]
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/ranks.json" --timeline --to when.svg
  grep -q 'rank 1 is waited for most' when.svg
  [ "$(grep -o 'class="lane"' when.svg | wc -l)" = 2 ]
}

@test "a rank that cannot ask for the time is left out, and named" {
  needs mpich
  run -0 "${launch[@]}" -n 3 env DEAF_1=1 LD_PRELOAD="$BATS_FILE_TMPDIR/clock.so" "$ROOFLINE" run --patience 2s --timeline when.json -- "$ranks" 3
  has 'left out: rank 1 ('
  has '): its clock is unknown: rank 0 does not answer to datagrams (UDP) at its addresses'
  [ "$(jq -c '[[.ranks[].rank], (.skipped | length)]' when.json)" = '[[0,2],1]' ]
}

@test "a rank whose program is killed is named, and no time line is left" {
  needs mpich
  printf '#!/bin/sh\n[ "$PMI_RANK" != 1 ] || kill -9 $$\nsleep 0.1\n' >work.sh
  chmod +x work.sh
  run "${launch[@]}" -n 2 "$ROOFLINE" run --timeline when.json -- ./work.sh
  [ "$status" -ne 0 ]
  has 'roofline: rank 1 ('
  has 'ended by signal 9'
  [ ! -e when.json ]
}

@test "one process: the same, and what had no room is counted" {
  run -0 env ROOFLINE_TIMELINE_CALLS=5 "$ROOFLINE" run --timeline when.json -- "$ranks"
  has 'calls without room: 15'
  [ "$(jq -c '[.schema, .source, (.ranks[0] | .rank, .calls, .dropped, .offset_seconds), (.traceEvents | map(select(.ph == "X")) | length)]' when.json)" = \
    '["roofline.timeline/1","ranks",0,5,15,0,5]' ]
  jq -e '.ranks[0].whole_until_us >= ([.traceEvents[] | select(.ph == "X") | .ts + .dur] | max)' when.json
  run -0 env ROOFLINE_TIMELINE=%r.json "$ranks"
  [ "$(jq '[.traceEvents[] | select(.ph == "X")] | length' 0.json)" = 20 ]
  run -0 --separate-stderr "$ROOFLINE" import 0.json --json
  [ "$(json '[.format, (.kernels | sort_by(.name)[] | [.name, .calls])]')" = '["regions",["allreduce",10],["compute",10]]' ]
}

@test "what cannot be written, or is not marked, is said" {
  run -2 "$ROOFLINE" run --timeline when.json --repeat 2 -- true
  has '--timeline when.json: is of one run, not of --repeat 2'
  run "$ROOFLINE" run --timeline none/when.json -- true
  [ "$status" -ne 0 ]
  has 'none/when.json: '
  run -3 "$ROOFLINE" run --timeline when.json -- true
  has '--timeline when.json: not written: no marked region was called (docs/regions.md)'
  [ ! -e when.json ]
}
