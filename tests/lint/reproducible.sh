#!/bin/sh
# Equal sources are built to equal files, wherever they lie: no installed file names the folder that it was built in, nothing has the date of
# the build, and sources are compiled in two folders. packaging/reproduce.sh compares two whole builds, which takes minutes.
. "$(dirname "$0")/lib/lint.sh"
[ -x "$ROOFLINE" ] || skip "no $ROOFLINE: build first"
command -v jq >/dev/null || skip "no jq"

nameless() { # FOLDER: no file in it has the folder of the sources in it
  ! grep -rlF -e "$ROOFLINE_SOURCE/src/" -e "$ROOFLINE_SOURCE/build/" -e "$ROOFLINE_SOURCE/include/" "$1"
}
dateless() { # FOLDER...
  ! grep -rnE '__(DATE|TIME|TIMESTAMP)__' "$@"
}

# tree FOLDER: the sources in another folder, with what was generated as it is there.
tree() {
  mkdir -p "$1/build"
  for part in include src data web; do cp -r "$ROOFLINE_SOURCE/$part" "$1/$part"; done
  cp -r "$ROOFLINE_BUILD/generated" "$1/build/generated"
  sed -i "s|$ROOFLINE_BUILD|$1/build|g; s|$ROOFLINE_SOURCE|$1|g" "$1"/build/generated/*.c
}
# compiled FOLDER SOURCE: its object, made there with the flags of the build.
compiled() {
  flags=$(jq -r '[.[] | select(.file | endswith("/src/cli/main.c"))][0].command' "$ROOFLINE_BUILD/compile_commands.json" |
    sed "s|$ROOFLINE_BUILD|$1/build|g; s|$ROOFLINE_SOURCE|$1|g; s| -o [^ ]* -c .*||; s| -Werror||; s| -Wpedantic||")
  # shellcheck disable=SC2086  # a command with its flags
  (cd "$1/build" && $flags -o "$scratch/$(basename "$2").o" -c "$1/$2") && mv "$scratch/$(basename "$2").o" "$1/object.o"
}
equal() { # SOURCE
  compiled "$one" "$1" && compiled "$another" "$1" && cmp "$one/object.o" "$another/object.o"
}

mkdir "$scratch/planted"
printf 'built in %s/src/x\n' "$ROOFLINE_SOURCE" >"$scratch/planted/a"
catches 'planted/a' nameless "$scratch/planted"
echo 'const char *when = __DATE__;' >"$scratch/planted/a.c"
catches 'a.c:1' dateless "$scratch/planted"
one=$scratch/one
another=$scratch/another/much/deeper
tree "$one"
tree "$another"
echo 'const char *where = __FILE__;' | tee "$one/src/where.c" >"$another/src/where.c"
catches 'differ' equal src/where.c

cmake --install "$ROOFLINE_BUILD" --prefix "$scratch/prefix" >/dev/null
nameless "$scratch/prefix" || fail "an installed file names the folder that it was built in"
dateless "$ROOFLINE_SOURCE/src" "$ROOFLINE_SOURCE/include" || fail "the date of the build is in what is built"
for source in src/region/recorder.c src/core/predict.c src/cli/main.c build/generated/builtin_machines.c build/generated/page_files.c; do
  equal "$source" || fail "$source is another in another folder"
done
echo "$(find "$scratch/prefix" -type f | wc -l) installed files: none names a folder, none has the date"
