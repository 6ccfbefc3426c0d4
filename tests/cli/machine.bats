#!/usr/bin/env bats
# roofline machine: list, show, compare, new, lint.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config NO_COLOR=1
  unset ROOFLINE_PATH
}

json() { # FILTER on $output
  printf '%s' "$output" | jq -c "$1"
}

@test "list has one row per machine, aligned, and filters" {
  run -0 "$ROOFLINE" machine list
  [[ $output == *"nvidia-h100-sxm"*"3.350 TB/s"*"989.4 TFLOP/s"*"1.979 PFLOP/s"*"295.3"* ]]
  [[ ${lines[-2]} == *"108 machines;"* && ${lines[-1]} == "  figures: "*" datasheet, "*" secondary"* ]]
  run -0 "$ROOFLINE" machine list Hopper --quiet
  [ "${#lines[@]}" -eq 9 ]
  run -2 "$ROOFLINE" machine list zzzz
  [ "$output" = 'roofline: machine list: nothing contains `zzzz`' ]
}

@test "list --csv and --json give plain numbers" {
  run -0 "$ROOFLINE" machine list h100-sxm --csv
  [ "${lines[0]}" = "machine,title,kind,memory_bytes,bytes_per_second,fp32_flops_per_second,half_flops_per_second,fp8_flops_per_second,ridge,datasheet_figures,secondary_figures,measured_figures,assumed_figures" ]
  [[ ${lines[1]} == "nvidia-h100-sxm,NVIDIA H100 SXM5 80GB,secondary,85899345920,3350000000000,66900000000000,989400000000000,1978900000000000,295.34"* ]]
  run -0 "$ROOFLINE" machine list --json
  [ "$(json '[.schema, (.machines | length)]')" = '["roofline.machines/1",108]' ]
  [ "$(json '.machines[] | select(.name == "nvidia-t4") | .aliases')" = '["t4","tesla-t4"]' ]
}

@test "a machine has the names that tables of timings give it" {
  for name in gb200 gb300; do
    run -0 "$ROOFLINE" machine show "$name-sxm"
    [[ ${lines[0]} == "nvidia-$name: "* ]]
  done
}

@test "show has every figure with its kind and source, sparse and measured ones apart" {
  run -0 "$ROOFLINE" machine show h100
  [[ ${lines[0]} == "nvidia-h100-sxm: NVIDIA H100 SXM5 80GB"* ]]
  [[ $output == *"fp16 matrix, sm_90 tensor core"*"989.4 TFLOP/s"*"295.3"*"secondary  [1]"* ]]
  [[ $output == *"measured bf16 matrix, GEMM, mean of many runs"*"794.5 TFLOP/s"*"80.3 %"*"measured"* ]]
  [[ $output == *"fp16 matrix SPARSE"*"1.979 PFLOP/s"* ]]
  [[ $output == *"no path in hardware: fp6 matrix, fp4 matrix"* ]]
  [[ $output == *"NVLink 4 "*"450.0 GB/s"*"900.0 GB/s"* ]]
  [[ $output == *"[1] NVIDIA H100 whitepaper"* ]]
  [[ $output != *"no source"* ]]
}

@test "show --json is a machine file: it loads, and shows the same again" {
  "$ROOFLINE" machine show mi300x --json >mi300x.json
  run -0 "$ROOFLINE" machine show ./mi300x.json --json
  [ "$output" = "$(cat mi300x.json)" ]
  [ "$(json '[.schema, .name, .peaks[0].spread]')" = '["roofline.machine/1","amd-mi300x",null]' ]
}

@test "compare stands machines side by side with ratios against the first" {
  run -0 "$ROOFLINE" machine compare a100 h100
  [[ ${lines[0]} == "nvidia-h100-sxm: 3.17x the bf16 peak, "*"1.64x the bandwidth, "*" of nvidia-a100-sxm-80gb" ]]
  [[ $output == *"fp16 matrix"*"312.0 TFLOP/s"*"989.4 TFLOP/s"*"3.17x"* ]]
  [[ $output == *"memory bandwidth"*"2.039 TB/s"*"3.350 TB/s"*"1.64x"* ]]
  [[ $output != *"fp4 matrix"* ]]
  run -0 "$ROOFLINE" machine compare a100 h100 --csv
  [ "${lines[0]}" = "figure,nvidia-a100-sxm-80gb,nvidia-h100-sxm" ]
  [[ $output == *"fp8_matrix_flops_per_second,,1978900000000000"* ]]
  run -0 "$ROOFLINE" machine compare a100 h100 --json
  [ "$(json '.rows[] | select(.figure == "fp8_matrix_flops_per_second") | .ratios')" = '[null,null]' ]
  "$ROOFLINE" machine show a100 --json >one.json
  sed 's/"bytes_per_second": 2039000000000/"bytes_per_second": 1019500000000/' one.json >two,too.json
  run -0 "$ROOFLINE" machine compare ./one.json ./two,too.json h100
  [[ ${lines[0]} == "./two,too.json: "*"; nvidia-h100-sxm: "*" of ./one.json" ]]
  [[ ${lines[1]} == *" ./one.json "*" ./two,too.json "*" nvidia-h100-sxm" ]]
  run -0 "$ROOFLINE" machine compare ./one.json ./two,too.json --csv
  [ "${lines[0]}" = 'figure,./one.json,"./two,too.json"' ]
  run -2 "$ROOFLINE" machine compare a100
  [ "$output" = 'roofline: machine compare: usage is `roofline machine compare NAME NAME ...`' ]
}

@test "Hopper has no INT4, whoever is asked" {
  local machine
  for machine in h100 h100-pcie h100-nvl h200 h20 h800 gh200 gh200-144gb; do
    run -0 "$ROOFLINE" machine show "$machine" --json
    [ "$(jq -c '[.peaks[] | select(.dtype == "int4") | [.supported, .source != null]]' <<<"$output")" = '[[false,true]]' ]
  done
  run -0 "$ROOFLINE" machine compare h100 a100
  [[ $(grep int4 <<<"$output") != *'?'* ]]
}

@test "a new machine is one file that lints and predicts" {
  mkdir -p "$XDG_CONFIG_HOME/roofline/machines"
  run -0 "$ROOFLINE" machine new my-gpu --to "$XDG_CONFIG_HOME/roofline/machines/my-gpu.json"
  [ "$output" = "wrote $XDG_CONFIG_HOME/roofline/machines/my-gpu.json" ]
  run -1 "$ROOFLINE" machine lint my-gpu
  sed -i 's/REPLACE: //; s/"REPLACE"/"My"/' "$XDG_CONFIG_HOME/roofline/machines/my-gpu.json"
  run -0 "$ROOFLINE" machine lint my-gpu
  [ "$output" = "1 machine: 0 errors, 0 warnings" ]
  run -0 "$ROOFLINE" machine list my-gpu --quiet
  [[ ${lines[1]} == *"my-gpu"*"3.072 TB/s"*"819.2 TFLOP/s"*"266.7  "* ]]
  run -0 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine my-gpu
  run -0 "$ROOFLINE" machine new other
  [[ $output == *'"name": "other"'* ]]
  run -2 "$ROOFLINE" machine new "my gpu"
  [ "$output" = 'roofline: name `my gpu`: up to 63 letters, digits and . _ + - only' ]
  run -3 "$ROOFLINE" machine new my-gpu --to /nonexistent/x.json
  [ "$output" = 'roofline: /nonexistent/x.json: No such file or directory' ]
}

@test "lint passes on the catalogue and says what does not add up" {
  run -0 "$ROOFLINE" machine lint
  [[ ${lines[-1]} == "108 machines: 0 errors, "*" warnings" ]]
  [[ $output == *"nvidia-h20: warning: peaks[1] fp32 vector: 44.00 TFLOP/s, but 78 SM x 256 FLOP/cycle x 1.980 GHz = 39.54 TFLOP/s (+11.3 %)"* ]]
}

@test "lint fails on sparse quoted as dense and both ways quoted as one" {
  "$ROOFLINE" machine show h100 --json | sed -e 's/"flops_per_second": 989400000000000/"flops_per_second": 1978900000000000/' \
    -e 's/"bytes_per_second": 450000000000/"bytes_per_second": 900000000000/' >bad.json
  run -1 "$ROOFLINE" machine lint ./bad.json
  [[ $output == *"error: peaks[6] fp16 matrix: 1.979 PFLOP/s is twice units x FLOP/cycle x clock: sparse quoted as dense?"* ]]
  [[ $output == *"error: links[0] NVLink 4: 900.0 GB/s is both directions (NVIDIA H100: 900 GB/s total over 18 links): both directions quoted as one"* ]]
  run -1 "$ROOFLINE" machine lint ./bad.json --json
  [ "$(json '[.errors, (.machines[0].findings | map(select(.severity == "error")) | length)]')" = '[3,3]' ]
}

@test "a file of the user that does not read hides no other machine" {
  mkdir mine
  printf '{"schema": "roofline.machine/1",\n' >mine/broken.json
  export ROOFLINE_PATH=$PWD/mine
  run -0 --separate-stderr "$ROOFLINE" machine list h100
  [[ $output == *"nvidia-h100-sxm"* && $output != *broken* ]]
  [[ $stderr == "roofline: warning: $PWD/mine/broken.json:2:1: "* ]] && [ "${#stderr_lines[@]}" -eq 1 ]
  run -1 --separate-stderr "$ROOFLINE" machine lint --json
  [ "$(json '[.errors, (.machines[] | select(.name | endswith("broken.json")) | .findings[0].where)]')" = '[1,"line 2, column 1"]' ]
  run -2 --separate-stderr "$ROOFLINE" machine show broken
  [[ $stderr == "roofline: $PWD/mine/broken.json:2:1: "* ]]
}

@test "bad input gives one clear line" {
  run -2 "$ROOFLINE" machine show h1000
  [ "$output" = 'roofline: machine `h1000`: unknown; did you mean `h100`?; `roofline machine list` shows all' ]
  run -2 "$ROOFLINE" machine lsit
  [ "$output" = 'roofline: machine `lsit`: unknown; did you mean `list`?' ]
  run -2 "$ROOFLINE" machine new x --csv
  [ "$output" = 'roofline: machine new: does not take --csv: there is no table in its answer' ]
  printf '{"schema": "roofline.machine/1",\n "name": "x", "peaks": [{"dtype": "fp61", "unit": "matrix"}]}' >x.json
  run -2 "$ROOFLINE" machine show x.json
  [ "$output" = 'roofline: x.json:2:35: peaks[0].dtype: dtype `fp61`: unknown; did you mean `fp16`?' ]
}

@test "a full disk is an error" {
  [ -e /dev/full ] || skip "no /dev/full"
  run -3 bash -c '"$ROOFLINE" machine list >/dev/full'
  [ "$output" = "roofline: standard output: No space left on device" ]
}

@test "what is not known of a memory domain is unknown, not a number" {
  printf '%s' '{"schema": "roofline.machine/1", "name": "one", "domains": [{"name": "node 0", "bytes": 1e9}]}' >one.json
  run -0 "$ROOFLINE" machine show ./one.json
  [[ $output == *"node 0          unknown  1.000 GB"* && $output != *nan* ]]
}

domains() { # LATENCY of node 1 to its own memory
  cat <<END
{"schema": "roofline.machine/1", "name": "two", "kind": "measured", "unit_kind": "core", "unit_count": 20,
 "peaks": [{"dtype": "fp64", "unit": "vector", "cores": 1, "core_kind": "P-core", "flops_per_second": 3e10,
   "kind": "measured", "source": "s", "date": "2026-01-31"},
  {"dtype": "fp64", "unit": "vector", "threads_per_core": 2, "flops_per_second": 3e11,
   "kind": "measured", "source": "s", "date": "2026-01-31"}],
 "levels": [{"name": "DRAM", "read_bytes_per_second": 8e10, "kind": "measured", "source": "s", "date": "2026-01-31"}],
 "domains": [{"name": "node 0", "cores": 10, "bytes": 32e9, "read_bytes_per_second": [4e10, 2e10],
   "latency_seconds": [8.5e-8, 1.4e-7], "kind": "measured", "source": "s", "date": "2026-01-31"},
  {"name": "node 1", "cores": 10, "bytes": 32e9, "read_bytes_per_second": [2.1e10, 4.1e10],
   "latency_seconds": [1.4e-7, $1], "kind": "measured", "source": "s", "date": "2026-01-31"}]}
END
}

@test "memory domains are a matrix, in show, in JSON and in what changed; kinds of core and hardware threads are named" {
  domains 9e-8 > two.json
  run -0 "$ROOFLINE" machine show ./two.json
  [[ $output == *"fp64 vector, 1 P-core "*"fp64 vector, 2 threads per core "* ]]
  [[ $output == *"read from memory of      node 0      node 1  "*"cores of node 1      21.00 GB/s  41.00 GB/s  measured"* ]]
  [[ $output == *"latency to memory of    node 0    node 1  "*"cores of node 0       85.00 ns  140.0 ns  measured"* ]]
  run -0 "$ROOFLINE" machine show ./two.json --json
  [ "$(json '.domains[1].latency_seconds == [1.4e-07, 9e-08]')" = true ]
  run -0 "$ROOFLINE" machine show ./two.json --csv
  [[ ${lines[0]} == *,date,core_kind,threads_per_core && ${lines[1]} == *,2026-01-31,P-core, && ${lines[2]} == *,2026-01-31,,2 ]]
  run -0 "$ROOFLINE" machine lint two.json
  domains 18e-8 > slow.json
  run -0 "$ROOFLINE" measure --compare ./two.json ./slow.json --csv # a latency is no ceiling
  [[ $output == *'"latency, cores of node 1 to node 1",s,9e-08,1.8e-07,2,0.03,slower'* ]]
  run -0 "$ROOFLINE" machine lint slow.json
  [[ $output == *"domains[1] node 1: 140.0 ns to \`node 0\`, yet 180.0 ns to its own memory"* ]]
  run -0 "$ROOFLINE" machine show h100 --json
  [ "$(json .domains)" = null ]
}

@test "a launch cost says where it comes from: its own source, else the machine's kind, never another" {
  cat > guess.json <<'END'
{"schema": "roofline.machine/1", "name": "guess", "kind": "assumed", "launch_seconds": 5e-6, "overhead_cutoff_seconds": 4e-6,
 "overhead_provenance": {"kind": "datasheet", "source": "a page", "date": "2026-01-31"},
 "peaks": [{"dtype": "fp32", "unit": "vector", "flops_per_second": 1e12, "kind": "assumed", "source": "a guess"}],
 "levels": [{"name": "DRAM", "bytes_per_second": 1e11, "kind": "assumed", "source": "a guess"}]}
END
  run -0 "$ROOFLINE" machine show ./guess.json
  [[ $output != *measured* ]]
  [[ $output == *"launch           5.000 µs  assumed    no source"* ]]
  [[ $output == *"overhead cutoff  4.000 µs  datasheet  [2]"* ]]
  run -0 "$ROOFLINE" machine show ./guess.json --json
  [ "$(json '[.launch_provenance, .overhead_provenance.source]')" = '[null,"a page"]' ]
  run -0 "$ROOFLINE" machine lint ./guess.json
  [[ $output == *"guess: warning: launch_seconds: no source"* ]]
  run -0 "$ROOFLINE" machine show a100
  [[ $output == *"launch   2.600 µs  measured   ["*"interval of back-to-back launches: RRZE-HPC"* ]]
}
