#!/usr/bin/env bats
# Completions of shells, in the shells themselves.
bats_require_minimum_version 1.5.0

setup() {
  completions=$ROOFLINE_BUILD/completions
  [ -f "$completions/roofline.bash" ] || skip "no completions were built: apt install scdoc jq, and configure again"
  PATH=$(dirname "$ROOFLINE"):$PATH
}

in_bash() { # WORD ...: what bash offers for the last
  bash -c 'source "$1"; shift; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _roofline; printf "%s\n" "${COMPREPLY[@]}"' \
    _ "$completions/roofline.bash" "$@"
}

in_fish() { # LINE
  fish --no-config -c "source $completions/roofline.fish; complete -C '$1'" | cut -f1
}

in_zsh() { # LINE
  timeout 60 zsh -f "$BATS_TEST_DIRNAME/offered.zsh" "$BATS_TEST_TMPDIR" "$1" | tr -d '\r' | sed -n '/MARK$/,/^MARK/ { /MARK/d; /^$/d; p; }'
}

@test "help --json has every command with its options" {
  run -0 --separate-stderr "$ROOFLINE" help --json
  [ "$(jq '.commands | length' <<<"$output")" -eq "$(find "$ROOFLINE_SOURCE/src/cli" -name 'cmd_*.c' | wc -l)" ]
  [ "$(jq -c '.commands[] | select(.name == "predict") | .options[] | select(.name == "machine") | [.letter, .value, .repeatable]' <<<"$output")" = '["m","NAME|FILE",true]' ]
  [ "$(jq '[.commands[].options[] | select(.text == null)] | length' <<<"$output")" -eq 0 ]
  [ "$(jq '[.commands[] | select(.examples == [])] | length' <<<"$output")" -eq 0 ]
}

@test "bash: commands, options, names, parameters" {
  [ "$(in_bash roofline pred | xargs)" = "predict predictor" ]
  [ "$(in_bash roofline predict gemm --expl)" = --explain ]
  in_bash roofline predict gemm --machine h100 | grep -qx h100-pcie
  in_bash roofline predict gem | grep -qx gemm
  [ "$(in_bash roofline predict gemm '' | xargs)" = "m= n= k= batch= beta=" ]
  [ "$(in_bash roofline predict gemm --color a | xargs)" = "auto always" ]
  in_bash roofline predict gemm --dtype b | grep -qx bf16
  in_bash roofline machine show h20 | grep -qx h200
  in_bash roofline model llama-3.1 | grep -qx llama-3.1-8b
  in_bash roofline explain rid | grep -qx ridge
  [ -z "$(in_bash roofline no-such-command x)" ]
  [ "$(in_bash roofline predict attention algorithm = | xargs)" = "flash standard" ]
  [ "$(in_bash roofline predict attention algorithm = st)" = standard ]
  [ -z "$(in_bash roofline predict attention heads =)" ]
  in_bash roofline import --format lik | grep -qx likwid
  in_bash roofline op show ge | grep -qx gemm
  [[ $(in_bash roofline op show gemm '') != *=* ]]
  [ "$(in_bash roofline ledger '' | xargs)" = "anchor export keygen show verify" ]
  [[ $(in_bash roofline cluster ag) != *against* ]]
}

@test "bash offers no option that the command refuses" {
  for option in $(in_bash roofline doctor --); do
    run "$ROOFLINE" doctor "$option" x --help
    [[ $output != *"unknown option"* ]]
  done
}

@test "fish: commands, options, names, parameters" {
  command -v fish >/dev/null || skip "no fish"
  [ "$(in_fish 'roofline pred' | sort | xargs)" = "predict predictor" ]
  [ "$(in_fish 'roofline predict gemm --expl')" = --explain ]
  in_fish 'roofline predict gemm --machine h100' | grep -qx h100-pcie
  in_fish 'roofline predict gemm ' | grep -qx m=
  in_fish 'roofline model llama-3.1' | grep -qx llama-3.1-8b
  in_fish 'roofline predict attention algorithm=' | grep -qx algorithm=standard
  in_fish 'roofline import --format lik' | grep -qx likwid
  in_fish 'roofline op show ge' | grep -qx gemm
}

@test "zsh: commands, options, names, parameters" {
  command -v zsh >/dev/null || skip "no zsh"
  cp "$completions/roofline.zsh" "$BATS_TEST_TMPDIR/_roofline"
  [ "$(in_zsh 'roofline pred' | xargs)" = "predict predictor" ]
  [ "$(in_zsh 'roofline predict gemm --expl')" = --explain ]
  in_zsh 'roofline predict gemm --machine h100' | grep -qx h100-pcie
  [ "$(in_zsh 'roofline predict gemm ' | xargs)" = "m= n= k= batch= beta=" ]
  in_zsh 'roofline model llama-3.1' | grep -qx llama-3.1-8b
  [ "$(in_zsh 'roofline predict attention algorithm=' | xargs)" = "flash standard" ]
  in_zsh 'roofline import --format lik' | grep -qx likwid
  in_zsh 'roofline op show ge' | grep -qx gemm
}
