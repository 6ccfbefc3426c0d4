# Takes the ```console blocks of one Markdown file apart. Writes NUMBER.cmd, NUMBER.exit and NUMBER.expect into `out` and
# prints `NUMBER line` for each command. What would escape the test (a command in another fence, an open fence) goes to
# out/escaped.
BEGIN { number = 0; fence = ""; escaped = out "/escaped" }

function finish() {
  if (number > 0) close(out "/" number ".expect")
}

function begin(text, code) {
  finish()
  number++
  code = 0
  if (match(text, /[ \t]+# exits [0-9]+$/)) {
    code = substr(text, RSTART, RLENGTH)
    sub(/.* /, "", code)
    text = substr(text, 1, RSTART - 1)
  }
  print text >(out "/" number ".cmd")
  print code >(out "/" number ".exit")
  printf "" >(out "/" number ".expect")
  close(out "/" number ".exit")
  print number, FNR
}

/^[ ]*```/ {
  if (fence == "") {
    fence = $0
    sub(/^[ ]*```/, "", fence)
    if (fence == "") fence = "plain"
    opened = FNR
    inside = 0
  } else {
    fence = ""
    close(out "/" number ".cmd")
  }
  next
}

fence == "console" && /^\$ / { begin(substr($0, 3)); inside = 1; continued = 1; next }
fence == "console" && /^> / && continued { print substr($0, 3) >(out "/" number ".cmd"); next }
fence == "console" {
  continued = 0
  if (!inside) printf "%s:%d: output before any command\n", FILENAME, FNR >escaped
  else print >(out "/" number ".expect")
  next
}
fence != "" && /^[ ]*(\$ |roofline |\.\/run)/ { printf "%s:%d: a command outside a console block: %s\n", FILENAME, FNR, $0 >escaped }

END {
  finish()
  if (fence != "") printf "%s:%d: a fence is never closed\n", FILENAME, opened >escaped
}
