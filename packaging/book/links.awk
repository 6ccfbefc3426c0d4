# One page of the book: headings get the names that GitHub gives them, after the page's own; links between pages lead into
# the file, pictures are in it.    -v page=NAME -v pages="NAME ..." -v docs=FOLDER

function slug(text) {
  gsub(/<[^>]*>/, "", text)
  gsub(/&#?[a-z0-9]+;/, "", text)
  text = tolower(text)
  gsub(/[^a-z0-9 _-]/, "", text)
  gsub(/ /, "-", text)
  return text
}

# "#x", "page.md#x", "page.md", "../file": where it leads from the book, which lies next to the examples; "": to the sources.
function target(link,    file, part) {
  if (link ~ /^[a-z]+:/) return link
  file = link
  sub(/#.*/, "", file)
  part = link ~ /#/ ? substr(link, index(link, "#") + 1) : ""
  if (file ~ /\.md$/ && (substr(file, 1, length(file) - 3) in is_page)) {
    file = substr(file, 1, length(file) - 3)
  } else if (file != "") {
    return link ~ /^\.\.\/examples\// ? substr(link, 4) : ""
  } else {
    file = page
  }
  return "#" file (part == "" ? "" : "--" part)
}

BEGIN {
  n = split(pages, list, " ")
  for (i = 1; i <= n; i++) is_page[list[i]] = 1
}
/<h[1-6] id="/ {
  match($0, /<h[1-6]/)
  level = substr($0, RSTART + 2, 1)
  text = $0
  sub(/^.*<h[1-6] id="[^"]*">/, "", text)
  sub(/<\/h[1-6]>.*$/, "", text)
  name = slug(text)
  if (used[name]++) name = name "-" (used[name] - 1)
  print "<h" level " id=\"" page (level == 1 ? "--" : "--" name) "\">" text "</h" level ">"
  next
}
/<img src="[^":]*\.svg"/ {
  match($0, /<img src="[^"]*"/)
  before = substr($0, 1, RSTART - 1)
  after = substr($0, RSTART + RLENGTH)
  name = substr($0, RSTART + 10, RLENGTH - 11)
  command = "base64 -w 0 '" docs "/" name "'"
  data = ""
  command | getline data
  close(command)
  if (data == "") { print "no picture " docs "/" name >"/dev/stderr"; exit 1 }
  print before "<img src=\"data:image/svg+xml;base64," data "\"" after
  next
}
{
  line = $0
  sub(/<pre>/, "<pre tabindex=\"0\">", line) # what scrolls is reached by the keyboard
  out = ""
  while (match(line, / (href|id)="[^"]*"/)) {
    found = substr(line, RSTART, RLENGTH)
    attribute = found ~ /^ href/ ? "href" : "id"
    value = substr(found, length(attribute) + 4, length(found) - length(attribute) - 4)
    changed = attribute == "id" ? page "--" value : target(value)
    out = out substr(line, 1, RSTART - 1) (changed == "" ? " title=\"in the sources: " value "\"" : " " attribute "=\"" changed "\"")
    line = substr(line, RSTART + RLENGTH)
  }
  print out line
}
