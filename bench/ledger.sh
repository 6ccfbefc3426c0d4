#!/bin/sh
# A ledger of 100,000 entries: seconds to verify and to reconcile it, in the library and as a command from start to end.
# Prints a table with the ratio to the goal of 1 s (over 1 is better) and to what the machine allows: sha256sum of the file.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

value() { awk -v key="$2" '$1 == key { print $2 }' "$1"; }

row() { # WHAT SECONDS: against the goal and against hashing the same file once
  awk -v what="$1" -v s="$2" -v hash="$hash" 'BEGIN {
    printf "%-38s %7.3f s  %8s %7.2fx  %5.2fx of sha256sum\n", what, s, "< 1 s", 1 / s, s / hash }'
}

"$build/bench-ledger" "$scratch/ledger" 100000 >"$scratch/library"
"$build/bench-startup" 5 /dev/null /usr/bin/sha256sum "$scratch/ledger" >"$scratch/hash"
"$build/bench-startup" 5 /dev/null "$build/roofline" ledger verify --ledger "$scratch/ledger" >"$scratch/verify"
"$build/bench-startup" 5 /dev/null "$build/roofline" reconcile --ledger "$scratch/ledger" --quiet >"$scratch/reconcile"
hash=$(value "$scratch/hash" median_seconds)

printf '%-38s %9s  %8s %8s\n' "$(wc -l <"$scratch/ledger") entries, $(($(wc -c <"$scratch/ledger") / 1000000)) MB" value goal ratio
row 'verify, library' "$(value "$scratch/library" verify_seconds)"
row 'reconcile, library' "$(value "$scratch/library" reconcile_seconds)"
row 'roofline ledger verify' "$(value "$scratch/verify" median_seconds)"
row 'roofline reconcile, table of 50,000' "$(value "$scratch/reconcile" median_seconds)"
