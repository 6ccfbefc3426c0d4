#!/bin/sh
# The last rung of the gemm ladder against OpenBLAS and BLIS: taken in turn in one process, the best window of each round,
# ROUNDS rounds (5); the ratio is the median over the rounds of ours / the better library. Prints a Markdown table with the
# machine, date and version; `bench/gemm.sh --write` puts it into docs/ladder.md instead.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
rounds=${ROUNDS:-5}
shapes=${SHAPES:-'512 512 512;1024 1024 1024;2048 2048 2048;4096 4096 4096;4096 64 4096;64 4096 4096;8 4096 4096'}
cores=$(nproc)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

libraries=
for library in gemm-blas gemm-blis; do
  why=$("$build/roofline" run --list --json | jq -r --arg name $library '.kernels[] | select(.name == $name) | .disabled // empty')
  if [ -z "$why" ]; then libraries="$libraries $library"; else echo "$library: $why" >&2; fi
done
[ -n "$libraries" ] || { echo 'gemm.sh: no library to compare with' >&2; exit 3; }

threads_list=${THREADS:-$([ "$cores" -gt 1 ] && echo "1 $cores" || echo 1)}

one_shape() { # THREADS DTYPE M N K
  pin=
  [ "$1" -gt 1 ] || pin='taskset -c 0'
  # shellcheck disable=SC2086  # words
  $pin "$build/bench-gemm" "$rounds" "$@" gemm-blocked $libraries >"$scratch/windows"
  awk -v threads="$1" -v dtype="$2" -v shape="$3 x $4 x $5" '
    { rate[$1, $2] = $3; rounds = $1; if ($3 > best[$2]) best[$2] = $3 }
    function other(r) { a = rate[r, "gemm-blas"]; b = rate[r, "gemm-blis"]; return a > b ? a : b }
    function cell(name) { return name in best ? sprintf("%.1f", best[name]) : "" }
    END {
      for (r = 1; r <= rounds; r++) ratio[r] = rate[r, "gemm-blocked"] / other(r)
      for (i = 1; i <= rounds; i++) for (j = i + 1; j <= rounds; j++) if (ratio[j] < ratio[i]) { t = ratio[i]; ratio[i] = ratio[j]; ratio[j] = t }
      printf "| %s | %s | %s | %s | %s | %s | %.2f |\n", threads, dtype, shape, cell("gemm-blocked"), cell("gemm-blas"), cell("gemm-blis"), ratio[int((rounds + 1) / 2)]
    }' "$scratch/windows"
}

table() {
  "$build/roofline" run --list --json | jq -r '.kernels[] | select(.library) | "* \(.name): \(.library)"'
  echo "* $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $cores cores; $("$build/roofline" --version); $(date -u +%Y-%m-%d)"
  echo
  echo '| threads | format | m x n x k | gemm-blocked | gemm-blas | gemm-blis | ours / best |'
  echo '|--:|---|---|--:|--:|--:|--:|'
  for threads in $threads_list; do
    for dtype in fp64 fp32; do
      echo "$shapes" | tr ';' '\n' | while read -r m n k; do
        one_shape "$threads" $dtype "$m" "$n" "$k"
      done
    done
  done
}

if [ "${1:-}" = --write ]; then
  table >"$scratch/table"
  awk -v table="$scratch/table" '
    /^<!-- measured/ { print; while ((getline line < table) > 0) print line; inside = 1; next }
    /^<!-- end/ { inside = 0 }
    !inside' docs/ladder.md >"$scratch/page"
  cp "$scratch/page" docs/ladder.md
else
  table
fi
