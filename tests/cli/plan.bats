#!/usr/bin/env bats
# roofline model with a plan: devices along each axis, links, transfers, bubble.

setup() {
  load lib.bash
  start
}

@test "options and words say the same plan" {
  run -0 "$ROOFLINE" model mixtral-8x7b batch=64 --tp 2 --pp 2 --dp 4 --ep 8 --machine h100 --json
  typed=$output
  [ "$(json '.plan | [.tp, .pp, .dp, .ep, .devices, .replica_batch, .microbatches]')" = '[2,2,4,8,16,16,2]' ]
  [ "$(json '[.plan.node_link.name, .plan.network_link.name, .plan.prefill.binding_link]')" = \
    '["NVLink 4","InfiniBand NDR","NVLink 4"]' ]
  idle=$(json '.phases.prefill | ([.operations[] | select(.name == "pipeline_idle").seconds.expected] | add) / .seconds.expected')
  near .plan.prefill.bubble "$idle"
  [ "$(json '.plan.prefill.bubble < 1 / (.phases.prefill.steps + 1)')" = true ] # the output projection is done once
  near .phases.prefill.seconds.network "$(json '.plan.prefill | .node_seconds + .network_seconds')"
  run -0 "$ROOFLINE" model mixtral-8x7b batch=64 tp=2 pp=2 dp=4 ep=8 --machine h100 --json
  [ "$output" = "$typed" ]
}

@test "one token passes a pipeline as fast as one device, but for the transfers, whoever is asked" {
  run -0 "$ROOFLINE" model llama-3.1-8b --machine h100 --json
  alone=$(json .tpot_seconds)
  run -0 "$ROOFLINE" model llama-3.1-8b pp=8 --machine h100 --json
  near .tpot_seconds "$(json "$alone + 7 * (.phases.decode.operations[] | select(.name == \"pp_send\").seconds.expected)")"
  tpot=$(json .tpot_seconds)
  run -0 "$ROOFLINE" serve llama-3.1-8b pp=8 --concurrency 1 --host-time 0 --requests 10 --machine h100 --json
  near .runs[0].tpot.mean_seconds "$tpot"
  run -0 "$ROOFLINE" claim llama-3.1-8b pp=8 tpot=6.6ms --machine h100
  run -0 "$ROOFLINE" claim llama-3.1-8b pp=32 tpot=7ms --machine h100
  run -1 "$ROOFLINE" claim llama-3.1-8b pp=32 tpot=4.6ms --machine h100
}

@test "a request of one token costs the same in one batch, in a continuous one and in a plan" {
  load="llama-3.1-8b prompt=16 generate=1 --price 2.5 --machine h100"
  run -0 "$ROOFLINE" model $load --json
  near .continuous.price_per_million_tokens "$(json .price_per_million_tokens)"
  price=$(json .price_per_million_tokens) joules=$(json .joules_per_token)
  run -0 "$ROOFLINE" plan $load --users 1 --devices 1 --json
  near .choices[0].price_per_million_tokens "$price"
  near .choices[0].joules_per_token "$joules"
}

@test "one sequence and one token are no several" {
  run -0 "$ROOFLINE" model llama-3.1-8b batch=2 --tp 2 --dp 2 --machine h100
  has "1 sequence per replica"
  has "decode: 1 token per device"
}

@test "the text names the devices, the links and the one that binds" {
  run -0 "$ROOFLINE" model deepseek-v3 batch=256 prompt=1k --tp 8 --dp 4 --ep 32 --machine h100
  has "tp 8 dp 4 ep 32: 32 devices in 4 nodes of 8; 64 sequences per replica"
  has "InfiniBand NDR 50.00 GB/s"
  has "NVLink 4 binds of the links"
  has "ep_dispatch (ring)"
  has "tp_all_reduce (direct)"
  run -0 "$ROOFLINE" model llama-3.1-8b batch=8 --machine h100
  [[ $output != *"  plan  "* ]]
}

@test "the text names where a link's time goes, and that one port leads to the other cards and to the host" {
  run -0 "$ROOFLINE" model llama-3.1-70b tp=4 batch=64 prompt=1k generate=128 offload=10% --machine l40s
  has "PCIe 4.0 x16 8.753 ms within a node, PCIe 4.0 x16 110.3 ms to the host, over one port; bubble"
  has "TPOT 119.1 ms"
  [[ $output != *"binds of the links"* ]]
  run -0 "$ROOFLINE" model llama-3.1-70b tp=4 offload=10% --machine h100
  has "to the host, PCIe 5.0 x16 binds of the links"
}

@test "a pair of cards that a bridge joins sums over it, whatever else the plan has" {
  run -0 "$ROOFLINE" model llama-3.1-8b --tp 2 --pp 2 --machine h100-nvl
  has 'links       NVLink 4 bridge 300.0 GB/s, 600.0 ns per message between neighbours; PCIe 5.0 x16 63.02 GB/s'
  run -0 "$ROOFLINE" model llama-3.1-8b --tp 2 --pp 2 --machine h100-nvl --json
  [ "$(json '[.plan.neighbour_link.name, .plan.node_link.name]')" = '["NVLink 4 bridge","PCIe 5.0 x16"]' ]
  near .phases.prefill.seconds.network "$(json '.plan.prefill | .neighbour_seconds + .node_seconds')"
  run -0 "$ROOFLINE" model llama-3.1-8b --tp 2 --pp 2 --machine h100 --json
  [ "$(json '[.plan.neighbour_link, .plan.prefill.neighbour_seconds]')" = '[null,0]' ]
}

@test "a node is what a link joins beyond the host: 72 of GB200, 8 of what has 8" {
  node() { run -0 "$ROOFLINE" model llama-3.1-70b --tp 16 --machine "$@" --json; json '[.plan.node, .plan.prefill.network_seconds > 0]'; }
  [ "$(node gb200)" = '[72,false]' ]
  [ "$(node gb200 --node 8)" = '[8,true]' ]
  [ "$(node h100)" = '[8,true]' ]
  run -0 "$ROOFLINE" cluster --machine gb200
  has 'over 64 devices in one node of 72'
  run -0 "$ROOFLINE" cluster --machine gb200 --json
  [ "$(json .node)" = 72 ]
  run -0 "$ROOFLINE" cluster --machine h100 --json
  [ "$(json .node)" = 8 ]
}

@test "MFU of a step is that of all devices, by model as by plan" {
  train() { run -0 "$ROOFLINE" "$1" llama-3.1-70b --train batch=512 prompt=4096 --machine h200 "${@:2}" --json; }
  train model --tp 8 --sp --pp 80 --recompute full --microbatches 512
  got=$(json '.phases.train.mfu * .step_seconds * .devices')
  [ "$(json '.phases.train | .mfu > 0.18 and .mfu < 0.19 and .hfu > 0.24')" = true ]
  train model --tp 8 --sp --recompute full --microbatches 512
  near '.phases.train.mfu * .step_seconds * .devices' "$got"
  train plan --devices 64
  best=$(json .best)
  train model $(jq -r '"--tp \(.tp) --pp \(.pp) --dp \(.dp) --zero \(.zero) --recompute \(.recompute) --microbatches \(.microbatches)" +
    (if .sp then " --sp" else "" end)' <<<"$best")
  near .phases.train.mfu "$(jq .mfu <<<"$best")"
}

@test "a plan that cannot be is refused with the reason" {
  run -2 "$ROOFLINE" model llama-3.1-8b batch=8 --dp 3 --machine h100
  has "dp=3: does not divide the batch of 8 sequences"
  run -2 "$ROOFLINE" model llama-3.1-8b --ep 2 --machine h100
  has "no experts"
  run -2 "$ROOFLINE" model llama-3.1-8b --tp two --machine h100
  has "tp: "
  run -2 "$ROOFLINE" model llama-3.1-8b --tp 16 --network nrd --machine h100
  has 'did you mean `ndr`?'
}

@test "plan finds the best plan within the limits and draws the front" {
  run -0 --separate-stderr "$ROOFLINE" plan llama-3.1-70b --devices 16 --ttft 1s --tpot 25ms --machine h100 \
    --precision bf16/fp8 --to front.svg --json
  [ "$stderr" = "wrote front.svg" ]
  [ "$(json '[.schema, .best.devices, .best.precision, (.best.tpot_seconds <= 0.025), (.front | length > 3)]')" = \
    '["roofline.plan/1",16,"fp8",true,true]' ]
  [ "$(json '[.best.tp * .best.pp * .best.dp * .best.cp, (.front | map(.tpot_seconds) | . == sort)]')" = '[16,true]' ]
  grep -q '<title id="front-title-[0-9a-f]*">llama-3.1-70b: plans' front.svg
  [ "$(grep -c '<circle' front.svg)" -gt 3 ] # without those that the best one's run beats
  [ "$(grep -c '<circle' front.svg)" -le "$(json '.front | length')" ]
  [ "$(json .best.simulated) $(grep -c '<circle[^>]* r="7' front.svg)" = 'true 1' ]
  xmllint --noout front.svg
  run -1 "$ROOFLINE" plan llama-3.1-70b --devices 8 --tpot 1us --machine h100
  [[ ${lines[0]} == "nothing meets the limits; nearest: 8 x "* ]]
  run -1 "$ROOFLINE" plan llama-3.1-405b --devices 1 --machine h100
  has "short per device"
}

@test "a plan that cannot be searched is refused with the reason" {
  run -2 "$ROOFLINE" plan llama-3.1-8b --devices 0 --machine h100
  has "--devices: \`0\` is not above 0"
  run -2 "$ROOFLINE" plan llama-3.1-8b --tpot fast --machine h100
  has "--tpot:"
  run -2 "$ROOFLINE" plan llama-3.1-8b --to front.gif --machine h100
  has ".svg"
  [ ! -e front.gif ]
  run -2 "$ROOFLINE" model llama-3.1-8b --to front.svg --machine h100,a100
  has "roofline plan"
  run "$ROOFLINE" plan bert-base --machine h100
  [ "$status" != 0 ]
  has "is an encoder"
  run -2 "$ROOFLINE" plan llama-3.1-8b --rate 4/s --users 3 --machine h100
  has "one of both"
  run -2 "$ROOFLINE" plan llama-3.1-8b --percentile 20 --machine h100
  has "from 50 to under 100"
  run -2 "$ROOFLINE" plan llama-3.1-8b context=200k --machine h100
  has "more than the 131072"
  run -2 "$ROOFLINE" plan llama-3.1-8b tp=2 --machine h100
  has "a search tries every plan"
  run -2 "$ROOFLINE" plan --machine h100
  has "plan: which model?"
  run -2 "$ROOFLINE" model llama-3.1-70b --search --machine h100
  [ "$output" = 'roofline: --search: `roofline plan MODEL` takes its place' ]
}

@test "which machine, how many, what price: one command; what meets no limit exits 1 with the nearest" {
  ask="plan llama-3.1-70b users=50 context=8k --ttft 5s --machine h100,h200 -m b200 --machine l40s"
  COLUMNS=80 run -0 "$ROOFLINE" $ask --tpot 80ms --price h100=2.5,h200=3.5,b200=5,l40s=1
  [[ $(tr -s '\n ' ' ' <<<"$output") == "prefill and decode apart: "*" per million tokens, "*" % cheaper than together "* ]]
  [[ $output == *"together: "*" x nvidia-"*" per million tokens"* ]]
  for line in "${lines[@]}"; do [ ${#line} -le 80 ]; done
  run -0 "$ROOFLINE" $ask --tpot 80ms --price h100=2.5,h200=3.5,b200=5,l40s=1 --json
  [ "$(json '[.schema, .users, .percentile, .best.result, (.choices | length)]')" = '["roofline.plan/1",50,90,"meets the limits",4]' ]
  [ "$(json '[.choices[] | select(.result == "meets the limits") | .price_per_million_tokens] | . == sort')" = true ]
  [ "$(json '.best | .ttft_low_seconds < .ttft_seconds and .tpot_seconds < .tpot_high_seconds')" = true ]
  run -1 "$ROOFLINE" $ask --tpot 1ms
  [[ ${lines[0]} == "nothing meets the limits; nearest: "* && ${lines[1]} == *"over the limit"* ]]
  run -0 "$ROOFLINE" plan llama-3.1-8b --price 2 --machine h100
  [[ ${lines[0]} == *" per million tokens" ]]
  run -2 "$ROOFLINE" $ask --price a100=2
  has "none of the machines asked about"
}

@test "prices of a file have their source and date" {
  ask() { run "$1" "$ROOFLINE" plan llama-3.1-8b --rate 4/s --machine h100,h200 --price "${@:2}"; }
  printf '%s\n' '# remark' 'machine,price,date,source' 'a100,1,2026-01-02,x' 'h100,2.5,2026-11-01,a page, read twice' >prices.csv
  ask -0 prices.csv
  [[ ${lines[0]} == *"x nvidia-h100-sxm"*" per million tokens" ]]
  has 'price of nvidia-h100-sxm 2.5: a page, read twice, 2026-11-01'
  has 'price of nvidia-h200-sxm: not given'
  ask -0 prices.csv --json
  [ "$(json '[.prices[0] | .price, .source, .date]')" = '[2.5,"a page, read twice","2026-11-01"]' ]
  cost=$(json .best.price_per_million_tokens)
  ask -0 h100=2.5 --json
  [ "$(json "[.best.price_per_million_tokens == $cost, .prices[0].source]")" = '[true,null]' ]
  cost='at 2.5 per device and hour (a page, read twice, 2026-11-01)'
  for command in 'model llama-3.1-8b' 'serve llama-3.1-8b -n 100' 'plan llama-3.1-8b --train --tokens 1T batch=64'; do
    run -0 "$ROOFLINE" $command --machine h100 --price prices.csv
    has "$cost"
    run -0 "$ROOFLINE" $command --machine h100 --price prices.csv --json
    [ "$(json '.prices[0] | .price, .source, .date' | jq -sc .)" = '[2.5,"a page, read twice","2026-11-01"]' ]
  done
  printf '%s\n' 'machine,price,date,source' 'nvidia-h100-sx,2.5,2026-11-01,x' >prices.csv
  ask -2 prices.csv
  [[ $output == "roofline: prices.csv:2:1: "*'did you mean `nvidia-h100-sxm`?'* ]]
  printf '%s\n' 'machine,price,date,source' 'h100,2.5,yesterday,x' >prices.csv
  ask -2 prices.csv
  [ "$output" = 'roofline: prices.csv:2:10: `yesterday`: no date like 2026-11-23' ]
  ask -2 prices.cvs
  has 'neither a number nor machine=price, and no file'
  run -0 "$ROOFLINE" serve llama-3.1-8b --machine h100 --rate 1/s -n 100 --price h100=2.5 --json
  near .runs[0].price_per_million_tokens "$(json '1e6 * 2.5 / 3600 / .runs[0].tokens_per_second')"
}

@test "requests at a rate: the percentile and the load decide how many devices" {
  at() { run -0 --separate-stderr "$ROOFLINE" plan llama-3.1-8b --context 2k --ttft 1s --tpot 30ms --machine h100 --json "$@"; }
  at --rate 4/s
  [ "$(json '[.requests_per_second, .users, .best.devices]')" = '[4,null,1]' ]
  near .best.device_tokens_per_second "$(json '4 * .generate / .best.devices')"
  few=$(json .best.ttft_seconds)
  [ "$(json '[.simulated.overloaded, .simulated.requests, (.simulated.ttft_p50_seconds <= .simulated.ttft_p90_seconds)]')" = '[false,2000,true]' ]
  at --rate 240/min
  near .best.ttft_seconds "$few"
  [ "$(json '.best | [.simulated, .ttft_seconds] | tostring')" = "$(json '[true, .simulated.ttft_p90_seconds] | tostring')" ]
  at --rate 4/s --percentile p95
  [ "$(json "[.best.simulated, .best.ttft_seconds > $few]")" = '[true,true]' ]
  at --rate 4/s --percentile p99
  [ "$(json ".best.ttft_seconds > $few")" = true ]
  at --rate 100/s --price 2
  [ "$(json '[.best.devices > 1, .choices[0].fewer.why == "cannot keep up with 100 requests/s"]')" = '[true,true]' ]
  near .best.price_per_million_tokens "$(json '1e6 * 2 / 3600 * .best.devices / (100 * .generate)')"
  dear=$(json .best.price_per_million_tokens)
  at --rate 100/s --price 2 --energy-price 0.3
  near .best.price_per_million_tokens "$(json "$dear + .best.joules_per_token * 0.3 / 3.6")"
}

@test "the front names the precision of its plans in full" {
  run -0 "$ROOFLINE" plan llama-3.1-70b --machine a100 --devices 16 --precision bf16/fp8 --quiet --to front.svg
  grep -q 'data-name="16 x nvidia-a100-sxm-80gb tp 4 pp 1 dp 4 b[0-9]* fp8"' front.svg
}

@test "a price of energy alone has no effect, and is refused" {
  run --separate-stderr "$ROOFLINE" plan llama-3.1-8b --rate 1/s --machine h100 --energy-price 0.3
  [ "$status" -eq 2 ] && [[ $stderr == *"--energy-price: has no effect without --price"* ]]
}

@test "a device and its host: layers or experts on the processor, with tokens per second" {
  run -0 "$ROOFLINE" plan qwen3-235b-a22b --precision w4a16 --context 8k --machine rtx-4090 --host amd-epyc-9654
  [[ ${lines[0]} == *" tokens/s, experts of layers on the host ("*" of 94)" ]]
  has "-ngl 99 --n-cpu-moe "
  has "--host-memory"
  run -0 "$ROOFLINE" plan qwen3-235b-a22b --precision w4a16 --context 8k --machine rtx-4090 --host amd-epyc-9654 --json
  [ "$(json '[.schema, .best.kind, (.ways | length), (.ways[3] | .fits, .tokens_per_second)]')" = '["roofline.hybrid/1","experts",4,false,null]' ]
  run -1 "$ROOFLINE" plan qwen3-235b-a22b --precision w4a16 --machine rtx-4090 --host amd-epyc-9654 --host-memory 8GiB
  has "fits no device"
  has "  fits with --host-memory 96GiB on nvidia-rtx-4090"
  run -0 "$ROOFLINE" plan qwen3-235b-a22b --precision w4a16 --machine rtx-4090 --host amd-epyc-9654 --host-memory 96GiB
  run -0 "$ROOFLINE" plan llama-3.1-8b --precision w4a16 --machine rtx-4090 --host amd-epyc-9654 --csv
  [ ${#lines[@]} = 3 ]
  run -2 "$ROOFLINE" plan llama-3.1-8b --machine rtx-4090 --host amd-epyc-9654 --rate 4/s
  has "--rate: has no effect with --host"
}

@test "prefill and decode apart: two pools, of two machines, with matched rates" {
  run -0 "$ROOFLINE" plan llama-3.1-70b --rate 4/s --context 8k --tpot 30ms --ttft 2s --machine h100,h200 --precision fp8
  [[ ${lines[0]} == "prefill and decode apart: "*" devices, "*" % more tokens per device than together" ]]
  has "together: "
  has "  simulated as together"
  [ "$(grep -c 'simulated request by request' <<<"$output")" = 1 ]
  run -0 "$ROOFLINE" plan llama-3.1-70b --rate 2/s --tpot 60ms --machine mi300x --price 2 --launch llama.cpp
  [[ ${lines[0]} == "prefill and decode apart: "* ]]
  has "  started together: launch: llama.cpp has no two pools"
  run -0 "$ROOFLINE" plan llama-3.1-70b --rate 4/s --context 8k --tpot 30ms --ttft 2s --machine h100,h200 --precision fp8 --json
  near .apart.prefill.busy "$(json '4 * .apart.prefill.seconds / .apart.prefill.instances')"
  [ "$(json '[.apart.pays, (.apart.ttft_seconds <= 2), (.apart.decode.busy <= 1)]')" = '[true,true,true]' ]
}

@test "what is named first keeps up at the slow end of its range; JSON and --launch have the same plan" {
  ask() { run -0 "$ROOFLINE" plan llama-3.3-70b context=4k generate=512 --tpot 30ms --machine h100,mi300x --price h100=2.5,mi300x=2.5 "$@"; }
  ask --launch vllm
  [[ $output != *"at the slow end it grows"* ]]
  [[ ${lines[0]} == "prefill and decode apart: "* ]]
  has "NixlConnector"
  ask --json
  [ "$(json '[.first, .apart.pays, .apart.ttft_high_seconds != null]')" = '["apart",true,true]' ]
  run -0 "$ROOFLINE" plan llama-3.1-8b --machine m3-ultra --rate 1/s --price 1 --context 4k # 3 servers of prompts would do, but for the slow end
  [[ ${lines[1]} == "  4 x apple-m3-ultra process prompts"* && $output != *"at the slow end it grows"* ]]
  run -0 "$ROOFLINE" plan llama-3.1-8b --rate 4/s --machine h100 --json
  [ "$(json '[.first, .best.ttft_high_seconds != null]')" = '["best",true]' ]
}

@test "a machine that an engine does not run on has no launch line" {
  run -3 "$ROOFLINE" plan llama-3.1-8b --machine m3-ultra --launch vllm
  [ "$output" = 'roofline: launch: no line of vllm is known for 1 x apple-m3-ultra' ]
  run -0 "$ROOFLINE" plan llama-3.1-8b --machine m3-ultra --precision q4_k_m --json
  [ "$(json '[.launch | to_entries[] | select(.value) | .key]')" = '["llama.cpp"]' ]
}

@test "a network between nodes that nobody named is called assumed" {
  local plan="plan llama-3.1-8b --machine m3-ultra --rate 1/s" model="model llama-3.3-70b --machine h100 tp=16"
  run -0 "$ROOFLINE" $plan
  has "to send the cache over InfiniBand NDR, assumed; --network says another"
  run -0 "$ROOFLINE" $plan --network 100gbe
  has "to send the cache over 100 Gb Ethernet"
  [[ $output != *assumed* ]]
  run -0 "$ROOFLINE" $plan --json
  [ "$(json '[.apart | .network, .network_assumed]')" = '["InfiniBand NDR",true]' ]
  run -0 "$ROOFLINE" $model
  has "per message between nodes (assumed; --network says another)"
  run -0 "$ROOFLINE" $model --network ndr --json
  [ "$(json .plan.network_assumed)" = false ]
}

@test "where all of the memory is enough and the share of engines is not, model, plan and serve say so" {
  local ask="llama-3.3-70b --machine h200"
  run -0 "$ROOFLINE" model $ask
  [[ ${lines[0]} == *": fits, "*" spare, but not in the 90 % that engines take" ]]
  run -0 "$ROOFLINE" model $ask memory_share=0.98
  [[ ${lines[0]} == *" spare" ]]
  run -1 "$ROOFLINE" plan $ask --devices 1
  [[ ${lines[1]} == "  "*" short per device, of 90 % of its memory (memory_share= sets it)" ]]
  run -2 "$ROOFLINE" serve $ask
  has "of 90 % of its memory (memory_share= sets it), with steps of 8192 tokens; fits with --precision fp8 ("
  [[ $output != *offload* ]] # which it refuses
  run -0 "$ROOFLINE" serve $ask --requests 100 tp=2
  run -2 "$ROOFLINE" serve $ask --engine sglang
  has "memory as sglang takes it, with steps of 8192 tokens; fits with "
}

@test "a template of Slurm is no wider than a terminal and runs as it is printed there" {
  for ask in 'llama-3.1-8b --rate 4/s' 'llama-3.1-70b --rate 4/s --context 8k --tpot 40ms --ttft 2s'; do
    COLUMNS=80 run -0 "$ROOFLINE" plan $ask --machine h100 --launch slurm
    sed -n '/^#!/,$p' <<<"$output" >job.sh
    [ "$(awk 'length > 80' job.sh)" = "" ]
    # shellcheck disable=SC2016
    { echo 'hostname() { echo here; }; vllm() { echo "vllm $*"; }; export -f vllm hostname; export SLURM_PROCID=2'
      echo 'srun() { while [ "$1" != bash ]; do shift; done; "$@"; }'; cat job.sh; } >try.sh
    run -0 bash try.sh
    [[ $output == *"vllm serve "*" --max-model-len "*" --port 8002"* ]]
    [ "$(grep -c '^srun' job.sh)" = "$(grep -c '^vllm serve' <<<"$output")" ]
  done
}

@test "a training run with its failures and checkpoints" {
  train() { run -0 "$ROOFLINE" plan llama-3.1-8b --train --tokens 1T --batch 512 --devices 64 --machine h100 "$@"; }
  train --json
  near .failures.between_seconds "$(jq -n '16384 * 54 * 86400 / 419 / 64')"
  near .failures.seconds "$(json '.best.training.seconds / (1 - .failures.lost)')"
  seldom=$(json .failures.seconds)
  train --mtbf 1000 --checkpoint-rate 100MB/s --json
  [ "$(json ".failures.seconds > $seldom")" = true ]
  train
  has "  failures    "
  train --price 2 --json
  near .failures.device_hours "$(json '.failures.seconds * 64 / 3600')"
  near .failures.price "$(json '2 * .failures.device_hours')"
  hours=$(json '.failures.device_hours | round')
  train --price 2
  has "  cost        $hours device-hours, "
  train --price 2 --mtbf 0.001
  has "the run never ends"
  [[ $output != *"  cost "* ]]
  run -0 "$ROOFLINE" plan llama-3.1-8b --train --tokens 1M batch=64 prompt=8k --devices 16 --price 2 --machine h100
  has ", 1 in all"
  [[ $output =~ "  cost        "0\.0[0-9]+" device-hours, "0\.[0-9]+"; " ]]
  train lora=16 --json # 14 bytes of 16 x (inputs + outputs) of the 7 products of each of 32 layers
  near .failures.checkpoint_bytes "$(jq -n '14 * 16 * 32 * (4 * 4096 + 4096 + 2 * 1024 + 4096 + 3 * (4096 + 14336))')"
  run -2 "$ROOFLINE" plan llama-3.1-8b --train --mtbf 1000 --machine h100
  has "--mtbf: has no effect without --tokens"
}

@test "plan as rows" {
  run -0 "$ROOFLINE" plan llama-3.1-8b --users 8 --machine h100,b200 --price h100=2 --csv
  [[ ${lines[0]} == machine,precision,devices,price,result,* ]]
  [ ${#lines[@]} = 3 ]
}

@test "users and context may be options too, and an unknown setting says where all are" {
  ask() { run "$ROOFLINE" plan llama-3.1-70b --tpot 80ms --ttft 5s --machine h200 "$@"; }
  ask users=50 context=8k
  local settings=$output
  ask --users 50 --context 8k
  [ "$output" = "$settings" ]
  run -2 "$ROOFLINE" model llama-2-7b --machine h100 zzz=1
  has 'setting `zzz`: unknown; `roofline model --help` shows all'
}

@test "a plan for users says what its run has that serve has not" {
  run -0 "$ROOFLINE" plan llama-3.1-8b --users 8 --generate 256 --devices 1 --ttft 1s --machine h100
  [[ $output == *$'with the queue, without the host\'s time\n  answers of 128 to 384 tokens\n'* ]]
}

@test "requests of one token have no time per token: a plan for them is by the first, and no limit is of the next" {
  run -0 "$ROOFLINE" model llama-3.1-8b batch=4 generate=1 --machine h100 --json
  [ "$(json '[.tpot_seconds, .continuous.tpot_seconds, .phases.decode] | map(. == null) | all')" = true ]
  run -0 "$ROOFLINE" plan llama-3.1-8b --users 8 --generate 1 --ttft 1s --machine h100 --json
  [ "$(json '[.best.devices, .best.tpot_seconds]')" = '[1,null]' ]
  run -2 "$ROOFLINE" plan llama-3.1-8b --users 8 --generate 1 --tpot 20ms --machine h100
  has 'plan: --tpot: requests of one token (generate=1) have no time per token'
}

@test "the longest context is the longest that fits, its activations and its last page counted" {
  for ask in '--tp 2' '--tp 2 batch=64 prompt=8k' 'batch=8 prefix=1000 --precision fp8'; do
    run -0 "$ROOFLINE" model llama-3.1-70b $ask --machine h200 --json
    longest=$(json .memory.longest_context) other=${ask/prompt=8k/}
    run -0 "$ROOFLINE" model llama-3.1-70b $other prompt=$((longest - 256)) --machine h200 --json
    [ "$(json .memory.fits)" = true ]
    run -0 "$ROOFLINE" model llama-3.1-70b $other prompt=$((longest - 255)) --machine h200 --json
    [ "$(json .memory.fits)" = false ]
  done
}

@test "whether a model fits a memory that is not known is not known" {
  run -0 "$ROOFLINE" model llama-3.1-8b --machine epyc-9654 --json
  [ "$(json .memory.fits)" = null ]
  run -0 "$ROOFLINE" model llama-3.1-8b batch=1,2 --machine epyc-9654
  [ "${lines[0]}" = "llama-3.1-8b: 2 runs, memory not known" ]
  run -0 "$ROOFLINE" model llama-3.1-8b batch=1 --side-by-side --machine epyc-9654,h100
  has "2 runs, 1 fit, of 1 the memory is not known"
  run -0 "$ROOFLINE" model llama-3.1-8b batch=1,2 --machine epyc-9654 --csv
  [[ $output != *false* ]]
}

@test "a plan keeps the activations of one prompt at a time, as the service does that is simulated" {
  run -0 "$ROOFLINE" plan llama-3.1-8b --users 192 --devices 1 --tpot 100ms --machine h100 --json
  [ "$(json '[.best.devices, .best.simulated]')" = '[1,true]' ]
  memory=$(json .best.total_bytes)
  run -0 "$ROOFLINE" model llama-3.1-8b batch=192 chunk=2048 memory_share=0.9 --machine h100 --json
  near .memory.total_bytes "$memory"
}

@test "a plan of whole prompts admits what fits next to one of them, as serve does with the same settings" {
  run -0 "$ROOFLINE" plan llama-3.1-70b --machine h100 --devices 4 --rate 2/s --context 4k --generate 512 --ttft 1s --tpot 80ms --json
  [ "$(json '.best | [.tp, .chunk, .simulated]')" = '[4,0,true]' ]
  ttft=$(json .best.ttft_seconds) tpot=$(json .best.tpot_seconds)
  run -0 "$ROOFLINE" serve llama-3.1-70b --machine h100 --plan tp=4,batch=111,chunk=4111 --rate 2/s prompt=4k generate=512 \
    --whole-prompts --host-time 0s --requests 2000 --json
  near .runs[0].ttft.p90_seconds "$ttft"
  near .runs[0].tpot.p90_seconds "$tpot"
}

# Devices of the cheapest plan of one pool.
devices_of() {
  run -0 "$ROOFLINE" plan "$@" --json
  json .best.devices
}

@test "a run that fails says nothing of other numbers of devices: fewer requests or looser limits never need more" {
  [ "$(devices_of llama-3.1-8b -m l40s --rate 0.99/s --context 8000 --generate 64 --ttft 3s --tpot 37ms --percentile 50)" = 3 ]
  fewest=1
  for rate in 1.75 2 2.25 4; do
    devices=$(devices_of llama-3.1-70b -m h100 --rate $rate/s --context 4k --generate 512 --ttft 1s --tpot 80ms)
    [ "$devices" -ge "$fewest" ]
    fewest=$devices
  done
  fewest=64
  for tpot in 60ms 80ms; do
    devices=$(devices_of llama-3.1-70b -m h100 --rate 1/s --context 8000 --generate 512 --ttft 5s --tpot $tpot)
    [ "$devices" -le "$fewest" ]
    fewest=$devices
  done
  fewest=64
  for ttft in 1s 1.5s; do
    devices=$(devices_of gpt-oss-120b -m a100 --rate 0.5/s --context 8000 --generate 512 --ttft $ttft --tpot 60ms)
    [ "$devices" -le "$fewest" ]
    fewest=$devices
  done
}

@test "a prompt keeps a stage of a pipeline from the others' tokens, not all of them" {
  for pp in 2 4 8; do
    run -0 "$ROOFLINE" model llama-3.1-8b batch=64 prompt=4k --pp $pp --machine h200 --json
    tpot=$(json .continuous.tpot_seconds)
    run -0 "$ROOFLINE" serve llama-3.1-8b --plan pp=$pp --concurrency 64 prompt=4k --host-time 0 --requests 1000 --machine h200 --json
    [ "$(json "$tpot / .runs[0].tpot.mean_seconds | . > 0.9 and . < 1.15")" = true ]
    first=$(json .runs[0].ttft.p50_seconds)
    run -0 "$ROOFLINE" model llama-3.1-8b prompt=4k --pp $pp --machine h200 --json
    [ "$(json ".continuous.ttft_seconds <= $first * 1.02")" = true ]
  done
}

@test "plan: requests that generate nothing are refused, which have no time per token" {
  run -2 --separate-stderr "$ROOFLINE" plan llama-3.1-8b --users 4 --generate 0 --tpot 50ms --machine h100
  [ -z "$output" ]
  [ "$stderr" = 'roofline: plan: generate=0: requests that generate nothing have no time per token; `model` with it gives the time of their prompts' ]
}

@test "plan leaves out plans that cut blocks of weights, which engines refuse" {
  run -0 "$ROOFLINE" plan qwen3-30b-a3b --precision fp8-block --users 1 --context 4k --devices 4 --machine h100 --json
  [ "$(json '[.front[] | [.tp, .ep]]')" = '[[4,2]]' ] # experts of 768 in 4 parts are of 192
  run -0 "$ROOFLINE" plan qwen3-30b-a3b --precision fp8 --users 1 --context 4k --devices 4 --machine h100 --json
  [ "$(json '[.front[] | [.tp, .ep]] | contains([[4,1]])')" = true ]
}

@test "the command that serves a plan names what the engine loads" {
  served() { run -0 "$ROOFLINE" plan "$1" --users 4 --machine h100 --launch "${2-vllm}"; }
  served llama-3.1-8b
  has "vllm serve meta-llama/Llama-3.1-8B "
  served llama-3-8b # whose repository no file here names
  has "vllm serve ORGANISATION/llama-3-8b "
  served meta-llama/Meta-Llama-3.1-8B-Instruct
  has "vllm serve meta-llama/Meta-Llama-3.1-8B-Instruct "
  served llama-3.1-8b llama.cpp
  has "llama-server --model llama-3.1-8b.gguf "
}

@test "exactly so many devices holds for two pools too" {
  for devices in 2 3 4; do
    run -0 "$ROOFLINE" plan llama-3.1-8b --users 3 --devices $devices --machine h100 --json
    [ "$(json "(.apart == null) or (.apart.prefill | .devices * .instances) + (.apart.decode | .devices * .instances) == $devices")" = true ]
  done
}

@test "contexts that are shared are so of all that is answered: no two pools with --cp" {
  run -0 "$ROOFLINE" plan llama-3.1-70b --users 16 --cp 3 --machine h100
  [[ $output == "6 x nvidia-h100-sxm, as stored"* ]]
  has "prefill and decode apart: not tried with --cp"
  run -0 "$ROOFLINE" plan llama-3.1-70b --users 16 --cp 3 --machine h100 --json
  [ "$(json '[.apart, .first, .best.cp]')" = '[null,"best",3]' ]
}

@test "times without limits say of which requests they are" {
  for share in 50 90 99; do
    run -0 "$ROOFLINE" plan llama-3.1-8b --machine h100 --rate 2/s --percentile $share
    has "no limit of TTFT or TPOT; times that $share % of them keep"
  done
  run -0 "$ROOFLINE" plan llama-3.1-8b --machine h100 --rate 2/s --percentile mean
  has "no limit of TTFT or TPOT; times on average"
}

@test "a diffusion model has a size, no prompt and no time per token" {
  run -2 "$ROOFLINE" model flux.1-dev prompt=3 --machine h100
  has "prompt: has no effect: the model makes images; size=N says how large"
  run -3 "$ROOFLINE" plan flux.1-dev --machine h100
  has "flux.1-dev is a diffusion model: it has no time per token"
}

@test "a training step that fits on no plan has the nearest one, what it lacks, and how many devices would do" {
  run -1 "$ROOFLINE" plan llama-3.1-70b --train --devices 8 batch=8 --machine h100
  has "best: none fits; nearest: tp 8 pp 1 dp 1"
  has "short on each device"
  has "in place of 8"
  run -1 "$ROOFLINE" plan llama-3.1-70b --train --devices 8 batch=8 --machine h100 --json
  [ "$(json '.short_bytes > 0 and .nearest.seconds == null')" = true ]
  enough=$(json .enough_devices)
  run -0 "$ROOFLINE" plan llama-3.1-70b --train --devices "$enough" batch=8 --machine h100
  run -1 "$ROOFLINE" plan llama-3.1-70b --train --devices $((enough / 2)) batch=8 --machine h100
}

@test "two pools that cost as much are not named first with more devices, nor called 0 % cheaper" {
  run -0 "$ROOFLINE" plan llama-3.1-70b --users 50 --tpot 50ms --machine h100,b200 --price h100=2.5,b200=5.95
  [[ $output == "2 x nvidia-b200-hgx, as stored"* ]]
  has 'prefill and decode apart: 6 devices, 2.761 per million tokens, as cheap as together'
}

@test "energy times rate is at most the power of the board, whatever was simulated" {
  run -0 "$ROOFLINE" plan llama-3.1-70b --users 50 --tpot 50ms --machine b200 --json
  [ "$(json '[.choices[] | select(.simulated) | .device_tokens_per_second * .joules_per_token <= 1000 * (1 + 1e-9)] | length > 0 and all')" = true ]
}
