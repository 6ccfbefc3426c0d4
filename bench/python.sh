#!/bin/sh
# Predictions per second from Python, a million points as arrays and one at a time, with those of C in the same run.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=
for candidate in python3 /usr/bin/python3; do
  [ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] && [ -f "$build/python/roofline/_abi.py" ] || { echo "python.sh: no Python with numpy, or no package was built" >&2; exit 3; }

PYTHONPATH=$build/python "$python" bench/python.py >"$scratch/python"
"$build/bench-predict" >"$scratch/c"
awk 'function row(what, rate, note) { printf "%-34s %12.0f /s %9.4f x  %s\n", what, rate, rate / value["effects_per_second"], note }
  { value[$1] = $2 }
  END {
    row("C, one at a time, all effects", value["effects_per_second"], "roof_predict")
    row("Python, a million as arrays", value["arrays_per_second"], sprintf("%.2f s of one core for a million; the goal is under 1 s", 1e6 / value["arrays_per_second"]))
    row("Python, one at a time", value["single_per_second"], sprintf("%.0f us each, machine loaded before", 1e6 / value["single_per_second"]))
    row("Python, machine by its name", value["named_per_second"], sprintf("%.1f ms each", 1e3 / value["named_per_second"]))
  }' "$scratch/c" "$scratch/python"
