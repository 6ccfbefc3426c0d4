#!/usr/bin/env bats
# roofline run KERNEL --strong|--weak under the launchers that are here: small problems, whose results every rank verifies.

setup() {
  load lib.bash
  load mpi.bash
  start
  cat >rank.sh <<'END'
#!/bin/sh
echo $$ >pid.${OMPI_COMM_WORLD_RANK-${PMI_RANK}}
exec "$@"
END
  chmod +x rank.sh
  jq -n '{kind: "datasheet", source: "the test"} as $from
    | {schema: "roofline.machine/1", name: "two", date: "2026-01-31", kind: "datasheet", device_class: "cpu", unit_count: 2,
       peaks: [{dtype: "fp64", unit: "vector", flops_per_second: 100e9} + $from,
               {dtype: "fp32", unit: "vector", flops_per_second: 200e9} + $from],
       levels: [{name: "DRAM", bytes: 8e9, bytes_per_second: 20e9} + $from]}' >two.json
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_RANK PMI_SIZE PMIX_RANK MPI_LOCALNRANKS SLURM_STEP_ID SLURM_STEP_NUM_TASKS
}

# scale RANKS KERNEL OPTION...
scale() {
  local ranks=$1
  shift
  "${launch[@]}" -n "$ranks" ./rank.sh "$ROOFLINE" run "$@" --quick --machine two.json
}

# gone PID: nothing of the job is left, or goes soon.
gone() {
  for _ in $(seq 100); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  echo "process $1 is still there"
  return 1
}

@test "Open MPI: gemm on 1, 2 and 4 ranks, verified, sealed before it ran, judged" {
  needs openmpi
  run -0 --separate-stderr scale 4 gemm m=64 n=64 k=64 --strong --json --to g.json
  output=$(cat g.json)
  [ "$(json '[.schema, .kernel, .scaling, .dtype, .machine]')" = '["roofline.scaling/1","gemm","strong","fp64","two"]' ]
  [ "$(json '[.points[] | [.ranks, .rows, .columns]]')" = '[[1,1,1],[2,1,2],[4,2,2]]' ]
  [ "$(json '[.points[].sent_bytes]')" = '[0,32768,65536]' ] # 64 x 64 of A to one column; each half of A and of B to one more rank
  [ "$(json '[.points[] | .flops] | unique')" = '[524288]' ]
  [ "$(json '.points | all(.measured.seconds > 0 and .measured.verdict != null and .predicted.seconds > .predicted.network_seconds)')" = true ]
  [ "$(json '[.points[0] | .predicted.efficiency, .measured.efficiency]')" = '[1,1]' ]
  [ "$(jq -rs 'map(.kind) | join(" ")' roofline.ledger)" = 'prediction prediction prediction measurement measurement measurement' ]
  [ "$(jq -rs '.[2].label' roofline.ledger)" = 'gemm m=64 n=64 k=64 fp64 strong on 4 ranks' ]
  run -0 "$ROOFLINE" ledger verify
  run "$ROOFLINE" reconcile --json
  [ "$(json '[.entries[].verdict]')" = "$(jq -c '[.points[].measured.verdict]' g.json)" ]
}

@test "a stencil that grows with 3 ranks, of which one has two neighbours; the answer comes first" {
  needs openmpi
  run -0 --separate-stderr scale 3 stencil3d nx=16 ny=16 nz=8 --weak --to s.html
  [[ ${lines[0]} == 'stencil3d nx=16 ny=16 nz=8 fp64 per rank, weak: efficiency '*' % at 3 ranks (predicted '* ]]
  has 'ceilings  two; ranks'
  has 'ranks of a node share its cores and its memory'
  has 'links     as measured in this job:'
  grep -q 'communication roofline' s.html
  [ "$(jq -rs '.[2].parameters' roofline.ledger)" = 'nx=16 ny=16 nz=24' ]
}

@test "MPICH: the sum of gradients over 2 ranks; a picture with dots as predicted and as measured" {
  needs mpich
  run -0 --separate-stderr scale 2 gradients batch=64 in=32 out=16 --strong --csv --to g.svg
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[2]} == 2,1,2,* ]]
  xmllint --noout g.svg
  grep -q 'gradients, strong scaling' g.svg
  grep -q '>2 ranks<' g.svg
}

@test "a study in a file is shown, drawn and written again; what is wrong in it is named at its place" {
  cp "$ROOFLINE_SOURCE/examples/scaling.json" s.json
  run -0 "$ROOFLINE" cluster report s.json
  [[ ${lines[0]} == 's.json: gemm m=1024 n=1024 k=1024 fp64, strong: efficiency '*' % at 2 ranks (predicted '* ]]
  has 'ceilings  host, '
  ! has 'reconcile --ledger' || false
  "$ROOFLINE" cluster report s.json --json >again.json
  [ "$(command jq -S 'walk(if type == "number" then . * 1e9 | round else . end)' s.json)" = "$(command jq -S 'walk(if type == "number" then . * 1e9 | round else . end)' again.json)" ]
  run -0 "$ROOFLINE" cluster report s.json --csv
  [ "${#lines[@]}" -eq 3 ]
  run -0 "$ROOFLINE" cluster report s.json --to s.svg
  xmllint --noout s.svg
  grep -q '>2 ranks<' s.svg
  run -0 "$ROOFLINE" cluster report s.json --to s.html
  grep -q 'communication roofline' s.html
  jq '.kernel = "gem"' s.json >bad.json
  run -2 "$ROOFLINE" cluster report bad.json
  [ "${#lines[@]}" -eq 1 ]
  has 'bad.json:3:13: scaling: kernel that ranks share `gem`: unknown; did you mean `gemm`?'
  jq -c '.points[1].ranks = 1' s.json >bad.json
  run -2 "$ROOFLINE" cluster report bad.json
  [[ $output == *"bad.json:1:"*": scaling: a point whose \`ranks\` are not more than those of the one before" ]]
  jq '.points = [.points[0]]' s.json >one.json
  run -0 "$ROOFLINE" cluster report one.json
  has '1 rank takes'
  run -2 "$ROOFLINE" cluster report one.json --to s.svg
  has 'one rank sends nothing'
  run -0 "$ROOFLINE" cluster report one.json --to s.html
}

@test "what cannot be shared, or not here, is one line" {
  run -2 "$ROOFLINE" run gem --strong
  has 'kernel that ranks share `gem`: unknown; did you mean `gemm`?'
  run -2 "$ROOFLINE" run --weak
  has 'of which kernel? `mpirun -n 4 roofline run gemm --weak`'
  run -2 "$ROOFLINE" run gemm --strong --weak
  has '--strong, --weak: one of them'
  run -2 "$ROOFLINE" run gemm --patience 3s
  has '--patience: is for a program'
  run -2 "$ROOFLINE" run gemm --strong --patience 0s
  has '--patience 0s: must be a time of more than 0 s'
  run -2 "$ROOFLINE" run gemm --ledger x
  has '--ledger: has no effect without --ladder or --strong or --weak'
  run -2 "$ROOFLINE" run gemm --strong --threads 2
  has '--threads: has no effect with --strong'
  run -2 "$ROOFLINE" run gemm --strong m=64,128
  has 'one size; the ranks are what is varied'
  run -3 "$ROOFLINE" run gemm --strong --dtype fp32
  has 'ranks share gemm in fp64'
  run -3 "$ROOFLINE" run gemm --strong
  has 'the ceilings that would predict it are unknown; `roofline measure` finds them'
  run -3 "$ROOFLINE" run gemm --strong --machine two.json
  [ "${#lines[@]}" -eq 1 ]
  has 'no launcher started this'
  needs openmpi
  run scale 2 stencil3d nz=7 --strong
  [ "$status" -eq 2 ]
  has 'stencil3d: nz=7 is not shared evenly by 2 ranks, which cut it into 2: nz=6 or nz=8'
  [ ! -e roofline.ledger ]
}

# begin: in the background, until predictions are sealed.
begin() {
  (exec "${launch[@]}" -n 2 ./rank.sh "$ROOFLINE" run gemm m=1024 --strong --quick --machine two.json "$@") >out 2>&1 3>&- &
  job=$!
  for _ in $(seq 600); do
    [ ! -s roofline.ledger ] || return 0
    kill -0 "$job" || break
    sleep 0.02
  done
  cat out
  return 1
}

@test "a rank that is killed ends the run, named" {
  needs openmpi
  begin
  kill -9 "$(cat pid.1)"
  run ! wait "$job"
  gone "$(cat pid.0)"
  grep -q 'rank 1 (.*) ended: ' out || { cat out; return 1; }
  run -0 "$ROOFLINE" ledger verify
}

@test "a rank that hangs ends the run within its limit" {
  needs openmpi
  begin --patience 3s || begin --patience 3s # once more where what else runs here took the time
  kill -STOP "$(cat pid.1)"
  run ! wait "$job"
  gone "$(cat pid.0)"
  gone "$(cat pid.1)"
  grep -q 'no answer from rank 1 (.*); . of 2 numbers of ranks were measured' out || { cat out; return 1; }
  run -0 "$ROOFLINE" ledger verify
}
