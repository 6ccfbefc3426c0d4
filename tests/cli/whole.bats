#!/usr/bin/env bats
# A whole model where a command takes an operation: claim, energy, advise, seal.

setup() {
  load lib.bash
  start
}

@test "a claim of a model's speed: possible, impossible, and what does not fit" {
  run -0 "$ROOFLINE" claim llama-3.1-8b tpot=6ms --machine h100
  [[ ${lines[0]} == "possible: a time per token of 6.000 ms is 1.30x the limit, 4.632 ms; expected 6."*" ms" ]]
  run -1 "$ROOFLINE" claim llama-3.1-8b tpot=1ms --machine h100
  [[ ${lines[0]} == 'impossible: a time per token of 1.000 ms is 4.6x faster than the limit allows, 4.632 ms; expected '* ]]
  run -1 "$ROOFLINE" claim llama-3.1-8b tpot=4ms --machine h100
  [[ ${lines[0]} == *' is 15.8 % faster than the limit allows, 4.632 ms; '* ]]
  run -2 "$ROOFLINE" claim llama-3.1-8b ttft=30 --machine h100
  has 'ttft=30: 30 s? write 30ms, or 30s'
  run -2 "$ROOFLINE" claim llama-3.1-8b tpot=6 --machine h100
  run -1 "$ROOFLINE" claim llama-3.1-8b batch=1 300tokens/s --machine h100 --json
  [ "$(json '[.schema, .quantity, .possible, .fits, (.claimed > .limit)]')" = '["roofline.model_claim/1","rate",false,true,true]' ]
  run -0 "$ROOFLINE" claim llama-3.1-8b 300tokens/s --weights fp8 --machine h100
  run -2 "$ROOFLINE" claim llama-3.1-8b 300tokens/s tpot=6ms --machine h100
  has 'claim: `tpot=6ms`: one speed or time at once'
  run -2 "$ROOFLINE" claim llama-3.1-8b tpot=6ms 300tokens/s --machine h100
  run -1 "$ROOFLINE" claim llama-3.1-70b ttft=1s --machine h100
  has "does not fit"
  run -0 "$ROOFLINE" claim llama-3.1-8b train batch=64 dp=8 zero=3 microbatches=8 mfu=45% --machine h100 --csv
  [[ ${lines[1]} == *"llama-3.1-8b,mfu,%,0.45,"* ]]
  run -2 "$ROOFLINE" claim llama-3.1-8b 5ms --machine h100
  has "ttft=5ms or tpot=5ms"
  run -2 "$ROOFLINE" claim llama-3.1-8b batch=2 --machine h100
  has "what is claimed"
  run -2 "$ROOFLINE" claim llama-3.1-8b tpot=5ms --group 128 --machine h100
  has "--group"
}

@test "a training step is judged by the most favourable of what is not said" {
  claims() { run "-$1" --separate-stderr "$ROOFLINE" claim llama-3.1-70b train batch=512 tp=8 dp=8 zero=1 --machine h100 "${@:2}"; }
  claims 0 mfu=55%
  [[ ${lines[0]} == "possible with microbatches=64 sp: an MFU of 55.0 % is "* ]]
  claims 0 mfu=55% --json
  [ "$(json '[.fits, .possible, .microbatches, .recompute, .sp]')" = '[true,true,64,"none",true]' ]
  said=$output
  claims 0 mfu=55% --sp microbatches=64 --json
  [ "$(json '.because |= sub("^possible: "; "possible with microbatches=64 sp: ")')" = "$(jq -c . <<<"$said")" ]
  claims 0 mfu=55% sp microbatches=64 recompute=none
  [[ ${lines[0]} == "possible: "* ]]
  claims 1 mfu=55% microbatches=1 recompute=none # stay as they are said
  [[ ${lines[0]} == "impossible even with sp: llama-3.1-70b does not fit, "* ]]
  claims 1 step=1s
  [[ ${lines[0]} == "impossible even with microbatches="*": a training step of 1.000 s is "*" faster than the limit allows, "* ]]
  run -0 "$ROOFLINE" claim llama-3.1-405b train batch=2048 prompt=8192 tp=8 pp=16 dp=64 microbatches=32 zero=1 mfu=43% --machine h100
  [[ ${lines[0]} == "possible with sp: "* ]]
  run -2 "$ROOFLINE" claim gemm m=64 n=64 k=64 1ms --sp --machine h100
  [ "$output" = 'roofline: --sp: of a model, whose name comes first' ]
}

@test "a claimed rate without a batch is judged over all that fit, as in prose" {
  run -0 "$ROOFLINE" claim llama-3.1-8b 12000tok/s --machine h100
  [[ ${lines[0]} == "possible at batch 64: a rate of 12.00 ktokens/s is "*" % of the limit, "* ]]
  has '  run      batch 64, 1 token in, 2 out, on 1 x NVIDIA H100 SXM5 80GB'
  rest=${lines[0]#possible}
  echo 'An H100 runs Llama 3.1 8B at 12000 tokens/s.' >page.md
  run -0 "$ROOFLINE" claim --scan page.md
  has "possible: llama-3.1-8b on NVIDIA H100 SXM5 80GB${rest%%;*}"
  run -0 "$ROOFLINE" claim llama-3.1-8b prompt=2k 9000tok/s --machine h100 --json
  batch=$(json .batch)
  run -0 "$ROOFLINE" model llama-3.1-8b prompt=2k --machine h100 --json
  [ "$(json .memory.largest_batch)" = "$batch" ]
  run -1 "$ROOFLINE" claim llama-3.1-8b prompt=2k 12000tok/s --machine h100
  [[ ${lines[0]} == "impossible at batch $batch, the most that fit: a rate of "* ]]
  run -1 "$ROOFLINE" claim llama-3.1-8b 1Mtok/s --machine h100
  [[ ${lines[0]} == "impossible at batch "*", short contexts, the most that fit: "* ]]
  run -1 "$ROOFLINE" claim llama-3.1-70b 20tok/s --machine h100
  [[ ${lines[0]} == "impossible: llama-3.1-70b does not fit, "* ]]
  run -1 "$ROOFLINE" claim bert-base prompt=16 1Gtok/s --machine h100
  [[ ${lines[0]} == "impossible at batch "*", the largest tried: "* ]]
}

@test "the energy of a model by phase" {
  run -0 "$ROOFLINE" energy llama-3.1-8b batch=32 --machine h100
  [[ ${lines[0]} == "llama-3.1-8b: at full power "*" per generated token, its prompt included" ]]
  for line in "${lines[@]}"; do [ ${#line} -le 80 ]; done
  run -0 "$ROOFLINE" energy llama-3.1-8b batch=32 --machine h100 --json
  [ "$(json '[.schema, .phases[0].phase, (.phases[0] | .joules / .seconds | round)]')" = '["roofline.model_energy/1","prefill",700]' ]
  run -0 "$ROOFLINE" energy llama-3.1-8b batch=32 --machine h100 --to x.svg
  [ "$output" = 'wrote x.svg' ]
  grep -q '>decode: product\|>decode: GEMM' x.svg
  run -0 "$ROOFLINE" energy llama-3.1-8b batch=32 --machine h100 --to x.html
  grep -q '<th scope="row">prefill: GEMM</th>' x.html
}

@test "what would make a model faster" {
  COLUMNS=80 run -0 "$ROOFLINE" advise llama-3.1-70b tp=2 batch=16 prompt=8k --weights w4a16 --machine h100
  for line in "${lines[@]}"; do [ ${#line} -le 80 ]; done
  has "prefix cache  75 % of each prompt held"
  has "4 free drafts, 70 % right"
  has "x: times as fast as now"
  run -0 "$ROOFLINE" advise llama-3.1-8b --machine h100 --json
  [ "$(json '[.schema, ([.levers[] | select(.helps) | .rate_gain] | . == (sort | reverse))]')" = '["roofline.model_levers/1",true]' ]
  run -0 "$ROOFLINE" model llama-3.1-8b prefix=75% --machine h100 --json
  ttft=$(json .ttft_seconds)
  run -0 "$ROOFLINE" advise llama-3.1-8b --machine h100 --json
  near '.levers[] | select(.lever == "prefix cache") | .ttft_seconds' "$ttft"
  run -0 "$ROOFLINE" advise llama-3.1-70b --machine h100
  [[ ${lines[0]} == "llama-3.1-70b: does not fit, "* ]]
  run -2 "$ROOFLINE" advise llama-3.1-8b --machine h100 --users 5
  has "--users"
}

@test "levers are sorted by the rate that they show; what only answers sooner stands apart" {
  run -0 "$ROOFLINE" advise llama-3.1-8b batch=256 prompt=512 --machine h100
  help=${output%%what would answer sooner*} sooner=${output##*what would answer sooner}
  [[ $help == *'launches'*'1.04x'* && $help == *'KV cache'*'1.02x'* && $help != *'0.73x'* ]]
  [[ ${sooner%%what would not*} == *'tp 2 instead of 1'*'0.73x'* ]]
  run -0 "$ROOFLINE" advise llama-3.1-8b batch=256 prompt=512 --machine h100 --json
  [ "$(json '[.levers[] | .helps == (.fits and .rate_gain >= 1.005)] | all')" = true ]
}

@test "a model is sealed by phase, measured and graded" {
  run -0 "$ROOFLINE" seal llama-3.1-8b batch=8 --machine h100 --mine 70%
  [[ ${lines[0]} == "2 predictions sealed"* ]]
  run -0 "$ROOFLINE" record "llama-3.1-8b decode batch=8 prompt=2048 generate=256" seconds=9ms
  run -1 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0] | [.label, .verdict]')" = '["llama-3.1-8b decode batch=8 prompt=2048 generate=256","low"]' ]
  echo "mine: llama-3.1-8b batch=4 --machine h100" >list.txt
  run -2 "$ROOFLINE" seal list.txt
  has "list.txt:1"
  echo "llama-3.1-8b batch=4 --machine h100,a100" >list.txt
  run -0 "$ROOFLINE" seal list.txt
  [[ ${lines[0]} == "4 predictions sealed"* ]]
  run -0 "$ROOFLINE" seal gemm m=1 n=8 k=8 --machine a100
  [[ ${lines[0]} == "1 prediction sealed"* ]]
  run -2 "$ROOFLINE" seal list.txt --dtype fp16
  has "line by line"
  run -2 "$ROOFLINE" predict llama-3.1-8b --machine h100
  has "roofline model"
}

@test "a model that keeps no keys and values has no lever on them" {
  run -0 "$ROOFLINE" advise mamba2-2.7b --machine h100
  [[ $output != *'keys and values'* ]]
  run -0 "$ROOFLINE" advise llama-3.1-8b --machine h100
  [[ $output == *'keys and values in fp8'* ]]
}

@test "-p is --precision wherever a model is named" {
  local command
  for command in 'claim llama-3.1-8b tpot=10ms' 'advise llama-3.1-8b' 'energy llama-3.1-8b' 'model llama-3.1-8b'; do
    run "$ROOFLINE" $command --machine h100 --precision fp8
    local long=$output
    run "$ROOFLINE" $command --machine h100 -p fp8
    [ "$output" = "$long" ]
  done
}

# A model of text and images, in words.json.
write_vision_model() {
  jq -n '{architectures: ["Qwen2_5_VLForConditionalGeneration"], model_type: "qwen2_5_vl", hidden_size: 3584,
    intermediate_size: 18944, num_hidden_layers: 28, num_attention_heads: 28, num_key_value_heads: 4,
    vocab_size: 152064, max_position_embeddings: 128000, hidden_act: "silu", rms_norm_eps: 1e-6,
    tie_word_embeddings: false, torch_dtype: "bfloat16",
    vision_config: {depth: 32, hidden_act: "silu", hidden_size: 1280, intermediate_size: 3420, num_heads: 16,
      in_chans: 3, out_hidden_size: 3584, patch_size: 14, spatial_merge_size: 2, spatial_patch_size: 14,
      window_size: 112, fullatt_block_indexes: [7, 15, 23, 31], temporal_patch_size: 2}}' >"$1"
}

@test "the encoder and the images belong to the first token of model, claim, plan and serve alike" {
  write_vision_model vl.json
  for words in whisper-large-v3 "vl.json" "vl.json prompt=4k images=2" "vl.json images=0"; do
    read -ra model <<<"$words"
    run -0 "$ROOFLINE" model "${model[@]}" --machine h100 --json
    ttft=$(json .ttft_seconds)
    least=$(json '[.phases.encode, .phases.prefill | select(. != null) | .seconds.lower] | add')
    joules=$(json '[.phases.encode, .phases.prefill | select(. != null) | .energy_joules] | add')
    run "$ROOFLINE" claim "${model[@]}" ttft=1ns --machine h100 --json
    near .expected "$ttft" && near .limit "$least"
    run -0 --separate-stderr "$ROOFLINE" serve "${model[@]}" --rate 0.01/s --requests 20 --host-time 0 --machine h100 --json
    near .runs[0].ttft.p50_seconds "$ttft" 5e-3
    run -0 --separate-stderr "$ROOFLINE" plan "${model[@]}" --rate 0.01/s --machine h100 --json
    near .best.prompt_seconds "$ttft"
    run -0 "$ROOFLINE" energy "${model[@]}" --machine h100 --json
    near '[.phases[] | select(.phase == "encode" or .phase == "prefill") | .joules] | add' "$joules"
  done
}

@test "as many images are encoded at once as fit a chunk of the prompts" {
  write_vision_model vl.json
  run -0 "$ROOFLINE" model vl.json images=1 batch=1 --machine h100 --json
  one=$(json .memory.activation_bytes)
  run -0 "$ROOFLINE" model vl.json images=0 batch=256 --machine h100 --json
  text=$(json .memory.activation_bytes) largest=$(json .memory.largest_batch)
  run -0 "$ROOFLINE" model vl.json images=1 batch=256 --machine h100 --json
  jq -e --argjson one "$one" --argjson text "$text" --argjson largest "$largest" \
    '.memory.activation_bytes <= ([6 * $one, $text] | max) and .memory.largest_batch == $largest' <<<"$output"
  run -0 --separate-stderr "$ROOFLINE" serve vl.json images=8 prompt=16k --rate 0.1/s --requests 20 --machine h100 --json
  [ "$(json '.runs[0].requests')" -eq 20 ]
}

@test "a model's config that is refused says why, in every command that takes one" {
  echo '{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
    "num_hidden_layers": 2, "vocab_size": 100, "new_key": 3}' >new.json
  for command in "energy new.json" "advise new.json" "claim new.json tpot=6ms" "plot new.json" "seal new.json"; do
    run -2 "$ROOFLINE" $command --machine h100
    has 'new.json:2:48: new_key: unknown key'
  done
  echo '{"model_type": "unheard_of"}' >other.json
  run -2 "$ROOFLINE" energy other.json --machine h100
  has 'model_type `unheard_of`: not a known architecture'
  sed 's/, "new_key": 3//' new.json >known.json
  run -0 "$ROOFLINE" plot known.json --machine h100 --to known.csv
}
