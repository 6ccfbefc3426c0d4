#!/bin/sh
# Runs one test program for CTest: what it skipped shows. Exit 77 (CTest: Skipped) where it failed in nothing and skipped
# at least one of its cases; the cases are in its output.
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$@" >"$output" 2>&1
code=$?
cat "$output"
if [ "$code" -eq 0 ] && grep -qE '^ok [0-9]+ .*# skip|^\[  SKIPPED \]' "$output"; then
  exit 77
fi
exit "$code"
