#!/usr/bin/env bats
# roofline import: formats of benchmarks, what of them is read and how they are refused.

setup() {
  load lib.bash
  start
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
}

refuses() { # TEXT FILE [OPTION...]
  run --separate-stderr "$ROOFLINE" import "${@:2}"
  [ "$status" -eq 2 ]
  [[ $stderr == "roofline: $1"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
  [ -z "$output" ]
}

@test "Google Benchmark's table says what its JSON says" {
  run -0 "$ROOFLINE" import "$fixtures/gbench.txt" --json
  local copy='.kernels | map(select(.name == "BM_copy<int, float>/1024"))[0]'
  [ "$(json "($copy) | [.calls, .seconds, .items]")" = '[500000,1.024e-06,256]' ]
  near "($copy).bytes.DRAM" 2147.483648 # 2 GiB/s, written 2G/s, x 1 us
  near '.kernels | map(select(.name | startswith("BM_dot")))[0].flops.fp32' 2.5e6
  [ "$(json '[.skipped[].why]')" = '["no device here","too slow"]' ]
  head -9 "$fixtures/gbench.txt" >none.txt
  refuses 'none.txt:1: no benchmark with a time in it' none.txt
  printf 'Benchmark  Time  CPU Iterations\nBM_x  1e400 ns  1 ns 5\nBM_y  3 ns  3 ns 99999999999999999999\n' >huge.txt
  refuses 'huge.txt:1: no benchmark with a time in it' huge.txt
}

@test "hyperfine's runs are samples, and its parameters are in the name" {
  run -0 "$ROOFLINE" import "$fixtures/hyperfine.json" --json
  [ "$(json '[.kernels[] | [.name, .calls, .samples]][0]')" = '["sort -j 1 in (threads=1)",3,[0.4875,0.5,0.5125]]' ]
  [ "$(json .facts.runs_that_failed)" = '"2"' ]
  local json='{"results":[{"command":"x","stddev":1,"median":1,"mean":'
  printf '%s' "$json" >cut.json
  refuses 'cut.json:1:' cut.json
  printf '%s' "$json"'"no","times":{}}]}' >types.json
  refuses 'types.json:1: no command with a time in it' types.json
  printf '%s' "$json"'1,"times":[1e300,-1,"x",null]}]}' >huge.json
  run -0 "$ROOFLINE" import huge.json --json
  [ "$(json '.skipped[0].times')" = 4 ]
  printf 'command,mean,stddev,median,user,system,min,max\n' >empty.csv
  refuses 'empty.csv:1: no command with a time in it' empty.csv
}

@test "pytest-benchmark's rounds have several calls each" {
  run -0 "$ROOFLINE" import "$fixtures/pytest-benchmark.json" --json
  [ "$(json '[.kernels[] | [.calls, .total_seconds]]')" = '[[12,0.024],[40,2e-05]]' ]
  [ "$(json '[.taken, .device]')" = '["2026-01-31T12:00:00.250Z","AMD EPYC 7763 64-Core Processor"]' ]
  local json='{"machine_info":{"python_version":"3"},"commit_info":{},"benchmarks":['
  printf '%s' "$json" >cut.json
  refuses 'cut.json:1:' cut.json
  printf '%s]}' "$json" >empty.json
  refuses 'empty.json:1: no benchmark in it' empty.json
  printf '%s{"name":3,"stats":[]},{"name":"x","stats":{"rounds":1e300,"mean":1}}]}' "$json" >types.json
  refuses 'types.json:1: no benchmark in it' types.json
}
