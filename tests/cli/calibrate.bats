#!/usr/bin/env bats
# roofline calibrate: the effects' constants fitted to timings.

setup() {
  load lib.bash
  start
  awk 'BEGIN { print "split,op,dev,B,H,us"
    for (i = 0; i < 200; i++) { n = int(1000 * 1.07 ^ i); printf "train,relu,a100,1,%d,%.5g\n", n, 7 + 8 * n / 1e6 } }' >t.csv
}

@test "the first line says how far off, a table the constants" {
  run --separate-stderr "$ROOFLINE" calibrate t.csv
  [ "$status" -eq 0 ]
  [[ ${lines[0]} =~ ^[0-9.]+" % off (median of "[0-9]+" timings not fitted), "[0-9.]+" % of them inside the interval"$ ]]
  grep -q '^stream in fp32, eager: ' <<<"$output"
  grep -qE '^  latency_seconds +[67]\.[0-9]+ µs ' <<<"$output"
}

@test "times in another unit drive constants to the limits of the search, and the answer says so" {
  awk -F, -v OFS=, 'NR > 1 { $6 *= 1000 } { print }' t.csv >off.csv
  run -0 --separate-stderr "$ROOFLINE" calibrate off.csv
  has '  latency_seconds and bandwidth at the limit of the search: check the unit of the times'
  run -0 --separate-stderr "$ROOFLINE" calibrate t.csv
  [[ $output != *'limit of the search'* ]]
}

@test "times under their lower bounds are said to be, with what to check" {
  awk -F, -v OFS=, 'NR > 1 { $6 /= 1000 } { print }' t.csv >fast.csv
  run -2 "$ROOFLINE" calibrate fast.csv
  [[ $output =~ "no timings to fit: stream in fp32: 200 of 200 timings are faster than their lower bound (median "[0-9.]+"x): check the unit of the times"$ ]]
  head -n 11 t.csv >few.csv
  run -2 "$ROOFLINE" calibrate few.csv
  has 'stream in fp32: fewer than 20 timings to fit'
}

@test "what calibrate keeps is what validate predicts by, and both judge the machine before it alike" {
  relu=$ROOFLINE_SOURCE/examples/relu_timings.csv
  "$ROOFLINE" calibrate "$relu" --machine a100 --to mine.json >/dev/null
  "$ROOFLINE" validate "$relu" --machine mine.json --json >after.json
  jq -e '.all.median_error < 0.06 and .all.fraction_inside_interval > 0.7' after.json
  head -n 60 "$relu" >few.csv # so few that all of them are fitted and judged
  before=$("$ROOFLINE" validate few.csv --machine a100 | sed -n '1s/ off.*//p')
  run -0 --separate-stderr "$ROOFLINE" calibrate few.csv --machine a100
  has "the fitted ones: too few; $before before)"
}

@test "each framework's timings are fitted to its own constants where the machine has them" {
  awk -F, 'BEGIN { print "sys,fw,gemm_dtype,kernel_source,m,n,k,us" }
    NR > 1 { for (i = 0; i < 2; i++) printf "h200_sxm,%s/1,bfloat16,x,%d,4096,4096,%.5g\n", i ? "one" : "two", NR, (i ? 20 : 60) + NR / 10 }' t.csv >g.csv
  "$ROOFLINE" calibrate g.csv --machine h200 --framework one --to one.json >/dev/null
  "$ROOFLINE" calibrate g.csv --machine one.json --framework two --to two.json >/dev/null
  run -0 --separate-stderr "$ROOFLINE" calibrate g.csv --machine two.json
  has 'product in bf16, two: '
  has 'product in bf16, one: '
}

@test "constants alone for a family, a whole machine for a machine" {
  run --separate-stderr "$ROOFLINE" calibrate t.csv --family gpu --source 'somebody' --to gpu.stream.json --json
  [ "$status" -eq 0 ]
  [ "$(jq -r .schema <<<"$output")" = roofline.calibration/1 ]
  [ "$(jq -c keys gpu.stream.json)" = '["constants","name","schema"]' ]
  jq -e '.constants[0] | .kernel == "stream" and .kind == "measured" and (.source | contains("somebody"))' gpu.stream.json
  awk -F, 'BEGIN { print "sys,fw,gemm_dtype,kernel_source,m,n,k,us" }
    NR > 1 { printf "h200_sxm,%s/1,bfloat16,x,%d,4096,4096,%.5g\n", NR % 2 ? "one" : "two", NR, 20 + NR / 10 }' t.csv >g.csv
  "$ROOFLINE" calibrate g.csv --family hopper --framework two --to two.json >out.txt
  jq -e '.constants[0].framework == "two"' two.json
  grep -q '^product in bf16, two: ' out.txt
  "$ROOFLINE" calibrate t.csv --machine a100 --to mine.json >/dev/null
  jq -e '.name == "nvidia-a100-sxm-80gb" and (.constants | length == 1)' mine.json
  run --separate-stderr "$ROOFLINE" predict relu n=1e6 --machine mine.json --dtype fp32 --framework eager --json
  jq -e '.seconds.expected > 1.2e-5 and .seconds.expected < 1.8e-5' <<<"$output"
}

@test "without --machine or --family the machine that the timings are of is kept" {
  "$ROOFLINE" calibrate t.csv --to mine.json >/dev/null
  jq -e '.name == "nvidia-a100-sxm-80gb" and (.peaks | length > 0) and (.constants | length == 1)' mine.json
  "$ROOFLINE" predict relu n=1e6 --machine mine.json --dtype fp32
  sed 's/a100/h100/' t.csv >other.csv
  sed '2,$s/a100/h200/' t.csv >>other.csv
  sed -i '202d' other.csv
  run -2 --separate-stderr "$ROOFLINE" calibrate other.csv --to two.json
  [[ $stderr == *'--to two.json: the timings are of several machines; --family NAME keeps the constants, --machine NAME'* ]]
  [ ! -e two.json ]
  echo 'nothing' >none.txt
  run -2 --separate-stderr "$ROOFLINE" calibrate none.txt
  [[ $stderr == *'`import --format` forces one'* ]]
}

@test "constants that are further off than those in place are named, and the machine keeps its own" {
  awk -F, 'BEGIN { print "sys,fw,gemm_dtype,kernel_source,m,n,k,us" }
    NR > 1 { for (i = 0; i < 2; i++) printf "h200_sxm,%s/1,bfloat16,x,%d,4096,4096,%.5g\n", i ? "one" : "two", NR, (i ? 20 : 60) + NR / 10 }' t.csv >g.csv
  grep -v two g.csv >one.csv
  "$ROOFLINE" calibrate one.csv --machine h200 --to two.json >/dev/null
  run --separate-stderr "$ROOFLINE" calibrate g.csv --machine two.json --to three.json
  [ "$status" -eq 0 ]
  [[ $output == *'product in bf16: '*' before); worse: a machine keeps those in place, --framework NAME fits those of one: two, one'* ]]
  cmp two.json three.json
  [[ ${lines[0]} == "$("$ROOFLINE" validate g.csv --machine two.json | sed -n '1s/ .*//p')"* ]]
  run --separate-stderr "$ROOFLINE" calibrate g.csv --machine two.json --json
  jq -e '.fits[0] | .in_place == "kept" and .frameworks_timed == ["two", "one"] and .after.median_error > .before.median_error' <<<"$output"
  run --separate-stderr "$ROOFLINE" calibrate g.csv --machine h200 --framework one --json
  jq -e '.fits[0] | .in_place == "replaced" and .frameworks_timed == ["one"]' <<<"$output"
}

@test "errors: no file, no such kind or format, nothing of it" {
  run --separate-stderr "$ROOFLINE" calibrate
  [ "$status" -eq 2 ] && [[ $stderr == *"which file of timings?"* ]]
  run --separate-stderr "$ROOFLINE" calibrate t.csv --kernel products
  [ "$status" -eq 2 ] && [[ $stderr == *'did you mean `product`'* ]]
  run --separate-stderr "$ROOFLINE" calibrate t.csv --dtype fp8
  [ "$status" -eq 2 ] && [[ $stderr == *"none of that kind or format"* ]]
  run --separate-stderr "$ROOFLINE" calibrate t.csv --family hopper --machine a100
  [ "$status" -eq 2 ]
}
