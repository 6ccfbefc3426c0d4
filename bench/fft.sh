#!/bin/sh
# The Fourier transform against FFTW, whose plans are measured, in turns in one process, from the caches to memory: ours as a
# share of FFTW's rate, the median of ROUNDS runs (3); FLOP/s and the share of what a copy of the points takes.
# The last column follows from the others: how many copies the arithmetic alone takes at the rate of 1024 points on one core, on
# as many cores. usage: bench/fft.sh [--write|--derive]; needs jq. Prints a Markdown table; --write puts it, as this processor's, into
# bench/results/fft.md instead; --derive measures nothing and writes the last column of its table there anew.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
roofline=${ROOFLINE:-build/release/roofline}
rounds=${ROUNDS:-3}
sizes=${SIZES:-'1024 32768 1048576 4194304 67108864'}
cores=$(nproc)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case ${1:-} in
  '' | --write | --derive) ;;
  *) echo "fft.sh: $1: unknown; usage: bench/fft.sh [--write|--derive]" >&2; exit 2 ;;
esac

# row FORMAT POINTS THREADS: one row of the table.
row() {
  for round in $(seq "$rounds"); do
    "$roofline" run fft --baseline fft-fftw "n=$2" --dtype "$1" --threads "$3" --json --quiet >"$scratch/$round.json"
  done
  "$roofline" run scale "n=$((2 * $2))" --dtype "$1" --threads "$3" --json --quiet >"$scratch/copy"
  jq -rs --slurpfile copy "$scratch/copy" --arg row "| $3 | $1 | $2 |" '
    def median: sort | .[length / 2 | floor];
    (map(.kernels[0].seconds) | median) as $seconds
    | (map(.kernels[0].baseline.fraction) | median) as $share
    | "\($row) \((.[0].kernels[0].flops | add) / $seconds / 1e7 | round / 100) | \($share * 100 | round / 100) | \($copy[0].kernels[0].seconds / $seconds * 1000 | round / 10) % |"' \
    "$scratch"/[0-9]*.json
}

measure() {
  echo "* $("$roofline" run --list --json | jq -r '.kernels[] | select(.name == "fft-fftw") | .library // .disabled')"
  echo "* $(processor), $cores cores; $("$roofline" --version); $(date -u +%Y-%m-%d)"
  printf '\n| threads | format | points | GFLOP/s | ours / FFTW | of a copy |\n|--:|---|--:|--:|--:|--:|\n'
  for threads in 1 "$cores"; do
    for format in fp32 fp64; do
      for size in $sizes; do row $format "$size" "$threads"; done
    done
  done
}

derive() {
  awk -F' *[|] *' '
    /^[|] [0-9]/ { if ($2 == 1 && $4 == 1024) rate[$3] = $5
      printf "| %s | %s | %s | %s | %s | %s | %.1f |\n", $2, $3, $4, $5, $6, $7, $5 / ($7 / 100 * $2 * rate[$3]); next }
    /^[|] threads/ { print "| threads | format | points | GFLOP/s | ours / FFTW | of a copy | arithmetic, copies |"; next }
    /^[|]--/ { print "|--:|---|--:|--:|--:|--:|--:|"; next }
    { print }'
}

page=bench/results/fft.md
if [ "${1:-}" = --derive ]; then
  got "fft: $(processor)" "$page" >"$scratch/measured"
  [ -s "$scratch/measured" ] || { echo "fft.sh: $page has no table of this processor, $(processor)" >&2; exit 3; }
else
  measure >"$scratch/measured"
fi
derive <"$scratch/measured" >"$scratch/table"
if [ -n "${1:-}" ]; then
  put_here fft "$scratch/table" "$page"
else
  cat "$scratch/table"
fi
