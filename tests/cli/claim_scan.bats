#!/usr/bin/env bats
# roofline claim --scan: claims in Markdown are found, placed and judged; exit 1 is the gate.

setup() {
  load lib.bash
  start
  cat >notes.md <<'TEXT'
# A kernel

It reaches 1.7 PFLOP/s on H100, and 3.0 TB/s there.
We serve 2,500 tokens/s of Llama 3.1 8B on one H100.
TEXT
}

@test "claims are answered with their place, impossible ones fail" {
  run -1 "$ROOFLINE" claim --scan notes.md
  [ "${lines[0]}" = "1 of 3 claims is impossible" ]
  [ "${lines[1]}" = 'notes.md:3:12: `1.7 PFLOP/s` impossible: 172 % of the dense fp16 matrix peak (989.4 TFLOP/s) of NVIDIA H100 SXM5 80GB; it is 86 % of the 2:4 sparse fp16 peak (1.979 PFLOP/s): a sparse figure' ]
  [[ ${lines[2]} == 'notes.md:3:37: `3.0 TB/s` possible: 90 % of the HBM bandwidth'* ]]
  [[ ${lines[3]} == 'notes.md:4:10: `2,500 tokens/s` possible: llama-3.1-8b on NVIDIA H100 SXM5 80GB at batch 16: '* ]]
  run -1 "$ROOFLINE" claim --scan notes.md --quiet
  [ "${#lines[@]}" -eq 2 ]
  sed -i 's/1.7 PFLOP/0.7 PFLOP/' notes.md
  run -0 "$ROOFLINE" claim --scan notes.md
  [ "${lines[0]}" = "0 of 3 claims are impossible" ]
}

@test "several files, standard input, one without claims" {
  cp notes.md other.md
  run -1 "$ROOFLINE" claim --scan notes.md other.md --json
  [ "$(json '[.claims[] | .file] | unique')" = '["notes.md","other.md"]' ]
  run -1 "$ROOFLINE" claim --scan - <notes.md
  [[ ${lines[1]} == '-:3:12: '* ]]
  echo nothing >plain.txt
  run -0 "$ROOFLINE" claim --scan plain.txt
  [[ $output == 'no claims found: '* ]]
}

@test "JSON and CSV have every claim" {
  run -1 "$ROOFLINE" claim --scan notes.md --json
  [ "$(json '[.schema, .possible, .impossible, .unknown]')" = '["roofline.claims/1",false,1,0]' ]
  [ "$(json '.claims[0] | [.file, .line, .column, .text, .quantity, .unit, .claimed, .machine, .model, .dtype, .devices, .state]')" = \
    '["notes.md",3,12,"1.7 PFLOP/s","rate","FLOP/s",1700000000000000,"nvidia-h100-sxm",null,"fp16",1,"impossible"]' ]
  near .claims[0].fraction 1.71821
  [ "$(json '.claims[2] | [.model, .quantity, .per_user]')" = '["llama-3.1-8b","tokens",false]' ]
  run -1 "$ROOFLINE" claim --scan notes.md --csv
  [ "${#lines[@]}" -eq 4 ]
  [[ ${lines[1]} == 'notes.md,3,12,1.7 PFLOP/s,rate,FLOP/s,false,1.7e+15,'* || ${lines[1]} == 'notes.md,3,12,1.7 PFLOP/s,rate,FLOP/s,false,1700000000000000,'* ]]
}

@test "annotations of GitHub point at the line" {
  run -1 "$ROOFLINE" claim --scan notes.md --github
  [ "$(grep -c '^::' <<<"$output")" -eq 1 ]
  has '::error file=notes.md,line=3,col=12,title=1.7 PFLOP/s::impossible: 172 %25 of the dense'
}

@test "what names no machine or format is of the options'" {
  echo 'It does 900 TFLOP/s.' >bare.md
  run -0 "$ROOFLINE" claim --scan bare.md
  [[ $output == 'no claims found'* ]]
  run -0 "$ROOFLINE" claim --scan bare.md --machine h100
  run -1 "$ROOFLINE" claim --scan bare.md --machine h100 --dtype tf32
  has '`900 TFLOP/s` impossible: 182 % of the dense tf32 matrix peak'
}

@test "what is wrong with the call is said in one line" {
  local words want
  while IFS='|' read -r words want; do
    run -2 --separate-stderr "$ROOFLINE" claim --scan $words
    [ -z "$output" ]
    [[ $stderr == "roofline: "*"$want"* ]] || { echo "$words: $stderr"; return 1; }
  done <<'ROWS'
|claim: which file?
missing.md|`missing.md`: No such file
notes.md --machine h1000|did you mean
notes.md --machine h100 --machine a100|one machine and one format at a time
notes.md --sparse|--sparse
notes.md --github --json|--github: has no effect with --json
ROWS
  run -2 --separate-stderr "$ROOFLINE" claim 1TB/s --machine h100 --github
  [[ $stderr == *'--github: has no effect'* ]]
}

@test "the hook of pre-commit runs what is installed, on Markdown" {
  command -v python3 >/dev/null || skip "no python3"
  python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml"
  entry=$(python3 -c 'import sys, yaml
hook = yaml.safe_load(open(sys.argv[1]))[0]
assert hook["types_or"] == ["markdown"] and hook["language"] == "system", hook
print(hook["entry"])' "$ROOFLINE_SOURCE/.pre-commit-hooks.yaml")
  mkdir bin
  ln -s "$ROOFLINE" bin/roofline
  PATH=$PWD/bin:$PATH run -1 $entry notes.md
  has 'notes.md:3:12:'
}

@test "exchanges are of no memory, and several devices are named where the figure is of one" {
  cat >links.md <<'TEXT'
On 8 H100s, all-reduce reaches 480 GB/s bus bandwidth.
On H100 the all to all reaches 300 GB/s, reduce-scatter 300 GB/s.
An H100 with a bus bandwidth of 480 GB/s.
TEXT
  run -0 "$ROOFLINE" claim --scan links.md
  [[ $output == 'no claims found'* ]]
  echo 'Our cluster of 1024 H100s does 450 PFLOP/s; a kernel that reduces all data reads 3 TB/s on H100.' >many.md
  run -0 "$ROOFLINE" claim --scan many.md
  has 'possible: 44 % of the dense fp16 matrix peak (1024 x 989.4 TFLOP/s) of NVIDIA H100 SXM5 80GB'
  has '`3 TB/s` possible: 90 % of the HBM bandwidth (3.350 TB/s)'
}
