#!/bin/sh
# Everything that needs an NVIDIA device, in one call: builds, checks every kernel against its reference, runs compute-sanitizer
# where it is, measures the ceilings, times the ladders beside cuBLASLt, keeps all of it in bench/results/ and prints the table.
# usage: bench/gpu.sh [--quick]          on a machine with a device; without one it says so and ends with 3
#        bench/gpu.sh --table FILE       the table of a result, as Markdown
#        bench/gpu.sh --write DOCUMENT   the newest result's table between the document's `gpu` marks; none: nothing between them
# It ends with 1 when a kernel is wrong or fails, or a sanitizer finds something. Needs jq. ROOFLINE names a program that is built
# already, ROOFLINE_RESULTS another folder for the result.
set -eu
cd "$(dirname "$0")/.."
results=${ROOFLINE_RESULTS:-bench/results}
roofline=${ROOFLINE:-build/release/roofline}

table() { # FILE
  jq -r '
    def share: if . == null then "" else "\(. * 1000 | round / 10) %" end;
    def rate($unit): if . == null then "" elif . >= 1e12 then "\(. / 1e11 | round / 10) T\($unit)" else "\(. / 1e8 | round / 10) G\($unit)" end;
    def ratio($of): if . == null or ($of // 0) == 0 then null else . / $of end;
    def sheet($dtype; $unit): first(.datasheet.peaks[]? | select(.dtype == $dtype and .unit == $unit and (.sparse | not)) | .flops_per_second) // null;
    def memory: [.levels[] | select(.read_bytes_per_second != null)] | last;
    . as $r
    | "* \(.machine.title), driver \(.driver), \(.date)\(if .quick then ", quick" else "" end)",
      "* clock before and after \(.clocks.before) and \(.clocks.after), limits \(.clocks.limit)",
      "* checked against their references: \(.kernels | length) runs of kernels; compute-sanitizer: \(.sanitizer)",
      "", "| ceiling | measured | datasheet | of it | cuBLASLt | of measured |", "|---|---:|---:|---:|---:|---:|",
      (.machine.peaks[] | . as $p | ($r | sheet($p.dtype; $p.unit)) as $sheet
        | (first($r.machine.libraries[]? | select(.dtype == $p.dtype and .flops_per_second != null) | .flops_per_second) // null) as $library
        | "| \(.dtype) \(.unit), \(.isa) | \(.flops_per_second | rate("FLOP/s")) | \($sheet | rate("FLOP/s")) | \(.flops_per_second | ratio($sheet) | share) | \($library | rate("FLOP/s")) | \($library | ratio($p.flops_per_second) | share) |"),
      (.machine | memory as $m | ([$r.datasheet.levels[]? | .bytes_per_second // empty] | last) as $sheet
        | select($m != null) | {read: $m.read_bytes_per_second, write: $m.write_bytes_per_second, copy: $m.copy_bytes_per_second, triad: $m.triad_bytes_per_second}
        | to_entries[] | select(.value != null)
        | "| \($m.name) \(.key) | \(.value | rate("B/s")) | \($sheet | rate("B/s")) | \(.value | ratio($sheet) | share) | | |"),
      (.ladders | to_entries[] | .key as $name | .value as $rungs
        | (first($rungs[] | select(.name | startswith("gemm-cublas")) | .seconds) // null) as $vendor
        | "", "| gemm \($name) | time | rate | of cuBLASLt |", "|---|---:|---:|---:|",
          ($rungs[] | "| `\(.name)` | \(.seconds * 1e8 | round / 1e5) ms | \(([.flops[]] | add) / .seconds | rate("FLOP/s")) | \(if $vendor then $vendor / .seconds else null end | share) |")),
      "", "| kernel | time | memory | of the measured copy |", "|---|---:|---:|---:|",
      ((.machine | memory | .copy_bytes_per_second?) as $copy | .kernels[] | select(([.flops[]] | add) < 100 * ([.bytes[]] | add))
        | "| `\(.name)` | \(.seconds * 1e8 | round / 1e5) ms | \(([.bytes[]] | add) / .seconds | rate("B/s")) | \(([.bytes[]] | add) / .seconds | ratio($copy) | share) |"),
      (.failed[]? | "", "FAILED: \(.what): \(.why)"), (.skipped[]? | "", "Not run: \(.what): \(.why)")' "$1"
}

write() { # DOCUMENT
  newest=$(find "$results" -name 'gpu-*.json' 2>/dev/null | sort | tail -n 1)
  : >"$scratch/table"
  [ -z "$newest" ] || table "$newest" >"$scratch/table"
  awk -v table="$scratch/table" '
    /<!-- gpu -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
    /<!-- end of gpu -->/ { skip = 0 }
    !skip' "$1" >"$scratch/document"
  cat "$scratch/document" >"$1"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
quick=
case ${1:-} in
  --table) table "$2"; exit ;;
  --write) write "$2"; exit ;;
  --quick) quick=--quick ;;
  '') ;;
  *) sed -n '4,6s/^# //p' "$0" >&2; exit 2 ;;
esac

[ -n "${ROOFLINE:-}" ] || { cmake --preset release && cmake --build --preset release; } >"$scratch/build" 2>&1 ||
  { tail -n 20 "$scratch/build" >&2; exit 4; }
why=$("$roofline" run device-copy --backend cuda --quick 2>&1 >/dev/null) || { echo "gpu.sh: nothing measured: ${why#roofline: }" >&2; exit 3; }

XDG_CONFIG_HOME=$scratch
export XDG_CONFIG_HOME
sensors() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
before=$(sensors clocks.sm,clocks.mem,temperature.gpu)
for list in kernels skipped failed; do : >"$scratch/$list"; done

note() { # LIST WHAT: why is the last line of $scratch/why
  jq -cn --arg what "$2" --arg why "$(tail -n 1 "$scratch/why" | sed 's/^roofline: //')" '{what: $what, why: $why}' >>"$scratch/$1"
  [ "$1" = skipped ] || echo "gpu.sh: $2: $(tail -n 1 "$scratch/why")" >&2
}

# shellcheck disable=SC2086  # no word when empty
"$roofline" measure --backend cuda $quick --json >"$scratch/machine.json" 2>"$scratch/why" || {
  note failed measure
  jq -n --arg title "$(sensors name)" '{title: $title, peaks: [], levels: [], libraries: []}' >"$scratch/machine.json"
}

# The catalogue's name of the device: the words of the driver's, fewer and fewer of them ("NVIDIA H100 80GB HBM3": h100).
printf 'null' >"$scratch/datasheet.json"
name=$(jq -r '.title | ascii_downcase | sub("^nvidia "; "") | gsub(" "; "-")' "$scratch/machine.json")
while [ -n "$name" ]; do
  if "$roofline" machine show "$name" --json >"$scratch/found.json" 2>/dev/null; then
    mv "$scratch/found.json" "$scratch/datasheet.json"
    break
  fi
  case $name in *-*) name=${name%-*} ;; *) name= ;; esac
done

# one KERNEL FORMAT [key=value ...]: checked, then timed; what is wrong is noted and stops nothing else.
one() {
  label="$1 $2"
  kernel=$1 format=$2
  shift 2
  code=0
  # shellcheck disable=SC2086
  "$roofline" run "$kernel" "$@" --backend cuda --dtype "$format" $quick --json >"$scratch/one.json" 2>"$scratch/why" || code=$?
  case $code in
    0) jq -c '.kernels[]' "$scratch/one.json" ;;
    3) grep -q 'not written for' "$scratch/why" || note skipped "$label" ;;
    *) note failed "$label" ;;
  esac
}

kernels=$("$roofline" run --list --backend cuda --json | jq -r '.kernels[].name')
rungs=$("$roofline" run --list --backend cuda --json | jq -r '.kernels[] | select(.op == "gemm") | .name' | grep -v cublas)
for kernel in $kernels; do
  for format in fp32 fp64 fp16 bf16 int8; do one "$kernel" $format; done
done >"$scratch/kernels"

# The ladders, the library first and last.
ladder() { # FORMAT SIZE
  for kernel in gemm-cublas $rungs gemm-cublas; do one "$kernel" "$1" "m=$2" "n=$2" "k=$2"; done |
    jq -s --arg name "$1, m = n = k = $2" '{($name): .}'
}
{ ladder fp32 4096; ladder bf16 8192; } | jq -s 'add' >"$scratch/ladders.json"
after=$(sensors clocks.sm,clocks.mem,temperature.gpu)

mkdir -p "$results"
out=$results/gpu-$(date -u +%Y-%m-%d)-$(jq -r '.title | ascii_downcase | gsub("[^a-z0-9]+"; "-")' "$scratch/machine.json").json
keep() { # WHAT THE SANITIZER SAYS
  jq -s --slurpfile machine "$scratch/machine.json" --slurpfile datasheet "$scratch/datasheet.json" \
    --slurpfile ladders "$scratch/ladders.json" --slurpfile skipped "$scratch/skipped" --slurpfile failed "$scratch/failed" \
    --arg date "$(date -u +%Y-%m-%dT%H:%MZ)" --arg driver "$(sensors driver_version)" --arg before "$before" --arg after "$after" \
    --arg limit "$(sensors clocks.max.sm,clocks.max.mem,power.limit)" --arg version "$("$roofline" --version)" \
    --arg quick "$quick" --arg sanitizer "$1" '
    {schema: "roofline.gpu/1", date: $date, roofline: $version, driver: $driver, quick: ($quick != ""),
     clocks: {before: $before, after: $after, limit: $limit}, machine: $machine[0], datasheet: $datasheet[0],
     ladders: $ladders[0], sanitizer: $sanitizer, kernels: ., skipped: $skipped, failed: $failed}' \
    "$scratch/kernels" >"$scratch/result.json"
  mv "$scratch/result.json" "$out"
}
keep 'did not come to its end'

# Small shapes with ragged edges: the tools slow a kernel down a hundredfold. Kept last, for it takes longest.
sanitizer='not installed'
if command -v compute-sanitizer >/dev/null 2>&1; then
  sanitizer=clean
  for tool in memcheck racecheck synccheck; do
    for kernel in $rungs device-copy device-triad; do
      case $kernel in *gemm*) shape='m=264 n=264 k=136' ;; *) shape='n=65536' ;; esac
      for format in fp32 bf16; do
        code=0
        # shellcheck disable=SC2086
        timeout 120 compute-sanitizer --tool $tool --error-exitcode 9 "$roofline" run "$kernel" $shape --backend cuda \
          --dtype $format --quick >"$scratch/why" 2>&1 || code=$?
        [ $code -ne 9 ] || { sanitizer="$tool finds errors in $kernel $format"; tail -n 40 "$scratch/why" >&2; }
        [ $code -ne 124 ] || { sanitizer="$sanitizer; $tool of $kernel $format took too long"; }
      done
    done
  done
fi
keep "$sanitizer"
echo "$out" >&2
table "$out"
case $sanitizer in clean | 'not installed') [ ! -s "$scratch/failed" ] ;; *) false ;; esac
