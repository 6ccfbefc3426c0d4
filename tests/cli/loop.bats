#!/usr/bin/env bats
# The main job, on the scripted machine and once on this one.
bats_require_minimum_version 1.5.0

setup() {
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config LC_ALL=C.UTF-8
  unset OPENBLAS_CORETYPE BLIS_ARCH_TYPE
}

loop() {
  run --separate-stderr "$ROOFLINE" loop --quick --backend fake "$@"
}

@test "measures, seals, runs, reconciles and writes one report" {
  loop
  [ "$status" -eq 0 ]
  [ -z "$stderr" ]
  [[ ${lines[0]} == "8 kernels in fp32: most headroom, naive apart, in axpy, "*"x from its ceiling" ]]
  [[ ${lines[1]} == "  machine   FAKE processor "*", 2 cores" ]]
  [[ ${lines[2]} == "  trust     nothing was timed here"* ]]
  [[ ${lines[4]} == *kernel*predicted*measured*"bound by"*"of ceiling"*verdict* ]]
  [[ $output == *triad*DRAM*"80.0 ±0.8 %"*normal* ]]
  [[ $output == *gemm-naive*" 0.9 ±0.0 %  expected"* ]] # of one core, as `run` says
  [[ $output == *"  report    roofline-report.html"* ]]
  [[ $output == *"  next      $ROOFLINE reconcile"* ]]
  [[ $output == *"  predicted off by "*" %, 90th percentile "*" %; "*" of 15 inside"* ]]
  [ "${#lines[@]}" -le 23 ]
  [ "$(ls -A)" = "$(printf '%s\n' .config roofline-report.html roofline.ledger)" ]
}

@test "every prediction is sealed before any kernel is measured" {
  loop
  [ "$(jq -s 'map(.kind) | join(" ")' roofline.ledger)" = "\"$(printf 'prediction %.0s' {1..15})$(printf 'measurement %.0s' {1..14})measurement\"" ]
  [ "$(jq -s 'map(.machine) | unique | join(" ")' roofline.ledger)" = '"fake"' ]
  [ "$(jq -rs 'map(select(.kind == "prediction") | .label) | sort | join(",")' roofline.ledger)" = \
    "$(jq -rs 'map(select(.kind == "measurement") | .label) | sort | join(",")' roofline.ledger)" ]
}

@test "one screen of 80 columns; notes with --verbose" {
  loop
  [ -z "$(grep -vF "$ROOFLINE" <<<"$output" | grep -E '^.{81}')" ]
  [[ $output == *"notes     1, in the report and with --verbose"* ]]
  [[ $output != *"every figure is scripted"* ]]
  loop --verbose
  [[ $output == *"  notes     every figure is scripted by the fake backend"* ]]
  COLUMNS=80 loop --verbose
  [ -z "$(grep -vF "$ROOFLINE" <<<"$output" | grep -E '^.{81}')" ]
  [ "$(grep -c ', 1 core  ' <<<"$output")" -eq 7 ]
}

@test "what to do next names the ledger, where it is another one" {
  loop --ledger a.ledger
  [[ $output == *"  next      $ROOFLINE reconcile --ledger a.ledger   why "* ]]
}

@test "the answer as JSON" {
  loop --json --ledger a.ledger --to a.html
  [ "$status" -eq 0 ]
  jq -e '.schema == "roofline.reconcile/1" and .machine == "fake" and .ledger == "a.ledger" and .report == "a.html"
    and .skipped == [] and .unmatched == {"predictions": [], "measurements": []} and (.entries | length) == 8' <<<"$output"
  jq -e '.entries | all(keys == (["label", "predicted_seconds", "measured_seconds", "regime", "binding", "fraction_of_ceiling",
    "headroom", "verdict", "because", "gap", "memory_pace", "library", "causes"] | sort))' <<<"$output"
  jq -e '.entries[] | select(.label | startswith("triad ")) | .verdict == "normal" and (.headroom * 1000 | round) == 1250
    and (.gap | round) == 0 and .regime == "memory" and .binding == "DRAM"' <<<"$output"
  jq -e '(.points | length) == 15 and (.points | map(.cores) | unique) == [1, 2] and (.points | map(.level) | unique) == ["DRAM"]
    and all(.points[]; .predicted_low_seconds <= .predicted_seconds and .predicted_seconds <= .predicted_high_seconds)' <<<"$output"
  jq -e '.accuracy | .points == 15 and .one_core_too and .levels == 1 and .median < 0.05 and .coverage > 0.8 and .looked == 0 and .whole_median == null' <<<"$output"
}

@test "the answer as CSV, and without extra text" {
  loop --csv
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 9 ]
  [ "${lines[0]}" = label,predicted_seconds,measured_seconds,fraction_of_ceiling,headroom,gap,regime,binding,verdict ]
  [[ ${lines[8]} == "triad n="*" fp32,0.0"*,0.0*",0.8,1.25,"*,memory,DRAM,normal ]]
  loop --quiet
  [ "${#lines[@]}" -eq 15 ]
}

@test "verdicts come from the measured share of the ceiling; what is too good is measured again" {
  loop --json
  lower=$(jq '.entries[] | select(.label | startswith("triad ")) | .measured_seconds * .fraction_of_ceiling' <<<"$output")
  shape() { jq -rn --argjson lower "$lower" "\"time triad = \" + (\$lower / $1 | tostring) + \"s\""; }
  export ROOFLINE_FAKE=script
  for case in 0.3:bug 0.6:low 0.71:normal 0.87:normal 0.95:done 1.1:explain; do
    shape "${case%:*}" >script
    loop --json
    [ "$(jq -r '.entries[] | select(.label | startswith("triad ")) | .verdict' <<<"$output")" = "${case#*:}" ]
    because=$(jq -r '.entries[] | select(.label | startswith("triad ")) | .because' <<<"$output")
    case ${case#*:} in
    explain) [[ $because == *"measured again: "*"confirmed"* ]] ;;
    *) [[ $because != *"measured again"* ]] ;;
    esac
  done
}

@test "a kernel is predicted by what the others took, never by its own time" {
  predicted() { jq -c "[.points[] | select(.kernel == \"$1\") | .predicted_seconds]" <<<"$output"; }
  constants() { jq -r ".points[] | select(.kernel == \"$1\") | .constants" <<<"$output"; }
  loop --json
  triad=$(predicted triad)
  dot=$(predicted dot)
  [[ $(constants triad) == "fitted to "*" timings here of copy, "* && $(constants triad) != *triad* ]]
  echo 'time triad = 1s' >slow.fake
  ROOFLINE_FAKE=$PWD/slow.fake loop --json
  [ "$(predicted triad)" = "$triad" ]
  [ "$(predicted dot)" != "$dot" ]
  jq -e '.points[] | select(.kernel == "triad") | .measured_seconds == 1 and .error > 0.9' <<<"$output"
}

@test "the machine keeps the constants, and a measured ceiling is not discounted again" {
  "$ROOFLINE" measure --quick --backend fake >/dev/null
  run -0 "$ROOFLINE" predict triad n=67108864 --machine fake
  [[ $output == *"expected    22.37 ms (the measured ceiling)"* ]]
  loop
  run -0 "$ROOFLINE" predict triad n=67108864 --machine fake
  [[ $output == *"expected    27.96 ms"*"in 8 of 10 cases"*"bandwidth  + "*"80 % of the bandwidth of DRAM"* ]]
  run -0 "$ROOFLINE" machine show fake --json
  jq -e '.constants[] | select(.kernel == "stream") | .kind == "measured" and (.source | startswith("fitted to "))' <<<"$output"
}

@test "the report is one well-formed file that loads nothing and has its story in order" {
  loop
  answer=$output
  run -0 xmllint --noout roofline-report.html
  grep -q '<svg' roofline-report.html
  grep -q "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-[A-Za-z0-9+/]*='\"/>" roofline-report.html
  [ "$(grep -c '<script' roofline-report.html)" -eq 1 ] # the page's own, whose hash that is
  sed '/^<script>/,/<\/script>$/d' roofline-report.html >without.html
  run -1 grep -E '<script|<link|<img|@import|src=|url\(' without.html
  story=$(grep -oE '<section id="[a-z]*"' roofline-report.html | cut -d'"' -f2 | paste -sd' ')
  [ "$story" = "asked machine predicted measured verdicts next reproduce" ]
  grep -q "<h1>$(head -1 <<<"$answer")</h1>" roofline-report.html
  grep -q "head of the ledger then: $(sed -n 15p roofline.ledger | sha256sum | cut -d' ' -f1)" roofline-report.html
  grep -q '<code>roofline loop --quick --backend fake</code>' roofline-report.html
  grep -q "On $(uname -n), Linux $(uname -r) $(uname -m)" roofline-report.html
  grep -q '<td class="good">normal</td>' roofline-report.html
  for text in Predicted "Level by level" "DRAM, 1 core" "90th percentile" "triad" "FAKE processor" roofline.ledger "parallel region" DRAM; do
    grep -q "$text" roofline-report.html
  done
}

@test "the machine is kept under its name and serves predictions" {
  loop
  run -0 "$ROOFLINE" predict triad n=67108864 --machine fake --json
  [ "$(jq -r .machine <<<"$output")" = fake ]
}

@test "a second loop continues the ledger and counts only its own kernels" {
  loop
  loop --json
  [ "$status" -eq 0 ]
  [ "$(jq '.entries | length' <<<"$output")" -eq 8 ]
  [ "$(wc -l <roofline.ledger)" -eq 60 ]
}

@test "a kernel that cannot run is listed with its reason" {
  mkdir broken
  for library in libopenblas.so.0 libblis.so.4 libblas.so.3; do echo none >"broken/$library"; done
  LD_LIBRARY_PATH=$PWD/broken loop
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == "7 kernels "* ]]
  [[ $output == *"skipped gemm-blas: no BLAS"* ]]
  grep -q 'skipped: no BLAS' roofline-report.html
  LD_LIBRARY_PATH=$PWD/broken loop --json
  jq -e '(.skipped | length) == 1 and .skipped[0].what == "gemm-blas" and (.skipped[0].why | startswith("no BLAS"))' <<<"$output"
}

@test "a core type that the environment chose is named" {
  ! "$ROOFLINE" doctor --json | jq -e '.checks[] | select(.name == "OpenBLAS" and (.value | startswith("found")))' && skip "no OpenBLAS"
  loop
  [[ $output != *"core type"* ]]
  OPENBLAS_CORETYPE=Nehalem loop
  [[ $output == *"  gemm-blas computes for the core type that OPENBLAS_CORETYPE names: see "* ]]
  grep -q 'OpenBLAS [^<]*core type by OPENBLAS_CORETYPE' roofline-report.html
  OPENBLAS_CORETYPE=Nehalem loop --json
  jq -e '[.entries[].library | select(. != null)] | any(test("core type by OPENBLAS_CORETYPE"))' <<<"$output"
}

@test "of a kernel that ran once the report names one sample and no spread" {
  printf 'time triad = 17ms\n' >once.fake
  ROOFLINE_FAKE=$PWD/once.fake loop
  grep -q '>1 sample; scripted' roofline-report.html
  [ "$(grep -c 'median of 1 ' roofline-report.html)" -eq 0 ]
}

@test "a scripted machine is calibrated alike whatever core type the environment names" {
  loop --json
  jq '[.entries[].predicted_seconds]' <<<"$output" >plain
  rm -f roofline.ledger
  OPENBLAS_CORETYPE=Nehalem loop --json
  diff plain <(jq '[.entries[].predicted_seconds]' <<<"$output")
}

@test "a changed ledger stops the loop and is named with its line" {
  loop
  rm roofline-report.html
  sed -i '3s/"seconds"/"sEconds"/' roofline.ledger
  loop
  [ "$status" -eq 1 ]
  [[ $stderr == "roofline: roofline.ledger:3: entry 3: "* ]]
  [ ! -e roofline-report.html ]
}

@test "places that cannot be written" {
  loop --to nowhere/report.html
  [ "$status" -eq 3 ]
  [[ $stderr == *nowhere/report.html* ]]
  [ ! -e roofline.ledger ]
  loop --ledger nowhere/ledger
  [ "$status" -eq 3 ]
  [[ $stderr == *nowhere/ledger* ]]
  [ ! -e roofline-report.html ]
  echo notes >notes
  loop --ledger notes
  [ "$status" -eq 2 ]
  [ "$(cat notes)" = notes ]
}

@test "wrong words" {
  run --separate-stderr -2 "$ROOFLINE" loop --backend cpuu
  [[ $stderr == *'did you mean `cpu`?'* ]]
  run --separate-stderr -2 "$ROOFLINE" loop fast
  [[ $stderr == *fast* ]]
  run --separate-stderr -3 "$ROOFLINE" loop --backend fake --dtype bf16
  [[ $stderr == *bf16*fp32* ]]
  [ -z "$(ls -A)" ]
}

@test "this machine, quickly" {
  lesser=$("$ROOFLINE" run --list --json | jq -r '.kernels[] | select(.name == "gemm-blas").library // "" | capture("core type (?<of>without .*)").of')
  run --separate-stderr "$ROOFLINE" loop --quick --json
  [ "$status" -eq 0 ]
  jq -e '(.entries | length) + (.skipped | length) == 8 and (.entries | length) >= 7' <<<"$output"
  jq -e '.entries | all(.measured_seconds > 0 and .predicted_seconds > 0 and .fraction_of_ceiling > 0)' <<<"$output"
  [ -z "$lesser" ] || jq -e --arg lesser "core type $lesser" 'any(.entries[].library // ""; endswith($lesser))' <<<"$output"
  grep -q '<svg' roofline-report.html
}

@test "stopped in the middle it leaves no report and a ledger that holds" {
  run timeout -s INT 2 "$ROOFLINE" loop --quick
  [ "$status" -eq 124 ]
  [ -z "$(ls | grep -v '^roofline.ledger$')" ]
  loop
  [ "$status" -eq 0 ]
}

@test "both commands that it prints next work when pasted" {
  loop
  sed -n 's/^  next      \([^ ].*[^ ]\)   why .*/\1/p; s/^            \(.* predict .*\)/\1/p' <<<"$output" >next
  [ "$(wc -l <next)" -eq 2 ]
  sh -e next >answers
  run -0 "$ROOFLINE" loop --quick --backend fake --dtype fp64 --ledger fp64.ledger
  [[ $output == *"predict gemm m=n=k=4096 --machine fake --dtype fp64"* ]]
}

@test "a share is of the mode that memory was in while it was measured" {
  printf 'pace = 0.5\n' >slow.fake
  export ROOFLINE_FAKE=$PWD/slow.fake
  loop
  [[ $output == *triad*DRAM*'80.0 ±0.8 %'*normal* ]]
  grep -q '<td data-value="0.02237">22.37 ms</td>' roofline-report.html # at best, as sealed
  [[ $output == *'  memory ran at 50 % of its ceiling for 5 kernels: shares of that'* ]]
  run "$ROOFLINE" reconcile
  [[ $output == *'memory: at 50 % of its ceiling meanwhile; the share is of that'* ]]
  run "$ROOFLINE" reconcile --json
  [ "$(jq -c '[.entries[] | .memory_pace] | unique' <<<"$output")" = '[null,0.5]' ]
  [ "$(jq -c '[.entries[] | .verdict] | unique' <<<"$output")" = '["expected","normal"]' ]
  run "$ROOFLINE" run triad --backend fake
  [[ $output == *'80.0 %  DRAM'*'memory ran at 50 % of its ceiling meanwhile'* ]]
}

@test "the verdicts are those of reconcile, in the text, in JSON and on the page" {
  loop --json
  reconciled=$("$ROOFLINE" reconcile --json | jq -r '.entries[] | select(.label | startswith("gemm-naive")) | .verdict')
  [ "$reconciled" = expected ]
  [ "$(jq -r '.entries[] | select(.label | startswith("gemm-naive")) | .verdict' <<<"$output")" = "$reconciled" ]
  grep -q '<tr data-key="gemm-naive">.*>expected</td></tr>' roofline-report.html
  # one core of the machine that was measured is that machine
  [ "$("$ROOFLINE" reconcile --json | jq -c '[.entries[].machine_changed] | unique')" = '[false]' ]
}
