#!/bin/sh
# The tests of what is for Python and for Node.js with the oldest of each that they support, in a Debian 12 of its own: its Node.js is 18, and it gets Python 3.9
# from Debian 11. Needs what `./run packages` and `./run web` made, and the modules of tests/node.
#   oldest.sh [MIRROR]
. "$(dirname "$0")/lib.sh"
mirror=${1-http://deb.debian.org/debian}
made=$top/build/packages
for needed in "$made/python/roofline" "$top/build/web/package" "$top/tests/node/node_modules"; do
  [ -e "$needed" ] || { echo "oldest.sh: $needed is not there"; exit 3; }
done
make_root bookworm "$mirror"
carried "$made"/packages/roofline_*.deb "$made"/packages/roofline-doc_*.deb # agents read the book
install nodejs npm librsvg2-2 python3-pytest python3-exceptiongroup python3-tomli libblas3 liblapack3 libmuparser2v5 gcc libc6-dev
echo "deb $mirror bullseye main" >"$root/etc/apt/sources.list.d/older.list"
silent apt-get update
install python3.9
# That of Debian 12 is for another Python.
silent sh -c 'cd /tmp && apt-get download python3-numpy/bullseye && dpkg-deb -x python3-numpy_*.deb numpy && cp -r numpy/usr/lib/python3/dist-packages/numpy /usr/local/lib/python3.9/dist-packages/'
ln -s /usr/bin/python3.9 "$root/usr/local/bin/python3"

mkdir -p "$root/src/build/release" "$root/src/build/web"
git -C "$top" archive HEAD | tar -x -C "$root/src"
cp -rL "$made/python" "$root/src/build/release/"
cp -r "$top/build/web/package" "$root/src/build/web/"
cp -r "$top/tests/node/node_modules" "$root/src/tests/node/"

# within a process that has /proc, by which the command finds its book.
alive() {
  # shellcheck disable=SC2016  # of the inner shell
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env LC_ALL=C.UTF-8 HOME=/root "$@"' "$root" "$@"
}

# passes FOLDER FILE...: its tests; skipped ones (77) are shown.
passes() {
  folder=$1
  shift
  for file; do
    code=0
    alive env PATH=/usr/local/bin:/usr/bin:/bin ROOFLINE=/usr/bin/roofline ROOFLINE_SOURCE=/src ROOFLINE_BUILD=/src/build/release \
      sh "/src/tests/$folder/run.sh" "/src/tests/$folder/$(basename "$file")" >"$scratch/log" 2>&1 || code=$?
    grep -E '^SKIPPED|^skipped' "$scratch/log" || true
    [ "$code" -eq 0 ] || [ "$code" -eq 77 ] || { tail -40 "$scratch/log"; step "failed: $file"; exit 1; }
    step "$(basename "$file"): $(sed -n 's/^ℹ \(pass [0-9]*\)$/\1/p; /^[0-9].* passed/p; /^[0-9]* skipped/p' "$scratch/log" | tail -1)"
  done
}
answers 'Python 3.9' within /usr/local/bin/python3 -c 'import platform, pytest; print("Python", platform.python_version())'
passes python "$top"/tests/python/test_*.py
answers v18 within node --version
passes node "$top"/tests/node/*.test.mjs
