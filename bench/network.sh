#!/bin/sh
# Messages between two ranks against the peers that are here, a run of each in turn, ROUNDS times (3): NetPIPE where it is installed for the
# MPI of the launcher (Debian's netpipe-openmpi, netpipe-mpich2), and what the user has built with the same MPI: the OSU micro-benchmarks,
# OSU=FOLDER of osu_latency and osu_bw, and Intel's MPI benchmarks, IMB=FOLDER of IMB-MPI1.
# usage: bench/network.sh [--write]; needs jq. MPIRUN: how two ranks are started, "mpirun -n 2"; TIME of each part of ours, 10s.
# Prints a Markdown table of ratios; --write puts it into bench/results/network.md instead.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
roofline=${ROOFLINE:-$PWD/build/release/roofline}
mpirun=${MPIRUN:-mpirun -n 2}
rounds=${ROUNDS:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case ${1:-} in
  '' | --write) ;;
  *) echo "network.sh: $1: unknown; usage: bench/network.sh [--write]" >&2; exit 2 ;;
esac

# The NetPIPE of the MPI whose launcher `mpirun` is.
netpipe() {
  case $($mpirun --version 2>&1) in
    *'Open MPI'* | *OpenRTE*) command -v NPopenmpi ;;
    *HYDRA*) command -v NPmpich2 ;;
  esac
}

# Each peer prints lines: bytes, microseconds of a message, MB/s of many in a row ("-" where it does not say).
run_netpipe() { # few repeats of large messages, many of small ones
  for option in "-l 1 -u 32768 -n 2000" "-l 65536 -u 4194304 -n 50"; do
    # shellcheck disable=SC2086
    $mpirun "$(netpipe)" $option -p 0 -o "$scratch/np.latency" >/dev/null 2>&1
    # shellcheck disable=SC2086
    $mpirun "$(netpipe)" $option -p 0 -s -o "$scratch/np.rate" >/dev/null 2>&1
    awk '{ print $1, $3 * 1e6 }' "$scratch/np.latency" | sort >"$scratch/latency"
    awk '{ print $1, $2 / 8 }' "$scratch/np.rate" | sort >"$scratch/rate"
    join -a 1 -e - -o 0,1.2,2.2 "$scratch/latency" "$scratch/rate"
  done
}

run_osu() {
  $mpirun "$OSU/osu_latency" | awk '/^[0-9]/ { print $1, $2 }' | sort >"$scratch/latency"
  $mpirun "$OSU/osu_bw" | awk '/^[0-9]/ { print $1, $2 }' | sort >"$scratch/rate"
  join -a 1 -e - -o 0,1.2,2.2 "$scratch/latency" "$scratch/rate"
}

run_imb() { # Uniband since the benchmarks of 2019
  $mpirun "$IMB/IMB-MPI1" PingPong | awk '$1 ~ /^[0-9]+$/ && NF == 4 { print $1, $3 }' | sort >"$scratch/latency"
  $mpirun "$IMB/IMB-MPI1" Uniband | awk '$1 ~ /^[0-9]+$/ && NF == 4 { print $1, $3 }' | sort >"$scratch/rate"
  join -a 1 -e - -o 0,1.2,2.2 "$scratch/latency" "$scratch/rate"
}

# needs FOLDER PROGRAM...: a folder that is named has them.
needs() {
  folder=$1
  shift
  for program; do
    [ -x "$folder/$program" ] || { echo "network.sh: $folder/$program: no such program" >&2; exit 2; }
  done
}

[ -z "${OSU:-}" ] || needs "$OSU" osu_latency osu_bw
[ -z "${IMB:-}" ] || needs "$IMB" IMB-MPI1
peers='' absent=''
# peer NAME HERE HINT: is measured where HERE says something, else said to be absent.
peer() {
  if [ -n "$2" ]; then peers="$peers $1"; else absent="$absent${absent:+, }$3"; fi
}
peer netpipe "$(netpipe)" "NetPIPE (packages netpipe-openmpi, netpipe-mpich2)"
peer osu "${OSU:-}" "OSU micro-benchmarks (OSU=FOLDER)"
peer imb "${IMB:-}" "Intel MPI benchmarks (IMB=FOLDER)"
[ -n "$peers" ] || { echo "network.sh: no peer is here: $absent" >&2; exit 3; }

for round in $(seq "$rounds"); do
  $mpirun "$roofline" measure --cluster --backend fake --network "${TIME:-10s}" --ledger "$scratch/ledger" --to "$scratch/$round.json" --quiet >/dev/null
  for peer in $peers; do
    "run_$peer" | sed "s/^/$peer /" >>"$scratch/peers"
  done
done

{
  echo "* $(jq -r .network.library "$scratch/1.json"), two ranks, distance $(jq -r '.network.distances[-1].distance' "$scratch/1.json"); $rounds rounds in turns, medians"
  echo "* $(processor); $("$roofline" --version); $(date -u +%Y-%m-%d)"
  [ -z "$absent" ] || echo "* not here, and not measured: $absent"
  echo
  jq -Rrn --slurpfile ours /dev/fd/3 '
    def median: map(select(. != null)) | if length == 0 then null else sort | .[length / 2 | floor] end;
    def ratio(a; b): if a == null or b == null then "-" else a / b * 100 | round / 100 | tostring end;
    def row: "| " + join(" | ") + " |";
    {netpipe: "NetPIPE", osu: "OSU", imb: "IMB"} as $titles
    | ([inputs | split(" ") | {peer: .[0], bytes: .[1], seconds: (.[2] | tonumber / 1e6), rate: (.[3] | if . == "-" then null else tonumber * 1e6 end)}]) as $all
    | ($all | map(.peer) | unique) as $peers
    | ($all | group_by([.peer, .bytes]) | map({key: "\(.[0].peer) \(.[0].bytes)", value: {seconds: (map(.seconds) | median), rate: (map(.rate) | median)}}) | from_entries) as $peer
    | (["bytes", "latency"] + ($peers | map("/ " + $titles[.])) + ["bandwidth"] + ($peers | map("/ " + $titles[.])) | row),
      ([range(3 + 2 * ($peers | length))] | map("--:") | row),
      ([$ours[].network.distances[-1].messages[]] | group_by(.bytes)[]
       | {bytes: .[0].bytes, seconds: (map(.seconds) | median), rate: (map(if .windowed_seconds then .bytes / .windowed_seconds else null end) | median)} as $o
       | select(any($peers[]; $peer["\(.) \($o.bytes)"] != null))
       | ["\($o.bytes)", "\($o.seconds * 1e8 | round / 100) us"] + ($peers | map(ratio($o.seconds; $peer["\(.) \($o.bytes)"].seconds)))
         + [if $o.rate then "\($o.rate / 1e4 | round / 100) MB/s" else "-" end] + ($peers | map(ratio($o.rate; $peer["\(.) \($o.bytes)"].rate))) | row)' \
    "$scratch/peers" 3<<JSON
$(cat "$scratch"/[0-9]*.json)
JSON
} >"$scratch/table"
if [ "${1:-}" = --write ]; then
  mkdir -p bench/results
  mv "$scratch/table" bench/results/network.md
else
  cat "$scratch/table"
fi
