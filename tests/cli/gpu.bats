#!/usr/bin/env bats
# bench/gpu.sh without a device, and the table that it makes of a result; run --counters with an ncu that is a script.
load lib

@test "gpu.sh: without a device it says so and ends with 3" {
  ROOFLINE_CUDA_LIBRARIES=/none ROOFLINE_RESULTS=$BATS_TEST_TMPDIR run sh "$ROOFLINE_SOURCE/bench/gpu.sh"
  [ "$status" -eq 3 ]
  [ "$output" = "gpu.sh: nothing measured: backend cuda: no libcuda.so.1: NVIDIA's driver is not installed" ]
  [ -z "$(ls "$BATS_TEST_TMPDIR")" ]
}

@test "gpu.sh: the table of a result" {
  run sh "$ROOFLINE_SOURCE/bench/gpu.sh" --table "$ROOFLINE_SOURCE/tests/fixtures/gpu/result.json"
  [ "$status" -eq 0 ]
  [[ $output == *'* NVIDIA H200, driver 580.1, 2026-01-02T03:04Z'* ]]
  [[ $output == *'| bf16 matrix, wgmma | 800 TFLOP/s | 989 TFLOP/s | 80.9 % | 720 TFLOP/s | 90 % |'* ]]
  [[ $output == *'| HBM read | 4.5 TB/s | 4.8 TB/s | 93.8 % | | |'* ]]
  [[ $output == *'| `gemm-cluster m=8192` | 1.6 ms | 687.5 TFLOP/s | 93.8 % |'* ]]
  [[ $output == *'| `device-copy fp32` | 0.5 ms | 3.8 TB/s | 95 % |'* ]]
  [[ $output == *'Not run: gemm-mma: not written for fp32'* ]]
}

@test "gpu.sh: a document's table comes from the newest result, and from nothing else" {
  printf 'before\n<!-- gpu -->\nold\n<!-- end of gpu -->\nafter\n' >"$BATS_TEST_TMPDIR/doc.md"
  mkdir "$BATS_TEST_TMPDIR/results"
  ROOFLINE_RESULTS=$BATS_TEST_TMPDIR/results sh "$ROOFLINE_SOURCE/bench/gpu.sh" --write "$BATS_TEST_TMPDIR/doc.md"
  [ "$(cat "$BATS_TEST_TMPDIR/doc.md")" = "$(printf 'before\n<!-- gpu -->\n<!-- end of gpu -->\nafter')" ]
  cp "$ROOFLINE_SOURCE/tests/fixtures/gpu/result.json" "$BATS_TEST_TMPDIR/results/gpu-2026-01-02-nvidia-h200.json"
  ROOFLINE_RESULTS=$BATS_TEST_TMPDIR/results sh "$ROOFLINE_SOURCE/bench/gpu.sh" --write "$BATS_TEST_TMPDIR/doc.md"
  grep -q 'NVIDIA H200, driver 580.1' "$BATS_TEST_TMPDIR/doc.md"
  [ "$(sed -n '$p' "$BATS_TEST_TMPDIR/doc.md")" = after ]
}

# An ncu that runs nothing: it writes what FAKE_NCU names where --log-file says.
fake_ncu() { # FIXTURE
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  cat >"$BATS_TEST_TMPDIR/bin/ncu" <<'SCRIPT'
#!/bin/sh
printf '%s\n' "$@" >"$FAKE_NCU_ARGUMENTS"
for word; do [ "$before" != --log-file ] || { cat "$FAKE_NCU" >"$word"; echo "$word" >>"$FAKE_NCU_ARGUMENTS"; }; before=$word; done
echo noise; echo noise >&2
exit "${FAKE_NCU_EXIT:-0}"
SCRIPT
  chmod +x "$BATS_TEST_TMPDIR/bin/ncu"
  export PATH="$BATS_TEST_TMPDIR/bin:$PATH" FAKE_NCU=$1 FAKE_NCU_ARGUMENTS=$BATS_TEST_TMPDIR/arguments
}

@test "run --counters: counts beside the formula" {
  fake_ncu "$ROOFLINE_SOURCE/tests/fixtures/gpu/ncu.csv"
  run "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters --json
  [ "$status" -eq 0 ]
  [ "$(jq -c '.kernels[0].counters | [.flops, .bytes.memory, .bytes.L2, (.operational_intensity * 1000 | round)]' <<<"$output")" = '[2000000,15000000,12000000,133]' ]
  [[ $output != *noise* ]]
  for word in --csv --clock-control none --metrics --launch-count=4 run triad n=1000000 --backend=fake --dtype=fp32; do
    grep -qx -- "$word" "$BATS_TEST_TMPDIR/arguments"
  done
  run "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters
  [[ $output == *'counted by ncu, of one run'* ]]
  [[ $output == *'125.0 %'* ]]
}

@test "run --counters: what goes wrong is said" {
  PATH=/nonexistent run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [ "$status" -eq 3 ]
  [[ $output == *"--counters: no ncu on PATH: it comes with NVIDIA's Nsight Compute"* ]]
  fake_ncu /dev/null
  run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [ "$status" -eq 3 ]
  [[ $output == *'--counters: ncu counted nothing'* ]]
  FAKE_NCU_EXIT=1 run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [ "$status" -eq 3 ]
  [[ $output == *'--counters: ncu: failed with exit code 1'* ]]
  echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >"$BATS_TEST_TMPDIR/log"
  FAKE_NCU_EXIT=1 FAKE_NCU=$BATS_TEST_TMPDIR/log run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [[ $output == *'exit code 1: nothing is reported: ERR_NVGPUCTRPERM - The user does not have permission'* ]]
}

@test "run --counters: what ncu writes lies in TMPDIR, and is gone afterwards" {
  fake_ncu "$ROOFLINE_SOURCE/tests/fixtures/gpu/ncu.csv"
  mkdir "$BATS_TEST_TMPDIR/own"
  TMPDIR=$BATS_TEST_TMPDIR/own "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters --quiet
  grep -q "^$BATS_TEST_TMPDIR/own/roofline-ncu-" "$BATS_TEST_TMPDIR/arguments"
  [ -z "$(ls "$BATS_TEST_TMPDIR/own")" ]
}
