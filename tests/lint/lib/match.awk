# Exits 0 when the second file reads as the first, where `...` in the first stands for any text. Trailing blanks and empty
# last lines do not count.
function slurp(file,    text, line, first) {
  text = ""
  first = 1
  while ((getline line < file) > 0) {
    sub(/[ \t\r]+$/, "", line)
    text = text (first ? "" : "\n") line
    first = 0
  }
  close(file)
  sub(/\n+$/, "", text)
  return text
}

BEGIN {
  expected = slurp(ARGV[1])
  actual = slurp(ARGV[2])
  n = split(expected, part, /\.\.\./)
  if (n <= 1) exit expected != actual
  if (substr(actual, 1, length(part[1])) != part[1]) exit 1
  rest = substr(actual, length(part[1]) + 1)
  for (i = 2; i < n; i++) {
    at = index(rest, part[i])
    if (at == 0) exit 1
    rest = substr(rest, at + length(part[i]))
  }
  tail = length(part[n])
  exit !(length(rest) >= tail && substr(rest, length(rest) - tail + 1) == part[n])
}
