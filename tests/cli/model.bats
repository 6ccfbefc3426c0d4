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

@test "a cache grows by the layers without a window; windows hold what they hold" {
  run -0 "$ROOFLINE" model gemma-3-4b prompt=128k --machine h100 # 5 of 34 layers, 4 x 2 x 256 elements each
  has "20 KiB per token and sequence beyond its windows, which hold 116 MiB; longest context"
  run -0 "$ROOFLINE" model gemma-3-4b prompt=128k --machine h100 --json
  [ "$(json '.memory | [.kv_bytes_per_token, .kv_bytes_beyond_windows, .kv_window_bytes]')" = '[139264,20480,121634816]' ]
  run -0 "$ROOFLINE" model llama.json --machine h100
  has "128 KiB per token and sequence; longest context"
  sed 's/"model_type": "llama"/"model_type": "mistral", "sliding_window": 4096/' llama.json >windows.json
  run -0 "$ROOFLINE" model windows.json --machine h100
  has "windows hold 512 MiB of a sequence: any context"
}

@test "a plan that cuts blocks of 128 x 128 weights is refused by engines, and the answer says so" {
  why='tp=8 cuts the 1536 columns of an expert through blocks of 128 x 128, which vLLM and SGLang refuse; tp=4 or ep=2 keeps them whole'
  COLUMNS=1000 run -0 "$ROOFLINE" model qwen3-235b-a22b tp=8 --precision fp8-block --machine h100
  has "refused     $why"
  run -0 "$ROOFLINE" model qwen3-235b-a22b tp=8 --precision fp8-block --machine h100 --json
  [ "$(json '.notes[0]')" = "\"$why\"" ]
  for fine in 'tp=4 --precision fp8-block' 'tp=8 ep=2 --precision fp8-block' 'tp=8 --precision fp8'; do
    run -0 "$ROOFLINE" model qwen3-235b-a22b $fine --machine h100
    [[ $output != *refused* ]]
  done
  run -0 "$ROOFLINE" model deepseek-v3 tp=32 --precision fp8-block --machine h100 # its dense MLP: 18432 / 32 = 576
  has "tp=32 cuts the 18432 columns of the MLP"
}

@test "rows of one name have their window, or where a transfer goes, next to it" {
  run -0 "$ROOFLINE" model gpt-oss-120b --machine h100
  has 'attention (window 128) '
  run -0 "$ROOFLINE" model gpt-oss-120b prompt=64 generate=32 --machine h100 # within the window they are one
  [[ $output != *'attention (window'* ]]
  run -0 "$ROOFLINE" model llama-3.1-70b tp=16 --machine h100
  has 'tp_logits (ring) within a node '
  has 'tp_logits (ring) between nodes '
  has 'tp_all_reduce (direct) '
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
  has "tp=3: does not divide the 32 heads of "
  has "; 2 4 8 16 32 do"
  sed 's/"vocab_size"/"vocab_sise"/' llama.json >bad.json
  run -2 "$ROOFLINE" model bad.json --machine h100
  has 'bad.json:2:'
  has 'vocab_sise: unknown key'
  sed 's/"model_type": "llama"/"model_type": "lama"/' llama.json >bad.json
  run -2 "$ROOFLINE" model bad.json --machine h100
  has 'did you mean `llama`?'
  run -2 "$ROOFLINE" model llama.json --machine h100 --precision w4a61
  has 'did you mean `w4a16`?'
  run -2 "$ROOFLINE" model llama.json --machine h100 lora=16
  has 'of a training step, which `model --train` predicts; `serve` has `adapters=` and `rank=`'
}

@test "the formats of llama.cpp are of the whole file, tables and head too" {
  run -0 "$ROOFLINE" model llama-2-7b --precision Q4_K_M --machine rtx-4090 --json # its file: 3.80 GiB
  near .memory.weights_bytes 4.08e9 0.002
  [ "$(json '.precision.weights | [.mixer.format, .mlp.format, .head.format] | unique')" = '["q4_k_m"]' ]
  run -0 "$ROOFLINE" model llama-2-7b --precision w4a16 --machine rtx-4090 --json
  [ "$(json .precision.weights.head.format)" = '"fp16"' ]
}

@test "built-in models have short names, and aliases" {
  run -0 "$ROOFLINE" model --list
  has "llama-3.1-8b"
  run -0 "$ROOFLINE" model deepseek-r1 --machine h200 --json tp=8
  [ "$(json '[.name, .architecture, .parameters, .precision.weights.experts.format]')" = \
    '["deepseek-v3","deepseek_v3",671026419200,"fp8-block"]' ]
  run -2 "$ROOFLINE" model llama-3.1-8 --machine h100
  has 'did you mean `llama-3.1-8b`?'
}

@test "a model keeps the name that was typed; an unknown one names the nearest, or its family" {
  run -0 "$ROOFLINE" model llama-3.3-70b tp=8 --machine h100
  [[ ${lines[0]} == "llama-3.3-70b on 8 x "* ]]
  run -0 "$ROOFLINE" advise meta-llama/Meta-Llama-3.1-70B-Instruct tp=8 --machine h100
  [[ ${lines[0]} == "Meta-Llama-3.1-70B-Instruct: "* ]]
  run -0 "$ROOFLINE" model llama-3.3-70b tp=8 --machine h100 --json
  [ "$(json .name)" = '"llama-3.1-70b"' ]
  run -2 "$ROOFLINE" model llama3.3-70 --machine h100
  has 'a config.json from Hugging Face is such a file; did you mean `llama-3.3-70b`?'
  run -2 "$ROOFLINE" model gemma-3-27b --machine h100
  has 'did you mean `gemma-3-4b`?'
}

@test "experts: the weights that a step reads are those of the experts it touches" {
  run -0 "$ROOFLINE" model mixtral-8x7b --machine h200 --json prompt=100 generate=2
  # one token: 2 of 8 experts of 3 x 4096 x 14336 in bf16
  near '.phases.decode.operations[] | select(.name == "experts_gate_up") | .bytes_by_class.weights' 469762048
  run -0 "$ROOFLINE" model mixtral-8x7b --machine h200 --json prompt=100 generate=2 batch=16
  # 16 tokens, 4 for each of them, touch 8 (1 - (1 + 4 / 4)^-4) of them: some are chosen more often than others
  near '.phases.decode.operations[] | select(.name == "experts_gate_up") | .bytes_by_class.weights' \
    "$(awk 'BEGIN { printf "%.0f", 8 * (1 - 2 ^ -4) * 2 * 4096 * 14336 * 2 }')"
}

@test "a norm of Q and K over all heads adds up what the devices of tp have of it" {
  sums() { "$ROOFLINE" model "$@" --machine h200 batch=16 --json | jq '[.phases.decode.operations[] | select(.name == "qk_norm_all_reduce")] | map([.count, .bytes_by_class.network])'; }
  [ "$(sums minimax-m2 tp=4 | jq -c .)" = "[[62,192]]" ] # two fp32 sums of 16 tokens, 2 (4 - 1) / 4 times
  [ "$(sums minimax-m2)" = '[]' ]
  kernels() { "$ROOFLINE" model minimax-m2 "$@" --machine h200 --json | jq -c '[.phases.decode.operations[] | select(.name | test("^qk_norm")) | .name]'; }
  [ "$(kernels tp=4)" = '["qk_norm_squares","qk_norm_all_reduce","qk_norm"]' ]
  [ "$(kernels)" = '["qk_norm"]' ]
  [ "$(sums qwen3-32b tp=4)" = '[]' ] # norms of one head
}

@test "TensorRT-LLM adds up to 128 tokens in one step, every device's buffer sent to all others" {
  sums() { "$ROOFLINE" model llama-3.1-70b --precision fp8 --machine h200 tp=8 --framework "$1" batch="$2" --json |
    jq -c '.phases.decode.operations[] | select(.name == "tp_all_reduce") | [.algorithm, .bytes_by_class.network]'; }
  [ "$(sums trtllm 128)" = '["oneshot",14680064]' ] # 128 x 8192 in bf16, 7 times
  [ "$(sums trtllm 129)" = '["direct",3698688]' ] # of 129 tokens 2 x 7 / 8 times
  [ "$(sums vllm 128)" = '["direct",3670016]' ]
}

@test "TensorRT-LLM writes formats with scales for blocks in a kernel of its own before each product" {
  passes() { "$ROOFLINE" model llama-3.1-70b --precision "$1" --machine b200 --framework "$2" --json |
    jq -c '[.phases.decode.operations[] | select(.name == "quantise") | .count] | add'; }
  [ "$(passes nvfp4 trtllm)" = 320 ] # four in each layer
  [ "$(passes fp8-block trtllm)" = 320 ]
  [ "$(passes fp8 trtllm)" = null ] # norms write it
  [ "$(passes w4a16 trtllm)" = null ]
  [ "$(passes nvfp4 vllm)" = null ] # its products have it in their latency
}

@test "a shared expert runs at the same time as the others in steps of at most 256 tokens that are launched as a graph" {
  "$ROOFLINE" model deepseek-v3 tp=8 batch=256 --precision fp8-block --machine h200 --json >together.json
  "$ROOFLINE" model deepseek-v3 tp=8 batch=257 --precision fp8-block --machine h200 --json >after.json
  "$ROOFLINE" model deepseek-v3 tp=8 batch=256 --precision fp8-block --machine h200 --mode eager --json >eager.json
  shared() { jq '[.phases.decode.operations[] | select(.name | test("^shared_")) | .count * .seconds.expected] | add' "$1"; }
  [ "$(jq -n "$(shared together.json) < 0.5 * $(shared after.json) and $(shared together.json) < 0.5 * $(shared eager.json)")" = true ]
  jq -e '[.phases.decode.operations[] | .seconds | .lower <= .expected] | all' together.json
}

@test "engines that quantise in a kernel of its own take longer" {
  products() { "$ROOFLINE" model llama-3.1-70b --precision fp8 --machine h200 tp=2 --framework "$1" --json |
    jq '[.phases.decode.operations[] | select(.name | test("_proj$")) | .count * .seconds.expected] | add'; }
  [ "$(jq -n "$(products vllm) > 1.1 * $(products trtllm)")" = true ]
}

@test "latent attention decodes on the latent: 576 elements per token and layer are read, once" {
  run -0 "$ROOFLINE" model deepseek-v3 --machine h200 --json tp=8 prompt=1000 generate=2
  near '.phases.decode.operations[] | select(.name == "attention") | .bytes_by_class.kv' "$((1001 * 576 * 2))"
  near '.phases.decode.operations[] | select(.name == "attention") | .flops' "$((1001 * 16 * (2 * 576 + 2 * 512 + 5)))"
  [ "$(json '[.phases.prefill.operations[].name] | any(. == "kv_up")')" = true ]
  [ "$(json '[.phases.decode.operations[].name] | any(. == "kv_up")')" = false ]
}

@test "keys of the step before are read from memory: all other layers and weights have passed the last cache since" {
  for machine in l40s rtx-4090 mi300x; do
    run -0 "$ROOFLINE" model llama-3.1-8b batch=16 prompt=2048 generate=64 --machine "$machine" --cold --json
    cold=$(json .tpot_seconds)
    run -0 "$ROOFLINE" model llama-3.1-8b batch=16 prompt=2048 generate=64 --machine "$machine" --json
    near .tpot_seconds "$cold" 2e-3
  done
}

@test "windows bound what is read and kept" {
  run -0 "$ROOFLINE" model gpt-oss-20b --machine h100 --json prompt=1000 generate=2
  [ "$(json '[.phases.decode.operations[] | select(.name == "attention") | .bytes_by_class.kv]')" = \
    "[$((128 * 2 * 8 * 64 * 2)),$((1001 * 2 * 8 * 64 * 2))]" ]
  near .memory.kv_bytes "$((12 * (128 + 1002) * 2 * 8 * 64 * 2))"
}

@test "an encoder has one phase and no cache; state-space layers have a state of fixed size" {
  run -0 "$ROOFLINE" model bert-base --machine h100 --json batch=8 prompt=512
  [ "$(json '[.tpot_seconds, .memory.kv_bytes, .phases.prefill, .phases.decode]')" = '[null,0,null,null]' ]
  [ "$(json '.phases.encode.tokens')" = 4096 ]
  run -0 "$ROOFLINE" model mamba2-2.7b --machine h100 --json prompt=1000
  near .memory.state_bytes "$((64 * (5120 * 128 + (5120 + 256) * 3) * 4))"
  state=$(json .memory.state_bytes)
  run -0 "$ROOFLINE" model mamba2-2.7b --machine h100 --json prompt=100000
  [ "$(json .memory.state_bytes)" = "$state" ]
}

@test "formats of a hf_quant_config.json, next to the config or named" {
  echo '{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "group_size": 16,
    "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}}' >hf_quant_config.json
  run -0 "$ROOFLINE" model llama.json --machine h100 --json --quantization hf_quant_config.json
  [ "$(json '.precision | [.kv, .weights.mlp.format, .weights.mlp.native, .weights.mlp.compute, .weights.head.format]')" = \
    '["fp8","nvfp4",false,"bf16","bf16"]' ]
  mkdir both && cp llama.json both/config.json && cp hf_quant_config.json both/
  run -0 "$ROOFLINE" model both --machine b200
  has "nvfp4"
  run -2 "$ROOFLINE" model hf_quant_config.json --machine h100
  has "give the model's config.json"
}

@test "figures say what they count, and --analysis fills in the seven steps" {
  run -0 "$ROOFLINE" model llama.json --machine h100 --analysis
  has 'figures     what each counts: `roofline explain ttft`, `rates` and `mfu`'
  for step in 1 2 3 4 5 6 7; do has "$step. "; done
  has "GEMV"
  has "What each fusion removes"
  has "persistent"
  has "profile for"
  model
  [ "$(json '.definitions.TPOT | test("TTFT is not in it")')" = true ]
  [ "$(json '[.fusions[] | select(.planned) | .name]')" = '["qkv","gate-up","flash","rope","residual"]' ]
}

@test "a format that the machine lacks, and one whose peak is not known" {
  run -0 "$ROOFLINE" model llama-3.1-8b --precision fp8 --machine a100 --analysis
  has 'bf16: no native fp8 path'
  run -0 "$ROOFLINE" model llama-3.1-8b --precision fp8 --machine tpu-v4 --analysis
  has 'bf16: fp8 peak not known'
}

@test "weights of a GGUF file are multiplied as int8 at best, as llama.cpp does" {
  # RTX 5070, llama-bench: 5185 tokens/s of prompts (ggml-org/llama.cpp discussion 15013), over its peak of fp16
  run -0 "$ROOFLINE" model llama-2-7b --precision q4_0 prompt=512 generate=2 --machine rtx-5070 --json
  [ "$(json '512 / .phases.prefill.seconds.lower > 5185')" = true ]
  run -0 "$ROOFLINE" model llama-2-7b --precision w4a16 prompt=512 generate=2 --machine rtx-5070 --json
  [ "$(json '512 / .phases.prefill.seconds.lower < 5000')" = true ]
}

@test "one request alone is not said twice, nor by rates that are one" {
  run -0 "$ROOFLINE" model llama.json --machine h100
  has "  one request TTFT "
  [[ $output != *continuous* && $output != *"tokens/s per request,"* ]]
  run -0 "$ROOFLINE" model llama.json batch=8 --machine h100
  has "  continuous  TTFT "
  [[ $output =~ "tokens/s per request, "[0-9]+" together; prompts" ]]
  run -0 "$ROOFLINE" model llama.json batch=8 --tp 2 --machine h100
  [[ $output =~ " together, "[0-9.]+" per device; prompts" ]]
}

@test "formats, launch modes and fusion are settings; a missing path is said" {
  run -0 "$ROOFLINE" model llama.json --machine h100 --precision nvfp4
  has "no native fp4 path: those weights are dequantised and multiplied in bf16"
  run -0 "$ROOFLINE" model llama.json --machine h100 --precision fp8,head=w8a16 --kv fp8 --json
  [ "$(json '.precision | [.kv, .weights.mlp.compute, .weights.head.format]')" = '["fp8","fp8","w8a16"]' ]
  run -0 "$ROOFLINE" model llama.json --machine h100 --mode persistent --fuse all --json
  [ "$(json '.phases.decode.kernels')" = 1 ]
  run -2 "$ROOFLINE" model llama.json --machine h100 --precision haed=fp8
  has 'did you mean `head`?'
  run -2 "$ROOFLINE" model llama.json --machine h100 --mode graf
  has 'launch mode `graf`: unknown; known: eager, graph, persistent'
  run -2 "$ROOFLINE" model llama-3.1-8b --machine h100 --framework Eager --mode persistent
  has '--mode: has no effect: what --framework eager launches one at a time is no persistent kernel'
  run -2 "$ROOFLINE" model llama.json --machine h100 --fuse qvk
  has 'did you mean `qkv`?'
  run -0 "$ROOFLINE" model llama.json --machine h100 --precision nf4 --json
  [ "$(json '.precision.weights.mlp | [.format, .bytes, .compute]')" = '["nf4",0.5625,"bf16"]' ]
  run -2 "$ROOFLINE" model llama.json --machine h100 --precision foo
  has 'mxfp4a16, int4, awq, gptq, int8, smoothquant'
  run -0 "$ROOFLINE" model --help
  has 'nf4'
  has 'gptq'
  run -0 "$ROOFLINE" model llama-3.1-8b --machine b200 --kv nvfp4 --json
  [ "$(json .precision.kv)" = '"nvfp4"' ]
}

@test "a price gives the cost of a million tokens; drafts give verification; chunks give mixed steps" {
  run -0 "$ROOFLINE" model llama.json --machine h100 --json price=3.6 batch=4 generate=100 prompt=1000
  near .price_per_million_tokens "$(jq '1e6 * 3.6 / 3600 * .request_seconds / 400' <<<"$output")"
  run -0 "$ROOFLINE" model llama.json --machine h100 --json draft=4 accept=0.8
  near .phases.verify.yield 3.3616
  near .tpot_seconds "$(jq '.phases.verify | .seconds.expected / .yield' <<<"$output")"
  run -0 "$ROOFLINE" model llama.json --machine h100 --json prompt=10000 chunk=2500
  [ "$(json '[.phases.prefill.steps, .phases.prefill.tokens, (.phases.mixed != null)]')" = '[4,10000,true]' ]
}

@test "CSV: one row per operation, whose shares are a phase" {
  run -0 "$ROOFLINE" model llama.json --machine h100 --csv
  [ "${lines[0]%%,count*}" = "model,machine,phase,operation,kind,part,dtype" ]
  awk -F, '$3 == "decode" { share += $NF; rows++ } NR > 1 && NF != columns { exit 1 } { columns = NF }
    END { exit !(rows == 12 && share > 0.999999 && share < 1.000001) }' <<<"$output"
  run -2 "$ROOFLINE" model llama.json --machine h100 --csv --analysis
  has "does not take --csv"
}

@test "a sequence longer than the model was made for is computed, and said" {
  model prompt=200000
  [ "$(json '.notes | any(test("200256 tokens per sequence are more than the 131072"))')" = true ]
  model prompt=2000
  [ "$(json .notes)" = '[]' ]
  run -0 "$ROOFLINE" model gpt2 prompt=5000 --machine h100
  [ "${lines[1]}" = '  too long    5256 tokens per sequence are more than the 1024 that the model was made for' ]
  run -0 "$ROOFLINE" model bert-base batch=32 prompt=1024 --machine h100
  [ "${lines[1]}" = '  too long    1024 tokens per sequence are more than the 512 that the model was made for' ]
  run -0 "$ROOFLINE" model llama-3.1-8b prompt=100000 --machine h100
  [[ $output != *'too long'* ]]
  run -0 "$ROOFLINE" model llama-3.1-8b prompt=10000000 --machine h100 # 256 tokens more are the model's 131072
  [[ ${lines[2]} == '  fits with   prompt=130816 '* ]]
}

@test "what the vector unit multiplies is said with what would be faster" {
  run -0 "$ROOFLINE" model vit-huge batch=32 --machine h100
  has 'fp32 is multiplied by the vector unit, as the matrix unit has no fp32; faster: --dtype tf32 or bf16'
  [[ $output != *'no native fp32 path'* ]]
  for others in '--machine h100 --dtype tf32' '--machine p100-pcie'; do
    run -0 "$ROOFLINE" model vit-huge batch=32 $others
    [[ $output != *'vector unit'* ]]
  done
}

@test "a training step replaces prefill and decoding" {
  run -0 --separate-stderr "$ROOFLINE" model llama-3.1-8b --train batch=1 --machine h200 --json
  [ "$(json '[.phases.train.operations[-1].name, .phases.prefill, (.memory.gradient_bytes > 1.6e10)]')" = '["adam",null,true]' ]
  [ "$(json '.settings.recompute')" = '"none"' ]
  run -2 --separate-stderr "$ROOFLINE" model llama-3.1-8b --recompute full --machine h200
  [[ "$stderr" == *"--train"* ]]
  run -2 --separate-stderr "$ROOFLINE" model llama-3.1-8b --train --recompute ful --machine h200
  [[ "$stderr" == *'did you mean `full`'* ]]
}

@test "a training step has a plan: ZeRO, sequence parallelism, accumulated gradients" {
  train() { run -0 --separate-stderr "$ROOFLINE" model llama-3.1-8b --train batch=64 --dp 4 --machine h100 --json "$@"; }
  train --tp 2 --sp --zero 2 --microbatches 4 --recompute selective
  [ "$(json '[.plan.tp, .plan.dp, .plan.sp, .plan.zero, .plan.microbatches, .plan.replica_batch]')" = '[2,4,true,2,4,16]' ]
  [ "$(json '[.phases.train.operations[].name] | map(select(test("dp_|sp_")))')" = \
    '["sp_reduce_scatter","sp_all_gather","dp_reduce_scatter","dp_all_gather"]' ]
  near '.memory.optimizer_bytes' "$(json '.parameters * 12 / 8')" 0.001
  near '[.phases.train.operations[] | .count * .seconds.expected] | add' "$(json .phases.train.seconds.expected)"
  total=$(json .memory.total_bytes)
  train --tp 2 --sp --zero 3 --microbatches 4 --recompute selective
  [ "$(json ".memory.total_bytes < $total")" = true ]
  run -0 "$ROOFLINE" model llama-3.1-8b --train batch=64 --dp 4 --pp 2 --machine h100
  has "global batch 64 of 2048 tokens, micro-batch 1, 16 accumulated; recompute none"
  has "bubble 5.2 %"
  has "between replicas"
  [[ $output != *TTFT* ]]
  run -0 "$ROOFLINE" model gpt2 --train batch=1,8 --machine h100
  has "where not said: 768 tokens in; bound: the longest time of a step"
  [[ ${lines[2]} == "  batch      step  tokens/s "* ]]
  run -0 --separate-stderr "$ROOFLINE" model gpt2 --train batch=1,8 --machine h100 --json
  [ "$(json '[.points[] | .ttft_seconds, .step_seconds > 0]')" = '[null,true,null,true]' ]
  run -0 "$ROOFLINE" model llama-3.1-8b generate=0 batch=1,2 --machine h100
  [[ ${lines[2]} == "  batch      TTFT  tokens/s "* ]]
  run -2 --separate-stderr "$ROOFLINE" model llama-3.1-8b --zero 1 --machine h100
  [[ "$stderr" == *"model --train"* ]]
}

@test "a training run: days, device-hours and cost of its tokens" {
  train() { run -0 --separate-stderr "$ROOFLINE" model llama-3.1-70b --train batch=256 prompt=4k --tp 8 --sp --pp 2 --dp 4 \
    --zero 1 --recompute selective --machine h100 "$@"; }
  train tokens=2T --price 2.5 --json
  [ "$(json '.training | [.tokens, .steps, (.device_hours / .days / 24 | round)]')" = '[2000000000000,1953125,64]' ]
  near .training.price "$(json '.training.device_hours * 2.5')"
  near .training.price "$(json '.price_per_million_tokens * 2e6')"
  near .training.seconds "$(json '.training.steps * .step_seconds')"
  near .batch_tokens_per_second "$(json '256 * 4000 / .step_seconds')"
  near .device_tokens_per_second "$(json '.batch_tokens_per_second / 64')"
  [ "$(json '[.step_seconds == .phases.train.seconds.expected, .ttft_seconds, .ttft_low_seconds]')" = '[true,null,null]' ]
  used=$(json '.step_seconds * .devices * 989.4e12 * .phases.train.mfu') price=$(json .training.price)
  run -0 --separate-stderr "$ROOFLINE" model llama-3.1-70b --train batch=256 prompt=4k --recompute selective --machine h100 --json
  near '.phases.train | .flops - .recomputed_flops' "$used" 0.001
  train "tokens=2 trillion" --price 5 --json
  near .training.price "$(jq -n "2 * $price")"
  train tokens=2T --price 2.5
  [[ ${lines[1]} == *" MFU "* && ${lines[3]} == "  training    2.000 T tokens: 1953125 steps, "*" days ("* ]]
  [[ ${lines[4]} == "  cost        "*" device-hours, "*" per million tokens at 2.5 per device and hour" ]]
  train --json
  [ "$(json .training)" = null ]
  run -2 "$ROOFLINE" plan llama-3.1-70b --train --price 2.5 --machine h100
  [ "$output" = "roofline: price: has no effect: a search for training prices a whole run; add tokens=N" ]
  run -0 "$ROOFLINE" plan llama-3.1-70b --train batch=256 prompt=4k --devices 64 tokens=15e12 --price 2.5 --machine h100
  [[ ${lines[2]} == "  training    15.00 T tokens: "* ]]
  run -0 "$ROOFLINE" model llama-3.1-70b --train tokens=2T --machine h100
  [[ $output != *" days"* ]]
  has "fits with   tp=8 pp=2"
  run -2 "$ROOFLINE" model llama-3.1-8b tokens=2T --machine h100
  has "model --train"
}

@test "a training step that does not fit may with its sequences one at a time" {
  train() { run -0 "$ROOFLINE" model llama-3.1-70b --train batch=256 --tp 8 --sp --dp 8 --zero 1 --recompute selective --machine h200 "$@" --json; }
  train
  [ "$(json '.fits_with[0] | [.change, .devices]')" = '["microbatches=32",64]' ]
  spare=$(json '.fits_with[0].spare_bytes')
  train microbatches=32
  [ "$(json '[.memory.fits, .memory.spare_bytes]')" = "[true,$spare]" ]
}

@test "a prefix cache: a share or tokens of the prompt; TTFT and memory follow" {
  at() { run -0 --separate-stderr "$ROOFLINE" model llama-3.1-8b batch=32 --machine h100 --json "$@"; json '[.settings.prefix, .ttft_seconds, .memory.kv_bytes]'; }
  half=$(at prefix=50%)
  [ "$half" = "$(at prefix=1024)" ] && [ "$half" = "$(at prefix=.5)" ]
  at prefix=50% >/dev/null
  [ "$(json '[.ttft_seconds < 0.75, .memory.shared_kv_bytes == 31 * 1024 * 131072]')" = '[true,true]' ]
  at prefix=50% sharers=1 >/dev/null
  [ "$(json .memory.shared_kv_bytes)" = 0 ]
  run -0 "$ROOFLINE" model llama-3.1-8b batch=32 prefix=1k --machine h100
  has "2048 tokens in (1000 held by the prefix cache), 256 out"
  has "; sharing the prefix saves "
  run -0 "$ROOFLINE" model llama-3.1-8b prefix=0,.5,.9 --machine h100 --csv
  run -2 "$ROOFLINE" model llama-3.1-8b prefix=100% --machine h100
  has "not under 100 %"
  run -2 "$ROOFLINE" model llama-3.1-8b prefix=2048 --machine h100
  has "at most 2047"
  run -2 "$ROOFLINE" model bert-base prefix=.5 --machine h100
  has "encoder"
}

@test "weights or cache in the host's memory come over its link" {
  run -0 "$ROOFLINE" model llama-3.1-70b offload=45% --machine h100
  has ": fits, "
  has "45 % of the weights with the"
  run -0 "$ROOFLINE" model llama-3.1-70b offload=45% --machine h100 --json
  [ "$(json '[.settings.offload, .plan.decode.binding_link, (.tpot_seconds == .plan.decode.host_seconds)]')" = '[0.45,"PCIe 5.0 x16",true]' ]
  run -0 "$ROOFLINE" model llama-3.1-8b offload_kv=.5 batch=64 --machine gh200 --json
  [ "$(json '.plan.decode.host_seconds > 0')" = true ]
  run -0 "$ROOFLINE" advise llama-3.1-70b --machine h100
  has "of weights at the host"
  run -2 "$ROOFLINE" model llama-3.1-8b offload=2 --machine h100
  has "offload"
}

@test "the optimizer's state with the host" {
  run -0 "$ROOFLINE" model llama-3.1-8b --train batch=1 --recompute full --machine h100
  has "fits with   offload_optimizer=1 ("
  run -0 "$ROOFLINE" model llama-3.1-8b --train batch=1 --recompute full --machine h100 offload_optimizer=1
  has "; with the host 89.75 GiB"
  run -0 "$ROOFLINE" plan llama-3.1-8b --train batch=1 --devices 1 --machine h100 offload_optimizer=1
  has "  with the host 0 % of the weights and 100 % of the optimizer's state"
  run -2 "$ROOFLINE" model llama-3.1-8b --machine h100 offload_optimizer=1
  has "offload_optimizer=1: a share of the state of a training step (to 1)"
}

@test "training plans are searched" {
  run -0 --separate-stderr "$ROOFLINE" plan llama-3.1-8b --train --devices 8 batch=64 --machine h100 --json
  [ "$(json '[.schema, .devices, .batch, (.fit > 0), (.front[0] == .best)]')" = '["roofline.train_plans/1",8,64,true,true]' ]
  best=$(json .best.seconds)
  run -0 --separate-stderr "$ROOFLINE" model llama-3.1-8b --train batch=64 --machine h100 --json \
    $(json '.best | "--tp \(.tp) --pp \(.pp) --dp \(.dp) --zero \(.zero) --microbatches \(.microbatches) --recompute \(.recompute)" + (if .sp then " --sp" else "" end)' | tr -d '"')
  near .phases.train.seconds.expected "$best"
  run -0 --separate-stderr "$ROOFLINE" plan llama-3.1-8b --train --devices 8 --machine h100 --json
  [ "$(json .batch)" = 8 ] # a sequence per device, where batch= says nothing
  run -0 --separate-stderr "$ROOFLINE" plan llama-3.1-70b --train --devices 64 batch=255 context=8k --machine h100 --json # no power of two
  [ "$(json '[.best | .microbatches * .micro_batch * .dp, .micro_batch]')" = '[255,1]' ]
  run -2 --separate-stderr "$ROOFLINE" plan llama-3.1-8b --train --tpot 20ms --machine h100
  [[ "$stderr" == *"--tpot"* ]]
}

@test "--dtype is of activations: weights in a format of their own keep it, which a note says" {
  sed 's/"torch_dtype"/"quantization_config": {"quant_method": "fp8"}, "torch_dtype"/' llama.json >fp8.json
  run -0 "$ROOFLINE" model fp8.json --dtype fp16 --machine h100 --json
  [ "$(json '.precision | [.activations, .kv, .weights.mlp.format, .weights.head.format]')" = '["fp16","fp16","fp8","fp16"]' ]
  [ "$(json '[.notes[] | select(test("--dtype fp16 is of activations; weights stay as stored"))] | length')" = 1 ]
  run -0 "$ROOFLINE" model fp8.json --dtype fp16 --precision fp16 --machine h100 --json
  [ "$(json '[.precision.weights.mlp.format, .notes]')" = '["fp16",[]]' ]
  model --dtype fp16
  [ "$(json '[.precision.weights.mlp.format, .precision.kv, .notes]')" = '["fp16","fp16",[]]' ]
}

@test "nothing generated: no time per token, no decoding step" {
  run -0 "$ROOFLINE" model gpt2 batch=32 prompt=1024 generate=0 --machine a100 --json
  [ "$(json '[.tpot_seconds, .tokens_per_second, .phases.decode, .fusions[0].decode]')" = '[null,null,null,null]' ]
  [ "$(json '[.fusions[0] | has("encode", "prefill", "decode")]')" = '[true,true,true]' ]
  [ "$(json '.ttft_seconds > 0 and .request_seconds == .ttft_seconds')" = true ]
  for form in "" --analysis; do
    run -0 "$ROOFLINE" model gpt2 batch=32 prompt=1024 generate=0 --machine a100 $form
    has "TTFT"
    [[ $output != *TPOT* && $output != *decod* ]]
  done
  run -0 "$ROOFLINE" model gpt2 batch=1,2 prompt=1024 generate=0 --machine a100
  [[ $output != *TPOT* && $output != *decod* ]]
}

@test "model and its search give one time per token for the same plan, and say whose prompts count" {
  plan="batch=8 prompt=8192 generate=512 --precision w4a16 --machine h100"
  run -0 "$ROOFLINE" model llama-3.1-70b $plan --tp 2
  [[ $output =~ 'continuous  TTFT 1.'[0-9]+' s, TPOT 3'[0-9.]+" ms: other requests' prompts counted" ]]
  [[ $output =~ 'one batch   TTFT 9.'[0-9]+' s, TPOT 1'[45].[0-9]+' ms' ]]
  run -0 "$ROOFLINE" model llama-3.1-70b $plan --tp 2 --json
  tpot=$(json .continuous.tpot_seconds)
  near "$tpot" "$(json '.tpot_seconds + .continuous.wait_seconds')"
  near .continuous.wait_seconds "$(json '7 * .continuous.ttft_seconds / 512')"
  [ "$(json '.ttft_low_seconds < .ttft_seconds and .tpot_seconds < .tpot_high_seconds')" = true ]
  run -0 "$ROOFLINE" plan llama-3.1-70b users=8 prompt=8192 generate=512 chunk=8192 --precision w4a16 --machine h100 \
    --devices 2 --percentile mean --json
  near "$(json '.front[] | select(.tp == 2 and .batch == 8) | .tpot_seconds')" "$tpot"
}

@test "what does not fit has no times in its first lines; what fits has their range" {
  run -0 "$ROOFLINE" model llama-3.1-70b --machine h100
  [[ ${lines[0]} == *"does not fit, "*" short" && ${lines[1]} != *TTFT* && ${lines[0]} != *TTFT* ]]
  run -0 "$ROOFLINE" model llama-3.1-8b --machine h100
  [[ ${lines[0]} == *"fits, "*" spare" && ${lines[2]} == "  range       TTFT "*" to "*", TPOT "*" to "* ]]
  for i in 0 1 2; do [ ${#lines[$i]} -le 80 ]; done
}

@test "what does not fit has no times anywhere, and what would make it fit is said" {
  for machine in h100 a100; do
    run -0 "$ROOFLINE" model llama-3.1-70b --machine $machine
    [[ ! ${output#*prefill:} =~ [0-9]\ (m|µ|)s ]]
    [[ $output != *TPOT* && $output != *MFU* && $output != *share* ]]
    [[ ${lines[1]} == "  fits with   --precision "*" spare), "*"tp=2 ("* ]]
    run -0 "$ROOFLINE" model llama-3.1-70b tp=2 --machine $machine
    [[ ${lines[0]} == *": fits, "* ]]
  done
  run -0 "$ROOFLINE" model llama-3.1-70b --machine h100 --json
  [ "$(json '[.. | objects | to_entries[] | select((.key | test("seconds$|per_second$|^mfu$|^mbu$|joules")) and (.value | type == "number") and (.key | test("kernel|latency|bytes_per") | not)) | .key]')" = '[]' ]
  [ "$(json '[.memory.fits, (.phases.decode.flops > 0), (.phases.decode.seconds | has("expected")), (.fits_with | length > 2)]')" = '[false,true,true,true]' ]
  change=$(jq -r '.fits_with[0].change' <<<"$output")
  run -0 "$ROOFLINE" model llama-3.1-70b $change --machine h100 --json
  [ "$(json '[.memory.fits, .fits_with]')" = '[true,null]' ]
  run -0 "$ROOFLINE" model llama-3.1-70b --machine h100 --csv
  [ "$(cut -d, -f 20- <<<"${lines[1]}" | tr -d ,)" = "" ]
  run -0 "$ROOFLINE" model llama-3.1-405b --machine h100
  [[ ${lines[*]:1:3} == *"tp=8 pp=2 ("* ]]
  run -2 "$ROOFLINE" model llama-3.1-70b --machine h100 --analysis
  [[ $output == "roofline: llama-3.1-70b does not fit, 53.01 GiB short on each device, so it has no times; fits with "* ]]
  run -2 "$ROOFLINE" energy llama-3.1-70b --machine h100
  run -2 "$ROOFLINE" seal llama-3.1-70b --machine h100
  run -0 "$ROOFLINE" advise llama-3.1-70b --machine h100
  has "what would make it fit"
}

@test "a setting by another name says where to look" {
  run -2 "$ROOFLINE" model llama-3.1-8b --machine h100 input=8k output=100
  has 'setting `input`: unknown; tokens in are prompt=, tokens out generate='
  run -2 "$ROOFLINE" advise llama-3.1-8b --machine h100 measured=7ms
  has 'judged by `roofline claim MODEL tpot=TIME`'
}

@test "a precision has the names that a format has" {
  run -0 "$ROOFLINE" model llama-3.1-8b --machine h100 --precision fp8 --json
  want=$(jq '[.ttft_seconds, .tpot_seconds]' <<<"$output")
  for name in fp8_e4m3 float8_e4m3fn e4m3; do
    run -0 "$ROOFLINE" model llama-3.1-8b --machine h100 --precision $name --json
    [ "$(jq '[.ttft_seconds, .tpot_seconds]' <<<"$output")" = "$want" ]
  done
}

@test "kernels as PyTorch launched them are no graph's" {
  run -0 "$ROOFLINE" model llama-3.1-8b --machine h100 --framework eager
  has "eager launches, as PyTorch's were timed"
  [[ $output != *"graph launches"* ]]
}
