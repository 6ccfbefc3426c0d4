#!/bin/sh
# clang-tidy over src, with the checks of .clang-tidy: clean. About 100 seconds on two cores.
. "$(dirname "$0")/lib/lint.sh"

command -v clang-tidy >/dev/null || skip "no clang-tidy: apt install clang-tidy"
[ -f "$ROOFLINE_BUILD/compile_commands.json" ] || skip "no $ROOFLINE_BUILD/compile_commands.json: configure first"

# The header declares for the analyzer what it cannot see; status.c, which defines those functions, goes without. Its
# shallow mode looks into small functions only, in a sixth of the time.
cat >"$scratch/tidy" <<END
exec clang-tidy --quiet --config-file="$ROOFLINE_SOURCE/.clang-tidy" \\
  --extra-arg=-Wreserved-identifier --extra-arg=-Wreserved-macro-identifier \\
  --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=mode=shallow "\$@"
END
cat >"$scratch/known" <<END
exec sh "$scratch/tidy" --extra-arg=-include --extra-arg="$ROOFLINE_SOURCE/tests/lint/lib/analyzed.h" "\$@"
END

# check FILE...: two at a time, as the build compiles them; what was found is in $scratch/found.
check() {
  printf '%s\n' "$@" | xargs -P 2 -n 4 sh "$scratch/known" -p "$ROOFLINE_BUILD" >"$scratch/found" 2>"$scratch/counts" &&
    sh "$scratch/tidy" -p "$ROOFLINE_BUILD" "$ROOFLINE_SOURCE/src/core/status.c" >>"$scratch/found" 2>>"$scratch/counts"
}

planted() { # what it finds, without the database
  sh "$scratch/known" "$scratch/planted.c" -- -std=c17 -I"$ROOFLINE_SOURCE/include"
}
printf 'int f(int n);\nint f(int n) {\n  int sum = 0;\n  for (char i = 0; i < n; i++) {\n    sum += i;\n  }\n  return sum;\n}\n' >"$scratch/planted.c"
catches 'bugprone-too-small-loop-variable' planted
sed -i 's/char i/int i/' "$scratch/planted.c"
passes planted

printf 'int f(int __n);\nint f(int __n) {\n  return __n;\n}\n' >"$scratch/planted.c"
catches 'clang-diagnostic-reserved-identifier' planted
printf '#define __F 1\n' >"$scratch/planted.c"
catches 'clang-diagnostic-reserved-macro-identifier' planted

# A leak, then none but on a path on which an error would have become ROOF_OK.
cat >"$scratch/planted.c" <<'END'
#include <stdlib.h>
roof_status f(char **out, int n, roof_error *error);
roof_status f(char **out, int n, roof_error *error) {
  char *made = malloc(8);
  roof_status status = n > 0 ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "no");
  if (status != ROOF_OK) {
    return status;
  }
  *out = made;
  return ROOF_OK;
}
END
catches 'clang-analyzer-unix.Malloc' planted
sed -i 's/    return status;/    free(made);\n    return status;/; s/  \*out = made;/  if (n > 0) {\n    *out = made;\n  }/' "$scratch/planted.c"
passes planted

# The table of an MPI is compiled where there is one.
grep -q /mpi/plugin.c "$ROOFLINE_BUILD/compile_commands.json" || set -- ! -path '*/mpi/plugin.c'

# shellcheck disable=SC2046  # a list of files
check $(find "$ROOFLINE_SOURCE/src" -name '*.c' ! -path '*/core/status.c' "$@" | sort) || {
  grep -E 'warning:|error:' "$scratch/found" || tail -5 "$scratch/counts"
  fail "clang-tidy has something to say"
}
echo "$(find "$ROOFLINE_SOURCE/src" -name '*.c' "$@" | wc -l) files: clang-tidy has nothing to say"
