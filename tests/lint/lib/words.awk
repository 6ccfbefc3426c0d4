# Prints FILE:LINE: for words that the house does not use, with the better one. In C sources only string literals are
# read, in help texts and documents whole lines. The table: a pattern, its better word.
BEGIN {
  add("[0-9]( %)? a (call|core|request|device|second|token|step|kernel|node|replica|load|sample)($|[^a-z])", "per")
  add("(%[-.0-9]*[a-z]|tokens|tokens/s|FLOPs?|bytes|joules|threads|kernels|launches) a (call|core|request|device|second|token|step|kernel|node|replica|load|sample)($|[^a-z])", "per")
  add(" beside ", "next to, in addition to or compared with")
  add("(tells of|not tell( |:|$))", "reports, not reported")
  add("cut short", "truncated")
  add("one word too many", "unexpected argument")
  add("control group pays", "quota")
  add("of roof($|[^a-z])", "of ceiling")
  add("above its roof", "above its ceiling")
  add("(^|[^a-z])(crew|whom|untold)($|[^a-z])", "a plain word")
  add("burst of|in one burst", "peak kernel, or at once")
  add("which wall", "which ceiling")
}

function add(pattern, better) {
  patterns[++count] = pattern
  betters[count] = better
}

function literals(line, text) {
  text = ""
  gsub(/\\"/, "", line)
  while (match(line, /"[^"]*"/)) {
    text = text " | " substr(line, RSTART + 1, RLENGTH - 2)
    line = substr(line, RSTART + RLENGTH)
  }
  return text
}

/^#include/ { next }
{
  text = FILENAME ~ /\.[ch]$/ ? literals($0) : $0
  for (i = 1; text != "" && i <= count; i++) {
    if (match(text, patterns[i])) {
      printf "%s:%d: `%s`: write %s\n", FILENAME, FNR, substr(text, RSTART, RLENGTH), betters[i]
    }
  }
}
