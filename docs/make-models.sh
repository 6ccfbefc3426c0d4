#!/bin/sh
# Writes the table of parameter counts into docs/whole-models.md: what the command counts, and what was published where.
set -eu
cd "$(dirname "$0")/.."
roofline=${ROOFLINE:-build/release/roofline}
table=$(mktemp)
trap 'rm -f "$table"' EXIT
{
  echo '| name | parameters | active | KV elements per token | published | difference | published where |'
  echo '|---|---:|---:|---:|---:|---:|---|'
  for file in data/models/*.json; do
    "$roofline" model "$(basename "$file" .json)" --machine h200 --json | jq -r --slurpfile file "$file" '
      def grouped: tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
      $file[0] as $f | (.parameters / $f.published_parameters - 1) as $gap
      | "| `\(.name)` | \(.parameters | grouped) | \(.active_parameters | grouped) | \(.kv_elements_per_token | grouped) | " +
        "\($f.published_parameters / 1e6 | if . >= 1000 then "\(. / 1000) B" else "\(.) M" end) | " +
        "\($gap * 10000 | round / 100) % | \($f.published_source) |"'
  done
} >"$table"
awk -v table="$table" '
  /^<!-- models: end -->/ { skip = 0 }
  !skip { print }
  /^<!-- models: begin -->/ { while ((getline line < table) > 0) print line; skip = 1 }' docs/whole-models.md >"$table.new"
mv "$table.new" docs/whole-models.md
