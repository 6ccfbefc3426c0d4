#!/bin/sh
# The last rung of the gemm ladder against OpenBLAS, BLIS and, in fp32, oneDNN, and the products in bf16 and int8 against oneDNN. The
# former two run twice: with the core type each library picks by itself, and with
# the one for this processor's widest vectors, which a library older than the processor misses. Taken in turn in one process, the
# best window of each round, ROUNDS rounds (5); the ratio is ours / the better library, median over the rounds, the smaller of the two.
# usage: bench/gemm.sh [--seconds S] [--write]
# Measures what RESULTS (build/gemm-results) lacks, for about S seconds (all of it without), and prints a Markdown table of what is
# there, with machine, core types, date and version; --write puts it into bench/results/gemm.md instead.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.sh
build=${ROOFLINE_BUILD:-build/release}
results=${RESULTS:-build/gemm-results}
rounds=${ROUNDS:-5}
shapes=${SHAPES:-'64 64 64;128 128 128;512 512 512;1024 1024 1024;2048 2048 2048;4096 4096 4096;4096 64 4096;64 4096 4096;8 4096 4096;4096 4096 64'}
cores=$(nproc)
threads_list=${THREADS:-$([ "$cores" -gt 1 ] && echo "1 $cores" || echo 1)}
seconds="" write=""
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift ;;
    --write) write=1 ;;
    *) echo "gemm.sh: $1: unknown; usage: bench/gemm.sh [--seconds S] [--write]" >&2; exit 2 ;;
  esac
  shift
done
mkdir -p "$results"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

case $(grep -m 1 '^flags' /proc/cpuinfo) in
  *avx512bw*) openblas_core=SkylakeX blis_core=skx ;;
  *avx2*) openblas_core=Haswell blis_core=haswell ;;
  *) openblas_core='' blis_core='' ;;
esac

# multiplies KERNEL FORMAT [NAME=VALUE ...]: a small product ends well with that environment.
multiplies() {
  kernel=$1 format=$2
  shift 2
  (env "$@" "$build/bench-gemm" 1 1 "$format" 64 64 64 "$kernel") >/dev/null 2>&1
}

libraries=
for library in gemm-blas gemm-blis gemm-onednn; do
  why=$("$build/roofline" run --list --json | jq -r --arg name $library '.kernels[] | select(.name == $name) | .disabled // empty')
  [ -n "$why" ] || multiplies $library fp32 || why='its product fails on this processor'
  if [ -z "$why" ]; then libraries="$libraries $library"; else echo "$library: $why" >&2; fi
done
[ -n "$libraries" ] || { echo 'gemm.sh: no library to compare with' >&2; exit 3; }

# A library may refuse a core type, or trap on it: then it keeps the one that it picks.
refused() { echo "gemm.sh: $1 fails here: left out" >&2; }
[ -z "$openblas_core" ] || multiplies gemm-blas fp32 "OPENBLAS_CORETYPE=$openblas_core" || { refused "OPENBLAS_CORETYPE=$openblas_core"; openblas_core=''; }
[ -z "$blis_core" ] || multiplies gemm-blis fp32 "BLIS_ARCH_TYPE=$blis_core" || { refused "BLIS_ARCH_TYPE=$blis_core"; blis_core=''; }
settings=installed
[ -z "$openblas_core$blis_core" ] || settings='installed tuned'

with() { # SETTING COMMAND ...
  setting=$1
  shift
  if [ "$setting" = tuned ]; then
    env ${openblas_core:+"OPENBLAS_CORETYPE=$openblas_core"} ${blis_core:+"BLIS_ARCH_TYPE=$blis_core"} "$@"
  else
    "$@"
  fi
}

formats='fp64 fp32'
for format in bf16 int8; do
  case $libraries in *gemm-onednn*) ! multiplies gemm-onednn $format || formats="$formats $format" ;; esac
done

cases() { # THREADS DTYPE M N K, a line each
  for threads in $threads_list; do
    for dtype in $formats; do
      echo "$shapes" | tr ';' '\n' | sed "s/^/$threads $dtype /"
    done
  done
}

kernels_of() { # DTYPE: ours, then the libraries that multiply it
  case $1 in
    fp32) echo "gemm-blocked$libraries" ;;
    fp64) echo "gemm-blocked$libraries" | sed 's/ gemm-onednn//' ;;
    *) echo "gemm-$1 gemm-onednn" ;;
  esac
}

settings_of() { # DTYPE: oneDNN has no core type to set
  case $1 in fp*) echo "$settings" ;; *) echo installed ;; esac
}

file_of() { # SETTING THREADS DTYPE M N K
  echo "$results/$(echo "$*" | tr ' ' '-')"
}

measure() { # SETTING THREADS DTYPE M N K
  file=$(file_of "$@")
  [ ! -s "$file" ] || return 0
  [ -z "$seconds" ] || [ $(($(date +%s) - began)) -lt "$seconds" ] || return 0
  pin=
  [ "$2" -gt 1 ] || pin='taskset -c 0'
  setting=$1
  shift
  # shellcheck disable=SC2046,SC2086  # words
  with "$setting" $pin "$build/bench-gemm" "$rounds" "$@" $(kernels_of "$2") >"$scratch/windows"
  mv "$scratch/windows" "$file"
}

# One row; fields of `windows`: setting round kernel rate.
row() { # THREADS DTYPE M N K
  for setting in $(settings_of "$2"); do
    file=$(file_of "$setting" "$@")
    [ -s "$file" ] || return 0
    sed "s/^/$setting /" "$file"
  done >"$scratch/row"
  awk -v settings="$settings" -v ours_is="$(kernels_of "$2" | cut -d ' ' -f 1)" -v threads="$1" -v dtype="$2" -v shape="$3 x $4 x $5" '
    { rate[$1, $2, $3] = $4; rounds = $2; if ($4 > best[$1, $3]) best[$1, $3] = $4 }
    function larger(a, b) { return a > b ? a : b }
    function cell(s, name) { return (s, name) in best ? sprintf("%.1f", best[s, name]) : "" }
    function median(s) {
      for (r = 1; r <= rounds; r++) ratio[r] = rate[s, r, ours_is] / larger(larger(rate[s, r, "gemm-blas"], rate[s, r, "gemm-blis"]), rate[s, r, "gemm-onednn"])
      for (i = 1; i <= rounds; i++) for (j = i + 1; j <= rounds; j++) if (ratio[j] < ratio[i]) { t = ratio[i]; ratio[i] = ratio[j]; ratio[j] = t }
      return ratio[int((rounds + 1) / 2)]
    }
    END {
      for (n = split(settings, setting, " "); n > 0; n--) {
        cells = " " cell(setting[n], "gemm-blas") " | " cell(setting[n], "gemm-blis") " |" cells
        onednn = larger(onednn, cell(setting[n], "gemm-onednn"))
        if (!((setting[n], ours_is) in best)) continue
        ours = larger(ours, best[setting[n], ours_is])
        m = median(setting[n])
        least = least == "" || m < least ? m : least
      }
      printf "| %s | %s | %s | %.1f |%s %s | %.2f |\n", threads, dtype, shape, ours, cells, onednn, least
    }' "$scratch/row"
}

about() { # SETTING
  with "$1" "$build/roofline" run --list --json | jq -r --arg setting "$1" \
    '.kernels[] | select(.name == "gemm-blas" and .library) | "* OpenBLAS, \($setting): \(.library)"'
  BLIS_ARCH_DEBUG=1 with "$1" "$build/bench-gemm" 1 1 fp64 8 8 8 gemm-blis 2>&1 >"$scratch/version" |
    sed -n "s/.*sub-configuration '\(.*\)'.*/* BLIS, $1: core type \1/p"
}

table() {
  for setting in $settings; do about "$setting"; done
  "$build/roofline" run --list --json | jq -r '.kernels[] | select((.name == "gemm-blis" or .name == "gemm-onednn") and .library) | "* \(.library)"'
  echo "* $(processor), $cores cores; $("$build/roofline" --version); $(date -u +%Y-%m-%d)"
  echo
  printf '| threads | format | m x n x k | ours |'
  for setting in $settings; do printf ' OpenBLAS, %s | BLIS, %s |' "$setting" "$setting"; done
  printf ' oneDNN | ours / best |\n|--:|---|---|--:|'
  for setting in $settings; do printf -- '--:|--:|'; done
  echo '--:|--:|'
  cases | while read -r case; do
    # shellcheck disable=SC2086  # words
    row $case
  done
}

began=$(date +%s)
cases | while read -r case; do
  for setting in $(settings_of "$(echo "$case" | cut -d ' ' -f 2)"); do
    # shellcheck disable=SC2086  # words
    measure "$setting" $case
  done
done

table >"$scratch/table"
if [ -n "$write" ]; then
  put_here gemm "$scratch/table" bench/results/gemm.md
else
  cat "$scratch/table"
fi
