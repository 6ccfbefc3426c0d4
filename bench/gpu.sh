#!/bin/sh
# Everything that needs an NVIDIA device: tries every kernel that only CUDA has, times the ladders in turns with cuBLASLt, tries those
# kernels at more shapes, measures the ceilings, checks and times every other kernel, counts with ncu, runs compute-sanitizer; keeps all of it in one JSON of
# bench/results/ and prints a page of it, the goals first.
# usage: bench/gpu.sh [--quick] [--seconds N] [PART ...]   parts: smoke ladders shapes ceilings variants kernels counters sanitizer; none named: all
#        bench/gpu.sh --pack FOLDER     what another machine needs that cannot build: there `sh FOLDER/gpu.sh` does the same
#        bench/gpu.sh --table FILE      the table of a result, as Markdown
#        bench/gpu.sh --write DOCUMENT  the newest result's table between the document's `gpu` marks; none: nothing between them
# A call ends within N seconds (450) and keeps its result after each step; the next one adds what is lacking to the newest result of
# the same program and device in ROOFLINE_RESULTS, which is results/ next to the script if not set, or else there.
# Ends with 0, 1 when a kernel is wrong or fails or a sanitizer finds something, 3 where nothing can be measured. Needs jq.
# ROOFLINE names a program that is built already. Clocks and settings of the device are left alone.
# shellcheck disable=SC2013,SC2016,SC2046,SC2086  # programs of jq; lists of words
set -eu
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
results=${ROOFLINE_RESULTS:-$here/results}
began=$(date +%s)
work=$(mktemp -d)
child='' watcher=''
trap 'finish' EXIT

finish() {
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || :
  rm -rf "$work"
}

fail() { # CODE MESSAGE
  echo "gpu.sh: $2" >&2
  exit "$1"
}

# The program, and the libraries that it needs and this system lacks.

build() {
  roofline=$here/../build/release/roofline
  (cd "$here/.." && cmake --preset release && cmake --build --preset release) >"$work/build" 2>&1 || {
    tail -n 20 "$work/build" >&2
    fail 4 "the build fails; where it cannot be built, --pack on another machine makes a folder to bring here"
  }
}

# closure PROGRAM ...: the shared libraries that they load, as the loader finds them
closure() {
  for program; do LD_TRACE_LOADED_OBJECTS=1 "$program"; done
}

# borrow PROGRAM ...: links what the system lacks into $work/lib; all that a program needs where the system's own are too old.
borrow() {
  while :; do
    lacking=$(closure "$@" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u)
    [ -n "$lacking" ] || break
    for library in $lacking; do ln -s "$here/lib/$library" "$work/lib/" 2>/dev/null || fail 3 "$library is missing here and in $here/lib"; done
  done
  for program; do
    "$program" --version >/dev/null 2>&1 || replace "$program"
    "$program" --version >/dev/null 2>"$work/why" || fail 3 "${program##*/} cannot run here: $(head -n 1 "$work/why")"
  done
}

replace() { # PROGRAM
  for library in $(closure "$1" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => .*/\1/p'); do
    [ ! -e "$here/lib/$library" ] || ln -sf "$here/lib/$library" "$work/lib/"
  done
}

# The system's own jq before the packed one, whose libraries may need a newer glibc than roofline does.
programs() {
  mkdir "$work/lib"
  export LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  roofline=${ROOFLINE:-}
  if [ -x "$here/bin/roofline" ]; then
    set -- "$here/bin/roofline"
    command -v jq >/dev/null || { set -- "$@" "$here/bin/jq" && PATH=$PATH:$here/bin; }
    borrow "$@"
    roofline=${roofline:-$here/bin/roofline}
  fi
  command -v jq >/dev/null || fail 3 'jq is not installed'
}

commit() {
  cat "$here/commit" 2>/dev/null || git -C "$here" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown
}

# needed_libraries PROGRAM ...: all but glibc: that of the other machine must be as new as this one's, and fits the kernel there.
needed_libraries() {
  closure "$@" | sed -n 's/.*=> \(\/[^ ]*\) (.*/\1/p' | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so[^/]*$'
}

newest_glibc() { # PROGRAM: that it and its libraries ask for
  cat "$1" $(needed_libraries "$1") | grep -aoE 'GLIBC_2\.[0-9]+' | sort -u -t . -k 2n | tail -n 1 | cut -d _ -f 2
}

pack() { # FOLDER
  [ -n "$1" ] || fail 2 '--pack: name a folder'
  [ ! -e "$1" ] || [ -x "$1/bin/roofline" ] || [ -z "$(ls -A "$1")" ] || fail 2 "--pack $1: is there already"
  [ -n "$roofline" ] || build
  jq=$(command -v jq)
  mkdir -p "$1/bin" "$1/lib"
  cp -L "$here/gpu.sh" "$here/gpu.jq" "$1/"
  cp -L "$roofline" "$jq" "$1/bin/"
  commit >"$1/commit"
  needed_libraries "$roofline" "$jq" | while read -r file; do cp -L "$file" "$1/lib/"; done
  ! command -v strip >/dev/null || strip "$1/bin/roofline" || :
  driver=$(grep -aoE 'NVIDIA driver [0-9]+ or later' "$1/bin/roofline" | head -n 1)
  glibc=$(newest_glibc "$roofline")
  with_jq=$(printf '%s\n' "$glibc" "$(newest_glibc "$jq")" | sort -V | tail -n 1)
  [ "$with_jq" != "$glibc" ] || with_jq=''
  say "$(du -sk "$1" | cut -f 1) KiB in $1; needs $(uname -m), glibc $glibc or later${with_jq:+ ($with_jq where there is no jq)}, ${driver:-a build with nvcc}"
  say "there: sh $(basename "$1")/gpu.sh; then bring its results/ back into $1, so that the next call goes on"
}

# Results as text.

table() { # FILE
  jq -r -L "$here" 'include "gpu"; table' "$1"
}

# What a call says at its end: a page.
report() { # FILE
  jq -r -L "$here" 'include "gpu"; report' "$1"
}

write() { # DOCUMENT
  newest=$(find "$results" -name 'gpu-*.json' ! -name '*-quick*' 2>/dev/null | sort | tail -n 1)
  : >"$work/table"
  [ -z "$newest" ] || table "$newest" >"$work/table"
  (. "$here/lib.sh" && put gpu "$work/table" "$1")
}

# The result as it grows: $work/result.json, and in $out what was kept last.

put() { # FILTER [jq's options ...]: changes the result and keeps it; $answer is what the program said
  filter=$1
  shift
  jq -L "$here" "$@" --slurpfile answer "$work/answer" "include \"gpu\"; ($filter) | .goals = goals" "$work/result.json" >"$work/next.json"
  mv "$work/next.json" "$work/result.json"
  cp "$work/result.json" "$out.new"
  mv "$out.new" "$out"
}

# What was measured, a line each, of earlier calls too: starting jq for every question would take longer than some kernels.
known() { grep -qxF -- "$1" "$work/known"; }

# What did not come to its end, or was wrong: nothing else is tried with it, in later calls neither.
broken() { known "$1 is broken"; }

# Whether a kernel that `measure` looks for variants of is broken, or a variant of it.
varied_broken() {
  names=$(jq -r '[.kernels[] | select(.variants // [] != []) | .name] | join("|")' "$work/list.json")
  [ -n "$names" ] && grep -qE "^($names)( .*)? is broken\$" "$work/known"
}

# What nvidia-smi reports of the device that CUDA takes; nothing where there is none.
gpu="-i ${CUDA_VISIBLE_DEVICES:-0}" gpu=${gpu%%,*}
csv='--format=csv,noheader,nounits'
seen() { # FIELDS
  nvidia-smi $gpu --query-gpu="$1" $csv 2>/dev/null | head -n 1
}

# The order is that of `sensors` in gpu.jq; the last field has two names.
choose_sensors() {
  for reasons in clocks_event_reasons.active clocks_throttle_reasons.active; do
    sensors=timestamp,clocks.sm,clocks.mem,power.draw,temperature.gpu,$reasons
    ! seen $sensors | grep -q ', ' || return 0
  done
}

left() { echo $((limit - $(date +%s) + began)); }

say() { echo "gpu.sh: $(($(date +%s) - began)) s: $1" >&2; }

# run SECONDS COMMAND ...: what it prints is $work/said, the reason why it fails $why, its exit code $code; 99 where the time of
# all was up. A signal ends it at once.
run() {
  most=$1 cut=124
  shift
  [ "$most" -le "$(left)" ] || most=$(left) cut=99
  [ "$most" -gt 0 ] || most=1
  timeout -k 5 "$most" "$@" >"$work/said" 2>"$work/errors" &
  child=$!
  code=0
  wait "$child" || code=$?
  child=''
  echo null >"$work/answer"
  [ $code -ne 0 ] || ! head -c 1 "$work/said" | grep -q '{' || cp "$work/said" "$work/answer"
  why=$(sed -n 's/^roofline: //p' "$work/errors" | tail -n 1)
  case $code in
    124 | 137) code=$cut why="took longer than $most s" ;;
    129 | 13? | 14? | 15?) why="ended by signal $((code - 128))" ;;
    *) why=${why:-ended with code $code: $(tail -n 1 "$work/errors")} ;;
  esac
  return $code
}

stopped() { # by a signal: what there is stays
  trap '' TERM INT HUP
  [ -z "$child" ] || kill "$child" 2>/dev/null || :
  end_part interrupted
  say "interrupted; $out holds what was measured"
  exit 143
}

begin_part() { # NAME
  part=$1 part_began=$(date +%s)
  : >"$work/sensors"
  put '.parts[$part] = {state: "did not come to its end", seconds: null, sensors: null} | .failed |= map(select(.part != $part or .broken))' --arg part "$part"
}

end_part() { # STATE
  [ -n "$part" ] || return 0
  put '.parts[$part] = {state: $state, seconds: ($seconds + ($old[$part].seconds // 0)), sensors: ($seen | sensors)} | .sensors.after = $after' \
    --arg part "$part" --arg state "$1" --argjson seconds "$(($(date +%s) - part_began))" --rawfile seen "$work/sensors" \
    --argjson old "$parts" --arg after "$(seen "$sensors")"
  say "$part: $1"
  part=''
}

# enough SECONDS: ends the part where less is left
enough() {
  [ "$(left)" -ge "$1" ] || {
    end_part 'the time was up'
    return 1
  }
}

note() { # failed|skipped WHAT WHY [KERNEL]: that is broken
  put '.[$kind] |= map(select(.what != $what)) + [{what: $what, part: $part, why: $why} + if $kernel != "" then {kernel: $kernel, broken: true} else {} end]' \
    --arg kind "$1" --arg what "$2" --arg part "$part" --arg why "${3#"$2: "}" --arg kernel "${4:-}"
  [ -z "${4:-}" ] || echo "$4 is broken" >>"$work/known"
  say "$2: $1: ${3#"$2: "}"
}

failed() { # WHAT [KERNEL]: one that this device cannot run is skipped, that was interrupted is left, that took too long is broken
  case $code in
    99) ;;
    3) note skipped "$1" "$why" ;;
    124) note failed "$1" "$why" "${2:-}" ;;
    *) note failed "$1" "$why" ;;
  esac
}

# The parts.

# Shapes that end at once on any device, of many tiles a block first; then of edges everywhere, of parts along k, and less than one tile.
smoke_shapes() { # OPERATION FORMAT
  case $1-$2 in
    gemm-fp8) printf '%s\n' 'm=2056 n=4104 k=144' 'm=264 n=264 k=272' 'm=40 n=264 k=4112' 'm=200 n=264 k=2064' 'm=8 n=8 k=16' ;;
    gemm-*) printf '%s\n' 'm=2056 n=4104 k=136' 'm=264 n=264 k=4104' 'm=8 n=8 k=8' ;;
    attention-*)
      printf 'batch=1 heads=%s head_dim=%s\n' '40 q_len=900 kv_len=371' 128 '2 kv_heads=1 q_len=264 kv_len=264' 128 '4 q_len=1000 kv_len=1416 causal=1' 64 \
        '1 q_len=8 kv_len=8' 128 '40 kv_heads=10 q_len=1000 kv_len=1056 causal=1' 128 '8 kv_heads=1 q_len=1 kv_len=4097' 128
      ;;
  esac
}

# smoke_one NAME KERNEL FORMAT SHAPE: ends with 1 where the time is up
smoke_one() {
  if broken "$1" || known "$1 $4"; then return 0; fi
  enough 5 || return 1
  state=right
  ROOFLINE_CUDA_BOUNDED=1 run 15 "$roofline" run "$2" $4 --backend cuda --dtype "$3" --quick --interval 50 --json </dev/null || state=$why
  [ $code -ne 99 ] || enough 5 || return 1
  [ $code -ne 3 ] || state="not run: $why"
  broken=false
  case $code-$why in 4-* | 124-* | 1[345]?-* | *CUDA_ERROR*) broken=true ;; esac
  [ $code -ne 0 ] || broken=false
  put '.smoke += [{kernel: $kernel, shape: $shape, state: $state, broken: $broken}]' \
    --arg kernel "$1" --arg shape "$4" --arg state "$state" --argjson broken $broken
  echo "$1 $4" >>"$work/known"
  [ $broken = false ] || echo "$1 is broken" >>"$work/known"
  say "$1 $4: $state"
}

# smoke_variants KERNEL FORMAT SHAPE: `run` takes each from the file of a machine that has it
smoke_variants() {
  jq -r --arg kernel "$1" '.kernels[] | select(.name == $kernel) | .variants[]?' "$work/list.json" >"$work/names"
  kept=$XDG_CONFIG_HOME
  while read -r variant; do
    export XDG_CONFIG_HOME="$work/variant"
    mkdir -p "$work/variant/roofline/machines"
    jq -n --arg kernel "$1" --arg dtype "$2" --arg shape "$3" --arg variant "$variant" '{schema: "roofline.machine/1", name: "host-gpu0",
      blocks: [{dtype: $dtype, kernel: $kernel, variant: $variant, depth: 1, width: 1, height: 1, parameters: $shape}]}' >"$work/variant/roofline/machines/host-gpu0.json"
    smoke_one "$1 $variant" "$1" "$2" "$3" || return 1
    export XDG_CONFIG_HOME="$kept"
  done <"$work/names"
}

# begin_smoke NAME: the kernels that only CUDA has are $own
begin_smoke() {
  begin_part "$1"
  own=$(awk '$4 == "-" { print $1 }' "$work/list" | grep -v '^device-')
}

# shapes_of KERNEL: $work/shapes, $op and $format
shapes_of() {
  op=$(of_kernel "$1" 2) format=$(of_kernel "$1" 5)
  [ "$op" != attention ] || format=bf16
  smoke_shapes "$op" "$format" >"$work/shapes"
}

# Every kernel that only CUDA has at one shape, before anything takes long, for a start of CUDA may take seconds: a wait for another
# thread ends with a fault after two.
smoke() {
  begin_smoke smoke
  for kernel in $own; do
    shapes_of "$kernel"
    shape=$(head -n 1 "$work/shapes")
    [ -z "$shape" ] || smoke_one "$kernel" "$kernel" "$format" "$shape" || return 0
  done
  end_part complete
}

# Their other shapes, variants and formats. Where one of these goes wrong, what was timed before is doubtful.
shapes() {
  begin_smoke shapes
  for kernel in $own; do
    shapes_of "$kernel"
    while read -r shape; do
      smoke_one "$kernel" "$kernel" "$format" "$shape" || return 0
      broken "$kernel" || smoke_variants "$kernel" "$format" "$shape" || { restore && return 0; }
    done <"$work/shapes"
    [ "$op" = attention ] || continue
    while read -r shape; do # programs of their own
      broken "$kernel" || smoke_one "$kernel fp16" "$kernel" fp16 "$shape" || return 0
    done <"$work/shapes"
  done
  end_part complete
}

# The catalogue's machine for the device: the words of the driver's name, fewer and fewer of them ("NVIDIA H100 80GB HBM3": h100).
datasheet() {
  sheet=$(jq -r '.device.name | ascii_downcase | sub("^nvidia "; "") | gsub(" "; "-")' "$work/result.json")
  while [ -n "$sheet" ]; do
    ! "$roofline" machine show "$sheet" --json >"$work/datasheet.json" 2>/dev/null || break
    case $sheet in *-*) sheet=${sheet%-*} ;; *) sheet='' ;; esac
  done
  [ -n "$sheet" ] || echo null >"$work/datasheet.json"
  put '.datasheet = $datasheet[0]' --slurpfile datasheet "$work/datasheet.json"
}

ceilings() {
  ! known ceilings || return 0
  begin_part ceilings
  plain=$quick
  ! varied_broken || plain=--quick # which tries no variants
  ! broken "measure$plain" || { end_part 'failed: took too long before' && return 0; }
  enough "$least" || return 0
  if run 240 "$roofline" measure --backend cuda $plain --json; then
    put '.machine = $answer[0]'
    restore_machine
    end_part complete
  else
    # It writes what it has after each part; where the time was up the next call measures all of them.
    saved=$work/config/roofline/machines/host-gpu0.json
    [ ! -s "$saved" ] || put '.machine = $machine[0]' --slurpfile machine "$saved"
    failed measure "measure$plain"
    enough 5 && end_part "failed: $why"
  fi
}

restore_machine() { jq .machine "$work/result.json" >"$work/config/roofline/machines/host-gpu0.json"; }

# What was measured in an earlier call, for the shares of this one.
restore() {
  mkdir -p "$work/config/roofline/machines"
  export XDG_CONFIG_HOME="$work/config"
  ! known ceilings || restore_machine
}

# Kernels by the variants that the ceilings found to be faster at a shape, in turns with the library: `run` takes them from the machine's file.
variants() {
  begin_part variants
  jq -r '.machine.blocks[]? | select(.variant != null) | [.kernel, .dtype, .variant, .parameters] | @tsv' "$work/result.json" >"$work/found"
  while IFS='	' read -r kernel format variant shape; do
    name="$kernel $variant, $shape"
    if broken "$kernel" || broken "$kernel $variant" || known "$name"; then continue; fi
    enough 15 || return 0
    library=$(select_kernels gemm "$format" library | head -n 1)
    if run 60 "$roofline" run "$kernel" $shape --backend cuda --dtype "$format" --interval 0.1 $quick --json ${library:+--baseline "$library"} </dev/null; then
      put '.variants += [$answer[0].kernels[0] + {kernel: $kernel, dtype: $dtype, variant: $variant, shape: $shape}]' \
        --arg kernel "$kernel" --arg dtype "$format" --arg variant "$variant" --arg shape "$shape"
      say "$name"
    else
      failed "$name" "$kernel $variant"
    fi
  done <"$work/found"
  end_part complete
}

# The kernels, a line each: name, operation, rung, library or -, formats.
list() {
  "$roofline" run --list --backend cuda --json >"$work/list.json"
  jq -r '.kernels[] | select(.disabled == null) | "\(.name) \(.op) \(.rung) \(.library // "-" | gsub(" "; "_")) \(.dtypes | join(" "))"' "$work/list.json" >"$work/list"
}

select_kernels() { # OPERATION|'' FORMAT LIBRARY: names, not of broken ones; LIBRARY is - for our own
  sed -n 's/ is broken$//p' "$work/known" | cat - "$work/list" | awk -v op="$1" -v dtype="$2" -v own="$3" '
    NF < 3 { broken[$0] }
    NF > 2 && !($1 in broken) && !($1 " " dtype in broken) && (op == "" || $2 == op) && (own == "-") == ($4 == "-") { for (i = 5; i <= NF; i++) if ($i == dtype) print $3, $1 }' | sort -srn |
    cut -d ' ' -f 2
}

of_kernel() { awk -v name="$1" -v field="$2" '$1 == name { print $field }' "$work/list"; } # NAME FIELD

# rung KERNEL FORMAT SIZE ROWS: in turns with the library; alone where the two together fail, but not where they take too long. Many
# turns: the clock of a chip that begins to work hard settles in tenths of a second.
rung() {
  set -- run "$1" "m=$4" "n=$3" "k=$3" --backend cuda --dtype "$2" --interval 0.1 $quick --json
  together=''
  if [ -n "$library" ]; then
    run 45 "$roofline" "$@" --baseline "$library" && return 0
    [ $code -ne 99 ] && [ $code -ne 124 ] || return $code
    together=$why
  fi
  run 45 "$roofline" "$@"
}

ladder() { # FORMAT SIZE [N [ROWS]]: the last rung first, or only the last N: they are what is asked for
  name="$1, m = n = k = $2"
  [ -z "${4:-}" ] || name="$1, m = $4, n = k = $2"
  library=$(select_kernels gemm "$1" library | head -n 1)
  for kernel in $(select_kernels gemm "$1" - | head -n "${3:-99}"); do
    ! known "$kernel $name" || continue
    enough 5 || return 1
    if rung "$kernel" "$1" "$2" "${4:-$2}"; then
      put '.ladders[$name] += [$answer[0].kernels[0] + {kernel: $kernel, rung: $rung}] | .ladders[$name] |= sort_by(.rung)' \
        --arg name "$name" --arg kernel "$kernel" --argjson rung "$(of_kernel "$kernel" 3)"
      say "$kernel $name"
      [ -z "$together" ] || note skipped "$library as baseline of $kernel, $name" "$together"
    else
      failed "$kernel $name" "$kernel"
    fi
    echo "$kernel $name" >>"$work/known"
  done
}

# What the best rung and the library do when both have worked for three seconds: the clock of its first tenths is higher.
sustained() {
  kernel=$(jq -r -L "$here" --arg name "bf16, m = n = k = $large" 'include "gpu"; best_rung($name).kernel // empty' "$work/result.json")
  if [ -z "$kernel" ] || broken "$kernel" || known "$kernel, sustained"; then return 0; fi
  enough 15 || return 1
  library=$(select_kernels gemm bf16 library | head -n 1)
  if run 60 "$roofline" run "$kernel" "m=$large" "n=$large" "k=$large" --backend cuda --dtype bf16 --sustain 3s --interval 0.1 $quick --json \
    ${library:+--baseline "$library"}; then
    put '.sustained = $answer[0].kernels[0] + {kernel: $kernel}' --arg kernel "$kernel"
    say "$kernel, sustained"
  else
    failed "$kernel, sustained" "$kernel"
  fi
}

# seal_one OF OPERATION FORMAT SHAPE: what the result keeps it under, what `predict` takes
seal_one() {
  run 15 "$roofline" predict "$2" $4 --dtype "$3" --machine "$sheet" --seal --ledger "${out%.json}.ledger" --json </dev/null ||
    { note skipped "prediction of $1" "$why" && return 0; }
  put '.sealed += [$answer[0] | {of: $of, "label": .label, machine, seconds: .seconds.expected}]' --arg of "$1"
}

# What the catalogue expects of the goals, before any is measured: the ledger lies next to the result, for `record` and `reconcile`.
seal() {
  if known sealed || [ "$(jq '.ladders == {}' "$work/result.json")" = false ]; then return 0; fi
  [ -n "$sheet" ] || { note skipped sealed "the catalogue has no machine for $device" && return 0; }
  for goal in "bf16 $large" "bf16 $small" "fp32 $small" "fp8 $large"; do
    size=${goal#* }
    seal_one "${goal% *}, m = n = k = $size" gemm "${goal% *}" "m=$size n=$size k=$size"
  done
  kernel=$(select_kernels attention bf16 - | head -n 1)
  shape=$(jq -r --arg of "${quick:+quick_}sizes" --arg kernel "$kernel" '.kernels[] | select(.name == $kernel) | .[$of]' "$work/list.json")
  [ -z "$shape" ] || seal_one "$kernel bf16" attention bf16 "$shape"
}

# The last rungs before all others, then attention: the goals.
ladders() {
  begin_part ladders
  seal
  { ladder bf16 "$large" 2 && ladder bf16 "$small" 2 && ladder fp32 "$small" 1 && ladder fp8 "$large" 1 && sustained && ladder fp8 "$large" 1 "$few"; } || return 0
  for kernel in $(select_kernels attention bf16 - | head -n 1); do
    enough 5 || return 0
    known "$kernel bf16" || kernels_of 60 bf16 "$kernel"
  done
  { ladder bf16 "$large" && ladder fp32 "$small" && ladder fp8 "$large"; } || return 0
  end_part complete
}

# Kernels of one operation and format in one process; each in its own where that fails, for a short time where one of them hangs.
kernels_of() { # SECONDS FORMAT KERNEL ...
  longest=$1 format=$2
  shift 2
  if run "$longest" "$roofline" run "$@" --backend cuda --dtype "$format" $quick --json; then
    put '.kernels += [$answer[0].kernels | to_entries[] | .value + {kernel: ($names | split(" "))[.key], dtype: $dtype}]' \
      --arg names "$*" --arg dtype "$format"
    for kernel; do echo "$kernel $format" >>"$work/known"; done
    say "$* $format"
  elif [ $# -eq 1 ]; then
    failed "$1 $format" "$1"
  else
    [ $code -ne 124 ] || longest=30
    for kernel; do
      [ "$(left)" -lt 5 ] || kernels_of "$longest" "$format" "$kernel"
    done
  fi
}

# Not those of the ladders, which were checked there.
kernels() {
  begin_part kernels
  for format in fp32 bf16 $(cut -d ' ' -f 5- "$work/list" | tr ' ' '\n' | sort -u | grep -vxE 'fp32|bf16'); do
    for op in softmax rmsnorm $(cut -d ' ' -f 2 "$work/list" | sort -u | grep -vxE 'softmax|rmsnorm'); do
      case $op-$format in gemm-fp32 | gemm-bf16 | gemm-fp8) continue ;; esac
      names=''
      for kernel in $(select_kernels "$op" "$format" -; select_kernels "$op" "$format" library); do
        known "$kernel $format" || names="$names $kernel"
      done
      [ -n "$names" ] || continue
      enough 5 || return 0
      kernels_of 120 "$format" $names
    done
  done
  end_part complete
}

# All that ncu knows of one launch, after the one that is checked: a report next to the result, for tuning.
profile() { # KERNEL FORMAT
  grep -q "^$1 " "$work/list" || return 0
  if broken "$1" || known "$1, profiled"; then return 0; fi
  enough 5 || return 1
  set -- "$1" "$2" "${out%.json}-$1" "$(case $1 in gemm-*) echo "m=$small n=$small k=$small" ;; esac)"
  run 60 ncu --set full --clock-control none --launch-skip 1 --launch-count 1 --force-overwrite -o "$3" \
    "$roofline" run "$1" $4 --backend cuda --dtype "$2" --quick --interval 50 || :
  [ ! -e "$3.ncu-rep" ] || [ "$(du -k "$3.ncu-rep" | cut -f 1)" -le 16384 ] || rm "$3.ncu-rep"
  if [ -e "$3.ncu-rep" ]; then
    put '.profiles += [{kernel: $kernel, file: $file}]' --arg kernel "$1" --arg file "$(basename "$3.ncu-rep")"
    say "$1, profiled"
  else
    [ $code -eq 99 ] || note skipped "$1, profiled" "$why"
  fi
}

# One format of each kernel, at small sizes. Three failures one after the other: it does not work here at all.
counters() {
  begin_part counters
  command -v ncu >/dev/null || { end_part 'not run: no ncu' && return 0; }
  { profile gemm-cluster bf16 && profile gemm-tma fp32 && profile gemm-fp8-cluster fp8 && profile attention-flash-wgmma bf16; } || return 0
  row=0
  for kernel in $(cut -d ' ' -f 1 "$work/list"); do
    if broken "$kernel" || known "$kernel, counted"; then continue; fi
    enough 5 || return 0
    format=$(of_kernel "$kernel" 5)
    ! select_kernels '' fp32 - | grep -qxF "$kernel" || format=fp32
    if run 60 "$roofline" run "$kernel" --backend cuda --dtype "$format" --quick --interval 50 --counters --json; then
      put '.counters += [$answer[0].kernels[0] | {kernel: $kernel, name, flops, bytes, counters}]' --arg kernel "$kernel"
      row=0
      say "$kernel, counted"
    else
      row=$((row + 1))
      failed "$kernel, counted"
      [ $row -lt 3 ] || { end_part "not run: $why" && return 0; }
    fi
  done
  end_part complete
}

# A shape that a tool which is a thousand times as slow can take.
small_shape() { # OPERATION
  case $1 in
    gemm) echo 'm=264 n=264 k=144' ;;
    attention) echo 'batch=1 heads=2 q_len=256 kv_len=256 head_dim=128' ;;
    linear) echo 'batch=136 in=136 out=136' ;;
    gemv) echo 'm=256 n=1024' ;;
    softmax | rmsnorm | layernorm | transpose) echo 'rows=64 cols=1024' ;;
    copy | scale | add | triad | reduce) echo 'n=65536' ;;
  esac
}

# sanitize TOOL KERNEL: its own --error-exitcode separates its findings from failures of the program. memcheck and racecheck decide;
# what synccheck says of barriers that count bytes is reported only. Three failures one after the other: it does not work here at all.
sanitize() {
  what="$1 of $2" tool=$1 kernel=$2 state=clean
  if broken "$kernel" || known "$what"; then return 0; fi
  enough 5 || return 1
  format=$(of_kernel "$kernel" 5)
  ! select_kernels '' fp32 - | grep -qxF "$kernel" || format=fp32
  api=''
  [ "$tool" != memcheck ] || api='--report-api-errors no' # of the driver: the program itself says those that matter
  run 60 compute-sanitizer --tool "$tool" $api --error-exitcode 9 "$roofline" run "$kernel" $(small_shape "$(of_kernel "$kernel" 2)") --backend cuda \
    --dtype "$format" --quick --interval 50 ||
    case $code in
      9) state=errors ;;
      99) enough 5 || return 1 ;;
      *) state="failed: $why" ;;
    esac
  case $state in failed*) row=$((row + 1)) ;; *) row=0 ;; esac
  put '.sanitizer += [{tool: $tool, what: $kernel, state: $state, decides: ($tool != "synccheck"), output: ($output | split("\n")[-60:] | join("\n"))}]' \
    --arg tool "$tool" --arg kernel "$kernel" --arg state "$state" --rawfile output "$work/said"
  say "$what: $state"
  [ $row -lt 3 ] || { end_part "not run: ${state#failed: }" && return 1; }
}

# One process a kernel, so that each finding has a name; first those that only CUDA has.
sanitizer() {
  begin_part sanitizer
  command -v compute-sanitizer >/dev/null || { end_part 'not run: no compute-sanitizer' && return 0; }
  own=$(awk '$4 == "-" { print $1 }' "$work/list") row=0
  for group in -v -e; do
    for tool in memcheck racecheck synccheck; do
      for kernel in $(echo "$own" | grep $group '^device-'); do
        sanitize $tool "$kernel" || return 0
      done
    done
  done
  end_part complete
}

# Tools that are installed but not on the PATH.
find_tools() {
  for folder in /usr/local/nvidia/bin /usr/local/cuda/bin /usr/local/cuda-*/bin /usr/local/cuda/compute-sanitizer /opt/nvidia/nsight-compute/*; do
    [ ! -d "$folder" ] || PATH=$PATH:$folder
  done
  for folder in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib /run/opengl-driver/lib; do # the driver, where it is mounted
    [ ! -d "$folder" ] || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder
  done
}

has_library() { list && [ -n "$(select_kernels gemm bf16 library)" ]; }

# cuBLASLt where the loader does not look: CUDA's own folders, Python's packages. With it the libraries in the same folder, if it
# needs them.
find_library() {
  ! has_library || return 0
  packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null || :)
  for library in "${CUDA_HOME:-/usr/local/cuda}"/lib64/libcublasLt.so.1[23] /usr/local/cuda-*/lib64/libcublasLt.so.1[23] \
    "$packages"/nvidia/*/lib/libcublasLt.so.1[23] /opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib/libcublasLt.so.1[23]; do
    [ -e "$library" ] || continue
    ln -sf "$library" "$work/lib/"
    has_library || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:${library%/*}
    ! has_library || { say "cuBLASLt: $library" && return 0; }
  done
  say 'no cuBLASLt: no shares of it'
}

# CUDA's own copy of a newer driver's library, for a driver that is too old.
newer_driver() {
  for folder in /usr/local/cuda/compat /usr/local/cuda-*/compat; do
    [ -e "$folder/libcuda.so.1" ] || continue
    LD_LIBRARY_PATH=$folder:$LD_LIBRARY_PATH
    return 0
  done
  return 1
}

# The result that goes on: the newest of this device and program, of whatever day; nothing where one begins.
earlier() {
  find "$results" "$here/results" -name 'gpu-*.json' 2>/dev/null | sed 's|\(.*\)/|\1 |' | sort -k 2 -r | while read -r folder file; do
    jq -e --arg device "$device" --arg commit "$(commit)" --arg quick "$quick" \
      '.schema == "roofline.gpu/3" and .device.name == $device and .commit == $commit and .quick == ($quick != "")' "$folder/$file" >/dev/null || continue
    echo "$folder/$file"
    break
  done
}

open_result() {
  device=$(jq -r '.kernels[0].note | split("; ") | last' "$work/answer")
  mkdir -p "$results" 2>/dev/null && [ -w "$results" ] || fail 3 "$results cannot be written: ROOFLINE_RESULTS names another folder"
  before=$(earlier)
  out=$results/${before##*/}
  if [ -z "$before" ]; then
    out=$results/gpu-$(date -u +%Y-%m-%d)-$(printf %s "$device" | tr '[:upper:]' '[:lower:]' | tr -cs '[:alnum:]' '-')${quick:+-quick}.json
    [ ! -e "$out" ] || out=${out%.json}-$(commit).json
  elif [ "$before" != "$out" ]; then
    cp "$before" "$out"
    [ ! -e "${before%.json}.ledger" ] || cp "${before%.json}.ledger" "$results/"
  fi
  if [ -e "$out" ]; then
    cp "$out" "$work/result.json"
  else
    jq -n --arg date "$(date -u +%Y-%m-%dT%H:%MZ)" --arg version "$("$roofline" --version)" --arg commit "$(commit)" --arg device "$device" \
      --arg driver "$(seen driver_version)" --arg ecc "$(seen ecc.mode.current)" --arg limit "$(seen clocks.max.sm,clocks.max.mem,power.limit)" \
      --arg before "$(seen "$sensors")" --arg quick "$quick" '
      {schema: "roofline.gpu/3", date: $date, roofline: $version, commit: $commit, quick: ($quick != ""),
       device: {name: $device, driver: $driver, ecc: $ecc, limits: $limit}, sensors: {before: $before, after: null},
       parts: ([{key: ("smoke", "ladders", "shapes", "ceilings", "variants", "kernels", "counters", "sanitizer"), value: {state: "not begun", seconds: null, sensors: null}}] | from_entries),
       goals: [], sealed: [], smoke: [], machine: null, datasheet: null, ladders: {}, sustained: null, variants: [], kernels: [], profiles: [], counters: [], sanitizer: [], skipped: [], failed: []}' >"$work/result.json"
  fi
  parts=$(jq -c .parts "$work/result.json")
  jq -r '(select(.machine != null and (.parts.ceilings.state | . == "complete" or startswith("failed"))) | "ceilings"), (select(.sealed != []) | "sealed"), (.smoke[] | "\(.kernel) \(.shape)"), (.smoke[], .failed[] | select(.broken) | "\(.kernel) is broken"), (.profiles[] | "\(.kernel), profiled"), (.ladders | to_entries[] | .key as $name | .value[] | "\(.kernel) \($name)"), (.sustained | select(. != null) | "\(.kernel), sustained"),
    (.variants[]? | "\(.kernel) \(.variant), \(.shape)"),
    (.kernels[] | "\(.kernel) \(.dtype)"), (.skipped[].what), (.counters[] | "\(.kernel), counted"), (.sanitizer[] | "\(.tool) of \(.what)")' \
    "$work/result.json" >"$work/known"
}

programs
quick='' limit=450 wanted='' large=8192 small=4096 few=128 least=130
while [ $# -gt 0 ]; do
  case $1 in
    --table) table "$2" && exit ;;
    --write) write "$2" && exit ;;
    --pack) pack "${2:-}" && exit ;;
    --quick) quick=--quick large=512 small=256 few=64 least=10 ;;
    --seconds)
      limit=$(printf %s "${2:-}" | grep -xE '[1-9][0-9]{0,5}') || fail 2 "--seconds ${2:-}: must be a whole number"
      shift
      ;;
    smoke | ladders | shapes | ceilings | variants | kernels | counters | sanitizer) wanted="$wanted $1" ;;
    *)
      sed -n '5,8s/^# //p' "$0" >&2
      exit 2
      ;;
  esac
  shift
done

[ -n "$roofline" ] || build
: >"$work/known"
find_tools
choose_sensors
export CUDA_DEVICE_ORDER=PCI_BUS_ID TMPDIR="$work"
first='run device-copy --backend cuda --quick --json'
run 60 "$roofline" $first || { refused=$why && newer_driver && run 60 "$roofline" $first; } || fail 3 "nothing measured: $refused"
part=''
find_library
open_result
trap stopped TERM INT HUP
restore
datasheet
: >"$work/sensors"
nvidia-smi $gpu --query-gpu=$sensors $csv -lms 1000 >>"$work/sensors" 2>/dev/null & # keeps the driver loaded between the processes, too
watcher=$!
for part in ${wanted:-smoke ladders shapes ceilings variants kernels counters sanitizer}; do
  "$part"
done
say "$out"
report "$out"
! jq -e 'any(.parts[]; .state | . == "the time was up" or . == "interrupted")' "$out" >/dev/null ||
  say 'not all of it: call again, it goes on where it ended'
jq -e -L "$here" 'include "gpu"; wrong == []' "$out" >/dev/null
