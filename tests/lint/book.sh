#!/bin/sh
# The book as one file: every link within it leads somewhere, nothing of it is fetched, and it has the pages that the index links to.
. "$(dirname "$0")/lib/lint.sh"
command -v lowdown >/dev/null || skip "no lowdown: apt install lowdown"
sh "$ROOFLINE_SOURCE/packaging/book/build.sh" "$ROOFLINE_SOURCE/docs" "$scratch/book.html" 1.2.3

dead() { # FILE: links to no heading, and what a browser would fetch
  grep -o ' id="[^"]*"' "$1" | sed 's/ id="//; s/"//' | sort >"$scratch/ids"
  uniq -d "$scratch/ids" | sed 's/^/twice: /'
  grep -o 'href="#[^"]*"' "$1" | sed 's/href="#//; s/"//' | sort -u | comm -23 - "$scratch/ids" | sed 's/^/no such place: /'
  grep -oE '(src|<link[^>]* href)="[^d][^"]*"|url\([^)]*\)|@import.*' "$1" | sed 's/^/fetched: /'
  grep -o 'href="[^"#:]*"' "$1" | sed 's/href="//; s/"//' | sort -u | while read -r file; do
    [ -e "$ROOFLINE_SOURCE/$file" ] || echo "no such file: $file"
  done
}
sound() {
  dead "$1" >"$scratch/dead"
  cat "$scratch/dead"
  [ ! -s "$scratch/dead" ]
}
sound "$scratch/book.html" || fail "links of the book lead nowhere"
for page in $(grep -o '](\([a-z-]*\)\.md' "$ROOFLINE_SOURCE/docs/index.md" | sed 's/](//; s/\.md//' | sort -u); do
  grep -q "<article id=\"$page\">" "$scratch/book.html" || fail "the book lacks $page"
done
sed 's/<main>/<main><a href="#nowhere">x<\/a><img src="x.png">/' "$scratch/book.html" >"$scratch/bad.html"
catches 'no such place: nowhere' sound "$scratch/bad.html"
catches 'fetched: src="x.png"' sound "$scratch/bad.html"
echo "$(grep -c '<article' "$scratch/book.html") pages, $(wc -l <"$scratch/ids") places, $(($(wc -c <"$scratch/book.html") / 1024)) KiB"
