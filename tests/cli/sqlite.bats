#!/usr/bin/env bats
# roofline import of SQLite databases that nobody vouches for: what is opened, what is left next to it, and what is refused.

setup() {
  load lib.bash
  start
  cp "$ROOFLINE_SOURCE/tests/fixtures/import/nsys.sqlite" plain.sqlite
}

# sql FILE STATEMENT...: runs them one by one; `wait` keeps the connection open until the file `go` is there.
sql() {
  python3 - "$@" <<'PYTHON'
import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    if statement == "wait":
        open("ready", "w").close()
        while not os.path.exists("go"):
            time.sleep(0.02)
    else:
        db.execute(statement).fetchall()
PYTHON
}

# hold FILE STATEMENT...: the same in the background until `release`.
hold() {
  rm -f ready go
  sql "$@" wait 3>&- &
  holder=$!
  until [ -e ready ]; do sleep 0.02; done
}

release() {
  touch go
  wait "$holder"
}

@test "a database that is being written is refused as locked" {
  hold plain.sqlite 'BEGIN EXCLUSIVE'
  run -2 --separate-stderr "$ROOFLINE" import plain.sqlite
  release
  [[ $stderr == *'locked by a program that writes it'* ]]
  run -0 "$ROOFLINE" import plain.sqlite
}

@test "a session's start is when it was measured" {
  sql plain.sqlite 'CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT)' \
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1769860800250000000, '2026-01-31T12:00:00')"
  run -0 "$ROOFLINE" import plain.sqlite --json
  [ "$(json '[.taken, .taken_from]')" = '["2026-01-31T12:00:00.250Z","file"]' ]
}

@test "a truncated database, and one that only begins like one, are refused as such" {
  head -c 9000 plain.sqlite >cut.sqlite
  run -2 --separate-stderr "$ROOFLINE" import cut.sqlite
  [[ $stderr == *'damaged or truncated'* ]]
  { printf 'SQLite format 3\0'; head -c 4000 /dev/zero; } >not.sqlite
  run -2 --separate-stderr "$ROOFLINE" import not.sqlite
  [[ $stderr == *'not a database'* ]]
  head -c 9000 plain.sqlite | { run -2 --separate-stderr "$ROOFLINE" import -; [[ $stderr == *'damaged or truncated'* ]]; }
}

@test "a database with damage in the middle gives none of its kernels" {
  python3 - <<'PYTHON'
import sqlite3, struct
db = sqlite3.connect("plain.sqlite")
root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_KERNEL'").fetchone()
db.close()
data = bytearray(open("plain.sqlite", "rb").read())
size, = struct.unpack(">H", data[16:18])
data[(root - 1) * size:(root - 1) * size + 8] = b"\xff" * 8
open("plain.sqlite", "wb").write(data)
PYTHON
  run -2 --separate-stderr "$ROOFLINE" import plain.sqlite
  [[ $stderr == *'damaged or truncated'* ]]
  [ -z "$output" ]
}

@test "a path of more than 255 bytes, by file and by pipe, gives the same" {
  deep=$(printf 'd%.0s' {1..200})
  mkdir -p "$deep/$deep/$deep"
  cp plain.sqlite "$deep/$deep/$deep/x.sqlite"
  "$ROOFLINE" import plain.sqlite --json | jq .kernels >expected
  "$ROOFLINE" import "$deep/$deep/$deep/x.sqlite" --json | jq .kernels | cmp expected
  cat plain.sqlite | "$ROOFLINE" import - --json | jq .kernels | cmp expected
  "$ROOFLINE" import - --json <plain.sqlite | jq .kernels | cmp expected
}

@test "names that SQLite would take for something else are files" {
  for name in 'file:x?mode=rw' ':memory:' 'file:plain.sqlite?vfs=none' 'a%20b#c?immutable=0'; do
    cp plain.sqlite "$name"
    "$ROOFLINE" import "$name" --json >answer
    [ "$(jq '.kernels | length' answer)" -gt 0 ]
  done
  [ ! -e x ]
}

@test "what is opened is the file that was looked at, after its name is gone as well" {
  exec 7<plain.sqlite
  rm plain.sqlite
  run -0 "$ROOFLINE" import /dev/fd/7 --json
  exec 7<&-
  [ "$(json '.kernels | length')" -gt 0 ]
}

@test "nothing is left next to a database with a log; changes that are only in the log are reported" {
  sql plain.sqlite 'PRAGMA journal_mode=WAL' 'PRAGMA wal_checkpoint(TRUNCATE)'
  chmod a-w plain.sqlite
  run -0 "$ROOFLINE" import plain.sqlite
  [ "$(ls plain.sqlite*)" = plain.sqlite ]
  run -0 "$ROOFLINE" import - <plain.sqlite
  chmod u+w plain.sqlite
  hold plain.sqlite 'CREATE TABLE more(a)'
  run -2 --separate-stderr "$ROOFLINE" import plain.sqlite
  release
  [[ $stderr == *'its latest changes are in a journal next to it'* ]]
}

@test "a schema's views and functions do not run" {
  sql plain.sqlite 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO kept' \
    'CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start FROM n'
  run -2 --separate-stderr timeout 10 "$ROOFLINE" import plain.sqlite
  [[ $stderr == *'no CUDA kernel in it'* ]]
}

@test "kernels are rolled up by the device and the stream that they ran on" {
  sql plain.sqlite 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN globalPid' \
    'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN streamId' \
    'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN correlationId' \
    'CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start integer, end integer, globalTid integer, correlationId integer, nameId integer)' \
    'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = 16777216, correlationId = rowid, streamId = 7 + 4 * (rowid > 1), deviceId = 0'
  run -0 "$ROOFLINE" import plain.sqlite --by stream --json
  [ "$(json '[.parts[].part]')" = '["device 0, stream 7","device 0, stream 11","outside all"]' ]
  [ "$(json '([.parts[].seconds] | add * 1e12 | round) == (.total_seconds * 1e12 | round)')" = true ]
  run -0 "$ROOFLINE" import plain.sqlite --by device --json
  [ "$(json '[.parts[].part]')" = '["device 0","outside all"]' ]
  sql plain.sqlite 'DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME'
  run -0 "$ROOFLINE" import plain.sqlite --by stream --json
  [ "$(json '[.parts[].part]')" = '["device 0, stream 7","device 0, stream 11","outside all"]' ]
  run -2 "$ROOFLINE" import "$ROOFLINE_SOURCE/tests/fixtures/import/nsys.sqlite" --by stream
  has 'it has no streams of its calls; what it has: --by kernel, class, rank'
}
