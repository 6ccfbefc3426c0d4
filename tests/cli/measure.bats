#!/usr/bin/env bats
# roofline measure and roofline run: the contract on the scripted backend, sanity on the real processor.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config NO_COLOR=1
  unset ROOFLINE_PATH ROOFLINE_FAKE
}

json() { # FILTER on $output
  printf '%s' "$output" | jq -c "$1"
}

@test "measure keeps the machine, prints it, and gives the same file as JSON" {
  run -0 "$ROOFLINE" measure --backend fake
  [[ ${lines[0]} == *"FAKE processor"* ]]
  [[ ${lines[1]} == "  trust     nothing was timed here"* ]]
  [[ ${lines[2]} == "  ceiling "*"one core"*"all"*"of limit"* ]]
  [[ $output == *"fp64 vector  96.00 GFLOP/s  192.0 GFLOP/s   100.0 %  fake"* ]]
  [[ $output == *"rest      $ROOFLINE machine show fake"* ]]
  [ "${#lines[@]}" -le 24 ]
  run -0 "$ROOFLINE" measure --backend fake --verbose
  [[ $output == *"fp64 vector, fake, 1 core"*"96.00 GFLOP/s"*"100.0 %"*"0.0 %"*"measured"* ]]
  [[ $output == *"every figure is scripted"* ]]
  run -0 --separate-stderr "$ROOFLINE" measure --backend fake --json
  [ "$output" = "$(cat config/roofline/machines/fake.json)" ]
  [ "$stderr" = "" ]
  [ "$(json '[.schema, .name, .kind, .levels[0].triad_bytes_per_second]')" = '["roofline.machine/1","fake","measured",36000000000]' ]
}

@test "a scripted machine never becomes the host" {
  "$ROOFLINE" measure --backend fake --quiet
  [ ! -e config/roofline/machines/host.json ]
  run -2 "$ROOFLINE" predict triad n=1000
  [[ $output == *"not measured yet"* ]]
  run -0 "$ROOFLINE" predict triad n=100M --machine fake --dtype fp64
  [[ ${lines[0]} == *"memory-bound (DRAM)"* ]]
}

@test "measure --to writes that file alone" {
  run -0 "$ROOFLINE" measure --backend fake --to laptop.json
  [ "$(ls)" = laptop.json ]
  run -0 "$ROOFLINE" machine show ./laptop.json --json
  [ "$output" = "$(cat laptop.json)" ]
  run -3 "$ROOFLINE" measure --backend fake --to missing/laptop.json
  [ "$output" = "roofline: missing/laptop.json: No such file or directory" ]
  [ ! -e config ]
}

@test "measure --to a pipe writes into it and leaves it there" {
  mkfifo pipe
  "$ROOFLINE" measure --backend fake --quiet --to pipe >/dev/null &
  [ "$(jq -r .name <pipe)" = fake ]
  wait $!
  [ -p pipe ]
}

@test "run --sustain times a kernel after so much work" {
  run -0 --separate-stderr "$ROOFLINE" run dot n=4k --quick --sustain 50ms --json
  jq -e '.kernels[0].note | test(" threads? bound, after 0.05 s of work; ")' <<<"$output"
  run -0 --separate-stderr "$ROOFLINE" run dot n=4k --quick --threads 1 --json
  jq -e '.kernels[0].note | startswith("1 thread bound; ")' <<<"$output"
  for bad in 0 -3s 3kg 11min ''; do
    run -2 "$ROOFLINE" run dot --sustain "$bad"
    [[ $output == "roofline: --sustain $bad: must be a time of at most 600s, such as 3s"* ]]
  done
  run -2 "$ROOFLINE" run --sustain 3s -- true
  [[ $output == *'takes --repeat'* ]]
}

@test "run gives time, rates and the share of the ceiling" {
  printf 'time triad = 100ms 98ms 102ms\n' >script
  run -0 env ROOFLINE_FAKE=script "$ROOFLINE" run triad n=100M --dtype fp64 --backend fake
  [[ $output == *"triad n=100000000 fp64"*"100.0 ms"*"24.00 GB/s"* ]]
  [[ $output == *'ceilings: unknown; `roofline measure` finds them'* ]]
  "$ROOFLINE" measure --backend fake --quiet >measured
  run -0 env ROOFLINE_FAKE=script "$ROOFLINE" run triad n=100M --dtype fp64 --backend fake
  [[ $output == *"triad n=100000000 fp64"*"66.7 %  DRAM"* ]]
}

@test "run --json is a measurements document" {
  run -0 "$ROOFLINE" run dot gemm-naive --backend fake --quick --json
  [ "$(json '[.schema, .machine, .format, (.kernels | length), .skipped]')" = '["roofline.measurements/1","fake","fake",2,[]]' ]
  [ "$(json '.kernels[1] | [.name, .flops.fp32, .bytes.unknown, .counted.flops, .calls, (.samples | length)]')" = \
    '["gemm-naive m=384 n=384 k=384 fp32",113246208,1769472,"formula",7,7]' ]
  [ "$(json '.kernels[1].fraction_of_ceiling')" = null ]
}

@test "run all takes every kernel, and typed sizes go over the default shape" {
  run -0 "$ROOFLINE" run all --backend fake --quick --json
  names=$(json '[.kernels[].name | split(" ")[0]] | sort')
  [ "$names" = "$("$ROOFLINE" run --list --json | jq -c '[.kernels[].name] | sort')" ]
  run -0 "$ROOFLINE" run gemm-blocked gemm-blas m=64 --backend fake --json
  [ "$(json '[.kernels[].name]')" = '["gemm-blocked m=64 n=4096 k=4096 fp32","gemm-blas m=64 n=4096 k=4096 fp32"]' ]
}

caches() { # a scripted machine with caches and memory
  "$ROOFLINE" measure --backend fake --quiet >measured
  jq '.levels = [(.levels[0] + {name: "L1", level: "L1", bytes: 32768, instances: 2, read_bytes_per_second: 400e9,
      triad_bytes_per_second: 360e9, copy_bytes_per_second: null, write_bytes_per_second: null}),
    (.levels[0] + {name: "L2", level: "L2", bytes: 1048576, instances: 2, read_bytes_per_second: 100e9,
      triad_bytes_per_second: 90e9, copy_bytes_per_second: null, write_bytes_per_second: null})] + .levels' \
    config/roofline/machines/fake.json >with && mv with config/roofline/machines/fake.json
}

@test "run takes sizes tied together over the default shape" {
  run -0 "$ROOFLINE" run gemm-blocked m=n=k=128 --backend fake
  [ "${lines[0]}" = '1 measurement: no ceiling is known' ]
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  run -0 "$ROOFLINE" run gemm-blocked m=n=k=128 --backend fake
  [ "${lines[0]}" = '1 measurement on fake: most headroom in gemm-blocked m=128 n=128 k=128 fp32, 1.25x from its ceiling' ]
  [[ ${lines[1]} == *'bound by'*verdict* ]]
  [[ ${lines[2]} == *gemm-blocked\ m=128\ n=128\ k=128\ fp32\ *faster* ]]
  run -0 "$ROOFLINE" run gemm --ladder m=n=k=128 --backend fake --json --ledger "$BATS_TEST_TMPDIR/tied.ledger"
  [[ $output == *"gemm-naive m=128 n=128 k=128 fp32"* ]]
}

@test "run takes lists and ranges of sizes through the levels" {
  caches
  run -0 "$ROOFLINE" run triad n=4k..5M*32 --backend fake --json
  [ "$(json '[.kernels[] | [.name, .working_set_bytes, .level]]')" = \
    '[["triad n=4000 fp32",48000,"L1"],["triad n=128000 fp32",1536000,"L2"],["triad n=4096000 fp32",49152000,"DRAM"]]' ]
  [ "$(json '[.kernels[].fraction_of_ceiling * 1000 | round] | .[1:]')" = '[320,800]' ]
  [ "$(json '.kernels[1].bytes')" = '{"L2":1536000}' ]
  run -0 "$ROOFLINE" run triad dot n=128k,4M --dtype fp64 --backend fake
  [[ ${lines[2]} == *"triad n=128000 fp64 "*" MiB  DRAM "* ]]
  [[ ${lines[4]} == *"dot n=128000 fp64 "*" MiB  L2 "* ]]
  [ "$(printf '%s\n' "${lines[@]}" | grep -c '^  triad n=.*: scripted')" -eq 1 ]
}

@test "run --to draws the sizes where their data are" {
  caches
  run -0 "$ROOFLINE" run triad n=4k..5M*32 --backend fake --to triad.svg
  xmllint --noout triad.svg
  for words in 'data in L1' 'data in L2' 'data in DRAM' 'triad n=4000' 'triad n=4096000'; do
    grep -qF "$words" triad.svg
  done
  run -0 "$ROOFLINE" run triad n=4k,4M --backend fake --to triad.html
  grep -q '<svg' triad.html
  grep -q 'triad n=4000 fp32' triad.html
  run -2 "$ROOFLINE" run triad --backend fake --to triad.gif
  [ "$output" = 'roofline: --to triad.gif: `run` writes files that end in .txt, .svg, .png, .pdf, .html, .json or .csv' ]
  run -2 "$ROOFLINE" run copy --backend fake --to copy.svg
  [[ $output == *"does no FLOPs"* ]]
  run -2 "$ROOFLINE" run triad n=1..5000 --backend fake
  [ "$output" = 'roofline: run: more than 1000 sizes' ]
  rm -r config
  run -3 "$ROOFLINE" run triad --backend fake --to triad.svg
  [[ $output == *'`roofline measure` finds them' ]]
}

@test "run --list names what there is" {
  run -0 "$ROOFLINE" run --list
  [[ $output == *"attention "*"blas "*"gemm-naive "*"gemm-blas "*"conv "*"stream "*"triad "* ]]
  run -0 "$ROOFLINE" run --list --json
  [ "$(json '.kernels | length')" -ge 8 ]
  run -0 env OPENBLAS_CORETYPE=Nehalem "$ROOFLINE" run --list --json
  jq -e '.kernels[] | select(.name == "gemm-blas") | .disabled or (.library | endswith(", core type by OPENBLAS_CORETYPE")
    or (contains("OpenBLAS") | not))' <<<"$output"
  if jq -e '.kernels[] | select(.name == "gemm-blas") | .library // "" | contains("OpenBLAS")' <<<"$output"; then
    OPENBLAS_CORETYPE=Nehalem "$ROOFLINE" run gemm-blas m=64 n=64 k=64 --quick --quiet --json | jq -e '.kernels[0].note | endswith(", core type by OPENBLAS_CORETYPE")'
  fi
}

@test "bad input: one line, the nearest name, the right exit code" {
  run -2 "$ROOFLINE" run traid
  [ "$output" = 'roofline: kernel `traid`: unknown; did you mean `triad`?; `roofline run --list` shows all' ]
  run -2 "$ROOFLINE" run triad m=4
  [[ $output == 'roofline: triad has no parameter `m`; known: n' ]]
  run -2 "$ROOFLINE" run triad n=0
  run -2 "$ROOFLINE" run
  run -2 "$ROOFLINE" run n=4
  run -2 "$ROOFLINE" run triad --backend cuba
  run -2 "$ROOFLINE" run triad --threads -1
  run -2 "$ROOFLINE" measure --threads 100000
  [[ $output == "roofline: threads=100000: this process may use "* ]]
  run -2 "$ROOFLINE" measure now
  run -3 "$ROOFLINE" run triad --dtype fp16
  [ "$output" = 'roofline: triad: not written for fp16; use fp64 or fp32' ]
  run -3 "$ROOFLINE" run triad n=1P
  [[ $output == "roofline: triad: needs 12.00 PB of memory and "* ]]
  run -3 "$ROOFLINE" run gemm-naive batch=2
  printf 'fp64 = 1GFLOP/s\nfp46 = 2\n' >script
  run -2 env ROOFLINE_FAKE=script "$ROOFLINE" measure --backend fake
  [ "$output" = 'roofline: script:2:1: key `fp46`: unknown; did you mean `fp64`?' ]
}

@test "precision is a share in percent; every sample can be kept" {
  for wrong in 0 -1 51 nan; do
    run -2 "$ROOFLINE" measure --backend fake --interval "$wrong"
    [[ $output == "roofline: --interval $wrong: must be from 0.01 to 50 percent" ]]
  done
  run -2 "$ROOFLINE" run dot --backend fake --interval 0
  "$ROOFLINE" measure --backend fake --quiet --interval 2 --samples samples.json >shown
  [ "$(jq -c . samples.json)" = '{"schema":"roofline.samples/1","figures":[]}' ]
}

@test "an interrupted measurement leaves nothing" {
  run timeout --signal INT 1 "$ROOFLINE" measure --quiet
  [ "$status" -ne 0 ]
  [ ! -e config ]
}

@test "progress shows on a terminal only" {
  run -0 script -qec '"$ROOFLINE" measure --backend fake --to a.json --json' /dev/null
  [[ $output == *"1/1 reading the script"* ]]
  run -0 script -qec '"$ROOFLINE" measure --backend fake --to a.json --json --quiet' /dev/null
  [[ $output != *"reading the script"* ]]
}

@test "show: two modes, loaded latency, TLBs, costs, a level that is not flat" {
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  jq '.levels[0] += {plateau: "not flat", modes: [{pattern: "read", fast_bytes_per_second: 3e10, slow_bytes_per_second: 1e10}],
      loaded_latency: [{bytes_per_second: 0, latency_seconds: 1e-7}, {bytes_per_second: 2e10, latency_seconds: 2e-7}]}
    | .tlbs = [{name: "L1 TLB", page_bytes: 4096, entries: 64, reach_bytes: 262144, miss_seconds: 2e-9, kind: "measured", source: "s"},
      {name: "L2 TLB", page_bytes: 4096, source: "unknown: s"}]
    | .costs = [{name: "hand-off, same L3", cores: 2, seconds: 5e-8, least_seconds: 4e-8, most_seconds: 6e-8, clock_hz: 3e9, spread: 0.1}]' \
    config/roofline/machines/fake.json >new.json
  run -0 "$ROOFLINE" machine show ./new.json
  [[ $output == *"DRAM read (not flat)"* ]]
  [[ $output == *"two modes"*"DRAM read"*"10.00 GB/s"*"30.00 GB/s"* ]]
  [[ $output == *"DRAM while others draw"*"nothing"*"100.0 ns"*"20.00 GB/s"*"200.0 ns"* ]]
  [[ $output == *"L1 TLB"*"4 KiB"*"64"*"256 KiB"*"2.000 ns"*"L2 TLB"*"unknown"* ]]
  [[ $output == *"hand-off, same L3, 2 cores"*"50.00 ns"*"150"*"40.00 ns"*"60.00 ns"*"10.0 %"* ]]
}

@test "the real processor: figures that hold together" {
  run -0 --separate-stderr "$ROOFLINE" measure --quick --json
  [ "$stderr" = "" ]
  [ "$output" = "$(cat config/roofline/machines/host.json)" ]
  [ "$(json '[.name, .kind, (.title | length > 0)]')" = '["host","measured",true]' ]
  [ "$(json '.launch_seconds > 1e-8 and .launch_seconds < 0.1')" = true ]
  [ "$(json '.clock_hz == null or (.clock_hz > 1e8 and .clock_hz < 1e10)')" = true ]
  [ "$(json '([.peaks[] | select(.cores == 0 or .cores == null) | .dtype] | unique | contains(["fp32","fp64"]))')" = true ]
  [ "$(json '[.peaks[].flops_per_second | select(. != null)] | min > 1e6')" = true ]
  [ "$(json '[.levels[] | select(.name == "DRAM") | .read_bytes_per_second, .triad_bytes_per_second, .copy_bytes_per_second, .write_bytes_per_second] | min > 1e8 and max < 1e13')" = true ]
  [ "$(json '[.peaks[], .levels[] | .source | length > 0] | all')" = true ]
  [ "$(json '[.peaks[].conditions, .levels[].read_conditions | select(. != null) | (.rounds | length >= 1) and (.samples >= 3) and (.stopped | length > 0)] | all')" = true ]
  [ "$(json '[.levels[] | select(.name == "L1") | .read_conditions.spread, .triad_conditions.spread] | unique | length > 1')" = true ]
  [ "$(json '[.costs[] | .seconds > 0 and (.source | length > 0) and .kind == "measured"] | all and length >= 3')" = true ]
  [ "$(json '[.tlbs[] | .page_bytes >= 4096 and (.reach_bytes == null or .reach_bytes == .entries * .page_bytes)] | all and length >= 2')" = true ]
  if [ "$(json '.unit_count > 1')" = true ]; then
    [ "$(json '[.levels[] | .loaded_latency | select(. != null) | length >= 6] == [true]')" = true ]
    [ "$(json '[.costs[].name] | contains(["barrier", "atomic add, shared line"])')" = true ]
  else
    [ "$(json '[.levels[].loaded_latency] | unique == [null]')" = true ]
  fi
  [ "$(json '[.levels[].plateau | select(. != null)] | length > 0 and all(. == "flat" or . == "not flat" or . == "not seen")')" = true ]
  [ "$(json '[.curve[].bytes] | length > 20 and . == sort')" = true ]
  run -0 "$ROOFLINE" machine show host
  [[ $output == *"synchronisation "*"atomic add, own line"*"mutex, free"* ]]
  [[ $output == *"address translation "*"L1 TLB "*"4 KiB"* ]]
  run -0 "$ROOFLINE" machine show host --json
  [ "$output" = "$(cat config/roofline/machines/host.json)" ]
  run -0 "$ROOFLINE" run axpy n=100000 --quick --json
  [ "$(json '.kernels[0] | (.seconds > 0) and (.fraction_of_ceiling > 0) and (.samples | length >= 1)')" = true ]
  [ "$(json '.kernels[0].conditions | (.samples >= 1) and (.warm_up_samples >= 1) and (.stopped | length > 0) and (.outliers >= 0) and has("load")')" = true ]
}

@test "a kernel's power is measured or says why it is not" {
  run -0 --separate-stderr "$ROOFLINE" run axpy n=1000 --quick --json
  jq -e '.kernels[0] | (.watts == null) == (.joules == null) and (.watts == null) == (.power | startswith("not measured: "))' <<<"$output"
  run -0 --separate-stderr "$ROOFLINE" run axpy n=1000 --quick --backend fake --json
  jq -e '.kernels[0] | .watts == null and .joules == null and .power == null' <<<"$output"
}

@test "bytes of a level that nobody knows are not filed under DRAM" {
  run -0 "$ROOFLINE" run copy triad --backend fake --json
  [ "$(json '[.kernels[] | [(.bytes | keys), .level, .fraction_of_ceiling, .verdict]] | unique')" = '[[["unknown"],null,null,null]]' ]
  [ "$(json '[.kernels[].why] | unique')" = '["its ceiling is not known"]' ]
  "$ROOFLINE" measure --backend fake --quick >/dev/null
  run -0 "$ROOFLINE" run copy n=100M --backend fake --json
  [ "$(json '[.kernels[] | [(.bytes | keys), .level, .basis, .regime]]')" = '[[["DRAM"],"DRAM","achieved","memory"]]' ]
}
