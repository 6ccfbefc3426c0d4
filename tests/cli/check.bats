#!/usr/bin/env bats
# roofline check: the least share, the baseline, what noise may hide, and what CI reads.

setup() {
  load lib.bash
  start
}

# results NAME=SHARE[:RUN,RUN,...] ...: measurements of kernels with a ceiling of 1 ms; runs are in ms.
results() {
  jq -n --args '{schema: "roofline.measurements/1", source: "the test", format: "fake", machine: ($ENV.ON // "box"),
    kernels: [$ARGS.positional[] | capture("^(?<name>[^=]*)=(?<share>[0-9.]*)(:(?<runs>.*))?$")
      | (.share | tonumber) as $share
      | {name, calls: 1, seconds: (0.001 / $share), ceiling_seconds: 0.001, fraction_of_ceiling: $share,
         samples: (if .runs then [.runs | split(",")[] | tonumber / 1000] else [] end),
         flops: {fp32: 1e9}, bytes: {DRAM: 1e8}}], skipped: []}' "$@"
}

check() {
  run --separate-stderr "$ROOFLINE" check "$@"
}

@test "the least share, on both sides" {
  results a=0.65 b=0.649 >r.json
  check r.json
  [ "$status" -eq 1 ]
  has '1 of 2 kernels pass on box: at least 65 % of the ceiling'
  has '64.9 % of its ceiling, under 65.0 %'
  check r.json --min 0.64
  [ "$status" -eq 0 ]
  has '2 of 2 kernels pass'
  check r.json --min 0.66
  [ "$status" -eq 1 ]
  has '0 of 2'
}

@test "the first line says whether a benchmark reached the ceilings" {
  results a=0.8 b=0.7 | jq '.kernels[].basis = "achieved"' >r.json
  check r.json
  has '2 of 2 kernels pass on box: at least 65 % of the achieved ceiling'
  jq '.kernels[0].basis = "theoretical"' r.json >mixed.json
  check mixed.json
  has '2 of 2 kernels pass on box: at least 65 % of the ceiling'
  check r.json --machine h100 --min 0
  has 'at least 0 % of the ceiling'
}

@test "a limit is said as it was given" {
  results a=0.9955 >r.json
  check r.json --min 99.6% --max-regression 2.5% --against r.json
  [ "$status" -eq 1 ]
  has 'at least 99.6 % of the ceiling, at most 2.5 % slower than r.json'
}

@test "slower than the baseline is a miss, by the share of the ceiling" {
  results a=0.8:1.25,1.251,1.252,1.253 >base.json
  results a=0.751:1.33,1.331,1.332,1.333 >r.json
  check r.json --against base.json --json
  [ "$status" -eq 1 ]
  [ "$(json '.kernels[0].state')" = '"slower"' ]
  near '.kernels[0].regression' 0.0639233
  near '.kernels[0].p' 0.0142857
  check r.json --against base.json --max-regression 0.07
  [ "$status" -eq 0 ]
}

@test "a stricter significance asks for more runs before it calls a difference" {
  results a=0.8:1.25,1.251,1.252,1.253 >base.json
  results a=0.751:1.33,1.331,1.332,1.333 >r.json
  check r.json --against base.json --json
  [ "$(json '.kernels[0].state')" = '"slower"' ]
  check r.json --against base.json --significance 0.01 --json
  [ "$(json '.kernels[0].state')" = '"few runs"' ]
}

@test "noise is reported, not failed" {
  results a=0.8:1.0,1.4,0.8,1.2,0.9,1.5 >base.json
  results a=0.75:1.1,1.5,0.85,1.3,1.2,1.45 >r.json
  check r.json --against base.json
  [ "$status" -eq 0 ]
  has 'within the noise'
}

@test "too few runs are no answer" {
  results a=0.8 b=0.8 >base.json
  results a=0.7 b=0.79 >r.json
  check r.json --against base.json --json
  [ "$status" -eq 1 ]
  [ "$(json '[.kernels[].state]')" = '["few runs","pass"]' ]
  has 'too few runs to exclude chance: 1 against 1, take 3 on each side'
}

@test "a share holds on another machine, a time does not" {
  ON=big results a=0.8:1.25,1.251,1.252 >base.json
  results a=0.8:12.5,12.51,12.52 | jq '.kernels[0] |= (.seconds *= 10 | .ceiling_seconds *= 10)' >r.json
  check r.json --against base.json
  [ "$status" -eq 0 ]
  jq '.kernels[0] |= (.ceiling_seconds = null | .fraction_of_ceiling = null)' r.json >unknown.json
  check unknown.json --against base.json --min 0
  [ "$status" -eq 1 ]
  has 'another machine than the baseline'
}

@test "kernels on one side only" {
  results a=0.8 gone=0.9 >base.json
  results a=0.8 new=0.9 >r.json
  check r.json --against base.json --json
  [ "$status" -eq 1 ]
  [ "$(json '[.kernels[] | [.label, .state]]')" = '[["a","pass"],["new","new"],["gone","gone"]]' ]
}

@test "a name that the baseline has fewer times is said to be so" {
  results a=0.8 >base.json
  results a=0.8 a=0.7 b=0.7 >r.json
  check r.json --against base.json --json
  [ "$status" -eq 0 ]
  [ "$(json '[.kernels[] | .state, .message]')" = '["pass","","new","the baseline has this name fewer times","new","not in the baseline"]' ]
}

@test "an unknown ceiling is a miss unless any share will do" {
  results a=0.8 | jq '.kernels[0] |= (.ceiling_seconds = null | .fraction_of_ceiling = null)' >r.json
  check r.json
  [ "$status" -eq 1 ]
  has 'its ceiling is not known'
  check r.json --min 0
  [ "$status" -eq 0 ]
}

@test "ceilings on a named machine from what was counted" {
  results a=0.8 | jq '.kernels[0] |= (.flops = {fp16: 989e12} | .bytes = {DRAM: 1e9} | .seconds = 1.25)' >r.json
  check r.json --machine "$h989" --json
  [ "$status" -eq 0 ]
  near '.kernels[0].fraction_of_ceiling' 0.8
  jq '.kernels[0] |= (.bytes = {DRAM: 3.35e12, L2: 1})' r.json >bytes.json
  check bytes.json --machine "$h989" --json
  near '.kernels[0].fraction_of_ceiling' 0.8
}

@test "unknown work is unknown, never 0.0 % and never failed; where all is unknown nothing passes" {
  results a=0.8 b=0.9 | jq '.kernels[0] |= (.flops = null | .bytes = null | .ceiling_seconds = null | .fraction_of_ceiling = null)' >r.json
  check r.json --json
  [ "$status" -eq 0 ]
  [ "$(json '[.passed, (.kernels[0] | .state, .passed, .fraction_of_ceiling, .verdict)]')" = '[true,"unknown",true,null,null]' ]
  jq '.kernels |= .[:1]' r.json >alone.json
  for options in '' "--machine $h989"; do
    check alone.json $options --json
    [ "$status" -eq 2 ]
    [ "$(json '[.passed, (.kernels[0] | .state, .passed, .fraction_of_ceiling, .verdict)]')" = '[false,"unknown",true,null,null]' ]
  done
  check alone.json --machine "$h989"
  has '0 of 1 kernels pass'
  has '1 unknown'
  [[ $stderr == 'roofline: alone.json: nothing in it can be judged: a: '* ]]
  [[ $output != *'0.0 %'* ]]
}

@test "check, import and plot take the ceiling that the file gives, else that of the machine that it names, or of --machine" {
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  ON=fake results a=0.95 | jq '.kernels[0] |= (.seconds = 0.1 | .ceiling_seconds = 0.095 | .bytes = {DRAM: 3.2e9})' >r.json
  shares() { # SHARE FILE OPTIONS
    local share=$1
    shift
    run "$ROOFLINE" check "$@" --json
    near '.kernels[0].fraction_of_ceiling' "$share"
    run "$ROOFLINE" import "$@" --json
    near '.kernels[0].fraction_of_ceiling' "$share"
    near '.lost_seconds' "$(awk "BEGIN { print 0.1 * (1 - $share) }")"
    run "$ROOFLINE" plot shares "$@" --json
    near '.bars[0].value' "$share"
    run "$ROOFLINE" plot "$@" --json
    near '.dots[0] | .measured_flops_per_second / .ceiling_flops_per_second' "$share"
  }
  shares 0.95 r.json
  shares 0.8 r.json --machine fake
  jq 'del(.kernels[0] | .ceiling_seconds, .fraction_of_ceiling)' r.json >named.json
  shares 0.8 named.json
  jq '.machine = "elsewhere"' named.json >unknown.json
  check unknown.json
  [ "$status" -eq 1 ]
  has 'ceilings: elsewhere is not known: give --machine NAME'
}

@test "a ceiling that is none is refused with its file, kernel and key" {
  for bad in -1e-3 '"x"' '[]'; do
    results a=0.8 b=0.9 | jq ".kernels[1].ceiling_seconds = $bad" >r.json
    check r.json
    [ "$status" -eq 2 ]
    line=$(grep -n ceiling_seconds r.json | sed -n '2s/:.*//p')
    [ "$stderr" = "roofline: r.json:$line:26: b: \`ceiling_seconds\` must be a number from 0 on, or null" ]
  done
  results a=0.8 | jq '.kernels[0].fraction_of_ceiling = "much"' >r.json
  check r.json
  [ "$status" -eq 2 ] && [[ $stderr == *'a: `fraction_of_ceiling` must be'* ]]
}

@test "work and times that are no numbers, or do not say of what, are refused, not dropped" {
  refused() { # CHANGE WORDS
    results a=0.8 | jq -c "$1" >r.json
    check r.json
    [ "$status" -eq 2 ]
    before=$(grep -o "^.*\"$(cut -d '`' -f 2 <<<"$2")\":" r.json)
    [ "$stderr" = "roofline: r.json:1:$((${#before} + 1)): a: $2" ]
  }
  refused '.kernels[0].flops = 1e9' '`flops` must say of what, as {"fp16": 1e9}'
  refused '.kernels[0].bytes = 1e9' '`bytes` must say of what, as {"memory": 1e9}'
  refused '.kernels[0].flops = {fp32: "1e9"}' '`flops` of `fp32` must be a number, or null'
  refused '.kernels[0].seconds = "1e-4"' '`seconds` must be a number from 0 on, or null'
}

@test "a time too short for the profiler's clock is not known" {
  results a=0.8:1.25,1.25 b=0.8:1.25,1.25 | jq '.kernels[0] |= (.seconds = 0 | .samples = [0, 0])' >r.json
  check r.json --against r.json --json
  [ "$status" -eq 0 ]
  [ "$(json '.kernels[0] | [.state, .passed, .message]')" = '["unknown",true,"its time is not known"]' ]
}

@test "what is above its ceiling fails, with the reason that reconcile gives" {
  results a=4.96 >r.json
  check r.json --json
  [ "$status" -eq 1 ]
  [ "$(json '.kernels[0] | [.state, .verdict]')" = '["impossible","explain"]' ]
  check r.json
  has 'cannot be: its ceiling allows no less than 1.000 ms'
  results a=1 | jq '.kernels[0] |= (.flops = null | .bytes = {DRAM: 6.7e12} | .seconds = 1)' >r.json
  check r.json --machine "$h989"
  [ "$status" -eq 1 ]
  has '6.700 TB/s cannot be: the bandwidth is 3.350 TB/s'
}

@test "faster than the benchmark that measured the ceiling is possible" {
  results a=1.08 | jq '.kernels[0].basis = "achieved"' >r.json
  check r.json --json
  [ "$status" -eq 0 ]
  [ "$(json '.kernels[0] | [.state, .verdict]')" = '["pass","explain"]' ]
}

@test "what run calls impossible does not pass, and run says so in its text" {
  "$ROOFLINE" measure --quick --backend fake --quiet >/dev/null
  run -0 --separate-stderr "$ROOFLINE" run conv2d-direct --quick --backend fake
  has 'kernel=3 fp32: 1.229 TFLOP/s cannot be: the peak is 384.0 GFLOP/s'
  "$ROOFLINE" run conv2d-direct triad --quick --backend fake --to r.json
  check r.json --json
  [ "$status" -eq 1 ]
  [ "$(json '[.kernels[].state]')" = '["impossible","pass"]' ]
}

@test "where there is nothing to judge, CSV says neither that it passed nor that it did not" {
  results a=0.8 b=0.5 | jq '.kernels[1] |= (.ceiling_seconds = null | .fraction_of_ceiling = null | .flops = null | .bytes = null)' >r.json
  check r.json --csv
  [ "$(cut -d, -f1-3 <<<"$output")" = $'label,state,passed\na,pass,true\nb,unknown,' ]
}

@test "the unit is the counter's, the operation's, or the one that can have done it" {
  share() {
    results "$1=0.5" | jq ".kernels[0] |= (.flops = $2 | .bytes = null | .seconds = 1 | .counted = ${3-null})" >r.json
    check r.json --machine h100 --json
  }
  share solver '{fp64: 1e13}'
  near '.kernels[0].fraction_of_ceiling' 0.298507 # 10 of 33.5 TFLOP/s of the lanes
  share solver '{fp64: 1e13}' '{fp64: {unit: "matrix"}}'
  near '.kernels[0].fraction_of_ceiling' 0.149477
  share 'solver' '{"fp64 matrix": 1e13}'
  near '.kernels[0].fraction_of_ceiling' 0.149477
  share gemm-mine '{fp64: 1e13}'
  near '.kernels[0].fraction_of_ceiling' 0.149477
  share solver '{fp64: 5e13}'
  near '.kernels[0].fraction_of_ceiling' 0.747384 # beyond the lanes
}

@test "work of one thread is held against one core, of four against four, unless it is beyond them" {
  jq -n '{kind: "measured", source: "the test"} as $from | {schema: "roofline.machine/1", name: "box", kind: "measured",
    unit_count: 8, unit_kind: "core", peaks: [], levels: [
      {name: "DRAM", bytes: 1e11, read_bytes_per_second: 80e9} + $from,
      {name: "DRAM", bytes: 1e11, cores: 1, read_bytes_per_second: 10e9} + $from]}' >box.json
  share() { # THREADS BYTES: per thread and second
    results solver=1 | jq ".kernels[0] |= (.flops = null | .bytes = {DRAM: $2} | .seconds = 1 | .threads = $1)" >r.json
    check r.json --machine ./box.json --min 0 --json
    [ "$status" -eq 0 ]
  }
  share null 8e9
  near '.kernels[0].fraction_of_ceiling' 0.1
  share 1 8e9
  near '.kernels[0].fraction_of_ceiling' 0.8
  share 4 8e9
  near '.kernels[0].fraction_of_ceiling' 0.8
  share 1 16e9 # more than a core can: others helped
  near '.kernels[0].fraction_of_ceiling' 0.2
}

@test "import, and check of what it prints, agree on the unit" {
  for file in gbench.json likwid.json perf-j.json; do
    "$ROOFLINE" import "$ROOFLINE_SOURCE/tests/fixtures/import/$file" --machine h100 --json >f.json
    check f.json --machine h100 --json
    [ "$(json '[.kernels[] | [.fraction_of_ceiling, .verdict]]')" = "$(jq -c '[.kernels[] | [.fraction_of_ceiling, .verdict]]' f.json)" ]
  done
}

@test "what reconcile prints is read too" {
  jq -n '{schema: "roofline.reconcile/1", entries: [{label: "a", measured_seconds: 2, fraction_of_ceiling: 0.5}]}' >r.json
  check r.json
  [ "$status" -eq 1 ]
  has '50.0 % of its ceiling'
  check - <r.json
  [ "$status" -eq 1 ]
  has '0 of 1 kernels pass: at least'
  "$ROOFLINE" loop --quick --backend fake --ledger l.jsonl --to r.html >/dev/null
  "$ROOFLINE" reconcile --ledger l.jsonl --json >reconciled.json || true
  check reconciled.json --min 0.001 --json
  [ "$status" -eq 0 ]
  [ "$(json '.kernels | length')" -eq "$(jq '.entries | length' reconciled.json)" ]
}

@test "JUnit and GitHub" {
  results 'a<&"=0.8' 'b: 50%, x=0.5' >r.json
  check r.json --junit out.xml --github
  [ "$status" -eq 1 ]
  has '::error file=r.json,title=b%3A 50%25%2C x::50.0 %25 of its ceiling, under 65.0 %25'
  if command -v xmllint >/dev/null; then
    xmllint --noout out.xml
    [ "$(xmllint --xpath 'string(//testsuite/@failures)' out.xml)" = 1 ]
    [ "$(xmllint --xpath 'string(//testcase[1]/@name)' out.xml)" = 'a<&"' ]
  fi
  grep -q '<testsuite name="roofline check" tests="2" failures="1">' out.xml
  grep -q '<failure type="low" message="50.0 % of its ceiling, under 65.0 %"/>' out.xml
}

@test "what run prints passes through" {
  "$ROOFLINE" measure --backend fake --quick >/dev/null
  "$ROOFLINE" run triad dot --backend fake --json >r.json
  check r.json --against r.json --json --min 0
  [ "$status" -eq 0 ]
  [ "$(json '[.kernels[].state] | unique')" = '["pass"]' ]
}

@test "bad input" {
  refuses() {
    check "${@:3}"
    [ "$status" -eq "$1" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == *"$2"* ]] && return
    echo "check ${*:3}: $status $output $stderr"
    return 1
  }
  results a=0.8 >r.json
  refuses 2 'which file' --json
  refuses 2 'none.json' none.json
  refuses 2 'share from 0 to 1' r.json --min 1.1
  refuses 2 '--max-regression: has no effect without --against' r.json --max-regression 0.1
  refuses 2 '--github: has no effect with --json' r.json --github --json
  refuses 2 'unexpected argument' r.json r.json
  echo '{"schema": "roofline.machine/1"}' >m.json
  refuses 2 'roofline.measurements/1' m.json
  echo '{' >torn.json
  refuses 2 'torn.json:2' torn.json
  jq '.kernels[0].seconds = -1' r.json >before.json
  refuses 2 'a: `seconds` must be a number from 0 on' before.json
  jq '.kernels[0].samples = [1, -1]' r.json >negative.json
  refuses 2 'sample 2' negative.json
  jq '.kernels[0] |= (.calls = 1 | .seconds = 2e-3 | .samples = [1.6e-3])' r.json >apart.json
  refuses 2 'a: 0.002 s, but its samples are from 0.0016 to 0.0016 s' apart.json
  refuses 3 'no/out.xml' r.json --junit no/out.xml
}

@test "kernels whose names are no operations are judged without an error" {
  run -0 "$ROOFLINE" import --json "$ROOFLINE_SOURCE/tests/fixtures/import/ncu-metrics.csv"
  printf '%s\n' "$output" >kernels.json
  run --separate-stderr "$ROOFLINE" check kernels.json --min 99% --machine a100
  [ "$status" -eq 1 ]
  [ -z "$stderr" ]
}

@test "names too long for the terminal stay different, with what import shows of them" {
  jq -n '{schema: "roofline.measurements/1", kernels: [
    ("__half", "float") as $type | {name: "void InitializeMatrix_kernel<\($type), (bool)1>(T1 *, int, int, int)",
     seconds: 1e-3, flops: {fp32: 1e9}, bytes: {DRAM: 1e8}}]}' >long.json
  COLUMNS=60 run "$ROOFLINE" check long.json --machine v100 --min 65%
  [ "$(sed -n 's/^  \(Initial.*>\) .*/\1/p' <<<"$output" | sort -u | wc -l)" -eq 2 ]
}

@test "what its launches bound is so for run, import and check of its file" {
  printf 'time add = 16us\n' >add.fake
  ROOFLINE_FAKE=add.fake "$ROOFLINE" measure --backend fake --quiet >/dev/null
  ROOFLINE_FAKE=add.fake "$ROOFLINE" run add n=64 --backend fake --json >run.json
  [ "$(jq -c '.kernels[0] | [.regime, .binding, .verdict]' run.json)" = '["overhead","launch","overhead"]' ]
  [ "$("$ROOFLINE" import run.json --json | jq -c '.kernels[0] | [.regime, .binding, .verdict]')" = '["overhead","launch","overhead"]' ]
  [ "$("$ROOFLINE" check run.json --json | jq -r '.kernels[0].verdict')" = overhead ]
}
