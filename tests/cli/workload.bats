#!/usr/bin/env bats
# roofline model of an ONNX graph or a list of operations: text, JSON, CSV, sizes of dimensions, bad input.

setup() {
  load lib.bash
  start
  resnet=$ROOFLINE_SOURCE/examples/resnet50.onnx
  printf 'gemm m=8192 n=8192 k=8192 count=2 name=big\nadd n=1\nadd n=1e9\n' >layers
}

@test "ResNet-50 layer by layer: its multiply-adds, and overhead at batch 1" {
  for machine in a100 h100; do
    run -0 "$ROOFLINE" model "$resnet" --dtype fp16 --machine $machine --json
    [ "$(json '[.schema, .format, .batch, .multiply_adds, .regime, (.operations | length)]')" = \
      '["roofline.workload/1","onnx",1,4089184256,"overhead",121]' ]
  done
  near '[.operations[] | .count * .seconds.expected] | add' "$(json .seconds.expected)"
  near '[.operations[] | .share] | add' 1
  near '[.regimes[] | .share] | add' 1
  run -0 "$ROOFLINE" model "$resnet" batch=64 --dtype fp16 --machine a100 --json
  [ "$(json '[.multiply_adds, .regime, .regimes.overhead.operations]')" = '[261707792384,"memory",0]' ]
  near .inputs_per_second "$(jq '64 / .seconds.expected' <<<"$output")"
}

@test "text names the layers, what bounds them, and what is not counted" {
  run -0 "$ROOFLINE" model "$resnet" --machine h100
  has "resnet50 on NVIDIA H100 SXM5 80GB"
  has "layer4.2.conv3"
  has "1x64x112x112 k7x7/2"
  has ", 4089184256 multiply-adds; MFU"
  has "Flatten 1"
  has "108 tensors are stored outside the file"
  has "inputs: input 1x3x224x224 float"
}

@test "formats: the file's own, or --dtype's" {
  run -0 "$ROOFLINE" model "$resnet" --machine h100 --json
  [ "$(json '[.operations[0].dtype, .memory.weights_bytes]')" = '["fp32",102121888]' ]
  run -0 "$ROOFLINE" model "$resnet" --dtype bf16 --machine h100 --json
  [ "$(json '[.operations[0].dtype, .memory.weights_bytes]')" = '["bf16",51060944]' ]
}

@test "dimensions by their names; shapes computed in the graph are followed" {
  graph=$ROOFLINE_SOURCE/tests/fixtures/onnx/attention.onnx
  run -0 "$ROOFLINE" model "$graph" batch=2 sequence=128 --machine h100 --json
  [ "$(json '[.operations[] | select(.name == "scores") | .size, .flops]')" = '["2x4x128x128 k16",4194304]' ]
  run -2 "$ROOFLINE" model "$graph" --machine h100
  has 'input `ids`: dimension 1 is `sequence`; give `sequence=N`'
  run -2 "$ROOFLINE" model "$graph" sequence=128 seqence=8 --machine h100
  has 'seqence='
  run -2 "$ROOFLINE" model "$graph" sequence=0 --machine h100
  has 'sequence: 0: not a whole number'
}

@test "a list of operations is answered as a whole" {
  run -0 "$ROOFLINE" model layers --machine h100 --json
  [ "$(json '[.schema, .format, .calls, .operations[0].name, .operations[0].count, .parameters, .batch]')" = \
    '["roofline.workload/1","operations",4,"big",2,null,null]' ]
  [ "$(json '[.regimes | .compute, .overhead, .memory | .operations]')" = '[2,1,1]' ]
  whole=$(json .flops)
  [ "$whole" = "$(jq -n '2 * 2 * 8192 * 8192 * 8192 + 1 + 1e9')" ]
  run -0 "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --json # in a graph, as the list
  one=$(json .seconds.expected)
  run -0 "$ROOFLINE" model layers --machine h100 --json
  near '.operations[0].seconds.expected' "$one"
  run -0 "$ROOFLINE" model layers --machine h100 --machine a100 --json
  [ "$(json '[.schema, (.models | length)]')" = '["roofline.models/1",2]' ]
}

@test "CSV: one row an operation" {
  run -0 "$ROOFLINE" model layers --machine h100 --csv
  [ "${lines[0]%%,op*}" = "machine,name" ]
  [ "${#lines[@]}" -eq 4 ]
  [[ "${lines[1]}" == "nvidia-h100-sxm,big,gemm,"* ]]
}

@test "bad lists name the place and what was meant; bad files are refused" {
  printf '# a layer\ngemm m=8 n=8 bach=8\n' >bad
  run -2 "$ROOFLINE" model bad --machine h100
  has 'bad:2:14: gemm has no parameter `bach`; did you mean `batch`?'
  printf 'gemmm m=8 n=8 k=8\n' >bad
  run -2 "$ROOFLINE" model bad --machine h100
  has 'bad:1:1: '
  has 'did you mean `gemm`?'
  run -2 "$ROOFLINE" model layers batch=8 --machine h100
  has 'batch=: unknown here; a list of operations gives its sizes in its lines'
  run -2 "$ROOFLINE" model none.onnx --machine h100
  has 'none.onnx'
  head -c 5000 "$resnet" >cut.onnx
  run -2 "$ROOFLINE" model cut.onnx --machine h100
  has 'truncated'
  for option in "--precision fp8" "--kv fp8" --train --analysis "--tp 2" "--fuse all"; do
    # shellcheck disable=SC2086
    run -2 "$ROOFLINE" model layers $option --machine h100
    has "${option%% *}: of a model's config"
  done
}

@test "columns stand below each other where characters are wide" {
  printf 'gemm m=64 n=64 k=64 name=행렬곱\ngemm m=128 n=64 k=64 name=ffn\n' >wide
  run -0 "$ROOFLINE" model wide --machine h100
  # 행렬곱 takes six cells, ffn three
  [ "$(grep -c '^  행렬곱  gemm ' <<<"$output")" -eq 1 ]
  [ "$(grep -c '^  ffn     gemm ' <<<"$output")" -eq 1 ]
}

@test "a line of a list has the regime that predict gives for the same cost of a launch; both say what they assume" {
  echo "linear batch=1 in=4096 out=4096" >one.list
  run -0 "$ROOFLINE" model one.list --dtype int4 --machine a100 --json
  listed=$(json '[.launch.kernel_seconds, .operations[0].regime, .operations[0].seconds.expected]')
  run -0 "$ROOFLINE" predict linear batch=1 in=4096 out=4096 --dtype int4 --machine a100 --json
  [ "$(json '[2e-6, .regime, .seconds.expected]')" = "$listed" ]
  for overhead in 0 1us 5us 6us 8us; do
    run -0 "$ROOFLINE" model one.list --dtype int4 --machine a100 --launch 2us --overhead $overhead --json
    listed=$(json '.operations[0].regime')
    run -0 "$ROOFLINE" predict linear batch=1 in=4096 out=4096 --dtype int4 --machine a100 --launch 2us --overhead $overhead --json
    [ "$(json .regime)" = "$listed" ]
  done
  run -0 "$ROOFLINE" model one.list --dtype int4 --machine a100
  has "graph launches, 2.000 µs per kernel (assumed); shorter work is overhead-bound"
  run -0 "$ROOFLINE" predict linear batch=1 in=4096 out=4096 --dtype int4 --machine a100 --without all
  has "shorter than the assumed overhead cutoff of 8.000 µs"
}

@test "a list has operations of one's own" {
  printf 'decode_attention batch=8 kv_len=4096 name=att\nlinear batch=1 in=4096 out=4096\n' >own.list
  run -0 "$ROOFLINE" model own.list --ops "$ROOFLINE_SOURCE/examples/attention-decode.ops" --machine a100 --json
  listed=$(json '.operations[0] | [.flops, .bytes]')
  run -0 "$ROOFLINE" predict decode_attention batch=8 kv_len=4096 --ops "$ROOFLINE_SOURCE/examples/attention-decode.ops" --machine a100 --json
  [ "$(json '[.flops, .bytes]')" = "$listed" ]
  run -2 "$ROOFLINE" model own.list --machine a100
  has 'own.list:1:1: operation `decode_attention`: unknown'
  run -2 "$ROOFLINE" model gpt2 --ops "$ROOFLINE_SOURCE/examples/attention-decode.ops" --machine a100
  has "--ops: of a list of operations"
}
