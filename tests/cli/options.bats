#!/usr/bin/env bats
# What options accept, whatever the command.
bats_require_minimum_version 1.5.0

setup() {
  load lib.bash
  start
  gemm="gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16"
}

# same "ARGUMENTS" "ARGUMENTS": both give one answer.
same() {
  run -0 "$ROOFLINE" $1
  local first=$output
  run -0 "$ROOFLINE" $2
  [ "$output" = "$first" ]
}

@test "a share is typed with a % or without" {
  same "predict $gemm --efficiency 0.95" "predict $gemm --efficiency 95%"
  same "predict $gemm --efficiency 0.6,0.7,0.8" "predict $gemm --efficiency 60%,70%,80%"
  same "predict $gemm --overlap 0.5" "predict $gemm --overlap 50%"
  same "advise --mix decode=0.8,prefill=0.2 --machine a100 --against h100" "advise --mix decode=80%,prefill=20% --machine a100 --against h100"
  echo '{"schema": "roofline.measurements/1", "source": "x", "format": "fake", "machine": "box", "kernels": [
    {"name": "a", "calls": 1, "seconds": 0.002, "ceiling_seconds": 0.001, "fraction_of_ceiling": 0.5, "samples": [],
     "flops": {"fp32": 1}, "bytes": {"DRAM": 1}}], "skipped": []}' >r.json
  run -0 "$ROOFLINE" check r.json --min 50%
  run -1 "$ROOFLINE" check r.json --min 50.1%
  run -0 "$ROOFLINE" check r.json --against r.json --min 5% --max-regression 5% --significance 5%
  [[ $output == *"at least 5 % of the ceiling"* ]]
  run -2 "$ROOFLINE" check r.json --min 101%
  run -2 "$ROOFLINE" predict $gemm --launch 5%
  run -2 "$ROOFLINE" predict $gemm --efficiency 5m%
  run -0 "$ROOFLINE" measure --backend fake --quiet --precision 2%
  run -2 "$ROOFLINE" measure --backend fake --quiet --precision 51%
}
