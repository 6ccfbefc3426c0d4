#!/usr/bin/env bats
# roofline doctor: its forms on captured machines, honesty on this one.
bats_require_minimum_version 1.5.0

setup() {
  captured=$ROOFLINE_SOURCE/tests/fixtures/doctor
  unset OPENBLAS_CORETYPE BLIS_ARCH_TYPE
}

json() { # FILTER on $output
  printf '%s' "$output" | jq -c "$1"
}

@test "text: counts, one line per check, what to do for each warning" {
  run -0 "$ROOFLINE" doctor --root "$captured/server"
  [[ ${lines[0]} == *" warnings, "*" unknown, "*" info, "*" ok" ]]
  [[ $output == *"warn     huge pages"*"always madvise [never]"*"/sys/kernel/mm/transparent_hugepage/enabled"* ]]
  [[ $output == *"huge pages: with 4 KiB pages"*"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"* ]]
  [[ $output != *"governor: "* ]]
  run -0 "$ROOFLINE" doctor --root "$captured/server" --quiet
  [[ $output != *"echo madvise"* ]]
}

@test "json and csv say the same" {
  run -0 --separate-stderr "$ROOFLINE" doctor --root "$captured/vm" --json
  [ "$(json '[.schema, (.checks | length) == (.ok + .warn + .info + .unknown)]')" = '["roofline.doctor/1",true]' ]
  [ "$(json '.checks[] | select(.name == "cpu limit") | [.state, .value]')" = '["warn","time for 1.5 processors"]' ]
  [ "$(json '[.checks[] | .path, .value, .why, .remedy | length > 0] | all')" = true ]
  checks=$(json '.checks | length')
  run -0 "$ROOFLINE" doctor --root "$captured/vm" --csv
  [ "${lines[0]}" = "name,state,path,value,why,remedy" ]
  [ "${#lines[@]}" -eq $((checks + 1)) ]
}

@test "this machine: every library and backend is found or not, and that is no error" {
  run -0 --separate-stderr "$ROOFLINE" doctor --json
  [ "$stderr" = "" ]
  [ "$(json '[.checks[] | select(.name == ("OpenBLAS", "BLIS", "oneDNN", "PAPI", "OpenCL", "CUDA", "HIP")) | (.state == ("ok", "info")), (.value | endswith("it took a core type without AVX-512") or endswith("it took a core type without AVX2+FMA"))] | map(select(.)) | length')" = 7 ]
  [ "$(json '[.checks[] | select(.name == "backend" and .path == "fake") | .state]')" = '["ok"]' ]
}

@test "a PAPI or BLIS that is not used is not found" {
  cd "$BATS_TEST_TMPDIR"
  for name in libpapi.so libpapi.so.5.7 libblis.so.3; do
    cc -shared -o "$name" -x c /dev/null
  done
  run -0 --separate-stderr env LD_LIBRARY_PATH="$PWD" "$ROOFLINE" doctor --json
  [ "$(json '[.checks[] | select(.name == ("PAPI", "BLIS") and .state == "ok") | .path] - ["libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.6.0", "libblis.so.4"]')" = '[]' ]
}

@test "an environment that says for which processor a library computes is a warning" {
  jq -e '.checks[] | select(.name == "OpenBLAS" and (.value | startswith("found")))' <<<"$("$ROOFLINE" doctor --json)" || skip "no OpenBLAS"
  run -0 --separate-stderr env OPENBLAS_CORETYPE=Nehalem "$ROOFLINE" doctor --json
  [ "$(json '.checks[] | select(.name == "OpenBLAS") | [.state, .value]')" = '["warn","found; OPENBLAS_CORETYPE=Nehalem is its core type"]' ]
}

@test "a static command says that it loads no libraries, and so does what needs one" {
  [ "$("$ROOFLINE" doctor --json | jq -r '.checks[] | select(.name == "loader").state')" = ok ]
  # What musl answers a static program.
  echo 'void *dlopen(const char *name, int how) { (void)name, (void)how; return 0; }' | cc -shared -fPIC -xc - -o "$BATS_TEST_TMPDIR/static.so"
  export LD_PRELOAD=$BATS_TEST_TMPDIR/static.so
  run -0 --separate-stderr "$ROOFLINE" doctor --json
  [ "$(json '.checks[] | select(.name == "loader") | [.state, .value]')" = '["info","this command is one static file, which loads no libraries"]' ]
  [ "$(json '[.checks[] | select(.name == ("OpenBLAS", "CUDA")).value] | unique')" = '["not looked for: see loader"]' ]
  [ "$(json '[.checks[] | select(.name == "backend" and .path == ("cuda", "opencl")).value | endswith("this command is one static file, which loads no libraries")]')" = '[true,true]' ]
  run -3 "$ROOFLINE" plot gemm m=8 n=8 k=8 --machine h100 --to "$BATS_TEST_TMPDIR/a.png"
  [[ $output == *"static file, which loads no libraries"* ]]
  run -3 "$ROOFLINE" run gemm-onednn m=8 n=8 k=8
  [[ $output == *"no oneDNN: this command is one static file, which loads no libraries"* ]]
}

@test "what is not installed is no warning, and the worst comes first" {
  run -0 "$ROOFLINE" doctor
  [ "$(awk '/^  (warn|unknown|info|ok) / { print $1 }' <<<"$output" | uniq | tr '\n' ' ' | sed 's/^warn //; s/^unknown //; s/^info //')" = "ok " ]
  run -0 "$ROOFLINE" doctor --json
  [ "$(json '[.checks[] | select(.state == "warn" and (.value | contains("it took a core type") | not)) | .name] | map(select(. == ("OpenBLAS", "BLIS", "oneDNN", "PAPI", "OpenCL", "CUDA", "backend", "energy", "counters")))')" = '[]' ]
  warned=$(json .warn)
  run "$ROOFLINE" doctor --strict --quiet
  [ "$status" -eq $((warned > 0)) ]
}

@test "bad input" {
  run -2 "$ROOFLINE" doctor --root /nonexistent
  [ "$output" = "roofline: /nonexistent/proc: No such file or directory" ]
  run -2 "$ROOFLINE" doctor now
}
