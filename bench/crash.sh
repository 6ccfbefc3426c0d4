#!/bin/sh
# Crash states of the ledger's commands, as many as the argument says of each (5000): of pages of 4096 bytes, then of sectors of 512 with an end
# at any byte. Prints how many were tried and lost, and fails where one was.
set -eu
cd "$(dirname "$0")/.."
sh tests/crash/run.sh
sh tests/crash/run.sh "${1:-5000}" 512
