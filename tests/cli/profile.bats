#!/usr/bin/env bats
# roofline profile: the command line of each profiler, scripted ones that write our fixtures, and the perf of this machine.

setup() {
  load lib.bash
  start
  mkdir bin
  PATH=$PWD/bin:$PATH
  printf '#!/bin/sh\necho ran "$@"\n' >program
  chmod +x program
}

# fake NAME FILE: a profiler that notes how it was called, runs the program behind the word ./program, and writes FILE if given.
fake() {
  cat >"bin/$1" <<END
#!/bin/sh
echo "\$LC_ALL|\$*" >>called
while [ \$# -gt 0 ]; do
  case \$1 in
  --log-file | -o) to=\$2; shift ;;
  --output=*) to=\${1#--output=}.sqlite ;;
  ./program) "\$@"; break ;;
  esac
  shift
done
cp "$2" "\${to:-/dev/null}"
END
  chmod +x "bin/$1"
}

@test "the program runs under the profiler, and what it wrote is imported and reconciled" {
  "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --dtype bf16 --machine h100 --seal --label ffn >/dev/null
  fake ncu "$ROOFLINE_SOURCE/examples/ncu.csv"
  run -0 --separate-stderr "$ROOFLINE" profile --machine h100 --merge gemm=ffn --ledger -- ./program 'a b'
  [ "${lines[0]}" = 'ran a b' ]
  has 'recorded `ffn` in roofline.ledger'
  has '1 of 1 predictions measured'
  [[ $stderr == *'each kernel is run again'* ]]
  grep -q '^C|--clock-control none --csv --page raw .*dram__bytes.sum.*--log-file roofline-ncu.csv ./program a b$' called
  run -0 --separate-stderr "$ROOFLINE" profile --json --quiet --with ncu -- ./program
  [ -z "$stderr" ]
  output=$(sed 1d <<<"$output")
  [ "$(json .format)" = '"ncu"' ]
}

@test "the question chooses the profiler" {
  fake perf "$ROOFLINE_SOURCE/tests/fixtures/import/perf-x.csv"
  fake nsys "$ROOFLINE_SOURCE/tests/fixtures/import/nsys.sqlite"
  run -0 --separate-stderr "$ROOFLINE" profile --for processor -- ./program
  grep -q 'stat -x, -o roofline-perf.csv -e .*duration_time.* -- ./program$' called
  run -0 --separate-stderr "$ROOFLINE" profile --for timeline -- ./program
  grep -q 'profile --trace=cuda,nvtx --force-overwrite=true --export=sqlite --output=roofline-nsys ./program$' called
  run -0 "$ROOFLINE" profile --list --json
  [ "$(json '.profilers | map(select(.name == "nsys"))[0].installed')" = true ]
  [ "$(json '[.profilers[].format] | unique | length > 5')" = true ]
}

@test "every profiler's format is one that import reads" {
  "$ROOFLINE" import --list --json >formats
  run -0 "$ROOFLINE" profile --list --json
  [ "$(jq -n --argjson p "$output" --slurpfile f formats '[$p.profilers[].format] - [$f[0].formats[].name] | length')" = 0 ]
}

@test "where it is not installed the command to run elsewhere is printed" {
  run -3 --separate-stderr env PATH="$PWD/bin" "$ROOFLINE" profile --with rocprofv3-trace -- ./program x
  [ "${lines[0]}" = '  rocprofv3 --kernel-trace --output-format csv -d . -o roofline-rocprofv3 -- ./program x' ]
  [ "${lines[1]}" = '  roofline import roofline-rocprofv3_kernel_trace.csv --format rocprof' ]
  [[ $stderr == *'rocprofv3 is not installed here'* ]]
  [ ! -e called ]
}

@test "commands to paste are not broken at the width of a screen" {
  fake ncu "$ROOFLINE_SOURCE/tests/fixtures/import/ncu-metrics.csv"
  COLUMNS=40 run -0 --separate-stderr "$ROOFLINE" profile --with ncu --dry-run -- ./program 'a  b é'
  [ "${#lines[@]}" = 2 ]
  sh -c "${lines[0]}"
  grep -q -- '--log-file roofline-ncu.csv ./program a  b é$' called
}

@test "with --json the commands are an object" {
  run -0 --separate-stderr "$ROOFLINE" profile --with ncu --dry-run --json -- ./program 'a b'
  [ "$(json '[.schema, .profiler, .question, .file, .format]')" = '["roofline.profiling/1","ncu","kernels","roofline-ncu.csv","ncu"]' ]
  [ "$(json '[(.commands | length), .commands[0][-2:]]')" = '[1,["./program","a b"]]' ]
  run -3 --separate-stderr env PATH="$PWD/bin" "$ROOFLINE" profile --with rocprofv3-trace --json -- ./program x
  [ "$(json .commands[0][0])" = '"rocprofv3"' ]
}

@test "rocprofv3 counts what the roof needs, in as many runs as that takes, and their counters come together" {
  cat >bin/rocprofv3 <<'END'
#!/bin/sh
echo "$*" >>called
while [ "$1" != -- ]; do
  case $1 in
  --pmc) counters=$2 ;;
  -o) to=$2 ;;
  esac
  shift
done
{
  echo '"Correlation_Id","Dispatch_Id","Agent_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"'
  for dispatch in 1 2; do
    echo "$counters" | tr , '\n' | while read -r counter; do
      echo "$dispatch,$dispatch,\"Agent 4\",\"work(float*)\",\"$counter\",1000,${dispatch}000000,${dispatch}010000"
    done
  done
} >"${to}_counter_collection.csv"
END
  chmod +x bin/rocprofv3
  run -0 --separate-stderr "$ROOFLINE" profile --with rocprofv3 --json -- ./program x
  [[ $stderr == *'the program is run three times'* ]]
  [ "$(grep -c -- '--kernel-trace --pmc [A-Z0-9_,]* --output-format csv .* -- ./program x$' called)" -eq 3 ]
  [ "$(json '.kernels[0] | [.calls, .flops["fp64 vector"], .flops["fp32 vector"], .flops["fp16 vector"], .flops.bf16]')" = '[2,320000,320000,320000,512000]' ]
  near '.kernels[0].total_seconds' 2e-5
  near '.kernels[0].bytes.DRAM' 2048000
  near '.kernels[0].counters.integer_operations_per_second' 1.28e10
  # every counter that is asked for is used
  all=$output
  for counter in $(grep -o 'pmc [^ ]*' called | sed 's/pmc //' | tr , '\n'); do
    grep -v "\"$counter\"" roofline-rocprofv3.csv >without.csv
    run "$ROOFLINE" import without.csv --json
    [ "$(json '.kernels[0] | [.flops, .bytes, .counters]')" != "$(jq -c '.kernels[0] | [.flops, .bytes, .counters]' <<<"$all")" ] || { echo "$counter"; false; }
  done
}

@test "torch is installed where python3 finds it" {
  installed='.profilers | map(select(.name == "torch"))[0].installed'
  printf '#!/bin/sh\nexit 1\n' >bin/python3
  chmod +x bin/python3
  run -0 "$ROOFLINE" profile --list --json
  [ "$(json "$installed")" = false ]
  run -3 --separate-stderr "$ROOFLINE" profile --with torch -- python3 x.py
  [[ $stderr == *'torch is not installed here'* ]]
  printf '#!/bin/sh\n[ "$4" = torch ] || [ "$3" = torch ]\n' >bin/python3
  run -0 "$ROOFLINE" profile --list --json
  [ "$(json "$installed")" = true ]
}

@test "a printed command is what a shell takes" {
  run -0 "$ROOFLINE" profile --with torch --dry-run -- python3 "it's.py" --n 4
  has "roofline-torch.json 'it'\\''s.py' --n 4"
  fake python3 "$ROOFLINE_SOURCE/examples/ncu.csv"
  eval "$(grep -v 'roofline import' <<<"$output")"
  grep -q "roofline-torch.json it's.py --n 4\$" called
}

@test "the perf of this machine" {
  command -v perf >/dev/null || skip "no perf here"
  perf stat -e duration_time true 2>/dev/null || skip "perf counts nothing here"
  run -0 --separate-stderr "$ROOFLINE" profile --with perf --json -- sleep 0.05
  near '.kernels[0].total_seconds >= 0.05 | if . then 1 else 0 end' 1
}

@test "bad input" {
  refuses() { # CODE TEXT ARGUMENTS
    run --separate-stderr "$ROOFLINE" profile "${@:3}"
    [ "$status" -eq "$1" ]
    [[ $stderr == *"$2"* ]] || { echo "$stderr"; false; }
  }
  fake perf /dev/null
  printf '#!/bin/sh\nexit 5\n' >bin/nsys
  chmod +x bin/nsys
  refuses 2 'which program' --with perf
  refuses 2 'did you mean `perf`' --with pref -- ./program
  refuses 2 'did you mean `kernels`' --for kernel -- ./program
  refuses 2 'known: kernels, timeline, operators, loops, processor;' --for nosuch -- ./program
  refuses 2 'it answers --for processor' --with perf --for loops -- ./program
  refuses 3 'nsys: failed with exit code 5' --with nsys -- ./program
  refuses 2 'roofline-perf.csv' --with perf -- ./program
}

@test "what shows a starved device is collected with the rest" {
  run -0 "$ROOFLINE" profile --with ncu --dry-run -- ./program
  [[ $output == *'sm__cycles_active.avg.pct_of_peak_sustained_elapsed'* ]]
}
