#!/usr/bin/env bats
# The GitHub Action: the shell of its steps, with the variables that GitHub sets.

setup() {
  load lib.bash
  start
  python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml"
  mkdir bin temporary
  ln -s "$ROOFLINE" bin/roofline
  export PATH=$PWD/bin:$PATH RUNNER_TEMP=$PWD/temporary GITHUB_ACTION_PATH=$ROOFLINE_SOURCE
  export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary.md GITHUB_PATH=$PWD/path
  jq -n '{schema: "roofline.measurements/1", machine: "runner", kernels: [
    {name: "triad", seconds: 1.25e-3, ceiling_seconds: 1e-3, flops: {fp32: 1e9}, bytes: {DRAM: 1e8}},
    {name: "<b>gemm</b></pre>", seconds: 4e-3, ceiling_seconds: 2e-3, flops: {fp32: 1e9}, bytes: {DRAM: 1e8}}]}' >results.json
}

# step ID [INPUT=VALUE ...]: runs the shell of a step with the action's inputs.
step() {
  python3 - "$ROOFLINE_SOURCE/action.yml" "$@" >step.sh <<'PY'
import re, shlex, sys, yaml
action = yaml.safe_load(open(sys.argv[1]))
inputs = {name: i.get("default", "") for name, i in action["inputs"].items()}
for given in sys.argv[3:]:
    name, value = given.split("=", 1)
    assert name in inputs, name
    inputs[name] = value
step = next(s for s in action["runs"]["steps"] if s.get("id") == sys.argv[2])
assert step["shell"] == "sh"
for name, value in step.get("env", {}).items():
    filled = re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: inputs[m[1]], value)
    print(f"export {name}={shlex.quote(filled)}")
print(step["run"])
PY
  run --separate-stderr sh -e step.sh
}

output_of() { # NAME
  sed -n "s/^$1=//p" output
}

@test "a miss fails the step, with annotations, a summary and JUnit" {
  step check results=results.json machine=h100
  [ "$status" -eq 1 ]
  has '::error file=results.json,title=<b>gemm</b>'
  [ "$(output_of passed)" = false ]
  grep -q '<failure' "$(output_of junit)"
  grep -q '<svg' "$(output_of folder)/chart.svg"
  [ "$(grep -c '^</pre>' summary.md)" -eq 1 ]
  grep -q '0 of 2 kernels pass' summary.md
  grep -q '&lt;b&gt;gemm' summary.md
  grep -q 'FLOP/byte' summary.md
  ! grep -q '^::\|^wrote' summary.md
}

@test "a pass passes, next to a baseline; a summary is added to what is there" {
  echo before >summary.md
  jq '.kernels |= .[:1]' results.json >good.json
  step check results=good.json min=70% against=good.json
  [ "$status" -eq 0 ]
  [ "$(output_of passed)" = true ]
  [ "$(head -1 summary.md)" = before ]
  grep -q 'at most 5 % slower than good.json' summary.md
}

@test "without a machine the summary says why it has no chart" {
  step check results=results.json
  [ "$status" -eq 1 ]
  grep -q '^no chart: machine: none named' summary.md
  [ ! -e "$(output_of folder)/chart.svg" ]
}

@test "a step that reads nothing passes on no JUnit of the one before" {
  step check results=results.json machine=h100
  [ -f "$(output_of junit)" ]
  rm output
  step check results=missing.json
  [ "$status" -eq 2 ]
  [ "$(output_of junit)" = "" ]
}

@test "what cannot be read fails with its reason" {
  step check results=missing.json
  [ "$status" -eq 2 ]
  [[ $stderr == *'`missing.json`: No such file'* ]]
  grep -q 'No such file' summary.md
  [ "$(output_of passed)" = false ]
}

@test "the command is taken from the PATH, else built and put there" {
  step install
  [ "$status" -eq 0 ]
  has 'roofline '
  [ ! -e path ]
  mkdir -p action/packaging/action empty
  cp "$ROOFLINE_SOURCE"/packaging/action/install.sh action/packaging/action/
  printf '#!/bin/sh\necho "run $*"\n' >action/run
  chmod +x action/run
  GITHUB_ACTION_PATH=$PWD/action step install
  rm bin/roofline
  GITHUB_ACTION_PATH=$PWD/action run sh -e step.sh
  [ "$output" = "run install $RUNNER_TEMP/roofline" ]
  [ "$(cat path)" = "$RUNNER_TEMP/roofline/bin" ]
}
