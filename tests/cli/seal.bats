#!/usr/bin/env bats
# Seal, record, ledger: what was predicted cannot change after the fact.

setup() {
  load lib
  start
}

sealed() {
  run --separate-stderr "$ROOFLINE" predict gemm m=1 n=28672 k=8192 --machine "$h989" --dtype fp16 --seal "$@"
  [ "$status" -eq 0 ]
}

# entry NUMBER FILTER: of a line of the ledger.
entry() {
  sed -n "$1p" roofline.ledger | command jq -c "$2"
}

# refuses CODE TEXT ARGUMENT...: the command fails with TEXT on stderr and leaves the ledger as it was.
refuses() {
  local code=$1 text=$2 before
  shift 2
  before=$(cat roofline.ledger 2>/dev/null || true)
  run --separate-stderr "$ROOFLINE" "$@"
  [ "$status" -eq "$code" ] && [[ $stderr == *"$text"* ]] && [ "$(cat roofline.ledger 2>/dev/null || true)" = "$before" ] && return 0
  echo "roofline $*: exit $status, expected $code with \`$text\`: $stderr"
  return 1
}

@test "predict --seal writes regime, ceiling and expected share before anything is measured" {
  sealed
  has 'sealed      `gemm m=1 n=28672 k=8192 fp16` in roofline.ledger'
  [ "$(entry 1 '[.sequence, .kind, .label, .machine, .regime, .binding, .dtype]')" = \
    '[1,"prediction","gemm m=1 n=28672 k=8192 fp16","h989","memory","HBM","fp16"]' ]
  [ "$(entry 1 '.seconds.lower / .seconds.expected * 100 | round')" = 78 ]
  [ "$(entry 1 '.ceilings.theoretical.bytes_per_second')" = 3350000000000 ]
  [ "$(entry 1 '.ceilings.achieved.seconds')" = null ]
  [ "$(entry 1 '.commit')" = null ]
  [ "$(entry 1 '.version')" = "\"$("$ROOFLINE" --version | cut -d' ' -f2)\"" ]
}

@test "an entry names the machine file by the digest of what machine show prints" {
  sealed
  digest=$("$ROOFLINE" machine show "$h989" --json | sha256sum | cut -d' ' -f1)
  [ "$(entry 1 .machine_sha256)" = "\"$digest\"" ]
}

@test "an entry names the commit checked out, in a worktree too; without one or without git none" {
  type git >/dev/null || skip "git is not installed"
  git() { command git -c user.name=a -c user.email=a@b -c init.defaultBranch=main "$@"; }
  git init -q .
  sealed
  [ "$(entry 1 .commit)" = null ]
  git commit -q --allow-empty -m one
  sealed
  [ "$(entry 2 .commit)" = "\"$(git rev-parse HEAD)\"" ]
  git pack-refs --all
  git worktree add -q tree
  cd tree
  git commit -q --allow-empty -m two
  "$ROOFLINE" predict add n=1Mi --machine "$h989" --seal --ledger ../roofline.ledger
  cd ..
  [ "$(entry 3 .commit)" = "\"$(git -C tree rev-parse HEAD)\"" ]
  [ "$(entry 3 .commit)" != "$(entry 2 .commit)" ]
  env PATH=/nowhere "$ROOFLINE" predict add n=1Mi --machine "$h989" --seal
  [ "$(entry 4 .commit)" = null ]
}

@test "labels: given, or made of operation, shape and format, with the machine where there are several" {
  sealed --label ffn --ledger other
  [ "$(jq -r .label other)" = ffn ]
  machine slow 1e14 1e12 >slow.json
  sealed --machine ./slow.json --json
  [ "$(jq -rs 'map(.label) | join("; ")' roofline.ledger)" = \
    'gemm m=1 n=28672 k=8192 fp16 on h989; gemm m=1 n=28672 k=8192 fp16 on slow' ]
  refuses 2 'one label, but 2 predictions' predict gemm m=1 n=1 k=1 --machine "$h989" --machine ./slow.json --seal --label x
  refuses 2 'has no effect without --seal' predict gemm m=1 n=1 k=1 --machine "$h989" --label x
}

@test "seal takes a list, each line as predict does" {
  cat >list.txt <<END
# before the profiler is opened
up: gemm m=1 n=28672 k=8192 --machine $h989 --dtype fp16
  add n=64Mi --machine $h989 --dtype fp32

W4A16: gemm m=1 n=8192 k=8192 --machine "$h989" --dtype fp16 --weights int4 --group 128
END
  run --separate-stderr "$ROOFLINE" seal list.txt
  [ "$status" -eq 0 ]
  has '3 predictions sealed in roofline.ledger'
  [ "$(jq -rs 'map(.label) | join("; ")' roofline.ledger)" = 'up; add n=67108864 fp32; W4A16' ]
  [ "$(entry 3 .options)" = '"--weights int4 --group 128"' ]
  run "$ROOFLINE" seal list.txt --json --ledger again
  [ "$(json '[.schema, .ledger, .signed, .labels[0]]')" = '["roofline.sealed/1","again",false,"up"]' ]
}

@test "a list with one bad line is not sealed at all, and the line is named" {
  printf 'a: add n=1 --machine %s\nb: adx n=1 --machine %s\n' "$h989" "$h989" >list.txt
  refuses 2 'list.txt:2: ' seal list.txt
  printf 'a: add n=8 --machine %s\na: add n=9 --machine %s\n' "$h989" "$h989" >list.txt
  refuses 2 'list.txt:2: label `a`: given to two predictions' seal list.txt
  printf '# nothing\n' >list.txt
  refuses 2 'no predictions' seal list.txt
  refuses 2 'No such file' seal nothing.txt
  refuses 2 'which file' seal
  [ ! -e roofline.ledger ]
}

@test "seal takes what predict and sweep print as JSON" {
  "$ROOFLINE" predict add n=1Mi --machine "$h989" --dtype fp32 --json >one.json
  "$ROOFLINE" sweep gemm m=1,64 n=8192 k=8192 --machine "$h989" --dtype fp16 --json >sweep.json
  "$ROOFLINE" seal one.json && "$ROOFLINE" seal sweep.json
  [ "$(jq -rs 'map(.label) | join("; ")' roofline.ledger)" = \
    'add n=1048576 fp32; gemm m=1 n=8192 k=8192 fp16; gemm m=64 n=8192 k=8192 fp16' ]
  [ "$(command jq -c .seconds.expected one.json)" = "$(entry 1 .seconds.expected)" ]
  jq '.label = "mine"' one.json >named.json
  "$ROOFLINE" seal named.json
  [ "$(entry 4 .label)" = '"mine"' ]
  echo '{"schema": "roofline.machine/1"}' >wrong.json
  refuses 2 'roofline.prediction/1' seal wrong.json
  echo '{' >broken.json
  refuses 2 'broken.json:' seal broken.json
}

@test "an option that a line of a list does not know is named with its line" {
  echo "a: gemm m=64 n=64 k=64 --machin $h989" >list.txt
  refuses 2 'list.txt:1: --machin: unknown option; did you mean `--machine`?' seal list.txt
  echo "llama-3.1-8b --batch-size 8 --machine $h989" >list.txt
  refuses 2 'list.txt:1: --batch-size: unknown option; `batch` is a parameter, without dashes: batch=VALUE' seal list.txt
}

@test "a prediction is sealed the same from memory and from its document" {
  attention='attention batch=1 heads=8 q_len=64 kv_len=64 head_dim=64'
  "$ROOFLINE" predict $attention --machine "$h989" --dtype fp16 --seal >/dev/null
  "$ROOFLINE" predict $attention --machine "$h989" --dtype fp16 --json | command jq --arg h "$h989" '.machine = $h' >a.json
  "$ROOFLINE" seal a.json
  [ "$(entry 1 .label)" = '"attention batch=1 heads=8 q_len=64 kv_len=64 head_dim=64 fp16"' ]
  same='del(.sequence, .time, .boot, .uptime, .origin, .previous, .sha256, .machine) | (.. | numbers) |= (. * 1e12 | round)'
  [ "$(entry 1 "$same")" = "$(entry 2 "$same")" ]
  [ "$(entry 1 .levels.memory)" = 3350000000000 ]
  "$ROOFLINE" run --op "$attention" --dtype fp16 --json --to p.json -- true
  [ "$(jq .kernels[0].name p.json)" = "$(entry 1 .label)" ]
}

@test "formats and options stand in the entry and in the exported words, which seal the same again; formats in the label" {
  while read -r words; do
    n=$((n + 1))
    "$ROOFLINE" predict gemm m=8 n=8192 k=8192 --machine h100 --dtype fp16 --seal --label "$n" $words >/dev/null
    [ "$(entry $n '.options // ""')" = "\"$words\"" ] || { entry $n .options; return 1; }
  done <<END
--weights int4 --group 128
--weights nf4 --group 32
--weights q4_k_m --efficiency 0.95
--accumulate fp16 --output fp32 --efficiency 0.5,0.75,0.875
--without waves --launch 3e-06s
--without all --overlap 0.5
--overhead 5e-06s --tile 64 --framework vllm --cold
--unit vector --warm --achieved
--sparse

END
  "$ROOFLINE" predict allreduce size=1MB ranks=2 --machine h100 --link 'NVLink 4' --seal >/dev/null
  "$ROOFLINE" predict attention batch=1 heads=8 q_len=1 kv_len=4096 head_dim=128 --machine h100 --dtype fp16 --kv fp8 --seal >/dev/null
  "$ROOFLINE" predict gemm m=8 n=8192 k=8192 --machine h100 --dtype fp16 --weights int4 --seal >/dev/null
  [ "$(jq -rs 'map(.label) | .[-3:] | join("; ")' roofline.ledger)" = \
    'allreduce size=1000000 ranks=2 fp16; attention batch=1 heads=8 q_len=1 kv_len=4096 head_dim=128 fp16 kv=fp8; gemm m=8 n=8192 k=8192 fp16 weights=int4' ]
  "$ROOFLINE" ledger export --markdown page.md
  "$ROOFLINE" seal page.md --ledger again
  same='del(.sequence, .time, .boot, .uptime, .batch, .previous, .sha256)'
  diff <(jq -c "$same" roofline.ledger) <(jq -c "$same" again)
  "$ROOFLINE" predict gemm m=8 n=8192 k=8192 --machine h100 --dtype fp16 --weights int4 --framework vllm --json >one.json
  "$ROOFLINE" seal one.json --ledger documents
  [ "$(jq -c '[.label, .options]' documents)" = '["gemm m=8 n=8192 k=8192 fp16 weights=int4","--weights int4 --framework vllm"]' ]
}

@test "measuring without a seal is refused, or marked for ever" {
  sealed --label ffn
  refuses 1 'no prediction of it is sealed; did you mean `ffn`?' record fn seconds=1ms
  run "$ROOFLINE" record fn seconds=1ms --unsealed
  [ "$status" -eq 0 ]
  run "$ROOFLINE" ledger show
  has 'UNSEALED'
  run "$ROOFLINE" ledger verify
  has '1 measurement, 1 unsealed'
}

@test "record by hand: a time, samples, counted bytes" {
  sealed --label ffn
  "$ROOFLINE" record ffn samples=3ms,1ms,2ms flops=1e9 bytes=1.5GB machine=h989 dtype=fp16
  [ "$(entry 2 '[.kind, .label, .seconds, .samples, .flops, .bytes, .counted, .prediction, .unsealed]')" = \
    '["measurement","ffn",0.002,[0.003,0.001,0.002],1000000000,1500000000,"by hand",1,false]' ]
  refuses 2 'did you mean `seconds`?' record ffn secnds=1
  refuses 2 'give seconds' record ffn bytes=1
  refuses 2 'record ffn: give seconds=' record ffn
  refuses 2 '`fnn`: No such file' record fnn
  refuses 2 'key=value' record ffn 1ms
  refuses 2 '1x' record ffn seconds=1x
  refuses 2 'must be more than 0 s' record ffn seconds=0
  refuses 2 'seconds: given twice' record ffn seconds=1 seconds=2
  refuses 2 'samples: `0us`: must be more than 0' record ffn samples=1us,0us
  refuses 2 'measurement `ffn`: -5 bytes cannot be' record ffn seconds=1 bytes=-5
  refuses 2 'measurement `ffn`: -1 FLOP cannot be' record ffn seconds=1 flops=-1
  echo '{"schema": "roofline.measurements/1", "kernels": [{"name": "ffn", "seconds": 1, "bytes": {"HBM": 5, "L2": -7}}]}' >less.json
  refuses 2 'measurement `ffn`: -7 bytes cannot be' record less.json
  refuses 2 'what?' record
}

@test "record takes a program's file; one older than its prediction is refused" {
  "$ROOFLINE" run triad --backend fake --json >run.json
  label=$(jq -r '.kernels[0].name' run.json)
  "$ROOFLINE" predict triad n=1Mi --machine "$h989" --dtype fp32 --seal --label "$label"
  taken=$(jq -r .taken run.json)
  refuses 1 "taken $taken, before its prediction was sealed" record run.json
  run "$ROOFLINE" record run.json --unsealed
  [[ $output != *"file's date"* ]]
  [ "$(entry 2 '[.unsealed, .measured]')" = "[true,\"$taken\"]" ]
  jq --arg now "$(date -u +%FT%TZ)" '.taken = $now' run.json >now.json
  run "$ROOFLINE" record now.json --json
  [ "$(json '[.schema, .labels, .taken_from]')" = "[\"roofline.recorded/1\",[\"$label\"],\"document\"]" ]
  [ "$(entry 3 '[.unsealed, (.samples | length)]')" = '[false,7]' ]
  [ "$(entry 3 .seconds)" = "$(jq '.kernels[0].seconds' run.json)" ]
  refuses 2 'roofline.measurements/1' record "$h989"
}

@test "a document that does not say when counts from the file's date, and a note says so" {
  sealed --label a
  echo '{"schema": "roofline.measurements/1", "kernels": [{"name": "a", "seconds": 1}]}' >old.json
  touch -d '2020-01-01 UTC' old.json
  refuses 1 'taken 2020-01-01T00:00:00.000Z, before' record old.json
  touch old.json
  run -0 "$ROOFLINE" record old.json
  has "by the file's date: it does not say when itself"
  run -0 "$ROOFLINE" record <(cat old.json)
  [[ $output != *taken* ]]
}

@test "a time that is none, or later than now, is refused" {
  sealed --label a
  for taken in '"2999-01-01T00:00:00Z"' '"yesterday"' 17 '"2026-01-01T00:00:00"'; do
    echo "{\"schema\": \"roofline.measurements/1\", \"taken\": $taken, \"kernels\": [{\"name\": \"a\", \"seconds\": 1}]}" >bad.json
    refuses 2 taken record bad.json
    refuses 2 taken record bad.json --unsealed
  done
  refuses 2 'later than now' record <(jq '.taken = "2999-01-01T00:00:00Z"' bad.json)
  [ "$(wc -l <roofline.ledger)" -eq 1 ]
}

@test "counters are kept, typed or from a file" {
  sealed --label a
  refuses 2 'counter `ocupancy`: unknown; did you mean `occupancy`?' record a seconds=1 -c ocupancy=0.3
  refuses 2 'write 30 as 0.3 or 30%' record a seconds=1 -c occupancy=30
  refuses 2 '--counter memory: given twice' record a seconds=1 -c memory=0.8 -c memory=0.9
  run -0 "$ROOFLINE" record a seconds=1 -c occupancy=30% -c memory=0.9
  [ "$(entry 2 .counters)" = '{"occupancy":0.3,"memory":0.9}' ]
  counted='{"schema": "roofline.measurements/1", "kernels": [{"name": "a", "seconds": 1, "bytes": {"L2": 2e9, "HBM": 1e9},
    "flops": {"fp16": 3e9}, "counted": {"bytes": "dram__bytes.sum", "flops": "sass"}, "counters": {"matrix": 0.4, "lanes": null}}]}'
  echo "$counted" >ncu.json
  run -0 "$ROOFLINE" record ncu.json
  [ "$(entry 3 '[.counters, .levels, .counted, .counted_flops, .bytes]')" = \
    '[{"matrix":0.4},{"L2":2000000000,"memory":1000000000},"dram__bytes.sum","sass",1000000000]' ]
  echo "$counted" | jq '.kernels[0] |= (.counters = {registers: 128} | .counted = {HBM: {source: "dram__bytes.sum", quality: "measured"}, fp16: {source: "formula of the shape", quality: "derived"}})' >ncu.json
  run -0 "$ROOFLINE" record ncu.json
  [ "$(entry 4 '[.counters, .counted, .counted_flops]')" = '[{"registers":128},"dram__bytes.sum","formula of the shape"]' ]
  echo "$counted" | sed 's/0.4/"much"/' >ncu.json
  refuses 2 'a: counter matrix' record ncu.json
  refuses 2 'of which of the 2 kernels?' record <(echo "$counted" | jq '.kernels += .kernels') -c lanes=1
}

@test "one changed byte is found with its entry's number" {
  sealed --label a
  sealed --label b
  sealed --label c
  run "$ROOFLINE" ledger verify
  [ "${lines[0]}" = 'roofline.ledger is intact: 3 entries, 3 predictions, 0 measurements' ]
  sed -i '2s/"expected":/"expectee":/' roofline.ledger
  run --separate-stderr "$ROOFLINE" ledger verify
  [ "$status" -eq 1 ]
  [[ $stderr == *'roofline.ledger:2: entry 2: its SHA-256 does not match' ]]
  for command in 'ledger show' 'ledger export --json' reconcile 'record a seconds=1'; do
    run "$ROOFLINE" $command
    [ "$status" -eq 1 ]
  done
}

@test "ledger export: Markdown with time, regime, share and hash; JSON with every entry" {
  sealed --label 'a|b'
  "$ROOFLINE" record 'a|b' seconds=1ms
  "$ROOFLINE" ledger export --markdown predictions.md
  grep -F '| 1 | 20' predictions.md | grep -F 'a\|b' | grep -F '78.0 %' | grep -qF "$(entry 1 .sha256 | tr -d '"')"
  [ "$(grep -c '^| [0-9]' predictions.md)" -eq 1 ]
  run "$ROOFLINE" ledger export --json
  [ "$(json '[.schema, (.entries | length), .entries[1].kind]')" = '["roofline.ledger/1",2,"measurement"]' ]
  refuses 2 '--markdown FILE' ledger export
  refuses 2 'did you mean `verify`?' ledger verfy
}

@test "signatures: keygen, seal --sign, verify --key" {
  "$ROOFLINE" ledger keygen my.key
  "$ROOFLINE" ledger keygen
  "$ROOFLINE" ledger keygen third.key --json --quiet | jq -e '. == {schema: "roofline.key/1", secret: "third.key", public: "third.key.pub"}'
  [ -s third.key.pub ]
  [ "$(stat -c %a my.key)" = 600 ]
  refuses 3 'File exists' ledger keygen my.key
  echo "a: add n=1Mi --machine $h989 --dtype fp32" >list.txt
  run "$ROOFLINE" seal list.txt --sign my.key
  has 'signed with my.key'
  run "$ROOFLINE" ledger verify --key my.key.pub
  [ "$status" -eq 0 ]
  has '1 signature matches'
  has 'of the key: 1 signature; entries 1 to 1 are covered'
  run --separate-stderr "$ROOFLINE" ledger verify --key roofline.key.pub
  [ "$status" -eq 1 ] && [[ $stderr == *'entry 1: its prediction is signed by another key' ]]
  sealed --label plain
  run --separate-stderr "$ROOFLINE" ledger verify --key my.key.pub
  [ "$status" -eq 1 ] && [[ $stderr == *'entry 2: its prediction is not signed' ]]
  chmod 644 my.key
  refuses 2 'chmod 600' seal list.txt --sign my.key
  refuses 2 'No such file' seal list.txt --sign nothing.key
}

@test "a disk that is full indeed (a small tmpfs): what was acknowledged is there, the rest said" {
  mkdir full
  unshare -Urm mount -t tmpfs none full 2>/dev/null || skip "this user may not mount a tmpfs in a namespace of his own"
  run unshare -Urm bash -c "
    mount -t tmpfs -o size=16k none full || exit 99
    for i in {1..40}; do
      \"\$ROOFLINE\" predict add n=1Mi --machine '$h989' --seal --label \"b\$i\" --ledger full/ledger >/dev/null || break
      echo \"acknowledged \$i\"
    done
    echo \"exit \$?\"
    \"\$ROOFLINE\" record b1 seconds=1 --ledger full/ledger; echo \"exit \$?\"
    \"\$ROOFLINE\" ledger verify --ledger full/ledger
    \"\$ROOFLINE\" plot --machine '$h989' --to full/chart.svg; echo \"exit \$?\"
    ls full"
  echo "$output"
  [ "$(grep -c 'No space left on device' <<<"$output")" -ge 2 ]
  [[ $output == *"full/ledger is intact: $(grep -cE 'acknowledged|recorded' <<<"$output") entries"* ]]
  [ "${lines[-1]}" = ledger ]
}

@test "a full disk seals nothing and says so" {
  sealed --label a
  before=$(cat roofline.ledger)
  size=$(stat -c %s roofline.ledger)
  run bash -c "trap '' XFSZ; ulimit -f $((size / 1024 + 1)); for i in 1 2 3 4 5; do \"\$ROOFLINE\" predict add n=1Mi --machine '$h989' --seal --label \"b\$i\" >/dev/null || exit; done"
  [ "$status" -eq 3 ]
  run "$ROOFLINE" ledger verify
  [ "$status" -eq 0 ]
}

@test "your own prediction is sealed with the model's and graded" {
  sealed --label mine --mine 50%
  lower=$(entry 1 .seconds.lower)
  [ "$(jq -n "$(entry 1 .seconds.mine) / $lower")" = 2 ]
  "$ROOFLINE" record mine "seconds=$(jq -n "$lower * 1.6 * 1e6")us"
  run "$ROOFLINE" reconcile
  has '    yours: '
  has '25.0 % more than measured'
  has ': the model was nearer'
  run "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0].mine_error * 100 | round')" = 25 ]
  refuses 2 'has no effect without --seal' predict add n=1Mi --machine "$h989" --mine 50%
  printf 'a: add n=1Mi --machine %s\nb: add n=2Mi --machine %s\n' "$h989" "$h989" >two.txt
  refuses 2 'one time, but 2 predictions' seal two.txt --mine 5ms --ledger two.ledger
  refuses 2 'a share from 0 to 1' seal two.txt --mine 150% --ledger two.ledger
  run "$ROOFLINE" seal two.txt --mine 0.5 --ledger two.ledger
  [ "$status" -eq 0 ]
}

@test "exported Markdown has what was measured, and can be sealed again" {
  "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine h100 --dtype fp16 --seal --label 'x|y'
  "$ROOFLINE" record 'x|y' seconds=1ms
  "$ROOFLINE" ledger export --markdown predictions.md
  grep -F '`gemm m=64 n=64 k=64 batch=1 beta=0 --machine nvidia-h100-sxm --dtype fp16`' predictions.md | grep -qF '| 1.000 ms |'
  run "$ROOFLINE" seal predictions.md --ledger again.ledger
  [ "$status" -eq 0 ]
  [ "$(jq -r .label again.ledger)" = 'x|y' ]
  [ "$(command jq .seconds.lower again.ledger)" = "$(entry 1 .seconds.lower)" ]
  "$ROOFLINE" predict gemm m=64 n=8192 k=8192 --machine h100 --weights int4 --dtype fp16 --seal --label four --ledger four.ledger
  "$ROOFLINE" ledger export --markdown four.md --ledger four.ledger
  "$ROOFLINE" seal four.md --ledger again.ledger
  sed 's/ --weights int4//' four.md >plain.md
  refuses 2 'it was sealed with other options' seal plain.md --ledger again.ledger
}

@test "phases and figures of whole models are exported and sealed again as they were, with their formats" {
  "$ROOFLINE" model llama-3.1-8b batch=8 prompt=1000 generate=256 --precision fp8 --machine h100 --seal >/dev/null
  "$ROOFLINE" seal llama-3.1-8b batch=8 tp=2 --machine h100
  "$ROOFLINE" seal llama-3.1-8b batch=4 --weights fp8 --kv fp8 --framework vllm --machine h100
  [ "$(entry 6 '[.label, .options]')" = \
    '["llama-3.1-8b decode batch=4 prompt=2048 generate=256 weights=mixer=fp8,mlp=fp8 kv=fp8","--framework vllm"]' ]
  "$ROOFLINE" ledger export --markdown models.md
  "$ROOFLINE" seal models.md --ledger again.ledger
  same='del(.sequence, .time, .boot, .uptime, .batch, .previous, .sha256)'
  diff <(jq -c "$same" roofline.ledger) <(jq -c "$same" again.ledger)
  echo "llama-3.1-8b phase=train batch=8 --machine h100" >train.txt
  refuses 2 'train.txt:1: phase=train: the run has no such phase' seal train.txt
}

@test "a key that belongs to another user signs nothing" {
  [ "$(id -u)" -eq 0 ] || skip "only root can give a file away"
  "$ROOFLINE" ledger keygen my.key
  chown nobody my.key
  echo 'a: add n=1Mi --machine h100' >one.txt
  refuses 2 'belongs to another user' seal one.txt --sign my.key
  chown root my.key
  "$ROOFLINE" seal one.txt --sign my.key
}
