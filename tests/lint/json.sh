#!/bin/sh
# JSON goes through src/documents/json.h: jansson's reader drops what it has no memory for, and a member that could not be set is missed only
# where the answer of the call is looked at; json_pack's optional members ("s*") too.
set -eu
cd "${ROOFLINE_SOURCE:-.}"
found=$(find src -name '*.c' ! -path src/documents/json.c | xargs awk '
  /(^|[^_])json_(load|dump)[a-z]*\(/ || (/^ *(\(void\))?json_(object|array)_(set|append|insert|update)[a-z_]*\(/ && begins) { print FILENAME ":" FNR ":" $0 }
  /json_pack/ && /[sSoO]\*/ { print FILENAME ":" FNR ": an optional member: " $0 }
  { begins = /[;{})]$/ || /\*\/$/ || /^$/ }')
if [ -n "$found" ]; then
  printf 'use rf_json_load, rf_json_dump, rf_json_set, rf_json_set_text, rf_json_append, rf_json_merge or rf_json_note:\n%s\n' "$found"
  exit 1
fi
