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
  near .plan.prefill.bubble "$(json "1 / (.phases.prefill.steps + 1)")"
  near .phases.prefill.seconds.network "$(json '.plan.prefill | .node_seconds + .network_seconds')"
  run -0 "$ROOFLINE" model mixtral-8x7b batch=64 tp=2 pp=2 dp=4 ep=8 --machine h100 --json
  [ "$output" = "$typed" ]
}

@test "the text names the devices, the links and the one that binds" {
  run -0 "$ROOFLINE" model deepseek-v3 batch=256 prompt=1k --tp 8 --dp 4 --ep 32 --machine h100
  has "tp 8 dp 4 ep 32: 32 devices in 4 nodes of 8; 64 sequences a replica"
  has "InfiniBand NDR 50.00 GB/s"
  has "InfiniBand NDR binds of the links"
  has "ep_dispatch (ring)"
  has "tp_all_reduce (tree)"
  run -0 "$ROOFLINE" model llama-3.1-8b batch=8 --machine h100
  [[ $output != *"  plan  "* ]]
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
