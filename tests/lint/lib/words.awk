# Prints FILE:LINE: for words that the house does not use, with the better one. Of C, CUDA and OpenCL sources it reads
# comments, string literals and names, of scripts comments and the names of tests, of pages every line.
# The table: a pattern and its better word.
BEGIN {
  each = "(call|core|request|device|second|token|step|kernel|node|replica|load|sample|group|work-group|work-item|thread|launch|lane|" \
         "block|row|byte|element|machine|figure|line|layer|head|parameter|cycle|clock|unit|multiprocessor|SM|warp|rank|batch|year|" \
         "instruction|iteration|entry|round|socket|level|link|page|point|part|pass|format|matrix|column|tile|period|channel|hour|" \
         "query|answer|expert|user|weight|domain|message|side|sequence|step|stage|octave|distance|violation)"
  per("[0-9]( %)?")
  per("%[-.0-9]*[a-z]")
  per("(seconds|milliseconds|microseconds|tokens|tokens/s|predictions|answers|FLOPs?|MFLOP|bytes|[KMGT]?i?B|elements|joules|pJ|" \
      "threads|kernels|launches|messages|bits|scalars|rates|units|samples|once|twice|parameters|numbers|cycles|events|rounds|" \
      "chains|registers|accumulators|queries|port|row|one|two|three|four)")
  add("(^|[^-a-z])[Bb]eside([^a-z]|$)", "next to, in addition to or compared with")
  add("(^|[^a-z])(tells|told)([^a-z]|$)|not tell( |:|[.,;]|$)", "reports, shows, distinguishes")
  add("(^|[^a-z])(is|are|be) said[.,;:]|which (is|a note) said|that is said", "who says it: the answer, a note")
  add("(^|[^a-z])(speaks|speak)([^a-z]|$)", "applies, counts, names")
  add("(^|[^a-z])(crew|whom|untold|hush|knot)([^a-z]|$)", "a plain word")
  add("(^|[^a-z])bursts? of|in one burst", "peak kernel, or at once")
  add("cut short", "truncated or interrupted")
  add("words? too many", "unexpected argument")
  add("control groups? pays?|groups pay for", "quota")
  add("barred to", "not permitted for")
  add("seen through", "decoded")
  add("of (the )?roof([^a-z_]|$)|above its roof|half of a roof", "of ceiling, above its ceiling")
  add("which wall|wall (that|moved|changes|stops|moves)|(compute|bandwidth|memory) wall|walls([^a-z]|$)", "ceiling")
  add("on (its|their) way|under way", "in flight")
  add("behind the (threads'|thread's) back", "asynchronously")
  add("(^|[^a-z_])(say|tell|hush|speak|told)_[a-z]|_beside|beside_|_knot|knot_", "a name that says what it does")
  device("[Ll][Aa][Nn][Ee]", "work-item")
  device("[Ww]aves? of", "subgroup")
}

function add(pattern, better) {
  patterns[++count] = pattern
  betters[count] = better
}

function per(before) {
  add("(^|[^a-zA-Z])" before " an? " each "([^-a-z']|$)", "per")
}

# Only for the texts of kernels that OpenCL and CUDA share.
function device(pattern, better) {
  add(pattern, better)
  devices[count] = 1
}

# Comments and literals of C, the state kept from line to line; names that begin with a banned verb are left as they are.
function prose(line,    out, i, c, two) {
  out = ""
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    two = substr(line, i, 2)
    if (state == "*") {
      if (two == "*/") { state = ""; out = out " | "; i++ } else out = out c
    } else if (state == "\"") {
      if (c == "\\") i++
      else if (c == "\"") { state = ""; out = out " | " }
      else out = out c
    } else if (state == "'") {
      if (c == "\\") i++
      else if (c == "'") state = ""
    } else if (two == "/*") { state = "*"; i++ }
    else if (two == "//") { out = out substr(line, i + 2); break }
    else if (c == "\"" || c == "'") state = c
    else if (c ~ /[A-Za-z0-9_]/) out = out c
    else if (out !~ / $/) out = out " | "
  }
  if (state != "*") state = ""
  return out
}

# Comments of a script, and the name of a test.
function remarks(line) {
  if (line ~ /^@test/) return line
  return match(line, /(^|[ \t])#[^{(!]/) ? substr(line, RSTART) : ""
}

FNR == 1 {
  state = ""
  kind = FILENAME ~ /\.(c|h|cl|cu|cuh|cpp|hpp|prelude)$/ ? "source" : FILENAME ~ /\.md$/ ? "page" : "script"
  device_text = FILENAME ~ /\.(cl|prelude)$/
}
/^#include/ { next }
{
  text = kind == "source" ? prose($0) : kind == "page" ? $0 : remarks($0)
  for (i = 1; text != "" && i <= count; i++) {
    if ((!(i in devices) || device_text) && match(text, patterns[i])) {
      printf "%s:%d: `%s`: write %s\n", FILENAME, FNR, substr(text, RSTART, RLENGTH), betters[i]
    }
  }
}
