#!/bin/sh
# How long a frame takes while a roofline of 128 and of 2,000 points is zoomed in a browser without a GPU. Ends with 3 where node, Chromium or the
# modules of tests/browser are absent. Usage: browser.sh [points ...]
set -eu
cd "$(dirname "$0")/.."
export ROOFLINE_SOURCE="$PWD" ROOFLINE="${ROOFLINE:-$PWD/build/release/roofline}"
for needed in node chromium; do
  command -v "$needed" >/dev/null || { echo "browser.sh: $needed is not installed" >&2; exit 3; }
done
[ -d tests/browser/node_modules/playwright-core ] || { echo "browser.sh: run npm ci in tests/browser first" >&2; exit 3; }
[ $# -gt 0 ] || set -- 128 2000
for points; do
  ROOFLINE_POINTS=$points node tests/browser/frames.mjs | sed -n 's/^\(# \)\{0,1\}points /points /p'
done
