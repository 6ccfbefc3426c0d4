#!/bin/sh
# Runs every command that README.md, CONTRIBUTING.md, ARCHITECTURE.md, docs/*.md and tests/questions.md show in ```console blocks, in a
# temporary home where the machine `host` is the scripted one, and compares what they print. In a block `$ ` begins a
# command, `> ` continues it, `# exits N` after it states an exit code, and `...` in the output stands for any text.
# Commands that build the tree (`./run`) are listed, not run. Links to files of the tree must lead somewhere, and
# docs/index.md to every page of docs, and docs/commands.md must have an example of every command.
# `ROOFLINE_DOCS=write sh tests/lint/docs.sh` writes what the commands print into the documents instead; read the diff.
. "$(dirname "$0")/lib/lint.sh"

run_block() { # NUMBER WHERE: 0 when the command does what the document says
  command=$(cat "$cases/$1.cmd")
  case $command in
  ./run*)
    echo "not run (it builds the tree): $command"
    return 0
    ;;
  esac
  code=0
  (cd "$work" && env -i PATH="$scratch/bin:$PATH" HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home/.config" LC_ALL=C.UTF-8 COLUMNS=1000 \
    TERM=dumb timeout 60 sh -c "$command") >"$scratch/actual" 2>&1 </dev/null || code=$?
  echo run >>"$scratch/count"
  if [ "$code" -ne "$(cat "$cases/$1.exit")" ]; then
    echo "$2: \`$command\` exits $code, the document says $(cat "$cases/$1.exit")"
  elif ! awk -f "$lib/match.awk" "$cases/$1.expect" "$scratch/actual"; then
    echo "$2: \`$command\` prints something else"
  else
    return 0
  fi
  diff -u --label document --label actual "$cases/$1.expect" "$scratch/actual" || true
  cp "$scratch/actual" "$cases/$1.actual"
  return 1
}

check_links() { # FILE: the file of each link exists, and the heading after `#`
  grep -o ']([^)]*)' "$1" | sed 's/^](//; s/)$//' | while read -r link; do
    case $link in http:* | https:*) continue ;; esac
    target=${link%%#*}
    target=${target:+$(dirname "$1")/$target}
    target=${target:-$1}
    if [ ! -e "$target" ]; then
      echo "$1: the link to $link leads nowhere"
    elif [ "$link" != "${link#*#}" ] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
      echo "$1: the link to $link leads to no heading"
    fi
  done
}

anchors() { # FILE: its headings as links name them
  sed -n 's/^#* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check_names() { # FILE: a command named in the prose exists
  grep -o '`roofline [a-z][a-z]*' "$1" | sort -u | while read -r _ name; do
    [ "$name" = help ] || "$ROOFLINE" help "$name" >/dev/null 2>&1 || echo "$1: there is no command \`roofline $name\`"
  done
}

check_orphan() { # PAGE: index.md of its folder, the contents of the book, leads to it
  page=$(basename "$1")
  [ "$page" = index.md ] || grep -qF "]($page)" "$(dirname "$1")/index.md" || echo "$1: no link in index.md leads here"
}

check_summary() { # DOCUMENT: its table of errors is what the tables say that it sums up
  cp "$1" "$scratch/summed"
  { sh "$ROOFLINE_SOURCE/bench/summary.sh" "$scratch/summed" >/dev/null && cmp -s "$1" "$scratch/summed"; } ||
    echo "$1: its summary is not what bench/summary.sh writes"
}

check_examples() { # PAGE: one example at least of every command that `roofline --help` lists
  "$ROOFLINE" --help | awk '/^Options of every/ { exit } /^  [a-z]+  / { print $1 }' | while read -r name; do
    grep -q "^\$ .*roofline $name" "$1" || echo "$1: no example of \`roofline $name\`"
  done
}

check() { # FILE: every block of one document, in one working folder
  cases=$scratch/cases
  work=$scratch/work
  rm -rf "$cases" "$work"
  mkdir -p "$cases" "$work"
  ln -s "$ROOFLINE_SOURCE/examples" "$work/examples"
  awk -v out="$cases" -f "$lib/docs.awk" "$1" >"$scratch/list"
  touch "$cases/escaped"
  check_links "$1" >>"$cases/escaped"
  check_names "$1" >>"$cases/escaped"
  cat "$cases/escaped"
  bad=0
  [ ! -s "$cases/escaped" ] || bad=1
  while read -r number line; do
    run_block "$number" "$1:$line" || bad=1
  done <"$scratch/list"
  if [ "${ROOFLINE_DOCS:-check}" = write ]; then
    awk -v out="$cases" -f "$lib/docs-write.awk" "$1" >"$scratch/written"
    cat "$scratch/written" >"$1"
  fi
  return "$bad"
}

plant() { # LINES OF A DOCUMENT
  printf '%s\n' "$@" >"$scratch/doc.md"
}

[ -x "$ROOFLINE" ] || skip "no $ROOFLINE: build first"
mkdir -p "$scratch/bin" "$scratch/home"
plant '```console' '$ echo one; echo two' 'one' 'two' '$ printf "a 1\nb 2\nc 3\n"' 'a ...' 'c 3' '$ (exit 3) # exits 3' \
  '$ cat <<END' '> text' '> END' 'text' '```' '```text' 'anything' '```'
passes check "$scratch/doc.md"
plant '```console' '$ echo one' 'two' '```'
catches 'prints something else' check "$scratch/doc.md"
plant '```console' '$ echo one' '```'
catches 'prints something else' check "$scratch/doc.md"
plant '```console' '$ echo one two' 'one ... three' '```'
catches 'prints something else' check "$scratch/doc.md"
plant '```console' '$ (exit 1)' '```'
catches 'exits 1, the document says 0' check "$scratch/doc.md"
plant '```console' '$ true # exits 2' '```'
catches 'exits 0, the document says 2' check "$scratch/doc.md"
plant '```sh' '$ echo one' '```'
catches 'outside a console block' check "$scratch/doc.md"
plant '```' 'roofline predict' '```'
catches 'outside a console block' check "$scratch/doc.md"
plant '```console' '$ true'
catches 'never closed' check "$scratch/doc.md"
plant '```console' '$ cat <<END' '> a' '> END' 'old' 'old' '$ echo b' '...' '$ true' 'old' '```' 'text'
(ROOFLINE_DOCS=write check "$scratch/doc.md" >/dev/null) && fail "self-test: stale output was not reported"
printf '%s\n' '```console' '$ cat <<END' '> a' '> END' 'a' '$ echo b' '...' '$ true' '```' 'text' | cmp - "$scratch/doc.md" ||
  fail "self-test: what was written is not what the commands print"
plant 'see `roofline nothing`'
catches 'there is no command' check "$scratch/doc.md"
plant 'see [this](nowhere.md)'
catches 'leads nowhere' check "$scratch/doc.md"
plant '## A heading: "one"' '[good](#a-heading-one) [bad](#another)'
catches 'link to #another leads to no heading' check "$scratch/doc.md"

plant 'a page'
echo '[other](other.md)' >"$scratch/index.md"
[ "$(check_orphan "$scratch/doc.md")" = "$scratch/doc.md: no link in index.md leads here" ] ||
  fail "self-test: a page that nothing links to was not reported"
plant '$ roofline predict'
check_examples "$scratch/doc.md" | grep -q 'no example of `roofline sweep`' ||
  fail "self-test: a command without an example was not reported"

plant '<!-- summary -->' '| an old table |' '<!-- end of summary -->'
[ "$(check_summary "$scratch/doc.md")" = "$scratch/doc.md: its summary is not what bench/summary.sh writes" ] ||
  fail "self-test: a stale summary was not reported"

[ -f "$ROOFLINE_SOURCE/README.md" ] || skip "no documents"
ln -s "$ROOFLINE" "$scratch/bin/roofline"
HOME=$scratch/home XDG_CONFIG_HOME=$scratch/home/.config "$ROOFLINE" measure --backend fake --quiet >/dev/null ||
  fail "roofline measure --backend fake: no machine \`host\` for the documents"

: >"$scratch/count"
failed=0
for document in "$ROOFLINE_SOURCE"/README.md "$ROOFLINE_SOURCE"/CONTRIBUTING.md "$ROOFLINE_SOURCE"/ARCHITECTURE.md \
  "$ROOFLINE_SOURCE"/docs/*.md "$ROOFLINE_SOURCE"/tests/questions.md; do
  [ ! -f "$document" ] || check "$document" || failed=1
done
for page in "$ROOFLINE_SOURCE"/docs/*.md; do
  check_orphan "$page" >>"$scratch/orphans"
done
{
  check_examples "$ROOFLINE_SOURCE/docs/commands.md"
  check_summary "$ROOFLINE_SOURCE/docs/limits.md"
} >>"$scratch/orphans"
if [ -s "$scratch/orphans" ]; then
  cat "$scratch/orphans"
  failed=1
fi
mkdir "$scratch/figures"
ROOFLINE=$scratch/bin/roofline sh "$ROOFLINE_SOURCE/docs/make-figures.sh" "$scratch/figures"
(cd "$scratch/figures" && find . -name '*.svg') | sed 's|^\./||' >"$scratch/drawn"
while read -r figure; do
  cmp "$scratch/figures/$figure" "$ROOFLINE_SOURCE/docs/$figure" || {
    echo "docs/$figure is not what docs/make-figures.sh draws: run it, and look at the picture"
    failed=1
  }
done <"$scratch/drawn"
for figure in "$ROOFLINE_SOURCE"/docs/gallery/*.svg; do
  grep -qxF "gallery/$(basename "$figure")" "$scratch/drawn" || {
    echo "docs/gallery/$(basename "$figure"): no command of docs/gallery.md draws it"
    failed=1
  }
done
[ "$failed" -eq 0 ] || fail "a document shows what the tool does not do"
echo "$(wc -l <"$scratch/count") commands of the documents: as shown"
