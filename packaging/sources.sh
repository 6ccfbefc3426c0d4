#!/bin/sh
# The sources of Debian packages, as their authors have them, from where this system's packages come: FOLDER/NAME_VERSION.orig.tar.*, unpacked in FOLDER/NAME.
#   sources.sh FOLDER NAME...
set -eu
folder=$1
shift
mkdir -p "$folder/lists/partial"
folder=$(realpath "$folder")
# A mirror may list updates of security whose sources it does not have: then those of the release.
# shellcheck disable=SC2016  # apt's own variables
apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u >"$folder/all.list"
grep -v security "$folder/all.list" >"$folder/release.list" || cp "$folder/all.list" "$folder/release.list"
fetch() { # LIST NAME...
  options="-qq -o Dir::Etc::sourcelist=$folder/$1.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$folder/lists"
  shift
  # shellcheck disable=SC2086  # a list of options
  (cd "$folder" && apt-get $options update && apt-get $options source --download-only "$@") >&2
}
fetch all "$@" 2>"$folder/refused" || fetch release "$@" || { cat "$folder/refused" >&2; exit 4; }
for name; do
  mkdir -p "$folder/$name"
  tar -xf "$(find "$folder" -maxdepth 1 -name "${name}_*.orig.tar.*" ! -name '*.asc')" -C "$folder/$name" --strip-components=1
done
