#!/usr/bin/env bats
# How a ledger's file is kept: torn ends, changed chains, locks, files that are none.

setup() {
  load lib
  start
}

teardown() {
  [ ! -e ledger ] || chattr -a ledger 2>/dev/null || true
}

seals() { # LABEL
  run --separate-stderr timeout 60 "$ROOFLINE" predict add n=1Mi --machine "$h989" --dtype fp32 --seal --label "$1" --ledger ledger --quiet
}

verified() { # ENTRIES
  [[ $("$ROOFLINE" ledger verify --ledger ledger) == "ledger is intact: $1 entr"* ]]
}

@test "bytes chopped off the end are kept, said and recorded" {
  seals one
  seals two
  cp ledger whole
  truncate -s -2 ledger
  seals three
  [ "$status" -eq 0 ]
  dropped=$(stat -c %s ledger.torn)
  [[ $stderr == *"dropped $dropped bytes of a torn append (entry 2, \`two\`): its end was cut off"* ]]
  [[ $stderr == *'kept in ledger.torn'* ]]
  [ "$(cat ledger.torn)" = "$(sed -n 2p whole | head -c $dropped)" ]
  [ "$(sed -n 2p ledger | jq -c '.torn')" = "{\"bytes\":$dropped,\"sha256\":\"$(sha256sum <ledger.torn | cut -d' ' -f1)\"}" ]
  verified 2
}

@test "a changed ledger is not continued" {
  seals one
  seals two
  sed -i '1s/"label":"one"/"label":"wan"/' ledger
  cp ledger before
  seals three
  [ "$status" -eq 1 ]
  [[ $stderr == 'roofline: ledger:1: entry 1: its SHA-256 does not match' ]]
  cmp ledger before
}

@test "a ledger replaced while its lock is waited for gets the entry" {
  seals one
  (
    flock -x 9
    touch held
    sleep 0.5
    cp ledger new && mv new ledger
  ) 9<ledger &
  until [ -e held ]; do sleep 0.02; done
  "$ROOFLINE" record one seconds=777ms --ledger ledger
  wait
  grep -q 0.777 ledger
  verified 2
}

@test "waiting for a lock is said" {
  seals one
  (
    flock -x 9
    touch held
    sleep 1.5
  ) 9<ledger &
  until [ -e held ]; do sleep 0.02; done
  seals two
  wait
  [ "$status" -eq 0 ]
  [ "$stderr" = 'roofline: ledger ledger: waiting for another program that holds its lock' ]
  verified 2
}

@test "a ledger that the system lets only grow" {
  seals one
  chattr +a ledger 2>/dev/null || skip "chattr +a takes a file system that has it, and root"
  seals two
  chattr -a ledger
  [ "$status" -eq 0 ]
  verified 2
}

@test "a pipe is no ledger and no key" {
  mkfifo ledger key
  seals one
  [ "$status" -eq 3 ]
  [[ $stderr == *'ledger ledger: not a regular file' ]]
  run --separate-stderr timeout 60 "$ROOFLINE" ledger verify --ledger ledger
  [ "$status" -eq 2 ]
  [[ $stderr == *'ledger ledger: not a regular file' ]]
  rm ledger
  seals one
  run --separate-stderr timeout 60 "$ROOFLINE" ledger verify --ledger ledger --key key
  [ "$status" -eq 2 ]
  [[ $stderr == *'key key: not a regular file' ]]
}

@test "entries whose answer cannot be printed are in the ledger, and the error says so" {
  [ -w /dev/full ] || skip 'no /dev/full'
  run --separate-stderr sh -c '"$ROOFLINE" predict add n=1Mi --machine "$1" --dtype fp32 --seal --label one --ledger ledger >/dev/full' sh "$h989"
  [ "$status" -eq 3 ]
  [[ $stderr == *'No space left on device; the entries are in ledger' ]]
  run --separate-stderr sh -c '"$ROOFLINE" record one seconds=1ms --ledger ledger >/dev/full'
  [ "$status" -eq 3 ]
  [[ $stderr == *'No space left on device; the entries are in ledger' ]]
  verified 2
}

@test "a file that is written again keeps its mode, and a link stays one" {
  seals one
  echo old >table.md
  chmod 600 table.md
  ln -s table.md link.md
  ln -s nothing.md astray.md
  "$ROOFLINE" ledger export --markdown link.md --ledger ledger
  [ -L link.md ] && [ ! -L table.md ]
  [ "$(stat -c %a table.md)" = 600 ]
  grep -q '| one |' table.md
  run --separate-stderr "$ROOFLINE" ledger export --markdown astray.md --ledger ledger
  [ "$status" -eq 3 ]
  [[ $stderr == *'astray.md: a link that leads nowhere' ]]
}

# document MEMBERS ELEMENT COUNT: {MEMBERS"kernels":[ELEMENT, ...]}
document() {
  printf '{%s"kernels":[' "$1"
  yes "$2," | head -n "$3" | tr -d '\n'
  printf '%s]}' "$2"
}

@test "documents of a million small parts, and a thousand machines, are refused before they fill the memory" {
  document '"schema":"roofline.measurements/1",' '{"name":"k","seconds":1e-3}' 500000 >many.json
  run --separate-stderr timeout 20 "$ROOFLINE" record many.json --unsealed --ledger ledger
  [ "$status" -eq 2 ]
  [[ $stderr == *'many.json: more than 131072 objects and lists in one document: split it into several' ]]
  [ ! -e ledger ]
  document '' '[]' 5000000 >empty.json
  run --separate-stderr timeout 20 "$ROOFLINE" machine show ./empty.json
  [ "$status" -eq 2 ]
  [[ $stderr == *'more than 131072 objects and lists in one document: split it into several' ]]
  # shellcheck disable=SC2046  # words
  run --separate-stderr timeout 20 "$ROOFLINE" predict add n=1 $(yes ' -m h100' | head -n 1000)
  [ "$status" -eq 2 ]
  [[ $stderr == 'roofline: --machine: more than 256' ]]
}

@test "a large file of measurements is recorded in memory of its own size" {
  samples=$(seq -s, 1 400 | sed 's/[0-9]*/1.25e-3/g')
  document '"schema":"roofline.measurements/1",' "{\"name\":\"k\",\"seconds\":1.25e-3,\"samples\":[$samples]}" 4000 >large.json
  [ "$(stat -c %s large.json)" -gt 12000000 ]
  (ulimit -v 900000 && timeout 30 "$ROOFLINE" record large.json --unsealed --ledger ledger --quiet)
  verified 4001
}
