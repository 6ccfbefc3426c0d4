#!/usr/bin/env bats
# The examples of roofline/region.h: built as a user would, run, and their documents read.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  flags="-I $ROOFLINE_SOURCE/include -L $ROOFLINE_BUILD -lroofline_region -Wl,-rpath,$ROOFLINE_BUILD"
  # a library with sanitizers needs a program with them
  nm -D "$ROOFLINE_BUILD/libroofline_region.so" | grep -q ' U __asan_init' && skip "the library is built with sanitizers"
  return 0
}

json() { # FILTER on regions.json
  jq -c "$1" regions.json
}

@test "the time of regions inside others is added up once" {
  nm -D "$ROOFLINE_BUILD/libroofline_region.so" | grep -q ' U __asan_init' && skip "the library is built with sanitizers"
  cat >nested.c <<'C'
#include <time.h>
#include "roofline/region.h"
static void wait_ms(long ms) {
  struct timespec t = {0, ms * 1000000};
  nanosleep(&t, 0);
}
int main(void) {
  for (int i = 0; i < 3; i++) {
    ROOF_REGION_BEGIN("outer");
    wait_ms(4);
    ROOF_REGION_BEGIN("inner");
    wait_ms(20);
    ROOF_REGION_END("inner", 1e6, 1e6);
    ROOF_REGION_END("outer", 1e6, 1e6);
  }
  return 0;
}
C
  cc -I"$ROOFLINE_SOURCE/include" nested.c -o nested -L"$ROOFLINE_BUILD" -lroofline_region -Wl,-rpath,"$ROOFLINE_BUILD"
  ROOFLINE_REGIONS=nested.json ./nested
  [ "$(jq '[.kernels[] | .own_seconds < 0.9 * .total_seconds]' -c nested.json)" = '[true,false]' ]
  run -0 "$ROOFLINE" import nested.json --machine a100 --json
  echo "$output" >nested.answer
  jq -e '([.kernels[].own_seconds] | add) / .total_seconds | . > 0.999999 and . < 1.000001' nested.answer
  jq -e '(.kernels[] | select(.name == "outer").total_seconds) as $all | .total_seconds < 1.2 * $all and .lost_seconds <= .total_seconds' nested.answer
  run -0 "$ROOFLINE" run --to run.json -- ./nested
  jq -e '.kernels[] | select(.name == "outer") | .own_seconds < 0.9 * .total_seconds' run.json
  run -0 "$ROOFLINE" import nested.json --machine a100
  [[ $output == *'nested regions: the time of a region inside another is in both, in the sum once'* ]]
  # a time line of the same
  run -0 "$ROOFLINE" run --timeline line.json --to run.json -- ./nested
  run -0 "$ROOFLINE" import line.json
  [[ $output == *'nested regions: the time of a region inside another is in both, in the sum once'* ]]
  run -0 "$ROOFLINE" import line.json --json
  jq -e '(.kernels[] | select(.name == "outer").total_seconds) as $all | .total_seconds < 1.2 * $all' <<<"$output"
  jq -e '([.kernels[].own_seconds] | add) / .total_seconds | . > 0.999999 and . < 1.000001' <<<"$output"
}

@test "C: calls, time, work and how it was counted" {
  cc -std=c17 "$ROOFLINE_SOURCE/examples/region.c" -o region $flags
  ROOFLINE_REGIONS=regions.json ./region
  [ "$(json '[.schema, .source, .format, .machine, .skipped]')" = '["roofline.measurements/1","region","region","host",[]]' ]
  [ "$(json '[.kernels[] | .name, .calls, .threads, (.samples | length), .flops.fp64, .bytes.DRAM]')" = \
    '["fill",1,1,1,0,2400000,"triad",10,1,10,200000,2400000]' ]
  [ "$(json '.kernels[1] | (.samples | sort | (.[4] + .[5]) / 2) / .seconds | . > 0.999999 and . < 1.000001')" = true ]
  [ "$(json '.kernels[1] | (.samples | add) / .total_seconds | . > 0.999999 and . < 1.000001')" = true ]
  [ "$(json '.kernels[1].counted | [.flops, .bytes, .samples]')" = '["formula","formula","all"]' ]
}

@test "the document is one that import reads, and record" {
  cc -std=c17 "$ROOFLINE_SOURCE/examples/region.c" -o region $flags
  ROOFLINE_REGIONS=regions.json ./region
  "$ROOFLINE" import regions.json --machine h100 --json >imported.json
  [ "$(jq -c '[.format, (.kernels | sort_by(.name)[] | .name, .calls, .flops.fp64, .bytes.DRAM)]' imported.json)" = \
    '["measurements","fill",1,0,2400000,"triad",10,200000,2400000]' ]
  near=$(jq -s '.[0].kernels[1].seconds / (.[1].kernels[] | select(.name == "triad") | .seconds) | . > 0.999999 and . < 1.000001' regions.json imported.json)
  [ "$near" = true ]
  "$ROOFLINE" record regions.json --unsealed --ledger l
  [ "$(jq -s '.[1] | [.label, .flops, .bytes, (.samples | length)]' -c l)" = '["triad",200000,2400000,10]' ]
}

# libpapi.so.7.0 as a script has it, for what the processor here may not count
scripted_papi() {
  cc -shared -fPIC "$ROOFLINE_SOURCE/tests/fixtures/papi.c" -o libpapi.so.7.0
  cc -std=c17 "$ROOFLINE_SOURCE/examples/region.c" -o region $flags
}

@test "counters: FLOPs as PAPI counts them, next to the formula's" {
  scripted_papi
  LD_LIBRARY_PATH=. ROOFLINE_COUNTERS=papi ROOFLINE_REGIONS=regions.json ./region
  [ "$(json '[.kernels[1] | .name, .flops.fp64, .flops.fp32, .formula_flops.fp64, .counted.flops, .counted.bytes]')" = \
    '["triad",500,20,200000,"PAPI_DP_OPS, PAPI_SP_OPS","formula"]' ]
  [ "$(json .skipped)" = '[]' ]
}

@test "counters that are not permitted or not there: the formula, and why" {
  scripted_papi
  PAPI_DENIES=1 LD_LIBRARY_PATH=. ROOFLINE_COUNTERS=papi ROOFLINE_REGIONS=regions.json ./region
  [ "$(json '[.kernels[1] | .flops, .counted.flops]')" = '[{"fp64":200000},"formula"]' ]
  [ "$(json .skipped)" = '[{"what":"counters","why":"Permission level does not permit operation"}]' ]
  PAPI_LACKS=1 LD_LIBRARY_PATH=. ROOFLINE_COUNTERS=papi ROOFLINE_REGIONS=regions.json ./region
  [ "$(json '.skipped[0].why | startswith("PAPI counts neither PAPI_DP_OPS nor PAPI_SP_OPS")')" = true ]
  ROOFLINE_COUNTERS=likwid ROOFLINE_REGIONS=regions.json ./region
  [ "$(json .skipped)" = '[{"what":"counters","why":"ROOFLINE_COUNTERS: only papi is known"}]' ]
  ROOFLINE_COUNTERS=papi ROOFLINE_REGIONS=regions.json ./region # whatever is installed here
  [ "$(json '.kernels[1].counted.flops == "formula" and (.skipped | length) == 0')" = false ]
}

@test "disabled: nothing is written" {
  cc -std=c17 "$ROOFLINE_SOURCE/examples/region.c" -o region $flags
  env -u ROOFLINE_REGIONS ./region
  ROOFLINE_REGIONS= ./region
  [ "$(ls)" = region ]
}

@test "a file that cannot be written changes nothing of the program" {
  cc -std=c17 "$ROOFLINE_SOURCE/examples/region.c" -o region $flags
  run -0 env ROOFLINE_REGIONS=missing/regions.json ./region
  [ "$(ls)" = region ]
}

@test "C++: nested, what is not known is null" {
  c++ -std=c++17 "$ROOFLINE_SOURCE/examples/region.cc" -o region $flags
  ROOFLINE_REGIONS=regions.json ./region
  [ "$(json '[.kernels[] | .name, .calls, .flops.fp32, .bytes]')" = '["solve",1,2000000,null,"norm",10,200000,{"DRAM":400000}]' ]
  [ "$(json '.kernels[0].total_seconds >= .kernels[1].total_seconds')" = true ]
}

@test "Fortran" {
  command -v gfortran >/dev/null || skip "gfortran is not installed"
  gfortran "$ROOFLINE_SOURCE/include/roofline/region.f90" "$ROOFLINE_SOURCE/examples/region.f90" -o region $flags
  ROOFLINE_REGIONS=regions.%p.json ./region
  mv regions.[0-9]*.json regions.json
  [ "$(json '[.kernels[] | .name, .calls, .flops.fp32, .bytes.DRAM]')" = '["axpy",10,200000,1200000]' ]
}

@test "a program that runs with more rights than its caller writes nothing for the environment" {
  [ "$(id -u)" -eq 0 ] || skip "only root can make one that runs as somebody else"
  open=$(mktemp -d /tmp/roofline-open-XXXXXX) # where everybody may write
  chmod 777 "$open"
  cc -std=c17 "$ROOFLINE_SOURCE/examples/region.c" -o "$open/region" -I "$ROOFLINE_SOURCE/include" -L "$ROOFLINE_BUILD" -l:libroofline_region.a -l:libroofline_core.a -lm
  cd "$open"
  chown nobody region
  ROOFLINE_REGIONS=$open/mine.json ./region
  [ -s mine.json ]
  chmod u+s region
  ROOFLINE_REGIONS=$open/other.json ./region
  written=$(ls)
  rm -r "$open"
  [ "$written" = "$(printf 'mine.json\nregion')" ]
}
