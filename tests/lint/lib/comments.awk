# Every function declared is ROOF_API. It, every type of a function and every pointer to one that takes arguments have a comment
# right before them that has Units:, Ownership: and Errors:, each on a line of its own. What a comment calls by a name that
# begins with roof_ is declared in one of the headers.
FNR == 1 { comment = ""; open = 0 }

# What `text` names: kept in `names`, with where it was.
function gather(text, names,   name) {
  while (match(text, /(^|[^A-Za-z0-9_])roof_[a-z0-9_]+/)) {
    name = substr(text, RSTART, RLENGTH)
    sub(/^[^r]/, "", name)
    text = substr(text, RSTART + RLENGTH)
    if (!(name in names)) names[name] = FILENAME ":" FNR
  }
}

# A name that ends in _ stands for all that begin so.
function known(name,   other) {
  if (name in declared) return 1
  for (other in declared) if (name ~ /_$/ && index(other, name) == 1) return 1
  return 0
}

function complete(   i, n, words) {
  n = split("Units: Ownership: Errors:", words, " ")
  for (i = 1; i <= n; i++) {
    if (index(comment, words[i]) == 0) printf "%s:%d: no `%s` in the comment of: %s\n", FILENAME, FNR, words[i], $0
    else if (comment !~ "\n *\\*  " words[i]) printf "%s:%d: `%s` does not begin a line: %s\n", FILENAME, FNR, words[i], $0
  }
}

{
  code = $0
  if (open || code ~ /^ *\/\*/) code = ""
  sub(/\/\*.*/, "", code)
  gather(code, declared)
  if (code != $0) gather(substr($0, length(code) + 1), mentioned)
}

open { comment = comment "\n" $0; if (/\*\//) open = 0; next }
/^ *\/\*\*/ { comment = $0; open = !/\*\//; next }

/^ROOF_API/ { functions++; complete() }
/^  [a-z].*\(\*[a-z_]+\)\(/ && !/\(void\)/ { complete() }
/^typedef [a-z_ ]+[ *][a-z_]+\(/ { complete() }

/^[A-Za-z_][^(]*[ *][A-Za-z0-9_]+\(/ && !/^(ROOF_API|typedef|static)/ {
  printf "%s:%d: declared without ROOF_API: %s\n", FILENAME, FNR, $0
}

{ comment = "" }

END {
  for (name in mentioned) if (!known(name)) printf "%s: `%s` is declared nowhere\n", mentioned[name], name
  printf "%d public functions\n", functions >"/dev/stderr"
  if (functions == 0) print "no ROOF_API declaration was found at all"
}
