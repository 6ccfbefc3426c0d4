#!/bin/sh
# Whether kernels, calls, seconds, FLOPs and bytes of an imported file are those that tests/oracle/FORMAT.py finds in another way.
# Usage: agree.sh ANSWER.json FILE FORMAT. Exit 0: they are; 1: they are not, which is printed; 2: the script does not know the file.
set -eu
answer=$1 file=$2 oracle=$(dirname "$0")/$3.py
[ -f "$oracle" ] || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 "$oracle" "$file" >"$scratch/want" 2>/dev/null || exit 2

# Figures of an answer under the names the scripts use.
jq -r 'def total(f): [.kernels[] | select(f != null) | f * .calls] | if length > 0 then add else empty end;
  if .kernels == null then "levels \(.levels | length)", (.levels[] | "\(.name) \(.bytes_per_second)"),
    (.peaks[] | "\(.dtype) \(.flops_per_second)") else "kernels \(.kernels | length)", "calls \([.kernels[].calls] | add)", (total(.seconds) | "total_seconds \(.)"),
  (total(.flops["fp32 vector"] // .flops.fp32) | "fp32_vector \(.)"), (total(.bytes.DRAM) | "dram \(.)"),
  (total(.bytes.L2) | "l2 \(.)"), (total(.bytes.link) | "link \(.)"), (total([(.flops // {})[]] | if length > 0 then add else null end) | "flops \(.)"),
  ([.kernels[] | select([.counted[].source] | any(startswith("formula of gemm"))) | .calls * ([.flops[]] | add)]
    | if length > 0 then "product_flops \(add)" else empty end) end' "$answer" >"$scratch/got"

# None is missing or more than a millionth apart.
awk -v name="$(basename "$file")" 'NR == FNR { want[$1] = $2; next } { got[$1] = $2 }
  END { for (k in want) { d = got[k] - want[k]; if (d < 0) d = -d; w = want[k] < 0 ? -want[k] : want[k]
      if (!(k in got) || d > 1e-6 * w) { printf "%s: %s is %s, tests/oracle says %s\n", name, k, k in got ? got[k] : "missing", want[k]; bad = 1 } }
    exit bad }' "$scratch/want" "$scratch/got"
