#!/usr/bin/env bats
# What a ledger is left as, and what is said of it, when something fails.

setup() {
  load lib
  start
}

@test "a ledger that did not exist does not exist after an error" {
  run "$ROOFLINE" record nothing seconds=1ms
  [ "$status" -eq 1 ]
  [ ! -e roofline.ledger ]
  ln -s elsewhere link.ledger
  run "$ROOFLINE" record nothing seconds=1ms --ledger link.ledger
  [ "$status" -eq 1 ]
  [ -L link.ledger ] && [ ! -e elsewhere ]
  run sh -c 'trap "" XFSZ; ulimit -f 0; exec "$ROOFLINE" predict gemm m=8 n=8 k=8 --machine h100 --seal'
  [ "$status" -eq 3 ]
  [ ! -e roofline.ledger ]
  : >empty.ledger
  run "$ROOFLINE" record nothing seconds=1ms --ledger empty.ledger
  [ "$status" -eq 1 ]
  [ -e empty.ledger ] # somebody else's file
}

@test "who waits for a new ledger that an error removes makes it anew" {
  : >new.ledger
  exec 9<new.ledger
  flock -x 9
  "$ROOFLINE" predict gemm m=8 n=8 k=8 --machine h100 --seal --label waited --ledger new.ledger --quiet >said &
  waiting=$!
  sleep 0.3
  rm new.ledger
  flock -u 9
  wait "$waiting"
  [ "$(jq -r .label new.ledger)" = waited ]
}

@test "entries that are in the ledger are reported where stdout is full" {
  while read -r words; do
    echo '{"schema": "roofline.measurements/1", "kernels": [{"name": "k", "seconds": 1e-3}]}' >result.json
    # shellcheck disable=SC2086
    run --separate-stderr sh -c '"$ROOFLINE" "$@" --ledger l >/dev/full' sh $words
    [ "$status" -eq 3 ] && [[ $stderr == "roofline: "*"; the entries are in l" ]] || {
      echo "$words: exit $status: $stderr"
      return 1
    }
  done <<'END'
predict gemm m=8 n=8 k=8 --machine h100 --seal --label k
model llama-3.1-8b --machine h100 --seal
record k seconds=1ms
record result.json
loop --quick --backend fake
run gemm --ladder --quick --backend fake m=64 n=64 k=64
END
  run -0 "$ROOFLINE" ledger verify --ledger l
}

@test "everything that seals or records signs" {
  "$ROOFLINE" ledger keygen >/dev/null
  run -0 "$ROOFLINE" run gemm --ladder --quick --backend fake m=64 n=64 k=64 --sign roofline.key
  run -0 "$ROOFLINE" model llama-3.1-8b --machine h100 --seal --sign roofline.key
  run -0 "$ROOFLINE" ledger verify --key roofline.key.pub
  entries=$(wc -l <roofline.ledger)
  has "of the key: $entries signatures; entries 1 to $entries are covered"
  for words in 'run triad --backend fake' 'model llama-3.1-8b --machine h100' 'predict gemm m=8 n=8 k=8 --machine h100'; do
    # shellcheck disable=SC2086
    run "$ROOFLINE" $words --sign roofline.key
    echo "$words: $output"
    [ "$status" -eq 2 ] && [[ $output == *"--sign: "* ]]
  done
}
