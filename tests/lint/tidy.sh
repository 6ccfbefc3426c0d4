#!/bin/sh
# clang-tidy over src, with the checks of .clang-tidy: clean. About a minute on two cores.
. "$(dirname "$0")/lib/lint.sh"

command -v clang-tidy >/dev/null || skip "no clang-tidy: apt install clang-tidy"
[ -f "$ROOFLINE_BUILD/compile_commands.json" ] || skip "no $ROOFLINE_BUILD/compile_commands.json: configure first"

# check FILE...: two at a time, as the build compiles them; what was found is in $scratch/found.
check() {
  printf '%s\n' "$@" | xargs -P 2 -n 4 clang-tidy --quiet --config-file="$ROOFLINE_SOURCE/.clang-tidy" -p "$ROOFLINE_BUILD" >"$scratch/found" 2>"$scratch/counts"
}

printf 'int f(int n);\nint f(int n) {\n  int sum = 0;\n  for (char i = 0; i < n; i++) {\n    sum += i;\n  }\n  return sum;\n}\n' >"$scratch/planted.c"
planted() { # what it finds, without the database
  clang-tidy --quiet --config-file="$ROOFLINE_SOURCE/.clang-tidy" "$scratch/planted.c" -- -std=c17
}
catches 'bugprone-too-small-loop-variable' planted
sed -i 's/char i/int i/' "$scratch/planted.c"
passes planted

# shellcheck disable=SC2046  # a list of files
check $(find "$ROOFLINE_SOURCE/src" -name '*.c' | sort) || {
  grep -E 'warning:|error:' "$scratch/found" || tail -5 "$scratch/counts"
  fail "clang-tidy has something to say"
}
echo "$(find "$ROOFLINE_SOURCE/src" -name '*.c' | wc -l) files: clang-tidy has nothing to say"
