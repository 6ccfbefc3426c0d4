# The manual page of the program in scdoc, from `roofline help --json`. --arg version VERSION --arg formats 'NAME(SECTION) ...'
def escaped: gsub("(?<c>[\\\\*_`#~])"; "\\\(.c)");

"roofline(1) \"roofline \($version)\" \"roofline manual\"

# NAME

roofline - which ceiling limits a kernel, how fast it can go, and how far it is from there

# SYNOPSIS

*roofline* _COMMAND_ [_NAME_] [_key=value_ ...] [_--option_ ...]++
*roofline* *help* [_COMMAND_ | *--json*]++
*roofline* *--version*

# COMMANDS
\([.commands | group_by(.task)[] | "
## " + .[0].task + "

" + (map("*roofline-" + .name + "*(1)\n\t" + (.summary | escaped) + "\n") | join("\n"))] | join("\n"))
# SHAPES

A shape is written as _key=value_ words: one value (_m=4096_), a list (_batch=1,8,64_), a geometric range (_batch=1..1024\\*2_) or an arithmetic one
(_n=128..4096+128_). _4k_ is 4000, _4Ki_ is 4096.

# FILES AND STANDARD STREAMS

A file to read may be _-_, standard input; *--to -* is standard output. Answers go to standard output, errors and progress to standard error. Files are
written complete or not at all.

_~/.config/roofline/machines/_
	machine files of yours; *roofline measure* keeps this machine there as _host_

_roofline.ledger_
	the ledger, in the working directory, where *--ledger* names no other

# ENVIRONMENT

*ROOFLINE\\_PATH*
	folders of machine files, separated by colons, searched first

*XDG\\_CONFIG\\_HOME*
	where _roofline/machines_ lies in place of _~/.config_

*COLUMNS*
	how wide text is; else the terminal's width, and 80 in a pipe

*NO\\_COLOR*
	no colours; so does _TERM=dumb_

# EXIT STATUS

*0* done, *1* a gate failed, *2* usage or bad input, *3* cannot run here, *4* an internal fault.

# EXAMPLES

```
roofline loop --quick
roofline predict gemm m=8192 n=28672 k=8192 --machine h100 --dtype fp16
roofline model llama-3.1-8b batch=16 --machine h100
```

# SEE ALSO

*roofline*(3), the library\([$formats | split(" ")[] | select(. != "") | sub("(?<n>.*)\\("; ", *roofline-\(.n)*(")] | join(""))

The book is _share/doc/roofline/book.html_ below where roofline is installed.
"
