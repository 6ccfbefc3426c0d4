#!/bin/sh
# The Debian packages: lintian finds no error, and what dpkg puts into a root of its own works, and is gone when it is removed.
. "$(dirname "$0")/lib/lint.sh"
for needed in cpack dpkg lintian scdoc; do
  command -v "$needed" >/dev/null || skip "no $needed"
done
[ -f "$ROOFLINE_BUILD/manual.stamp" ] || skip "no manual was built"
[ "$(id -u)" -eq 0 ] || skip "dpkg wants root, for a root of its own too"

pack() { # FOLDER TIMEZONE OPTION...
  folder=$1
  zone=$2
  shift 2
  (cd "$ROOFLINE_BUILD" && umask 022 && TZ=$zone SOURCE_DATE_EPOCH=1000000000 cpack -B "$scratch/$folder" "$@") >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "cpack failed"; }
}
# xz, as they are shipped, takes three quarters of the time: here the smallest package has it, and the others gzip.
pack built UTC -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip
pack again Asia/Tokyo -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip
pack built UTC -D CPACK_COMPONENTS_ALL=region
pack again Asia/Tokyo -D CPACK_COMPONENTS_ALL=region
packages=$(find "$scratch/built" -maxdepth 1 -name '*.deb' | sort)
plugins=$(find "$ROOFLINE_BUILD/mpi" -name 'roofline_mpi_*.so' 2>/dev/null | wc -l)
[ "$(echo "$packages" | wc -l)" -eq $((7 + plugins)) ] || fail "not seven packages and $plugins plugins: $packages"
for package in $packages; do
  cmp "$package" "$scratch/again/$(basename "$package")" || fail "packed again, and in another time zone, a package is another"
done

# gzip here too.
pack archive UTC -G TGZ -D CPACK_PACKAGING_INSTALL_PREFIX=/
mkdir "$scratch/unpacked"
tar -xf "$scratch"/archive/roofline-*-linux-"$(uname -m)".tar.gz -C "$scratch/unpacked" --strip-components=1 || fail "the archive cannot be unpacked"
"$scratch/unpacked/bin/roofline" predict gemm m=4096 n=4096 k=4096 --machine h100 | grep -q 'compute-bound' || fail "the command of the archive does not answer"
find "$scratch/unpacked/share" -name 'roofline.1.gz' | grep -q . || fail "the archive has no manual"

faultless() { # PACKAGE ...: prints lintian's errors
  lintian --fail-on none --tag-display-limit 0 "$@" 2>/dev/null | grep '^E:' >"$scratch/faults"
  cat "$scratch/faults"
  [ ! -s "$scratch/faults" ]
}
# shellcheck disable=SC2086  # a list of files
faultless $packages || fail "lintian finds errors"
mkdir -p "$scratch/bad/DEBIAN"
printf 'Package: bad\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: bad\n' >"$scratch/bad/DEBIAN/control"
dpkg-deb --build "$scratch/bad" "$scratch/bad.deb" >/dev/null
catches 'E: bad' faultless "$scratch/bad.deb"

# What the library loads where it is there, and names the package of, it recommends or suggests.
offers() { # CONTROL: and not which
  grep -rhoE 'apt install [a-z0-9.+ -]*lib[a-z0-9.+ -]*' "$ROOFLINE_SOURCE/src" --include='*.c' | sed 's/apt install //' | tr ' ' '\n' | sort -u >"$scratch/loaded"
  [ "$(wc -l <"$scratch/loaded")" -ge 7 ] || fail "not all that is loaded is found: $(cat "$scratch/loaded")"
  grep -E '^(Recommends|Suggests):' "$1" | sed 's/[^:]*: //; s/, /\n/g' | sort >"$scratch/offered"
  comm -23 "$scratch/loaded" "$scratch/offered" >"$scratch/lacking"
  cat "$scratch/lacking"
  [ ! -s "$scratch/lacking" ]
}
dpkg-deb --info "$(echo "$packages" | grep '/libroofline1_')" control >"$scratch/control"
offers "$scratch/control" || fail "the library's package does not name what it loads"
sed -i 's/libmuparser2v5, //' "$scratch/control"
catches libmuparser2v5 offers "$scratch/control"

if dpkg-deb --info "$(echo "$packages" | grep '/roofline_')" control | grep -q mpi; then
  fail "the command depends on an MPI"
fi
for library in libroofline libroofline-core libroofline-region; do
  file=$(echo "$packages" | grep "/${library}1_")
  dpkg-deb --info "$file" symbols | grep -q '^ roof_.*@Base [0-9]' || fail "$library has no symbols file"
done

root=$scratch/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
: >"$root/var/lib/dpkg/status"
# Other packages and the loader's cache are the system's: neither is in this root.
in_root() {
  dpkg --root="$root" --force-depends --force-not-root --force-script-chrootless "$@" >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "dpkg failed"; }
}
# shellcheck disable=SC2086
in_root --install $packages
library=$(dirname "$(find "$root/usr" -name 'libroofline.so.*' | head -1)")
"$root/usr/bin/roofline" predict gemm m=4096 n=4096 k=4096 --machine h100 | grep -q 'compute-bound' || fail "the installed command does not answer"
find "$root/usr" -name 'roofline-predict.1.gz' | grep -q . || fail "no manual"
printf '#include <roofline/roofline.h>\n#include <stdio.h>\nint main(void) { return puts(roof_version()) < 0; }\n' >"$scratch/uses.c"
cc -I"$root/usr/include" "$scratch/uses.c" -o "$scratch/uses" -L"$library" -lroofline -lroofline_region
[ "$(LD_LIBRARY_PATH=$library "$scratch/uses")" = "$("$ROOFLINE" --version | cut -d' ' -f2)" ] || fail "the installed library does not answer"
answer=$(LD_LIBRARY_PATH=$library PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/usr/lib/python3/dist-packages python3 -c \
  "import roofline; print(roofline.predict('gemm', m=4096, n=4096, k=4096, machine='h100').regime)")
[ "$answer" = compute ] || fail "the installed package for Python does not answer"
# shellcheck disable=SC2046
in_root --purge $(for package in $packages; do dpkg-deb --field "$package" Package; done)
left=$(find "$root" -type f ! -path '*/var/lib/dpkg/*' ! -path '*/var/log/*' ! -path '*/etc/ld.so.cache')
[ -z "$left" ] || fail "removed packages leave $left"
echo "7 packages: installed, used and removed; an archive: unpacked and used"
