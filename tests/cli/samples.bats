#!/usr/bin/env bats
# Every real file of ../shared/profiler-samples: read, or refused with its name and a reason; and where tests/oracle/FORMAT.py knows
# the format, kernels, calls, seconds, FLOPs and bytes are those that the script finds in another way.

setup() {
  load lib.bash
  start
  samples=$ROOFLINE_SHARED/profiler-samples
  [ -d "$samples" ] || skip "no ../shared/profiler-samples here"
}

# Figures of an answer under the names the oracles use.
figures() { # FILE
  jq -r 'def total(f): [.kernels[] | select(f != null) | f * .calls] | if length > 0 then add else empty end;
    if .kernels == null then "levels \(.levels | length)", (.levels[] | "\(.name) \(.bytes_per_second)"),
      (.peaks[] | "\(.dtype) \(.flops_per_second)") else "kernels \(.kernels | length)", "calls \([.kernels[].calls] | add)", (total(.seconds) | "total_seconds \(.)"),
    (total(.flops["fp32 vector"] // .flops.fp32) | "fp32_vector \(.)"), (total(.bytes.DRAM) | "dram \(.)"),
    (total(.bytes.L2) | "l2 \(.)"), (total(.bytes.link) | "link \(.)"), (total([(.flops // {})[]] | if length > 0 then add else null end) | "flops \(.)"),
    ([.kernels[] | select([.counted[].source] | any(startswith("formula of gemm"))) | .calls * ([.flops[]] | add)]
      | if length > 0 then "product_flops \(add)" else empty end) end' "$1"
}

# Fails where a figure of the oracle is missing or more than a millionth apart.
agree() { # NAME ORACLE ACTUAL
  awk -v name="$1" 'NR == FNR { want[$1] = $2; next } { got[$1] = $2 }
    END { for (k in want) { d = got[k] - want[k]; if (d < 0) d = -d; w = want[k] < 0 ? -want[k] : want[k]
        if (!(k in got) || d > 1e-6 * w) { printf "%s: %s is %s, the oracle says %s\n", name, k, k in got ? got[k] : "missing", want[k]; bad = 1 } }
      exit bad }' "$2" "$3"
}

@test "every sample is read or refused with a reason" {
  local bad=0 read=0 refused=0
  while read -r file; do
    code=0
    timeout 60 "$ROOFLINE" import "$file" --json >answer 2>why || code=$?
    case $code in
    0)
      read=$((read + 1))
      jq -e '(.kernels // .levels) | length > 0' answer >/dev/null || { echo "$file: read, but nothing in it"; bad=1; }
      ;;
    2)
      refused=$((refused + 1))
      grep -q "^roofline: $file" why && [ "$(wc -l <why)" -eq 1 ] || { echo "$file: $(cat why)"; bad=1; }
      ;;
    *) echo "$file: exit $code: $(head -c 300 why)"; bad=1 ;;
    esac
  done < <(find "$samples" -mindepth 2 -type f ! -path '*/hf-config/*' ! -path '*/gguf/*' ! -path '*/onnx/*' ! -path '*/safetensors/*' | sort)
  echo "# $read read, $refused refused" >&3
  [ "$bad" -eq 0 ]
  [ "$read" -gt 0 ]
}

@test "an independent script finds the same figures" {
  command -v python3 >/dev/null || skip "no python3"
  local bad=0 compared=0
  for oracle in "$ROOFLINE_SOURCE"/tests/oracle/*.py; do
    for file in "$samples/$(basename "$oracle" .py)"/*; do
      python3 "$oracle" "$file" >want 2>/dev/null || continue
      "$ROOFLINE" import "$file" --json >answer 2>why || { cat why; bad=1; continue; }
      figures answer >got
      agree "$(basename "$file")" want got || bad=1
      compared=$((compared + 1))
    done
  done
  echo "# $compared files compared" >&3
  [ "$bad" -eq 0 ]
  [ "$compared" -gt 0 ]
}
