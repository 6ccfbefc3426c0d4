#!/usr/bin/env bats
# roofline import: formats of tools for accelerators; what each says where a file is cut, of another kind or has nothing in it.

setup() {
  load lib.bash
  start
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
}

refuses() {
  run --separate-stderr "$ROOFLINE" import "${@:2}"
  [ "$status" -eq 2 ]
  [[ $stderr == *"$1"* ]]
  [ -z "$output" ]
}

@test "what ncu prints for people is read: times, shares, bytes, with and without headings" {
  run -0 "$ROOFLINE" import "$fixtures/ncu-text.txt" --json
  [ "$(json '[.kernels[] | [.name, .calls]]')" = \
    '[["void sgemm<(int)64>(int, const float *, float *)",2],["copy(float *, int)",1],["void stencil<float, 16>(const T1 *, T1 *)",1]]' ]
  near '.kernels[0].total_seconds' 3.00425e-3
  near '.kernels[0].counters.occupancy' 0.469
  near '.kernels[2].bytes.DRAM' 286.272e6
  run -0 "$ROOFLINE" import "$fixtures/ncu-text-dated.txt" --json
  equals '.kernels[0] | [.name, .seconds, .bytes.DRAM]' '["scale(float*)",1.245e-05,8290000]'
}

@test "tensor instructions of Turing are not taken for Volta's, in a table for people as in CSV" {
  local edge='    ----------------------------------- ----------- ------------'
  local text="  k(int), Context 1, Stream 7, Device 0, CC %s\n    Section: Command line profiler metrics\n$edge\n"
  text+="    sm__inst_executed_pipe_tensor.sum          inst        1,000\n$edge\n"
  local csv='"ID","Process ID","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"\n'
  csv+='"0","1","k(int)","%s","sm__inst_executed_pipe_tensor.sum","inst","1,000"\n'
  for form in "$text" "$csv"; do
    for chip in '7.0 512000' '7.5 null'; do
      printf -- "$form" "${chip% *}" >tensor
      run -0 "$ROOFLINE" import tensor --format ncu --json
      [ "$(json '.kernels[0].flops.fp16')" = "${chip#* }" ]
    done
  done
}

@test "tensor instructions of unknown shape keep a kernel from being judged by the rest of its work" {
  {
    echo '"ID","Process ID","Process Name","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"'
    printf '"0","1","a","flash_fwd_kernel","8.0","%s","%s","%s"\n' gpu__time_duration.sum ns 1000000 \
      sm__inst_executed_pipe_tensor.sum inst 50000000 smsp__sass_thread_inst_executed_op_fadd_pred_on.sum inst 0 \
      smsp__sass_thread_inst_executed_op_fmul_pred_on.sum inst 0 \
      smsp__sass_thread_inst_executed_op_ffma_pred_on.sum inst 1000000000 dram__bytes.sum byte 134000000 \
      smsp__sass_thread_inst_executed_op_hadd_pred_on.sum inst 500000000 \
      smsp__sass_thread_inst_executed_op_hmul_pred_on.sum inst 500000000 \
      smsp__sass_thread_inst_executed_op_hfma_pred_on.sum inst 500000000
  } >flash.csv
  run -0 "$ROOFLINE" import flash.csv --machine a100
  has 'matrix not counted'
  [[ $output != *"lost against"* ]]
  run -0 "$ROOFLINE" import flash.csv --machine a100 --json
  [ "$(json '.kernels[0] | [.not_counted, .fraction_of_ceiling, .verdict, .flops.fp16, .flops["fp16 vector"]]')" = \
    '["matrix",null,null,null,4000000000]' ]
  [[ $(json '.kernels[0].counted | .fp16.source + .["fp16 vector"].source') == *'tensor instructions were counted,'*'2 hadd'* ]]
  printf 'Start (ns),Duration (ns),CorrId,GrdX,Device,Strm,Name\n0,900000,1,8,A (0),7,flash_fwd_kernel\n' >times.csv # the times of one file, the counts of the other
  for files in 'times.csv flash.csv' 'flash.csv times.csv'; do
    run -0 "$ROOFLINE" import $files --machine a100 --json
    [ "$(json '.kernels[0] | [.not_counted, .total_seconds]')" = '["matrix",0.0009]' ]
  done
}

@test "cells of used metrics that are no figures are said to be left out; none of what nobody uses" {
  {
    echo '"ID","Process ID","Process Name","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"'
    printf '"0","1","a","k","9.0","%s","%s","%s"\n' gpu__time_duration.sum ns -292,928 \
      dram__bytes.sum byte 134,221,56X lts__t_bytes.sum parsec 5 sm__warps_active.avg.pct_of_peak_sustained_active % nan \
      l1tex__t_bytes.sum byte n/a launch__nobody inst many sm__ops_path_tensor_src_fp16.sum "" 1e
  } >cells.csv
  run -0 "$ROOFLINE" import cells.csv --json
  [ "$(json '[.skipped[] | .what + ": " + .why]')" = '["gpu__time_duration.sum: `-292,928 ns` is below 0",'\
'"dram__bytes.sum: `134,221,56X byte` is no number","lts__t_bytes.sum: `5 parsec` is in a unit that is not known here",'\
'"sm__warps_active.avg.pct_of_peak_sustained_active: `nan %` is no number","sm__ops_path_tensor_src_fp16.sum: `1e` is no number"]' ]
  [ "$(json '.kernels[0] | [.seconds, .flops, .bytes]')" = '[null,null,null]' ]
  run -0 "$ROOFLINE" import cells.csv
  has 'left out: gpu__time_duration.sum: `-292,928 ns` is below 0'
}

@test "half-precision multiply-adds of kernels of float load constants" {
  local row='"0","1","a","%s","9.0","smsp__sass_thread_inst_executed_op_%s_pred_on.sum","inst","%s"\n'
  {
    echo '"ID","Process ID","Process Name","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"'
    for kernel in 'pool<float, float>(int)' 'pool<c10::Half, float>(int)' 'cast<float, __nv_bfloat16>(int)' 'pool(int)' 'sums<float>(int)'; do
      case $kernel in sums*) adds=8 ;; *) adds=0 ;; esac
      printf "$row" "$kernel" hfma 1000 "$kernel" hadd "$adds" "$kernel" hmul 0
    done
  } >halves.csv
  run -0 "$ROOFLINE" import halves.csv --json
  [ "$(json '[.kernels[] | [.name, .flops.fp16]] | sort')" = '[["cast<float, __nv_bfloat16>(int)",4000],["pool(int)",4000],'\
'["pool<c10::Half, float>(int)",4000],["pool<float, float>(int)",null],["sums<float>(int)",4016]]' ]
  [ "$(json '.kernels[] | select(.name | startswith("pool<float")) | .counted.fp16.source')" = \
    '"HFMA2 instructions that load constants, no arithmetic"' ]
}

@test "a table of ncu without its units or values is refused, and so is a time or bytes without a unit" {
  local head='"ID","Process ID","Process Name","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"'
  local row='"0","1","a","k","9.0","%s","%s","%s"\n'
  echo "$head" | sed 's/,"Metric Unit"//' >t
  printf '"0","1","a","k","9.0","%s","%s"\n' gpu__time_duration.sum 12.5 >>t
  refuses 't:1: the table has no column "Metric Unit"' t
  echo "$head" | sed 's/,"Metric Value"//' >t
  printf '"0","1","a","k","9.0","%s","%s"\n' gpu__time_duration.sum us >>t
  refuses 't:1: the table has no column "Metric Value"' t
  printf '%s\n' '"ID","Process ID","Process Name","Kernel Name","CC","gpu__time_duration.sum"' '"0","1","a","k","9.0","12500"' >t
  refuses 't:2: the table has no row of units below the names of its columns' t
  { echo "$head"; printf "$row" gpu__time_duration.sum '' 12.5 dram__bytes.sum '' 100 sm__cycles_elapsed.max cycle 5; } >t
  run -0 "$ROOFLINE" import t
  has 'left out: gpu__time_duration.sum: `12.5` is without a unit'
  has 'left out: dram__bytes.sum: `100` is without a unit'
}

@test "what ncu printed without a kernel says where it went" {
  printf '==PROF== Connected to process 8 (/a)\n==PROF== Report: /tmp/k.ncu-rep\n' >t
  refuses 't:2: no kernel in it: ncu wrote what it counted to /tmp/k.ncu-rep' t
  printf '==ERROR== ERR_NVGPUCTRPERM\n==PROF== Disconnected\n' >t
  refuses 't:2: no kernel in it; ncu said: ERR_NVGPUCTRPERM' t
  printf '  k, Context 1, Stream 7\n    Section: Occupancy\n    ---- -- --\n    Duration us 9e99999\n' >t
  run -0 "$ROOFLINE" import t --format ncu --json
  [ "$(json '.kernels[0] | [.name, .calls, .seconds]')" = '["k",1,null]' ]
}

# sql STATEMENT...: changes a copy of the database, db.
sql() {
  cp "$fixtures/rocpd.db" db
  python3 -c 'import sqlite3, sys
db = sqlite3.connect("db")
for statement in sys.argv[1:]: db.execute(statement.replace("@", "_0000508d_3a2f_7b3c_8e51_6d0c2f4b9a17"))
db.commit()' "$@"
}

@test "a database of rocprofv3 is read by its tables: times, copies, counters summed over their instances" {
  run -0 "$ROOFLINE" import "$fixtures/rocpd.db" --json
  [ "$(json '[.format, .device, .machine]')" = '["rocpd","AMD Instinct MI300X","amd-mi300x"]' ]
  [ "$(json '[.kernels[] | [.name, .calls]] | sort')" = \
    '[["[copy device to host]",1],["[copy host to device]",1],["axpy(double*, double*, double, int)",2],["gemm_naive",1]]' ]
  near '.kernels[] | select(.name | startswith("axpy")) | .total_seconds' 198e-6
  near '.kernels[] | select(.name | startswith("axpy")) | .flops.fp64' 33554432
  near '.kernels[] | select(.name | startswith("axpy")) | .bytes.DRAM' 402653184
  near '.facts.idle_seconds' 1102e-6
}

@test "databases of rocprofv3 without a kernel, of a later version, cut or changed are refused, each with its reason" {
  sql 'DELETE FROM "rocpd_kernel_dispatch@"'
  refuses 'db: no kernel in it: rocprofv3 records them with --kernel-trace' db
  sql 'ALTER TABLE "rocpd_kernel_dispatch@" RENAME COLUMN start TO start_id' 'CREATE TABLE "rocpd_timestamp@" (id)'
  refuses 'a rocpd database whose table rocpd_kernel_dispatch has no column start' db
  sql 'DROP TABLE "rocpd_info_agent@"'
  refuses 'a rocpd database whose table rocpd_info_agent has no column id' db
  sql 'CREATE TABLE "rocpd_timestamp@" (id)' 'UPDATE "rocpd_metadata@" SET value = 4 WHERE tag = '"'schema_version'"
  run -0 "$ROOFLINE" import db --json
  [ "$(json '[.kernels[].calls] | add')" = 5 ]
  head -c 9000 "$fixtures/rocpd.db" >db
  refuses 'damaged or truncated' db
  sql 'UPDATE "rocpd_kernel_dispatch@" SET "end" = 1 WHERE id = 2' 'UPDATE "rocpd_info_kernel_symbol@" SET display_name = NULL, kernel_name = NULL'
  run -0 "$ROOFLINE" import db
  has 'left out: unnamed: it ends before it starts'
}

@test "a document of rocprofv3 is read in place: names by number, in whatever order calls stand, counters of all instances" {
  run -0 "$ROOFLINE" import "$fixtures/rocprofv3.json" --json
  [ "$(json '[.format, .device]')" = '["rocprof-json","AMD Instinct MI300X"]' ]
  near '.kernels[] | select(.name | startswith("axpy")) | .total_seconds' 198e-6
  near '.kernels[] | select(.name | startswith("axpy")) | .flops.fp32' 33554432
  near '.kernels[] | select(.name | startswith("axpy")) | .bytes.DRAM' 201326592
  near '.kernels[] | select(.name == "[copy host to device]") | .bytes.link' 134217728
  "$ROOFLINE" import "$fixtures/rocprofv3.json" --by stream --json >parts
  [ "$(jq -r '[.parts[] | "\(.part): \(.calls) \(.seconds * 1e6 | round)"] | join("; ")' parts)" = 'device 0, stream 1: 3 4198; device 0, stream 2: 1 1000' ]
  near '.facts.idle_seconds' 1014e-6
  jq 'del(.[][].buffer_records)' "$fixtures/rocprofv3.json" >counted.json
  run -0 "$ROOFLINE" import counted.json --json
  [ "$(json '[.kernels[] | .calls] | add')" = 3 ]
}

@test "documents of rocprofv3 that are cut, malformed or without calls are refused where they are" {
  head -c 9000 "$fixtures/rocprofv3.json" >t
  refuses 'the file ends inside its document' t
  printf '{"rocprofiler-sdk-tool": [{"agents": [}]}' >t
  refuses 't:1:39: malformed JSON' t
  printf '{"rocprofiler-sdk-tool": [{"agents": 7, "kernel_symbols": "x", "buffer_records": {"kernel_dispatch": 1}}]}' >t
  refuses 't: no kernel in it: rocprofv3 records them with --kernel-trace' t
  printf '{"rocprofiler-sdk-tool": [{"buffer_records": {"kernel_dispatch": [{"start_timestamp": 99999999999999999999, "end_timestamp": "x"}]}}]}' >t
  run -0 "$ROOFLINE" import t
  has 'left out: unnamed: its start and end are no times'
}

@test "what rocprofv3 --summary prints is counted once, whatever tables have it" {
  run -0 "$ROOFLINE" import "$fixtures/rocprofv3-summary.txt" --json
  [ "$(json '[.kernels[] | [.name, .calls, .total_seconds]] | sort')" = \
    '[["[copy device to host]",8,0.000626417],["[copy host to device]",16,0.003691929],["axpy(double*, double*, double, int)",2,0.000198],["gemm_naive",1,0.001]]' ]
  sed '1,/^ROCPROFV3 MEMORY/d;s/nsec/msec/' "$fixtures/rocprofv3-summary.txt" >t
  run -0 "$ROOFLINE" import t --json
  near '.kernels[] | select(.name == "gemm_naive") | .total_seconds' 1000
  grep -v KERNEL_DISPATCH "$fixtures/rocprofv3-summary.txt" | grep -v 'MEMORY_COPY_' >t
  refuses 'no kernel in its tables' t
  sed 's/ 198000 / ...... /' "$fixtures/rocprofv3-summary.txt" >t
  refuses 't:15: no calls and time of `axpy' t
}

@test "operators that ran on the processor have the time of their own, and none is lost" {
  run -0 "$ROOFLINE" import "$fixtures/kineto-cpu.json" --json
  near '[.kernels[].total_seconds] | add' 1785e-6
  near '.kernels[] | select(.name == "aten::addmm") | .seconds' 779.5e-6
  near '.kernels[] | select(.name == "aten::addmm") | .flops.fp32' 134217728 0.01
  near '.kernels[] | select(.name == "aten::linear") | .seconds' 10e-6
  [ "$(json '.kernels[] | select(.name == "aten::linear") | .flops')" = null ]
  near '.facts.span_seconds' 1890e-6
  sed 's/\("cat": "\)cpu_op\(", "name": "aten::relu\)/\1mtia_ccp_events\2/' "$fixtures/kineto-cpu.json" >mtia.json
  run -0 "$ROOFLINE" import mtia.json --json
  [ "$(json '[.kernels[].name]')" = '["aten::relu"]' ]
  sed 's/cpu_op/user_annotation/' "$fixtures/kineto-cpu.json" >t
  refuses 'no kernel and no operator in this trace' t
  sed 's/"dur": 8/"dur": -8/' "$fixtures/kineto-cpu.json" >t
  run -0 "$ROOFLINE" import t
  has 'its ts and dur are no times'
}

@test "traces of XLA: operations of devices, a loop without what is inside it, FLOPs and bytes of its analysis" {
  run -0 "$ROOFLINE" import "$fixtures/xla-gpu.json" --json
  [ "$(json '[.format, ([.kernels[] | [.name, .calls]] | sort)]')" = '["xla",[["MemcpyH2D",1],["loop_add_fusion",1],["nvjet_tst_128x128",2]]]' ]
  near '[.kernels[].total_seconds] | add' 130.5e-6
  run -0 "$ROOFLINE" import "$fixtures/xla-tpu.json" --json
  near '[.kernels[].total_seconds] | add' 260e-6
  near '.kernels[] | select(.name == "while.7") | .seconds' 19e-6
  near '.kernels[] | select(.name == "fusion.1") | .flops.bf16' 68719476736
  near '.kernels[] | select(.name == "fusion.1") | .bytes.DRAM' 92274688
  sed 's|/device:GPU:0|/device:CPU:0|' "$fixtures/xla-gpu.json" >t
  refuses 'a trace of XLA without a device' t
  sed 's|Stream #|Line #|' "$fixtures/xla-gpu.json" >t
  refuses 'a trace of XLA without an operation on its devices' t
  sed 's/"dur": 50.25/"dur": "x"/' "$fixtures/xla-gpu.json" >t
  run -0 "$ROOFLINE" import t
  has 'left out: nvjet_tst_128x128: its ts and dur are no times'
  head -c 1200 "$fixtures/xla-gpu.json" >t
  refuses 'it ends too early, before any operation of a device' t
}

@test "a product of XLA has the format of what it multiplies, whatever that of its result" {
  sed 's/fusion.1 = bf16\[/fusion.1 = f32[/' "$fixtures/xla-tpu.json" >wide.json
  run -0 "$ROOFLINE" import wide.json --filter fusion --machine h100 --json
  [ "$(json '.kernels[0] | [(.flops | keys), .binding]')" = '[["bf16"],"bf16 matrix"]' ]
  near '.kernels[0].fraction_of_ceiling' 0.7675 1e-3
  # what does not multiply computes in the format of its result
  sed 's/"convolution fusion"/"loop fusion"/' wide.json >loop.json
  run -0 "$ROOFLINE" import loop.json --filter fusion --json
  [ "$(json '.kernels[0].flops | keys')" = '["fp32"]' ]
}

@test "collectives of XLA are communication, and not judged by the memory" {
  run -0 "$ROOFLINE" import "$fixtures/xla-tpu.json" --machine h100 --json
  judged='.kernels[] | select(.name == "all-reduce.3") | [.bytes, .flops, .fraction_of_ceiling, .counted.link.quality]'
  [ "$(json "$judged")" = '[null,null,null,"missing"]' ]
  near '.time.devices[0].communication_seconds' 60e-6
  run -0 "$ROOFLINE" import "$fixtures/xla-tpu.json" --machine h100 --by class
  has communication
  [[ $output != *reduction* ]]
}

@test "profiles of ONNX Runtime: nodes, without the time of graphs inside them; a device's times are the host's" {
  run -0 "$ROOFLINE" import "$fixtures/onnxruntime.json" --json
  near '[.kernels[].total_seconds] | add' 2074e-6
  near '.kernels[] | select(.name == "If_0 [If]") | .seconds' 50e-6
  sed 's/CPUExecutionProvider/CUDAExecutionProvider/' "$fixtures/onnxruntime.json" >t
  run -0 "$ROOFLINE" import t
  has "what nodes of CUDAExecutionProvider do: their times are the host's"
  grep -v '"Node"' "$fixtures/onnxruntime.json" >t
  refuses 'no node of a model ran in this profile' t
  sed 's/"dur" :660/"dur" :1e99/' "$fixtures/onnxruntime.json" >t
  run -0 "$ROOFLINE" import t
  has 'Convolution28 [Conv]: its ts and dur are no times'
}

@test "trtexec: layers, queries, and the summary of its log" {
  run -0 "$ROOFLINE" import "$fixtures/trtexec-profile.json" --json
  near '[.kernels[].total_seconds] | add' 146.4377e-3
  [ "$(json '[.kernels[].calls] | unique')" = '[625]' ]
  run -0 "$ROOFLINE" import "$fixtures/trtexec-times.json" --json
  near '.kernels[] | select(.name == "inference") | .total_seconds' 12.75e-3
  run -0 "$ROOFLINE" import "$fixtures/trtexec.log" --json
  [ "$(json '[.device, .kernels[0].name, .kernels[0].calls]')" = '["NVIDIA A10","inference",704]' ]
  near '.kernels[0].total_seconds' 3.00598
  near .facts.mean_latency_seconds 4.54566e-3
  echo '[ { "count" : 3 }, { "name" : "a", "timeMs" : "x", "averageMs" : 1 } ]' >t
  refuses 't: no layer and no query with a time in it' t
  echo '[ { "name" : "a", "timeMs" : 1, "averageMs" : ' >t
  refuses 'not JSON' t
  grep -v 'GPU Compute' "$fixtures/trtexec.log" >t
  refuses 'no performance summary of trtexec in it' t
}

@test "nvbench: a state for each point of its axes, with the bytes that it declares" {
  run -0 "$ROOFLINE" import "$fixtures/nvbench.json" --json
  [ "$(json '[.device, (.kernels | length)]')" = '["NVIDIA A100-SXM4-80GB",3]' ]
  near '.kernels[] | select(.name == "copy_sweep T=F32 Elements{io}=67108864") | .bytes.DRAM' 536870912
  near '.kernels[] | select(.name == "reduce T=I32 Elements{io}=1048576") | .seconds' 1.25e-5
  [ "$(json '.skipped[0].why')" = '"not enough memory"' ]
  jq 'del(.benchmarks[].states[].summaries)' "$fixtures/nvbench.json" >t
  refuses 'no benchmark with a time in it' t
  jq '.benchmarks[0].states[0].summaries[0].data = 7 | .benchmarks[0].states[1].axis_values = "x"' "$fixtures/nvbench.json" >t
  run -0 "$ROOFLINE" import t
}

@test "hotspots of VTune between tabs and commas" {
  run -0 "$ROOFLINE" import "$fixtures/vtune.csv" --json
  near '[.kernels[].total_seconds] | add' 22.2
  run -0 "$ROOFLINE" import "$fixtures/vtune-comma.csv" --json
  near '[.kernels[].total_seconds] | add' 1.75
  sed 's/21.875\t21.875/fast\t21.875/' "$fixtures/vtune.csv" >t
  printf 'Function\tCPU Time\n"a\nb"\t fast\n' >u
  refuses "u:3:5: ' fast' is no time in seconds of a" u
  refuses "t:2:11: 'fast' is no time in seconds of multiply1" t
  head -1 "$fixtures/vtune.csv" >t
  refuses 't:1: a header without functions' t
}

@test "nvbandwidth: links of a machine, the best pair of each, as text and JSON" {
  run -0 "$ROOFLINE" import "$fixtures/nvbandwidth.txt" --json
  [ "$(json '[.title, [.links[] | [.name, .bytes_per_second]]]')" = '["NVIDIA H100 80GB HBM3",[["PCIe",57400000000],["device to device",395120000000]]]' ]
  run -0 "$ROOFLINE" import "$fixtures/nvbandwidth.json" --json
  [ "$(json '[.links[] | [.name, .bytes_per_second]]')" = '[["host to device",412396400000]]' ]
  grep -v '^ [01]' "$fixtures/nvbandwidth.txt" >t
  refuses 'no copy between a host and a device or between devices' t
  echo '{"nvbandwidth": {"testcases": [{"name": "host_to_device_memcpy_ce", "bandwidth_matrix": [["N/A"], 3]}]}}' >t
  refuses 'no copy between a host and a device or between devices' t
}

@test "collectives of more ranks than a link joins are not judged by it" {
  for ranks in 8 16; do
    {
      echo '# all_reduce_perf nThread 1 nGpus 8 minBytes 8 maxBytes 100000000 (GB/s)'
      for rank in $(seq 0 $((ranks - 1))); do
        echo "#  Rank $rank Group  0 Pid 1 on host device $rank [0x00] NVIDIA H100 80GB HBM3"
      done
      echo '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong'
      awk -v n="$ranks" 'BEGIN { printf "100000000 25000000 float sum -1 1000.0 100.00 %.2f 0 1000.0 100.00 %.2f 0\n", 200 * (n - 1) / n, 200 * (n - 1) / n }'
    } >"$ranks.txt"
  done
  run -0 "$ROOFLINE" import 8.txt --machine h100 --json
  [ "$(json '.kernels[0] | [.binding, (.fraction_of_ceiling * 1000 | round)]')" = '["NVLink 4",389]' ]
  run -0 "$ROOFLINE" import 16.txt --machine h100 --json
  [ "$(json '.kernels[0] | [.binding, .fraction_of_ceiling, .lost_seconds, .why]')" = \
    '[null,null,null,"its links join at most 8 devices, not 16; between nodes `roofline cluster` has all-reduces, `model` plans"]' ]
  run -0 "$ROOFLINE" import 16.txt --machine h100
  has 'all_reduce 100000000 B: its links join at most 8 devices, not 16'
  jq -c '.traceEvents |= map(if .args."Group size" then .args."Group size" = 64 else . end)' "$fixtures/kineto-rank0.json" >64.json
  run -0 "$ROOFLINE" import 64.json --machine h100 --json
  [[ $(json '.kernels[] | select(.name | startswith("nccl")) | .why') == *'at most 8 devices, not 64'* ]]
}

@test "statistics of whole domains are not taken for kernels" {
  printf '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"HIP_API",3,8300000,2766666,90\n"KERNEL_DISPATCH",3,1198000,399333,10\n"MEMORY_ALLOCATION_ALLOCATE",1,5,5,0\n' >domain.csv
  refuses 'statistics of whole domains: give kernel_stats.csv' domain.csv
}
