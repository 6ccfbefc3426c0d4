#!/bin/sh
# The manual has a page for every command with all of its options, and mandoc has nothing against it.
. "$(dirname "$0")/lib/lint.sh"
pages=$ROOFLINE_BUILD/manual
[ -f "$pages/roofline.1" ] || skip "no manual was built: apt install scdoc jq, and configure again"

"$ROOFLINE" help --json >"$scratch/commands"
lacks() { # COMMAND: the options that its page does not name
  jq -r --arg command "$1" '.commands[] | select(.name == $command) | .options[] | select(.name) | "--" + .name' "$scratch/commands" |
    while read -r option; do
      sed 's/\\-/-/g; s/\\f[A-Z]//g' "$pages/roofline-$1.1" | grep -qe "$option" || echo "roofline-$1.1: no $option"
    done
}
complete() {
  lacks "$1" >"$scratch/lacking"
  cat "$scratch/lacking"
  [ ! -s "$scratch/lacking" ]
}
names=$(jq -r '.commands[].name' "$scratch/commands")
for name in $names; do
  complete "$name" || fail "the page lacks options"
  grep -q "roofline-$name" "$pages/roofline.1" || fail "roofline.1 does not name $name"
done
echo "$(echo "$names" | wc -l) pages with all options"
cp -r "$pages" "$scratch/pages" && pages=$scratch/pages
sed -i 's/explain/EXPLAIN/' "$pages/roofline-predict.1"
catches 'no --explain' complete predict

# scdoc itself writes paragraphs next to headings.
warnings() {
  mandoc -Tlint -Wwarning "$@" | grep -v 'skipping paragraph macro' >"$scratch/warnings"
  cat "$scratch/warnings"
  [ ! -s "$scratch/warnings" ]
}
if command -v mandoc >/dev/null; then
  warnings "$ROOFLINE_BUILD"/manual/*.1 || fail "mandoc warns"
  echo '.ZZ' >>"$pages/roofline-run.1"
  catches 'unknown macro' warnings "$pages/roofline-run.1"
else
  echo "mandoc is not installed: the pages were not read by it"
fi
