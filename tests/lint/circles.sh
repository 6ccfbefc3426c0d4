#!/bin/sh
# No circle between files: where a file of src uses what another defines, that one does not use it, nor does any file that it uses.
. "$(dirname "$0")/lib/lint.sh"

# Left out, USER OWNER: any program that marks a region is to link the writer of its document, so that file defines what the marks test;
# a kernel of accelerators names the processor's kernel that checks it, which the table of all kernels finds;
# a tool for agents is a command line that the program answers, of whose commands the server of tools is one.
left_out='region/recorder.c region/document.c
kernels/device/_device.c kernels/kernels.c
cli/mcp/call.c cli/main.c
cli/mcp/tools.c cli/main.c'

# uses OBJECT...: lines USER OWNER, by the symbols of the objects.
uses() {
  nm -A -g "$@" | sed 's/:/ /; s/^[^ ]*\.dir\/src\///; s/\.o / /' | awk '
    NF == 4 && $3 ~ /^[TDBRVWCG]$/ { owner[$4] = $1 }
    NF == 3 && $2 == "U" { n++; user[n] = $1; symbol[n] = $3 }
    END {
      for (i = 1; i <= n; i++) if (symbol[i] in owner && owner[symbol[i]] != user[i] && !seen[user[i], owner[symbol[i]]]++)
        print user[i], owner[symbol[i]]
    }'
}

check() { # FOLDER OF OBJECTS
  # shellcheck disable=SC2046  # a list of files
  uses $(find "$1" -path '*.dir/src/*' -name '*.c.o') | grep -vxF "$left_out" >"$scratch/uses"
  [ -s "$scratch/uses" ] && tsort "$scratch/uses" >"$scratch/sorted" 2>"$scratch/loops" || {
    sed 's/^tsort: //; s/^-: //' "$scratch/loops"
    return 1
  }
}

plant() { # BODY OF b
  mkdir -p "$scratch/x.dir/src"
  printf 'int b(void); int a(void); int a(void) { return b(); }\n' >"$scratch/a.c"
  printf 'int a(void); int b(void); int b(void) { %s }\n' "$1" >"$scratch/b.c"
  for file in a b; do ${CC:-cc} -c "$scratch/$file.c" -o "$scratch/x.dir/src/$file.c.o"; done
}

plant 'return 1;'
passes check "$scratch"
plant 'return a();'
catches 'a.c' check "$scratch"
rm -r "$scratch/x.dir"

[ -n "$(find "$ROOFLINE_BUILD/CMakeFiles" -path '*.dir/src/*' -name '*.c.o' 2>/dev/null | head -1)" ] || skip "no objects in $ROOFLINE_BUILD: build first"
check "$ROOFLINE_BUILD/CMakeFiles" || fail "files that use each other in a circle"
echo "$(wc -l <"$scratch/uses") uses between files of src: no circle"
