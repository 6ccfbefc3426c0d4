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
  [ "$(json '.kernels[0] | [.name, .seconds, .bytes.DRAM]')" = '["scale(float*)",1.245e-05,8290000]' ]
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
  sql 'CREATE TABLE "rocpd_timestamp@" (id)'
  refuses 'a rocpd database of version 4' db
  sql 'ALTER TABLE "rocpd_kernel_dispatch@" RENAME COLUMN start TO start_id'
  refuses 'SQLite: no such column: k.start' db
  sql 'DROP TABLE "rocpd_info_agent@"'
  refuses 'SQLite: no such table: rocpd_info_agent' db
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
