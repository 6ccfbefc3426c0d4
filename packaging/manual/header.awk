# The manual page of one public header in scdoc.    -v name=NAME -v version=VERSION
# A comment `/** ... */` is of the declaration that follows it; the first one is of the header, with its example.

function escaped(text) {
  gsub(/[\\*_`#~]/, "\\\\&", text)
  return text
}

# As it stands, in a block of code.
function code(text) {
  gsub(/\\/, "&&", text)
  return text
}

# Comment lines as paragraphs: an empty line, a list and `Units:`, `Ownership:`, `Errors:` begin one of their own.
function paragraphs(text,    lines, n, i, out, line, begins) {
  n = split(text, lines, "\n")
  out = ""
  for (i = 1; i <= n; i++) {
    line = lines[i]
    sub(/^ +/, "", line)
    begins = line ~ /^(Units|Ownership|Errors):/
    if (line == "") out = out "\n\n"
    else if (line ~ /^`@/) out = out "++\n" escaped(line)
    else if (begins) {
      match(line, /^[A-Za-z]+:/)
      out = out "\n\n_" substr(line, 1, RLENGTH - 1) "_:" escaped(substr(line, RLENGTH + 1))
    } else out = out (out == "" || out ~ /\n$/ ? "" : "\n") escaped(line)
  }
  gsub(/\n\n\n+/, "\n\n", out)
  gsub(/(^|\n)\./, "\n\\.", out)
  sub(/^\n+/, "", out)
  sub(/\n+$/, "", out)
  return out
}

# What a comment says, without its signs.
function inner(comment) {
  sub(/^\/\*\*/, "", comment)
  sub(/ *\*\/ *$/, "", comment)
  gsub(/\n \* ?/, "\n", comment)
  return comment
}

function finish_declaration(    called) {
  if (declaration ~ /^ROOF_API/) {
    called = declaration
    sub(/^ROOF_API /, "", called)
    sub(/ ROOF_PRINTF\([0-9, ]*\);/, ";", called)
    functions = functions "\n```\n" code(called) "\n```\n\n" paragraphs(inner(comment)) "\n"
    match(called, /roof_[a-z0-9_]+\(/)
    names = names ", " escaped(substr(called, RSTART, RLENGTH - 1))
  } else {
    types = types "\n" (comment == "" ? "" : paragraphs(inner(comment)) "\n\n") "```\n" code(declaration) "\n```\n"
  }
  declaration = comment = ""
}

function depth_of(text,    opened, closed) {
  opened = gsub(/\{/, "{", text)
  closed = gsub(/\}/, "}", text)
  return opened - closed
}

in_comment {
  comment = comment "\n" $0
  if ($0 ~ /\*\//) in_comment = 0
  next
}
declaration == "" && /^\/\*\*/ {
  comment = $0
  in_comment = $0 !~ /\*\//
  if (!in_comment && about == "") { about = comment; comment = "" }
  next
}
about == "" && comment != "" { about = comment; comment = "" }
declaration == "" && (/^#(ifndef|ifdef|if|include|endif|undef|else)/ || /^#define ROOFLINE_/ || /^extern "C"/ || /^}$/ || /^$/) { next }
{
  line = $0
  sub(/ +\\$/, " \\", line)
  declaration = declaration (declaration == "" ? "" : "\n") line
  depth += depth_of($0)
  macro = declaration ~ /^#define/
  if ((macro && $0 !~ /\\$/) || (!macro && depth == 0 && /;( *\/\*\*<.*\*\/)?$/)) {
    depth = 0
    finish_declaration()
  }
}

END {
  text = inner(about)
  at = index(text, "\nExample:")
  if (at == 0) at = index(text, "\n Example:")
  example = at ? substr(text, at) : ""
  text = at ? substr(text, 1, at - 1) : text
  sub(/^[^\n]*\n[^\n]*\n/, "", example)
  text = paragraphs(text)
  sentence = text
  gsub(/\n/, " ", sentence)
  sub(/[.:]( .*)?$/, "", sentence)
  print "roofline-" name "(3) \"roofline " version "\" \"roofline library\""
  print "\n# NAME\n\nroofline-" name names " - " sentence
  print "\n# SYNOPSIS\n\n```\n#include <roofline/" name ".h>\n\ncc FILE.c $(pkg-config --cflags --libs roofline)\n```"
  print "\n# DESCRIPTION\n\n" text
  if (types != "") print "\n# TYPES\n" types
  if (functions != "") print "\n# FUNCTIONS\n" functions
  if (example != "") {
    sub(/^   /, "", example)
    gsub(/\n   /, "\n", example)
    sub(/ *$/, "", example)
    print "\n# EXAMPLE\n\n```\n" code(example) "\n```"
  }
  print "\n# SEE ALSO\n\n*roofline*(1), *roofline*(3), *roofline-json*(5)"
}
