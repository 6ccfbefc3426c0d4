#!/bin/sh
# Runs one browser test for CTest: run.sh FILE.test.mjs. Exit 77 (CTest: Skipped) with the reason where something that it needs is absent.
cd "$(dirname "$0")" || exit 1

skip() {
  echo "skipped: $*"
  exit 77
}

command -v node >/dev/null || skip "node is not installed (packages/test.txt)"
command -v chromium >/dev/null || skip "chromium is not installed (packages/test.txt)"
for module in playwright-core axe-core; do
  [ -d "node_modules/$module" ] || skip "$module is not here: run npm ci in tests/browser"
done
case $1 in
*/explorer*.test.mjs)
  [ -f "$ROOFLINE_SOURCE/build/web/explorer.html" ] || skip "build/web/explorer.html is not built: ./run web"
  ;;
esac
exec node --test --test-reporter=spec "$1"
