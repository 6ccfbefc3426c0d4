#!/usr/bin/env bats
# bench/lib.sh: tables of benches in documents, that of this processor next to those of others.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  . "$ROOFLINE_SOURCE/bench/lib.sh"
  printf 'before\n<!-- gemm: Another -->\nold\n<!-- end of gemm: Another -->\nafter\n' >document
  echo mine >table
}

@test "a table goes between its marks, and nowhere else" {
  put 'gemm: Another' table document
  [ "$(cat document)" = "$(printf 'before\n<!-- gemm: Another -->\nmine\n<!-- end of gemm: Another -->\nafter')" ]
  [ "$(got 'gemm: Another' document)" = mine ]
  cp document same
  put gemm table document
  cmp document same
}

@test "the table of a new processor stands after those of others, and is written over by the next" {
  [[ $(processor) =~ (AVX-512|AVX2|NEON|SSE2)$ ]]
  put_here gemm table document
  [ "$(got 'gemm: Another' document)" = old ]
  [ "$(got "gemm: $(processor)" document)" = mine ]
  [ "$(tail -n 1 document)" = after ]
  echo newer >table
  put_here gemm table document
  [ "$(got "gemm: $(processor)" document)" = newer ]
  [ "$(grep -c '^<!-- gemm: ' document)" -eq 2 ]
}

@test "a document without such marks is left alone, and named" {
  cp document same
  run -1 put_here fft table document
  [ "$output" = 'document: no line `<!-- end of fft: PROCESSOR -->`: nothing is written' ]
  cmp document same
}

@test "what others publish of single runs stands next to what is predicted of each, no further off than it was" {
  printf '<!-- training -->\n<!-- end of training -->\n' >training
  printf '<!-- peers -->\n<!-- end of peers -->\n' >peers
  sh "$ROOFLINE_SOURCE/bench/training.sh" "$PWD/training" "$PWD/peers" >printed
  got peers peers >table
  [ "$(grep -c '^| \(Calculon\|llm-analysis\|InferSim\) | ' table)" -eq 15 ]
  [ -z "$(awk -F ' *[|] *' '$3 ~ /,/ && ($7 !~ / m?s$/ || $8 !~ /^[-+][0-9.]+ %$/)' table)" ]
  [ "$(got training training | grep -c '^| Megatron-LM | 3 | ')" -eq 1 ]
  mean() { awk -F ' *[|] *' -v of="$1" '$2 == of && $3 ~ /mean/ { gsub(/[* %]/, "", $8); print $8 }' table; }
  awk "BEGIN { exit !($(mean Calculon) < 6.5 && $(mean llm-analysis) < 11) }"
}
