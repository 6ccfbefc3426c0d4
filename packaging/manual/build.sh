#!/bin/sh
# Writes the manual: section 1 from what the command says of itself, section 3 from the comments of the headers, section 5 from the book's
# pages of formats, and 7 from that of agents, where lowdown is installed.    build.sh ROOFLINE FOLDER
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
formats=
! command -v lowdown >/dev/null || formats='machines(5) operations(5) ledger(5) regions(5) json(5) predictor(5) agents(7)'
jq -r --arg version "$version" --arg formats "$formats" -f "$here/roofline.1.jq" "$commands" >"$pages/roofline"
scdoc <"$pages/roofline" >"$folder/roofline.1"
for command in $(jq -r '.commands[].name' "$commands"); do
  jq -r --arg command "$command" --arg version "$version" --arg formats "$formats" -f "$here/page.jq" "$commands" >"$pages/$command"
  scdoc <"$pages/$command" >"$folder/roofline-$command.1"
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

# Links of the pages of the book: to each other they become names of the manual, and what lies elsewhere in the book or in a clone keeps its text.
linked() {
  for page in $formats; do echo "s/\[${page%(*}\.md\]([^)]*)/roofline-$page/g"; done >"$pages/links"
  printf '%s\n' 's/\[\([^]]*\)\](\(\.\.\/\|#\|[^):]*\.md\)[^)]*)/\1/g' >>"$pages/links"
  sed -f "$pages/links"
}

format() { # PAGE(SECTION) TEXT: docs/PAGE.md is roofline-PAGE(SECTION)
  section=${1#*(}
  section=${section%)}
  page=${1%(*}
  # its first heading is the page itself
  sed -e '1s/^# .*/# DESCRIPTION/' -e 's/^##/#/' "$source/docs/$page.md" | linked |
    { printf '# NAME\n\nroofline-%s - %s\n\n' "$page" "$2"; cat; } |
    lowdown -s -Tman --parse-no-metadata --out-no-smarty -M "title=roofline-$page" -M "section=$section" -M "date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" -M "source=roofline $version" -M "volume=roofline manual" - |
    sed -e 's/\\fC/\\fB/g' -f "$pages/narrow" >"$folder/roofline-$page.$section"
}
# Cells of tables are narrow: not justified, no word hyphenated, and names broken where they have a stroke.
cat >"$pages/narrow" <<'END'
/^\.TH /a .ad l\n.nr HY 0
s/ expand allbox;/ expand allbox nowarn;/
/^T{$/,/^T}$/ s|[/_.][a-z]|\\:&|g
END
for page in $formats; do
  case $page in
  machines*) text="files of machines: ceilings with their sources" ;;
  operations*) text="operations with their formulas, and files of your own ones" ;;
  ledger*) text="the ledger: predictions and measurements that cannot be changed unseen" ;;
  regions*) text="files of marked regions of a program" ;;
  json*) text="the JSON of every answer" ;;
  predictor*) text="the lines of JSON that roofline predictor reads and writes" ;;
  agents*) text="how clients of the Model Context Protocol start and use roofline mcp" ;;
  esac
  format "$page" "$text"
done
gzip -9nkf "$folder"/*.[1357]
