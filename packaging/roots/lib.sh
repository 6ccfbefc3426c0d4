# A system of its own, made by debootstrap below $root, and what is done in it. Needs root, debootstrap and a mirror; KEYRING names the keys of the mirror where they
# are not debootstrap's own.
set -eu
here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root

step() { echo "$suite: $*"; }
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # of this system, not of the one made
within() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root "$@"; }
# Its output is shown where it fails.
silent() { within "$@" >"$scratch/log" 2>&1 || { tail -20 "$scratch/log"; step "failed: $*"; exit 1; }; }
# answers TEXT COMMAND...: shows the first line that it says, in which TEXT must be.
answers() {
  text=$1
  shift
  line=$("$@" 2>/dev/null | head -1)
  case $line in
  *"$text"*) step "$line" ;;
  *) step "failed: $*: $line"; exit 1 ;;
  esac
}
install() { silent apt-get install -y -qq --no-install-recommends "$@"; }

make_root() { # SUITE MIRROR
  suite=$1
  script=/usr/share/debootstrap/scripts/$suite
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy # what later suites of Ubuntu are links to
  debootstrap ${KEYRING:+"--keyring=$KEYRING"} --variant=minbase "$suite" "$root" "$2" "$script" >"$scratch/log" 2>&1 || { tail -5 "$scratch/log"; exit 3; }
  case $2 in *ubuntu*) echo "deb $2 $suite main universe" >"$root/etc/apt/sources.list" ;; esac
  silent apt-get update
}

# The files that are there, without what the package manager and the loader keep for themselves.
files() {
  (cd "$root" && find . -xdev \( -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./tmp -o -path ./proc \) -prune -o -print | sort)
}

# carried PACKAGE.deb...: copies them into the system and installs what others there are that they need; then `names` has theirs, and `before` the files.
carried() {
  mkdir -p "$root/tmp/packages"
  cp "$@" "$root/tmp/packages/"
  names=$(for package; do dpkg-deb --show --showformat '${Package}:${Architecture}\n' "$package" | sed 's/:all$//'; done)
  within sh -c 'apt-get install -s --no-install-recommends /tmp/packages/*.deb' >"$scratch/plan" 2>&1 || { tail -8 "$scratch/plan"; step "these packages cannot be installed here"; exit 1; }
  # shellcheck disable=SC2046  # a list of names
  install $(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$scratch/plan" | grep -vxF "$(echo "$names"; echo "$names" | sed 's/:.*//')")
  files >"$scratch/before"
  silent sh -c 'apt-get install -y --no-install-recommends /tmp/packages/*.deb'
  step "$(within sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release): installed $# packages"
}

# removed: purges them, and nothing may be left.
removed() {
  # shellcheck disable=SC2086  # a list of names
  silent apt-get purge -y $names
  rm -rf "$root/tmp/packages"
  files >"$scratch/after"
  if comm -13 "$scratch/before" "$scratch/after" | grep .; then
    step "removed: the files above are left"
    exit 1
  fi
  step "removed: nothing is left"
}
