#!/usr/bin/env bats
# Help, the version, and options before the command's name.
bats_require_minimum_version 1.5.0

@test "the overview groups the commands by task" {
  run -0 "$ROOFLINE"
  for title in Ask Measure Import Models Record "Look up"; do
    grep -qx "$title" <<<"$output"
  done
  [ "$(grep -A20 -x Record <<<"$output" | sed '/^Look up/,$d' | awk 'NR > 1 { printf "%s ", $1 }')" = "ledger reconcile record seal " ]
  [ "$(grep -cE '^  [a-z]+ ' <<<"$output")" -eq "$(find "$ROOFLINE_SOURCE/src/cli" -name 'cmd_*.c' | wc -l)" ]
}

@test "the JSON of help is the same on every width" {
  [ "$(COLUMNS=40 "$ROOFLINE" help --json)" = "$(COLUMNS=1000 "$ROOFLINE" help --json)" ]
}

@test "-h is short and --help is long" {
  run -0 "$ROOFLINE" -h
  [[ $output != *"Exit codes"* ]]
  run -0 "$ROOFLINE" --help
  [[ $output == *"Exit codes"* ]]
  run -0 "$ROOFLINE" predict -h
  [[ $output == *"--explain"* && $output != *"--machine NAME|FILE"* && $output != *Examples:* ]]
  run -0 "$ROOFLINE" predict --help
  [[ $output == *"--machine NAME|FILE"* && $output == *Examples:* ]]
}

@test "-V is the version" {
  [ "$("$ROOFLINE" -V)" = "$("$ROOFLINE" --version)" ]
}

@test "options of every command stand before it too" {
  gemm="predict gemm m=64 n=64 k=64 --machine h100"
  [ "$("$ROOFLINE" --json $gemm)" = "$("$ROOFLINE" $gemm --json)" ]
  [ "$("$ROOFLINE" -q --color never --csv $gemm)" = "$("$ROOFLINE" $gemm --csv)" ]
  [ "$("$ROOFLINE" --color=never $gemm)" = "$("$ROOFLINE" $gemm)" ]
  run -0 "$ROOFLINE" -q run -- true
  run -2 "$ROOFLINE" --json
  [[ $output == *"--json: of which command?"* ]]
}
