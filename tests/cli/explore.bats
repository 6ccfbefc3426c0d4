#!/usr/bin/env bats
# The explorer's page, written with this machine in it. What the page does is tested in a browser (tests/browser/explorer.test.mjs).

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  export HOME=$BATS_TEST_TMPDIR XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
  unset ROOFLINE_PATH
  mkdir -p bin share/roofline work config/roofline/machines
  cp "$ROOFLINE" bin/roofline
  cd work || exit 1
}

page() { printf '<p>before</p><script type="application/json" id="host"></script><p>after</p>\n' >../share/roofline/explorer.html; }

measured() { "$ROOFLINE" machine show h100 --json | sed 's/"name": "nvidia-h100-sxm"/"name": "host"/; s/"title": "[^"]*"/"title": "<\/script>"/' >../config/roofline/machines/host.json; }

@test "the page is no JSON" {
  run -2 ../bin/roofline explore --json
  [ "$output" = 'roofline: --json: has no effect on `explore`' ]
}

@test "the page is written with the machine that was measured" {
  page
  measured
  run -0 --separate-stderr ../bin/roofline explore
  [ "$stderr" = 'wrote roofline-explorer.html' ]
  grep -q '^<p>before</p>' roofline-explorer.html
  grep -q '<p>after</p>$' roofline-explorer.html
  sed -n '1,/<\/script><p>after/p' roofline-explorer.html | tr -d '\n' | sed 's/.*id="host">//; s/<\/script><p>after.*//' >host.json
  run -0 jq -r '.name, .title' host.json
  [ "${lines[0]}" = host ]
  [ "${lines[1]}" = '</script>' ]
}

@test "no text of the machine ends the script that it is in" {
  page
  measured
  ../bin/roofline explore --to x.html
  run -0 grep -o '</script>' x.html
  [ "${#lines[@]}" -eq 1 ]
}

@test "without a measured machine the page is written all the same, and says how to measure it" {
  page
  run -0 --separate-stderr ../bin/roofline explore --to x.html
  [[ "$stderr" == *'this machine is not in it: '*'roofline measure` measures it first' ]]
  cmp x.html ../share/roofline/explorer.html
}

@test "a page that was not built: exit 3, and how to build it" {
  rm -rf ../share
  run -3 ../bin/roofline explore
  [ "$output" = "roofline: the explorer's page is not built here: \`./run web\` makes it" ]
  [ ! -e roofline-explorer.html ]
}

@test "an unexpected argument is refused" {
  page
  run -2 ../bin/roofline explore h100
}
