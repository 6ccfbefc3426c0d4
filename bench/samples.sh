#!/bin/sh
# What `import` and `model` make of real files: how many of each kind are recognised, read, and agree with tests/oracle, which finds
# calls, seconds, FLOPs and bytes in another way; how much of the time could be judged. Usage: samples.sh [--write], which puts the
# table into bench/results/samples.md.
set -eu
cd "$(dirname "$0")/.."
roofline=${ROOFLINE:-${ROOFLINE_BUILD:-build/release}/roofline}
samples=${SAMPLES:-../shared/profiler-samples}
if [ ! -d "$samples" ]; then
  echo "samples: skipped: no files in $samples; SAMPLES=FOLDER says where they are" >&2
  exit 3
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

refuse() { # FILE: a row of why it is not read
  echo "| $(basename "$1") | $(sed "s|^roofline: ||; s|\`*$1\`*[:0-9]*: ||; s/|/\\\\|/g" "$scratch/why" | head -1) |" >>"$scratch/refused"
}

profile() { # FILE FORMAT: recognised read checked agrees, each 0 or 1
  code=0
  "$roofline" import "$1" --json >"$scratch/answer" 2>"$scratch/why" || code=$?
  if [ "$code" -ne 0 ]; then
    grep -q 'none of the formats' "$scratch/why" && echo 0 0 0 0 || echo 1 0 0 0
    refuse "$1"
    return
  fi
  code=0
  sh tests/oracle/agree.sh "$scratch/answer" "$1" "$2" >&2 || code=$?
  case $code in 0) echo 1 1 1 1 ;; 1) echo 1 1 1 0 ;; *) echo 1 1 0 0 ;; esac
}

model() { # FILE
  code=0
  "$roofline" model "$1" --machine h100 --json >"$scratch/answer" 2>"$scratch/why" || code=$?
  [ "$code" -eq 0 ] && echo 1 1 0 0 && return
  grep -q 'unknown' "$scratch/why" && echo 0 0 0 0 || echo 1 0 0 0
  refuse "$1"
}

: >"$scratch/refused"
for folder in "$samples"/*/; do
  kind=$(basename "$folder")
  for file in "$folder"*; do
    case $kind in
    gguf | onnx | safetensors | hf-config) model "$file" ;;
    *) profile "$file" "$kind" ;;
    esac
  done | awk -v kind="$kind" '{ files++; for (i = 1; i <= 4; i++) sum[i] += $i }
    END { printf "| %s | %d | %d | %d | %s |\n", kind, files, sum[1], sum[2], (sum[3] > 0 ? sum[4] " of " sum[3] : "-") }'
done >"$scratch/rows"
{
  printf '# Real files\n\nWritten by `bench/samples.sh --write`: files that others published, of which none was made for this project. *Agree*: kernels, calls, seconds, FLOPs and bytes\nare those that a script of tests/oracle finds in another way; a dash: no script knows the format.\n\n'
  printf '| kind | files | recognised | read | agree |\n|---|---:|---:|---:|---:|\n'
  cat "$scratch/rows"
  printf '\n## Refused, and why\n\n| file | why |\n|---|---|\n'
  cat "$scratch/refused"
  printf '\nRoofline %s, %s.\n' "$("$roofline" --version | cut -d' ' -f2)" "$(date -u +%F)"
} >"$scratch/page"
if [ "${1:-}" = --write ]; then
  cp "$scratch/page" bench/results/samples.md
else
  cat "$scratch/page"
fi
