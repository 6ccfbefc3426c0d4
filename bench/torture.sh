#!/bin/sh
# Every command of tests/torture/commands.txt with each of its allocations failing, alone and with all later ones (hours: those that read the whole
# catalogue make 100,000; TRIES=1000 takes at most so many of each). Exit 1 where an answer is wrong, or a command dies.
set -eu
cd "$(dirname "$0")/.."
ROOFLINE_BUILD=$PWD/build/release ROOFLINE=$PWD/build/release/roofline exec sh tests/torture/run.sh "${TRIES-0}" "$@"
