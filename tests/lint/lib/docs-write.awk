# Copies a Markdown file, with the output of each console command that has a NUMBER.actual in `out` replaced by that.
function flush(    line) {
  while (fresh != "" && (getline line < fresh) > 0) {
    sub(/[ \t]+$/, "", line)
    print line
  }
  fresh = ""
}

/^[ ]*```/ {
  flush()
  inside = !inside
  console = inside && /```console/
  skipping = 0
}
console && /^\$ / {
  flush()
  print
  number++
  fresh = out "/" number ".actual"
  skipping = (getline peek < fresh) >= 0
  close(fresh)
  if (!skipping) fresh = ""
  continued = 1
  next
}
console && continued && /^> / { print; next }
{ continued = 0; if (!skipping) print }
