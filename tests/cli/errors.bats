#!/usr/bin/env bats
# Bad input: one clear line on stderr, the right exit code, nothing on stdout, no partial file.
bats_require_minimum_version 1.5.0

setup() {
  mkdir "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config
  gemm="predict gemm --machine h100 --dtype fp16"
}

# refuses CODE TEXT ARGUMENT...: the command exits with CODE and its only line has TEXT.
refuses() {
  local code=$1 text=$2
  shift 2
  run --separate-stderr "$ROOFLINE" "$@"
  [ "$status" -eq "$code" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] &&
    [[ $stderr == "roofline: "* ]] && [[ $stderr == *"$text"* ]] && return 0
  echo "roofline $*"
  echo "exit $status, expected $code with \`$text\`"
  echo "stdout: $output"
  echo "stderr: $stderr"
  return 1
}

# bad.json: the H100's file as the sed script changes it.
machine_file() {
  sed "$1" "$ROOFLINE_SOURCE/data/machines/nvidia-h100-sxm.json" >bad.json
  ! cmp -s bad.json "$ROOFLINE_SOURCE/data/machines/nvidia-h100-sxm.json"
}

@test "a wrong name is answered with the nearest right one" {
  refuses 2 'did you mean `predict`?' predct gemm
  refuses 2 'did you mean `gemm`?' predict gemmm m=8 n=8 k=8 --machine h100
  refuses 2 'did you mean `h100`?' predict gemm m=8 n=8 k=8 --machine h10O
  refuses 2 'did you mean `head_dim`?' predict attention head_dm=8 --machine h100
  refuses 2 'did you mean `bf16`?' predict gemm m=8 n=8 k=8 --machine h100 --dtype bff16
  refuses 2 'did you mean `vector`?' $gemm m=8 n=8 k=8 --unit vectr
  refuses 2 'did you mean `--json`?' $gemm m=8 n=8 k=8 --jsn
  refuses 2 'did you mean `flash`?' predict attention batch=1 heads=1 q_len=8 kv_len=8 head_dim=8 algorithm=flsh --machine h100
  refuses 2 'did you mean `list`?' machine lst
  refuses 2 'did you mean `ridge`?' explain rige
  refuses 2 'did you mean `opencl`?' run --list --backend opncl
}

@test "a framework is one of the catalogue's or of the machine's constants, in whatever case" {
  machine_file 's/"schema"/"constants": [{"kernel": "stream", "dtype": "fp32", "framework": "mine", "latency_seconds": 1e-3, "kind": "measured"}], "schema"/'
  refuses 2 'framework `vlm`: unknown; did you mean `vllm`?' $gemm m=n=k=64 --framework vlm
  refuses 2 'framework `pytroch`: unknown; did you mean `PyTorch`?' model llama-3.1-8b --machine h100 --framework pytroch
  refuses 2 'framework `none`: unknown; known: vllm, trtllm, sglang, cuDNN, eager, ' $gemm m=n=k=64 --framework none
  for name in $(jq -r '.constants[].framework // empty' "$ROOFLINE_SOURCE"/data/constants/*.json | sort -u); do
    run -0 "$ROOFLINE" predict add n=8 --machine amd-epyc-9654 --framework "$name"
  done
  refuses 2 'framework `mine`: unknown' $gemm m=n=k=64 --framework mine
  [ "$("$ROOFLINE" $gemm m=n=k=64 --framework Eager --json)" = "$("$ROOFLINE" $gemm m=n=k=64 --framework eager --json)" ]
  [ "$("$ROOFLINE" predict add n=8 --dtype fp32 --machine bad.json --framework MINE --json | jq '.seconds.expected > 1e-3')" = true ]
}

@test "weights: all names that are taken are known" {
  refuses 2 'weights `nvfp5`: unknown; known: nf4, awq, gptq, mxfp4, mxfp8, nvfp4, fp64, ' predict gemm m=n=k=64 --machine b200 --weights nvfp5
  refuses 2 'weights `awg`: unknown; did you mean `awq`?' predict gemm m=n=k=64 --machine b200 --weights awg
}

@test "a list of precisions has one format of all matrices, which stands first" {
  refuses 2 'precision `bf16`: of all matrices, so it stands first and once' plan llama-3.1-70b --users 50 --tpot 50ms --machine h100 --precision fp8,bf16
  refuses 2 '`fp8/bf16` compares formats' model llama-3.1-8b --machine h100 --precision mlp=fp8,bf16
  run -0 "$ROOFLINE" model llama-3.1-8b --machine h100 --precision fp8,head=w8a16 --quiet
}

@test "a format of weights alone is none of activations, whatever is asked of a model" {
  for dtype in fp8 fp4 int8 nvfp4; do
    for ask in model plan serve advise energy seal plot claim; do
      refuses 2 "--dtype $dtype: of activations; --precision $dtype is of weights" $ask llama-3.1-8b --dtype $dtype --machine b200
    done
  done
}

@test "what would make a model fit is typed as the command takes it" {
  refuses 2 'fits with --weights fp8 (' energy llama-3.1-70b batch=8 --machine h100
  refuses 2 'fits with --weights fp8 (' seal llama-3.1-70b batch=8 --machine h100
  refuses 2 'fits with --precision fp8 (' model llama-3.1-70b batch=8 --machine h100 --seal
  refuses 2 'fits with microbatches=8 (' energy llama-3.1-8b train batch=64 dp=8 zero=1 --machine h100
  run -0 "$ROOFLINE" model llama-3.1-8b --train batch=64 dp=8 zero=1 microbatches=8 --machine h100 --json
  [ "$(jq .memory.fits <<<"$output")" = true ]
  for ask in claim energy advise plot; do
    words='llama-3.1-8b tp=2'
    [ $ask != claim ] || words="$words tpot=50ms"
    run --separate-stderr "$ROOFLINE" $ask $words --machine h100 --precision fp8 --json
    precise=$output
    run --separate-stderr "$ROOFLINE" $ask $words --machine h100 --weights fp8 --json
    [ "$status" -eq 0 ] && [ "$output" = "$precise" ]
    refuses 2 '--weights: given 2 times' $ask $words --machine h100 --weights fp8 --precision fp8
    run -0 "$ROOFLINE" $ask --help
    [ "$(grep -c -e --precision <<<"$output")" -eq 1 ]
  done
  run -0 "$ROOFLINE" seal llama-3.1-70b tp=2 --machine h100 --precision fp8
  refuses 2 '--precision: of a whole model; the formats of an operation are --dtype and --weights' energy gemm m=n=k=64 --machine h100 --precision fp8
  refuses 2 '--precision: of a whole model' predict gemm m=n=k=64 --machine h100 -p fp8
  refuses 2 '`recompute` is a parameter, without dashes: recompute=VALUE' energy llama-3.1-8b train --machine h100 --recompute full
  refuses 2 'recompute: has no effect: of --train, not of requests' energy llama-3.1-8b recompute=full --machine h100
}

@test "a time of advise that is misspelt" {
  refuses 2 '`mesured`: unknown; did you mean `measured`?' advise gemm m=n=k=8192 --machine h100 mesured=1.5ms
  refuses 2 'gemm has no parameter `mm`; ' advise gemm mm=8 n=k=8192 --machine h100 measured=1.5ms
}

@test "an error names what was typed" {
  refuses 2 'launch: a time must not be negative' $gemm m=n=k=64 --launch=-1us
  refuses 2 'overhead: a time must not be negative' $gemm m=n=k=64 --overhead=-1us
  refuses 2 '`100tokens/s` is of a whole model, whose name comes first: `roofline claim llama-3.1-70b 100tokens/s`' claim 100tokens/s --machine h100
  refuses 2 '`tpot=18ms` is of a whole model, whose name comes first' claim tpot=18ms --machine h100
  : >empty.csv
  refuses 2 'empty.csv: no model: neither a config.json, a .gguf, .safetensors or .onnx file nor a list of operations' model empty.csv
}

@test "a share of drafted tokens is typed as other shares are" {
  [ "$("$ROOFLINE" model llama-3.1-8b draft=3 accept=80% --machine h100 --json)" = "$("$ROOFLINE" model llama-3.1-8b draft=3 accept=0.8 --machine h100 --json)" ]
  refuses 2 'accept=1.2: must be from 0 to 1' model llama-3.1-8b draft=3 accept=120% --machine h100
}

@test "an answer has one format" {
  for words in "$gemm m=8 n=8 k=8" 'claim 1TB/s --machine h100' 'energy --machine h100' 'machine list' 'op list' 'run list' \
    'ledger verify' reconcile doctor 'plot peaks --machine h100' 'sweep triad n=1M,2M --machine h100' 'import list'; do
    refuses 2 '--json --csv: an answer has one format' $words --json --csv
    refuses 2 '--json --csv: an answer has one format' --csv $words --json --to x.csv
  done
  refuses 2 '--csv: --to x.json says another format' op list --csv --to x.json
  [ "$(ls)" = '' ]
}

@test "what answers in prose says that it has no CSV" {
  refuses 2 'explain: does not take --csv' explain ridge --csv
  refuses 2 'drill: does not take --csv' drill --csv
  refuses 2 'machine new: does not take --csv' machine new x --csv
  refuses 2 'ledger keygen: does not take --csv' ledger keygen --csv
  refuses 2 'ledger keygen: does not take --csv' ledger keygen --to x.csv
  refuses 2 'ledger anchor: does not take --csv' ledger anchor git --csv
  refuses 2 'nothing.ledger' ledger verify --ledger nothing.ledger --anchor git --csv
  refuses 2 'calibrate: does not take --csv' calibrate t.csv --csv
  refuses 2 'reconcile --calibrate: does not take --csv' reconcile --calibrate --csv
  refuses 2 'reconcile --calibrate: does not take --csv' reconcile --calibrate --to x.csv
  refuses 2 'profile --dry-run: does not take --csv' profile --with ncu --dry-run --csv -- ./a
  refuses 2 'model list: does not take --csv' model list --csv
  refuses 2 'model --analysis: does not take --csv' model llama-3.1-8b --machine h100 --analysis --csv
  refuses 2 'cluster: does not take --csv' cluster --machine h100 --csv
  refuses 2 'cluster links: does not take --csv' cluster links x.json --csv
  refuses 2 'measure --cluster: does not take --csv' measure --cluster --csv
  refuses 2 'predictor: does not take --csv' predictor --csv
  refuses 2 'mcp: does not take --csv' mcp --csv
  refuses 2 'explore: does not take --csv' explore --csv
  [ "$(ls)" = '' ]
  run -0 "$ROOFLINE" op list --csv
  [ "${lines[0]}" = "name,family,parameters,unit,flops,bytes,link_bytes,flops_per_element,summary,source" ]
  [ "${#lines[@]}" -eq $(("$("$ROOFLINE" op list --json | jq '.operations | length')" + 1)) ]
  grep -q '^triad,stream,n,vector,2 \* n,' <<<"$output"
}

@test "sizes that are no sizes" {
  refuses 2 'm=0' $gemm m=0 n=8 k=8
  refuses 2 'm=-1' $gemm m=-1 n=8 k=8
  refuses 2 'm=1.5' $gemm m=1.5 n=8 k=8
  refuses 2 'm=' $gemm m= n=8 k=8
  refuses 2 '1e400' $gemm m=1e400 n=8 k=8
  refuses 2 '2^53' $gemm m=99999999999999999999 n=8 k=8
  refuses 2 '2^53' $gemm m=1E n=8 k=8
  refuses 2 'nan' $gemm m=nan n=8 k=8
  refuses 2 'inf' $gemm m=inf n=8 k=8
  refuses 2 '8q' $gemm m=8q n=8 k=8
  refuses 2 '`k` is missing' $gemm m=8 n=8
  refuses 2 'm' $gemm m=8 m=9 n=8 k=8
  refuses 2 'word' $gemm m=8 n=8 k=8 word
  refuses 2 'm=1..10*1: ' sweep gemm m=1..10*1 n=8 k=8 --machine h100
  refuses 2 'm=10..1: ' sweep gemm m=10..1 n=8 k=8 --machine h100
}

@test "options that are out of range" {
  refuses 2 'efficiency' $gemm m=8 n=8 k=8 --efficiency 0
  refuses 2 'efficiency' $gemm m=8 n=8 k=8 --efficiency 1.2
  refuses 2 'nan' $gemm m=8 n=8 k=8 --efficiency nan
  refuses 2 'overlap' $gemm m=8 n=8 k=8 --overlap 2
  refuses 2 'parsecs' $gemm m=8 n=8 k=8 --overhead 8parsecs
  refuses 2 'negative' $gemm m=8 n=8 k=8 --overhead -1us
  refuses 2 'group' $gemm m=8 n=8 k=8 --weights int4 --group 0
  refuses 2 'color' $gemm m=8 n=8 k=8 --color sometimes
}

@test "ranges that are no ranges" {
  refuses 2 'm=8..4' sweep gemm m=8..4*2 n=8 k=8 --machine h100
  refuses 2 'm=1..8' sweep gemm m=1..8*1 n=8 k=8 --machine h100
  refuses 2 'm=1..8' sweep gemm m=1..8+0 n=8 k=8 --machine h100
  refuses 2 'm=: a value is missing' sweep gemm m=1,,2 n=8 k=8 --machine h100
  refuses 2 'more than' sweep gemm m=1..1e9+1 n=1..1e9+1 k=8 --machine h100
}

@test "what the hardware lacks" {
  refuses 3 'int4' predict gemm m=8 n=8 k=8 --machine h100 --dtype int4
}

@test "machine files that are missing or malformed name file, line and column" {
  refuses 2 'none.json' predict gemm m=8 n=8 k=8 --machine ./none.json
  mkdir folder.json
  refuses 2 'folder.json' predict gemm m=8 n=8 k=8 --machine ./folder.json
  : >empty.json
  refuses 2 'empty.json:1:' predict gemm m=8 n=8 k=8 --machine ./empty.json
  printf '{\n  "schema": "roofline.machine/1",\n  "name" "x"\n}\n' >bad.json
  refuses 2 'bad.json:3:' predict gemm m=8 n=8 k=8 --machine ./bad.json
  printf '{\n  "schema": "roofline.machine/1",\n  "name": "x",\n  "peaks": 3\n}\n' >bad.json
  refuses 2 'bad.json:4:' predict gemm m=8 n=8 k=8 --machine ./bad.json
  head -c 4096 /dev/zero >zero.json
  refuses 2 'zero.json:1:' predict gemm m=8 n=8 k=8 --machine ./zero.json
  machine_file 's/roofline.machine\/1/roofline.machine\/9/'
  refuses 2 'bad.json:2:13: schema' predict gemm m=8 n=8 k=8 --machine ./bad.json
  machine_file 's/"flops_per_second": [0-9.e+]*/"flops_per_second": -1/'
  refuses 2 'bad.json:' predict gemm m=8 n=8 k=8 --machine ./bad.json
  machine_file 's/"dtype": "fp16"/"dtype": "bff16"/'
  refuses 2 'did you mean `bf16`?' predict gemm m=8 n=8 k=8 --machine ./bad.json
  machine_file 's/"level": "memory"/"level": "memry"/'
  refuses 2 'bad.json:' predict gemm m=8 n=8 k=8 --machine ./bad.json
}

@test "a byte order mark before a file is none of it" {
  # marked FILE WORDS...: the answer to WORDS is the same with the mark before FILE.
  marked() {
    local file=$1
    shift
    run "$ROOFLINE" "$@"
    local plain="$status $output"
    { printf '\xef\xbb\xbf'; cat "$file"; } >marked && mv marked "$file"
    run "$ROOFLINE" "$@"
    [ "$status $output" = "$plain" ] || { echo "roofline $*: $output instead of $plain"; return 1; }
  }
  machine_file 's/^{$/{ /'
  marked bad.json predict gemm m=8 n=8 k=8 --machine ./bad.json
  machine_file 's/"dtype": "fp16"/"dtype": "bff16"/'
  marked bad.json predict gemm m=8 n=8 k=8 --machine ./bad.json
  printf '{"schema": "roofline.machine/1"; ' >bad.json
  marked bad.json predict gemm m=8 n=8 k=8 --machine ./bad.json
  [[ $output == *'bad.json:1:32: '* ]]
  printf 'op mine\nparam n\nflops = n\nbytes = n\n' >mine.ops
  marked mine.ops predict mine n=8 --machine h100 --ops mine.ops
  printf '# by hand\nmachine,price,date,source\nh100,2,2026-01-01,a page\n' >prices.csv
  marked prices.csv plan llama-3.1-8b --machine h100 --price prices.csv
  cp "$ROOFLINE_SOURCE/examples/decoder-layer.txt" .
  marked decoder-layer.txt model decoder-layer.txt --machine h100
  run -0 "$ROOFLINE" model - --machine h100 <decoder-layer.txt
  echo '{"schema": "roofline.nodes/1", "nodes": [{"name": "a", "ceilings": []}]}' >nodes.json
  marked nodes.json cluster report nodes.json
  echo '{"schema": "roofline.measurements/1", "kernels": [{"name": "a", "seconds": 1, "calls": 1}], "skipped": []}' >r.json
  marked r.json check r.json
  cp "$ROOFLINE_SOURCE/tests/fixtures/service/azure.csv" .
  marked azure.csv serve llama-3.1-8b --machine h100 --trace azure.csv
  { printf '\xef\xbb\xbf'; head -1 azure.csv; tail -n +2 azure.csv | tac; } | tr -d '\r' >unordered.csv
  marked unordered.csv serve llama-3.1-8b --machine h100 --trace unordered.csv
  printf '\xef\xbb\xbf{"op": "copy", "parameters": {"n": 8}, "machine": "h100"}\n' >asked
  run -0 "$ROOFLINE" predictor <asked
  [[ $output == *'"error":null'* ]]
}

@test "a file of user operations that is malformed names file, line and column" {
  printf 'op mine\nparam n\nflops = 2 * (n\nbytes = n * a\n' >mine.ops
  refuses 2 'mine.ops:3:' predict mine n=8 --machine h100 --ops mine.ops
  refuses 2 'none.ops' predict mine n=8 --machine h100 --ops none.ops
}

@test "an output that cannot be written leaves nothing behind" {
  refuses 3 'nowhere/x.json' machine new my-gpu --to nowhere/x.json
  mkdir taken
  refuses 3 'taken' machine new my-gpu --to taken
  refuses 3 'nowhere/x.svg' plot --machine h100 --to nowhere/x.svg
  refuses 2 'x.docx' plot --machine h100 --to x.docx
  refuses 3 'nowhere/r.html' loop --backend fake --quick --quiet --to nowhere/r.html --ledger /dev/null
  if [ "$(id -u)" -ne 0 ]; then
    mkdir shut && chmod 555 shut
    refuses 3 'shut/x.json' machine new my-gpu --to shut/x.json
  fi
  [ "$(ls -A | grep -v -e .config -e taken -e shut)" = "" ]
}

@test "a full disk behind stdout is an error, not silence" {
  for words in "$gemm m=8 n=8 k=8" "$gemm m=8 n=8 k=8 --json" "sweep gemm m=1..1000+1 n=8 k=8 --machine h100 --csv" \
    "plot --machine h100" "machine list" "op list" "run --list" "--help" "predict --help" "explain ridge" "doctor --csv"; do
    run --separate-stderr sh -c '"$ROOFLINE" "$@" >/dev/full' sh $words
    [ "$status" -eq 3 ] && [[ $stderr == "roofline: "* ]] && [ "${#stderr_lines[@]}" -eq 1 ] || {
      echo "$words: exit $status: $stderr"
      return 1
    }
  done
}

# disk/: a file system of 16 KiB, all of them taken. Only root may mount one.
@test "a full disk behind answers is an error, nobody who reads them is not" {
  echo '{"id": 1, "op": "copy", "parameters": {"n": 8}, "machine": "h100"}' >predictor
  echo '{"jsonrpc": "2.0", "id": 1, "method": "ping"}' >mcp
  for command in predictor mcp; do
    run --separate-stderr sh -c '"$ROOFLINE" $0 <$0 >/dev/full' "$command"
    [ "$status $stderr" = '3 roofline: standard output: No space left on device' ]
    mkfifo "pipe.$command"
    exec 5<>"pipe.$command" 6>"pipe.$command" 5<&-
    run -0 sh -c '"$ROOFLINE" $0 <$0 >&6' "$command"
    exec 6>&-
  done
}

mount_full_disk() {
  mkdir -p disk
  mount -t tmpfs -o size=16k tmpfs disk 2>/dev/null || return 1
  full=mounted
  head -c 16384 /dev/zero >disk/filler 2>/dev/null || true
}

teardown() {
  [ "$full" != mounted ] || umount disk
}

@test "a full disk under a file leaves no part of it" {
  if mount_full_disk; then
    run --separate-stderr "$ROOFLINE" plot --machine h100 --to disk/x.svg
  else
    run --separate-stderr sh -c 'trap "" XFSZ; ulimit -f 1; exec "$ROOFLINE" plot --machine h100 --to disk/x.svg'
  fi
  echo "exit $status: $stderr"
  [ "$status" -eq 3 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == "roofline: "*disk/x.svg* ]]
  [ -z "$(ls -A disk | grep -v filler)" ]
}

@test "a full disk under the ledger appends nothing and measures nothing" {
  mount_full_disk || skip "only root can mount a file system of 16 KiB"
  run --separate-stderr "$ROOFLINE" loop --backend fake --quick --quiet --ledger disk/l --to r.html
  echo "exit $status: $stderr"
  [ "$status" -eq 3 ]
  [[ $stderr == "roofline: "*disk/l* ]]
  [ ! -s disk/l ]
  [ ! -e r.html ]
}

@test "a full disk under the report leaves no part of it" {
  mount_full_disk || skip "only root can mount a file system of 16 KiB"
  run --separate-stderr "$ROOFLINE" loop --backend fake --quick --quiet --ledger l --to disk/r.html
  echo "exit $status: $stderr"
  [ "$status" -eq 3 ]
  [[ $stderr == "roofline: "*disk/r.html* ]]
  [ -z "$(ls -A disk | grep -v filler)" ]
}

@test "a file of operations where a list of them is wanted: --ops is named" {
  printf 'op foo\nparam n\nflops = n\nbytes = n\n' >mine.ops
  refuses 2 'mine.ops:1:1: operation `op`: unknown; `roofline op list` shows all; a file of your own operations is passed with `--ops FILE`' model mine.ops --machine h100
}

@test "one option has one meaning: kernels are merged, weights have groups, intervals stop, precisions are of weights" {
  run "$ROOFLINE" import --help
  [ "$(grep -c -e '--merge[ =]' <<<"$output")" -eq 2 ] # and in an example
  refuses 2 '--precision: unknown option' run gemm-naive --precision 5
  refuses 2 '--compare: unknown option' model llama-3.1-8b --compare
  refuses 2 '--report: unknown option' model llama-3.1-8b --report
  refuses 2 '--against: unknown option' advise --mix decode=1 --machine h100 --against h200
  refuses 2 '-t: unknown option' import x.csv -t 5
  refuses 2 'did you mean `--filter`?' import --filtr x
}

@test "an option that there is not: the parameter, or what others call it here" {
  refuses 2 '--m=4096: unknown option; `m` is a parameter, without dashes: m=4096' predict gemm --m=4096 --machine h100
  refuses 2 '--batch: unknown option; `batch` is a parameter, without dashes: batch=VALUE' model llama-3.1-8b --batch 32
  refuses 2 '--isl=4k: unknown option; `prompt` is a parameter, without dashes: prompt=4k' serve llama-3.1-8b --isl=4k
  refuses 2 '--gpu: unknown option; did you mean `--machine`?' model llama-3.1-8b --gpu h100
  refuses 2 '--tensor-parallel-size: unknown option; did you mean `--tp`?' model llama-3.1-8b --tensor-parallel-size 4
  refuses 2 '--isl: unknown option; `roofline predict --help` shows all' predict gemm --isl 4k
  refuses 2 '--heads: unknown option; `roofline predict --help` shows all' predict gemm --heads 4
  refuses 2 '--experts: unknown option; `roofline model --help` shows all' model llama-3.1-8b --experts 8
}

@test "a setting that changes nothing, or is given twice, by the name that was typed" {
  refuses 2 'users=0: not a whole number from 1 to 1e9' plan llama-3.1-8b --users 0 --machine h100
  refuses 2 '`batch` and `users`: they say the same; give one' plan llama-3.1-8b --users 3 batch=4 --machine h100
  refuses 2 '`tp`: given twice' model llama-3.1-8b tp=2 tp=4 --machine h100
  refuses 2 '`tp`: given twice' model llama-3.1-8b --tp 2 tp=4 --machine h100
  refuses 2 '`recompute`: given twice' model llama-3.1-8b --train batch=8 --recompute full recompute=none --machine h100
  refuses 2 '`tp`: given twice' serve llama-3.1-8b --rate 4 tp=2 tp=4 --machine h100
  refuses 2 '`fuse`: given twice' model llama-3.1-8b --fuse none fuse=all --machine h100
  refuses 2 '`tp`: given twice' claim llama-3.1-8b tp=2 tp=4 tpot=1ms --machine h100
  refuses 2 'accept: has no effect: no token is drafted; add draft=N' serve llama-3.1-8b accept=.5 --machine h100
  refuses 3 'serve: sharers: all prompts begin with the one prefix' serve llama-3.1-8b prefix=8000 sharers=1 prompt=8100 --machine h100
  refuses 2 '--two-batch-overlap: has no effect: one device sends nothing; add tp=N' serve llama-3.1-8b --machine h100 --two-batch-overlap
  refuses 2 '--no-cache: has no effect: no prompts begin alike' serve llama-3.1-8b --machine h100 --no-cache
  refuses 2 '--rate: `4tok`: `tok` is not a known suffix' serve llama-3.1-8b --machine h100 --rate 4tok/s
  refuses 2 '--gpus: unknown option; did you mean `--devices`?' plan llama-3.1-8b --machine h100 --gpus 8
  refuses 2 '--gpus: unknown option; did you mean `--machine`?' predict gemm m=n=k=64 --gpus h100
  refuses 2 '`llama-3.1-8b` is a whole model: `roofline model llama-3.1-8b batch=1..256*4`' sweep llama-3.1-8b batch=1..256*4 --machine h100
  refuses 2 '--network: has no effect: all devices are in one node, whose size is node=8' serve llama-3.1-8b --network 100gbe --machine h100
  refuses 2 'images: has no effect: no tower that reads them is described' model llama-3.1-8b images=3 --machine h100
  refuses 2 'images: has no effect: no tower that reads them is described' model gemma-3-4b images=3 --machine h100
  refuses 2 '--kv: has no effect: nothing is kept in a cache' model bert-base --kv fp8 --machine h100
  refuses 2 '--cold: has no effect on `cluster`' cluster --cold --machine h100
  refuses 2 'precision `foo`: unknown; known: fp32, fp16, bf16, ' model llama-3.1-8b --precision foo --machine h100
}

@test "an option of another command has no parameter's hint there" {
  refuses 2 '--batch: unknown option; `roofline doctor --help` shows all' doctor --batch 32
}

@test "an operation is no kernel, a machine no command, a number no size: what to type instead" {
  refuses 2 'kernel `gemm`: unknown; did you mean `gemm-blocked`, `gemm-bf16` or `gemm-int8`?' run gemm m=64
  refuses 2 'machine h100: use `roofline machine show h100`, or list, compare, new or lint' machine h100
  refuses 2 '`4096`: not key=value, as m=4096' predict gemm 4096 --machine h100
}

@test "nothing to read: what makes it" {
  refuses 2 'ledger none.ledger: No such file or directory; `roofline seal` begins one' ledger --ledger none.ledger
  refuses 2 'which file of timings? `roofline import --list` names the formats' validate
}

@test "a profiler's file where an operation or a result is due: what reads it" {
  local file=$ROOFLINE_SOURCE/tests/fixtures/import/ncu-metrics.csv
  refuses 2 "a file, no operation; what a profiler wrote, \`roofline import FILE --json\` reads first" plot "$file" --machine a100
  refuses 2 "a file, no operation; what a profiler wrote, \`roofline import FILE --json\` reads first" advise "$file" --machine a100
  refuses 2 "ncu-metrics.csv: no JSON; what a profiler wrote, \`roofline import FILE --json\` reads first" check "$file" --machine a100
}

@test "one value, one machine, a name that comes first" {
  refuses 2 'devices=4096,8192: one value here' cluster llama-3.1-70b tokens=4M devices=4096,8192 --machine h100
  local command words timings=$ROOFLINE_SOURCE/examples/timings.csv
  while read -r command words; do
    refuses 2 "$command: one machine at a time" $command $words --machine h100,a100
    refuses 2 "$command: one machine at a time" $command $words --machine h100 -m a100
  done <<END
import $ROOFLINE_SOURCE/tests/fixtures/import/stream.txt
validate $timings
calibrate $timings
check $timings
serve llama-3.1-8b
advise gemm m=8 n=8 k=8
advise gemm m=8 n=8 k=8 --set m=16
claim 1TB/s
explain ridge
cluster devices=8
END
  refuses 2 'advise: one machine at a time' advise gemm m=8 n=8 k=8 --machine h100 --set machine=a100,h200
  refuses 2 'serve: one machine at a time' serve llama-3.1-8b --machine h100 --prefill-machine h100,a100
  refuses 2 'llama-3.1-8b: one machine at a time' energy llama-3.1-8b --machine h100,a100
  refuses 2 'run: one machine at a time' run --machine h100,a100 -- true
  refuses 2 'run: one machine at a time' run --strong stencil3d --machine h100,a100
  refuses 2 '`llama-3.1-70b` is a whole model: its name comes first' claim 200tokens/s llama-3.1-70b tp=8 --machine h100
}

@test "a plan on a machine that does not say its memory cannot be made" {
  refuses 3 'plan: amd-epyc-9654 does not say how much memory it has; `roofline machine show amd-epyc-9654 --json` writes a file for it' plan llama-3.1-8b --users 4 --tpot 60ms --machine epyc-9654
  "$ROOFLINE" machine show amd-epyc-9654 --json | jq '(.levels[] | select(.level == "memory")).bytes = 1e12' >"$BATS_TEST_TMPDIR/mine.json"
  run -0 "$ROOFLINE" plan llama-3.1-8b --users 4 --tpot 60ms --machine "$BATS_TEST_TMPDIR/mine.json"
}

@test "what is meant is asked in the words of the parameter" {
  run "$ROOFLINE" predict conv2d batch=1 in_channels=64 out_channels=64 height=56 width=56 kernel=3 padding=valid --machine a100
  [ "$status" -eq 2 ]
  [[ $output == *'padding `valid`: unknown; known: same; or give a number' ]]
  run "$ROOFLINE" explain quux
  [ "$status" -eq 2 ]
  [[ $output != *'did you mean'* ]]
  run "$ROOFLINE" cluster params=7B tokens=1e6 --machine h100
  [ "$status" -eq 2 ]
  [[ $output == *'B is for bytes; for billions write `7G`' ]]
}

@test "of a service and a run: nothing at once, limits of nothing, gaps of other arrivals, units of a part of a list" {
  refuses 2 'serve: generate=0: requests that generate nothing have no time per token' serve llama-3.1-8b --machine h100 generate=0
  refuses 2 'serve: microbatches=2: each step has as many as its sequences and the stages (pp=) allow' serve llama-3.1-8b --machine h100 microbatches=2
  refuses 2 'serve: batch 0: a whole number from 1' serve llama-3.1-8b --machine h100 batch=0
  refuses 2 '--turns: lengths `0`: from 1 to 1e8' serve llama-3.1-8b --machine h100 --turns 0
  refuses 2 '--concurrency: `0` is not above 0' serve llama-3.1-8b --machine h100 --concurrency 0
  refuses 2 '--ttft: `0` is not above 0' serve llama-3.1-8b --machine h100 --ttft 0
  refuses 2 '--tpot: `-1ms` is not above 0' serve llama-3.1-8b --machine h100 --tpot -1ms
  refuses 2 '--burstiness: has no effect with --arrivals poisson' serve llama-3.1-8b --machine h100 --burstiness 0.5 --arrivals poisson
  refuses 2 'which a list says once, at its end' serve llama-3.1-8b --machine h100 --rate 4/s,240/min
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --requests 50 --burstiness 0.5 --arrivals gamma
  refuses 2 'tokens=0: must be from 1' plan llama-3.1-70b --machine h100 --train batch=64 --devices 16 --tokens 0
  refuses 3 'resnet50.onnx: a graph, which has no prompts and tokens' serve "$ROOFLINE_SOURCE/examples/resnet50.onnx" --machine h100
}

@test "a setting of a model that is out of range is named alone, as it was typed" {
  refuses 2 'roofline: offload=120%: of the weights, at most 100 %' model llama-3.1-8b --machine h100 offload=120%
  refuses 2 'roofline: offload_kv=100%: of the cache while serving, under 100 %' model llama-3.1-8b --machine h100 offload_kv=1
  refuses 2 'roofline: price=-1: must not be negative' model llama-3.1-8b --machine h100 --price -1
  refuses 2 'microbatches=2: a replica has 1 sequence' model llama-3.1-8b --machine h100 microbatches=2
  refuses 2 'effect `foo`: unknown; known: efficiency, bandwidth, ' model llama-3.1-8b --machine h100 --without foo
}

@test "no threads are no number of threads" {
  run --separate-stderr "$ROOFLINE" measure --backend fake --threads 0
  [ "$status" -eq 2 ]
  [[ $stderr == *'--threads 0: must be at least 1'* ]]
  run --separate-stderr "$ROOFLINE" run triad --backend fake --quick --threads 0
  [ "$status" -eq 2 ]
  [[ $stderr == *'--threads 0: must be at least 1'* ]]
  run -0 "$ROOFLINE" run triad --backend fake --quick
}

@test "weights packed for inference are trained by adapters alone" {
  run -2 "$ROOFLINE" model llama-3.1-8b --train batch=8 --precision w4a16 --machine h100
  [[ $output == *"--precision: weights of the mixer packed for inference do not change; lora=N trains adapters next to them" ]]
  run -0 "$ROOFLINE" model llama-3.1-8b --train batch=8 --precision w4a16 lora=16 --machine h100
}
