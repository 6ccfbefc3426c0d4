#!/usr/bin/env bats
# roofline cluster: the figures of network rooflines that are taught, and what is refused.

setup() {
  load lib.bash
  start
}

# linked PEAK LINK=BYTES[/BOTH]...: a machine with links.
linked() {
  machine linked "$1" 1e12 >plain.json
  shift
  jq --args '.links = [$ARGS.positional[] | split("=") | {name: .[0], kind: "datasheet", source: "the test",
    bytes_per_second: (.[1] | split("/")[0] | tonumber)} + (.[1] | split("/")[1] // null |
    if . then {both_ways_bytes_per_second: tonumber} else {} end)]' "$@" <plain.json >linked.json
}

@test "FLOPs that a link asks for a byte: H100, A100, TPU v5e" {
  linked 989e12 NVLink=450e9
  run -0 "$ROOFLINE" cluster --machine linked.json --dtype fp16 --json
  near '.links[0].flops_per_byte' 2197.8
  near '.links[1].flops_per_byte' 19780
  linked 312e12 NVLink=300e9/600e9 PCIe=32e9/64e9 Ethernet=6.25e9/12.5e9
  run -0 "$ROOFLINE" cluster --machine linked.json --dtype fp16 --json
  [ "$(json '[.links[0:3][].flops_per_byte_both_ways]')" = '[520,4875,24960]' ]
  linked 197e12 ICI=45e9
  run -0 "$ROOFLINE" cluster --machine linked.json --dtype fp16 --json
  near '.links[0].split_width' 8755.56
}

@test "an all-reduce takes as long as predict says, whether the machine has constants of its own or not" {
  for machine in google-tpu-v5p aws-trainium2 intel-gaudi3 h100; do
    run -0 "$ROOFLINE" predict allreduce size=100M ranks=8 --machine $machine --dtype fp16 --json
    expected=$(json .seconds.expected)
    run -0 "$ROOFLINE" cluster size=100M devices=8 --machine $machine --json
    [ "$(json "[.all_reduce[].seconds] | min / $expected | . > 0.97 and . < 1.03")" = true ]
  done
}

@test "an all-reduce's intensity is 1.5 tokens / (N - 1) in 16 bits; it binds from some number of devices" {
  run -0 "$ROOFLINE" cluster params=7e9 tokens=1e6 devices=8 --machine a100 --json
  near .flops_per_byte_sent 214286
  "$ROOFLINE" machine show a100 --json >a100.json
  near '.all_reduce[0].seconds' "$(jq '.constants[] | select(.kernel == "collective") | .latency_seconds +
    14 * .wave_seconds + .split_seconds + (2 * 7 / 8 + 0.45 / 8) * 14e9 / 300e9 / .bandwidth' a100.json)"
  [ "$(json '.all_reduce | map(.route)')" = '["ring","tree","hierarchical"]' ]
  [ "$(json '.all_reduce | map(.devices_limit > .devices_limit_backward) | all')" = true ]
  [ "$(json '.backward_seconds as $b | .all_reduce | map(.exposed_seconds == ([.gradient_seconds - $b, 0] | max)) | all')" = true ]
  [ "$(json '.zero | map(.bytes)')" = '[112000000000,38500000000,26250000000,14000000000]' ]
  [ "$(json '.zero | map(.bytes_per_parameter * 7e9 == .bytes) | all')" = true ]
  [ "$(json '.zero | map(.fits)')" = '[false,true,true,true]' ]
  near '.all_reduce[0].bus_bytes_per_second' "$(json '.all_reduce[0] | 2 * 7 / 8 * 14e9 / .seconds')"
}

@test "where a node is full the sum jumps: the first number of devices on the other side is named" {
  run -0 "$ROOFLINE" cluster params=1e9 tokens=64k devices=8 --machine h100 --dtype fp8
  has "ring          10.11 ms; as long as the step from 9 devices"
  run -0 "$ROOFLINE" cluster params=1e9 tokens=64k devices=8 --machine h100 --dtype fp8 --json
  [ "$(json '.all_reduce[0] | .devices_limit == 9 and .gradient_seconds < 0.0243')" = true ]
}

@test "no part of a device is more than a full node" {
  run -0 "$ROOFLINE" cluster llama-3.1-8b tokens=131072 devices=64 --machine h100 --json
  [ "$(json '.all_reduce[0] | [.devices_limit, .devices_limit_backward]')" = '[9,9]' ]
}

@test "one stage and one microbatch are counted as one" {
  run -0 "$ROOFLINE" cluster stages=1 microbatches=1 --machine h100
  has 'pipeline of 1 stage, 1 microbatch: bubble'
  run -0 "$ROOFLINE" cluster stages=2 microbatches=8 --machine h100
  has 'pipeline of 2 stages, 8 microbatches: bubble'
}

@test "devices are whole, and gradients have bytes" {
  for word in devices=63.7 node=2.5 stages=1.5 devices=1e30; do
    run -2 "$ROOFLINE" cluster "$word" --machine h100
    has 'must be a whole number from 1 to 1e18'
  done
  run -2 "$ROOFLINE" cluster bytes=0 --machine h100
  has 'bytes=0: must be a number from 0.125 to 8'
  run -2 "$ROOFLINE" cluster bytes=1GB --machine h100
  has 'bytes=1e+09: must be a number from 0.125 to 8'
}

@test "a network of a file that is not there, has nothing in it or is another" {
  run -2 "$ROOFLINE" cluster --machine h100 --network none.json
  [ "$output" = 'roofline: `none.json`: No such file or directory' ]
  : >empty.json
  echo '{"schema": "roofline.machine/1"}' >other.json
  for ask in 'cluster --network' 'model llama-3.1-8b --tp 16 --network' 'plan llama-3.1-8b --devices 16 --network'; do
    run -2 "$ROOFLINE" $ask empty.json --machine h100
    [ "$output" = 'roofline: empty.json:1:1: cluster: is no JSON object' ]
    run -2 "$ROOFLINE" $ask ./other.json --machine h100
    [ "$output" = 'roofline: ./other.json:1:13: cluster: its `schema` is not roofline.nodes/1; `cluster report` reads roofline.scaling/1 too' ]
  done
  for ask in report links; do
    run -2 "$ROOFLINE" cluster $ask empty.json
    [ "$output" = 'roofline: empty.json:1:1: cluster: is no JSON object' ]
  done
  run -2 "$ROOFLINE" cluster check empty.json --against empty.json
  [ "$output" = 'roofline: empty.json:1:1: cluster: is no JSON object' ]
}

@test "a model gives the parameters; the text has every part" {
  run -0 "$ROOFLINE" cluster llama-3.1-70b tokens=4M devices=512 --network xdr --machine h100
  has "InfiniBand XDR"
  has "hierarchical"
  has "data parallel: 70.55 G parameters"
  has "stage 0"
  has "does not fit"
  has "bubble"
}

@test "a mixture of experts computes with what is active of it" {
  run -0 "$ROOFLINE" cluster mixtral-8x7b tokens=4M devices=64 --machine h100 --json
  near .compute_seconds 4.832
  [ "$(json '.active_params < .params / 3')" = true ]
  run -0 "$ROOFLINE" cluster mixtral-8x7b tokens=4M devices=64 --machine h100
  has "data parallel: 46.70 G parameters, 12.75 G computed with per token, 4.000 M tokens per step, 64 devices"
  has "3 tokens / ((N - 1) x 2) x computed with / all parameters"
  run -2 "$ROOFLINE" cluster params=7G active=8G --machine h100
  has "active=8e+09: is more than params=7e+09, of which they are"
}

@test "a table that is looked up is not computed with, as of a model" {
  for model in gpt-oss-120b llama-3.1-70b; do
    run -0 "$ROOFLINE" model $model --machine h100 --json
    computed=$(json .active_parameters_without_embedding)
    run -0 "$ROOFLINE" cluster $model --machine h100 --json
    [ "$(json .active_params)" = "$computed" ]
  done
}

@test "a setting is given once" {
  run -2 "$ROOFLINE" cluster devices=64 size=1GB size=2GB --machine h100
  [ "$output" = 'roofline: `size`: given twice' ]
}

@test "a link between nodes is named, and has no effect in one" {
  run -0 "$ROOFLINE" cluster devices=64 size=1GB --machine h100
  has 'all-reduce of 1.000 GB over 64 devices, 8 per node; InfiniBand NDR between nodes (assumed; --network says another)'
  has 'held, and sent in one microbatch, by each'
  run -0 "$ROOFLINE" cluster devices=64 size=1GB --machine h100 --network xdr
  has 'over 64 devices, 8 per node; InfiniBand XDR between nodes'
  [[ $output != *assumed* ]]
  run -0 "$ROOFLINE" cluster devices=8 --machine h100
  has 'over 8 devices in one node of 8'
  run -0 "$ROOFLINE" cluster devices=1 --machine h100
  has 'over 1 device'
  [[ $output != *'1 devices'* ]]
  run -2 "$ROOFLINE" cluster devices=8 --machine h100 --network xdr
  [ "$output" = 'roofline: --network: has no effect: all devices are in one node, whose size is node=8' ]
  run -2 "$ROOFLINE" model llama-3.1-70b tp=16 --machine gb200 --network xdr
  [ "$output" = 'roofline: --network: has no effect: all devices are in one node, whose size is node=72' ]
  run -0 "$ROOFLINE" model llama-3.1-70b tp=16 --machine gb200 --machine h100 --network xdr
  run -0 "$ROOFLINE" plan llama-3.1-70b --devices 72 --machine gb200 --network xdr # of a cache sent to other instances
  run -2 "$ROOFLINE" plan llama-3.1-8b --train --devices 8 --machine h200 --network xdr
  [ "$output" = 'roofline: --network: has no effect: all devices are in one node, whose size is node=8' ]
  run -0 "$ROOFLINE" plan llama-3.1-8b --train --devices 16 --machine h200 --network xdr
}

@test "a machine whose links join fewer devices gets the setting that works" {
  run -3 "$ROOFLINE" cluster devices=16 --machine nvidia-grace
  [[ $output == *': node=8: its links join at most 2 devices; those of other nodes are joined by --network' ]]
  run -3 "$ROOFLINE" cluster devices=16 --machine amd-epyc-9654
  [[ $output == *': its file has no link to other devices; with node=1 --network joins them' ]]
  run -0 "$ROOFLINE" cluster devices=16 node=1 --machine amd-epyc-9654
}

@test "by hierarchy more full nodes take no less time, and few bytes go between them by a tree" {
  for devices in 16 24 32 64 512; do
    run -0 "$ROOFLINE" cluster size=1GB devices=$devices --machine h100 --json
    json '.all_reduce[2].seconds' >>times
  done
  sort -g -c times
  run -0 "$ROOFLINE" cluster size=1kB devices=4096 --machine h100 --json
  [ "$(json '.all_reduce[2].seconds < 100e-6')" = true ]
}

@test "the first line says whether communication hides behind computation, by the fastest route" {
  run -0 "$ROOFLINE" cluster llama-3.1-70b tokens=4M devices=512 --machine h100
  [[ ${lines[0]} == "512 x NVIDIA H100 SXM5 80GB, fp16: does the gradients' all-reduce hide behind the backward pass of 2.195 s? yes (hierarchical, 875.7 ms)" ]]
  has "one ring over all devices by one port of each node"
  run -0 "$ROOFLINE" cluster llama-3.1-70b tokens=1M devices=2048 --machine h100
  [[ ${lines[0]} == *"? no (hierarchical, "*")" ]]
  run -0 "$ROOFLINE" cluster tokens=400M devices=16 --machine h100
  [[ ${lines[0]} == *"? yes (hierarchical, "* ]]
  run -0 "$ROOFLINE" cluster devices=1 --machine h100
  [ "${lines[0]}" = "1 x NVIDIA H100 SXM5 80GB, fp16: one device sends no gradients" ]
}

@test "the drawing has a line and a ridge a link" {
  run -0 "$ROOFLINE" cluster params=7e9 tokens=1e6 devices=64 --machine h100 --to links.svg
  grep -q ">2198.7 FLOP/B<" links.svg
  grep -q ">InfiniBand NDR<" links.svg
  grep -q ">gradients over 64 devices<" links.svg
  xmllint --noout links.svg
  run -0 "$ROOFLINE" cluster devices=1 --machine h100 --to links.svg
  xmllint --noout links.svg
  run -2 "$ROOFLINE" cluster --machine h100 --to links.gif
  has ".txt, .svg, .png, .pdf, .html, .json or .csv"
}

@test "bad input is refused with what was meant" {
  run -2 "$ROOFLINE" cluster devises=8 --machine h100
  has 'did you mean `devices`?'
  run -2 "$ROOFLINE" cluster params=7B --machine h100
  has "for billions write \`7G\`"
  run -2 "$ROOFLINE" cluster devices=0 --machine h100
  has "devices=0"
  run -2 "$ROOFLINE" cluster nothing.json --machine h100
  has "nothing.json"
  run -2 "$ROOFLINE" cluster --machine h100 --machine a100
  has "cluster: one machine at a time"
  run "$ROOFLINE" cluster --machine "$h989" --dtype fp16
  [ "$status" = 3 ] || [ "$status" = 2 ]
  has "no link"
}

@test "help has no option that the command refuses, and what it refuses it says of itself" {
  for option in without efficiency weights precision kv framework; do
    run -2 "$ROOFLINE" cluster llama-3.1-70b tokens=4M devices=64 --machine h100 --$option fp8
    [[ $output == *'has no effect on `cluster`' ]]
    run -0 "$ROOFLINE" cluster --help
    [[ $output != *"--$option"* ]]
  done
  run -3 "$ROOFLINE" cluster llama-3.1-70b tokens=4M devices=64 node=16 --machine h100
  [[ $output == *'node=16: its links join at most 8 devices; those of other nodes are joined by --network' ]]
}
