#!/usr/bin/env bats
# roofline measure --compare: what changed against an older file, and whether it is more than noise.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config NO_COLOR=1
  unset ROOFLINE_PATH ROOFLINE_FAKE
  "$ROOFLINE" measure --backend fake --to old.json --quiet >/dev/null
}

json() { # FILTER on $output
  printf '%s' "$output" | jq -c "$1"
}

verdict() { # FILTER that changes new.json: the changed figures' names, noises and verdicts
  jq "$1" old.json >new.json
  run -0 --separate-stderr "$ROOFLINE" measure --compare old.json ./new.json --json
  json '[.figures[] | select(.ratio != 1) | .figure, .noise, .verdict]'
}

@test "a change counts when it is more than both spreads together" {
  [ "$(verdict '.')" = '[]' ]
  fp64='(.peaks[] | select(.dtype == "fp64" and .cores == 1))'
  [ "$(verdict "$fp64.flops_per_second *= 1.02")" = '["fp64 vector fake, 1 core",0.03,"same within noise"]' ]
  [ "$(verdict "$fp64.flops_per_second *= 1.05")" = '["fp64 vector fake, 1 core",0.03,"faster"]' ]
  [ "$(verdict "$fp64.flops_per_second *= 0.95")" = '["fp64 vector fake, 1 core",0.03,"slower"]' ]
  [ "$(verdict "$fp64.spread = 0.08 | $fp64.flops_per_second *= 0.95")" = '["fp64 vector fake, 1 core",0.08,"same within noise"]' ]
}

@test "the spreads of both files count" {
  jq '.levels[-1].spread = 0.04' old.json >older.json && mv older.json old.json
  [ "$(verdict '.levels[-1].spread = 0.05 | .levels[-1].triad_bytes_per_second *= 1.08')" = '["DRAM triad",0.09,"same within noise"]' ]
  [ "$(verdict '.levels[-1].spread = 0.03 | .levels[-1].triad_bytes_per_second *= 1.08')" = '["DRAM triad",0.07,"faster"]' ]
}

@test "less time is faster" {
  [ "$(verdict '.launch_seconds *= 0.5')" = '["launch",0.03,"faster"]' ]
  [ "$(verdict '.launch_seconds *= 2')" = '["launch",0.03,"slower"]' ]
}

@test "what only one has" {
  jq '.peaks |= map(select(.dtype != "fp32"))' old.json >new.json
  run -0 --separate-stderr "$ROOFLINE" measure --compare old.json ./new.json --json
  [ "$(json '[.schema, .old.machine, .new.machine]')" = '["roofline.change/1","fake","fake"]' ]
  [ "$(json '[.figures[] | select(.verdict == "only in old") | .figure]')" = '["fp32 vector fake, 1 core","fp32 vector fake"]' ]
  [ "$(json '[.figures[] | select(.verdict == "only in old") | .new, .ratio, .noise] | unique')" = '[null]' ]
  run -0 "$ROOFLINE" measure --compare ./new.json ./old.json
  [[ ${lines[0]} == *"same within noise, "*" only in new" ]]
}

@test "figures of one name are matched in their order" {
  jq '.peaks += [.peaks[0]] | .peaks[-1].flops_per_second *= 2' old.json >older.json && mv older.json old.json
  [ "$(verdict '.peaks[-1].flops_per_second /= 2')" = '["fp64 vector fake, 1 core",0.03,"slower"]' ]
}

@test "text and csv" {
  jq '.levels[-1].read_bytes_per_second *= 2' old.json >new.json
  run -0 "$ROOFLINE" measure --compare old.json ./new.json
  [[ ${lines[0]} == *" same within noise, 1 faster" ]]
  [[ $output == *"DRAM read "*"100.0 %"*"3.0 %"*"faster"* ]]
  run -0 "$ROOFLINE" measure --compare old.json ./new.json --csv
  [ "${lines[0]}" = "figure,unit,old,new,ratio,noise,verdict,ratio_per_cycle,p,noisy_old,noisy_new" ]
  [[ $output == *"DRAM read,B/s,"*",2,0.03,faster,"* ]]
}

conditions() { # ROUNDS CLOCK NOISY
  printf '{"samples": 100, "rounds": %s, "clock_hz": %s, "noisy": %s}' "$1" "$2" "$3"
}

@test "rounds, clock and the mark of noise decide" {
  peak='.peaks[] | select(.dtype == "fp64" and .cores == 1)'
  jq "($peak).conditions = $(conditions '[96e9,96e9,95e9,96e9]' 3e9 null)" old.json >older.json && mv older.json old.json
  run -0 "$ROOFLINE" machine show ./old.json --json
  [ "$(json "$peak | .conditions | [.samples, .rounds[2], .noisy, .load]")" = '[100,95000000000,null,null]' ]
  new() { # FACTOR CONDITIONS
    verdict "($peak) |= (.flops_per_second *= $1 | .conditions = $2)"
  }
  [ "$(new 0.9 "$(conditions '[86e9,86e9,85e9,86e9]' 3e9 null)")" = '["fp64 vector fake, 1 core",0.03,"slower"]' ]
  [ "$(new 0.9 "$(conditions '[86e9,86e9,85e9,86e9]' 2.7e9 null)")" = '["fp64 vector fake, 1 core",0.03,"same per cycle"]' ]
  [ "$(new 0.9 "$(conditions '[86e9,97e9,80e9,98e9]' 3e9 null)")" = '["fp64 vector fake, 1 core",0.03,"same within noise"]' ]
  [ "$(new 0.9 "$(conditions '[86e9,86e9,64e9,86e9]' 3e9 '"rounds differ"')" | jq -c '.[2]')" = '"same within noise"' ]
  run -0 --separate-stderr "$ROOFLINE" measure --compare old.json ./new.json --json
  [ "$(json '[.figures[] | .noisy_new | select(. != null)]')" = '["rounds differ"]' ]
}

@test "with fewer than four rounds all of one side are beyond all of the other" {
  peak='.peaks[] | select(.dtype == "fp64" and .cores == 1)'
  jq "($peak).conditions = $(conditions '[96e9,92e9]' 3e9 null)" old.json >older.json && mv older.json old.json
  new() { # FACTOR CONDITIONS
    verdict "($peak) |= (.flops_per_second *= $1 | .conditions = $2)" | jq -c '.[2]'
  }
  [ "$(new 0.95 "$(conditions '[86e9,93e9]' 3e9 null)")" = '"same within noise"' ]
  [ "$(new 0.95 "$(conditions '[91e9,91e9]' 3e9 null)")" = '"slower"' ]
  [ "$(new 0.95 "$(conditions '[91e9,91e9,92e9,91e9,91e9]' 3e9 null)")" = '"same within noise"' ]
  [ "$(new 0.5 "$(conditions '[48e9,46e9]' 3e9 null)")" = '"slower"' ]
  run -1 "$ROOFLINE" measure --compare old.json ./new.json
  [[ ${lines[0]} == *" 1 slower; ceilings that fell: 1" ]]
}

@test "only the fall of a ceiling fails: not that of a cost, a latency or a rate" {
  jq '.levels[-1].latency_seconds = 1e-7 | .costs = [{"name": "atomic add", "seconds": 1e-8, "kind": "measured"}] |
    .rates = [{"name": "int32 add", "isa": "fake", "cores": 1, "per_second": 4e9, "kind": "measured"}]' old.json >older.json && mv older.json old.json
  [ "$(verdict '.levels[-1].latency_seconds *= 2 | .costs[0].seconds *= 2 | .rates[0].per_second /= 2')" = \
    '["DRAM latency",0.03,"slower","int32 add, fake, 1 core",0.03,"slower","atomic add",0.03,"slower"]' ]
  run -0 --separate-stderr "$ROOFLINE" measure --compare old.json ./new.json --json
  [ "$(json '[.figures[] | select(.verdict == "slower") | .ceiling] | unique')" = '[false]' ]
  run -0 "$ROOFLINE" measure --compare old.json ./new.json
  [[ ${lines[0]} == *" 3 slower; ceilings that fell: 0" ]]
}

@test "measured now: against the file as it was" {
  printf 'triad = 72GB/s\n' >script
  run -0 env ROOFLINE_FAKE=script "$ROOFLINE" measure --backend fake --compare old.json --json
  [ "$(json '[.figures[] | select(.verdict != "same within noise") | .figure, .ratio, .verdict]')" = '["DRAM triad",2,"faster"]' ]
  [ "$(jq .levels[0].triad_bytes_per_second config/roofline/machines/fake.json)" = 72000000000 ]
  run -0 env ROOFLINE_FAKE=script "$ROOFLINE" measure --backend fake --compare fake
  [[ ${lines[0]} == *" same within noise" ]]
}

@test "bad input" {
  run -2 "$ROOFLINE" measure --backend fake --compare missing.json
  [ "${#lines[@]}" -eq 1 ]
  [ ! -e config ]
  run -2 "$ROOFLINE" measure --compare old.json missing.json
  run -2 "$ROOFLINE" measure ./old.json
  run -2 "$ROOFLINE" measure --compare old.json ./old.json more
}
