# Names of C files in comments that neither are in the tree nor in the list `others`. First a file with the paths of the tree, then those that are read.
FNR == NR {
  for (path = $0; path != ""; path = index(path, "/") > 0 ? substr(path, index(path, "/") + 1) : "") known[path]
  next
}
FNR == 1 {
  inside = 0
}
{
  for (rest = $0; rest != "";) {
    if (!inside) {
      if (!(at = index(rest, "/*"))) break
      rest = substr(rest, at + 2)
      inside = 1
    }
    end = index(rest, "*/")
    words = split(end > 0 ? substr(rest, 1, end - 1) : rest, word, /[^A-Za-z0-9_.\/<-]+/)
    for (i = 1; i <= words; i++) {
      sub(/[.]+$/, "", word[i])
      if (word[i] ~ /^[a-z0-9_.\/][A-Za-z0-9_.\/-]*[.][ch]$/ && word[i] !~ /NAME[.]c$/ && !(word[i] in known) && index(" " others " ", " " word[i] " ") == 0)
        printf "%s:%d: `%s` is no file\n", FILENAME, FNR, word[i]
    }
    inside = end == 0
    rest = end > 0 ? substr(rest, end + 2) : ""
  }
}
