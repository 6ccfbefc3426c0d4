#!/usr/bin/env bats
# roofline import: every file of tests/fixtures/import as JSON (ROOFLINE_UPDATE_GOLDEN=1 rewrites tests/golden/import), then
# how the answers are chosen, sorted, drawn and refused.

setup() {
  load lib.bash
  start
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
}

@test "every fixture reads as its golden answer" {
  local bad=0
  export TZ=UTC # of the dates that have no zone
  for file in "$fixtures"/*; do
    golden=$ROOFLINE_SOURCE/tests/golden/import/$(basename "$file").json
    "$ROOFLINE" import "$file" --json >answer || { echo "$file: refused"; bad=1; continue; }
    # a machine has a key for every figure there is; what these files do not contain is left out
    command jq 'if .schema == "roofline.machine/1" then {schema, name, title, vendor, architecture,
      unit_kind, unit_count, clock_hz, peaks, levels} | del(.. | nulls)
      elif .taken_from == "date of the file" then del(.taken, .taken_from) else . end
      | if .time == null then del(.time) else .time.traces[].path |= sub(".*/"; "") end' answer >actual
    [ -z "${ROOFLINE_UPDATE_GOLDEN:-}" ] || cp actual "$golden"
    diff -u "$golden" actual || bad=1
  done
  [ "$bad" -eq 0 ]
}

@test "every metric that explain ncu asks for is read" {
  run -0 "$ROOFLINE" import "$fixtures/ncu-asked.csv" --json
  equals '.kernels[0].counters' '{"occupancy":0.1875,"matrix":0.125,"active":0.4,"lanes":1}'
  equals '.kernels[0].bytes' '{"L2":200000000,"DRAM":150000000}'
  "$ROOFLINE" explain ncu | grep -oE '[a-z0-9]+__[a-z0-9_.]+' | sort -u >asked
  [ "$(wc -l <asked)" -ge 7 ]
  while read -r metric; do
    grep -qF "\"$metric\"" "$fixtures/ncu-asked.csv" || { echo "$metric: not in the fixture"; return 1; }
  done <asked
}

@test "the answer says when it was measured: the trace itself, else the date of the file" {
  run -0 "$ROOFLINE" import "$fixtures/kineto.json" --json
  [ "$(json .taken)" = '"2024-10-01T00:38:42.000Z"' ]
  [ "$(json .taken_from)" = '"file"' ]
  cp "$fixtures/stream.txt" s.txt
  touch -d 2025-03-04T05:06:07Z s.txt
  run -0 "$ROOFLINE" import s.txt --json
  [ "$(json .taken)" = '"2025-03-04T05:06:07.000Z"' ]
  [ "$(json .taken_from)" = '"date of the file"' ]
  run -0 bash -c "'$ROOFLINE' import - --json <s.txt"
  [ "$(json .taken)" = null ]
}

@test "what run and import write is read as well" {
  run -0 "$ROOFLINE" run triad dot n=1k --backend fake --json
  echo "$output" >run.json
  run -0 "$ROOFLINE" import run.json --machine h100 --json
  [ "$(json '[.format, .taken_from]')" = '["measurements","file"]' ]
  [ "$(json '[.kernels[] | [.name, .seconds, .calls]] | sort')" = "$(jq -c '[.kernels[] | [.name, .seconds, .calls]] | sort' run.json)" ]
  run -0 "$ROOFLINE" import "$fixtures/ncu-asked.csv" --machine h100 --json
  echo "$output" >once.json
  run -0 "$ROOFLINE" import once.json --machine h100 --json
  same='[.kernels[] | [.name, .calls, .flops, .bytes, .counters, .verdict, .ceiling_seconds]]'
  [ "$(json "$same")" = "$(jq -c "$same" once.json)" ]
}

@test "a file, standard input, gzip, zstd and xz give the same answer" {
  run -0 "$ROOFLINE" import "$fixtures/kineto.json" --json
  local plain
  plain=$(json 'del(.time.traces[].path)')
  run -0 bash -c "'$ROOFLINE' import - --json <'$fixtures/kineto.json'"
  [ "$(json '.time.traces[0].path')" = '"standard input"' ]
  [ "$(json 'del(.time.traces[].path)')" = "$plain" ]
  gzip -c "$fixtures/kineto.json" >s.gz
  run -0 "$ROOFLINE" import s.gz --json
  [ "$(json 'del(.time.traces[].path)')" = "$plain" ]
  for file in "$ROOFLINE_SOURCE"/tests/fuzz/corpus/packed/osu.*; do
    run -0 "$ROOFLINE" import "$file" --json
    [ "$(json .kernels)" = "$("$ROOFLINE" import "$fixtures/osu.txt" --json | jq -c .kernels)" ]
    run -0 bash -c "'$ROOFLINE' import - --json <'$file'"
    head -c 200 "$file" >cut
    run "$ROOFLINE" import cut # of some nothing is unpacked yet
    [[ $status -eq 1 && ${lines[0]} == 'truncated file: '* ]] ||
      [[ $status -eq 2 && $output == "roofline: cut: it ends too early, before anything that can be read" ]]
  done
}

@test "what cannot be unpacked says what to do" {
  printf 'PK\3\4\24\0\0\0' >s.zip
  run -2 "$ROOFLINE" import s.zip
  [[ $output == *"a zip archive: unpack it first" ]]
  printf 'BZh91AY&SY' >s.bz2
  run -2 "$ROOFLINE" import s.bz2
  [[ $output == *"packed with bzip2"* ]]
  printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >s.json
  run -2 "$ROOFLINE" import s.json
  [[ $output == *"git lfs pull"* ]]
}

@test "most time lost comes first, under the machine named" {
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --machine h100
  [[ ${lines[0]} == "4 kernels, 64.80 ms, "*" % of it in "* ]]
  [[ ${lines[1]} == "64.56 ms (100 % of it) lost against the ceilings of nvidia-h100-sxm, most in add" ]]
  [[ ${lines[3]} == *" add "* ]]
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --machine h100 --top 1
  has 'and 3 more'
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --filter '^(copy|add)$' --csv
  [ "${#lines[@]}" -eq 3 ]
}

@test "names of kernels differ at any width, and are whole where that is asked for" {
  cat >alike.csv <<'CSV'
"Time (%)","Total Time (ns)","Instances","Avg (ns)","Name"
50,5000,5,1000,"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1>>(int)"
50,5000,5,1000,"void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<float>, std::array<char*, 1>>(int)"
CSV
  for width in 40 60 80 120 200; do
    run -0 env COLUMNS=$width "$ROOFLINE" import alike.csv
    [ "$(grep '^  vectorized.* [µu]s' <<<"$output" | sed 's/  *[0-9].*//' | sort -u | wc -l)" -eq 2 ] || { echo "$width: $output"; false; }
  done
  run -0 "$ROOFLINE" import alike.csv --wide
  [ "$(grep -c ' void at::native::vectorized_elementwise_kernel<4, at::native::[A-Za-z]*<float>, std::array<char\*, 1>>(int)$' <<<"$output")" -eq 2 ]
  run -0 "$ROOFLINE" import alike.csv --csv
  has 'void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<float>, std::array<char*, 1>>(int)'
}

@test "a call's time and the rate of what binds: bytes of memory and links, FLOPs of arithmetic" {
  run -0 env COLUMNS=200 "$ROOFLINE" import "$fixtures/stream.txt" --machine h100
  [[ ${lines[2]} == *" per call "*" rate "* ]]
  [[ $output == *" add "*" GB/s "* ]]
  run -0 env COLUMNS=200 "$ROOFLINE" import "$fixtures/osu.txt"
  [[ $output == *" MB/s"* || $output == *" GB/s"* ]]
  run -0 env COLUMNS=200 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/ncu.csv" --machine h100
  [[ $output == *" gemm_bf16 "*" TFLOP/s "*"bf16 matrix"* ]]
}

@test "kernels are rolled up by what the file says they are part of; sums by hand of two ranks" {
  files=("$fixtures/kineto-rank0.json" "$fixtures/kineto-rank1.json")
  while IFS='|' read -r by wanted; do
    run -0 "$ROOFLINE" import "${files[@]}" --by "$by" --json
    [ "$(json '[.by, (.parts[] | "\(.part): \(.calls) \(.seconds * 1e6 | round)")] | join("; ")')" = "\"$by; $wanted\"" ] ||
      { echo "$by: $(json '.parts')"; false; }
    [ "$(json '([.parts[].seconds] | add) * 1e9 | round')" = 1180000 ]
    [ "$(json '([.parts[].flops] | add) == ([.kernels[] | .calls * ((.flops // {}) | add // 0)] | add)')" = true ]
  done <<'PARTS'
op|aten::addmm: 4 560; outside any operator: 4 540; aten::relu: 4 80
module|Linear_0: 4 560; outside any module: 4 540; ReLU_0: 4 80
nvtx|forward: 8 640; nccl:all_reduce: 4 540
class|GEMM: 4 560; communication: 4 540; elementwise: 4 80
step|ProfilerStep#1: 6 640; ProfilerStep#2: 6 540
rank|rank 0: 6 590; rank 1: 6 590
device|rank 0, device 0: 6 590; rank 1, device 1: 6 590
stream|rank 0, device 0, stream 7: 4 240; rank 0, device 0, stream 20: 2 350; rank 1, device 1, stream 7: 4 400; rank 1, device 1, stream 20: 2 190
PARTS
  for by in kernel op step rank stream; do # a kernel may have a row for each part: the headline is of all of them
    run -0 "$ROOFLINE" import "${files[@]}" --by "$by"
    has '3 kernels, 1.180 ms, 47 % of it in ampere_sgemm_128x64_nn'
  done
  run -0 "$ROOFLINE" import "${files[@]}" --by module --csv
  [ "${lines[0]%%,seconds*}" = part,kernels,calls ]
  [ "${#lines[@]}" -eq 4 ]
  run -0 env COLUMNS=200 "$ROOFLINE" import "${files[@]}" --by step --top 1
  has 'and 1 more; --top N shows more'
}

@test "traces of other profilers are rolled up by device and stream too; sums by hand" {
  sed '4s/(0),1,,7,/(1),1,,9,/' "$fixtures/nsys-trace.csv" >nsys.csv
  sed '6s/(0)","1","7"/(1)","1","9"/' "$fixtures/nvprof-trace.csv" >nvprof.csv
  sed '3s/,1,1,36,/,2,3,36,/' "$fixtures/rocprofv3-trace.csv" >rocprofv3.csv
  cp "$fixtures/rocpd.db" rocpd.db
  while IFS='|' read -r file by wanted; do
    run -0 "$ROOFLINE" import "$file" --by "$by" --json
    [ "$(json '[.parts[] | "\(.part): \(.calls) \(.seconds * 1e9 | round)"] | join("; ")')" = "\"$wanted\"" ] ||
      { echo "$file $by: $(json '.parts')"; false; }
    [ "$(json '([.parts[].seconds] | add * 1e12 | round) == (.total_seconds * 1e12 | round)')" = true ]
    [ "$(json '([.parts[].flops] | add // 0 | round) == ([.kernels[] | .calls * ((.flops // {}) | add // 0)] | add | round)')" = true ]
  done <<'PARTS'
nsys.csv|device|device 0: 2 600; device 1: 1 300
nsys.csv|stream|device 0, stream 7: 2 600; device 1, stream 9: 1 300
nvprof.csv|device|device 0: 2 120000; device 1: 1 22000
nvprof.csv|stream|device 0, stream 7: 2 120000; device 1, stream 9: 1 22000
rocprofv3.csv|device|device 1: 1 10000; device 2: 1 11000
rocprofv3.csv|stream|device 1, stream 1: 1 10000; device 2, stream 3: 1 11000
rocpd.db|stream|device 0, stream 1: 5 7198000
PARTS
}

@test "kernels of Nsight Systems are rolled up by the range around their launch on its thread; sums by hand" {
  run -0 "$ROOFLINE" import "$fixtures/nsys-nvtx.sqlite" --by nvtx --json
  [ "$(json '[.parts[] | "\(.part): \(.calls) \(.seconds * 1e6 | round)"] | join("; ")')" = '"forward: 2 35; outside any range: 3 27; step: 3 26; inner: 1 20"' ]
  [ "$(json '.total_seconds * 1e6 | round')" = 108 ]
  cp "$fixtures/nsys-nvtx.sqlite" r.sqlite
  python3 -c 'import sqlite3
db = sqlite3.connect("r.sqlite"); db.execute("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME"); db.commit()'
  run -2 "$ROOFLINE" import r.sqlite --by nvtx
  has 'it has ranges, but no launches (a table CUPTI_ACTIVITY_KIND_RUNTIME): which range launched a kernel is not known'
}

@test "names as a linker has them are shown as C++ has them; lines may end with carriage returns alone" {
  printf 'Time (%%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\r75.0,3000,1,3000,3000,3000,3000,0,_Z5sgemmIfLi4EEvPKT_S2_PS0_i\r25.0,1000,1,1000,1000,1000,1000,0,_Zno\r' >old.csv
  run -0 "$ROOFLINE" import old.csv --json
  equals '[.kernels[] | [.name, .calls, .seconds]]' '[["void sgemm<float, 4>(float const*, float const*, float*, int)",1,3e-06],["_Zno",1,1e-06]]'
}

@test "a dimension that a file does not have is refused with those that it has" {
  run -2 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --by module
  has 'nsys-trace.csv: it has no modules (PyTorch: with_modules=True or with_stack=True); what it has: --by kernel, class, rank, device, stream'
  run -2 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --by nvtx
  has 'it has no ranges that the program marked'
  run -2 "$ROOFLINE" import "$fixtures/kineto.json" --by modul
  has 'did you mean `module`?'
}

@test "two profiles: what is new, gone, faster, slower, and names of another device matched by operator" {
  sed 's/ampere_sgemm_128x64_nn/nvjet_x/' "$fixtures/kineto-rank1.json" >other.json
  run -0 "$ROOFLINE" import other.json --against "$fixtures/kineto-rank0.json"
  [[ ${lines[0]} == "590.0 µs now, 590.0 µs before: no more and no less, most of all -160.0 µs in ncclDevKernel"* ]]
  [ "${lines[1]}" = "1 same, 1 faster, 1 slower, 0 new, 0 gone" ]
  run -0 "$ROOFLINE" import other.json --against "$fixtures/kineto-rank0.json" --json
  [ "$(json '[.schema, (.difference_seconds | fabs < 1e-12)]')" = '["roofline.import_diff/1",true]' ]
  [ "$(json '.kernels[] | select(.matched == "operator") | [.kind, .before.name, .now.name, .change * 10]')" = '["slower","ampere_sgemm_128x64_nn","nvjet_x",8]' ]
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --against "$fixtures/nsys-sum.csv" --csv
  [ "$(grep -c ,new, <<<"$output")" -eq 4 ]
  [ "$(grep -c ,gone, <<<"$output")" -eq 2 ]
  run -2 "$ROOFLINE" import other.json --against "$fixtures/kineto-rank0.json" --by step
  has '--by: has no effect with --against'
  run -0 "$ROOFLINE" import other.json --against "$fixtures/kineto-rank0.json" --to d.html
  grep -q '<h1>590.0 µs now, 590.0 µs before' d.html
  [ "$(grep -o '<tr[ >]' d.html | wc -l)" -eq 4 ]
  run -0 "$ROOFLINE" import other.json --against "$fixtures/kineto-rank0.json" --to d.csv
  [ "$(wc -l <d.csv)" -eq 4 ]
  run -0 "$ROOFLINE" import other.json --against "$fixtures/kineto-rank0.json" --to d.svg
  grep -q '>Before and now</text>' d.svg
  grep -q 'data-name="nvjet_x"' d.svg
  xmllint --noout d.svg
  grep -q '>Before and now</text>' d.html
}

@test "several ranks: who arrives last, how long the others wait, how uneven compute is; sums by hand" {
  files=("$fixtures/kineto-rank0.json" "$fixtures/kineto-rank1.json")
  run -0 "$ROOFLINE" import "${files[@]}" --by rank
  has 'rank 1 arrives last in 100 % of 2 collectives: all ranks together wait 160.0 µs'
  has 'imbalance of compute: the longest is 1.25x the mean of the ranks'
  has '3 kernels, 1.180 ms'
  run -0 "$ROOFLINE" import "${files[@]}" --by rank --json
  [ "$(json '[.collectives, .unmatched_collectives, .imbalance, (.ranks[] | [.rank, .last, (.compute_seconds * 1e6 | round), (.waited_seconds * 1e6 | round)])]')" = \
    '[2,0,1.25,[0,0,240,160],[1,2,400,0]]' ]
  # numbered in their groups: rank 1 began to record a collective later; another group's are others
  numbered() { # FILE FIRST RANKS
    python3 -c 'import json, sys
trace, n = json.load(open(sys.argv[1])), int(sys.argv[2])
for e in trace["traceEvents"]:
    if "Collective name" in e.get("args", {}):
        e["args"].update({"Seq": n, "Process Group Ranks": sys.argv[3]})
        n += 1
json.dump(trace, sys.stdout)' "$@"
  }
  numbered "${files[0]}" 4 '[0, 1]' >r0.json
  numbered "${files[1]}" 5 '[0, 1]' >r1.json
  numbered "${files[1]}" 4 '[2, 3]' >r2.json
  run -0 "$ROOFLINE" import r0.json r1.json --by rank --json
  [ "$(json '[.collectives, .unmatched_collectives, (.ranks[] | [.last, (.waited_seconds * 1e6 | round)])]')" = '[1,2,[0,30],[1,0]]' ]
  run -0 "$ROOFLINE" import r0.json r2.json --by rank --json
  [ "$(json '[.collectives, .unmatched_collectives]')" = '[0,4]' ]
  # the clocks of hosts need not agree; a rank that lacks a collective matches none of that name
  jq -c '.traceEvents |= map(.ts += 1e6)' "${files[1]}" >late.json
  run -0 "$ROOFLINE" import "${files[0]}" late.json
  has 'all ranks together wait 160.0 µs'
  jq -c '.traceEvents |= (map(select(.name | startswith("ncclDev") | not)) + (map(select(.name | startswith("ncclDev")))[1:]))' "${files[1]}" >fewer.json
  run -0 "$ROOFLINE" import "${files[0]}" fewer.json --by rank --json
  [ "$(json '[.collectives, .unmatched_collectives]')" = '[0,3]' ]
}

@test "how much of the time was judged is said first, and what was not stands among the rest by its time" {
  run -0 "$ROOFLINE" import "$fixtures/kineto.json" --machine h100
  [[ ${lines[0]} == "2 devices: idle 29.4 % to 67.5 % of up to 939.9 µs" ]]
  has ' % of the time can be judged on nvidia-h100-sxm: the rest was not counted, or in part'
  run -0 "$ROOFLINE" import "$fixtures/kineto.json" --machine h100 --json
  [ "$(json '.judged_seconds < ([.kernels[].total_seconds] | add)')" = true ]
  [ "$(json '[.kernels[] | .lost_seconds // .total_seconds] | map(select(. != null)) | . == (sort | reverse)')" = true ]
}

@test "a trace that ends before any kernel is said to be cut, not to have none" {
  printf '{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2, "args": {"a' >cut.json
  run -2 "$ROOFLINE" import cut.json --format kineto
  has 'it ends too early, before any GPU kernel'
}

@test "PyTorch's table cut by row_limit: operators whose kernels have no rows count, the file's sum says what is missing" {
  run -0 "$ROOFLINE" import "$fixtures/torch-table-limit.txt"
  has '4 kernels, 7.883 ms'
  has 'aten::sum '
  has 'left out: rows beyond row_limit: 321.0 µs of the 8.204 ms on the device that the table ends with'
  sed 's/total: 8.204ms/total: 7.789ms/' "$fixtures/torch-table-limit.txt" >whole.txt
  run -0 "$ROOFLINE" import whole.txt
  has '3 kernels, 7.789 ms'
  [[ $output != *row_limit* ]]
}

@test "statistics of host functions are not taken for kernels" {
  printf '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"hipMemcpy",3,8300000,2766666,100\n' >hip.csv
  run -2 "$ROOFLINE" import hip.csv
  has 'hip.csv:2: statistics of host functions: give kernel_stats.csv'
}

@test "the device that the file names is found in the catalogue" {
  while read -r machine name; do
    sed "s/NVIDIA RTX A6000/$name/" "$fixtures/ncu-raw-de.csv" >device.csv
    run -0 "$ROOFLINE" import device.csv --json
    [ "$(json .machine)" = "\"$machine\"" ] || { echo "$name: $(json .machine)"; false; }
  done <<'DEVICES'
nvidia-a100-pcie-80gb NVIDIA A100 80GB PCIe
nvidia-a100-sxm-80gb NVIDIA A100-SXM4-80GB
nvidia-a100-sxm-40gb NVIDIA A100-SXM4-40GB
nvidia-a100-pcie-40gb NVIDIA A100-PCIE-40GB
nvidia-h100-sxm NVIDIA H100 80GB HBM3
nvidia-h100-pcie NVIDIA H100 PCIe
nvidia-h200-sxm NVIDIA H200
nvidia-b200-hgx NVIDIA B200
nvidia-l4 NVIDIA L4
nvidia-t4 Tesla T4
nvidia-v100-sxm2-32gb Tesla V100-SXM2-32GB
nvidia-rtx-4090 NVIDIA GeForce RTX 4090
reported-device NVIDIA GeForce RTX 3050 Ti Laptop GPU
reported-device NVIDIA A100X
reported-device NVIDIA GeForce RTX 3090 Ti
DEVICES
}

@test "two files are added up" {
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" "$fixtures/stream.txt" --json
  [ "$(json '.kernels[0].calls')" = 2 ]
  near .total_seconds 0.129604
}

@test "the kernels are drawn" {
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --machine h100 --to s.svg
  xmllint --noout s.svg
  grep -q '>triad<' s.svg
  [ "$(grep -o '<circle[^>]* r="[0-9.]*"' s.svg | grep -o ' r=.*' | sort -u | wc -l)" -gt 2 ] # sized by time
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --machine h100 --to s.html
  [ "$(xmllint --html --xpath 'count(//tbody/tr)' s.html 2>/dev/null)" = 4 ]
  [ "$(xmllint --html --xpath 'string(//tbody/tr[1]/th[1])' s.html 2>/dev/null)" = add ]
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --machine h100 --to s.json
  [ "$(jq -r .schema s.json)" = roofline.measurements/1 ]
}

@test "a machine described in a file becomes a machine file" {
  for file in ert.json carm.csv advisor-roofs.csv; do
    run -0 "$ROOFLINE" import "$fixtures/$file" --to m.json
    [ "$output" = "wrote m.json" ]
    run -0 "$ROOFLINE" machine lint m.json
    run -0 "$ROOFLINE" predict triad n=1000000 --dtype fp64 --machine m.json --json
    near .seconds.memory "$(jq '24e6 / (.levels | map(select(.name == "DRAM"))[0].bytes_per_second)' m.json)"
  done
  run --separate-stderr "$ROOFLINE" import "$fixtures/ert.json" --to m.svg
  [ "$status" -eq 2 ]
  [[ $stderr == *'a machine is written as FILE.json'* ]]
  [ ! -e m.svg ]
}

@test "bad input" {
  refuses() {
    run --separate-stderr "$ROOFLINE" import "${@:3}"
    [ "$status" -eq "$1" ]
    [[ $stderr == *"$2"* ]]
    [ -z "$output" ]
  }
  refuses 2 'name a file'
  refuses 2 'none: No such file' none
  echo 'just text' >t
  refuses 2 't:1: none of the formats' t
  printf 'bf16,bf16,1,1024,25.4893,0.009\nbf16,bf16,1,4096,84.6816,0.011\n' >values.csv
  refuses 2 'values.csv:1: a table without names of columns: its first line must name them' values.csv
  : >empty
  refuses 2 'empty: the file is empty' empty
  refuses 2 'did you mean `stream`' t --format strem
  refuses 2 't:1: no line of STREAM' t --format stream
  refuses 2 '--filter' "$fixtures/stream.txt" --filter '('
  refuses 2 '--decimal' "$fixtures/stream.txt" --decimal x
  refuses 2 '--merge' "$fixtures/stream.txt" --merge x
  refuses 2 'import: one machine at a time' "$fixtures/stream.txt" -m h100,a100
  refuses 2 'import: one machine at a time' "$fixtures/stream.txt" -m h100 -m a100
  printf '64,50,msec,task-clock,64503056,100,00,0,CPUs utilized\n16446,,page-faults,64503056,100,00,237,736,K/sec\n' >de.csv
  refuses 2 'de.csv:1: numbers with a decimal comma between commas: run `LC_ALL=C perf stat' de.csv
  printf 'build_commit,avg_ts,model_n_params\n"a",1,2,3\n' >ragged.csv
  refuses 2 'ragged.csv:2: 4 fields under 3 names' ragged.csv
  refuses 2 'no machine to draw' "$fixtures/stream.txt" --to s.svg
  [ ! -e s.svg ]
}

@test "traces that Chrome would take, and those that are none" {
  local kernel='{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1.5,"dur":2.25,"args":{"device":0,"correlation":1}}'
  for trace in "[$kernel]" "[$kernel,]" "[$kernel" "[$kernel," "{\"traceEvents\":[$kernel,],}"; do
    printf '%s' "$trace" >t.json
    run -0 "$ROOFLINE" import t.json --json
    [ "$(json '.kernels[0].calls')" = 1 ]
    near '.kernels[0].seconds' 2.25e-6
  done
  printf '[%s,{"ph":"X","cat":"kern' "$kernel" >t.json
  run -1 "$ROOFLINE" import t.json
  has 'the trace is not ended'
  printf '{"traceEvents":[%s' "$kernel" >t.json # the list may be open at the end, the object around it not
  run -1 "$ROOFLINE" import t.json
  [[ ${lines[0]} == 'truncated file: '*' of 2.250 µs, '* ]]
  printf '[%s,\n {"ph":"X" "cat":"kernel"}]' "$kernel" >t.json
  run -2 "$ROOFLINE" import t.json
  has 't.json:2:12: malformed JSON'
  printf '{"schema":"1.0.1","pid":1,"nodes":[{"name":"aten::mm","id":1}]}' >t.json
  run -2 "$ROOFLINE" import t.json
  has 'execution trace'
}

@test "a document of roofline that is no profile is named, with the command that reads it" {
  refused() { # FILE WORDS
    run -2 "$ROOFLINE" import "$1"
    has "$2"
  }
  refused "$ROOFLINE_SOURCE/examples/cluster.json" 'a cluster: `roofline cluster report FILE` reads it'
  refused "$ROOFLINE_SOURCE/examples/scaling.json" 'a scaling study: `roofline cluster report FILE` reads it'
  "$ROOFLINE" machine show h100 --json >machine.json
  refused machine.json 'a machine: `roofline machine show FILE` reads it'
  "$ROOFLINE" predict gemm m=8 n=8 k=8 --machine h100 --json >prediction.json
  refused prediction.json 'a prediction: `roofline seal FILE` reads it'
  "$ROOFLINE" model llama-3.1-8b --machine h100 --json >model.json
  refused model.json 'an answer of roofline without a measurement to import'
  echo '{"schema": "roofline.measurements/2", "kernels": []}' >later.json
  refused later.json 'measurements in a version that is not known here; roofline.measurements/1 is'
  echo '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64}' >config.json
  for model in config.json "$ROOFLINE_SOURCE/examples/resnet50.onnx" "$ROOFLINE_SOURCE/tests/fuzz/corpus/gguf/seed-llama.gguf"; do
    refused "$model" 'a model, not a profile: `roofline model FILE` reads it'
  done
  "$ROOFLINE" seal prediction.json --ledger l --quiet
  refused l 'a ledger: `roofline reconcile --ledger FILE` reads it'
}

@test "what a profiler read of its system is a data sheet" {
  run -0 "$ROOFLINE" import "$fixtures/rocprof-sysinfo.csv"
  has 'datasheet figures'
  [[ $output != *peaks* ]]
}

@test "a machine that is named by its own name is named once" {
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/levels.json" --machine h100
  has "taken on nvidia-a100-sxm-80gb: judged by another machine's ceilings"
}

@test "an imported time is exact to the nanosecond however late the trace" {
  printf '[%s,%s]' '{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1682725898236567.001,"dur":0.001,"args":{"device":0}}' \
    '{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1682725898236567.004,"dur":0.001,"args":{"device":0}}' >t.json
  run -0 "$ROOFLINE" import t.json --json
  near .facts.span_seconds 4e-9
  near .facts.idle_seconds 2e-9
}

@test "the formats are listed" {
  run -0 "$ROOFLINE" import --list
  has 'STREAM output'
  run -0 "$ROOFLINE" import --list --json
  [ "$(json '.formats | map(select(.name == "stream")) | length')" = 1 ]
}

@test "an operation gives work to kernels that were only timed" {
  run -0 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --op '^add=add n=16384' --json
  local kernel='.kernels | map(select(.name | startswith("add")))[0]'
  near "($kernel).flops.fp32" 16384
  near "($kernel).bytes.DRAM" 196608
  [ "$(json "($kernel).counted.fp32.source")" = '"formula of add n=16384"' ]
  run -0 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --op '^add=gemm m=8 n=8 k=8' --dtype bf16 -m h100 --csv
  has ',bf16,matrix,'
  run -2 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --op 'mul=add n=16384'
  has "no kernel's name matches"
  run -2 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --op 'add=ad n=16384'
  has 'did you mean'
  run -2 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --op 'add'
  has 'give REGEX=OP'
  run -2 "$ROOFLINE" import "$fixtures/nsys-trace.csv" --op '(=add n=8'
  has '--op'
}

@test "counts of one file meet the times of another" {
  run -0 "$ROOFLINE" import "$fixtures/nvprof-metrics.csv" "$fixtures/nvprof-trace.csv" --json
  local kernel='.kernels | map(select(.name | startswith("void axpy")))[0]'
  [ "$(json "($kernel).calls")" = 2 ]
  near "($kernel).total_seconds" 42e-6
  near "($kernel).flops.fp32" 2097152
}

@test "the chart judges a kernel by the ceiling of the table, and shows what is above it" {
  "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/ncu.csv" --machine a100 --to ncu.svg
  grep -q 'bf16 matrix 312.0 TFLOP/s' ncu.svg
  [ "$(grep -o '>!<' ncu.svg | wc -l)" -eq 2 ]
  "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/ncu.csv" --machine h100 --to ncu.svg
  ! grep -q '>!<' ncu.svg
}

@test "time first: how long the device idled and why, then kernels, and the machine it was taken on" {
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/trace.json" --machine a100
  [ "${lines[0]}" = 'NVIDIA H100 80GB HBM3: idle 18.5 % of 225.0 µs, busy 81.5 %' ]
  [[ ${lines[1]} == '  why idle: host late '* ]]
  [ "${lines[2]}" = "taken on NVIDIA H100 80GB HBM3, which is nvidia-h100-sxm: judged by another machine's ceilings" ]
  [[ ${lines[3]} == *'57 % of it in nvjet_tst_'* ]]
  [[ $output != *'launch interval'* && $output != *'idle share'* && $output != *'_seconds'* && $output != *'e-05'* ]]
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/trace.json"
  [[ $output != *'taken on'* ]]
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/trace.json" --json
  near .facts.launch_interval_seconds 130e-6
  near .facts.idle_share 0.185
}

@test "a device that the catalogue does not have is named where another machine is asked for" {
  sed 's/NVIDIA H100 80GB HBM3/AMD Radeon Graphics/' "$fixtures/kineto-streams.json" >radeon.json
  run -0 "$ROOFLINE" import radeon.json --machine h100
  has "taken on AMD Radeon Graphics, which is not in the catalogue: judged by another machine's ceilings"
  run -0 "$ROOFLINE" import radeon.json
  [[ $output != *'taken on'* ]]
  has 'no ceilings'
}

@test "a trace without FLOPs is a page all the same: its lines, its time line, its table" {
  run -0 "$ROOFLINE" import "$fixtures/nsys-streams.sqlite" --filter 'gemm|axpy' --to page.html
  xmllint --noout --html page.html 2>/dev/null
  grep -q 'class="timeline"' page.html
  grep -q '<tr data-key="device 1"><th scope="row">device 1</th><td>NVIDIA H100 80GB HBM3</td><td data-value="5e-05">50.00 µs</td>' page.html
  grep -q '<th scope="row">axpy</th>' page.html
  run -0 "$ROOFLINE" import "$fixtures/stream.txt" --to page.html # neither times of calls nor a machine
  ! grep -q '<svg' page.html || false
  grep -q '<caption>By kernel</caption>' page.html
  run -0 "$ROOFLINE" import "$fixtures/kineto.json" --to both.html
  [ "$(grep -c "<svg" both.html)" -eq 4 ] # each for a wide window and for a narrow one
}

@test "--timeline draws streams over time, small whatever the number of calls" {
  { printf '[' # 10,000 calls on two streams, copies among kernels
    for i in $(seq 5000); do
      printf '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":%d,"args":{"device":0}},' $((i * 100)) $((i % 90))
      printf '{"ph":"X","cat":"gpu_memset","name":"Memset","pid":0,"tid":%d,"ts":%d,"dur":5,"args":{"device":0}},' $((7 + i % 2)) $((i * 100 + 92))
    done
    printf ']'; } >many.json
  run -0 "$ROOFLINE" import many.json --timeline --to time.svg
  xmllint --noout time.svg
  [ "$(stat -c %s time.svg)" -lt 100000 ]
  grep -q '>device 0, stream 8<' time.svg
  run -0 "$ROOFLINE" import many.json --to same.svg # nothing else to draw
  cmp time.svg same.svg
  run -2 "$ROOFLINE" import "$fixtures/stream.txt" --timeline --to time.svg
  has 'no file has times of calls'
  run -2 "$ROOFLINE" import many.json --timeline
  has '--timeline'
}

@test "the time of several devices and traces is kept apart" {
  run -0 env COLUMNS=140 "$ROOFLINE" import "$fixtures/nsys-streams.sqlite" "$fixtures/kineto-streams.json"
  [ "${lines[0]}" = '4 devices: idle 32.7 % to 60.0 % of up to 110.0 µs' ]
  has 'kineto-streams.json device 1  NVIDIA H100 80GB HBM3  50.00 µs  60.0 %  '
  run -0 "$ROOFLINE" import "$fixtures/nsys-streams.sqlite" "$fixtures/kineto-streams.json" --json
  [ "$(json '[.time.devices[] | [.trace, .device, .calls]]')" = '[[0,0,7],[0,1,2],[1,0,7],[1,1,2]]' ]
  [ "$(json '.time.devices | (.[0] | del(.trace)) == (.[2] | del(.trace))')" = true ]
  [ "$(json '[.time.traces[].rank]')" = '[null,2]' ]
  [ "$(json '.facts | has("idle_share")')" = false ]
}

@test "a kernel that its counters show starved is limited by launches, whatever ceiling is near" {
  head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
  row='"0","1","app","h","tiny","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics"'
  printf '%s\n' "$head" "$row,\"gpu__time_duration.sum\",\"us\",\"20\"" \
    "$row,\"dram__bytes.sum.per_second\",\"Gbyte/s\",\"670\"" \
    "$row,\"sm__cycles_active.avg.pct_of_peak_sustained_elapsed\",\"%\",\"30\"" >starved.csv
  COLUMNS=120 run -0 "$ROOFLINE" import starved.csv --machine h100
  has 'launches, not HBM'
  run -0 "$ROOFLINE" import starved.csv --machine h100 --json
  [ "$(json '.kernels[0].counters.active')" = 0.3 ]
}

@test "what was left out is counted, three of it shown" {
  run -0 "$ROOFLINE" import "$fixtures/nsys.sqlite"
  [ "$(grep -c 'left out:' <<<"$output")" -le 3 ]
}

@test "the picture begins with time too" {
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/examples/trace.json" --to trace.svg
  grep -q '<text class="s".*57 % of it in nvjet_tst_.*; idle 18.5 % of 225.0 µs' trace.svg
}

@test "a wall and a loss are stated only where compute and memory were counted" {
  head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
  row='"0","1","app","h","k","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics"'
  printf '%s\n' "$head" "$row,\"gpu__time_duration.sum\",\"us\",\"20\"" \
    "$row,\"dram__bytes.sum.per_second\",\"Gbyte/s\",\"670\"" >memory.csv
  run -0 "$ROOFLINE" import memory.csv --machine h100
  has '0 % of the time can be judged'
  [[ $output != *lost\ against* ]]
  COLUMNS=160 run -0 "$ROOFLINE" import memory.csv --machine h100
  has 'at least 20 % of HBM, compute not counted'
  run -0 "$ROOFLINE" import memory.csv --machine h100 --json
  [ "$(json '[.kernels[0] | .not_counted, .fraction_of_ceiling, .lost_seconds, .regime]')" = '["compute",null,null,null]' ]
  near '.kernels[0].at_least' 0.2
  # with how busy the units were, the larger names the wall
  printf '%s\n' "$row,\"sm__throughput.avg.pct_of_peak_sustained_elapsed\",\"%\",\"71\"" >>memory.csv
  run -0 "$ROOFLINE" import memory.csv --machine h100 --json
  [ "$(json '[.kernels[0] | .not_counted, .regime]')" = '[null,"compute"]' ]
  near '.kernels[0].fraction_of_ceiling' 0.71
  # a busy share is of the chip that was profiled: under another's ceilings it says nothing
  for machine in h100 l40s mi300x; do
    run -0 "$ROOFLINE" import memory.csv --machine "$machine" --json
    case $machine in h100) wanted='[null,"compute","9.0"]' ;; *) wanted='["compute",null,"9.0"]' ;; esac
    [ "$(json '[.kernels[0].not_counted, .kernels[0].regime, .facts.compute_capability]')" = "$wanted" ]
  done
  run -0 "$ROOFLINE" import memory.csv --machine l40s
  has 'taken on a chip of compute capability 9.0, which nvidia-l40s has not: judged by its ceilings'
  has 'at least 77.5 % of GDDR, compute not counted'
  run -0 "$ROOFLINE" import memory.csv --machine h100
  [[ $output != *capability* ]]
  # perf that counted the misses of the last cache alone
  printf '# started on\n\n1000000000,,duration_time,1000000000,100.00,,\n40000000,,LLC-load-misses,1000000000,100.00,,\n' >perf.csv
  run -0 "$ROOFLINE" import perf.csv --machine h100 --json
  [ "$(json '[.kernels[0] | .not_counted, .lost_seconds]')" = '["compute",null]' ]
}

@test "zeros of one format, and widths that were not read, are no count of a kernel's arithmetic" {
  judged='[.kernels[] | [.name, .not_counted, .fraction_of_ceiling == null, .lost_seconds == null]]'
  row='"0","1","a","k","7","9.0","Command line profiler metrics"'
  {
    echo '"ID","Process ID","Process Name","Kernel Name","Stream","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
    printf '%s,"%s","%s","%s"\n' "$row" dram__bytes.sum Mbyte 10 "$row" gpu__time_duration.sum usecond 1000
    for op in dadd dmul dfma; do
      printf '%s,"smsp__sass_thread_inst_executed_op_%s_pred_on.sum","inst","0"\n' "$row" $op
    done
  } >doubles.csv
  run -0 "$ROOFLINE" import doubles.csv --machine h100 --json
  [ "$(json "$judged")" = '[["k","compute",true,true]]' ]
  echo "$output" >doubles.json
  run "$ROOFLINE" check doubles.json --machine h100
  has 'compute not counted'
  # all vector formats without work, but nothing of the matrix unit; then that too
  for op in fadd fmul ffma; do
    printf '%s,"smsp__sass_thread_inst_executed_op_%s_pred_on.sum","inst","0"\n' "$row" $op
  done >>doubles.csv
  run -0 "$ROOFLINE" import doubles.csv --machine h100 --json
  [ "$(json "$judged")" = '[["k","compute",true,true]]' ]
  printf '%s,"sm__inst_executed_pipe_tensor.sum","inst","0"\n' "$row" >>doubles.csv
  run -0 "$ROOFLINE" import doubles.csv --machine h100 --json
  [ "$(json "$judged")" = '[["k",null,false,false]]' ]
  # a name that says that the kernel multiplies on the matrix unit, of which nothing was counted
  valu=SQ_INSTS_VALU_ADD_F32,SQ_INSTS_VALU_MUL_F32,SQ_INSTS_VALU_TRANS_F32,SQ_INSTS_VALU_FMA_F32
  printf '%s\n' "Dispatch_ID,Kernel_Name,$valu,FETCH_SIZE,WRITE_SIZE,Start_Timestamp,End_Timestamp" \
    '0,Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI16x16x16x1_SE,1000,1000,0,1000,8192,4096,1000000000,1001000000' \
    '1,axpy(float*),1000,1000,0,1000,8192,4096,1001000000,1002000000' >matrix.csv
  run -0 "$ROOFLINE" import matrix.csv --machine mi250x --json
  [ "$(json "$judged | sort")" = '[["Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI16x16x16x1_SE","matrix",true,true],["axpy(float*)",null,false,false]]' ]
  # one width of vectors of several
  printf '%s,,%s,1000000000,100.00,,\n' 1000000000 duration_time 400000 fp_arith_inst_retired.scalar_double \
    40000000 LLC-load-misses >widths.csv
  run -0 "$ROOFLINE" import widths.csv --machine amd-epyc-7763 --json
  [ "$(json '[.kernels[0] | .flops.fp64, .not_counted, .fraction_of_ceiling]')" = '[400000,"compute",null]' ]
  sed -E 's/("PAPI_DP_OPS":)"[0-9]+"/\1"0"/; s/("PAPI_DP_OPS":\{"region_value":)"[0-9]+"/\1"0"/' "$fixtures/papi-hl.json" >papi.json
  run -0 "$ROOFLINE" import papi.json --filter dot --machine amd-epyc-7763 --json
  [ "$(json '[.kernels[0] | .flops.fp64, .not_counted, .fraction_of_ceiling]')" = '[0,"compute",null]' ]
}

@test "integer work is held against the lanes, never called memory-bound" {
  columns=Dispatch_ID,Kernel_Name,SQ_INSTS_VALU_ADD_F32,SQ_INSTS_VALU_MUL_F32,SQ_INSTS_VALU_TRANS_F32,SQ_INSTS_VALU_FMA_F32
  doubles=SQ_INSTS_VALU_ADD_F64,SQ_INSTS_VALU_MUL_F64,SQ_INSTS_VALU_TRANS_F64,SQ_INSTS_VALU_FMA_F64,SQ_INSTS_VALU_MFMA_MOPS_F64
  printf '%s\n' "$columns,$doubles,SQ_INSTS_VALU_INT32,SQ_INSTS_VALU_INT64,FETCH_SIZE,WRITE_SIZE,Start_Timestamp,End_Timestamp" \
    '0,func<int>,0,0,0,0,0,0,0,0,0,539230208,0,60000,60000,1000000000,1003358000' \
    '1,copy,0,0,0,0,0,0,0,0,0,1000,0,600000,600000,1003400000,1004400000' >int.csv
  run -0 "$ROOFLINE" import int.csv --machine mi210 --json
  [ "$(json '[.kernels[] | [.name, .not_counted, .regime]]')" = '[["func<int>","integer",null],["copy",null,"memory"]]' ]
  near '.kernels[0].at_least' 0.909 1e-3
  near '.kernels[0].counters.integer_operations_per_second' 1.02772e13 1e-3
  COLUMNS=160 run -0 "$ROOFLINE" import int.csv --machine mi210
  has 'integer peak not known'
}

@test "copies and sets have one name in all files of Nsight Systems and nvprof" {
  for file in nsys.sqlite nsys-trace.csv nvprof-trace.csv; do
    run -0 "$ROOFLINE" import "$fixtures/$file" --json
    [ "$(json '[.kernels[].name | select(startswith("["))]')" = '["[copy host to device]"]' ] || { echo "$file"; false; }
  done
  head=Start\ \(ns\),Duration\ \(ns\),CorrId,Bytes\ \(MB\),Device,Strm,Name
  for names in 'HtoD DtoH DtoD HtoH PtoP' 'Host-to-Device Device-to-Host Device-to-Device Host-to-Host Peer-to-Peer'; do
    { echo "$head" && for name in $names; do echo "1000,10,1,1.0,X (0),7,[CUDA memcpy $name]"; done &&
      echo '2000,10,1,1.0,X (0),7,[CUDA memset]'; } >copies.csv
    run -0 "$ROOFLINE" import copies.csv --json
    [ "$(json '[.kernels[].name] | sort')" = '["[copy device to device]","[copy device to host]","[copy host to device]",'\
'"[copy host to host]","[copy peer to peer]","[memset]"]' ]
  done
}

@test "a filter, a merge and an operation that match no kernel are refused alike" {
  for option in "--filter nosuch" "--merge nosuch=a" "--op nosuch=copy n=8"; do
    run -2 --separate-stderr "$ROOFLINE" import "$fixtures/nsys-sum.csv" "${option%% *}" "${option#* }"
    [[ $stderr == *"no kernel's name matches" ]]
    [ -z "$output" ]
  done
}

@test "a pointer of Git LFS is named, and names are shown without controls" {
  printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n' >t.json
  run -2 "$ROOFLINE" import t.json
  has 'a pointer of Git LFS, not the file: `git lfs pull` fetches it'
  printf '[{"ph":"X","cat":"kernel","name":"a\xc2\x9b31m\xe2\x80\xaeb","ts":1,"dur":2}]' >t.json
  run -0 "$ROOFLINE" import t.json
  [[ $output != *$'\xc2\x9b'* && $output != *$'\xe2\x80\xae'* ]]
}

@test "a file that ends too early says so first and exits with 1, with --partial with 0" {
  size=$(stat -c %s "$fixtures/kineto.json")
  for i in $(seq 1 40); do # wherever it is cut, it is refused or said to be cut
    head -c "$((RANDOM * size / 32768))" "$fixtures/kineto.json" >cut.json
    run "$ROOFLINE" import cut.json --json
    [ "$status" -eq 2 ] || [ "$status" -eq 1 ]
    [ "$status" -eq 2 ] || [ "$(sed '$d' <<<"$output" | jq .truncated)" = true ]
  done
  head -c "$((size * 3 / 4))" "$fixtures/kineto.json" >cut.json
  run -1 "$ROOFLINE" import cut.json
  [[ ${lines[0]} == 'truncated file: '* ]]
  has 'a file ends too early; --partial accepts what is there'
  run -0 "$ROOFLINE" import cut.json --partial
  [[ ${lines[0]} == 'truncated file: '* ]]
  run -0 "$ROOFLINE" import cut.json "$fixtures/ncu-metrics.csv" --partial --json
  [ "$(json .truncated)" = true ]
  gzip -c "$fixtures/kineto.json" >whole.gz
  head -c "$(($(stat -c %s whole.gz) * 3 / 4))" whole.gz >cut.gz
  run -1 "$ROOFLINE" import cut.gz
  [[ ${lines[0]} == 'truncated file: '* ]]
  has 'a file ends too early; --partial accepts what is there'
  run -1 "$ROOFLINE" import "$fixtures/kineto.json" --against cut.gz
  has 'a file ends too early; --partial accepts what is there'
  run -0 "$ROOFLINE" import cut.gz --against "$fixtures/kineto.json" --partial
  run -0 "$ROOFLINE" import cut.gz --partial
  [[ ${lines[0]} == 'truncated file: '* ]]
  head -c 300 whole.gz >cut.gz
  run -2 "$ROOFLINE" import cut.gz --partial
  has 'it ends too early'
  head -n -1 "$fixtures/likwid.csv" >cut.csv
  run -1 "$ROOFLINE" import cut.csv
  has 'its last table has fewer rows than it says'
  head -c -3 "$fixtures/ncu-metrics.csv" >cut.csv # within a quoted field
  run -1 "$ROOFLINE" import cut.csv
  [[ ${lines[0]} == 'truncated file: '* ]]
  run -0 "$ROOFLINE" import cut.csv --partial --json
  [ "$(json '[.truncated, (.kernels | length)]')" = '[true,2]' ]
  head -c -40 "$fixtures/rocprofv3-trace.csv" >cut.csv
  run "$ROOFLINE" import cut.csv
  [ "$status" -eq 1 ] || [ "$status" -eq 2 ]
}

@test "what comes before a last row or line that is cut is read" {
  head -c -20 "$fixtures/timings-gemm.csv" >rows.csv
  { cat "$fixtures/llama-bench.jsonl"; head -c 100 "$fixtures/llama-bench.jsonl"; } >lines.jsonl
  { cat "$fixtures/llama-bench.csv"; tail -1 "$fixtures/llama-bench.csv" | head -c 100; } >lines.csv
  for file in rows.csv lines.jsonl lines.csv; do
    run -1 "$ROOFLINE" import $file
    [[ ${lines[0]} == 'truncated file: '* ]]
    run -0 "$ROOFLINE" import --partial $file --json
    [ "$(json '.kernels | length > 0')" = true ]
  done
  # one that is malformed elsewhere is refused as ever
  sed 's/^{/{{/' "$fixtures/llama-bench.jsonl" >t
  run -2 "$ROOFLINE" import t
  has 'not JSON'
}

@test "what explain and profile ask Nsight Compute for is read and used" {
  head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
  row='"0","1","app","h","k","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics"'
  table() { # METRIC ...: a file of one launch with these
    local unit value
    echo "$head"
    for metric in "$@"; do
      unit='' value=64
      [[ $metric == *time_duration* ]] && unit=us
      [[ $metric == *bytes.sum ]] && unit=byte value=5000
      [[ $metric == *per_second ]] && unit=Gbyte/s
      [[ $metric == *pct_* ]] && unit=%
      echo "$row,\"$metric\",\"$unit\",\"$value\""
    done >rows
    cat rows
  }
  "$ROOFLINE" explain ncu >asked
  "$ROOFLINE" profile --with ncu --dry-run -- ./a.out >>asked
  mapfile -t metrics < <(grep -oE '\b[a-z0-9]+__[a-z0-9_.]+[a-z0-9]' asked | grep -v '^sm__ops_path_tensor_src_*$' | sort -u)
  metrics+=(sm__ops_path_tensor_src_fp16_dst_fp32.sum)
  [ "${#metrics[@]}" -ge 20 ]
  figures() { "$ROOFLINE" import "$1" --json | jq -c '.kernels[0] | [.total_seconds, .flops, .bytes, .counters]'; }
  table gpu__time_duration.sum >time.csv
  table "${metrics[@]}" >all.csv
  for metric in "${metrics[@]}"; do
    table gpu__time_duration.sum "$metric" >alone.csv
    grep -v "\"$metric\"" all.csv >rest.csv
    [ "$(figures alone.csv)" != "$(figures time.csv)" ] || [ "$(figures rest.csv)" != "$(figures all.csv)" ] || { echo "$metric is not used"; return 1; }
  done
}

@test "kernels of a graph have the work of the same kernels that operators launched, grid by grid" {
  run -0 "$ROOFLINE" import "$fixtures/kineto-graph.json" --json
  [ "$(json '[.kernels[] | select(.flops != null) | [.name, .calls, .flops.bf16]] | sort')" = "$(jq -c 'sort' <<'WORK'
[["nvjet_tst_128x128_64x6_1x2_h_bz_TNN",3,536870912],["relu_kernel",3,262144],["nvjet_tst_128x256_64x4_1x2_h_bz_TNN",3,2147483648],["sigmoid_kernel",3,4194304],["add_kernel",3,1048576]]
WORK
)" ]
  [ "$(json '[.kernels[] | select(.flops == null) | .calls] | add')" = 8 ]
  [ "$(json '.kernels[] | select(.name == "add_kernel") | .counted.bf16.quality')" = '"estimated"' ]
  # another shape by the same names and grids: nothing is taken
  jq '.traceEvents as $e | .traceEvents += [$e[] | select(.ts < 700) | .ts += 5000 | .args."External id" += 1000 |
      if .args.correlation then .args.correlation += 1000 else . end |
      if .name == "aten::relu" then .args."Input Dims" = [[128, 1024]] else . end]' "$fixtures/kineto-graph.json" >two.json
  run -0 "$ROOFLINE" import two.json --json
  [ "$(json '[.kernels[] | select(.flops == null) | .calls] | add')" = 18 ]
}

@test "perf stat -I is a time line: FLOP/s, bytes/s and instructions per cycle of each interval, by hand, and a picture" {
  for i in 1 2 3; do
    printf '     %s.000000000,%s,,cycles,1,100.00,,\n     %s.000000000,%s,,instructions,1,100.00,,\n' $i 2000000 $i ${i}000000
    printf '     %s.000000000,%s,,fp_arith_inst_retired.scalar_double,1,100.00,,\n' $i ${i}00
    [ $i -eq 2 ] || printf '     %s.000000000,%s,MiB,uncore_imc/data_reads/,1,100.00,,\n' $i $i
  done >i.csv
  run -0 "$ROOFLINE" import i.csv --json
  [ "$(json '[.intervals[] | [.start_seconds, .end_seconds, .flops_per_second, .bytes_per_second, .instructions_per_cycle]]')" = \
    '[[0,1,100,1048576,0.5],[1,2,200,null,1],[2,3,300,3145728,1.5]]' ]
  sed 's|uncore_imc/data_reads|uncore_imc_free_running_0/data_read|' i.csv >client.csv
  run -0 "$ROOFLINE" import client.csv --json
  [ "$(json '[.intervals[].bytes_per_second]')" = '[1048576,null,3145728]' ]
  run -0 "$ROOFLINE" import i.csv
  has 'instructions per cycle by interval: 0.5 to 1.5, median 1'
  has 'memory by interval: 1.049 MB/s to 3.146 MB/s'
  run -0 "$ROOFLINE" import i.csv --timeline --to i.svg
  [ "$(grep -oE 'arithmetic|memory|instructions per cycle' i.svg | sort -u | wc -l)" -eq 3 ]
  head -4 i.csv >one.csv # one interval is a line from its beginning to its end
  run -0 "$ROOFLINE" import one.csv --timeline --to one.svg
  grep -q '>1 interval<' one.svg
  grep -q 'data-name="arithmetic" points="[0-9.]*,[0-9.]* [0-9.]*,[0-9.]*"' one.svg
  run -0 "$ROOFLINE" import i.csv --to i.html
  grep -q 'instructions per cycle' i.html
  grep -v 'cycles\|instr\|fp_\|imc' "$fixtures/perf-interval.txt" >none.txt
  run -2 "$ROOFLINE" import none.txt --timeline --to i.svg
  has '--timeline: no FLOPs, bytes or instructions and cycles were counted by interval'
}

@test "a kernel above its ceiling lost no time" {
  jq -n '{schema: "roofline.measurements/1", kernels: [{name: "fast", seconds: 4e-6, bytes: {memory: 33.5e6}}, {name: "slow", seconds: 2e-5, bytes: {memory: 33.5e6}}]}' >two.json
  run "$ROOFLINE" import two.json --machine h100
  [[ $output != *'-6.'* ]]
  [[ ${lines[1]} == '10.00 µs '* ]]
  run -0 "$ROOFLINE" import two.json --machine h100 --json
  [ "$(json '[.kernels[] | .lost_seconds == null]')" = '[false,true]' ]
  run -0 "$ROOFLINE" import two.json --machine h100 --csv
  [[ $output != *'-6.'* ]]
}

@test "regions of LIKWID, which may lie in each other, have no sum" {
  run -0 "$ROOFLINE" import "$fixtures/likwid.csv" --machine epyc-9654
  [[ ${lines[1]} == '3 kernels on '*': their times are not added up, as a region may lie in another' ]]
  [[ ${lines[2]} == 'most time lost against the ceilings of amd-epyc-9654 in '* ]]
  run -0 "$ROOFLINE" import "$fixtures/likwid.csv" --json
  [ "$(json '[.total_seconds, .lost_seconds]')" = '[null,null]' ]
  jq -n '{schema: "roofline.measurements/1", kernels: [{name: "k", seconds: 1}]}' >k.json
  run -0 "$ROOFLINE" import k.json "$fixtures/likwid.csv" --json
  [ "$(json .total_seconds)" = null ]
}

@test "the time of regions inside others is added up once, of several files too" {
  jq -n '{schema: "roofline.measurements/1", kernels: [{name: "outer", calls: 2, seconds: 0.03, total_seconds: 0.06, own_seconds: 0.02},
    {name: "inner", calls: 2, seconds: 0.02, total_seconds: 0.04, own_seconds: 0.04}]}' >a.json
  jq 'del(.kernels[].own_seconds) | .kernels = [.kernels[1]]' a.json >old.json # of a version that did not count it
  run -0 "$ROOFLINE" import a.json --json
  near .total_seconds 0.06
  cp a.json b.json
  run -0 "$ROOFLINE" import a.json b.json old.json --json
  near .total_seconds 0.16
  near '.kernels[] | select(.name == "outer").own_seconds' 0.04
}

@test "a kernel whose time is 0 has no rate" {
  jq -n '{schema: "roofline.measurements/1", kernels: [{name: "short", seconds: 0, flops: {fp32: 1e9}, bytes: {memory: 1e6}}]}' >z.json
  run -0 "$ROOFLINE" import z.json --machine h100
  has '0 s'
  [[ $output != *inf* ]]
  run -0 "$ROOFLINE" import z.json --machine h100 --to z.html
  ! grep -q 'inf FLOP' z.html
}

@test "every key of an answer is in docs/json.md" {
  for file in kineto-rank0.json ncu-lines.ncu-rep perf-interval.csv ncu-metrics.csv; do
    "$ROOFLINE" import "$fixtures/$file" --by rank --machine h100 --json >answer
    jq -r '(keys[], (.kernels[] | keys[], (.rules[], .lines[] | keys[])), (.parts[] | keys[]), (.ranks[] | keys[]), (.intervals // [] | .[] | keys[]),
      (.time // {} | keys[], (.devices // [] | .[] | keys[], (.idle_by_cause_seconds | keys[])), (.streams // [] | .[] | keys[])))' answer
  done | sort -u >keys
  [ "$(wc -l <keys)" -gt 80 ]
  while read -r key; do
    [ "$key" = schema ] || grep -qF "\`$key\`" "$ROOFLINE_SOURCE/docs/json.md" || { echo "$key: not in docs/json.md"; return 1; }
  done <keys
}

@test "a last line without an end, of a tool that ends its lines, may have a shorter number" {
  for file in perftest.txt hpl.txt vtune.csv perf-x.csv; do
    # up to the last digit but one of the last line that has two of them in a row
    python3 -c 'import re, sys; t = open(sys.argv[1]).read(); sys.stdout.write(t[:[m.end() for m in re.finditer(r"[0-9](?=[0-9])", t)][-1]])' \
      "$fixtures/$file" >cut
    run -1 "$ROOFLINE" import cut
    [[ ${lines[0]} == 'truncated file: '* ]]
    has 'the last line has no end, its values may be cut'
    run -0 "$ROOFLINE" import cut --partial
  done
  head -c -1 "$fixtures/timings-gemm.csv" >by-hand.csv
  run -0 "$ROOFLINE" import by-hand.csv
}

@test "kernels of two devices are judged by one machine, and said to be" {
  sed '$s/NVIDIA H100 80GB HBM3 (0)/NVIDIA A100-SXM4-80GB (1)/' "$fixtures/nsys-trace.csv" >two.csv
  run -0 "$ROOFLINE" import two.csv
  [[ ${lines[0]} == '2 devices: '* ]]
  has 'kernels of several devices, NVIDIA A100-SXM4-80GB among them, are judged by the same ceilings'
  run -0 "$ROOFLINE" import "$fixtures/nsys-trace.csv"
  [[ $output != *'several devices'* ]]
}
