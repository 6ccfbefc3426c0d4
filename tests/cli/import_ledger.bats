#!/usr/bin/env bats
# roofline import --ledger: predictions sealed, a profiler's file imported against them, reconciled.

setup() {
  load lib.bash
  start
  cp "$ROOFLINE_SOURCE/tests/fixtures/import/ncu-metrics.csv" "$ROOFLINE_SOURCE/examples/ncu.csv" .
  touch -d 2025-01-01T00:00:00Z ncu.csv
}

seal() { # LABEL OP ...
  "$ROOFLINE" predict "${@:2}" --machine h100 --seal --label "$1" >/dev/null
}

@test "predict, seal, import, reconcile: the counted regime and the operational intensity" {
  seal gemm_bf16 gemm m=8192 n=8192 k=8192 --dtype bf16
  sleep 0.01
  touch ncu.csv
  run -0 "$ROOFLINE" import ncu.csv --machine h100 --ledger
  has 'recorded `gemm_bf16` in roofline.ledger'
  has 'not recorded: void scale<float, (int)4>(T1 *, "tag"): no prediction of it is sealed'
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries | length')" = 1 ]
  [ "$(json '.entries[0].measured_regime')" = '"compute"' ]
  "$ROOFLINE" import ncu.csv --machine h100 --json >k.json
  near '.entries[0].operational_intensity' "$(jq '.kernels[] | select(.name == "gemm_bf16") | ([.flops[]] | add) / .bytes.DRAM' k.json)"
  near '.entries[0].measured_seconds' "$(jq '.kernels[] | select(.name == "gemm_bf16").seconds' k.json)"
  near '.entries[0].counters.occupancy' "$(jq '.kernels[] | select(.name == "gemm_bf16").counters.occupancy' k.json)"
  run -0 "$ROOFLINE" ledger export --json
  near "(.entries[1].levels | to_entries[0].value)" "$(jq '.kernels[] | select(.name == "gemm_bf16").bytes.DRAM' k.json)"
  [ "$(json '.entries[1].unsealed')" = false ]
}

@test "a kernel is recorded by its name as the table shows it, too" {
  run -0 "$ROOFLINE" import ncu.csv --machine h100
  has '  scale<float, 4>'
  seal 'scale<float, 4>' add n=1Mi --dtype fp32
  sleep 0.01
  touch ncu.csv
  run -0 "$ROOFLINE" import ncu.csv --machine h100 --ledger
  [ "$("$ROOFLINE" ledger export --json | jq -c '.entries[1] | [.label, .kind, .prediction]')" = '["scale<float, 4>","measurement",1]' ]
}

@test "a file older than its prediction needs --unsealed, and is marked" {
  seal gemm_bf16 gemm m=8192 n=8192 k=8192 --dtype bf16
  run -1 "$ROOFLINE" import ncu.csv --ledger
  has 'before its prediction was sealed'
  run -0 "$ROOFLINE" ledger verify
  has '1 entry'
  run -0 "$ROOFLINE" import ncu.csv --ledger --unsealed --json
  [ "$(json '.recorded.labels | length')" = 2 ]
  [ "$(json '.recorded.left_out | length')" = 0 ]
  run -0 "$ROOFLINE" ledger verify
  has '2 unsealed'
}

@test "kernels are named after a prediction, and counted as calls of one kernel" {
  seal ffn gemm m=8192 n=8192 k=8192 --dtype bf16
  touch ncu.csv
  run -1 "$ROOFLINE" import ncu.csv --ledger
  has 'no prediction of any of these kernels is sealed'
  has 'ffn'
  run -0 "$ROOFLINE" import ncu.csv --ledger other.ledger --unsealed --merge 'gemm=ffn' --quiet
  run -0 "$ROOFLINE" import ncu.csv --ledger --merge 'gemm=ffn' --to k.json
  [ "${lines[0]}" = 'recorded `ffn` in roofline.ledger' ]
  [ "$(jq -r '.recorded.labels[0]' k.json)" = ffn ]
  run -0 "$ROOFLINE" reconcile
  has 'ffn'
  has '    measured as gemm_bf16'
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0].measured_as')" = '"gemm_bf16"' ]
  run -0 "$ROOFLINE" ledger show
  has ', as gemm_bf16'
  run -0 "$ROOFLINE" ledger verify
  run -0 "$ROOFLINE" import ncu.csv --ledger all.ledger --unsealed --merge '.=all' --quiet
  run -0 "$ROOFLINE" ledger export --ledger all.ledger --json
  [ "$(json '.entries[0].measured_as')" = '"void scale<float, (int)4>(T1 *, \"tag\") and 1 more"' ]
  run -0 "$ROOFLINE" import ncu.csv --merge '.=all' --json
  [ "$(json '.kernels | length')" = 1 ]
  [ "$(json '.kernels[0].calls')" = 2 ]
  [ "$(json .recorded)" = null ]
}

@test "kernels take the label of a sealed operation, which holds equals signs" {
  "$ROOFLINE" seal gemm m=16384 n=16384 k=16384 --dtype fp32 --machine a6000 >/dev/null
  sleep 0.01
  touch ncu.csv
  run -0 "$ROOFLINE" import ncu.csv --ledger --merge 'gemm=gemm m=16384 n=16384 k=16384 fp32'
  has 'recorded `gemm m=16384 n=16384 k=16384 fp32` in roofline.ledger'
}

@test "an operation's formula is no count" {
  seal add add n=16384 --dtype fp32
  cp "$ROOFLINE_SOURCE/tests/fixtures/import/nsys-trace.csv" t.csv
  run -0 "$ROOFLINE" import t.csv --op '^add=add n=16384' --merge '^add=add' --ledger
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0].operational_intensity')" = null ]
}

@test "bad input" {
  run -2 "$ROOFLINE" import --ledger ncu.csv
  has '`ncu.csv` is the ledger'
  run -2 "$ROOFLINE" import ncu.csv --unsealed
  has '--unsealed: has no effect without --ledger'
  run -2 "$ROOFLINE" import ncu.csv --merge 'nothing=x'
  has "no kernel's name matches"
  run -2 "$ROOFLINE" import ncu.csv --merge '(=x'
  has '--merge `(`'
  run -1 "$ROOFLINE" import ncu.csv --ledger
  has 'no prediction of any of these kernels is sealed'
  [ ! -e roofline.ledger ]
  echo '{}' >roofline.ledger
  run -2 "$ROOFLINE" import ncu.csv --ledger
  has 'roofline.ledger'
}
