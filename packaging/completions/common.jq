# What completions of every shell share, from `roofline help --json`: what a word or an option's value may be.
def tokens: [scan("[A-Za-z]+(?![A-Za-z]*=)")];
def verbs: [.arguments | split(" | ")[] | scan("^\\[?([a-z]+)(?![a-z]*=)")[0]] | unique;
def lists:
  (.arguments | tokens) as $t
  | [if $t | index("OP") then "operations" else empty end,
     if .name == "op" then "shown" else empty end,
     if ($t | index("MODEL")) or ($t | index("CONFIG")) then "models" else empty end,
     if $t | index("KERNEL") then "kernels" else empty end,
     if $t | index("TOPIC") then "topics" else empty end,
     if $t | index("FORMAT") then "formats" else empty end,
     if $t | index("PROFILER") then "profilers" else empty end,
     if .name == "machine" then "machines" else empty end,
     if .arguments | test("FILE|CONFIG|LIST|NEW|\\.(csv|json)") then "files" else empty end];
def formats: [.commands[].options[] | select(.name == "dtype") | .text | scan("(?:fp|bf|tf|int|mx|nv)[a-z]*[0-9]+")] | unique;
def value_kind:
  if .value == null then "none"
  elif .name == "machine" or .name == "against" then "machines"
  elif .value == "TYPE" then "types"
  elif .name == "format" then "formats"
  elif .name == "color" then "colors"
  elif .name == "unit" then "units"
  elif (.value | test("FILE|FOLDER|KEY$")) then "files"
  else "text" end;
# Functions of bash and zsh that print what there is to choose from.
def functions: "
_roofline_pick() { # the names and aliases of a JSON answer, or its list of topics
  awk -F'\"' '/^ *\"name\":/ { print $4 } /\\[$/ { inside = /\"(aliases|topics)\"/ } inside && /^ *\"[^\"]*\",?$/ { print $2 }'
}

_roofline_names() { # LIST
  case $1 in
  machines) echo host; roofline machine list --json | _roofline_pick ;;
  operations | shown) roofline op list --csv | sed '1d;s/,.*//' ;;
  kernels) roofline run list --csv | sed '1d;s/,.*//' ;;
  models) roofline model list --json | _roofline_pick ;;
  topics) roofline explain list --json | _roofline_pick ;;
  formats) roofline import list --json | _roofline_pick ;;
  profilers) roofline profile list --json | _roofline_pick ;;
  esac 2>/dev/null
}

_roofline_parameters() { # WORD ...: the parameters of the operation that is one of the words
  roofline op list --csv 2>/dev/null | awk -F, -v words=\" $* \" 'index(words, \" \" $1 \" \") { n = split($3, p, \" \")
    for (i = 1; i <= n; i++) { sub(/^\\[/, \"\", p[i]); sub(/[]=].*/, \"\", p[i]); print p[i] \"=\" } }'
}

_roofline_choices() { # PARAMETER WORD ...: its choices, of the operation that is one of the words
  name=$1
  shift
  for word; do
    case $word in *=* | -*) continue ;; esac
    roofline op show \"$word\" --csv 2>/dev/null | awk -F, -v name=\"$name\" '$1 == name { gsub(/;/, \"\\n\", $4); print $4 }'
  done
}
";
