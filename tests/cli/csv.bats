#!/usr/bin/env bats
# --csv of every command whose answer is a table: the values of --json, as RFC 4180 has them.
load lib

setup() {
  start
  "$ROOFLINE" measure --backend fake >/dev/null
  "$ROOFLINE" predict triad n=4M --machine fake --dtype fp32 --seal >/dev/null
  "$ROOFLINE" run triad n=4M --backend fake --json >results.json
  "$ROOFLINE" record results.json --unsealed >/dev/null
  cat >columns.py <<'P'
import csv, sys
rows = list(csv.reader(open(sys.argv[1]), strict=True))
wide = {len(row) for row in rows}
assert len(wide) == 1, wide
at = [rows[0].index(name) for name in sys.argv[2:]]
for row in rows[1:]:
    print("|".join(row[i] for i in at))
P
}

# columns NAME...: those columns of the last run's output, after a strict reader has taken all of it.
columns() {
  printf '%s\n' "$output" >table.csv
  python3 columns.py table.csv "$@"
}

# csv ARGUMENT...: runs a command with --csv.
csv() {
  run -0 --separate-stderr "$ROOFLINE" "$@" --csv
  [ -z "$stderr" ]
  [[ $output != *$'\x01'* ]]
}

@test "run" {
  csv run triad n=4M,8M --backend fake
  [ "$(columns name dtype flops bytes level)" = 'triad n=4000000 fp32|fp32|8000000|48000000|DRAM
triad n=8000000 fp32|fp32|16000000|96000000|DRAM' ]
  [ "$(columns samples | head -1 | tr ';' '\n' | wc -l)" = 7 ]
  [ "$(columns seconds | head -1)" = "$(jq '.kernels[0].seconds' results.json)" ]
  csv run --list
  [ "$(columns name op | grep '^gemm-blas')" = 'gemm-blas|gemm' ]
  csv run gemm --ladder --backend fake --dtype fp64
  [ "$(columns rung kernel | head -1)" = '1|gemm-naive' ]
}

@test "the ledger's commands" {
  csv ledger show
  [ "$(columns sequence kind machine)" = '1|prediction|fake
2|measurement|fake' ]
  csv ledger verify
  [ "$(columns entries predictions measurements)" = '2|1|1' ]
  csv ledger export
  run --separate-stderr "$ROOFLINE" reconcile --csv
  columns label regime headroom verdict >reconciled
  "$ROOFLINE" reconcile --json | jq -r '.entries[] | [.label, .regime, (.headroom | tostring | .[:6]), .verdict] | join("|")' >expected || true
  [ "$(cut -d'|' -f1,2,4 reconciled)" = "$(cut -d'|' -f1,2,4 expected)" ]
  csv record other seconds=1ms --unsealed
  [ "$output" = 'label
other' ]
  echo 'mine, first: gemm m=8 n=8 k=8 --machine h100' >list
  csv seal list
  [ "$output" = 'label
"mine, first"' ]
}

@test "lists" {
  for command in run import profile; do
    csv $command list
    columns name >names
    [ "$(wc -l <names)" -gt 5 ]
    [ "$(cat names)" = "$("$ROOFLINE" $command list --json | jq -r 'map(arrays)[0][].name')" ]
    "$ROOFLINE" $command list --csv --quiet >names
    [ "$output" = "$(cat names)" ]
  done
  csv profile list --to -.csv
  [ "$(columns name installed cost | sed -n 2p)" = "$("$ROOFLINE" profile list --json | jq -r '.profilers[1] | "\(.name)|\(.installed)|\(.cost)"')" ]
  csv profile show perf
  [ "$(columns installed)" = "$("$ROOFLINE" profile show perf --json | jq .installed)" ]
}

@test "machines" {
  csv measure --backend fake
  [ "$(columns figure dtype cores kind | head -2)" = 'peaks|fp64|1|measured
peaks|fp64||measured' ]
  csv machine show fake
  [ "$(columns figure name triad_bytes_per_second | tail -1 | cut -d'|' -f1,2)" = 'levels|DRAM' ]
  echo '{"schema": "roofline.machine/1", "name": "odd", "peaks": []}' >odd.json
  run --separate-stderr "$ROOFLINE" machine lint odd.json --csv
  columns machine severity where message >/dev/null
}

@test "judgements and advice" {
  csv check results.json --min 0.5
  [ "$(columns state passed)" = 'ok|true' ] || columns state passed
  csv claim 1TB/s --machine h100
  [ "$(columns machine claimed_bytes_per_second limit_bytes_per_second)" = 'nvidia-h100-sxm|1000000000000|3350000000000' ]
  csv advise gemv m=8192 n=28672 --machine h100
  [ "$(columns lever gain | wc -l)" -gt 3 ]
  [ "${lines[0]}" = lever,change,gain,helps,seconds,moved,why,regime,flips_at ]
  csv advise gemv m=8192 n=28672 --machine h100 --set peak=2x
  [[ $(columns set gain) == 'peak=2x|1.000'* ]]
  csv advise --mix decode=0.8,prefill=0.2 --machine h100 --machine h200
  [ "$(columns name share)" = 'decode|0.8
prefill|0.2' ]
  [ "${lines[0]}" = name,regime,share,gain ]
  csv op show gemm
  [ "$(columns name default | head -2)" = 'm|
n|' ]
}
