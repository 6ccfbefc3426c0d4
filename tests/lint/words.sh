#!/bin/sh
# One word for one thing: messages, help texts and the front page use the words of the table in lib/words.awk.
. "$(dirname "$0")/lib/lint.sh"

check() { # TREE
  (cd "$1" && find src -name '*.[ch]' | sort | xargs awk -f "$lib/words.awk") >"$scratch/violations" || return 2
  for page in README.md docs/README.md docs/commands.md; do
    [ ! -f "$1/$page" ] || (cd "$1" && awk -f "$lib/words.awk" "$page") >>"$scratch/violations"
  done
  cat "$scratch/violations"
  [ ! -s "$scratch/violations" ]
}

plant() { # TEXT OF A SOURCE
  mkdir -p "$scratch/tree/src"
  printf '%s\n' "$1" >"$scratch/tree/src/a.c"
}

plant 'puts("12 tokens/s per request"); /* next to a call, beside it */'
passes check "$scratch/tree"
plant 'printf("%s a call", t);'
catches 'src/a.c:1' check "$scratch/tree"
plant 'puts("the file is cut short");'
catches 'write truncated' check "$scratch/tree"
plant 'puts("set beside the formula");'
catches 'next to' check "$scratch/tree"
plant 'head("of roof");'
catches 'of ceiling' check "$scratch/tree"
plant 'puts("5 GB/s \"quoted\" which wall");'
catches 'which ceiling' check "$scratch/tree"

check "$ROOFLINE_SOURCE" || fail "a message does not use the word of the house"
echo "words: one for one thing"
