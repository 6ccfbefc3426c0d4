#!/bin/sh
# Runs one test of Node.js for CTest: run.sh FILE.test.mjs. Exit 77 (CTest: Skipped) with the reason where something that it needs is absent.
cd "$(dirname "$0")" || exit 1

skip() {
  echo "skipped: $*"
  exit 77
}

command -v node >/dev/null || skip "node is not installed (packages/test.txt)"
case $1 in
*/mcp.test.mjs)
  [ -d node_modules/@modelcontextprotocol/sdk ] || skip "the client of the Model Context Protocol is not here: run npm ci in tests/node"
  ;;
*/package.test.mjs)
  command -v npm >/dev/null || skip "npm is not installed (packages/test.txt)"
  [ -d node_modules/typescript ] || skip "the compiler of TypeScript is not here: run npm ci in tests/node"
  [ -f "$ROOFLINE_SOURCE/build/web/package/roofline.wasm" ] || skip "build/web/package is not built: ./run web"
  ;;
esac
exec node --test --test-reporter=spec "$1"
