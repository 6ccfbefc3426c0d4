#!/usr/bin/env bats
# roofline model over lists and ranges: each run is the run by itself, where the limit changes, side by side, drawings.

setup() {
  load lib.bash
  start
}

@test "each run is what the model answers by itself, machine by machine, the last list fastest" {
  run -0 "$ROOFLINE" model llama-3.1-8b batch=1..64*8 prompt=512,1k --machine h100 --machine a100 --json
  [ "$(json '[.schema, (.points | length)]')" = '["roofline.model_sweep/1",12]' ]
  [ "$(json '[.points[0:3][].settings | [.batch, .prompt]]')" = '[[1,512],[1,1000],[8,512]]' ]
  [ "$(json '[.points[].machine] | [.[0], .[6]]')" = '["nvidia-h100-sxm","nvidia-a100-sxm-80gb"]' ]
  point=$(json '.points[9] | [.ttft_seconds, .tpot_seconds, .joules_per_token, .total_bytes, .fits]')
  run -0 "$ROOFLINE" model llama-3.1-8b batch=8 prompt=1k --machine a100 --json
  [ "$(json '[.ttft_seconds, .tpot_seconds, .joules_per_token, .memory.total_bytes, .memory.fits]')" = "$point" ]
}

@test "the critical batch is exact where there is one, and never where the cache grows with the batch" {
  run -0 "$ROOFLINE" model llama-3.1-8b batch=1..8*2 --machine h100 --json
  [ "$(json '[.crossings[] | [.parameter, .phase, .products_only, .value == null]]')" = \
    '[["batch","decode",true,false],["batch","decode",false,true]]' ]
  [ "$(json '.crossings[0] | .at >= .value and .at < .value + 1')" = true ]
  [ "$(json '.crossings[1] | .intensity < .ridge')" = true ]
  [[ $(json '.crossings[1].why') == *"never: intensity tends to"* ]]
  run -0 "$ROOFLINE" model llama-3.1-8b prompt=16..1k*2 --machine h100
  has "prefill whole     compute-bound from prompt="
}

@test "precisions and plans are lists too; a plan that cannot be is a row that says why" {
  run -0 "$ROOFLINE" model llama-3.1-70b batch=16 --tp 2,3,4 --precision bf16/fp8 --machine h100 --csv
  [[ ${lines[0]} == machine,precision,values,ttft_seconds,tpot_seconds,* ]]
  [ "${#lines[@]}" = 7 ]
  has "nvidia-h100-sxm,fp8,tp=4 fp8,"
  has "tp=3: does not divide the 64 heads of llama-3.1-70b; 2 4 8 16 32 64 do"
  run -0 "$ROOFLINE" model llama-3.1-70b batch=16 --tp 2,3,4 --machine h100
  has "most tokens/s per device"
  run -2 "$ROOFLINE" model llama-3.1-70b tp=3,5 --machine h100
  has "does not divide"
}

@test "machines side by side, the others as a multiple of the first, with a price" {
  run -0 "$ROOFLINE" model llama-3.1-8b batch=16 --side-by-side --price h100=2,h200=3 --machine h100 --machine h200
  has "TPOT"
  has "price a million"
  has "x: times the first machine's figure"
  [[ $output =~ "bound"\ +"memory"\ +"memory" ]]
  run -0 "$ROOFLINE" model llama-3.1-8b batch=16 --side-by-side --price h100=2,h200=3 --machine h100 --machine h200 --json
  near '.points[0].price_per_million_tokens * 1' "$(json '.points[0] | 1e6 * 2 / 3600 * (.ttft_seconds + 255 * .tpot_seconds) / (16 * 256)')" 1e-9
  near '.points[1].price_per_million_tokens * 1' "$(json '.points[1] | 1e6 * 3 / 3600 * (.ttft_seconds + 255 * .tpot_seconds) / (16 * 256)')" 1e-9
  for command in 'model --side-by-side' model plan; do
    run -2 "$ROOFLINE" $command llama-3.1-8b --price 2 --machine h100 --machine h200
    has 'price: 2 of 2 machines alike? name them: h100=2.5,a100=1.5'
  done
  run -0 "$ROOFLINE" model llama-3.1-8b batch=1,16 --side-by-side --machine h100 --machine h200
  has "batch=16"
}

@test "encoders and training steps are swept by their step" {
  run -0 "$ROOFLINE" model bert-base batch=1..64*4 prompt=128 --machine h100
  has "step"
  has "encode"
  run -0 "$ROOFLINE" model llama-3.2-1b --train batch=1,4 --machine h100 --json
  [ "$(json '[.points[].tpot_seconds] | unique')" = '[null]' ]
  [ "$(json '.points | map(.step_seconds) | .[0] < .[1]')" = true ]
  rate=$("$ROOFLINE" model llama-3.2-1b --train batch=8 recompute=full --machine h100 --json | jq '.device_tokens_per_second | round')
  run -0 "$ROOFLINE" model llama-3.2-1b --train batch=8 dp=1,8 recompute=full --machine h100
  has "most tokens/s per device: $rate with dp=1"
  run -0 "$ROOFLINE" model llama-3.2-1b --train batch=1 --side-by-side --machine h100 --machine h200
  has "so that step 0.5x is half the time"
}

@test "the drawing has a line a machine and precision, the crossing, and ends where it does not fit" {
  for file in sweep.svg sweep.html; do
    run -0 "$ROOFLINE" model llama-3.1-8b batch=1..512*2 --precision bf16/fp8 --machine h100 --to "$file"
    [ "$output" = "wrote $file" ]
    for part in ">bf16<" ">fp8<" "decode products compute-bound from" ">TPOT<"; do
      grep -q "$part" "$file"
    done
    xmllint --noout "$file"
  done
  run -2 "$ROOFLINE" model llama-3.1-8b batch=1,2 prompt=1k..9k+1k --machine h100 --to many.svg
  has "at most 8 lines"
  [ ! -e many.svg ]
}

@test "bad lists are refused with the reason" {
  run -2 "$ROOFLINE" model llama-3.1-8b batch=8..1 --machine h100
  has "a range goes up"
  run -2 "$ROOFLINE" model llama-3.1-8b batch=1,,2 --machine h100
  has "a value is missing"
  run -2 "$ROOFLINE" model llama-3.1-8b batch=1,2 batch=4,8 --machine h100
  has "given twice"
  run -2 "$ROOFLINE" model llama-3.1-8b batch=1,x --machine h100
  has "batch"
  run -2 "$ROOFLINE" plan llama-3.1-8b batch=1,2 --machine h100
  has "one value here"
  run -2 "$ROOFLINE" model llama-3.1-8b batch=1,2 --analysis --machine h100
  has "--analysis"
  run -2 "$ROOFLINE" model llama-3.1-8b batch=1..200000+1 --machine h100
  has "at most 100000"
}

@test "every axis of a chart has numbers, however narrow its range" {
  run -0 "$ROOFLINE" model llama-3.1-70b --machine h100 --tp 4 batch=1,2,4,8,16 --to front.svg
  [ "$(grep -c '>1[5678] ms<' front.svg)" -ge 2 ]
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --rate 1..16*2 --to rates.svg
  [ "$(grep -c '>1[05] ms<' rates.svg)" = 2 ] && [ "$(grep -c '>[12][05]0 ms<' rates.svg)" = 4 ]
}

@test "an encoder's runs are ranked by what each device reads; a training step has a chart" {
  run -0 "$ROOFLINE" model bert-base batch=64 tp=1,2 prompt=512 --machine h100 --csv
  each=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { print $at["device_tokens_per_second"] / $at["prompt_tokens_per_second"] }' <<<"$output")
  [ "$each" = $'1\n0.5' ]
  run -0 "$ROOFLINE" model bert-base batch=64 tp=1,2 prompt=512 --machine h100
  [[ ${lines[0]} == *'most tokens/s per device: '*' with tp=1' ]]
  run -0 "$ROOFLINE" model llama-3.1-8b --train batch=64,128 dp=8 recompute=full microbatches=8 --machine h200 --to step.svg
  grep -q '>step<' step.svg
}

@test "where memory ends, and where not one sequence fits" {
  run -0 "$ROOFLINE" model llama-3.1-70b --machine h100 tp=1..2*2 batch=1..4*2
  has 'knee at batch=180, not one fits; tp=1'
  has 'knee at batch=166, memory ends at batch=36; tp=2'
}
