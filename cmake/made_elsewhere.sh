#!/bin/sh
# made_elsewhere.sh OTHER OUTPUT SOURCE... -- COMMAND...: OUTPUT is a copy of OTHER where that is newer than every source, else what
# COMMAND makes.
set -eu
other=$1
output=$2
shift 2
new=true
while [ "$1" != -- ]; do
  [ "$other" -nt "$1" ] || new=false
  shift
done
shift
if $new; then
  exec cp "$other" "$output"
fi
exec "$@"
