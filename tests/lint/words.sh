#!/bin/sh
# One word for one thing: comments, names, messages, help texts, scripts and pages use the words of the table in lib/words.awk.
. "$(dirname "$0")/lib/lint.sh"

# What is read: all but what others wrote, the table itself, and the changelog, which names what was.
texts() { # TREE
  (cd "$1" && find . -type f \( -name '*.[ch]' -o -name '*.cl' -o -name '*.cu' -o -name '*.cuh' -o -name '*.prelude' -o -name '*.cpp' \
    -o -name '*.hpp' -o -name '*.md' -o -name '*.sh' -o -name '*.bats' -o -name '*.awk' -o -name '*.cmake' -o -name CMakeLists.txt -o -name run \) \
    ! -path './build*' ! -path './.git*' ! -path '*/node_modules/*' ! -path './tests/lint/words.sh' ! -path './tests/lint/lib/words.awk' ! -name CHANGELOG.md |
    sed 's|^\./||' | sort)
}

check() { # TREE
  (cd "$1" && texts . | xargs awk -f "$lib/words.awk") >"$scratch/violations" || return 2
  cat "$scratch/violations"
  [ ! -s "$scratch/violations" ]
}

plant() { # FILE TEXT
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/$(dirname "$1")"
  printf '%s\n' "$2" >"$scratch/tree/$1"
}

plant src/a.c 'puts("12 tokens/s per request"); /* next to a call, of 3 cores a call uses two */ int lane = 1;'
passes check "$scratch/tree"

# One of each kind of text, then one of each entry of the table.
plant src/a.c 'printf("%s a call", t);'
catches 'src/a.c:1' check "$scratch/tree"
plant src/a.h "$(printf '/* one,\n * 12 bytes a token */')"
catches 'src/a.h:2' check "$scratch/tree"
plant src/a.cu '// 2 elements a thread'
catches 'write per' check "$scratch/tree"
plant docs/a.md 'Figures stand beside each other.'
catches 'docs/a.md:1' check "$scratch/tree"
plant tests/a.bats '@test "what is told once"'
catches 'tests/a.bats:1' check "$scratch/tree"
plant bench/a.sh 'echo done # beside others'
catches 'bench/a.sh:1' check "$scratch/tree"

while IFS='|' read -r text better; do
  plant docs/a.md "$text"
  catches "write $better" check "$scratch/tree"
done <<'TABLE'
seconds a call|per
16 B a parameter|per
FLOPs a byte sent|per
set beside the formula|next to
what the file tells of it|reports
the driver does not tell|reports
the reason is said.|who says it
a rule that speaks|applies
whom it serves|a plain word
the crew of threads|a plain word
a burst of FMAs|peak kernel
the file is cut short|truncated
`x`: one word too many|unexpected argument
the control group pays for 2 cores|quota
barred to users|not permitted
gzip is seen through|decoded
90 % of roof|of ceiling
a point above its roof|of ceiling
which wall it hits|ceiling
the bandwidth wall|ceiling
27 KB on their way|in flight
TABLE

plant src/a.c 'static void say_hidden(void);'
catches 'a name that says what it does' check "$scratch/tree"
plant src/a.cl 'int lane = LANE_X;'
catches 'write work-item' check "$scratch/tree"

check "$ROOFLINE_SOURCE" || fail "a text does not use the word of the house"
echo "words: one for one thing, in $(texts "$ROOFLINE_SOURCE" | wc -l) files"
