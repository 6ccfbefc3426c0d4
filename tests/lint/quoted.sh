#!/bin/sh
# The errors that the README quotes are those of the table in docs/accuracy.md, which a script writes.
. "$(dirname "$0")/lib/lint.sh"

# WORDS OF THE README|ROW OF THE TABLE
quotes='time per token of served models|serving engines, time per token
products in bf16|GEMM, bf16
decode attention|decode attention
collectives|collectives (NCCL)'

check() { # README TABLE
  echo "$quotes" | while IFS='|' read -r words row; do
    median=$(awk -F ' *[|] *' -v row="$row" '$2 == row { split($5, part, " "); print part[1]; exit }' "$2")
    grep -q "^| accuracy |.*$words $median %" "$1" || {
      echo "README: \`$words\` is not \`$words $median %\`, as \`$row\` in the table"
      exit 1
    }
  done
}

readme=$ROOFLINE_SOURCE/README.md table=$ROOFLINE_SOURCE/docs/accuracy.md
sed 's/products in bf16 [0-9.]*/products in bf16 0.1/' "$readme" >"$scratch/README.md"
catches 'products in bf16' check "$scratch/README.md" "$table"
check "$readme" "$table" || fail "the README quotes another table"
echo "$quotes" | wc -l | sed 's/$/ figures are quoted as they are/'
