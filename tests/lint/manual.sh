#!/bin/sh
# The manual has a page for every command with all of its options, one for every header with all of its functions, those of formats, and
# mandoc has nothing against them.
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

# functions PAGES: the public functions that no page of a header shows.
functions() {
  sed -n 's/^ROOF_API .*[ *]\(roof_[a-z0-9_]*\)(.*/\1/p' "$ROOFLINE_SOURCE"/include/roofline/*.h | sort -u >"$scratch/declared"
  cat "$1"/*.3 | sed 's/\\-/-/g; s/\\_/_/g' | grep -o 'roof_[a-z0-9_]*(' | tr -d '(' | sort -u >"$scratch/shown"
  comm -23 "$scratch/declared" "$scratch/shown" >"$scratch/lacking"
  cat "$scratch/lacking"
  [ ! -s "$scratch/lacking" ]
}
functions "$pages" || fail "section 3 lacks functions"
echo "$(find "$pages" -name 'roofline-*.3' | wc -l) headers with $(wc -l <"$scratch/declared") functions"
mkdir "$scratch/fewer" && cp "$pages"/roofline*.3 "$scratch/fewer" && rm "$scratch/fewer/roofline-claim.3"
catches 'roof_claim_judge' functions "$scratch/fewer"
if command -v lowdown >/dev/null; then
  lost() { # PAGE: links that lead nowhere in a manual, and characters that are none
    grep -nE "\\.\\./|\\]\\(|$(printf '\001')" "$1"
  }
  for page in machines.5 operations.5 ledger.5 regions.5 json.5 predictor.5 agents.7; do
    [ -s "$pages/roofline-$page" ] || fail "no roofline-$page"
    ! lost "$pages/roofline-$page" || fail "links of the book in roofline-$page"
    grep -q "roofline-${page%.*}\\\\fR(${page#*.})" "$pages/roofline.1" || fail "roofline.1 does not name roofline-$page"
  done
fi

# As the command man shows it in 80 columns: what it warns of stands before the page.
if command -v groff >/dev/null; then
  for page in "$pages"/roofline.1 "$pages"/roofline-predict.1 "$pages"/*.[57]; do
    groff -t -man -Tutf8 -rLL=80n "$page" 2>&1 >/dev/null | grep . && fail "groff warns of $(basename "$page")"
  done
fi

# scdoc itself writes paragraphs next to headings.
warnings() {
  mandoc -Tlint -Wwarning "$@" | grep -v 'skipping paragraph macro' >"$scratch/warnings"
  cat "$scratch/warnings"
  [ ! -s "$scratch/warnings" ]
}
if command -v mandoc >/dev/null; then
  warnings "$ROOFLINE_BUILD"/manual/*.[1357] || fail "mandoc warns"
  echo '.ZZ' >>"$pages/roofline-run.1"
  catches 'unknown macro' warnings "$pages/roofline-run.1"

  # typed COMMAND FOLDER: where the examples of its page are not what the command gives to be typed, and nothing else.
  typed() {
    mandoc -T utf8 "$2/roofline-$1.1" | col -bx | sed -n '/^EXAMPLES/,/^[A-Z]/p' | sed '/^[A-Z]/d; s/^ *//; /^$/d' >"$scratch/page"
    jq -r --arg command "$1" '.commands[] | select(.name == $command) | .examples | .[:index("")][] | select(startswith("Settings:") | not)' "$scratch/commands" |
      diff - "$scratch/page"
  }
  for name in $names; do
    typed "$name" "$ROOFLINE_BUILD/manual" || fail "the examples of roofline-$name.1 are others than the command's"
  done
  sed -i 's/\\\\n/n/' "$pages/roofline-drill.1"
  catches '0.2n' typed drill "$pages"
else
  echo "mandoc is not installed: the pages were not read by it"
fi
