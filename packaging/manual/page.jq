# The manual page of one command in scdoc, from `roofline help --json`. --arg command NAME --arg version VERSION
def escaped: gsub("(?<c>[\\\\*_`#~])"; "\\\(.c)");
def bold: "*" + escaped + "*";
def underlined: "_" + escaped + "_";
def option:
  [(if .letter then "-" + .letter else empty end), (if .name then "--" + .name else empty end)]
  | map(bold) | join(", ");
def value: if .value == null then "" elif .value_optional then " [" + (.value | underlined) + "]" else " " + (.value | underlined) end;
def options: map(option + value + "\n\t" + ((.text // "") | escaped) + "\n") | join("\n");
def groups:
  reduce .[] as $o ([]; if length > 0 and .[-1].group == $o.group then .[-1].options += [$o] else . + [{group: $o.group, options: [$o]}] end)
  | map((if .group == "Options:" then "" else "## " + (.group | rtrimstr(":") | escaped) + "\n\n" end) + (.options | options)) | join("\n");

.commands[] | select(.name == $command) |
"roofline-\(.name)(1) \"roofline \($version)\" \"roofline manual\"

# NAME

roofline-\(.name) - \(.summary | escaped)

# SYNOPSIS

*roofline \(.name)*\(if .arguments == "" then "" else " " + (.arguments | escaped) end) [_--option_ ...]

# OPTIONS

\(.options | groups)
# EXAMPLES

```
\(.examples | join("\n"))
```

# EXIT STATUS

*0* done, *1* a gate failed, *2* usage or bad input, *3* cannot run here, *4* an internal fault.

# SEE ALSO

*roofline*(1), which says how shapes and quantities are written
"
