#!/usr/bin/env bats
# A serving benchmark's result: sealed before, recorded, reconciled, and which class of kernels could explain the gap.

setup() {
  load lib.bash
  start
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
  model="llama-3.1-8b prompt=1000 generate=256 --precision fp8 --machine h100"
}

# result BATCH TPOT: what vLLM writes of as many requests of 1000 + 256 tokens at once; TPOT in seconds.
result() {
  jq -n --argjson batch "$1" --argjson tpot "$2" '{backend: "vllm", model_id: "meta-llama/Llama-3.1-8B-Instruct", request_rate: "inf",
    max_concurrency: $batch, duration: 60, completed: (10 * $batch), total_input_tokens: (10000 * $batch), total_output_tokens: (2560 * $batch),
    request_throughput: 1, mean_tpot_ms: (1000 * $tpot)}'
}

tpot() { # BATCH: as predicted
  "$ROOFLINE" model $model batch="$1" --framework vllm --json | jq .continuous.tpot_seconds
}

@test "sealed, recorded by model, batch and tokens, reconciled with its possible causes" {
  run -0 "$ROOFLINE" model $model batch=8 --seal
  has 'sealed      `llama-3.1-8b TTFT batch=8 prompt=1000 generate=256 weights=mixer=fp8,mlp=fp8` in roofline.ledger'
  has 'sealed      `llama-3.1-8b TPOT batch=8 '
  sleep 0.01
  jq 'del(.start_time)' "$fixtures/aiperf.json" >result.json
  run -0 "$ROOFLINE" record result.json
  has 'recorded `llama-3.1-8b TPOT batch=8 prompt=1000 generate=256 weights=mixer=fp8,mlp=fp8` in roofline.ledger: 7.500 ms'
  [ "$(jq -sc 'map(select(.kind == "measurement").taken_from) | unique' roofline.ledger)" = '["file date"]' ]
  run -1 "$ROOFLINE" record result.json
  has 'the prediction of it has a measurement: record it by its label'
  run -0 "$ROOFLINE" reconcile
  has 'TPOT of 1 run: '
  [[ $output != *'measure first'* && $output != *'possible: '* ]]
  has 'runs with other batches and prompts would tell'
  run -0 "$ROOFLINE" reconcile --calibrate --json
  [ "$(json '[.fits, (.runs | map(.figure)), .runs[1].settings]' )" = '[[],["TTFT","TPOT"],1]' ]
  # each cause alone, as it stands there, makes the prediction right
  [ "$(json '.runs[1] | .causes[] | select(.class == "host") | .seconds_per_step * 1e6 | round')" = \
    "$("$ROOFLINE" model $model batch=8 --json | jq '(7.5e-3 - .continuous.tpot_seconds) * 1e6 | round')" ]
  run -0 "$ROOFLINE" ledger verify
}

@test "requests that came at once: their TTFT has a queue, and is no measurement of a prompt alone" {
  "$ROOFLINE" model $model batch=8 --seal >/dev/null
  result 8 0.01 | jq '. + {mean_ttft_ms: 5000, output_throughput: 640}' >result.json
  run -0 "$ROOFLINE" record result.json
  has 'recorded `llama-3.1-8b TPOT batch=8 '
  has 'not recorded: TTFT of serving meta-llama/Llama-3.1-8B-Instruct, 8 at once: the requests came at once'
  run "$ROOFLINE" reconcile
  [[ $output == *'TPOT of 1 run'* && $output != *'TTFT of 1 run'* ]]
  run -0 "$ROOFLINE" import result.json
  [[ ${lines[0]} == "meta-llama/Llama-3.1-8B-Instruct: 8 requests at once, 640 tokens/s, TTFT 5.000 s, TPOT 10.00 ms" ]]
  has '`roofline serve meta-llama/Llama-3.1-8B-Instruct --concurrency 8 prompt=1000 generate=256 --machine NAME`'
  has 'batch=8 prompt=1000 generate=256 --machine NAME --seal`'
  run -0 "$ROOFLINE" serve meta-llama/Meta-Llama-3.1-8B-Instruct --concurrency 8 prompt=1000 generate=256 --requests 80 --machine h100
}

@test "several batches tell the host from the kernels" {
  for batch in 1 64 256 400; do
    result $batch "$(jq -n "$(tpot $batch) + 0.004")" >r$batch.json
  done
  run -0 "$ROOFLINE" calibrate r1.json r64.json r256.json r400.json weights=fp8 --machine h100
  has 'TPOT of 4 runs: '
  has '; host explains it best'
  run -0 "$ROOFLINE" calibrate r1.json r64.json r256.json r400.json weights=fp8 --machine h100 --json
  [ "$(json '.runs[0].causes[0] | [.class, (.seconds_per_step * 1000 | round), .alike]')" = '["host",4,true]' ]
  [ "$(json '.runs[0].causes[1].alike')" = false ]
  # the classes and the host are the whole of a predicted time
  jq -e '.runs | map([.causes[].share] | add | . > 0.99 and . < 1.01) | all' <<<"$output"
  run -0 "$ROOFLINE" calibrate "$ROOFLINE_SOURCE/examples/vllm.json" tp=1 weights=fp8 --machine h100 --json
  jq -e '.runs[] | select(.figure == "TTFT").causes[] | select(.class == "host").share > 0.2' <<<"$output"
  run -2 "$ROOFLINE" calibrate r1.json weights=fp8 --machine h100 --to mine.json
  has "give no kernel's constants"
  result 8 "$(tpot 8)" >same.json
  run -0 "$ROOFLINE" calibrate same.json weights=fp8 --machine h100
  has 'TPOT of 1 run: 0.0 % off (median), predicted too '
  has ': as predicted'
}

@test "what was not sealed, or is ambiguous, is not recorded" {
  "$ROOFLINE" model $model batch=16 --seal >/dev/null
  jq 'del(.start_time)' "$fixtures/aiperf.json" >result.json
  run -1 "$ROOFLINE" record result.json
  has 'no prediction of its model, batch and tokens is sealed'
  "$ROOFLINE" model $model batch=8 --seal >/dev/null
  "$ROOFLINE" model llama-3.1-8b batch=8 prompt=1000 generate=256 --machine h100 --seal >/dev/null
  touch result.json
  run -1 "$ROOFLINE" record result.json
  has 'several sealed predictions could be of it'
  run -2 "$ROOFLINE" validate "$fixtures/serving.json"
  has 'the file names no device'
  run -2 "$ROOFLINE" validate "$fixtures/stream.txt" tp=2
  has 'tp=2: a setting, but there is no run of a whole model'
  run -2 "$ROOFLINE" model bert-base --machine h100 --seal
  has 'no token follows the first'
  run -2 "$ROOFLINE" model $model batch=1,2 --seal
  has '--seal: of one value of each setting'
}

@test "settings that a result does not have are words; a benchmark's remarks give others" {
  result 8 0.01 | jq '. + {tp: "2", gpu: "h100", quantization: "fp8"}' >tagged.json
  result 8 0.01 >plain.json
  run -0 "$ROOFLINE" validate tagged.json --json
  error=$(json .all.bias)
  run -0 "$ROOFLINE" validate plain.json tp=2 weights=fp8 --machine h100 --json
  [ "$(json .all.bias)" = "$error" ]
  run -0 "$ROOFLINE" validate plain.json tp=2 weights=fp8 model=llama-3.2-1b --machine h100 --json
  [ "$(json .all.bias)" != "$error" ]
}
