#!/usr/bin/env bats
# roofline drill: seeded questions, graded answers from a pipe.

setup() {
  load lib.bash
  start
}

# ask SEED ROUNDS [ANSWERS]: as JSON; answers one line per round, else every line is empty.
ask() {
  run -0 bash -c 'if [ -n "$3" ]; then printf "%s\n" "$3"; else yes ""; fi |
    "$ROOFLINE" drill --seed "$1" --rounds "$2" --json' - "$1" "$2" "${3-}"
}

@test "a seed repeats its questions, another asks others" {
  ask 7 5
  first=$(json '[.rounds[] | [.question, .machine]]')
  ask 7 5
  [ "$(json '[.rounds[] | [.question, .machine]]')" = "$first" ]
  ask 8 5
  [ "$(json '[.rounds[] | [.question, .machine]]')" != "$first" ]
}

@test "the right answers score, as predict gives them" {
  ask 11 6
  answers=$(jq -r '.rounds[] | "\(.intensity) \(.regime) \(.percent_of_peak)%"' <<<"$output")
  ask 11 6 "$answers"
  [ "$(json '[.points, .of]')" = '[18,18]' ]
  question=$(json '.rounds[0]')
  # shellcheck disable=SC2046  # words of a shape
  run -0 "$ROOFLINE" predict $(jq -r .question <<<"$question") --machine "$(jq -r .machine <<<"$question")" --dtype fp16 --json
  near .intensity "$(jq .intensity <<<"$question")"
  [ "$(json .regime)" = "$(jq -c .regime <<<"$question")" ]
}

@test "a tenth off is right, more is wrong" {
  ask 11 1
  within=$(jq -r '.rounds[0] | "\(.intensity * 1.09) \(.regime)-bound \(.percent_of_peak * 0.91)"' <<<"$output")
  beyond=$(jq -r '.rounds[0] | "\(.intensity * 1.11) network \(.percent_of_peak * 0.89 - 0.06)"' <<<"$output")
  ask 11 1 "$within"
  [ "$(json .points)" = 3 ]
  ask 11 1 "$beyond"
  equals '.rounds[0].right' '{"intensity":false,"regime":false,"percent_of_peak":false}'
}

@test "answers that end, or are none" {
  run -2 "$ROOFLINE" drill --seed 3 </dev/null
  has 'drill: the input ended before the first answer'
  run -0 "$ROOFLINE" drill --seed 3 <<<$'what\nwhat else\nwhat now'
  has 'not read: the intensity is no number; three words, as: 0.5 memory 0.2'
  has 'score: 0 of 3 in 1 round; --seed 3'
  run -2 "$ROOFLINE" drill --rounds 0
  run -2 "$ROOFLINE" drill --seed -1
  run -2 "$ROOFLINE" drill word
}

@test "a line that cannot be read is asked for again" {
  ask 11 1
  answer=$(jq -r '.rounds[0] | "\(.intensity) \(.regime) \(.percent_of_peak)%"' <<<"$output")
  ask 11 1 $'what\n'"$answer"
  [ "$(json .points)" = 3 ]
}

@test "questions about the machines that are named" {
  run -0 bash -c 'yes "1 memory 1" | "$ROOFLINE" drill --seed 4 --rounds 6 --machine h100 --json'
  [ "$(json '[.rounds[].machine] | unique')" = '["nvidia-h100-sxm"]' ]
}
