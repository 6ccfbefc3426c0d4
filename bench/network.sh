#!/bin/sh
# Messages between two ranks against the OSU micro-benchmarks or Intel's MPI benchmarks, which the user has built with the same MPI: OSU=FOLDER
# of osu_latency and osu_bw, or IMB=FOLDER of IMB-MPI1; a run of each in turn, ROUNDS times (3).
# usage: OSU=FOLDER bench/network.sh [--write]; needs jq. MPIRUN: how two ranks are started, "mpirun -n 2". Prints a Markdown table of ratios;
# --write puts it into bench/results/network.md instead.
set -eu
cd "$(dirname "$0")/.."
roofline=${ROOFLINE:-$PWD/build/release/roofline}
mpirun=${MPIRUN:-mpirun -n 2}
rounds=${ROUNDS:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case ${1:-} in
  '' | --write) ;;
  *) echo "network.sh: $1: unknown; usage: OSU=FOLDER bench/network.sh [--write]" >&2; exit 2 ;;
esac
[ -n "${OSU:-}${IMB:-}" ] || { echo "network.sh: neither OSU=FOLDER nor IMB=FOLDER names a peer" >&2; exit 3; }

# Lines of the peer's answer: bytes, microseconds of a message, MB/s of many in flight ("-" where it does not say).
peer() {
  if [ -n "${OSU:-}" ]; then
    $mpirun "$OSU/osu_latency" | awk '/^[0-9]/ { print $1, $2 }' | sort >"$scratch/latency"
    $mpirun "$OSU/osu_bw" | awk '/^[0-9]/ { print $1, $2 }' | sort >"$scratch/rate"
    join -a 1 -e - -o 0,1.2,2.2 "$scratch/latency" "$scratch/rate"
  else
    $mpirun "$IMB/IMB-MPI1" PingPong | awk '$1 ~ /^[0-9]+$/ && NF == 4 { print $1, $3, "-" }'
  fi
}

for round in $(seq "$rounds"); do
  $mpirun "$roofline" measure --cluster --backend fake --network 10s --ledger "$scratch/ledger" --to "$scratch/$round.json" --quiet >/dev/null
  peer >"$scratch/peer.$round"
done

{
  echo "* $(jq -r .network.library "$scratch/1.json"); ${OSU:+OSU micro-benchmarks}${IMB:+Intel MPI benchmarks}"
  echo "* $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1); $("$roofline" --version); $(date -u +%Y-%m-%d)"
  printf '\n| bytes | latency | ours / peer | bandwidth | ours / peer |\n|--:|--:|--:|--:|--:|\n'
  cat "$scratch"/peer.* | jq -Rrn --slurpfile ours /dev/fd/3 '
    def median: sort | .[length / 2 | floor];
    def ratio(a; b): if a == null or b == null then "-" else a / b * 100 | round / 100 | tostring end;
    ([inputs | split(" ") | {bytes: (.[0] | tonumber), seconds: (.[1] | tonumber / 1e6), rate: (.[2] | if . == "-" then null else tonumber * 1e6 end)}]
      | group_by(.bytes) | map({key: (.[0].bytes | tostring), value: {seconds: (map(.seconds) | median), rate: (map(.rate) | median)}}) | from_entries) as $peer
    | [$ours[].network.distances[-1].messages[]] | group_by(.bytes)[]
    | {bytes: .[0].bytes, seconds: (map(.seconds) | median), rate: (map(if .windowed_seconds then .bytes / .windowed_seconds else null end) | median)}
    | select($peer[.bytes | tostring]) as $o | $peer[$o.bytes | tostring] as $p
    | "| \($o.bytes) | \($o.seconds * 1e8 | round / 100) us | \(ratio($o.seconds; $p.seconds)) | \(if $o.rate then $o.rate / 1e4 | round / 100 else "-" end) MB/s | \(ratio($o.rate; $p.rate)) |"' \
    3<<JSON
$(cat "$scratch"/[0-9]*.json)
JSON
} >"$scratch/table"
if [ "${1:-}" = --write ]; then
  mkdir -p bench/results
  mv "$scratch/table" bench/results/network.md
else
  cat "$scratch/table"
fi
