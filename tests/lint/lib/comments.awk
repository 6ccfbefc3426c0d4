# Every function declared is ROOF_API, with a comment right before it that has Units:, Ownership: and Errors:, each on a
# line of its own.
FNR == 1 { comment = ""; open = 0 }

open { comment = comment "\n" $0; if (/\*\//) open = 0; next }
/^\/\*\*/ { comment = $0; open = !/\*\//; next }

/^ROOF_API/ {
  functions++
  n = split("Units: Ownership: Errors:", words, " ")
  for (i = 1; i <= n; i++) {
    if (index(comment, words[i]) == 0) printf "%s:%d: no `%s` in the comment of: %s\n", FILENAME, FNR, words[i], $0
    else if (index(comment, "\n *  " words[i]) == 0) printf "%s:%d: `%s` does not begin a line: %s\n", FILENAME, FNR, words[i], $0
  }
}

/^[A-Za-z_][^(]*[ *][A-Za-z0-9_]+\(/ && !/^(ROOF_API|typedef|static)/ {
  printf "%s:%d: declared without ROOF_API: %s\n", FILENAME, FNR, $0
}

{ comment = "" }

END {
  printf "%d public functions\n", functions >"/dev/stderr"
  if (functions == 0) print "no ROOF_API declaration was found at all"
}
