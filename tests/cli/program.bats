#!/usr/bin/env bats
# `run -- PROGRAM`: a user's program, by its regions or as a whole.
load lib

setup() {
  start
  unset TMPDIR
  "$ROOFLINE" measure --backend fake >/dev/null
}

# The example with regions, built as a user would.
build() {
  nm -D "$ROOFLINE_BUILD/libroofline.so" | grep -q ' U __asan_init' && skip "the library is built with sanitizers"
  cc -std=c17 "$ROOFLINE_SOURCE/examples/region.c" -o region -I "$ROOFLINE_SOURCE/include" -L "$ROOFLINE_BUILD" \
    -lroofline_region -Wl,-rpath,"$ROOFLINE_BUILD"
}

# run_json ARGUMENT...: `run --json ARGUMENT...`, the program's output apart.
run_json() {
  run -0 --separate-stderr "$ROOFLINE" run --json --to report.json "$@"
  printed=$output
  output=$(cat report.json)
}

@test "its regions on the roof, the samples of every run" {
  build
  run_json --repeat 3 --machine fake -- ./region
  [ "$(wc -l <<<"$printed")" = 3 ]
  [ "$stderr" = "wrote report.json" ]
  [ "$(json '[.schema, .format, .machine, .program.command]')" = '["roofline.measurements/1","program","fake",["./region"]]' ]
  [ "$(json '[.kernels[] | .name, .calls, .threads, (.samples | length), .flops, .bytes, .binding]')" = \
    '["fill",3,1,3,{"fp64":0},{"DRAM":2400000},"DRAM","triad",30,1,30,{"fp64":200000},{"DRAM":2400000},"DRAM"]' ]
  near '.kernels[1].ceiling_seconds' 6e-5
  near '.kernels[1] | .fraction_of_ceiling * .seconds / .ceiling_seconds' 1
  [ "$(json '.program | (.samples | length == 3) and .seconds > 0 and .peak_bytes > 1e6 and .cores_busy > 0')" = true ]
  run -0 "$ROOFLINE" record report.json --unsealed
  has 'recorded `triad`'
}

@test "what was measured before it was sealed is so, whatever the date of its file" {
  run_json -- sleep 0.02
  [[ $(json .taken) == '"'????-??-??T*'"' ]]
  sleep 1.1
  "$ROOFLINE" predict add n=64Mi --machine h100 --seal --label sleep >/dev/null
  touch report.json
  run -1 "$ROOFLINE" record report.json
  has 'before its prediction was sealed'
}

@test "the report is on stderr, stdout is the program's" {
  build
  run -0 --separate-stderr "$ROOFLINE" run --machine fake -- ./region
  [ "$output" = "$(./region)" ]
  [[ $stderr == *"region: 1 run of "* && $stderr == *"  triad "* && $stderr == *"ceilings: fake"* ]]
  ! ls -d /tmp/roofline.*/ 2>/dev/null
}

@test "work given for the whole of a program that marks regions is said to have no use" {
  build
  run -0 --separate-stderr "$ROOFLINE" run --flops 1G --machine fake -- ./region
  [[ $stderr == *"  --flops: not used: the program marks regions, which say what they do"* ]]
  run -0 --separate-stderr "$ROOFLINE" run --flops 1G --bytes 1G --machine fake -- ./region
  [[ $stderr == *"  --flops, --bytes: not used: "* ]]
  run -0 --separate-stderr "$ROOFLINE" run --op 'triad n=4M' --machine fake -- ./region
  [[ $stderr == *"  --op: not used: "* ]]
  run -0 --separate-stderr "$ROOFLINE" run --machine fake -- ./region
  [[ $stderr != *"not used"* ]]
}

@test "CSV, and a chart by the file's name" {
  build
  run -0 "$ROOFLINE" run --to regions.csv --machine fake -- ./region
  [ "$(cut -d, -f1,2,3,7,8,9 regions.csv)" = 'name,calls,threads,dtype,flops,bytes
fill,1,1,fp64,0,2400000
triad,10,1,fp64,200000,2400000' ]
  run -0 "$ROOFLINE" run --to regions.svg --machine fake -- ./region
  xmllint --noout regions.svg
  grep -q '>triad<' regions.svg
  grep -q '>ceilings of 1 core<' regions.svg # as many as called the regions, by which they are judged
}

@test "without regions: the program as a whole, placed by what is said of it" {
  run_json -- sleep 0.02
  [ "$(json '[.kernels[0] | .name, .calls, .flops, .bytes, .fraction_of_ceiling]')" = '["sleep",1,null,null,null]' ]
  equals '.kernels[0].counted' '{"flops":null,"bytes":null}'
  [ "$(json '.kernels[0].seconds >= 0.02')" = true ]
  run -0 "$ROOFLINE" run -- sleep 0.02 # it may use any number of threads
  [[ $output != *threads* ]]
  run_json --repeat 2 --op 'gemm m=512 n=512 k=512' --machine fake -- sleep 0.01
  equals '[.kernels[0] | .name, .calls, .flops, .bytes, .counted]' \
    '["gemm m=512 n=512 k=512 fp64",2,{"fp64":268435456},{"DRAM":6291456},{"flops":"formula","bytes":"formula"}]'
  run_json --flops 1G --bytes 30M --dtype fp32 --machine fake -- true
  [ "$(json '[.kernels[0] | .flops, .bytes, .binding, .counted.flops]')" = '[{"fp32":1000000000},{"DRAM":30000000},"fp32 vector","command line"]' ]
}

@test "what is above the peak is in no cache, and its share is not written out" {
  run -0 --separate-stderr "$ROOFLINE" run --flops 1e18 --bytes 30M --dtype fp32 --machine fake -- true
  [[ $stderr == *'over 1000 %'* && $stderr == *'true: above the peak, which no cache lifts: it does less than it says'* ]]
  run -0 --separate-stderr "$ROOFLINE" run --flops 1 --bytes 1P --dtype fp32 --machine fake -- true
  [[ $stderr == *'true: above the roof: its data stay in a cache, or it does less than it says'* ]]
}

@test "the label of --op is the one that sealing gives" {
  run -0 "$ROOFLINE" predict gemm m=512 n=512 k=512 --dtype fp64 --machine fake --seal
  run_json --op 'gemm m=512 n=512 k=512' --machine fake -- sleep 0.01
  run -0 "$ROOFLINE" record report.json
}

@test "hardware counters, or why there are none" {
  run_json -- true
  [ "$(json '.program.counters | (.flops == null) == (.flops_reason != null)')" = true ]
  [ "$(json '.program.counters | (.memory_bytes == null) == (.memory_reason != null)')" = true ]
  nm -D "$ROOFLINE_BUILD/libroofline.so" | grep -q ' U __asan_init' && return 0
  cc -shared -fPIC "$ROOFLINE_SOURCE/tests/fixtures/papi.c" -o libpapi.so.7.0
  LD_LIBRARY_PATH=. run_json --machine fake -- true
  equals '[.kernels[0] | .flops, .counted.flops, .fraction_of_ceiling > 0]' '[{"fp64":500,"fp32":20},"PAPI",true]'
  equals '.program.counters | [.flops, .flops_reason]' '[{"fp64":500,"fp32":20},null]'
  PAPI_DENIES=1 LD_LIBRARY_PATH=. run_json -- true
  [ "$(json '.program.counters.flops_reason')" = '"Permission level does not permit operation"' ]
}

@test "a program that cannot run, fails or crashes: the reason, and no report" {
  run -3 "$ROOFLINE" run --to report.json -- ./nothere
  [ "$output" = 'roofline: ./nothere: cannot be executed: No such file or directory' ]
  run -3 "$ROOFLINE" run --to report.json -- sh -c 'exit 7'
  [ "$output" = 'roofline: sh: failed with exit code 7: nothing is reported' ]
  run -3 "$ROOFLINE" run --to report.json -- sh -c 'kill -SEGV $$'
  [ "$output" = 'roofline: sh: ended by signal 11 (Segmentation fault): nothing is reported' ]
  [ ! -e report.json ]
}

@test "a signal ends the program too, and leaves no file" {
  mkdir tmp
  for signal in TERM HUP; do
    TMPDIR=$PWD/tmp "$ROOFLINE" run --to report.json --timeline when.json -- sh -c 'echo $$ >pid; exec sleep 60' 3>&- &
    shell=$!
    for _ in $(seq 200); do [ -s pid ] && break; sleep 0.02; done
    kill -s $signal "$shell"
    wait "$shell" && false
    ! kill -0 "$(cat pid)" 2>/dev/null || false
    [ -z "$(ls tmp)" ]
    rm pid
  done
  [ ! -e report.json ]
  [ ! -e when.json ]
}

@test "a folder for what lasts a while may have any name" {
  build
  for name in 't[1]' 'p%r' 'q%p%%' 'a\b*'; do
    mkdir -p "$name"
    TMPDIR=$PWD/$name run_json --timeline when.json -- ./region
    [ "$(json '[.kernels[].name]')" = '["fill","triad"]' ]
    jq -e '.ranks[0].calls > 0' when.json
    rm when.json
    [ -z "$(ls -A "$name")" ]
  done
  [ "$(ls -d p* q*)" = $'p%r\nq%p%%' ]
}

@test "bad input" {
  run -2 "$ROOFLINE" run --
  has 'which program?'
  run -2 "$ROOFLINE" run triad -- true
  has '`triad`: a kernel or a program, not both'
  run -2 "$ROOFLINE" run --repeat 0 -- true
  has '--repeat 0: must be from 1 to 10000'
  run -2 "$ROOFLINE" run --flops 5apples -- true
  has '--flops'
  run -2 "$ROOFLINE" run --op 'gemmm m=4' -- true
  has 'did you mean `gemm`?'
  run -2 "$ROOFLINE" run --op 'gemm m=1,2 n=4 k=4' -- true
  has 'one size'
  cores=$("$ROOFLINE" machine show fake --json | jq .unit_count)
  run -2 "$ROOFLINE" run --threads $((cores + 1)) --machine fake -- true
  has "--threads $((cores + 1)): fake has $cores core"
  run -2 "$ROOFLINE" run --quick -- true
  has 'takes --repeat'
  run -2 "$ROOFLINE" run triad --repeat 3
  has 'is for a program'
  run -2 "$ROOFLINE" run ./a.out
  has '`roofline run -- ./a.out`'
}

@test "ranks of a job: their rates together, under the roof of as many cores" {
  build
  cat >two.sh <<'END'
#!/bin/sh
# What mpirun does, as far as a rank sees it.
PMI_RANK=0 ./region & PMI_RANK=1 ./region & wait
END
  chmod +x two.sh
  run_json --machine fake -- ./two.sh
  [ "$(json '[.kernels[] | .name, .threads, .calls, .ranks.count]')" = '["fill",2,2,2,"triad",2,20,2]' ]
  [ "$(json '.kernels[1].ranks | .slowest_seconds >= .mean_seconds and .mean_seconds > 0')" = true ]
  near '.kernels[1] | .fraction_of_ceiling * .seconds / .ceiling_seconds' 1
  run -0 "$ROOFLINE" run --machine fake -- ./two.sh
  has 'triad: the rates are those of its 2 ranks, 2 threads in all, under the roof of as many cores; '

  # One after the other they are one process, as before.
  printf '#!/bin/sh\n./region; ./region\n' >two.sh
  run_json --machine fake -- ./two.sh
  [ "$(json '[.kernels[] | .threads, .calls, .ranks]')" = '[1,2,null,1,20,null]' ]
}
