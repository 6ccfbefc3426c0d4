#!/bin/sh
# Writes the manual: section 1 from what the command says of itself, section 3 from the comments of the headers, section 5 from the book's
# pages of file formats, where lowdown is installed.    build.sh ROOFLINE FOLDER
set -eu
here=$(dirname "$(realpath "$0")")
source=$(realpath "$here/../..")
roofline=$1
folder=$2
mkdir -p "$folder"
version=$("$roofline" --version)
version=${version#roofline }
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
commands=$pages/commands
"$roofline" help --json >"$commands"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-0}" # a page says its version, not the day it was built
jq -r --arg version "$version" -f "$here/roofline.1.jq" "$commands" | scdoc >"$folder/roofline.1"
for command in $(jq -r '.commands[].name' "$commands"); do
  jq -r --arg command "$command" --arg version "$version" -f "$here/page.jq" "$commands" | scdoc >"$folder/roofline-$command.1"
done

{
  printf 'roofline(3) "roofline %s" "roofline library"\n\n# NAME\n\nroofline - the library: what the command answers, for programs\n' "$version"
  printf '\n# SYNOPSIS\n\n```\n#include <roofline/roofline.h>\n\ncc FILE.c $(pkg-config --cflags --libs roofline)\n```\n\n# HEADERS\n'
} >"$pages/all"
for header in "$source"/include/roofline/*.h; do
  name=$(basename "$header" .h)
  case $name in export | roofline) continue ;; esac
  awk -v name="$name" -v version="$version" -f "$here/header.awk" "$header" >"$pages/$name"
  scdoc <"$pages/$name" >"$folder/roofline-$name.3"
  printf '\n*roofline-%s*(3)\n\t%s\n' "$(echo "$name" | sed 's/_/\\_/g')" "$(sed -n '/^# NAME/{n;n;s/^.* - //p}' "$pages/$name")" >>"$pages/all"
done
printf '\n# SEE ALSO\n\n*roofline*(1)\n' >>"$pages/all"
scdoc <"$pages/all" >"$folder/roofline.3"

format() { # PAGE TEXT: docs/PAGE.md is roofline-PAGE(5)
  # its links lead to other pages of the book, its first heading is the page itself
  sed -e 's/\[\([^]]*\)\]([^)]*\.md[^)]*)/\1/g' -e '1s/^# .*/# DESCRIPTION/' -e 's/^##/#/' "$source/docs/$1.md" |
    { printf '# NAME\n\nroofline-%s - %s\n\n' "$1" "$2"; cat; } |
    lowdown -s -Tman --parse-no-metadata --out-no-smarty -M "title=roofline-$1" -M section=5 -M "date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" -M "source=roofline $version" -M "volume=roofline files" - |
    sed 's/\\fC/\\fB/g' >"$folder/roofline-$1.5"
}
if command -v lowdown >/dev/null; then
  format machines "files of machines: ceilings with their sources"
  format operations "operations with their formulas, and files of your own ones"
  format ledger "the ledger: predictions and measurements that cannot be changed unseen"
  format regions "files of marked regions of a program"
  format json "the JSON of every answer"
fi
gzip -9nkf "$folder"/*.[135]
