#!/bin/sh
# The command of the action: the one on the PATH, else it is built from the action's own sources (Debian and Ubuntu), in minutes.
set -eu
if command -v roofline >/dev/null; then
  roofline --version
  exit
fi
"$GITHUB_ACTION_PATH/run" install "$RUNNER_TEMP/roofline"
echo "$RUNNER_TEMP/roofline/bin" >>"$GITHUB_PATH"
