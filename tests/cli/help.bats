#!/usr/bin/env bats
# Help, the version, and options before the command's name.
bats_require_minimum_version 1.5.0

@test "the usage line of every command is whole" {
  local name
  for name in $("$ROOFLINE" help --json | jq -r '.commands[].name'); do
    COLUMNS=1000 run -0 "$ROOFLINE" "$name" --help
    grep -q '^Usage: .*\[--option \.\.\.\]$' <<<"$output" || { echo "$name: ${lines[1]}"; return 1; }
  done
}

@test "no paragraph of the help is broken before the terminal breaks it" {
  run -0 python3 - "$ROOFLINE" <<'P'
import json, re, subprocess, sys
for command in json.loads(subprocess.check_output([sys.argv[1], "help", "--json"]))["commands"]:
    lines = command["examples"]
    for line, after in zip(lines, lines[1:]):
        prose = not re.match(r"\s*(roofline|echo|printf|srun|mpirun)\b", line)
        if prose and len(line) > 78 and after.strip() and line[-1] not in ".:":
            print(f"{command['name']}: {line}\n{after}")
P
  [ -z "$output" ]
}

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

@test "the help names every setting, precision and framework" {
  local name help
  help=$("$ROOFLINE" model --help)
  for name in $(sed -n '/of_models\[/,/^};/s/^    \(COUNT\|AMOUNT\)(\([a-z_]*\).*/\2/p' "$ROOFLINE_SOURCE/src/models/settings.c"); do
    grep -qwF -- "$name" <<<"$help" || { echo "$name"; return 1; }
  done
  for option in precision framework; do
    run -2 "$ROOFLINE" model llama-3.1-8b --machine h100 "--$option" none_like_it
    [[ $output == *known:* ]]
    for name in $(sed 's/.*known: //; s/,//g' <<<"$output"); do
      grep -qwF -- "$name" <<<"$help" || { echo "$name"; return 1; }
    done
  done
}

@test "help takes no option with a command, and none but --json without" {
  run -2 "$ROOFLINE" help predict --json
  [ "$output" = 'roofline: help: does not take --json: `roofline help COMMAND`, or `roofline help --json`' ]
  run -2 "$ROOFLINE" help --csv
  [[ $output == *'help: does not take --csv'* ]]
  run -0 "$ROOFLINE" help predict
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

@test "every example of the help has options that its command takes, where they have an effect" {
  run -0 python3 - "$ROOFLINE" <<'P'
import json, shlex, subprocess, sys
program, tried = sys.argv[1], 0
for command in json.loads(subprocess.check_output([program, "help", "--json"]))["commands"]:
    lines = "\n".join(command["examples"]).replace("\\\n", "").split("\n\n")[0]  # prose comes after them
    for line in lines.splitlines():
        words, part = [], []
        if line.startswith("roofline ") or " roofline " in line:
            words = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
            words.whitespace_split = True
        for word in [*words, ";"]:
            if word[0] not in "|&;<>()":
                part.append(word)
                continue
            if "roofline" in part:
                typed = part[part.index("roofline") + 1:]
                end = typed.index("--") if "--" in typed else len(typed)
                typed[end:end] = ["--color", "none"]  # which is refused once the options are read
                why = subprocess.run([program, *typed], capture_output=True, text=True).stderr.strip()
                assert why == "roofline: --color none: use auto, always or never", line + ": " + why
                tried += 1
            part = []
assert tried > 100, tried
P
}
