#!/bin/sh
# Every command of tests/torture/commands.txt with its allocations failing, one at a time and with all later ones: at most 200 of each command (TRIES; 0: every
# one, which takes hours where the whole catalogue is read). Exit 1 where an answer is wrong or a command dies.    torture.sh [NAME ...]
set -eu
cd "$(dirname "$0")/.."
ROOFLINE_BUILD=$PWD/build/release ROOFLINE=$PWD/build/release/roofline exec sh tests/torture/run.sh "${TRIES-200}" "$@"
