#!/usr/bin/env bats
# roofline validate: how far predictions are from what others measured.

setup() {
  load lib.bash
  start
}

@test "what is wrong in a table of timings is said with its place, column and value" {
  head=sys,fw,gemm_dtype,kernel_source,m,n,k,us
  says() {
    printf '%s\n' "$1" "$2" >t.csv
    run -2 "$ROOFLINE" validate t.csv
    [ "$output" = "roofline: t.csv:$3" ]
  }
  says $head h100_sxm,,bfloat61,x,1,1024,1024,4.2 '2:11: gemm_dtype: dtype `bfloat61`: unknown; known: fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, fp3, int8, int4'
  for time in -3 nan 0 us ''; do
    says $head "h100_sxm,,bfloat16,x,1,1024,1024,$time" "2:34: us \`$time\`: must be a time over 0"
  done
  says ${head/,k,/,} h100_sxm,,bfloat16,x,1,1024,4.2 '1: gemm needs the column `k`'
  says ${head/,us/} h100_sxm,,bfloat16,x,1,1024,1024 '1: gemm needs the column `us`'
}

@test "the first line says how far off, the rest by what" {
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE"/tests/fixtures/import/timings-*.csv
  [ "$status" -eq 0 ]
  [[ ${lines[0]} =~ ^[0-9.]+" % off (median of 12 timings), "[0-9.]+" % of them inside the predicted interval"$ ]]
  grep -qE '^ +gemm +5 ' <<<"$output"
  grep -q 'left out: 1: pow: no operation here' <<<"$output"
  grep -q 'left out: 1: machine `Processor of nobody`: unknown' <<<"$output"
}

@test "one schema, the same figures in JSON, CSV and text" {
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE/tests/fixtures/import/timings-gemm.csv" --machine b200 --json
  [ "$(jq -r .schema <<<"$output")" = roofline.accuracy/1 ]
  [ "$(jq -r .machine <<<"$output")" = nvidia-b200-hgx ]
  [ "$(jq '.all.timings' <<<"$output")" -eq 6 ]
  [ "$(jq '[.by[] | select(. != []) | map(.timings) | add] | unique' -c <<<"$output")" = "[6]" ]
  median=$(jq '.all.median_error' <<<"$output")
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE/tests/fixtures/import/timings-gemm.csv" --machine b200 --csv
  [ "${lines[0]}" = "name,timings,median_error,mean_error,p90_error,bias,median_error_of_lower,fraction_inside_interval,fraction_below_lower" ]
  awk -F, -v m="$median" 'NR == 2 { exit !($3 - m < 1e-9 && m - $3 < 1e-9) }' <<<"$output"
}

@test "a split fits a part and judges the rest" {
  awk 'BEGIN { print "split,op,dev,B,H,us"
    for (i = 0; i < 200; i++) { n = int(1000 * 1.07 ^ i); printf "train,relu,a100,1,%d,%.5g\n", n, 7 + 8 * n / 1e6 } }' >t.csv
  run --separate-stderr "$ROOFLINE" validate t.csv --split shape --json
  jq -e '.all.timings < 80 and .all.median_error < 0.02' <<<"$output"
  run --separate-stderr "$ROOFLINE" validate t.csv --split device
  [ "$status" -eq 2 ] && [[ $stderr == *"fewer than 20 other timings"* ]]
  run --separate-stderr "$ROOFLINE" validate t.csv --split shapes
  [ "$status" -eq 2 ] && [[ $stderr == *'did you mean `shape`'* ]]
}

@test "a drawing of measured against predicted times" {
  awk 'BEGIN { print "split,op,dev,B,H,us"
    for (i = 0; i < 400; i++) { n = int(1000 * 1.03 ^ i); printf "train,relu,a100,1,%d,%.5g\n", n, 7 + 8 * n / 1e6 } }' >t.csv
  "$ROOFLINE" validate t.csv --to t.svg --quiet
  grep -q 'Measured against predicted' t.svg && grep -q 'stream' t.svg
  head -3 t.csv >few.csv
  run --separate-stderr "$ROOFLINE" validate few.csv --to few.svg
  [ "$status" -eq 2 ] && [[ $stderr == *"too few timings"* ]] && [ ! -e few.svg ]
}

@test "what PyTorch launched a call at a time is judged as launched so" {
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE/tests/fixtures/import/softmax_A100.csv" --json
  [ "$output" = "$("$ROOFLINE" validate "$ROOFLINE_SOURCE/tests/fixtures/import/softmax_A100.csv" --framework eager --json)" ]
  jq -e '.all.timings > 0' <<<"$output"
}

@test "collectives of several nodes are left out as such" {
  printf 'node,op,num_workers,devices_per_node,rank,bytes_or_elems,median_us,min_us\n%s\n%s\n%s\n' \
    a100_dgx,all_reduce,2,2,0,2048,43,31 a100_dgx,all_reduce,16,8,0,2048,43,31 a100_dgx,send_recv,2,1,0,2048,43,31 >n.csv
  run --separate-stderr "$ROOFLINE" validate n.csv
  [ "$status" -eq 0 ]
  grep -q 'left out: 1: all_reduce: its ranks lie on several nodes, which no operation here says; `roofline cluster` predicts those' <<<"$output"
  grep -q 'left out: 1: send_recv: its ranks lie on several nodes' <<<"$output"
  ! grep -q 'known to be the same' <<<"$output"
}

@test "the devices of DeepBench that the catalogue has" {
  printf 'dev,sheet,M,N,K,tA,tB,us\n' >d.csv
  printf '%s,Results FP32,1024,128,1024,N,N,100\n' NV_P100 NV_T4 NV_V100 >>d.csv
  run --separate-stderr "$ROOFLINE" validate d.csv --json
  [ "$(jq -c '[.by.device[].name] | sort' <<<"$output")" = '["nvidia-p100-pcie","nvidia-t4","nvidia-v100-sxm2-32gb"]' ]
  [ "$(jq -c .left_out <<<"$output")" = '[]' ]
}

@test "errors: no file, no shapes, a row that is none" {
  run --separate-stderr "$ROOFLINE" validate
  [ "$status" -eq 2 ] && [[ $stderr == *"which file of timings?"* ]]
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE/tests/fixtures/import/stream.txt"
  [ "$status" -eq 2 ] && [[ $stderr == *"no timing can be judged"* ]]
  printf 'sys,fw,gemm_dtype,kernel_source,m,n,k,us\nh100_sxm,a,bfloat16,x,1,2,none,5\n' >t.csv
  run --separate-stderr "$ROOFLINE" validate t.csv
  [ "$status" -eq 2 ] && [[ $stderr == *"t.csv:2: "* ]]
}

# The figures of what is published; the goals are those of a bare roofline, which every later version must beat.
@test "published timings of four devices" {
  measured=$ROOFLINE_SOURCE/../shared/measured/aiconfigurator
  [ -d "$measured" ] || skip "no ../shared/measured"
  run --separate-stderr "$ROOFLINE" validate "$measured"/gemm_*.csv --json
  [ "$(jq '.all.timings' <<<"$output")" -ge 73000 ]
  jq -e '.by.format | map(select(.name == "bf16"))[0].median_error < 0.2' <<<"$output"
  jq -e '.all.median_error < 0.5 and .all.fraction_below_lower < 0.02' <<<"$output"
}

@test "runs of whole models: a plan of many words, fusion among them" {
  plan='batch=64 prompt=2048 dp=2 tp=2 pp=2 microbatches=32 interleave=2 zero=1 memory_share=95% workspace=512MB fuse=qkv,rope recompute=selective'
  printf 'model,device,settings,dtype,weights,ttft_seconds,tpot_seconds,step_seconds,how\nllama-3.1-8b,h100,"train %s",,,,,9,mine\n' "$plan" >t.csv
  run --separate-stderr "$ROOFLINE" validate t.csv --json
  [ "$status" -eq 0 ]
  # shellcheck disable=SC2086  # words
  near .all.bias "$("$ROOFLINE" model llama-3.1-8b --train $plan --machine h100 --json | jq '.step_seconds / 9 - 1')"
  printf 'model,device,settings,dtype,weights,ttft_seconds,tpot_seconds,step_seconds,how\nllama-3.1-8b,h100,%s,,,,,9,mine\n' \
    "train$(printf ' sp%.0s' $(seq 40))" >t.csv
  run --separate-stderr "$ROOFLINE" validate t.csv
  [[ $stderr == *'settings: 30 words at most: train sp sp'* ]]
}

@test "runs of whole models: TTFT and TPOT as model predicts them, by model, device, formats and engine" {
  serving=$ROOFLINE_SOURCE/tests/fixtures/import/model-runs-serving.csv
  run --separate-stderr "$ROOFLINE" validate "$serving" --json
  [ "$status" -eq 0 ]
  [ "$(json '[.all.timings, (.by.operation | map({(.name): .timings}) | add)]')" = '[16,{"TPOT":6,"TTFT":5,"request":5}]' ]
  [ "$(json '.by.model[] | select(.name == "TPOT, openai/gpt-oss-120b").timings')" = 1 ]
  [ "$(json '.by.kernel')" = '[]' ]
  for why in 'prefill and decoding on devices of their own' 'more devices than a node' 'gives no time' Unknown-1B; do
    json '.left_out[].why' | grep -q "$why"
  done
  near '.by.model[] | select(.name == "TPOT, nvidia/Qwen3-32B").bias' "$("$ROOFLINE" model qwen3-32b batch=4 prompt=2000 generate=200 \
    --precision fp8-block --tp 2 --machine h100 --json | jq '.continuous.tpot_seconds / 12e-3 - 1')"
  # ten requests for each at once: a tenth starts together and waits for half of the others on average, the others queue up as they
  # come at random in the time of a request; 17 ms of the host, 4.5 us for a token, two and a half steps
  "$ROOFLINE" model qwen3-32b batch=4 prompt=2000 generate=200 --precision fp8-block --tp 2 --machine h100 --json >model.json
  jq '.continuous | (.ttft_seconds + 200 * .tpot_seconds) as $whole | (4 * .ttft_seconds / $whole) as $busy
    | (1 / (2 * (1 - $busy) / $busy + 1 / (0.45 * 2))) as $queue
    | .ttft_seconds * (1 + (3 / 2 + 9 * $queue) / 10) + 0.017 + 2000 * 4.5e-6 + 2.5 * .tpot_seconds' model.json >ttft
  near '.by.model[] | select(.name == "TTFT, nvidia/Qwen3-32B").bias' "$(jq '. / 0.3 - 1' ttft)"
  near '.by.model[] | select(.name == "request, nvidia/Qwen3-32B").bias' \
    "$(jq --slurpfile ttft ttft '($ttft[0] + 199 * .continuous.tpot_seconds) / (0.3 + 199 * 12e-3) - 1' model.json)"
  run --separate-stderr "$ROOFLINE" validate "$serving" --machine b200 --json
  [ "$(json '.by.device[].name' | sort -u)" = "$(printf '"%s, nvidia-b200-hgx"\n' TPOT TTFT request | sort)" ]
  run --separate-stderr "$ROOFLINE" validate "$serving" --machine b200
  # each figure by itself, also in the first line; of one device and one model nothing is said twice
  [[ ${lines[0]} =~ ^"TPOT "[0-9.]+" % off (median of "[0-9]+" runs), TTFT "[0-9.]+" %, request "[0-9.]+" %; "[0-9.]+" % of them inside the predicted interval"$ ]]
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE/examples/vllm.json" --machine h100 tp=1 weights=fp8
  [[ ${lines[0]} == "TPOT "*" (median of 1 run), TTFT "* ]]
  [ "$(grep -c '^  TPOT' <<<"$output")" = 1 ]
}

@test "serving points are predicted as the scripts that made them say: caches, drawn lengths, kernels; drafted tokens are left out" {
  header=$(head -1 "$ROOFLINE_SOURCE/tests/fixtures/import/model-runs-serving.csv")
  row() { echo "a,made up,$1,$2,$3,b200_sxm,fp8,agg,$4,$4,fp8,fp8,8,8,1,1,8,1,,,,,,,,,,,,,,,300,10"; }
  { echo "$header"; row trtllm 1.2.0rc6.post2 deepseek-ai/DeepSeek-V3 1024; } >one.csv
  { echo "$header"; row sglang 0.5.9 deepseek-ai/DeepSeek-V3 1000; } >other.csv
  { cat one.csv; row trtllm 1.2.0rc6.post3 deepseek-ai/DeepSeek-R1 1024; } >drafted.csv
  tpot() { "$ROOFLINE" validate "$@" --json | jq -c '.by.operation[] | select(.name == "TPOT").bias'; }
  [ "$("$ROOFLINE" import one.csv --json | jq -r .kernels[0].name | grep -o 'prompt=[0-9]* generate=[0-9]*')" = "prompt=922 generate=922" ]
  [ "$("$ROOFLINE" import other.csv --json | jq -r .kernels[0].name | grep -o 'prompt=[0-9]* generate=[0-9]*')" = "prompt=1000 generate=1000" ]
  "$ROOFLINE" validate drafted.csv --json >answer.json
  jq -e '.all.timings == 3 and (.left_out[0].why | test("draft tokens"))' answer.json
  # the experts are FlashInfer's, as vLLM has them, unless a framework is asked for
  [ "$(tpot one.csv)" != "$(tpot one.csv --framework trtllm)" ]
  "$ROOFLINE" validate other.csv --json >answer.json
  jq -e --argjson own "$("$ROOFLINE" model deepseek-v3 batch=8 prompt=1000 generate=1000 tp=8 --precision fp8-block --kv fp8 --framework sglang --machine b200 --json |
    jq '.continuous.tpot_seconds / 10e-3 - 1')" '.by.operation[] | select(.name == "TPOT") | (.bias - $own | fabs) < 1e-3' answer.json
}

@test "serving points whose table says something else than their scripts and checkpoints" {
  header=$(head -1 "$ROOFLINE_SOURCE/tests/fixtures/import/model-runs-serving.csv")
  row() { echo "a,made up,vllm,0.19.0,$1,$2,$3,agg,1024,1024,$3,$3,8,2,1,$4,1,$5,,,,,,,,,,,,,,,300,10"; }
  name() { { echo "$header"; row "$@"; } >row.csv && "$ROOFLINE" import row.csv --json | jq -r .kernels[0].name; }
  # MiniMax has no replicas of its attention: 16 requests on the two devices that hold all experts
  [[ $(name MiniMaxAI/MiniMax-M2.5 b200_sxm fp8 2 4) == *"batch=16 "*"tp=2 pp=1 dp=1 ep=2"* ]]
  [ "$("$ROOFLINE" import row.csv --json | jq '.kernels | length')" = 1 ] # and is no second run, of the table's own plan
  [[ $(name moonshotai/Kimi-K2.5 b200_sxm fp8 2 4) == *"batch=16 "*"tp=2 pp=1 dp=2 ep=4"* ]]
  # its experts on Hopper are Triton's, as SGLang has them
  tpot() { "$ROOFLINE" validate row.csv "$@" --json | jq '.by.operation[] | select(.name == "TPOT").bias'; }
  name MiniMaxAI/MiniMax-M2.5 h200_sxm fp8 1 1
  [ "$(tpot)" != "$(tpot --framework vllm)" ]
  # attention of DeepSeek in nvfp4 is not quantised
  [[ $(name deepseek-ai/DeepSeek-R1 b200_sxm nvfp4 1 1) == *nvfp4,mixer=bf16,experts=nvfp4* ]]
  [[ $(name meta-llama/Llama-3.1-70B b200_sxm nvfp4 1 1) == *nvfp4,experts=nvfp4* ]]
  # answers of lengths that are drawn come further apart than those of one length, but not than those that nothing is known of
  name meta-llama/Llama-3.1-8B h200_sxm fp8 1 1
  ttft() { "$ROOFLINE" validate row.csv --json | jq '.by.operation[] | select(.name == "TTFT").bias'; }
  drawn=$(ttft)
  sed -i 's/,1024,1024,/,922,922,/' row.csv
  [ "$(jq -n "$drawn > $(ttft)")" = true ]
}

@test "llama-bench's tables: prompts and tokens apart, on devices whose memory is the one we know" {
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE"/tests/fixtures/import/model-runs-{llama,apple}.csv --json
  [ "$(json '.by.operation | map(.timings)')" = '[7,6]' ]
  json '.left_out[].why' | grep -q 'RTX 4090: our machine of that name has another memory'
  near '.by.device[] | select(.name == "TPOT, nvidia-rtx-3090").bias' "$("$ROOFLINE" model llama-2-7b prompt=1 generate=128 --dtype fp16 \
    --precision q4_0 --machine rtx-3090 --json | jq '.tpot_seconds * 150 - 1')"
}

@test "published tables of layers and attention: kernels alone, with their launch, sizes in the name of the file" {
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
  run --separate-stderr "$ROOFLINE" validate "$fixtures"/frontier-{layers,attention}.csv --json
  [ "$(json '[.all.timings, (.by.how | map({(.name): .timings}) | add), (.by.device | map(.name))]')" = \
    '[15,{"CUDA_EVENT":8,"KERNEL_ONLY":7},["nvidia-h800-sxm"]]' ]
  run --separate-stderr "$ROOFLINE" validate "$fixtures/mha__decode__h20__32-8-128.csv" --json
  [ "$(json '[.all.timings, (.by.format | map(.name))]')" = '[2,["bf16","bf16, cache fp8"]]' ]
  near .all.bias "$(json .by.kernel[0].bias)"
  run --separate-stderr "$ROOFLINE" import "$fixtures/mha__decode__h20__32-8-128.csv" --json
  json '.kernels[].name' | grep -q 'attention batch=8 heads=32 q_len=1 kv_len=4096 head_dim=128 kv_heads=8 bf16 (h20, FlashInfer)'
  cp "$fixtures/mha__decode__h20__32-8-128.csv" shapeless.csv
  run --separate-stderr "$ROOFLINE" import shapeless.csv
  [ "$status" -eq 2 ]
  mkdir -p mla/decode/h20 && cp "$fixtures/mla__decode__h20__128-512-64.csv" mla/decode/h20/128-512-64.csv
  run --separate-stderr "$ROOFLINE" import mla/decode/h20/128-512-64.csv --json
  json '.kernels[0].name' | grep -q '^"mla batch=16 heads=128 '
}

@test "rows of numbers whose file says the operation" {
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
  run --separate-stderr "$ROOFLINE" validate "$fixtures"/{matmul,softmax,gelu}_A100.csv --json
  [ "$(json '[.all.timings, (.by.operation | map(.name))]')" = '[6,["gelu","gemm","softmax"]]' ]
  run --separate-stderr "$ROOFLINE" import "$fixtures/softmax_A100.csv" --json
  near '.kernels[] | select(.name == "softmax rows=4096 cols=4096 fp16").seconds' "$(jq -n '4096 * 4096 / 250.5e9')"
  cp "$fixtures/softmax_A100.csv" numbers.csv
  run --separate-stderr "$ROOFLINE" import numbers.csv
  [ "$status" -eq 2 ] && [[ $stderr == *"the file's name gives operation and device"* ]]
}

@test "a table of one's own: settings in words, training steps too" {
  run --separate-stderr "$ROOFLINE" validate "$ROOFLINE_SOURCE/tests/fixtures/import/model-runs-own.csv" --json
  near '.by.operation[] | select(.name == "training step").bias' "$("$ROOFLINE" model llama-3.1-8b --train batch=8 prompt=2048 \
    --microbatches 8 --tp 2 --sp --recompute full --machine h200 --json | jq '.phases.train.seconds.expected / 4 - 1')"
  [ "$(json '.by.operation | map(.timings) | add')" = 3 ]
}
