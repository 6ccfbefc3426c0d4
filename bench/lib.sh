# Sourced by the benches: what processor this is, and tables in documents.
# shellcheck shell=sh
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE BLIS_ARCH_TYPE # libraries as installed, not as this shell has them

# The processor's name and its vectors: the names of guests say the maker alone.
processor() {
  awk -F '[ \t]*: ' '
    $1 == "model name" { name = $2 ", " }
    $1 == "flags" || $1 == "Features" { flags = " " $2 " " }
    $0 == "" { exit }
    END { print name (flags ~ / avx512f / ? "AVX-512" : flags ~ / avx2 / ? "AVX2" : flags ~ / asimd / ? "NEON" : "SSE2") }' /proc/cpuinfo
}

# got MARK DOCUMENT: what lies between the two marks of the document.
got() {
  awk -v mark="$1" '
    $0 == "<!-- end of " mark " -->" { inside = 0 }
    inside
    $0 == "<!-- " mark " -->" { inside = 1 }' "$2"
}

# put MARK TABLE DOCUMENT: the table between the two marks of the document.
put() {
  awk -v table="$2" -v mark="$1" '
    $0 == "<!-- " mark " -->" { print; while ((getline line < table) > 0) print line; skip = 1; next }
    $0 == "<!-- end of " mark " -->" { skip = 0 }
    !skip' "$3" >"$2.document"
  cat "$2.document" >"$3"
}

# put_here WHAT TABLE DOCUMENT: between the marks of this processor, which stand after those of the last one where it is new.
put_here() {
  mark="$1: $(processor)"
  last=$(grep -nF "<!-- end of $1: " "$3" | tail -n 1 | cut -d: -f1)
  [ -n "$last" ] || { echo "$3: no line \`<!-- end of $1: PROCESSOR -->\`: nothing is written" >&2; return 1; }
  grep -qxF "<!-- $mark -->" "$3" || {
    awk -v last="$last" -v mark="$mark" '
      { print }
      NR == last { printf "\n<!-- %s -->\n<!-- end of %s -->\n", mark, mark }' "$3" >"$2.document"
    cat "$2.document" >"$3"
  }
  put "$mark" "$2" "$3"
}
