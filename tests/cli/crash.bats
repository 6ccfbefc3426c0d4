#!/usr/bin/env bats
# What a crash may leave on the disk, at any moment of seal, record and others, loses no acknowledged entry.

@test "every crash state of pages" {
  run sh "$ROOFLINE_SOURCE/tests/crash/run.sh" 300
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *' states tried, 0 lost' ]]
}

@test "crash states of sectors, with an end at any byte" {
  run sh "$ROOFLINE_SOURCE/tests/crash/run.sh" 200 512
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *' states tried, 0 lost' ]]
}
