#!/usr/bin/env bats
# What a terminal gets: lines that fit it, colours where it shows them, ASCII where it knows no more, nothing that steers it.

setup() {
  load lib.bash
  start
  unset NO_COLOR
  export LC_ALL=C.UTF-8
  fixtures=$ROOFLINE_SOURCE/tests/fixtures
}

# fits WIDTH ARGUMENT...: no line of the answer is wider.
fits() {
  local width=$1 widest
  shift
  COLUMNS=$width "$ROOFLINE" "$@" >answer 2>error || [ "$?" -eq 1 ] || { cat error; return 1; }
  [ -s answer ] || { echo "$*: no answer"; return 1; }
  grep -vE '^ *[^ ]+$' answer >lines || true # a word that is longer than a line, a path, stays whole
  widest=$(wc -L <lines) # display columns, wide characters counted twice
  [ "$widest" -le "$width" ] || { echo "$* at $width:"; cat answer; return 1; }
}

# Every command that needs no measuring, an answer with a table where it has one.
commands() {
  cat <<'END'
help
machine list
machine list h100
machine show h100
machine compare h100 a100 b200 mi300x
machine lint h100
op list
op show attention
predict gemm m=8192 n=28672 k=8192 -m h100 -m a100
predict attention batch=1 heads=32 q_len=4096 kv_len=4096 head_dim=128 -m h100 --explain
sweep gemm m=1..4096*4 n=8192 k=8192 -m h100 -m a100
model llama-3.1-70b -m h100 tp=8 --analysis
model llama-3.1-8b batch=1,8,64 tp=1,2 -m h100
model llama-3.1-8b batch=1,8 -m h100 -m a100 --side-by-side
plan llama-3.1-8b -m h100
plan llama-3.1-8b --train -m h100
plan llama-3.1-70b users=50 context=8k --tpot 40ms -m h100,h200 --price h100=2.5
model list
run list
import list
profile list
explain
explain levels
explain ncu
explain production
explain ridge gemm m=64 n=64 k=64 -m h100
claim gemm m=8192 n=28672 k=8192 2ms -m h100
advise gemm m=8192 n=28672 k=8192 measured=9ms -m h100
advise triad n=64Mi -m h100
energy gemm m=1,64,4096 n=28672 k=8192 -m h100
energy -m h100 -m a100
cluster llama-3.1-70b tokens=4M devices=512 -m h100
plot -m h100
plot gemm m=1024 n=1024 k=1024 -m h100 -m a100
measure --backend fake --to fake.json
machine show fake.json
run triad gemm-blocked --backend fake
run gemm --backend fake --ladder
loop --quick --backend fake
check run.json --against run.json
measure --backend fake --compare fake.json
claim llama-3.1-8b ttft=10ms -m h100
energy llama-3.1-8b -m h100
advise llama-3.1-8b -m h100
plot peaks -m h100 -m a100
ledger show
ledger verify
reconcile
END
}

@test "no line of any command is wider than the terminal: 60, 80 and 200 columns" {
  local bad=0 words
  "$ROOFLINE" predict gemm m=8192 n=28672 k=8192 -m h100 --seal --label a-label-that-is-rather-long-for-a-table >/dev/null
  "$ROOFLINE" predict add n=1Gi -m h100 --seal --label 漢字の名前の長いカーネルの名前です >/dev/null
  "$ROOFLINE" record a-label-that-is-rather-long-for-a-table seconds=9ms >/dev/null
  "$ROOFLINE" record 漢字の名前の長いカーネルの名前です seconds=2ms >/dev/null
  "$ROOFLINE" run triad --backend fake --json >run.json
  while read -r -a words; do
    for width in 60 80 200; do
      fits "$width" "${words[@]}" || bad=1
    done
  done < <(commands)
  [ "$bad" -eq 0 ]
}

@test "what profilers wrote, and a machine that was captured, fit as well" {
  local bad=0
  for width in 60 80 200; do
    for file in kineto.json torch-table.txt nsys.sqlite serving.json carm.csv ncu-details.csv perf-j.json; do
      fits "$width" import "$fixtures/import/$file" -m h100 --merge base || bad=1
    done
    fits "$width" doctor --root "$fixtures/doctor/server" || bad=1
  done
  [ "$bad" -eq 0 ]
}

@test "help of every command fits" {
  local bad=0
  while read -r name; do
    fits 80 "$name" --help || bad=1
    COLUMNS=80 "$ROOFLINE" "$name" --help >answer
    [ "$(wc -L <answer)" -le 80 ] || { echo "$name: a word that is longer than a line"; bad=1; }
    fits 60 "$name" -h || bad=1
  done < <("$ROOFLINE" help | awk '/^  [a-z]/ {print $1}')
  [ "$bad" -eq 0 ]
}

@test "in a pipe tables take 80 columns and sentences one line; a terminal says how wide it is" {
  run -0 env -u COLUMNS "$ROOFLINE" claim gemm m=8192 n=28672 k=8192 900TFLOP/s -m h100
  [[ ${lines[0]} == possible*'(fp16 matrix)' ]]
  env -u COLUMNS "$ROOFLINE" machine list | head -50 >answer
  [ "$(wc -L <answer)" -le 80 ]
  [ "$(wc -L <answer)" -gt 60 ]
  env -u COLUMNS script -qec 'stty cols 60; "$ROOFLINE" machine list' /dev/null </dev/null | tr -d '\r' >answer
  [ "$(wc -L <answer)" -le 60 ]
  env -u COLUMNS script -qec 'stty cols 150; "$ROOFLINE" machine list' /dev/null </dev/null | tr -d '\r' >answer
  [ "$(wc -L <answer)" -gt 100 ]
}

@test "columns that are left out are named; JSON and CSV never change" {
  COLUMNS=80 run -0 "$ROOFLINE" machine list h100
  has 'not shown: '
  COLUMNS=200 run -0 "$ROOFLINE" machine list h100
  [[ $output != *'not shown'* ]]
  for options in --json --csv; do
    COLUMNS=40 LC_ALL=C "$ROOFLINE" machine list h100 $options >narrow
    COLUMNS=200 "$ROOFLINE" machine list h100 $options >wide
    cmp narrow wide
  done
}

@test "a verdict has its colour, on a terminal alone" {
  claim='stty cols 80; "$ROOFLINE" claim gemm m=8192 n=28672 k=8192 2ms -m h100'
  run ! "$ROOFLINE" claim gemm m=8192 n=28672 k=8192 2ms -m h100
  [[ $output != *$'\e'* ]]
  run ! "$ROOFLINE" claim gemm m=8192 n=28672 k=8192 2ms -m h100 --color always
  [[ $output == $'\e[1m\e[31mimpossible'* ]]
  TERM=xterm run ! script -qec "$claim" /dev/null
  [[ $output == *$'\e[31mimpossible'* ]]
  TERM=xterm run ! script -qec "${claim/80/0}" /dev/null # as a launcher of ranks puts before a pipe
  [[ $output != *$'\e'* ]]
  TERM=xterm NO_COLOR=1 run ! script -qec "$claim" /dev/null
  [[ $output != *$'\e'* ]]
  TERM=dumb run ! script -qec "$claim" /dev/null
  [[ $output != *$'\e'* ]]
  "$ROOFLINE" predict add n=1Gi -m h100 --seal --label a >/dev/null
  "$ROOFLINE" record a seconds=9ms >/dev/null
  run -0 "$ROOFLINE" reconcile --color always
  [[ $output == *$'\e[31mbug\e[0m'* ]]
}

@test "ASCII where the locale or the terminal knows no more" {
  local words
  "$ROOFLINE" predict add n=1Gi -m h100 --seal --label a >/dev/null
  "$ROOFLINE" run triad --backend fake --json >run.json
  while read -r -a words; do
    LC_ALL=C "$ROOFLINE" "${words[@]}" >answer || [ "$?" -eq 1 ]
    ! LC_ALL=C grep -n '[^ -~]' answer || { echo "${words[*]}"; return 1; }
  done < <(commands)
  LC_ALL=C run -0 "$ROOFLINE" predict add n=1Mi -m h100
  has ' us'
  has '####'
  TERM=dumb run -0 script -qec '"$ROOFLINE" plot -m h100' /dev/null
  ! LC_ALL=C grep -q '[^ -~]' <<<"${output//$'\r'/}"
}

@test "names from files do not steer the terminal" {
  jq -n '{schema: "roofline.measurements/1", source: "the test", format: "test", kernels: [
    {name: "evil\u001b[2J\u009b31m\u202egpj\u2066x\u200f\ny", calls: 1, seconds: 0.001, flops: {fp32: 1e9}, bytes: {DRAM: 1e9}}]}' >evil.json
  for command in 'import evil.json -m h100' 'check evil.json --min 1' 'plot evil.json -m h100'; do
    # shellcheck disable=SC2086
    run "$ROOFLINE" $command
    [[ $output == *evil* ]] || { echo "$command: $output"; return 1; }
    ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]' <<<"$output" || { echo "$command"; return 1; }
  done
}
