#!/bin/sh
# Rows of commands.txt with failing allocations.    run.sh TRIES [NAME ...]: at most TRIES of each row, 0: every one; no name: all rows
set -eu
here=$(dirname "$(realpath "$0")")
S=$(realpath "$here/../fixtures")
shim=$ROOFLINE_BUILD/tests/libtest-failing.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tries=$1
shift
names=$*

# The clock of the day stands still here too.
roofline() { LD_PRELOAD=$shim "$ROOFLINE" "$@"; }

export HOME=$folder/home XDG_CONFIG_HOME=$folder/home LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=100
unset ROOFLINE_PATH
# Entries name a commit: asking for it takes memory too.
export GIT_DIR=$folder/commit
git init -q --bare "$GIT_DIR" 2>/dev/null && git -c user.name=n -c user.email=e commit-tree -m m "$(git mktree </dev/null)" |
  xargs git update-ref HEAD || unset GIT_DIR
mkdir "$folder/before"
cd "$folder/before"
cat >own.ops <<'END'
op twice
param n
flops = 2 * n
bytes = n * (a + o)
END
cat >list.txt <<'END'
first: gemm m=1 n=8192 k=8192 --machine h100 --dtype fp16
second: add n=1Mi --machine a100 --dtype fp32
END
cat >results.json <<'END'
{"schema": "roofline.measurements/1", "source": "the test", "format": "fake", "machine": "box", "kernels": [
 {"name": "k", "calls": 1, "seconds": 1e-3, "ceiling_seconds": 8e-4, "fraction_of_ceiling": 0.8,
  "samples": [1e-3, 1.1e-3, 0.9e-3], "flops": {"fp32": 1e9}, "bytes": {"DRAM": 1e8}}], "skipped": []}
END
roofline machine show h100 --json >h.json
roofline predict gemm m=64 n=8192 k=8192 --machine h100 --dtype fp16 --json >prediction.json
{
  roofline predict gemm m=8192 n=8192 k=8192 --machine h100 --dtype fp16 --seal --label k --ledger base.ledger
  roofline predict add n=64Mi --machine h100 --seal --label add --ledger base.ledger
  roofline record k seconds=2ms --ledger base.ledger
  roofline ledger keygen roofline.key
} >/dev/null

code=0
sed '/^#/d' "$here/commands.txt" | {
  while IFS= read -r line; do
    name=${line%%:*}
    unset TORTURE_STEPS
    case $name in *+) export TORTURE_STEPS=1 ;; esac
    name=${name%+}
    case " $names " in *" $name "* | '  ') ;; *) continue ;; esac
    printf '%s: ' "$name"
    eval "set -- \"\$ROOFLINE\" ${line#*:}"
    "${TORTURE:-$ROOFLINE_BUILD/tests/torture}" "$shim" "$folder" "$tries" "$@" || code=1
  done
  exit "$code"
}
