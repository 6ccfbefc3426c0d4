#!/bin/sh
# The symbols file of a Debian package with one library: what depends on it asks for this version or a later one.    symbols.sh LIBRARY PACKAGE VERSION
set -eu
readelf -d "$1" | sed -n "s/.*SONAME.*\[\(.*\)\]/\1 $2 #MINVER#/p"
readelf --dyn-syms -W "$1" | awk -v version="$3" '$5 == "GLOBAL" && $7 != "UND" { print " " $8 "@Base " version }' | LC_ALL=C sort
