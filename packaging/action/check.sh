#!/bin/sh
# The gate of the action: annotations in the log, JUnit and an SVG chart in a folder, the answer with a chart in the job's summary.
# RESULTS LEAST AGAINST MAX_REGRESSION MACHINE are the inputs.
set -eu
folder=$RUNNER_TEMP/roofline-check
rm -rf "$folder"
mkdir -p "$folder"
export COLUMNS=100 NO_COLOR=1

set -- "$RESULTS" --min "$LEAST" --github --junit "$folder/junit.xml"
[ -z "$AGAINST" ] || set -- "$@" --against "$AGAINST" --max-regression "$MAX_REGRESSION"
[ -z "$MACHINE" ] || set -- "$@" --machine "$MACHINE"
code=0
roofline check "$@" >"$folder/check.txt" 2>"$folder/error.txt" || code=$?
cat "$folder/check.txt"
cat "$folder/error.txt" >&2

chart() { # OPTION ...
  roofline plot "$RESULTS" ${MACHINE:+--machine "$MACHINE"} "$@" 2>&1
}
chart >"$folder/chart.txt" || sed -i 's/^roofline: /no chart: /' "$folder/chart.txt"
chart --quiet --to "$folder/chart.svg" >/dev/null || :

# Names of kernels are anybody's: nothing of them is markup.
escaped() {
  sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
}
{
  echo "### roofline check"
  printf '\n<pre>\n'
  { cat "$folder/check.txt" "$folder/error.txt" && echo && cat "$folder/chart.txt"; } | grep -v '^::\|^wrote ' | escaped
  printf '</pre>\n'
} >>"$GITHUB_STEP_SUMMARY"
rm "$folder/error.txt"

passed=false
[ "$code" -ne 0 ] || passed=true
junit=''
[ ! -f "$folder/junit.xml" ] || junit=$folder/junit.xml
printf '%s\n' "passed=$passed" "junit=$junit" "folder=$folder" >>"$GITHUB_OUTPUT"
exit "$code"
