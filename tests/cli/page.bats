#!/usr/bin/env bats
# Pages of --to FILE.html: the answer in text, in the same frame for every command.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config LC_ALL=C.UTF-8
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
}

# page NAME WORD...: writes the page of a command and checks what every page has; its headline is the first line of the text.
page() {
  name=$1
  shift
  COLUMNS=400 "$ROOFLINE" "$@" --to "$name.txt" 2>/dev/null || [ $? -eq 1 ]
  run --separate-stderr "$ROOFLINE" "$@" --to "$name.html"
  [ "$status" -le 1 ]
  [ -z "$output" ]
  [ "$stderr" = "wrote $name.html" ]
  xmllint --noout "$name.html"
  grep -q "<h1>$(head -1 "$name.txt" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/[].*[^$\\]/./g')</h1>" "$name.html"
  grep -q '<section id="asked"' "$name.html"
  grep -q "<pre><code>roofline $1 " "$name.html"
  grep -q "Written by roofline .* at 20..-..-..T.*Z" "$name.html"
  ! grep -q "$ROOFLINE" "$name.html" || false # it is read elsewhere
  ! grep -q $'\016\|\017\|\034\|\035\|\036\|\037' "$name.html"
}

# sections NAME LIST: the parts of its story, in order.
sections() {
  [ "$(grep -o '<section id="[a-z]*' "$1.html" | sed 's/.*"//' | xargs)" = "$2" ]
}

# cells NAME: the numbers of the page's tables with their units, each once.
cells() {
  xmllint --xpath '//*[local-name()="td"][@data-value]/text()' "$1.html" | sort -u
}

@test "model, sweep and predict: the figures of the text, the chart, the machine's sources" {
  page model model llama-3.1-8b batch=16 --machine h100
  grep -q '<svg' model.html
  sections model 'asked predicted reproduce'
  grep -q '<tr><th scope="row">one batch</th><td>TTFT ' model.html
  grep -q '<tr><th scope="row">memory</th><td>.* workspace .*; .* per token and sequence; ' model.html # its second line too
  ! grep -q '<p>[a-z ]*: ' <(sed -n '/id="predicted"/,/<.section>/p' model.html) || false
  grep -q '<code>roofline machine show h100</code>' model.html
  grep -q '<title>model llama-3.1-8b batch=16 on h100</title>' model.html
  grep -q '<caption>prefill: .* MFU ' model.html
  page sweep sweep linear batch=1..4096*2 in=4096 out=4096 --machine a100
  grep -q '<svg' sweep.html
  grep -q '<code>roofline sweep linear [^ ]*batch=1..4096\*2[^ ]* in=4096' sweep.html
  page predict predict gemm m=n=k=4096 --machine h100
  for name in model sweep; do
    cells "$name" >cells
    [ "$(wc -l <cells)" -gt 20 ]
    while read -r cell; do
      grep -qF -- "$cell" "$name.txt" || { echo "$cell: not in the text"; false; }
    done <cells
  done
}

@test "import: all rows, whole names, what was left out" {
  page parts import "$fixtures/kineto-rank0.json" --machine a100 --by module
  grep -q '<caption>Parts</caption>' parts.html
  page import import "$fixtures/kineto.json" --machine a100
  [ "$(grep -c '<svg' import.html)" -eq 4 ]
  sections import 'asked measured verdicts reproduce'
  grep -q '<summary>All (22)</summary>' import.html
  name=$(jq -r '.kernels[].name' <("$ROOFLINE" import "$fixtures/kineto.json" --json) | awk 'length > 60' | head -1)
  [ -n "$name" ]
  grep -qF "<td>$(sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<<"$name")</td>" import.html
  grep -q '<p>left out: ' import.html
}

@test "reconcile and measure: verdicts with their colours; the machine is kept all the same" {
  "$ROOFLINE" loop --quick --backend fake >/dev/null
  page reconcile reconcile
  sections reconcile 'asked verdicts reproduce'
  grep -q '<p>In all rows, time from: this process.</p>' reconcile.html
  grep -q '<td class="good">normal</td>' reconcile.html
  jq '.title = "another"' .config/roofline/machines/fake.json >changed.json
  mv changed.json .config/roofline/machines/fake.json
  page reconcile reconcile
  sections reconcile 'asked machine verdicts reproduce'
  rm -r .config
  run -0 --separate-stderr "$ROOFLINE" measure --backend fake --to measure.html
  [ -e .config/roofline/machines/fake.json ]
  grep -q '<h1>fake: FAKE processor' measure.html
  grep -q '<tr><th scope="row">trust</th><td>nothing was timed' measure.html
  grep -q '<tr><th scope="row">rest</th><td>roofline machine show fake' measure.html
  sections measure 'asked machine measured next reproduce'
}

@test "hostile names are text" {
  cp "$fixtures/stream.txt" '<script>alert(1)<.txt'
  run -0 "$ROOFLINE" import '<script>alert(1)<.txt' --to evil.html
  xmllint --noout evil.html
  [ "$(grep -c '<script' evil.html)" -eq 1 ] # the page's own
}

@test "a page that cannot be written, and a drawing of what has none" {
  run -3 "$ROOFLINE" model llama-3.1-8b --machine h100 --to nowhere/x.html
  run -0 "$ROOFLINE" sweep gemm m=1..4 n=64 k=64 --machine h100 --to -.html
  [[ $output == "<!DOCTYPE html>"*"</html>" ]]
}
