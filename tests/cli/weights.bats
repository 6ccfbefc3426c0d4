#!/usr/bin/env bats
# roofline model of files of weights: GGUF and safetensors files made here, byte by byte.

setup() {
  load lib.bash
  start
}

# le SIZE NUMBER: little-endian bytes.
le() {
  local i
  for ((i = 0; i < $1; i++)); do printf "\\x$(printf %02x $(($2 >> 8 * i & 255)))"; done
}

text() { # TEXT: as GGUF has it
  le 8 ${#1}
  printf %s "$1"
}

number() { # KEY VALUE
  text "$1"
  le 4 4
  le 4 "$2"
}

offset=0
tensor() { # NAME COLUMNS ROWS TYPE BYTES
  text "$1"
  le 4 2
  le 8 "$2"
  le 8 "$3"
  le 4 "$4"
  le 8 $offset
  offset=$((offset + $5))
}

# gguf ARCHITECTURE: one layer of width 64, an MLP of 128, 96 tokens; Q4_0 (18 bytes for 32) and an F32 output.
gguf() {
  offset=0
  printf GGUF
  le 4 3
  le 8 9
  le 8 7
  text general.architecture
  le 4 8
  text "$1"
  number "$1.block_count" 1
  number "$1.embedding_length" 64
  number "$1.feed_forward_length" 128
  number "$1.attention.head_count" 4
  number "$1.attention.head_count_kv" 2
  number "$1.vocab_size" 96
  tensor token_embd.weight 64 96 2 3456
  tensor output.weight 64 96 0 24576
  tensor blk.0.attn_q.weight 64 64 2 2304
  tensor blk.0.attn_k.weight 64 32 2 1152
  tensor blk.0.attn_v.weight 64 32 2 1152
  tensor blk.0.attn_output.weight 64 64 2 2304
  tensor blk.0.ffn_gate.weight 64 128 2 4608
  tensor blk.0.ffn_up.weight 64 128 2 4608
  tensor blk.0.ffn_down.weight 128 64 2 4608
  head -c 48800 /dev/zero
}

# config FOLDER: a llama of one layer of width 8.
config() {
  mkdir -p "$1"
  echo '{"model_type": "llama", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1,
    "vocab_size": 8, "torch_dtype": "bfloat16"}' >"$1/config.json"
}

# shard FILE HEADER BYTES
shard() {
  {
    le 8 ${#2}
    printf %s "$2"
    head -c "$3" /dev/zero
  } >"$1"
}

table='{"model.embed_tokens.weight":{"dtype":"F32","shape":[8,8],"data_offsets":[0,256]}}'
layer='{"model.layers.0.mlp.up_proj.weight":{"dtype":"F8_E4M3","shape":[24,8],"data_offsets":[0,192]}}'

@test "a GGUF file: sizes, types and bytes are its own, in text and JSON" {
  gguf llama >tiny.gguf
  run -0 "$ROOFLINE" model tiny.gguf --machine h100
  has "tiny on NVIDIA H100"
  has "file        9 tensors, 49152 elements, 48768 B"
  has "mlp Q4_0, head F32"
  run -0 "$ROOFLINE" model tiny.gguf --machine h100 --json
  [ "$(json '.file | [.tensors, .elements, .bytes, [.types[] | .type]]')" = '[9,49152,48768,["F32","Q4_0"]]' ]
  [ "$(json '.precision.weights | [.mlp.bytes, .head.bytes]')" = '[0.5625,4]' ]
}

@test "a GGUF file that cannot be answered says why" {
  gguf llama | head -c 40000 >cut.gguf
  run -2 "$ROOFLINE" model cut.gguf --machine h100
  has "cut.gguf: byte 40000: truncated"
  gguf grok >grok.gguf
  run -2 "$ROOFLINE" model grok.gguf --machine h100
  has 'general.architecture `grok`: llama.cpp has it, this version does not describe it'
  gguf lama >lama.gguf
  run -2 "$ROOFLINE" model lama.gguf --machine h100
  has 'did you mean `llama`?'
}

@test "a folder of shards: the files' types, whatever the config says" {
  config llm
  shard llm/model-00001-of-00002.safetensors "$table" 256
  run -2 "$ROOFLINE" model llm --machine h100
  has '1 of 2 files model*.safetensors are there'
  shard llm/model-00002-of-00002.safetensors "$layer" 192
  run -0 "$ROOFLINE" model llm --machine h100 --json
  [ "$(json '.file | [.tensors, .elements, .bytes]')" = '[2,256,448]' ]
  [ "$(json '[.precision.weights.mlp.format, .precision.weights.head.bytes]')" = '["F8_E4M3",4]' ]
  run -0 "$ROOFLINE" model llm/model-00001-of-00002.safetensors --machine h100
  has "llm on NVIDIA"
}

@test "an index names the shards: all of them are read, others are not" {
  config llm
  echo '{"metadata": {"total_size": 448}, "weight_map": {"model.embed_tokens.weight": "a.safetensors",
    "model.layers.0.mlp.up_proj.weight": "b.safetensors"}}' >llm/model.safetensors.index.json
  run -0 "$ROOFLINE" model llm --machine h100 --json
  [ "$(json '[.file, (.notes | any(test("names 2 files of 448 B, none of which is here")))]')" = '[null,true]' ]
  shard llm/a.safetensors "$table" 256
  run -2 "$ROOFLINE" model llm --machine h100
  has '1 of the 2 files that model.safetensors.index.json names are there, `b.safetensors` is not'
  shard llm/b.safetensors "$layer" 192
  shard llm/model-00001-of-00009.safetensors "$table" 256
  run -0 "$ROOFLINE" model llm --machine h100 --json
  [ "$(json '[.file.bytes, (.notes | any(test("index.json")))]')" = '[448,false]' ]
  run -0 "$ROOFLINE" model llm/model.safetensors.index.json --machine h100 --json
  [ "$(json '[.name, .file.bytes]')" = '["llm",448]' ]
  sed -i 's/448/449/' llm/model.safetensors.index.json
  run -0 "$ROOFLINE" model llm --machine h100
  has 'says 449 B, the files hold 448 B'
}

@test "an index or a shard that cannot be read says why" {
  config llm
  echo '{"weight_map": {"a": "../a.safetensors"}}' >llm/model.safetensors.index.json
  run -2 "$ROOFLINE" model llm --machine h100
  has 'weight_map: a: not in a file of this folder'
  echo '{"weight_map": {' >llm/model.safetensors.index.json
  run -2 "$ROOFLINE" model llm --machine h100
  has 'llm/model.safetensors.index.json:'
  echo '{"metadata": {"total_size": 8}, "weight_map": {"a": "a.safetensors"}}' >model.safetensors.index.json
  run -2 "$ROOFLINE" model model.safetensors.index.json --machine h100
  has '1 files of 8 B, but no config.json in the same folder'
  shard alone.safetensors "$table" 256
  run -2 "$ROOFLINE" model alone.safetensors --machine h100
  has '1 tensors, 64 elements, 256 B, but no config.json in the same folder'
  shard short.safetensors "$table" 255
  run -2 "$ROOFLINE" model short.safetensors --machine h100
  has 'truncated'
}
