#!/usr/bin/env bats
# What Nsight Compute says in addition to counts: stall reasons, and rules with their estimated speedup.

setup() {
  load lib.bash
  start
}

# member NUMBER FILE: bytes as a member of a protocol buffer.
member() {
  local tag=$(($1 << 3 | 2)) size
  size=$(stat -c %s "$2")
  for n in $tag $size; do
    [ "$n" -lt 128 ] || printf "\\x$(printf %02x $((n & 127 | 128)))" && n=$((n < 128 ? n : n >> 7))
    printf "\\x$(printf %02x "$n")"
  done
  cat "$2"
}

le32() {
  printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8)))\\x00\\x00"
}

@test "what warps wait for and what Nsight Compute's rules say, of its report and of its tables" {
  text() { printf '%s' "$2" >text && member "$1" text; }
  metric() { # NUMBER DOUBLE
    printf "\\x19$2" >value
    { printf "\\x08\\x0$1" && member 2 value; } >metric
    member 13 metric
  }
  { text 1 gpu__time_duration.sum && text 1 smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio &&
    text 1 smsp__average_warps_issue_stalled_selected_per_issue_active.ratio; } >names
  { text 1 'Look at @section:Occupancy:Occupancy@ first. Then at the rest.' && printf '\x10\x02'; } >message
  member 1 message >item
  member 1 item >body
  { text 1 SOLBottleneck && member 3 body; } >rule
  { text 6 kern && metric 0 '\x00\x00\x00\x00\x00\x88\xd3\x40' && metric 1 '\x00\x00\x00\x00\x00\x00\x08\x40' &&
    metric 2 '\x00\x00\x00\x00\x00\x00\xf0\x3f' && member 19 rule; } >result
  size=$(stat -c %s result)
  { printf '\x10\x01' && member 4 names && printf "\\x28\\x$(printf %02x $(((size + 4) & 127 | 128)))\\x0$(((size + 4) >> 7))"; } >header
  { printf 'NVR\0' && le32 2 && printf '\x08\x07' && le32 "$(stat -c %s header)" && cat header && le32 "$size" && cat result; } >r.ncu-rep
  run -0 "$ROOFLINE" import r.ncu-rep --json
  [ "$(json '.kernels[0].stalls')" = '{"long_scoreboard":0.75,"selected":0.25}' ]
  equals '.kernels[0].rules' '[{"name":"SOLBottleneck","text":"Look at Occupancy first. Then at the rest.","speedup":null,"speedup_of":null,"type":"WRN"}]'
  [ "$(json '.kernels[0].counters')" = null ]
  run -0 "$ROOFLINE" import r.ncu-rep
  has 'kern: a warp mostly waits for data of global or local memory: long scoreboard 75 %'
  has 'kern: Nsight says: Look at Occupancy first'
  head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"'
  row='"0","1","app","h","k","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0"'
  printf '%s\n' "$head" "$row,\"S\",\"Duration\",\"usecond\",\"20\",\"\",\"\",\"\",\"\",\"\"" \
    "$row,\"S\",\"\",\"\",\"\",\"A\",\"INF\",\"All is well.\",\"\",\"\"" \
    "$row,\"S\",\"\",\"\",\"\",\"B\",\"OPT\",\"Use wider loads, of 3.5 B.\",\"local\",\"12.5\"" \
    "$row,\"S\",\"\",\"\",\"\",\"C\",\"WRN\",\"Something else.\",\"global\",\"38\"" >details.csv
  run -0 "$ROOFLINE" import details.csv --json
  [ "$(json '[.kernels[0].rules[] | [.name, .type, .speedup, .speedup_of]]')" = '[["A","INF",null,null],["B","OPT",0.125,"local"],["C","WRN",0.38,"global"]]' ]
  run -0 "$ROOFLINE" import details.csv
  has 'k: Nsight says: Something else, est. speedup 38.0 %'
}

@test "what lines of source and instructions cost, of a report with a binary" {
  file=$ROOFLINE_SOURCE/tests/fixtures/import/ncu-lines.ncu-rep
  run -0 "$ROOFLINE" import "$file"
  has 'sgemm: hottest lines, by samples of warps: tile.h:7 80 % (long scoreboard), sgemm.cu:14 15 %, sgemm.cu:12 5 % (no instruction)'
  has 'sgemm: Nsight says: Warps wait, est. speedup 40.5 %'
  run -0 "$ROOFLINE" import "$file" --by line --csv
  [ "${lines[1]}" = 'tile.h:7,/home/me/src/tile.h,sgemm(float *),320,0.8,8e-05,12288,long_scoreboard' ]
  [ "${lines[3]}" = 'copy+0x10,,copy(float *),75,0.75,7.5e-06,32,long_scoreboard' ]
  run -0 "$ROOFLINE" import "$file" --by line --json
  [ "$(json '[.by, ([.kernels[].lines[].samples] | add), ([.kernels[].lines[].instructions] | add)]')" = '["line",500,12864]' ]
  [ "$(json '.kernels[0].rules[0].text')" = '"Warps wait. See the guide and Source Counters. More."' ]
  run -0 "$ROOFLINE" import "$file" "$file" --by line --csv
  [ "${lines[1]}" = 'tile.h:7,/home/me/src/tile.h,sgemm(float *),640,0.8,0.00016,24576,long_scoreboard' ]
  run -2 "$ROOFLINE" import "$ROOFLINE_SOURCE/tests/fixtures/import/two-kernels.ncu-rep" --by line
  has 'no lines of kernels (a report of Nsight Compute with --set full or --section SourceCounters)'
}

@test "rules that ncu prints below its tables, of which some lines look like edges of tables" {
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/tests/fixtures/import/ncu-text-rules.txt" --json
  [ "$(json '[.kernels[0].rules[] | [.name, .type, .speedup, .speedup_of]]')" = '[["GPU Speed Of Light Throughput","OPT",0.255,"global"],["GPU Speed Of Light Throughput 2","INF",null,null],["Occupancy","OPT",0.3859,"local"],["Occupancy 2","WRN",null,null]]' ]
  [ "$(json '.kernels[0].rules[0].text')" = '"A partial wave may account for up to 25.5% of the total runtime of this kernel."' ]
  equals '[.kernels[] | [.seconds, .counters.occupancy]]' '[[2.05e-05,0.4094],[1e-05,null]]'
  run -0 "$ROOFLINE" import "$ROOFLINE_SOURCE/tests/fixtures/import/ncu-text-rules.txt"
  has 'Nsight says: A partial wave may account for up to 25.5% of the total runtime of this kernel, est. speedup 25.5 %'
}
