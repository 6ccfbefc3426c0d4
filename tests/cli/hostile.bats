#!/usr/bin/env bats
# Names that strangers chose, through every medium: nothing but text reaches a terminal, no line is a command to GitHub, no cell a
# formula, no Markdown a link.

setup() {
  load lib.bash
  start
  name=$'evil\e[1A\e[2K\e]0;title\a\u202E\u009B2J'
  quoted='evil\u001b[1A\u001b[2K\u001b]0;title\u0007\u202e\u009b2J'
  gemm=(gemm m=64 n=64 k=64 --machine h100 --dtype fp16)
}

# clean COMMAND...: neither stream of it has a control character, a change of direction or a line that GitHub would take for a command.
clean() {
  GITHUB_ACTIONS=true "$@" >out 2>err || [ $? -le 2 ]
  ! LC_ALL=C grep -aHnP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae\x8e\x8f]|\xe2\x81[\xa6-\xa9]|^ *::|##\[' out err
}

# ledger LINE...: forged.ledger, each line with its place in the chain and its digest.
ledger() {
  python3 - "$@" <<'PYTHON'
import hashlib, sys
previous, out = "0" * 64, ""
for number, fields in enumerate(sys.argv[1:], 1):
    body = '{"sequence":%d,"kind":"prediction","time":"2026-01-01T00:00:00.000Z",%s,"previous":"%s"' % (number, fields, previous)
    line = body + ',"sha256":"%s"}\n' % hashlib.sha256(body.encode()).hexdigest()
    previous = hashlib.sha256(line.encode()).hexdigest()
    out += line
open("forged.ledger", "w").write(out)
PYTHON
}

seconds='"regime":"memory","binding":"HBM","seconds":{"lower":1e-3,"expected":2e-3}'

@test "a ledger with names that no terminal should be sent is refused, and says so in clean text" {
  ledger "\"label\":\"fine\",$seconds"
  run -0 "$ROOFLINE" ledger verify --ledger forged.ledger
  ledger "\"label\":\"$quoted\",$seconds"
  for command in "ledger show" "ledger export --csv" "ledger export --json" "ledger verify" reconcile; do
    run -1 --separate-stderr "$ROOFLINE" $command --ledger forged.ledger
    clean "$ROOFLINE" $command --ledger forged.ledger
  done
  ledger "\"label\":\"fine\\nforged\",$seconds"
  run -1 "$ROOFLINE" reconcile --ledger forged.ledger
}

@test "a prediction whose times contradict each other is found, whatever its digest" {
  contradicts() {
    ledger '"label":"k","regime":"memory","binding":"HBM","seconds":{'"$1}"
    run -1 "$ROOFLINE" ledger verify --ledger forged.ledger
    has "forged.ledger:1: entry 1: $2"
  }
  contradicts '"lower":3e-3,"expected":2e-3' 'its lower bound is above the expected time'
  contradicts '"lower":1e-3,"expected":2e-3,"upper":0.5e-3' 'its lower bound is above the upper one'
  contradicts '"lower":1e-3,"expected":2e-3,"expected_low":2.5e-3' '`expected_low` is above the expected time'
  contradicts '"lower":1e-3,"expected":2e-3,"expected_high":1.5e-3' '`expected_high` is below the expected time'
}

@test "a label or a machine that is not one line of text is neither sealed nor recorded" {
  for label in "$name" $'two\nlines' $'tab\tbed' $'\u2028' $'\u202Eleft'; do
    run -2 --separate-stderr "$ROOFLINE" predict "${gemm[@]}" --seal --label "$label"
    [[ $stderr == *'is not one line of text that can be shown'* ]]
    run -2 "$ROOFLINE" record "$label" seconds=1ms --unsealed
    clean "$ROOFLINE" record "$label" seconds=1ms --unsealed
  done
  "$ROOFLINE" predict "${gemm[@]}" --json | jq '.machine = "h100\nforged"' >p.json
  run -2 "$ROOFLINE" seal p.json
  [ ! -s roofline.ledger ]
}

@test "errors are one line of clean text" {
  clean "$ROOFLINE" machine show "$name"
  clean "$ROOFLINE" machine show $'x\n::error::owned'
  [ "$(wc -l <err)" -eq 1 ]
  printf 'k: gemm m=1 n=1 k=1 --machine \e[31mh100\n' >list.txt
  clean "$ROOFLINE" seal list.txt
  clean "$ROOFLINE" import $'none\n::error::owned'
  clean "$ROOFLINE" "$name"
  clean "$ROOFLINE" predict "$name" --machine h100
  clean "$ROOFLINE" predict gemm "$name=1" --machine h100
  clean "$ROOFLINE" predict "${gemm[@]}" "--$name"
  clean "$ROOFLINE" model "$name"
}

@test "documents with such names are refused in clean text" {
  for text in "$quoted" 'a\n::error::owned'; do
    printf '{"schema":"roofline.measurements/1","kernels":[{"name":"%s","seconds":1e-3}]}' "$text" >name.json
    printf '{"schema":"roofline.measurements/1","machine":"%s","kernels":[{"name":"k","seconds":1e-3}]}' "$text" >machine.json
    for file in name.json machine.json; do
      for command in "check $file --machine h100 --github" "import $file" "plot $file --machine h100" "record $file --unsealed"; do
        clean "$ROOFLINE" $command
        run -2 "$ROOFLINE" $command
      done
    done
  done
}

@test "a kernel of a profile that is called like a command to GitHub is none" {
  printf '{"schema":"roofline.measurements/1","kernels":[{"name":"::error::owned ##[error]x","seconds":1e-3}]}' >g.json
  for command in "check g.json --machine h100" "import g.json" "plot g.json --machine h100"; do
    clean "$ROOFLINE" $command
  done
  run "$ROOFLINE" check g.json --machine h100 --github
  [ "$(grep -c '^ *::' <<<"$output")" = "$(grep -c '^::[a-z]* file=g.json,title=%3A%3Aerror%3A%3Aowned' <<<"$output")" ]
  [ "$(grep -c '^ *::' <<<"$output")" -gt 0 ]
}

@test "names of profiles, models, operations and machines are shown clean" {
  printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"%s","ts":1,"dur":5,"pid":0,"tid":7,"args":{"device":0,"stream":7}}]}' "$quoted" >trace.json
  clean "$ROOFLINE" import trace.json
  clean "$ROOFLINE" import trace.json --csv
  clean "$ROOFLINE" import trace.json --json
  jq --arg n "$name" '(.traceEvents[] | select(.cat == "kernel") | .name) += $n' "$ROOFLINE_SOURCE/examples/trace.json" >examples.json
  clean "$ROOFLINE" import examples.json --to chart.svg
  [ "$(LC_ALL=C grep -acP '\xc2[\x80-\x9f]|\xe2\x80\xae|\x1b' chart.svg)" = 0 ]
  printf 'op x\nsummary = %s\nunit = vector\nparam n\nflops = n\nbytes = n\n' "$name" >f.ops
  clean "$ROOFLINE" op list --ops f.ops
  clean "$ROOFLINE" op show x --ops f.ops
  "$ROOFLINE" machine show h100 --json | jq --arg n "$name" '.name = "mine" | .title = $n | .notes = $n' >mine.json
  clean "$ROOFLINE" machine show mine.json
  clean "$ROOFLINE" machine show mine.json --json
  clean "$ROOFLINE" machine list --csv
  clean "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine mine.json --dtype fp16
}

@test "CSV has no formula, and its numbers stay numbers" {
  for label in "=cmd|' /C calc'!A1" '+1+1' '@SUM(A1)' '-2+3'; do
    "$ROOFLINE" predict "${gemm[@]}" --seal --label "$label" >/dev/null
  done
  run -0 "$ROOFLINE" ledger export --csv
  [ "$(cut -d, -f4 <<<"$output" | grep -c '^[=+@-]')" = 0 ]
  [ "$(grep -c "'[=+@-]" <<<"$output")" = 4 ]
  run -0 "$ROOFLINE" ledger export --json
  json '.entries[].label' | grep -qxF "\"=cmd|' /C calc'!A1\""
  printf '{"schema":"roofline.measurements/1","kernels":[{"name":"-1.5","seconds":1e-3}]}' >number.json
  run "$ROOFLINE" check number.json --csv --machine h100
  grep -q '^-1.5,' <<<"$output"
}

@test "Markdown has no HTML, no link and no code of strangers" {
  "$ROOFLINE" predict "${gemm[@]}" --seal --label '<script>alert(1)</script> [x](javascript:1) `code` a|b *c*' >/dev/null
  "$ROOFLINE" ledger export --markdown p.md
  grep -qF '\<script\>alert(1)\</script\> \[x\](javascript:1) \`code\` a\|b \*c\*' p.md
  "$ROOFLINE" seal p.md --ledger again.ledger
  [ "$("$ROOFLINE" ledger export --json --ledger again.ledger | jq -r '.entries[0].label')" = '<script>alert(1)</script> [x](javascript:1) `code` a|b *c*' ]
}
