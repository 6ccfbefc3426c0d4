# Blanks comments, strings and character constants of C, so that what is left is code. Keeps lines and their numbers.
function code(line,    out, i, c, two) {
  out = ""
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    two = substr(line, i, 2)
    if (state == "/*") {
      if (two == "*/") { state = ""; i++ }
    } else if (state != "") {
      if (c == "\\") i++
      else if (c == state) { state = ""; out = out c }
    } else if (two == "/*") {
      state = "/*"; out = out " "; i++
    } else if (two == "//") {
      break
    } else {
      if (c == "\"" || c == "'") state = c
      out = out c
    }
  }
  if (state == "\"" || state == "'") state = ""
  return out
}
