#!/usr/bin/env bats
# roofline import: formats of benchmarks and of the processor, what of them is read and how they are refused.

setup() {
  load lib.bash
  start
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
}

refuses() { # TEXT FILE [OPTION...]
  run --separate-stderr "$ROOFLINE" import "${@:2}"
  [ "$status" -eq 2 ]
  [[ $stderr == "roofline: $1"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
  [ -z "$output" ]
}

@test "Google Benchmark's table says what its JSON says" {
  run -0 "$ROOFLINE" import "$fixtures/gbench.txt" --json
  local copy='.kernels | map(select(.name == "BM_copy<int, float>/1024"))[0]'
  equals "($copy) | [.calls, .seconds, .items]" '[500000,1.024e-06,256]'
  near "($copy).bytes.DRAM" 2147.483648 # 2 GiB/s, written 2G/s, x 1 us
  near '.kernels | map(select(.name | startswith("BM_dot")))[0].flops.fp32' 2.5e6
  [ "$(json '[.skipped[].why]')" = '["no device here","too slow"]' ]
  head -9 "$fixtures/gbench.txt" >none.txt
  refuses 'none.txt:1: no benchmark with a time in it' none.txt
  printf 'Benchmark  Time  CPU Iterations\nBM_x  1e400 ns  1 ns 5\nBM_y  3 ns  3 ns 99999999999999999999\n' >huge.txt
  refuses 'huge.txt:1: no benchmark with a time in it' huge.txt
}

@test "hyperfine's runs are samples, and its parameters are in the name" {
  run -0 "$ROOFLINE" import "$fixtures/hyperfine.json" --json
  [ "$(json '[.kernels[] | [.name, .calls, .samples]][0]')" = '["sort -j 1 in (threads=1)",3,[0.4875,0.5,0.5125]]' ]
  [ "$(json .facts.runs_that_failed)" = '"2"' ]
  local json='{"results":[{"command":"x","stddev":1,"median":1,"mean":'
  printf '%s' "$json" >cut.json
  refuses 'cut.json:1:' cut.json
  printf '%s' "$json"'"no","times":{}}]}' >types.json
  refuses 'types.json:1: no command with a time in it' types.json
  printf '%s' "$json"'1,"times":[1e300,-1,"x",null]}]}' >huge.json
  run -0 "$ROOFLINE" import huge.json --json
  [ "$(json '.skipped[0].times')" = 4 ]
  printf 'command,mean,stddev,median,user,system,min,max\n' >empty.csv
  refuses 'empty.csv:1: no command with a time in it' empty.csv
}

# taken FILE [ZONE]: when the file says it was measured.
taken() {
  TZ=${2:-UTC} "$ROOFLINE" import "$1" --json | jq -r 'if .taken_from == "file" then .taken else .taken_from end'
}

@test "the date that a benchmark writes is when it was measured, in its own time zone or in that of this system" {
  echo '{"date": "20260131-120100", "model_id": "a/b", "duration": 60, "completed": 1, "request_throughput": 1}' >vllm.json
  [ "$(taken vllm.json)" = 2026-01-31T12:00:00.999Z ]
  [ "$(taken vllm.json JST-9)" = 2026-01-31T03:00:00.999Z ]
  sed 's/20260131/29990131/' vllm.json >later.json
  [ "$(taken later.json)" = 'date of the file' ]
  sed 's/20260131-120100/2026-01-31/' vllm.json >day.json
  [ "$(taken day.json)" = 'date of the file' ]
  echo '{"context": {"date": "2026-01-31T12:00:00+02:00"}, "benchmarks": [{"name": "a", "iterations": 1, "real_time": 5, "time_unit": "us"}]}' >gbench.json
  [ "$(taken gbench.json JST-9)" = 2026-01-31T10:00:00.999Z ]
  sed -i 's/T12:00:00+02:00/ 12:00:00/' gbench.json
  [ "$(taken gbench.json EST5)" = 2026-01-31T17:00:00.999Z ]
  test='"model_type": "llama 7B Q4_0", "model_size": 4e9, "model_n_params": 7e9, "n_prompt": 512, "n_gen": 0, "avg_ns": 1e8, "avg_ts": 5120'
  printf '[{%s, "test_time": "2026-01-31T12:00:07Z"}, {%s, "test_time": "2026-01-31T12:00:00Z"}]' "$test" "$test" >llama.json
  [ "$(taken llama.json JST-9)" = 2026-01-31T12:00:00.999Z ]
}

@test "a seal that comes after the date in the file is refused, whatever the date of the file" {
  echo '{"context": {"date": "2026-01-31T12:00:00+00:00"}, "benchmarks": [{"name": "a", "iterations": 1, "real_time": 5, "time_unit": "us"}]}' >gbench.json
  "$ROOFLINE" predict add n=1Mi --machine "$h989" --dtype fp32 --seal --label a >/dev/null
  touch gbench.json
  run -1 --separate-stderr "$ROOFLINE" import gbench.json --ledger roofline.ledger
  [[ $stderr == *'taken 2026-01-31T12:00:00.999Z, before its prediction was sealed'* ]]
}

@test "pytest-benchmark's rounds have several calls each" {
  run -0 "$ROOFLINE" import "$fixtures/pytest-benchmark.json" --json
  equals '[.kernels[] | [.calls, .total_seconds]]' '[[12,0.024],[40,2e-05]]'
  [ "$(json '[.taken, .device]')" = '["2026-01-31T12:00:00.250Z","AMD EPYC 7763 64-Core Processor"]' ]
  local json='{"machine_info":{"python_version":"3"},"commit_info":{},"benchmarks":['
  printf '%s' "$json" >cut.json
  refuses 'cut.json:1:' cut.json
  printf '%s]}' "$json" >empty.json
  refuses 'empty.json:1: no benchmark in it' empty.json
  printf '%s{"name":3,"stats":[]},{"name":"x","stats":{"rounds":1e300,"mean":1}}]}' "$json" >types.json
  refuses 'types.json:1: no benchmark in it' types.json
}

@test "GenAI-Perf's JSON and CSV say the same, and GuideLLM's runs are one each" {
  local same='.kernels[0] | [.seconds, .items, .counters.mean_ttft_seconds, .counters.p99_tpot_seconds, .counters.median_e2e_seconds]'
  for file in genai-perf.json genai-perf.csv; do
    run -0 "$ROOFLINE" import "$fixtures/$file" --json
    [ "$(json "$same")" = '[20,102400,0.08,0.009,1.99]' ]
  done
  run -0 "$ROOFLINE" import "$fixtures/genai-perf.json" --json
  [ "$(json '.kernels[0].name')" = '"serving some/model, 8 at once"' ]
  run -0 "$ROOFLINE" import "$fixtures/guidellm-0.3.json" --json
  [ "$(json '[.kernels[] | [.name, .seconds, .counters.failed_requests]]')" = '[["serving some/model, 1 at once",25,null],["serving some/model, 4 requests/s",25,3]]' ]
  { sed '/"requests": {$/,$d' "$fixtures/guidellm.json"
    printf '"requests": {"successful": ['
    yes '{"output":"a \"quoted\" ]}"},' | head -140000 || true
    printf '{}]}}]}'; } >many.json # more objects than a document may have
  run -0 "$ROOFLINE" import many.json --json
  [ "$(json '.kernels[0].seconds')" = 32 ]
  head -c 900 "$fixtures/guidellm.json" >cut.json
  refuses 'cut.json:' cut.json
  printf '{"benchmarks":[{"type_":"generative_benchmark","metrics":{"requests_per_second":{}},"duration":"x"}]}' >types.json
  refuses 'types.json:1: no run with a duration in it' types.json
  printf 'Metric,avg,min,max\nRequest Latency (ms),x,1,1\n' >empty.csv
  refuses 'empty.csv:1: no run with a duration in it' empty.csv
}

@test "MLPerf's summary says whether its run is valid" {
  run -0 "$ROOFLINE" import "$fixtures/mlperf-server.txt"
  has 'result: INVALID'
  has 'p99 ttft: 1.761 s'
  run -0 "$ROOFLINE" import "$fixtures/mlperf-single.txt" --json
  [ "$(json '.kernels[0] | [.name, .seconds, .counters.median_latency_seconds]')" = '["BERT SERVER SingleStream",0.001818181,0.0018]' ]
  head -5 "$fixtures/mlperf-single.txt" >cut.txt
  refuses 'cut.txt:1: no latency or rate of samples in it' cut.txt
  sed 's/PerformanceOnly/AccuracyOnly/' "$fixtures/mlperf-single.txt" >accuracy.txt
  refuses 'accuracy.txt:1: a run for accuracy alone' accuracy.txt
  sed 's/1818181/1e400/; s/: 550.00/: -5/' "$fixtures/mlperf-single.txt" >huge.txt
  refuses 'huge.txt:1: no latency or rate of samples in it' huge.txt
}

@test "perftest's sizes are measured against its own best, and its MB are binary" {
  run -0 "$ROOFLINE" import "$fixtures/perftest.txt" --json
  local row='.kernels | map(select(.name == "RDMA_Write BW 65536 B"))[0]'
  near "($row).seconds" 5.33333e-6 # 65536 B / (11718.75 x 2^20 B/s)
  [ "$(json '.machine')" = '"mlx5-0"' ]
  near '.kernels | map(select(.name == "RDMA_Write BW 4096 B"))[0].fraction_of_ceiling' 0.9386667
  equals '.kernels | map(select(.name == "RDMA_Write Latency 2 B"))[0] | [.seconds, .fraction_of_ceiling]' '[1.5e-06,null]'
  run -0 "$ROOFLINE" import "$fixtures/perftest-gbits.txt" --json
  near '.kernels | map(select(.name | startswith("Send Bi")))[0].seconds' 6.5536e-6 # 80 Gb/s each way
  run -0 "$ROOFLINE" import "$fixtures/perftest.txt" --machine h100
  has '0 % of the time can be judged'
  head -20 "$fixtures/perftest.txt" >cut.txt
  refuses 'cut.txt:20: no row of a size and a bandwidth or latency in it' cut.txt
  printf ' #bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]\n 2 5 x y\n 2 1e300 1 1\n 0 5 1 1 1\n 4 5 -1 -1 0\n' >bad.txt
  refuses 'bad.txt:5: no row of a size and a bandwidth or latency in it' bad.txt
}

@test "perf script's samples are time by symbol, the leaf of a chain" {
  run -0 "$ROOFLINE" import "$fixtures/perf-script.txt" --json
  [ "$(json '[.kernels[] | select(.calls > 0) | [.name, .calls, .total_seconds]] | sort')" = '[["[unknown] (libx.so.1)",1,0.005],["inner (my program)",2,0.01],["std::vector<int, std::allocator<int> >::push_back(int&&) (my program)",1,0.0025]]' ]
  [ "$(json '.kernels | map(select(.name | startswith("clear")))[0].counters')" = '{"page-faults":12}' ]
  [ "$(json '[.device, .facts.samples]')" = '["AMD EPYC 7763 64-Core Processor","5"]' ]
  run -0 "$ROOFLINE" import "$fixtures/perf-script-chains.txt" --json
  near '.kernels | map(select(.name == "inner (burn)"))[0].total_seconds' 0.002 # 6e6 cycles at 3 GHz, the median
  [ "$(json '.kernels | map(select(.name == "inner (burn)"))[0].counters')" = '{"instructions":100000}' ]
  [ "$(json '.kernels | map(select(.name == "[unknown]"))[0].calls')" = 1 ] # a chain of nothing
  head -1 "$fixtures/perf-script-chains.txt" >cut.txt
  run -0 "$ROOFLINE" import cut.txt
  has 'left out: time: no event with a period counts it'
  echo x >other.txt
  refuses 'other.txt:1: no sample in it' other.txt --format perf-script
  printf 'a 1 5.000000: 1e400 cycles: 12 f (x)\na 1 6.000000: 99999999999999999999999999999 cpu-clock: 12 f (x)\n' >huge.txt
  run -0 "$ROOFLINE" import huge.txt --format perf-script --json
  [ "$(json '.kernels[0].total_seconds')" = null ]
}

@test "perf stat -I: sums as before, and how the rates change" {
  run -0 "$ROOFLINE" import "$fixtures/perf-interval.txt" --json
  near '.kernels[0].seconds' 1.2
  local counters='.kernels[0].intervals'
  near "$counters.\"least_task-clock_per_second\"" 0.2
  near "$counters.\"median_task-clock_per_second\"" 0.8
  near "$counters.\"most_task-clock_per_second\"" 1
  near "$counters.least_cycles_per_second" 2e9 # the interval before was not counted
  near "$counters.most_cycles_per_second" 4e9
  [ "$(json .facts.intervals)" = '"3"' ]
  run -0 "$ROOFLINE" import "$fixtures/perf-interval.txt"
  has 'busy processors (task-clock): 0.2 to 1, median 0.8'
  has 'page-faults by interval: 0 /s to 3.000 k/s, median 100.0 /s'
  head -3 "$fixtures/perf-interval.txt" >cut.txt
  refuses 'cut.txt:3: no row of perf stat' cut.txt
}

@test "runs that perf stat appended to one log are calls of one kernel" {
  local what='[(.kernels | length), (.kernels[0] | .calls, .total_seconds, .flops, .bytes)]' # the last two per call
  for file in perf-x.csv perf-j.json perf-table-de.txt perf-bare-clock.txt perf-interval.csv perf-interval.txt; do
    run -0 "$ROOFLINE" import "$fixtures/$file" --json
    local one
    one=$(json "$what | .[1:3] |= map(. * 2)")
    cat "$fixtures/$file" "$fixtures/$file" >twice
    run -0 "$ROOFLINE" import twice --json
    [ "$(json "$what")" = "$one" ] || { echo "$file: $(json "$what"), not $one"; return 1; }
    grep -v '^# started' twice >bare # as standard error has it, and as later versions write JSON
    run -0 "$ROOFLINE" import bare --json
    [ "$(json "$what")" = "$one" ] || { echo "$file without comments: $(json "$what"), not $one"; return 1; }
  done
  [ "$(json .facts.intervals)" = '"6"' ] # of perf-interval.txt
  near '.kernels[0].intervals."least_task-clock_per_second"' 0.2
  near '.kernels[0].intervals."most_task-clock_per_second"' 1

  # Runs of different length, one of them without the elapsed time; a clock that stands twice among the events of one run.
  printf '%s,msec,task-clock,1,100.00,%s,CPUs utilized\n%s,,fp_ret_sse_avx_ops.all,1,100.00,,\n' 500 0.5 1000 9000 1.5 5000 >clocks.csv
  printf '2000000000,ns,duration_time,1,100.00,,\n' >>clocks.csv
  run -0 "$ROOFLINE" import clocks.csv --json
  [ "$(json '.kernels[0] | [.calls, .total_seconds, .flops.fp64]')" = '[2,3,3000]' ] # FLOPs per call
  { echo '# started on Sat Jan 31 12:00:00 2026'; cat clocks.csv; } >one.csv
  run -0 "$ROOFLINE" import one.csv --json
  [ "$(json '.kernels[0] | [.calls, .total_seconds]')" = '[1,2]' ]

  # Another program is another kernel; a run whose time perf did not write leaves the sum unknown.
  sed "s/mein programm/anderes/" "$fixtures/perf-table-de.txt" | cat - "$fixtures/perf-table-de.txt" >other.txt
  run -0 "$ROOFLINE" import other.txt --json
  [ "$(json '[.kernels[] | [.name, .calls]] | sort')" = '[["./anderes",1],["./mein programm",1]]' ]
  { cat one.csv; echo '# started on Sat Jan 31 12:00:01 2026'; grep fp_ret clocks.csv; } >untimed.csv
  run -0 "$ROOFLINE" import untimed.csv --json
  [ "$(json '.kernels[0] | [.calls, .total_seconds, .flops.fp64]')" = '[2,null,6000]' ]
}

@test "Caliper's regions have their own time" {
  local rows='[.kernels[] | [.name, .calls, .total_seconds]] | sort'
  run -0 "$ROOFLINE" import "$fixtures/caliper-split.json" --json
  [ "$(json "$rows")" = '[["(outside of regions)",1,0.5],["MPI_Send",1,0.25],["main",2,2.5],["solve",2,5]]' ]
  [ "$(json .facts.ranks)" = 2 ]
  run -0 "$ROOFLINE" import "$fixtures/caliper-inclusive.json" --json
  [ "$(json "$rows")" = '[["cycle",1,2],["force",1,1],["main",1,1]]' ] # microseconds, without those in them
  # Of main, main/step and main/step/solve the second has no row: its part is main's.
  printf '{"data":[[9,0],[5,2],[1,3]],"columns":["time (inc)","path"],"column_metadata":[{"is_value":true},{"is_value":false}],"nodes":[%s]}' \
    '{"label":"main"},{"label":"step","parent":0},{"label":"solve","parent":1},{"label":"norm","parent":2}' >gap.json
  run -0 "$ROOFLINE" import gap.json --json
  [ "$(json "$rows")" = '[["main",1,4],["norm",1,1],["solve",1,4]]' ]
  sed 's/"label":"step","parent":0/"label":"step","parent":4/; s/}]}/},{"label":"loop","parent":1}]}/' gap.json >circle.json
  run -0 "$ROOFLINE" import circle.json --json
  [ "$(json "$rows")" = '[["main",1,9],["norm",1,1],["solve",1,4]]' ]
  run -0 "$ROOFLINE" import "$fixtures/caliper.json" --json
  [ "$(json "$rows")" = '[["(outside of regions)",1,0.125],["main",1,1.5],["solve",2,4.75]]' ]
  head -4 "$fixtures/caliper-split.json" >cut.json
  refuses 'cut.json:' cut.json
  printf '{"data":[[1]],"columns":["count"],"column_metadata":[{"is_value":true}],"nodes":[]}' >none.json
  refuses 'none.json:1: no column of time in it' none.json
  printf '[{"path":"a","time.inclusive.duration":5}]' >inclusive.json
  refuses 'inclusive.json:1: no time of a region alone in it' inclusive.json --format caliper
  printf '{"data":[["x",9],[1e300,-5],{}],"columns":["time","path"],"column_metadata":[{"is_value":true},{"is_value":false}],"nodes":[{"parent":0}]}' >types.json
  refuses 'types.json:1: no row with a time in it' types.json
}

@test "BabelStream's kernels have the FLOPs of their formulas" {
  printf 'Function    MBytes/sec  Min (sec)   Max         Average\n' >nstream.txt
  printf '%s %s.000 0.1 0.2 0.15\n' Copy 160 Mul 160 Add 240 Triad 240 Dot 160 Nstream 320 >>nstream.txt # 10^6 doubles each
  run -0 "$ROOFLINE" import nstream.txt --json
  [ "$(json '[.kernels[] | [.name, .flops.fp64 / 1e6]] | sort | flatten')" = '["Add",1,"Copy",0,"Dot",2,"Mul",1,"Nstream",3,"Triad",2]' ]
}

@test "OSU's one-sided tests keep their names, and are between two ranks" {
  for test in 'MPI' 'MPI_Put' 'MPI_Get' 'MPI_Accumulate' 'MPI_Put-CUDA' 'MPI-CUDA Bcast' 'MPI Allreduce'; do
    printf '# OSU %s Latency Test v7.3\n# Window creation: MPI_Win_allocate\n# Size          Latency (us)\n8 2.00\n' "$test"
  done >osu.txt
  run -0 "$ROOFLINE" import osu.txt --json
  local rows='[.kernels[] | [.name, .calls, .bytes.link]] | sort'
  [ "$(json "$rows")" = '[["Accumulate Latency 8 B",1,8],["Allreduce Latency 8 B",1,null],["Bcast Latency 8 B",1,8],["Get Latency 8 B",1,8],["Latency 8 B",1,8],["Put Latency 8 B",1,8],["Put-CUDA Latency 8 B",1,8]]' ]
}

@test "what llama-bench read of a mixture of experts is not known, however its type says that it is one" {
  local types='deepseek2 671B Q4_K - Medium|llama4 17Bx16E (Scout) Q8_0|llama4 ?B Q8_0|dbrx 16x12B F16|grok 314B Q4_0|arctic 10B+128x3.66B F16'
  types+='|dots1 142B Q8_0|gpt-oss 20B Q8_0|llama 8x7B Q4_0|qwen3moe 30B.A3B Q4_0|gptneox 8x7B F16'
  local dense='llama 70B Q4_0|gptneox 2.8B F16|xverse 7B Q8_0|gemma3n E4B Q8_0|hunyuan-dense 7B F16'
  tr '|' '\n' <<<"$types|$dense" | while read -r type; do
    printf '{"model_type": "%s", "model_size": 4e9, "model_n_params": 8e9, "n_gen": 10, "avg_ns": 1e9, "avg_ts": 10}\n' "$type"
  done >types.jsonl
  run -0 "$ROOFLINE" import types.jsonl --json
  local known='.kernels | map(select(.flops != null or .bytes != null) | .name | rtrimstr(" tg10")) | sort | join("|")'
  [ "$(json "$known")" = "\"$(tr '|' '\n' <<<"$dense" | LC_ALL=C sort | paste -sd '|')\"" ]
  [ "$(json '.kernels | length')" = 16 ]
}

@test "tests of llama-bench at a depth of the context are not judged without their KV cache" {
  for depth in 0 65536; do
    printf '{"model_type": "llama 8B Q8_0", "model_size": 8e9, "model_n_params": 8e9, "n_gen": 32, "n_depth": %s, "avg_ns": 1e9, "avg_ts": 32, "backends": "CUDA", "n_gpu_layers": 99}\n' "$depth"
  done >depth.jsonl
  run -0 "$ROOFLINE" import depth.jsonl --machine h100 --json
  [ "$(json '[.kernels[] | [.name, .not_counted, .fraction_of_ceiling != null]] | sort')" = \
    '[["llama 8B Q8_0 tg32",null,true],["llama 8B Q8_0 tg32 @ d65536","KV cache",false]]' ]
  run -0 "$ROOFLINE" import depth.jsonl --machine h100
  has 'at least 7.64 % of HBM, KV cache not counted'
}

@test "HPL's runs have its own count of FLOPs" {
  run -0 "$ROOFLINE" import "$fixtures/hpl.txt" --json
  near '.kernels | map(select(.name == "HPL n=10000 nb=192 p=2 q=2 WR11C2R4"))[0].flops.fp64' 666816666666.7
  [ "$(json '[.kernels[].total_seconds] | sort')" = '[10,20]' ]
  [ "$(json .facts.residual_checks_failed)" = '"1"' ]
  head -15 "$fixtures/hpl.txt" >cut.txt
  refuses 'cut.txt:15: no run with a time and Gflops in it' cut.txt
  sed 's/10\.00/1e400/; s/20\.00/-1/' "$fixtures/hpl.txt" >huge.txt
  refuses 'huge.txt:' huge.txt
}

@test "what is packed and ends before its first bytes are unpacked is not empty" {
  head -c 200 "$ROOFLINE_SOURCE/tests/fuzz/corpus/packed/osu.zst" >cut.zst
  refuses 'cut.zst: it ends too early, before anything that can be read' cut.zst --partial
}

@test "the same product is judged alike in a table of LLMCompass and one of timings" {
  run -0 "$ROOFLINE" import "$fixtures/matmul_A100.csv" --machine a100 --json
  judged='.kernels[] | select(.name | startswith("gemm m=4096 n=4096 k=4096")) | [.flops.fp16, .bytes.DRAM, .regime]'
  [ "$(json "$judged")" = '[137438953472,100663296,"compute"]' ]
  near '.kernels[] | select(.name | startswith("gemm m=4096 n=4096 k=4096")) | .fraction_of_ceiling' 0.7342 1e-3
}
