#!/bin/sh
# Writes the book, docs/*.md in the order of docs/index.md, as one HTML file with its pictures and a search.    build.sh DOCS FILE VERSION
set -eu
here=$(dirname "$(realpath "$0")")
docs=$1
file=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each page once, as the index first links to it; one that it does not link to is none of the book.
{
  echo index
  grep -o '](\([a-z-]*\)\.md' "$docs/index.md" | sed 's/](//; s/\.md//'
} | awk '!seen[$0]++' >"$scratch/pages"

while read -r page; do
  printf '<article id="%s">\n' "$page"
  lowdown -Thtml --parse-no-metadata --out-no-smarty --html-no-num-ent "$docs/$page.md" |
    awk -v page="$page" -v docs="$docs" -v pages="$(tr '\n' ' ' <"$scratch/pages")" -f "$here/links.awk"
  printf '</article>\n'
done <"$scratch/pages" >"$scratch/body"

{
  cat <<END_OF_HEAD
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The book of roofline $3</title>
<style>
$(cat "$here/book.css")
</style>
</head>
<body>
<nav aria-label="pages">
<label for="search">Search</label>
<input id="search" type="search" placeholder="ridge, batch, ledger" autocomplete="off">
<ol id="found" aria-live="polite"></ol>
<ul id="pages">
$(sed -n 's|^<h1 id="\([^"]*\)">\(.*\)</h1>$|<li><a href="#\1">\2</a></li>|p' "$scratch/body")
</ul>
</nav>
<main>
END_OF_HEAD
  cat "$scratch/body"
  printf '</main>\n<script>\n'
  cat "$here/search.js"
  printf '</script>\n</body>\n</html>\n'
} >"$file"
