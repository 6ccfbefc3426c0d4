#!/usr/bin/env bats
# roofline model: a config.json to figures; text, JSON, settings, bad input.

setup() {
  load lib.bash
  start
  cat >llama.json <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
 "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 128256,
 "max_position_embeddings": 131072, "rope_theta": 500000.0, "torch_dtype": "bfloat16"}
JSON
}

# model ARGUMENT...: Llama-3.1-8B on the H100, as JSON.
model() {
  run -0 "$ROOFLINE" model llama.json --machine h100 --json "$@"
}

@test "a config.json is enough" {
  model
  [ "$(json '[.schema, .name, .parameters, .active_parameters, .kv_elements_per_token, .memory.fits]')" = \
    '["roofline.model/1","llama",8030261248,8030261248,65536,true]' ]
  near .memory.weights_bytes 16060522496
  near .memory.kv_bytes '301989888'
  near '1 / .tpot_seconds' "$(json .tokens_per_second)"
  [ "$(json '.phases | [.prefill, .decode, .verify, .mixed, .encode, .train] | map(. != null)')" = \
    '[true,true,false,false,false,false]' ]
}

@test "operations add up to their phase" {
  model batch=8 prompt=1000 tp=2
  near '[.phases.decode.operations[] | .count * .flops] | add' "$(json .phases.decode.flops)"
  near '[.phases.decode.operations[] | .count * .seconds.expected] | add' "$(json .phases.decode.seconds.expected)"
  near '[.phases.decode.operations[] | .share] | add' 1
  near '.phases.prefill.bytes' "$(json '.phases.prefill.bytes_by_class | .weights + .activations + .kv')"
}

@test "the text says whether it fits, how fast it is, and where the time goes" {
  run -0 "$ROOFLINE" model llama.json batch=4 --machine h100
  has "llama on NVIDIA H100 SXM5 80GB: fits"
  has "gate_up_proj"
  has "longest context"
  run -0 "$ROOFLINE" model llama.json --machine h100 --machine a100
  has "NVIDIA A100"
}

@test "a folder with a config.json is a model of that name" {
  mkdir tiny && cp llama.json tiny/config.json
  run -0 "$ROOFLINE" model tiny --machine h100
  has "tiny on"
}

@test "bad input names the key, the place and what was meant" {
  run -2 "$ROOFLINE" model
  has "which model?"
  run -2 "$ROOFLINE" model nothing.json --machine h100
  has "nothing.json"
  run -2 "$ROOFLINE" model llama.json bach=8 --machine h100
  has 'did you mean `batch`?'
  run -2 "$ROOFLINE" model llama.json batch=0 --machine h100
  has "batch=0"
  run -2 "$ROOFLINE" model llama.json tp=3 --machine h100
  has "tp=3: does not divide the heads"
  sed 's/"vocab_size"/"vocab_sise"/' llama.json >bad.json
  run -2 "$ROOFLINE" model bad.json --machine h100
  has 'bad.json:2:'
  has 'vocab_sise: unknown key'
  sed 's/"model_type": "llama"/"model_type": "lama"/' llama.json >bad.json
  run -2 "$ROOFLINE" model bad.json --machine h100
  has 'did you mean `llama`?'
  run -2 "$ROOFLINE" model llama.json --machine h100 --precision w4a61
  has 'did you mean `w4a16`?'
}
