# What zsh offers at the end of a line, one a line, with the completions in FOLDER.    zsh -f offered.zsh FOLDER LINE
zmodload zsh/zpty
cat >$1/.zshrc <<END
PROMPT= PS2=
fpath=($1 \$fpath)
autoload -Uz compinit && compinit -u -D
bindkey '^I' complete-word
mark() { print -r -- MARK }
compprefuncs=(mark) comppostfuncs=(mark exit)
compadd() {
  [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "\$@"; return }
  local -a hits
  builtin compadd -A hits "\$@"
  print -rl -- \$hits
}
ready() { print -r -- READY }
zle -N zle-line-init ready
END
seen() { # PATTERN: reads until it is in $said
  said=
  while [[ $said != $~1 ]] && zpty -r z piece; do said+=$piece; done
}
zpty z env ZDOTDIR=$1 zsh -d -i
seen '*READY*'
zpty -w -n z "$2"$'\t'
seen '*MARK*MARK*'
print -r -- "$said"
