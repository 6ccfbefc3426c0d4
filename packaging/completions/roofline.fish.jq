# Completion for fish.
include "common";
def quoted: "'" + gsub("(?<c>['\\\\])"; "\\\(.c)") + "'";
def option($command; $formats): "complete -c roofline -n '__fish_seen_subcommand_from \($command)'" + (if .name then " -l " + .name else "" end) +
  (if .letter then " -s " + .letter else "" end) +
  {machines: " -r -a '(_roofline_names machines)'", formats: " -x -a '(_roofline_names formats)'", files: " -r -F", colors: " -x -a 'auto always never'", units: " -x -a 'vector matrix'",
   types: " -x -a '\($formats)'", text: " -x", none: ""}[value_kind] + " -d " + ((.text // "") | quoted);

(formats | join(" ")) as $formats |
"# Completion of roofline for fish, made from `roofline help --json`.
function _roofline_names # LIST
    sh -c \((functions + "_roofline_names \"$1\"") | quoted) _ $argv
end

function _roofline_parameters
    sh -c \((functions + "_roofline_parameters \"$@\"") | quoted) _ (commandline -opc)[3..-1]
end

function _roofline_choices # the token with each value that its parameter may have
    set -l token (string split -m 1 = -- (commandline -ct))
    set -q token[2]; and sh -c \((functions + "_roofline_choices \"$@\"") | quoted) _ $token[1] (commandline -opc)[3..-1] | string replace -r '^' $token[1]=
end

complete -c roofline -f
\([.commands[] | "complete -c roofline -n __fish_use_subcommand -a \(.name) -d \(.summary | quoted)"] | join("\n"))
" + ([.commands[] | . as $c | (verbs + (lists | map(select(. != "files") | if . == "operations" then "(_roofline_names operations) (_roofline_parameters) (_roofline_choices)" else "(_roofline_names \(.))" end))) as $words
  | (if $words == [] then empty else "complete -c roofline -n '__fish_seen_subcommand_from \(.name)' -a '\($words | join(" "))'" end),
    (if lists | index("files") then "complete -c roofline -n '__fish_seen_subcommand_from \(.name)' -F" else empty end),
    (.options[] | option($c.name; $formats))] | join("\n"))
