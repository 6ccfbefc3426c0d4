#!/usr/bin/env bats
# roofline serve: a model as a service under load.

setup() {
  load lib.bash
  start
  traces=$ROOFLINE_SOURCE/tests/fixtures/service
}

serve() {
  run --separate-stderr "$ROOFLINE" serve llama-3.1-8b --machine h100 "$@"
}

@test "the first line answers, and the first screen is one" {
  export COLUMNS=80
  serve --rate 4/s prompt=1024 generate=256 --ttft 100ms --tpot 20ms --price 2.5
  [ "$status" -eq 0 ]
  [[ ${lines[0]} =~ ^"4 requests/s: TTFT "[0-9.]+" ms, 99 % "[0-9.]+" ms; TPOT "[0-9.]+" ms, 99 % "[0-9.]+" ms"$ ]]
  [ "$(wc -l <<<"$output")" -le 24 ]
  [ "$(awk '{ gsub(/µ/, "u") } length > 80' <<<"$output")" = "" ]
  has 'goodput'
  has 'saturation'
  has 'cost'
}

@test "limits say up to which rate 90 % of the requests keep them, too much or not" {
  ask() { run -0 "$ROOFLINE" serve llama-3.3-70b --plan tp=4 --machine h200 prompt=4k generate=512 "$@"; }
  ask --rate 4/s --tpot 30ms --ttft 500ms
  [[ ${lines[0]} == "4 requests/s: too much, saturates at "* ]]
  has "  goodput     90 % of requests keep TTFT 500.0 ms and TPOT 30.00 ms up to "
  has "  plan        llama-3.3-70b on nvidia-h200-sxm: tp 4 " # as it was typed
  ask --rate 4/s --tpot 30ms --ttft 500ms --json
  rate=$(json .limit_rate_per_second)
  ask --rate "$rate" --tpot 30ms --ttft 500ms --json
  [ "$(json ".runs[0].within_limits > 0.88 and .limit_rate_per_second == $rate")" = true ]
  ask --rate 1,2 --tpot 1ms
  has "  goodput     90 % of requests keep TPOT 1.000 ms at no rate"
  ask --rate 4/s --json
  [ "$(json .limit_rate_per_second)" = null ]
}

@test "an answer records what was run: axes, formats, prefix, how prompts are processed, the network between pools" {
  set -- deepseek-v3 --plan tp=8,ep=8 --machine h200 --rate 2/s --kv fp8 --precision w4a16 --requests 20 prefix=100 --whole-prompts
  run -0 "$ROOFLINE" serve "$@"
  has "prompt 2048 (the first 100 the same of all), generate 256 tokens"
  has ": tp 8 pp 1 dp 1 ep 8; 8192 tokens per step, prompts in steps of their own"
  has "  precision   activations bf16, KV fp8; weights mixer w4a16, mlp w4a16, experts w4a16, head bf16"
  run -0 "$ROOFLINE" serve "$@" --json
  [ "$(json '[.precision.kv, .precision.weights.mlp.format, .load.prefix, .plan.ep]')" = '["fp8","w4a16",100,8]' ]
  set -- llama-3.1-8b --machine h200 --prefill-machine h100 --requests 20
  run -0 "$ROOFLINE" serve "$@"
  has "; InfiniBand NDR between nodes (assumed; --network says another)"
  run -0 "$ROOFLINE" serve "$@" --network hdr --json
  [ "$(json '.plan | [.network_link.name, .network_assumed]')" = '["InfiniBand HDR",false]' ]
  run -0 "$ROOFLINE" serve mixtral-8x7b --machine h100 --plan dp=2,ep=2 --rate 1,2 --requests 20 --to "$BATS_TEST_TMPDIR/rates.svg"
  grep -q "tp 1 pp 1 dp 2 ep 2, saturates at" "$BATS_TEST_TMPDIR/rates.svg"
}

@test "requests that come at once have no arrivals" {
  serve --rate inf --requests 20
  has "generate 256 tokens, all at once, seed 1"
  serve --rate 2 --requests 20
  has "generate 256 tokens, poisson arrivals, seed 1"
}

@test "one sequence at a time is no default" {
  for batch in 1 2; do
    serve batch=$batch --requests 50
    has ", of at most $batch"
  done
}

@test "the text says that the cache has no limit where the machine's memory is not known" {
  run -0 "$ROOFLINE" serve llama-3.1-8b --requests 20 --machine epyc-9654
  has "  cache       not limited: the machine's memory is not known"
}

@test "one schema for one rate and for several; the same seed, the same answer" {
  serve --rate 2,4 --requests 500 --json
  [ "$(jq -r .schema <<<"$output")" = roofline.service/1 ]
  [ "$(jq '.runs | length' <<<"$output")" -eq 2 ]
  first=$output
  serve --rate 2,4 --requests 500 --json
  [ "$output" = "$first" ]
  serve --rate 2,4 --requests 500 --seed 2 --json
  [ "$output" != "$first" ]
  jq -e '.runs[0].ttft.mean_seconds < .runs[1].ttft.mean_seconds and .runs[1].generated_tokens == 128000' <<<"$first"
  [ "$(jq '[.. | select(. == null)] | length' <<<"$first")" -gt 0 ]
  serve --rate 2,4 --requests 500 --csv
  [ "$(wc -l <<<"$output")" -eq 3 ]
  awk -F, 'NR > 1 && NF != n { exit 1 } { n = NF }' <<<"$output"
}

@test "a step is the step of model: one request alone" {
  run --separate-stderr "$ROOFLINE" model llama-3.1-8b --machine h100 prompt=1024 generate=2 --json
  ttft=$(jq .ttft_seconds <<<"$output") tpot=$(jq .tpot_seconds <<<"$output")
  serve prompt=1024 generate=2 --requests 1 --host-time 0 --json
  near .runs[0].ttft.mean_seconds "$ttft" 2e-3
  near .runs[0].tpot.mean_seconds "$tpot" 2e-3
}

@test "the host's time comes before the queue, of each prompt after the other" {
  serve prompt=1000 generate=2 --requests 1 --host-time 0 --json
  bare=$(jq .runs[0].ttft.mean_seconds <<<"$output")
  serve prompt=1000 generate=2 --requests 1 --json
  near .runs[0].ttft.mean_seconds "$(jq -n "$bare + 0.045")" 1e-6
  serve prompt=1000 generate=2 --requests 1 --host-time 20ms --json
  near .runs[0].ttft.mean_seconds "$(jq -n "$bare + 0.02")" 1e-6
  serve --host-time=-1
  [ "$status" -eq 2 ] && [[ $stderr == *'host time -1 s: from 0 on'* ]]
}

@test "who asks again does so when the answer before has its last token" {
  serve --concurrency 64 --requests 640 prompt=uniform:800:1000 generate=uniform:800:1000 --json
  jq -e '.runs[0] | .ttft.p50_seconds < 0.2 and .ttft.mean_seconds < .ttft.max_seconds / 4' <<<"$output"
}

@test "requests at a time whose answers are all as long run in lockstep, and say so" {
  serve --concurrency 16 --requests 32 prompt=1024 generate=64
  has ', closed-loop arrivals (in lockstep: all answers are as long), seed 1'
  serve --concurrency 16 --requests 32 prompt=1024 generate=uniform:32:96
  has ', closed-loop arrivals, seed 1'
}

@test "a rate that is too much says so, and by how much the queue grows" {
  serve --rate 200 --requests 4000
  [ "$status" -eq 0 ]
  [[ ${lines[0]} =~ ^"200 requests/s: too much, saturates at "[0-9.]+"; the queue grows by "[0-9.]+"/s"$ ]]
  serve --rate 200 --requests 4000 --json
  jq -e '.runs[0] | .overloaded and .ttft.p50_seconds == null and .queue_growth_per_second > 100' <<<"$output"
  near '.runs[0].requests_per_second' "$(jq .saturation_per_second <<<"$output")" 0.05
}

@test "traces of three formats" {
  for file in azure.csv burstgpt.csv mooncake.jsonl; do
    serve --trace "$traces/$file" --plan dp=2 --route prefix --json
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    jq -e '.load.trace != null and .runs[0].requests >= 3' <<<"$output"
  done
  jq -e '.runs[0].cached_prompt_share > 0.4' <<<"$output"
  named=$(jq 'del(.load)' <<<"$output")
  serve --trace - --plan dp=2 --route prefix --json <"$traces/mooncake.jsonl"
  [ "$(jq 'del(.load)' <<<"$output")" = "$named" ]
  serve --trace "$traces/mooncake.jsonl" --no-cache --json
  jq -e '.runs[0].cached_prompt_share == 0' <<<"$output"
}

@test "prefill apart, drafts, swap, whole prompts, closed loop" {
  serve --plan dp=2,batch=64 --prefill 1 --requests 300 --rate 2 --json
  jq -e '.plan.prefill_replicas == 1 and .runs[0].requests == 300' <<<"$output"
  serve --requests 300 --json
  plain=$(jq .runs[0].tpot.mean_seconds <<<"$output")
  serve draft=3 accept=0.8 --requests 300 --json
  jq -e ".runs[0].tpot.mean_seconds < $plain / 2" <<<"$output"
  drafted=$(jq .runs[0].tpot.mean_seconds <<<"$output") room=$(jq .plan.cache_tokens <<<"$output")
  serve draft=3 accept=0.8 --drafter llama-3.2-1b --requests 300 --json
  jq -e ".runs[0].tpot.mean_seconds > 1.2 * $drafted and .runs[0].tpot.mean_seconds < $plain and .plan.cache_tokens < $room" <<<"$output"
  serve memory_share=30% prompt=4096 generate=1024 --rate 3 --requests 400 --preempt swap --json
  jq -e '.runs[0].preemptions > 0 and .runs[0].kv_max <= 1' <<<"$output"
  serve --concurrency 16 --requests 300 --json
  jq -e '.saturation_per_second == null and .runs[0].requests_in_system <= 16 and .runs[0].requests_in_system > 12' <<<"$output"
  serve --rate 2 --requests 1000 batch=64 chunk=1024 prompt=4k --json
  pieces=$(jq .runs[0].itl.max_seconds <<<"$output")
  serve --rate 2 --requests 1000 batch=64 chunk=1024 prompt=4k --whole-prompts --json
  jq -e ".runs[0].itl.max_seconds > $pieces" <<<"$output"
}

@test "a run over time" {
  serve --rate 2 --requests 300 --timeline --json
  jq -e '.timeline | .bins | length > 20 and length <= 240 and (map(.decoding_sequences) | max) >= 1' <<<"$output"
  serve memory_share=30% prompt=4096 generate=1024 --rate 3 --requests 200 --timeline --to run.svg --quiet
  [ "$status" -eq 0 ]
  grep -q 'over time' run.svg && grep -q 'preemptions per second' run.svg && grep -q 'cache in use' run.svg
  serve --rate 2 --requests 200 --timeline --to calm.svg --quiet
  run -1 grep -q 'preemptions per second' calm.svg
  serve --rate 1,2 --timeline --json
  [ "$status" -eq 2 ] && [[ $stderr == *'--timeline: of one rate'* ]]
  serve --timeline
  [ "$status" -eq 2 ] && [[ $stderr == *'--timeline: with --to FILE or --json'* ]]
}

@test "sessions of several turns" {
  serve --rate 4 --requests 400 --turns 4 --turn-delay 2s --json
  jq -e '.load.turns == "4" and .load.turn_delay_seconds == 2 and .runs[0].cached_prompt_share > 0.5' <<<"$output"
  serve --rate 4 --requests 400 --turns 4 --turn-delay 2s
  has '4 turns of a session, 2.000 s apart'
  serve --rate 4 --requests 400 --json
  plain=$output
  serve --rate 4 --requests 400 --turns 1 --json
  [ "$output" = "$plain" ]
  serve --trace "$traces/azure.csv" --turns 4
  [ "$status" -eq 2 ]
  serve --turn-delay 4s
  [ "$status" -eq 2 ]
}

@test "experts of which some are preferred, their copies, and two halves of a step" {
  moe() {
    "$ROOFLINE" serve deepseek-v3 -p fp8-block --machine h200 --plan dp=32,ep=32 --rate 10 generate=64 --requests 200 --json "$@" |
      jq ".runs[0].$figure.mean_seconds"
  }
  figure=tpot
  plain=$(moe) skewed=$(moe expert_skew=1) copies=$(moe expert_skew=1 redundant_experts=32)
  [ "$(moe expert_skew=0)" = "$plain" ]
  jq -ne "$skewed > 1.2 * $plain and $copies < 1.05 * $plain"
  figure=ttft
  jq -ne "$(moe --two-batch-overlap) < 0.95 * $(moe)"
  run --separate-stderr "$ROOFLINE" serve llama-3.1-8b --machine h100 expert_skew=1
  [ "$status" -eq 2 ] && [[ $stderr == *'has no experts'* ]]
  run --separate-stderr "$ROOFLINE" serve deepseek-v3 --machine h200 --plan tp=8 expert_skew=9
  [ "$status" -eq 2 ] && [[ $stderr == *'an exponent from 0 to 5'* ]]
}

@test "a route has no effect with one replica, and is refused" {
  serve --route prefix
  [ "$status" -eq 2 ] && [[ $stderr == *'--route: has no effect with one replica'* ]]
}

@test "a drawing over rates" {
  serve --rate 1..16*2 --requests 1000 --to rates.svg --quiet
  [ "$status" -eq 0 ]
  grep -q 'under load' rates.svg && grep -q 'saturation' rates.svg
  serve --rate 16..32*2 --requests 1000 --to rates.html --quiet
  [ "$status" -eq 0 ] && grep -q 'too much' rates.html
  serve --rate 1..32*2 --requests 1000 --to rates.html --quiet
  grep -q '<svg' rates.html && grep -q 'too much' rates.html && grep -q 'saturation' rates.html
  serve --rate 4 --requests 100 --to one.html --quiet
  [ "$status" -eq 0 ] && grep -q 'busy' one.html
  serve --rate 4 --to one.svg
  [ "$status" -eq 2 ] && [[ $stderr == *'several rates'* ]] && [ ! -e one.svg ]
}

@test "what cannot be served, or is not said well, is refused with the reason" {
  serve prompt=200k
  [ "$status" -eq 2 ] && [[ $stderr == *'more than the 131072 that'* ]]
  serve memory_share=22% prompt=100k
  [ "$status" -eq 2 ] && [[ $stderr == *'the cache of a replica holds'* || $stderr == *'does not fit'* ]]
  run --separate-stderr "$ROOFLINE" serve llama-3.1-405b --machine h100
  [ "$status" -eq 2 ] && [[ $stderr == *'does not fit'* ]]
  serve --rate 0
  [ "$status" -eq 2 ] && [[ $stderr == *'over 0'* ]]
  serve --drafter llama-3.2-1b
  [ "$status" -eq 2 ] && [[ $stderr == *'drafts no tokens; draft=3'* ]]
  serve --rate 4/h
  [ "$status" -eq 2 ] && [[ $stderr == *'per second (4/s)'* ]]
  serve --arrivals poison
  [ "$status" -eq 2 ] && [[ $stderr == *'did you mean `poisson`'* ]]
  serve prompt=uniform:8:4
  [ "$status" -eq 2 ] && [[ $stderr == *'the lowest first'* ]]
  serve prompt=lognorm:8:1
  [ "$status" -eq 2 ] && [[ $stderr == *'did you mean `lognormal`'* ]]
  printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,3x,4\n' >bad.csv
  serve --trace bad.csv
  [ "$status" -eq 2 ] && [[ $stderr == *'bad.csv:2:21: `3x`: a whole number of tokens'* ]]
  echo hello >none.csv
  serve --trace none.csv
  [ "$status" -eq 2 ] && [[ $stderr == *"none.csv:1:1: "*Mooncake* ]]
  run --separate-stderr "$ROOFLINE" serve
  [ "$status" -eq 2 ] && [[ $stderr == *'which model?'* ]]
}

@test "adapters take memory, time and a link to the host; engines take memory by their own rules" {
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --rate 4/s -n 500 prompt=512 generate=64 adapters=32 rank=64 slots=4
  has "adapters    32 of rank 64, all asked for as often, 320 MiB each; 4 at once on the device,"
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --rate 4/s -n 500 prompt=512 generate=64 adapters=32 rank=64 slots=4 adapter_skew=1.5
  has "the i-th asked for as i^-1.5"
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --rate 16/s -n 500 prompt=512 generate=64 adapters=32 rank=64 slots=4
  has "slots of adapters are the wall: "
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --rate 4/s -n 500 prompt=512 generate=64 adapters=32 rank=64 --json
  [ "$(json '[.plan.adapter_slots, .plan.memory_rule, .runs[0].adapter_loads]')" = '[32,"vllm",32]' ]
  few=$(json .plan.cache_tokens)
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --rate 4/s -n 500 --engine sglang --json
  [ "$(json "[.plan.memory_rule, .plan.adapter_rank, .plan.cache_tokens > $few]")" = '["sglang",null,true]' ]
  run -2 "$ROOFLINE" serve llama-3.1-8b --machine h100 adapters=2 slots=3
  has "slots 3: a whole number from 0 to 2"
  run -2 "$ROOFLINE" serve llama-3.1-8b --machine h100 adapters=2 adapter_skew=11
  has "adapter_skew 11: from 0 to 10"
  run -2 "$ROOFLINE" serve llama-3.1-8b --machine h100 adapters=2 adaptor_skew=1
  has 'did you mean `adapter_skew`?'
  run -2 "$ROOFLINE" serve llama-3.1-8b --machine h100 rank=8
  has "rank=: of LoRA adapters, adapters=32 says how many"
  run -2 "$ROOFLINE" serve llama-3.1-8b --machine h100 --prefill 1
  has "--prefill 1: of 1 replica one at least generates; dp=2 has more"
  run -2 "$ROOFLINE" serve llama-3.1-8b --machine h100 --engine sglong
  has 'did you mean `sglang`?'
}

@test "experts as they were counted" {
  ask() { run "$1" "$ROOFLINE" serve mixtral-8x7b --machine h100 --plan tp=2,dp=2,ep=4 --rate 1/s -n 200 "${@:2}"; }
  printf '%s\n' '# as 1/i' '105 420,840' 280 210 168 140 120 >experts.txt
  ask -0 --json
  even=$(json .runs[0].tpot.mean_seconds)
  ask -0 expert_skew=1 --json
  law=$(json .runs[0].tpot.mean_seconds)
  ask -0 --experts experts.txt --json
  near .runs[0].tpot.mean_seconds "$law"
  [ "$(json ".runs[0].tpot.mean_seconds != $even")" = true ]
  echo 5 >>experts.txt
  ask -2 --experts experts.txt
  has "experts: 9 are counted, mixtral-8x7b has 8"
  echo '1 two' >experts.txt
  ask -2 --experts experts.txt
  [ "$output" = 'roofline: experts.txt:1:3: `two`: a number from 0 on' ]
}

@test "a pool for prompts on another machine, as plan finds it" {
  pools() {
    run --separate-stderr "$ROOFLINE" serve llama-3.1-70b --machine h200 --plan tp=4,batch=32 --requests 400 "$@"
  }
  pools --prefill-machine h100 --prefill-plan tp=2,dp=5 --rate 4/s prompt=8000 --price h100=2.5,h200=3.5 --json
  [ "$status" -eq 0 ]
  jq -e '.devices == 14 and .machine == "nvidia-h200-sxm" and .plan.tp == 4' <<<"$output"
  jq -e '.plan.prefill_pool | .machine == "nvidia-h100-sxm" and .devices == 10 and .tp == 2 and .dp == 5 and .prices[0].price == 2.5' <<<"$output"
  cost=$(jq '1e6 * (10 * 2.5 + 4 * 3.5) / 3600 / .runs[0].tokens_per_second' <<<"$output")
  near '.runs[0].price_per_million_tokens' "$cost" 0.001
  saturation=$(jq .saturation_per_second <<<"$output")
  pools --prefill-plan tp=2,dp=5 --rate 4/s prompt=8000 --json # the same machine
  jq -e '.plan.prefill_pool.machine == "nvidia-h200-sxm"' <<<"$output"
  pools --prefill-machine h100 --prefill-plan tp=2,dp=2 --rate 4/s prompt=8000 --json
  jq -e ".saturation_per_second < 0.6 * $saturation" <<<"$output"
  pools --prefill-machine h100 --prefill-plan tp=2,dp=5 --rate 4/s prompt=8000
  has 'prompts     on 10 x nvidia-h100-sxm: tp 2 pp 1 dp 5'
  pools --prefill-plan tp=3
  [ "$status" -eq 2 ] && [[ $stderr == 'roofline: --prefill-plan: tp=3: does not divide the 64 heads of llama-3.1-70b; 2 4 8 16 32 64 do' ]]
  pools --prefill-plan tp=1
  [[ $stderr == 'roofline: serve: llama-3.1-70b does not fit, '*' short on each device of 1 nvidia-h200-sxm, of 90 % of its memory (memory_share= sets it), with steps of 8192 tokens; fits with '*'tp=2 ('* ]]
  pools --prefill-plan tp=4 --prefill 1
  [ "$status" -eq 2 ] && [[ $stderr == *'--prefill: has no effect with --prefill-plan'* ]]
  pools --prefill-machine h100,h200
  [ "$status" -eq 2 ] && [[ $stderr == *'one machine at a time'* ]]
}

@test "20 is no limit of milliseconds" {
  run -2 "$ROOFLINE" serve llama-3.1-8b --rate 4 --tpot 20 --machine h100
  has '--tpot 20: 20 s? write 20ms, or 20s'
  run -2 "$ROOFLINE" plan llama-3.1-8b --ttft 200 --machine h100
  has '--ttft 200: 200 s? write 200ms, or 200s'
}
