#!/bin/sh
# Runs every libFuzzer target fuzz_NAME of the asan build on its corpus (tests/fuzz/corpus/NAME) for an equal share of 60 seconds
# (FUZZ_SECONDS) with other random numbers each time (FUZZ_SEED takes those of a run again; it is printed), and with the words of
# tests/fuzz/NAME.dict. The input of a failure is left in BUILD/fuzz; FUZZ_KEEP=1 adds inputs that reach something new to the corpus.
set -eu
: "${ROOFLINE_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${ROOFLINE_BUILD:=$ROOFLINE_SOURCE/build/release}"
seconds=${FUZZ_SECONDS:-60}
seed=${FUZZ_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d " ")}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

targets() { # FOLDER
  find "$1" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x 2>/dev/null | sort
}

fuzz() { # TARGET SECONDS FOLDER FOR FAILURES
  name=$(basename "$1")
  corpus=$ROOFLINE_SOURCE/tests/fuzz/corpus/${name#fuzz_}
  mkdir -p "$scratch/corpus/$name" "$3"
  [ ! -d "$corpus" ] || cp -R "$corpus/." "$scratch/corpus/$name/"
  dictionary=$ROOFLINE_SOURCE/tests/fuzz/${name#fuzz_}.dict
  [ -f "$dictionary" ] || dictionary=$ROOFLINE_SOURCE/tests/fuzz/json.dict
  seeds=$(find "$scratch/corpus/$name" -type f | wc -l)
  code=0
  # libFuzzer counts whole seconds; this signal ends it after the input at hand, and reaches it alone, not the program that gives it names
  timeout --foreground --preserve-status -s USR1 -k 30 "$2" "$1" -seed="$seed" -handle_usr1=1 -rss_limit_mb=2048 -timeout=5 -print_final_stats=1 -dict="$dictionary" -artifact_prefix="$3/$name-" \
    "$scratch/corpus/$name" >"$scratch/log" 2>&1 || code=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log")
  if [ "$code" -eq 0 ] && [ "${inputs:-0}" -gt 0 ]; then
    echo "$name: $2 s, $inputs inputs from $seeds seeds, nothing found"
    [ -z "${FUZZ_KEEP-}" ] || [ ! -d "$corpus" ] || "$1" -merge=1 "$corpus" "$scratch/corpus/$name" >>"$scratch/log" 2>&1
  else
    tail -n 60 "$scratch/log"
    echo "FAILED: $name exits $code after ${inputs:-0} inputs; what broke it is in $3"
    return 1
  fi
}

plant() { # BODY OF A TARGET
  printf '#!/bin/sh\n%s\n' "$1" >"$scratch/fuzz_planted"
  chmod +x "$scratch/fuzz_planted"
}

plant 'echo "stat::number_of_executed_units: 5"; exit 77'
! fuzz "$scratch/fuzz_planted" 1 "$scratch/found" >/dev/null || { echo "FAILED: self-test: a crash passed"; exit 1; }
plant 'exit 0'
! fuzz "$scratch/fuzz_planted" 1 "$scratch/found" >/dev/null || { echo "FAILED: self-test: no inputs passed"; exit 1; }
plant 'echo "stat::number_of_executed_units: 5"'
fuzz "$scratch/fuzz_planted" 1 "$scratch/found" >/dev/null || { echo "FAILED: self-test: a clean run failed"; exit 1; }
plant 'trap : USR1; sleep 1 & wait $! || wait $! || exit 141; echo "stat::number_of_executed_units: 5"'
fuzz "$scratch/fuzz_planted" 0.3 "$scratch/found" >/dev/null || { echo "FAILED: self-test: the end of a share reached a child of the target"; exit 1; }

count=$(targets "$ROOFLINE_SOURCE/build/asan/tests" | wc -l)
if [ "$count" -eq 0 ]; then
  echo "skipped: no fuzz targets in build/asan/tests: cmake --preset asan && cmake --build --preset asan"
  exit 77
fi
echo "FUZZ_SEED=$seed"
failed=0
share=$(awk -v s="$seconds" -v n="$count" 'BEGIN { printf "%.2f", s / n }')
for target in $(targets "$ROOFLINE_SOURCE/build/asan/tests"); do
  fuzz "$target" "$share" "$ROOFLINE_BUILD/fuzz" || failed=1
done
exit "$failed"
