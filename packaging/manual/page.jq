# The manual page of one command in scdoc, from `roofline help --json`. --arg command NAME --arg version VERSION --arg formats 'NAME(SECTION) ...'
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

# scdoc takes a backslash away; what a line goes on with is indented.
def literal: . as $lines | [range(length) as $i | (if $i > 0 and ($lines[$i - 1] | endswith("\\")) then "  " else "" end) + $lines[$i] | gsub("\\\\"; "\\\\")] | join("\n");
# After its examples a command may say more: below a blank line, or as what it calls settings.
def notes: [range(length) as $i | select(.[$i] == "" or (.[$i] | startswith("Settings:"))) | $i] | first // null;
# Pages of other sections that are about the same as a command.
def related:
  {machine: ["machines"], measure: ["machines"], op: ["operations"], run: ["regions"], predictor: ["predictor"], mcp: ["agents"],
   ledger: ["ledger"], seal: ["ledger"], record: ["ledger"], reconcile: ["ledger"]}[.] // [];
def see: . as $names | [$formats | split(" ")[] | select(split("(")[0] | IN($names[]))] | map(", *roofline-" + sub("\\("; "*(")) | join("");

.commands[] | select(.name == $command) | (.examples | notes) as $notes |
"roofline-\(.name)(1) \"roofline \($version)\" \"roofline manual\"

# NAME

roofline-\(.name) - \(.summary | escaped)

# SYNOPSIS

*roofline \(.name)*\(if .arguments == "" then "" else " " + (.arguments | escaped) end) [_--option_ ...]

# OPTIONS

\(.options | groups)
# EXAMPLES

```
\(.examples[:$notes] | literal)
```
\(if $notes == null then "" else "\n# NOTES\n\n" + (.examples[$notes:] | map(escaped | sub("^-"; "\\-")) | join("\n") | ltrimstr("\n")) + "\n" end)
# EXIT STATUS

*0* done, *1* a gate failed, *2* usage or bad input, *3* cannot run here, *4* an internal fault.

# SEE ALSO

*roofline*(1), which says how shapes and quantities are written\((.name | related) + ["json"] | see)
"
