#!/bin/sh
# Crash consistency by replay: the shim writes down what seal, record and others do to the disk, crash-replay tries what a crash at any moment
# may leave. `run.sh [MOST [PAGE]]`: at most MOST states of each command, all without it; with PAGE,
# of pages of so many bytes and ends at any byte. Prints a line for each command and "N states
# tried, M lost"; fails where one is lost, or where a program without its syncs would lose none.
set -eu
build=$(realpath "${ROOFLINE_BUILD:-build/release}")
roofline=${ROOFLINE:-$build/roofline}
most=$*
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=$(realpath "$scratch")/folder
tried=0
lost=0
add='add --machine h100 --dtype fp32 n'

# play NAME UNSYNCED ARGUMENT...: runs `roofline ARGUMENT...` in the folder and replays it; its result is in $line.
play() {
  what=$1 unsynced=$2
  shift 2
  rm -rf "$scratch/before" "$scratch/after" "$scratch/log"
  cp -r "$folder" "$scratch/before"
  : >"$scratch/log"
  (cd "$folder" && CRASH_FOLDER=$folder CRASH_LOG=$scratch/log CRASH_UNSYNCED=$unsynced LD_PRELOAD=$build/tests/crash-shim.so \
    "$roofline" "$@" >/dev/null 2>"$scratch/errors") || { cat "$scratch/errors"; exit 1; }
  cp -r "$folder" "$scratch/after"
  # shellcheck disable=SC2086  # no argument where there is no bound
  line=$("$build/tests/crash-replay" "$scratch/before" "$scratch/after" "$scratch/log" l $most) || [ -n "$line" ]
}

# replays NAME ARGUMENT...: no state is lost.
replays() {
  name=$1
  shift
  play "$name" none "$@"
  printf '%-44s %s\n' "$name" "$line"
  counts=$(echo "$line" | sed -n 's/^\([0-9]*\) states tried of [0-9]*, \([0-9]*\) lost$/\1 \2/p')
  tried=$((tried + ${counts% *}))
  lost=$((lost + ${counts#* }))
}

# loses NAME UNSYNCED ARGUMENT...: without these syncs some are.
loses() {
  play "$@"
  case $line in
  *" 0 lost") echo "$1 without syncing the $2 loses nothing: the replay finds nothing" && exit 1 ;;
  esac
}

anew() {
  rm -rf "$folder"
  mkdir "$folder"
}

anew
loses 'first seal' file predict $add=1Mi --seal --label a --ledger l
anew
loses 'first seal' folder predict $add=1Mi --seal --label a --ledger l
anew
loses 'keygen' folder ledger keygen key
anew
echo old >"$folder/table.md"
play 'predict --seal' none predict $add=1Mi --seal --label a --ledger l
loses 'ledger export over a file' file ledger export --markdown table.md --ledger l
loses 'ledger export' folder ledger export --markdown new.md --ledger l
anew
replays 'predict --seal, first' predict $add=1Mi --seal --label a --ledger l
replays 'predict --seal' predict $add=2Mi --seal --label b --ledger l
for i in 1 2 3 4 5 6 7 8; do echo "$i: ${add}=${i}Mi"; done >"$scratch/list"
replays 'seal of 8' seal "$scratch/list" --ledger l
replays 'record by hand' record a seconds=10us --ledger l
echo '{"schema":"roofline.measurements/1","kernels":[{"name":"a","seconds":1e-5,"samples":[1e-5,1.1e-5]},{"name":"b","seconds":2e-5},{"name":"1","seconds":1e-5}]}' >"$scratch/m.json"
replays 'record of 3 from a file' record "$scratch/m.json" --ledger l
replays 'ledger keygen' ledger keygen key
replays 'ledger anchor tsa' ledger anchor tsa --ledger l
replays 'seal of 8, signed' seal "$scratch/list" --sign key --ledger l
truncate -s -300 "$folder/l"
replays 'predict --seal after a torn batch' predict $add=2Mi --seal --label c --ledger l
truncate -s -3 "$folder/l"
replays 'record after a torn entry' record b seconds=10us --ledger l
echo old >"$folder/table.md"
replays 'ledger export over a file' ledger export --markdown table.md --ledger l
anew
replays 'seal of 8, first' seal "$scratch/list" --ledger l
echo "$tried states tried, $lost lost"
[ "$lost" -eq 0 ]
