#!/bin/sh
# Writes the manual pages of section 1 from what the command says of itself.    build.sh ROOFLINE FOLDER
set -eu
here=$(dirname "$(realpath "$0")")
roofline=$1
folder=$2
mkdir -p "$folder"
version=$("$roofline" --version)
version=${version#roofline }
commands=$(mktemp)
trap 'rm -f "$commands"' EXIT
"$roofline" help --json >"$commands"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-0}" # a page says its version, not the day it was built
jq -r --arg version "$version" -f "$here/roofline.1.jq" "$commands" | scdoc >"$folder/roofline.1"
for command in $(jq -r '.commands[].name' "$commands"); do
  jq -r --arg command "$command" --arg version "$version" -f "$here/page.jq" "$commands" | scdoc >"$folder/roofline-$command.1"
done
gzip -9nkf "$folder"/*.1
