# Completion for zsh.
include "common";
def quoted: "'" + gsub("'"; "'\\''") + "'";
def plain: gsub("(?<c>[][:\\\\])"; "\\\(.c)");
def action: {machines: "->machines", files: "_files", colors: "(auto always never)", units: "(vector matrix)", text: " ", types: "->types", formats: "->formats"}[value_kind];
def spellings: [(if .name then "--" + .name else empty end), (if .letter then "-" + .letter else empty end)];
def argument: . as $o | spellings[]
  | ((if $o.repeatable then "*" else "" end) + . + "[" + (($o.text // "") | plain) + "]" + ($o | if .value == null then "" else ":" + (.value | plain) + ":" + action end)) | quoted;

"#compdef roofline
# Completion of roofline for zsh, made from `roofline help --json`.
" + functions + "
_roofline() {
  local -a commands names
  local state list
  commands=(\([.commands[] | (.name + ":" + (.summary | gsub(":"; "\\:"))) | quoted] | join(" ")))
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  case $words[2] in
" + ([.commands[] | "  \(.name))\n    list='\(lists + verbs | join(" "))'\n    _arguments -s \([.options[] | argument] | join(" ")) '*: :->words' ;;"] | join("\n")) + "
  esac
  case $state in
  machines)
    names=(${(f)\"$(_roofline_names machines)\"})
    compadd -a names
    _files ;;
  formats)
    names=(${(f)\"$(_roofline_names formats)\"})
    compadd -a names ;;
  types) compadd \(formats | join(" ")) ;;
  words)
    if [[ \" $list \" == *' operations '* && $words[CURRENT] == *=* ]]; then
      names=(${(f)\"$(_roofline_choices ${words[CURRENT]%%=*} ${words[3,CURRENT-1]})\"})
      compset -P '*='
      compadd -a names
      return
    fi
    names=()
    [[ \" $list \" == *' operations '* ]] && names=(${(f)\"$(_roofline_parameters ${words[3,CURRENT-1]})\"})
    if [[ ${#names[1]} -gt 0 ]]; then
      compadd -S '' -a names
      return
    fi
    for list in ${=list}; do
      [[ $list == files ]] && { _files; continue; }
      names=(${(f)\"$(_roofline_names $list)\"})
      [[ ${#names[1]} -gt 0 ]] || names=($list)
      compadd -a names
    done ;;
  esac
}
_roofline \"$@\""
