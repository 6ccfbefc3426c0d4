#!/usr/bin/env bats
# Every real file of ../shared/profiler-samples: read, or refused with its name and a reason; and where tests/oracle/FORMAT.py knows
# the format, kernels, calls, seconds, FLOPs and bytes are those that the script finds in another way.

setup() {
  load lib.bash
  start
  samples=$ROOFLINE_SHARED/profiler-samples
  [ -d "$samples" ] || skip "no ../shared/profiler-samples here"
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
  for file in "$samples"/*/*; do
    "$ROOFLINE" import "$file" --json >answer 2>/dev/null || continue
    code=0
    sh "$ROOFLINE_SOURCE/tests/oracle/agree.sh" answer "$file" "$(basename "$(dirname "$file")")" || code=$?
    [ "$code" -ne 1 ] || bad=1
    [ "$code" -ne 0 ] || compared=$((compared + 1))
  done
  echo "# $compared files compared" >&3
  [ "$bad" -eq 0 ]
  [ "$compared" -gt 0 ]
}
