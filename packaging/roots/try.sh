#!/bin/sh
# Installs packages (default: those of `./run packages`) in a system of their own, uses them, removes them, and looks at what is left.
#   try.sh trixie http://deb.debian.org/debian [PACKAGE.deb ...]
#   KEYRING=/usr/share/keyrings/ubuntu-archive-keyring.gpg try.sh noble http://archive.ubuntu.com/ubuntu
. "$(dirname "$0")/lib.sh"
[ $# -ge 2 ] || { echo "usage: try.sh SUITE MIRROR [PACKAGE.deb ...]"; exit 2; }
make_root "$1" "$2"
shift 2
[ $# -gt 0 ] || set -- "$top"/build/packages/packages/*.deb
# The library of an MPI has another name in each release: its package is of the one that it was built on.
# shellcheck disable=SC2046  # a list of files
grep -q "^VERSION_CODENAME=$suite$" /etc/os-release || set -- $(printf '%s\n' "$@" | grep -v -e /roofline-openmpi_ -e /roofline-mpich_)
carried "$@"
answers roofline within roofline --version
answers compute-bound within roofline predict gemm m=4096 n=4096 k=4096 --machine h100
answers warnings within roofline doctor
program='import roofline; print("Python:", roofline.predict("gemm", m=4096, n=4096, k=4096, machine="h100").regime)'
answers 'Python: compute' within env PYTHONDONTWRITEBYTECODE=1 python3 -c "$program"
removed
