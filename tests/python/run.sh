#!/bin/sh
# Runs one file of tests by pytest, on the package that the build made. Exit 77 (CTest: Skipped) where something that it needs is absent, and where it
# failed in nothing and skipped a test.
package=$ROOFLINE_BUILD/python
[ -f "$package/roofline/_abi.py" ] || { echo "skipped: no Python 3.9 or later when the build was configured"; exit 77; }
python=
for candidate in python3 /usr/bin/python3; do
  [ -n "$python" ] || ! "$candidate" -c 'import pytest' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo "skipped: no Python that has pytest"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$ROOFLINE_SOURCE" || exit 1
# Settings of the person who tests, and machines that were measured here, are no part of it.
env HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home/.config" PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -q -rs -p no:cacheprovider --basetemp="$scratch/tests" "$@" >"$scratch/said" 2>&1
code=$?
cat "$scratch/said"
case $code in
0 | 5) ! grep -q '^SKIPPED' "$scratch/said" || exit 77 ;; # 5: all of the file are skipped, or it has none
esac
exit "$code"
