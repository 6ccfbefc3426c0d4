#!/bin/sh
# The bill of materials is SPDX 2.3 and has every library that the command is linked with, in the version that is installed.
. "$(dirname "$0")/lib/lint.sh"
bill=$ROOFLINE_BUILD/roofline.spdx.json
[ -f "$bill" ] || skip "no $bill: configure first"

sound() { # FILE
  jq -e '.spdxVersion == "SPDX-2.3" and .dataLicense == "CC0-1.0" and (.creationInfo.created | fromdate >= 0)
    and ([.packages[].SPDXID] | length == (unique | length))
    and all(.packages[]; .name and .versionInfo and (.SPDXID | test("^SPDXRef-[A-Za-z0-9.-]+$")) and has("downloadLocation"))
    and ([.relationships[].relatedSpdxElement] | sort) == ([.packages[].SPDXID] | sort)' "$1" >/dev/null || { echo "no sound bill"; return 1; }
  jq -r '.packages[1:][] | .name + " " + .versionInfo' "$1" | while read -r name version; do
    [ "$(pkg-config --modversion "$name")" = "$version" ] || echo "$name is not $version"
  done >"$scratch/wrong"
  cat "$scratch/wrong"
  [ ! -s "$scratch/wrong" ]
}
sound "$bill" || fail "$bill is wrong"

# Every library that the command needs is of a package of the bill, or the compiler's or the system's.
linked() { # FILE: needed libraries that no package brings
  for library in $(readelf -d "$ROOFLINE" | sed -n 's/.*NEEDED.*\[lib\([^]]*\)\.so.*/\1/p'); do
    case $library in c | m | gomp | omp | dl | pthread) continue ;; esac
    for package in $(jq -r '.packages[1:][].name' "$1"); do pkg-config --libs "$package"; done | grep -qw -- "-l$library" || echo "lacks $library"
  done >"$scratch/lacking"
  cat "$scratch/lacking"
  [ ! -s "$scratch/lacking" ]
}
linked "$bill" || fail "$bill lacks a library"
jq 'del(.packages[] | select(.name == "jansson"))' "$bill" >"$scratch/less"
catches 'no sound bill' sound "$scratch/less"
catches 'lacks jansson' linked "$scratch/less"
jq '.packages[1].versionInfo = "0"' "$bill" >"$scratch/old"
catches 'is not 0' sound "$scratch/old"
echo "$(jq '.packages | length - 1' "$bill") libraries"
