#!/usr/bin/env bats
# plot: the terminal's chart, SVG and HTML files, dots where the predictions are.
bats_require_minimum_version 1.5.0

setup() {
  mkdir "$BATS_TEST_TMPDIR/empty" # bats keeps files of its own next to it
  cd "$BATS_TEST_TMPDIR/empty"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config
  gemm="gemm m=1,4096 n=4096 k=4096"
}

refuses() { # CODE TEXT ARGUMENT...
  local code=$1 text=$2
  shift 2
  run --separate-stderr "$ROOFLINE" plot "$@"
  echo "exit $status: $stderr"
  [ "$status" -eq "$code" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == *"$text"* ]]
}

@test "the terminal's chart names roofs, ridge and dots" {
  run -0 "$ROOFLINE" plot $gemm softmax rows=64 cols=64 --machine h100 --dtype fp16
  [[ $output == *"fp16 matrix 989.4 TFLOP/s"* ]]
  [[ $output == *"HBM 2.958 TB/s measured"* ]]
  [[ $output == *"ridge 295.3 FLOP/byte"* ]]
  [[ $output == *"2  gemm m=4096 "*"1365 FLOP/byte   "*" TFLOP/s  predicted"* ]]
  [[ $output == *"3  softmax rows=64 cols=64 "* ]]
  [[ $output == *"⠉"* ]]
}

@test "--ascii is seven bits, --width and --height are kept, colour only when asked" {
  "$ROOFLINE" plot $gemm --machine h100 --ascii --width 60 --height 16 >chart
  ! LC_ALL=C grep -q '[^ -~]' chart || false
  [ "$(awk '{ if (length($0) > w) w = length($0) } NR == 16 { print w; exit }' chart)" -le 60 ]
  sed -n 16p chart | grep -q 'arithmetic intensity'
  "$ROOFLINE" plot --machine h100 --color always | grep -q $'\033\[38;5;'
}

@test "an SVG file is well formed and selectable, one series per machine" {
  run -0 "$ROOFLINE" plot $gemm --machine h100 --machine a100 --dtype fp16 --to chart.svg
  [ "$output" = "wrote chart.svg" ]
  xmllint --noout chart.svg
  grep -q '>ridge 295.3</text>' chart.svg
  grep -q '>nvidia-h100-sxm</text>' chart.svg
  [ "$(grep -c 'predicted' chart.svg)" -ge 4 ]
  ! grep -qE '<script|href|url\(' chart.svg || false
  [ "$(ls)" = chart.svg ]
}

@test "an HTML file stands alone and lists the dots" {
  run -0 "$ROOFLINE" plot $gemm --machine h100 --dtype fp16 -o chart.html
  xmllint --noout chart.html
  grep -q '<svg ' chart.html
  grep -q '<th scope="row">gemm m=4096</th>' chart.html
  grep -q '<td>compute-bound (fp16 matrix)</td>' chart.html
  grep -qE '<td data-value="9.894e[+]14">989.4 TFLOP/s</td><td data-value="0.[78][0-9]*">[78][0-9].[0-9] %</td><td>predicted</td>' chart.html
  grep -q 'class="wide chart broad titled"' chart.html # the heading is the chart's title
  sed '/^<script>/,/<\/script>$/d' chart.html >without.html
  ! grep -qE '<script|<link|src=|href=' without.html
}

@test "--json and --csv carry what is drawn" {
  run -0 "$ROOFLINE" plot gemm m=4 n=4 k=4 --machine h100 --dtype fp16 --json
  [ "$(jq -r .schema <<<"$output")" = roofline.plot/1 ]
  [ "$(jq '.roofs | length' <<<"$output")" -eq 6 ]
  expected=$("$ROOFLINE" predict gemm m=4 n=4 k=4 --machine h100 --dtype fp16 --json | jq -c '[.intensity, .attainable_flops_per_second]')
  [ "$(jq -c '.dots[0] | [.intensity, .attainable_flops_per_second]' <<<"$output")" = "$expected" ]
  [ "$(jq '.dots[0] | .expected_flops_per_second < .attainable_flops_per_second and
    .ceiling_flops_per_second == .attainable_flops_per_second and .verdict == null' <<<"$output")" = true ]
  run -0 "$ROOFLINE" plot gemm m=4 n=4 k=4 --machine h100 --dtype fp16 --csv
  [ "${#lines[@]}" -eq 8 ]
  [[ ${lines[7]} == "predicted,nvidia-h100-sxm,gemm m=4 n=4 k=4,1.333"* ]]
}

@test "what a cache that keeps the data allows is the ceiling, of that cache; attainable is what predict says" {
  run -0 "$ROOFLINE" plot gemm m=1 n=4096 k=4096 --machine h100 --json
  predicted=$("$ROOFLINE" predict gemm m=1 n=4096 k=4096 --machine h100 --json | jq .attainable_flops_per_second)
  [ "$(jq '.dots[0].attainable_flops_per_second' <<<"$output")" = "$predicted" ]
  [ "$(jq '.dots[0] | .ceiling_flops_per_second > 2 * .attainable_flops_per_second' <<<"$output")" = true ]
  run -0 "$ROOFLINE" plot gemm m=1 n=4096 k=4096 --machine h100 --to m1.svg
  grep -q 'memory-bound (L2)' m1.svg
}

@test "what cannot be drawn is refused, and no file is left" {
  refuses 2 'no place on a roofline' copy n=1M --machine h100
  refuses 2 'end in .svg, .png, .pdf, .html, .json, .csv or .txt' --machine h100 --to chart.gif
  refuses 2 'from 40 x 12' --machine h100 --width 10
  refuses 2 'at most 1024 dots' gemm m=1..1100 n=8 k=8 --machine h100
  refuses 2 'did you mean `gemm`?' gemmm m=8 n=8 k=8 --machine h100
  refuses 3 'No such file' --machine h100 --to missing/chart.svg
  [ -z "$(ls)" ]
}

@test "one operation on several machines is labelled by machine" {
  local point="gemm m=256 n=28672 k=8192"
  "$ROOFLINE" plot $point --machine h100 --machine a100 --machine mi300x --dtype fp16 --to machines.svg
  grep -q ">nvidia-a100-sxm-80gb</text>" machines.svg
  [ "$(grep -c ">$point</text>" machines.svg)" -eq 1 ]
  run "$ROOFLINE" plot $point --machine h100 --machine a100 --dtype fp16
  grep -q "nvidia-h100-sxm .*$point .*[56][0-9][0-9].[0-9] TFLOP/s" <<<"$output"
  grep -q "nvidia-a100-sxm-80gb ridge 153" <<<"$output"
}

@test "--arrows joins the values of a list in the order given, and ends with them" {
  run -0 "$ROOFLINE" plot gemm m=1,64 n=256,512,1024 k=4096 add n=1Mi --arrows --machine h100 --dtype fp16 --json
  [ "$(jq -c '[.dots[].next]' <<<"$output")" = '[1,2,null,4,5,null,null]' ]
  run -0 "$ROOFLINE" plot gemm m=1,64 n=256 k=4096 --machine h100 --dtype fp16 --json
  [ "$(jq -c '[.dots[].next]' <<<"$output")" = '[null,null]' ]
  "$ROOFLINE" plot $gemm --machine h100 --dtype fp16 --to plain.svg
  "$ROOFLINE" plot $gemm --arrows --machine h100 --dtype fp16 --to arrows.svg
  ! cmp -s plain.svg arrows.svg
}

@test "a label names every size that varies" {
  run -0 "$ROOFLINE" plot gemm m=n=k=64,512 --machine h100 --dtype fp16
  [[ $output == *"gemm m=n=k=64 "*"gemm m=n=k=512 "* ]]
}

@test "measured kernels of a file are dots; those without FLOPs or bytes are left out, and a note says so" {
  echo '{"schema": "roofline.measurements/1", "kernels": [
    {"name": "slow", "seconds": 2, "flops": {"fp16": 1e12}, "bytes": {"DRAM": 1e10}},
    {"name": "time only", "seconds": 1},
    {"name": "fast", "seconds": 1, "flops": {"fp16": 1e12}, "bytes": {"DRAM": 1e10}, "note": "after"}]}' >m.json
  run -0 "$ROOFLINE" plot m.json --arrows --machine h100 --dtype fp16 --json
  [ "$(jq -c '[.dots[] | [.label, .intensity, .measured_flops_per_second, .attainable_flops_per_second, .next]]' <<<"$output")" = \
    '[["slow",100,500000000000,null,1],["fast",100,1000000000000,null,null]]' ]
  [ "$(jq .left_out <<<"$output")" -eq 1 ]
  run -0 env COLUMNS=40 "$ROOFLINE" plot m.json --machine h100 --dtype fp16
  [[ $output == *$'2 of 3 kernels of m.json: the others\nlack FLOPs or bytes'* ]]
  "$ROOFLINE" plot m.json --machine h100 --dtype fp16 --to m.svg
  grep -q '2 of 3 kernels of m.json: the others lack FLOPs or bytes' m.svg
  "$ROOFLINE" plot m.json --machine h100 --dtype fp64 --to m.html
  grep -q '<th scope="row">slow</th>' m.html
  grep -q '<title>fp16 vector 133.8 TFLOP/s</title>' m.html # by which they are judged
  grep -q '<td data-value="1.338e+14">133.8 TFLOP/s</td><td data-value="0.004">0.4 %</td><td class="bad">bug</td>' m.html
  echo '{"schema": "roofline.measurements/1", "kernels": [{"name": "time only", "seconds": 1}]}' >m.json
  refuses 2 'm.json: no kernel of it has time, FLOPs and bytes' m.json --machine h100
  echo '{' >m.json
  refuses 2 'm.json:2' m.json --machine h100
  refuses 2 'No such file' nothing.json --machine h100
}

@test "a point above its ceiling is said on the terminal too" {
  echo '{"schema": "roofline.measurements/1", "kernels": [
    {"name": "fast", "seconds": 1e-4, "flops": {"fp16": 1e12}, "bytes": {"DRAM": 1e10}}]}' >m.json
  run -0 --separate-stderr "$ROOFLINE" plot m.json --machine h100 --to m.svg
  [[ $stderr == "roofline: warning: m.svg: 1 point is above the ceiling (fast): "* ]] && [ -z "$output" ]
  run -0 --separate-stderr "$ROOFLINE" plot m.json --machine h100 --ascii
  [[ $output == *'1!'*'! above its ceiling'* ]] && [ -z "$stderr" ]
}

@test "a legend that the terminal has no room for keeps its labels different" {
  COLUMNS=80 run -0 "$ROOFLINE" plot llama-3.1-8b batch=8 --machine h100
  [ "$(grep -cx '  llama-3.1-8b batch=8' <<<"$output")" -eq 1 ]
  grep -q '^  4  prefill attention ' <<<"$output"
  COLUMNS=80 run -0 "$ROOFLINE" plot gemm m=1,256 n=k=4096 --machine h100 --machine a100
  [ "$(grep -c '^  [1-4]  gemm m=1 ' <<<"$output")" -eq 2 ]
  [ "$(grep -c '^  [1-4]  gemm m=256 ' <<<"$output")" -eq 2 ]
  jq -n '{schema: "roofline.measurements/1", kernels: [
    ("__half", "float") as $type | {name: "void InitializeMatrix_kernel<\($type), (bool)1>(T1 *, int, int, int)",
     seconds: 1e-3, flops: {fp32: 1e9}, bytes: {DRAM: 1e8}}]}' >long.json
  COLUMNS=80 run -0 "$ROOFLINE" plot long.json --machine v100
  grep -q '^  1  Initial.*half' <<<"$output" && grep -q '^  2  Initial.*float' <<<"$output"
  COLUMNS=80 run -0 "$ROOFLINE" plot shares long.json --machine v100
  grep -q '^  Initial.*half' <<<"$output" && grep -q '^  Initial.*float' <<<"$output"
}

@test "eight machines fit" {
  run -0 "$ROOFLINE" plot -m h100 -m h200 -m b200 -m a100 -m l40s -m mi300x -m t4 -m gh200 --dtype fp16 --json
  [ "$(jq '[.roofs[].machine] | unique | length' <<<"$output")" -eq 8 ]
}

@test "PNG and PDF, PNG twice as large as the SVG; without librsvg the reason" {
  nm -D "$ROOFLINE_BUILD/libroofline.so" | grep -q ' U __asan_init' && skip "what fontconfig keeps is a leak to sanitizers"
  run -0 "$ROOFLINE" plot --machine h100 --to chart.svg
  run "$ROOFLINE" plot --machine h100 --to chart.png
  [ "$status" -ne 3 ] || skip "$output"
  [ "$status" -eq 0 ]
  [ "$(od -An -tx1 -N8 chart.png | tr -d ' ')" = 89504e470d0a1a0a ]
  [ $((16#$(od -An -tx1 -j16 -N4 chart.png | tr -d ' '))) -eq 1920 ]
  "$ROOFLINE" plot --machine h100 --quiet --to chart.pdf
  [ "$(head -c 5 chart.pdf)" = %PDF- ]
  "$ROOFLINE" plot --machine h100 --to -.pdf | cmp - chart.pdf
  mkdir none
  echo 'int broken' >none/librsvg-2.so.2
  LD_LIBRARY_PATH=$PWD/none run -3 "$ROOFLINE" plot --machine h100 --to absent.png
  [[ $output == *'PNG and PDF: librsvg-2.so.2 cannot be loaded; install librsvg'* ]]
  [ ! -e absent.png ]
}

@test "linear axes: every dot has its label, a predicted one is hollow" {
  "$ROOFLINE" plot gemm m=1,64,4096 n=4096 k=4096 --machine h100 --dtype fp16 --linear --to labels.svg
  for m in 1 64 4096; do
    grep -q "<text class=\"h\"[^>]*>gemm m=$m</text>" labels.svg
  done
  [ "$(grep -c '<circle[^>]*fill="#fff"' labels.svg)" -eq 3 ]
}

@test "linear axes: a label is at no other dot, and a name without room has a number in the legend" {
  "$ROOFLINE" plot gemm m=1,16,256,4096 n=4096 k=4096 --machine h100 --dtype fp16 --linear --to close.svg
  xmllint --noout close.svg
  for m in 16 256 4096; do
    grep -q "<text class=\"h\"[^>]*>gemm m=$m</text>" close.svg
  done
  run ! grep -q '<text class="h"[^>]*>gemm m=1</text>' close.svg
  grep -q '<text class="s"[^>]*>gemm m=1</text>' close.svg
  grep -q '<text class="h"[^>]*>1</text>' close.svg
}

@test "linear axes: from zero, the ridge where peak / bandwidth is, every dot at its share of the width" {
  "$ROOFLINE" plot gemm m=256,1024 n=4096 k=4096 --machine h100 --dtype fp16 --linear --to linear.svg
  xmllint --noout linear.svg
  grep -q 'performance over arithmetic intensity (FLOP/byte), linear' linear.svg
  # two lines (matrix, vector) from one corner; the ramp bends at 295.3, gemm m=256 lies at 227.6 FLOP/byte
  [ "$(grep -c '<polyline class="p"' linear.svg)" -eq 2 ]
  [ "$(grep -o 'points="[0-9.]*,[0-9.]*' linear.svg | sort -u | wc -l)" -eq 1 ]
  local line dot
  line=$(grep -o 'points="[^"]*"' linear.svg | sed 's/points="//; s/"//' | awk '{ print $2 }' | sort -t, -k1 -n | tail -n 1)
  dot=$(grep -o '<circle[^>]*cx="[0-9.]*"' linear.svg | grep -o 'cx="[0-9.]*' | grep -o '[0-9.]*$' | sort -n | head -n 1)
  awk -v ridge="${line%,*}" -v dot="$dot" 'BEGIN { share = (dot - 110) / (ridge - 110); exit !(share > 0.765 && share < 0.776) }'
  refuses 2 '--linear: of a drawing: --to FILE.svg, .png or .html' --machine h100 --linear
}

@test "a format typed again is one more, of one machine" {
  run -0 "$ROOFLINE" plot --machine a100 --dtype fp32 --dtype tf32 --csv
  [[ $output == *",fp32,"* && $output == *",tf32,"* ]]
  run -2 --separate-stderr "$ROOFLINE" plot --machine a100 --machine h100 --dtype fp32 --dtype tf32
  [ -z "$output" ]
  [[ $stderr == 'roofline: --dtype: several formats are of one machine' ]]
}

@test "every picture changes to dark where the screen is, and a table's head says what it heads" {
  run -0 "$ROOFLINE" plot gemm m=n=k=4096 --machine h100 --dtype fp16 --to a.svg
  run -0 "$ROOFLINE" model llama-3.1-8b batch=1,2,4 --machine h100 --to b.svg
  grep -q 'prefers-color-scheme:dark){svg.roofline{' a.svg
  grep -q 'prefers-color-scheme:dark){svg.curves{' b.svg
  run -0 "$ROOFLINE" plot gemm m=n=k=4096 --machine h100 --dtype fp16 --to a.html
  grep -q '<th scope="col"' a.html
}

@test "every ceiling of a processor: by instructions, of one core and of all" {
  machine=$ROOFLINE_SOURCE/examples/epyc.json
  run -0 "$ROOFLINE" plot ceilings --machine "$machine" --dtype fp64 --json
  [ "$(jq '[.roofs[] | select(.flops_per_second)] | length' <<<"$output")" -ge 6 ]
  [ "$(jq '[.roofs[] | select(.label | startswith("AVX2+FMA"))] | length' <<<"$output")" -eq 2 ]
  [ "$(jq '[.roofs[] | select(.label | startswith("DRAM read, 1 core"))] | length' <<<"$output")" -eq 1 ]
  "$ROOFLINE" plot ceilings gemm m=n=k=100 --machine "$machine" --dtype fp64 --quiet --to ceilings.svg
  xmllint --noout ceilings.svg
  grep -q 'class="roof".* data-cores="1"' ceilings.svg
  grep -q 'class="dot"' ceilings.svg
  refuses 2 'of one machine in one format' ceilings --machine h100 --machine a100
}

@test "bandwidths of each level as bars" {
  run -0 "$ROOFLINE" plot bandwidths --machine "$ROOFLINE_SOURCE/examples/epyc.json" --json
  [ "$(jq '[.bars[] | select(.label == "DRAM triad")][0].value > 7e10' <<<"$output")" = true ]
  run -0 "$ROOFLINE" plot bandwidths --machine h100 --json
  [ "$(jq -c '[.bars[] | [.label, .note]]' <<<"$output")" = '[["L1/shared read","assumed"],["L2 read","assumed"],["HBM read","100.0 % of best, datasheet"],["HBM read","88.3 % of best, measured"]]' ]
  refuses 2 'it takes no more words' bandwidths gemm --machine h100
  refuses 2 'plot bandwidths: one machine at a time' bandwidths --machine a100 --machine h100
  refuses 2 'plot shares: one machine at a time' shares results.json --machine a100 --machine h100
}

@test "a file of measurements is drawn under the machine that it names, as check and import judge it" {
  run -0 "$ROOFLINE" measure --backend fake --quick --json
  "$ROOFLINE" run triad --quick --backend fake --to x.json
  run -0 "$ROOFLINE" plot shares x.json
  [[ ${lines[0]} == 'FAKE processor'* && $output == *' 80.0 %'* ]]
  run -0 "$ROOFLINE" plot x.json
  [[ $output == *'FAKE processor'* ]]
  run -0 "$ROOFLINE" plot shares x.json --machine h100
  [[ ${lines[0]} == 'NVIDIA H100'* ]]
  sed 's/"fake"/"h100"/' x.json >y.json
  refuses 2 'plot: x.json was measured on fake, y.json on h100: under which ceilings? --machine NAME' x.json y.json
  sed 's/"fake"/"nobody"/' x.json >z.json
  refuses 2 'none named and this one is not measured yet' shares z.json
}

@test "of very many dots those that take most of the time are named" {
  "$ROOFLINE" plot llama-3.1-8b batch=1 llama-3.1-8b batch=64 --machine h100 --quiet --to many.svg
  xmllint --noout many.svg
  [ "$(grep -c 'class="dot"' many.svg)" -gt 40 ]
  grep -q 'that take less of the time, named where one points at them' many.svg
  [ "$(grep -c '<g data-of="d[0-9]*"><text' many.svg)" -lt 20 ]
}

@test "a prediction and a model's run are drawn" {
  "$ROOFLINE" predict gemm m=n=k=4096 --tile 128 --machine a100 --dtype fp32 --quiet --to levels.svg
  [ "$(grep -c 'class="dot"' levels.svg)" -eq 2 ]
  "$ROOFLINE" predict gemm m=n=k=4096 --machine a100,h100 --dtype fp16 --quiet --to two.html
  grep -q 'nvidia-h100-sxm' two.html
  "$ROOFLINE" model llama-3.1-8b batch=8 --machine h100 --quiet --to model.svg
  grep -q 'data-name="decode attention"' model.svg
  xmllint --noout levels.svg two.html model.svg
}

@test "kinds of operations have a colour each, formats are joined by what quantizing brings, limits have a sign" {
  "$ROOFLINE" plot relu n=1M softmax rows=64 cols=64 $gemm --machine h100 --dtype fp16 --quiet --to kinds.svg
  for kind in elementwise norm blas "the limit of a dot"; do grep -q ">$kind</text>" kinds.svg; done
  [ "$(grep -o '<circle[^>]*fill="#fff"[^>]*stroke="#[0-9a-f]*"' kinds.svg | grep -o 'stroke="[^"]*"' | sort -u | wc -l)" -ge 3 ]
  "$ROOFLINE" plot $gemm --machine h100 --dtype fp16 --quiet --to one.svg
  ! grep -q '>blas</text>' one.svg || false
  "$ROOFLINE" plot gemm m=32 n=k=8192 --machine h100 --dtype fp16,fp8,int4 --arrows --quiet --to formats.svg
  grep -q '>quantize</text>' formats.svg
  [ "$(grep -c 'data-to="d' formats.svg)" -eq 2 ]
}

@test "what was measured is drawn: ceilings, and measured against predicted" {
  "$ROOFLINE" measure --backend fake --quiet --to ceilings.svg
  grep -q 'data-kind="achieved"' ceilings.svg
  "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine h100 --dtype fp16 --seal --label '<one>' >out
  "$ROOFLINE" record '<one>' seconds=1ms >out
  "$ROOFLINE" reconcile --quiet --to pairs.svg
  grep -q 'class="dot".* data-name="&lt;one&gt;".* data-measured="0.001"' pairs.svg
  xmllint --noout ceilings.svg pairs.svg
}

@test "two hundred kernels: all are drawn, the largest have names and limits, their wall is their colour" {
  jq -n '{schema: "roofline.measurements/1", source: "made", format: "roofline", machine: "a100", skipped: [],
    kernels: [range(220) | {name: "k\(.)<&>", calls: 1, seconds: (1e-6 * (. + 1)), flops: {fp32: (1e6 * (. + 1))},
      bytes: {HBM: (1e6 * (. + 1) / (if . % 2 == 0 then 0.5 else 200 end))}}]}' >many.json
  "$ROOFLINE" import many.json --machine a100 --quiet --to many.svg
  xmllint --noout many.svg
  [ "$(grep -c 'class="dot"' many.svg)" -eq 220 ]
  [ "$(grep -c 'class="limit"' many.svg)" -lt 20 ]
  grep -q 'data-name="k219&lt;&amp;&gt;" .*data-level\|data-key="k219&lt;&amp;&gt;"' many.svg
  [ "$(grep -o '<circle[^>]*stroke="#fff"' many.svg | grep -o 'fill="[^"]*"' | sort -u | wc -l)" -ge 2 ]
}

@test "a drawing is as wide as it is asked for, its words within it" {
  "$ROOFLINE" plot $gemm --machine h100 --width 340 --to narrow.svg
  xmllint --noout narrow.svg
  grep -q ' width="340" ' narrow.svg
  [ "$(grep -o '<text[^>]*x="[0-9.]*"' narrow.svg | sed 's/.*x="//; s/"$//' | sort -g | tail -1 | cut -d. -f1)" -lt 340 ]
  refuses 2 'a drawing is 340 to 4000 pixels wide' --machine h100 --width 100 --to x.svg
  nm -D "$ROOFLINE_BUILD/libroofline.so" | grep -q ' U __asan_init' && skip "what fontconfig keeps is a leak to sanitizers"
  "$ROOFLINE" plot $gemm --machine h100 --width 500 --to other.png
  [ "$(head -c 24 other.png | od -An -tu1 -j18 -N2 | awk '{print $1 * 256 + $2}')" -eq 1000 ]
}

@test "a title has the formats of weights and results too" {
  "$ROOFLINE" plot linear batch=1,64 in=4096 out=4096 --machine h100 --dtype fp16 --weights int4 --to weights.svg
  grep -q '>NVIDIA H100 SXM5 80GB: fp16 roofline, weights int4<' weights.svg
  "$ROOFLINE" predict linear batch=64 in=4096 out=4096 --machine h100 --dtype fp16 --output fp32 --to result.svg
  grep -q '>linear on NVIDIA H100 SXM5 80GB, fp16, result fp32<' result.svg
}

@test "a model is drawn in the formats that were typed, by its name or from its config.json" {
  run -0 "$ROOFLINE" plot llama-3.1-8b batch=8 --machine h100
  stored=$output
  for formats in '--weights int4' '--weights w4a16' '--kv fp8'; do
    run -0 "$ROOFLINE" plot llama-3.1-8b batch=8 $formats --machine h100
    [ "$output" != "$stored" ]
  done
  run -0 "$ROOFLINE" plot mixtral-8x7b --weights fp8,experts=nvfp4 --machine h100
  refuses 2 'weights `w4a16`: unknown' gemm m=n=k=64 llama-3.1-8b --weights w4a16 --machine h100
  jq -n '{architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: 4096, intermediate_size: 14336,
    num_hidden_layers: 32, num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 128256, hidden_act: "silu",
    max_position_embeddings: 131072, rms_norm_eps: 1e-5, tie_word_embeddings: false, torch_dtype: "bfloat16"}' >config.json
  run -0 "$ROOFLINE" plot config.json batch=8 --machine h100
  [[ $output == *decode* ]]
  echo '{"schema": "roofline.measurements/1", "kernels": []}' >runs.json
  refuses 2 'takes no `batch=8`' runs.json batch=8 --machine h100
}

@test "the memory's roof and its ridge are those of the operation's reads and writes" {
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  run -0 "$ROOFLINE" plot triad n=16Mi --machine fake --dtype fp32 --csv
  [[ $output == *"DRAM triad 36.00 GB/s measured,,,36000000000,,"* && $output != *"DRAM read"* ]]
  "$ROOFLINE" plot triad n=16Mi --machine fake --dtype fp32 -o triad.svg
  grep -q 'ridge 10.67' triad.svg
}
