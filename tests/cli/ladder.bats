#!/usr/bin/env bats
# roofline run OP --ladder: every rung sealed before any is measured, the table, the picture; small and real at the end.
bats_require_minimum_version 1.5.0

setup() {
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config LC_ALL=C.UTF-8
  unset ROOFLINE_PATH ROOFLINE_FAKE
}

ladder() {
  run -0 --separate-stderr "$ROOFLINE" run gemm --ladder --backend fake "$@"
  [ -z "${stderr##wrote ladder.*}" ]
}

json() { # FILTER on $output
  printf '%s' "$output" | jq -c "$1"
}

@test "prints every rung with its idea, then draws them" {
  printf 'time gemm-naive = 80ms\ntime gemm-reordered = 10ms\ntime gemm-blocked = 2ms\ntime gemm-blas = 2.5ms\ntime gemm-blis = 3ms\ntime gemm-onednn = 3ms\ntime gemm-xsmm = 3ms\n' >script
  ROOFLINE_FAKE=script ladder m=1024 n=512 k=256
  [[ ${lines[0]} == *rung*kernel*cores*predicted*measured*FLOPs*"of ceiling"*"x before"*"of best library" ]]
  [[ ${lines[1]} == *" 1  gemm-naive "*" 80.00 ms "* ]]
  [[ ${lines[2]} == *" 2  gemm-reordered "*" 10.00 ms "*" 8.00x "*" 25.0 %" ]]
  [[ ${lines[7]} == *" 7  gemm-blocked "*" all "*" 2.000 ms "*" 125.0 %" ]]
  [[ $output == *"the ladder of gemm in fp32"*"7  gemm-blocked"*"measured"* ]]
  # without the column of cores no two rows have one name
  COLUMNS=80 run -0 "$ROOFLINE" run gemm --ladder --quick --backend fake
  [ "$(grep -c '^        gemm-blas, 1 core ' <<<"$output")" -eq 1 ]
  [ "$(grep -c '^        gemm-blas  ' <<<"$output")" -eq 1 ]
}

@test "every prediction is sealed before any rung is measured" {
  ladder --ledger a.ledger --dtype fp64
  [ "$(ls)" = a.ledger ]
  kinds=$(jq -rs 'map(.kind) | join(" ")' a.ledger)
  [[ $kinds =~ ^(prediction )+(measurement ?)+$ ]]
  [ "$(jq -rs '[.[] | select(.kind == "prediction") | .label]' a.ledger)" = "$(jq -rs '[.[] | select(.kind == "measurement") | .label]' a.ledger)" ]
  [ "$(jq -rs '[.[].label | select(startswith("gemm-naive "))] | unique[0]' a.ledger)" = "gemm-naive m=768 n=768 k=768 fp64" ]
}

@test "a rung computes by the algorithm that is its own, unless one is typed" {
  run -0 --separate-stderr "$ROOFLINE" run attention --ladder --backend fake --json --quick
  [ "$(json '[.rungs[].label | test("algorithm=standard")]')" = '[true,false]' ]
  [ "$(jq -rs '[.[] | select(.kind == "prediction") | .bytes] | .[0] > 2 * .[1]' roofline.ledger)" = true ]
  run -0 --separate-stderr "$ROOFLINE" run attention --ladder --backend fake --json --quick algorithm=flash
  [ "$(json '[.rungs[].label | test("algorithm=standard")] | unique')" = '[false]' ]
}

@test "rungs on one core are set against one core, the last against all" {
  ladder --json --quick
  [ "$(json '[.schema, .op, .dtype, .parameters.m]')" = '["roofline.ladder/1","gemm","fp32",384]' ]
  [ "$(json '[.rungs[] | select(.rung) | .rung]')" = '[1,2,3,4,5,6,7]' ]
  [ "$(json '[.rungs[] | select(.rung) | .one_core]')" = '[true,true,true,true,true,true,false]' ]
  [ "$(json '[.rungs[4:][] | .fraction_of_ceiling * 100 | round] | unique')" = '[80]' ]
  [ "$(json '.rungs[6].times_rung_before * 100 | round')" = 200 ]
  ladder --json --quick --threads 1
  [ "$(json '[.rungs[].one_core] | unique')" = '[true]' ]
}

@test "a rung is predicted by its own algorithm, not as a perfect product, and its share is of the machine's ceiling" {
  ladder --json --quick
  # 384^2 sums of 360 additions, each after the one before, that no other hides: 3 cycles of 3 GHz, expected at 0.85 of that
  [ "$(json '.rungs[0] | [.kernel, (.predicted_seconds * 1e5 | round), (.fraction_of_ceiling * 1000 | round)]')" = '["gemm-naive",6245,9]' ]
  [ "$(json '[.rungs[] | select(.rung) | .predicted_seconds] | . == (sort | reverse)')" = true ]
  [ "$(json '.rungs[0].predicted_seconds / .rungs[6].predicted_seconds > 100')" = true ]
  [ "$(json '[.moved_from, .rungs[0].moved_intensity, .rungs[0].moved_bytes]')" = '["DRAM",64,1769472]' ]
  [ "$(jq -s 'map(select(.kind == "prediction" and (.label | startswith("gemm-naive"))))[0].seconds.expected * 1e5 | round' roofline.ledger)" = 6245 ]
  ladder --quick
  [[ ${lines[0]} == *"FLOP/B moved"* ]]
  [[ $output == *"FLOP/B moved: of the bytes from DRAM"* ]]
}

@test "shares of a ladder that memory binds are of the mode that it was in" {
  printf 'pace = 0.5\n' >slow.fake
  export ROOFLINE_FAKE=$PWD/slow.fake
  ladder m=1 n=8192 k=8192 --json
  [ "$(json '[.rungs[] | .memory_pace] | unique')" = '[0.5]' ]
  json '[.rungs[1:][] | .fraction_of_ceiling]' | jq -e 'all(.[]; . > 0.79 and . < 0.81)'
  ladder m=1 n=8192 k=8192
  [[ $output == *$'\n  memory ran at 50 % of its ceiling for '*' rows: shares of that'* ]]
  ladder m=1024 n=1024 k=1024
  [[ $output != *'memory ran at'* ]]
}

@test "without libraries the ladder stands alone and says so" {
  mkdir broken
  for library in libopenblas.so.0 libblis.so.4 libblas.so.3 libdnnl.so.2 libdnnl.so.3 libxsmm.so.1; do echo none >"broken/$library"; done
  LD_LIBRARY_PATH=$PWD/broken ladder --quick --json
  [ "$(json '[(.rungs | length), (.skipped | length)]')" = '[7,7]' ]
  [ "$(json '.rungs[0].fraction_of_best_library')" = null ]
  LD_LIBRARY_PATH=$PWD/broken ladder --quick
  [[ $output == *"gemm-blis: no BLIS: libblis.so.4 cannot be loaded"* ]]
  [[ $output == *"gemm-onednn: no oneDNN: neither libdnnl.so.3 nor libdnnl.so.2 can be loaded"* ]]
}

@test "the picture: SVG or HTML, whole" {
  ladder --quick --to ladder.svg
  xmllint --noout ladder.svg
  grep -q 'gemm-prefetched' ladder.svg
  ladder --quick --to ladder.html
  grep -q '<td>gemm-prefetched</td>' ladder.html
}

@test "bad input: one line and the right exit code" {
  run -2 "$ROOFLINE" run gemm --ladder --to ladder.gif
  [ "$output" = 'roofline: --to ladder.gif: `run` writes files that end in .txt, .svg, .png, .pdf, .html, .json or .csv' ]
  run -2 "$ROOFLINE" run --ladder
  run -2 "$ROOFLINE" run gemn --ladder
  [[ $output == *'did you mean'* ]]
  run -3 "$ROOFLINE" run softmax --ladder
  [ "$output" = 'roofline: softmax: no ladder in fp32 on cpu; there is one of: attention, gemm' ]
  run -3 "$ROOFLINE" run gemm --ladder --dtype fp16
  run -2 "$ROOFLINE" run gemm --ladder q=1
  run -3 "$ROOFLINE" run gemm --ladder --backend fake --ledger missing/a.ledger
}
