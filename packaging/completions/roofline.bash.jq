# Completion for bash.
include "common";
def words: join(" ");
def flags: [.options[] | select(.name) | "--" + .name] + [.options[] | select(.letter) | "-" + .letter] | words;
def of_kind($kind): [.commands[].options[] | select(value_kind == $kind) | (if .letter then "-" + .letter else empty end), (if .name then "--" + .name else empty end)]
  | unique | join("|");

"# Completion of roofline for bash, made from `roofline help --json`.
" + functions + "
_roofline() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= word flags= verbs= lists= list
  COMPREPLY=()
  [[ $previous == = && COMP_CWORD -gt 1 ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  [[ $current == = ]] && current=
  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do
    [[ $word == -- ]] && { compopt -o default; return; }
    [[ -z $command && $word != -* ]] && command=$word
  done
  case $command in
" + ([.commands[] | "  \(.name)) flags='\(flags)' verbs='\(verbs | words)' lists='\(lists | words)' ;;"] | join("\n")) + "
  *) COMPREPLY=($(compgen -W '\([.commands[].name] + ["help", "--help", "--version"] | words)' -- \"$current\")); return ;;
  esac
  case $previous in
  \(of_kind("machines"))) COMPREPLY=($(compgen -W \"$(_roofline_names machines)\" -- \"$current\")); compopt -o default; return ;;
  \(of_kind("formats"))) COMPREPLY=($(compgen -W \"$(_roofline_names formats)\" -- \"$current\")); return ;;
  \(of_kind("types"))) COMPREPLY=($(compgen -W '\(formats | words)' -- \"$current\")); return ;;
  \(of_kind("colors"))) COMPREPLY=($(compgen -W 'auto always never' -- \"$current\")); return ;;
  \(of_kind("units"))) COMPREPLY=($(compgen -W 'vector matrix' -- \"$current\")); return ;;
  \(of_kind("files"))) compopt -o default; return ;;
  \(of_kind("text"))) return ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))
    return
  fi
  if [[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    [[ \" $lists \" == *' operations '* ]] && COMPREPLY=($(compgen -W \"$(_roofline_choices \"$previous\" \"${COMP_WORDS[@]:2:COMP_CWORD-2}\")\" -- \"$current\"))
    return
  fi
  if [[ \" $lists \" == *' operations '* ]]; then
    COMPREPLY=($(compgen -W \"$(_roofline_parameters \"${COMP_WORDS[@]:2:COMP_CWORD-2}\")\" -- \"$current\"))
    [[ ${#COMPREPLY[@]} -gt 0 ]] && { compopt -o nospace; return; }
  fi
  word=$verbs
  for list in $lists; do
    word+=\" $(_roofline_names \"$list\")\"
  done
  COMPREPLY=($(compgen -W \"$word\" -- \"$current\"))
  [[ \" $lists \" == *' files '* ]] && compopt -o default
}
complete -F _roofline roofline"
