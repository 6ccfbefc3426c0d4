#!/bin/sh
# Writes the completions of bash, zsh and fish from what the command says of itself.    build.sh ROOFLINE FOLDER
set -eu
here=$(dirname "$(realpath "$0")")
mkdir -p "$2"
commands=$(mktemp)
trap 'rm -f "$commands"' EXIT
"$1" help --json >"$commands"
for shell in bash zsh fish; do
  jq -L "$here" -r -f "$here/roofline.$shell.jq" "$commands" >"$2/roofline.$shell"
done
