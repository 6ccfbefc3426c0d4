#!/usr/bin/env bats
# The Model Context Protocol, message by message: hostile ones, and files outside the roots. tests/node has a client's view.

setup() {
  load lib
  start
  mkdir root
  hello='{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}'
}

# ask MESSAGE...: replies without that to initialize, one per line.
ask() {
  printf '%s\n' "$hello" "$@" | timeout 60 "$ROOFLINE" mcp --root root | tail -n +2
}

# calls TOOL ARGUMENTS: the request of a call.
calls() {
  jq -nc --arg name "$1" --argjson arguments "$2" '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: $name, arguments: $arguments}}'
}

# refuses TOOL ARGUMENTS TEXT: the call is an error that says TEXT.
refuses() {
  run -0 ask "$(calls "$1" "$2")"
  [ "$(json '.result.isError')" = true ] || { echo "$output"; return 1; }
  has "$3"
}

@test "the revision is the client's where it is known, else the newest" {
  for revision in 2025-11-25 2025-06-18 2025-03-26 2024-11-05; do
    run -0 "$ROOFLINE" mcp <<<"${hello/2025-11-25/$revision}"
    [ "$(json .result.protocolVersion)" = "\"$revision\"" ]
  done
  run -0 "$ROOFLINE" mcp <<<"${hello/2025-11-25/1999-01-01}"
  [ "$(json .result.protocolVersion)" = '"2025-11-25"' ]
}

@test "errors have the codes of JSON-RPC, and the server goes on" {
  run -0 ask '{' '[]' '{"jsonrpc": "1.0", "id": 1, "method": "ping"}' '{"jsonrpc": "2.0", "id": 2, "method": "none"}' \
    '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "none"}}' '{"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": []}' \
    '{"jsonrpc": "2.0", "id": null, "method": "ping"}' '{"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {}}' \
    '{"jsonrpc": "2.0", "method": "notifications/none"}' '{"jsonrpc": "2.0", "id": 6, "result": {}}' '{"jsonrpc": "2.0", "id": "seven", "method": "ping"}'
  [ "$(jq -c '[.id, .error.code, .result]' <<<"$output" | tr '\n' ' ')" = \
    '[null,-32700,null] [null,-32600,null] [1,-32600,null] [2,-32601,null] [3,-32602,null] [4,-32600,null] [null,-32600,null] [5,-32602,null] ["seven",null,{}] ' ]
  has 'no such method: none'
  run -0 "$ROOFLINE" mcp <<<'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
  [ "$(json .error.code)" = -32600 ]
}

@test "hostile frames are bounded: huge, deep, NUL, not UTF-8, half" {
  {
    printf '%s\n' "$hello"
    head -c 5000000 /dev/zero | tr '\0' x
    printf '\n'
    head -c 1000000 /dev/zero | tr '\0' '['
    printf '\n{"jsonrpc": "2.0", "id": "\0"}\n{"jsonrpc": "\xff"}\n\n{"jsonrpc": "2.0", "id": 9, "method": "ping"}\n{"jsonrpc": "2.0", "id": 10, "meth'
  } >hostile
  run -0 timeout 60 "$ROOFLINE" mcp <hostile
  [ "${#lines[@]}" -eq 7 ]
  jq -e . <<<"$output" >/dev/null
  [ "$(jq -c '[.id, .error.code]' <<<"$output" | tr '\n' ' ')" = \
    '[0,null] [null,-32600] [null,-32700] [null,-32700] [null,-32700] [9,null] [null,-32700] ' ]
}

@test "arguments are refused by name, and no word is an option or standard input" {
  refuses predict '{"words": ["gemm", "--to=x.svg"]}' 'options are arguments of their own'
  refuses predict '{"words": ["gemm"], "machine": "-"}' 'no standard input'
  refuses predict '{"words": "gemm"}' 'words: a list, each word by itself: '
  refuses predict '{"words": ["gemm m=8 n=8 k=8"]}' 'words: each word by itself: '
  refuses predict '{"words": ["gemm"], "warm": "yes"}' 'warm: must be true or false'
  refuses predict '{"words": ["gemm"], "group": true}' 'group: needs a value'
  refuses predict '{"words": ["gemm"], "answer": "png2"}' 'did you mean `png`?'
  refuses predict '{"words": ["gemm"], "page": 0}' 'page: must be'
  refuses predict '{"words": ["copy", "n=8"], "machine": ["h100"], "seal": true}' 'seal: writes a file'
  refuses import '{"words": ["list"], "ledger": "x"}' 'ledger: writes a file'
  refuses predict '{"words": ["copy", "n=8"], "json": true}' 'unknown'
  refuses plan '{"words": ["llama-3.1-8b"], "usrs": 50}' 'one of `words`: [\"llama-3.1-70b\"]'
  refuses model '{"words": ["llama-3.1-8b"], "bath": 16}' 'one of `words`: [\"llama-3.1-8b\", \"batch=16\"]'
  refuses claim '{"words": "1700TFLOP/s"}' 'each word by itself: [\"gemm\", \"m=8192\", \"n=8192\", \"k=8192\", \"1500us\"]'
}

@test "no file outside the roots is read: by its path, through .., a link, a list, a value or a file" {
  cp "$h989" outside.json
  ln -s "$PWD/outside.json" root/link.json
  ln -s "$PWD" root/up
  for name in "$PWD/outside.json" ../outside.json link.json up/outside.json "h100,../outside.json" /etc/passwd ../none.json; do
    refuses predict "$(jq -nc --arg name "$name" '{words: ["copy", "n=8"], machine: [$name]}')" 'outside the folders'
  done
  refuses import '{"words": ["../outside.json"]}' 'outside the folders'
  refuses model '{"words": ["/etc/passwd"], "machine": ["h100"]}' 'outside the folders'
  cp "$h989" root/inside.json
  run -0 ask "$(calls predict '{"words": ["copy", "n=8"], "machine": ["./inside.json"], "answer": "json"}')"
  [ "$(json '.result.content[0].text | fromjson | .machine')" = '"h989"' ]
}

# Where the kernel has Landlock, what the words do not show is refused too.
@test "a folder whose files are links out of the roots is not read" {
  run -0 "$ROOFLINE" mcp </dev/null
  [[ $output != *Landlock* ]] || skip "this kernel has no Landlock"
  mkdir root/model
  echo '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "secret": 1}' >config.json
  ln -s "$PWD/config.json" root/model/config.json
  refuses model '{"words": ["model"], "machine": ["h100"]}' 'Permission denied'
}

@test "an answer that crashes or is killed does not end the server" {
  coproc server { exec "$ROOFLINE" mcp --root root; }
  printf '%s\n' "$hello" "$(calls sweep '{"words": ["gemm", "m=1..2000", "n=1..2000", "k=8"], "machine": ["h100"], "answer": "json"}')" >&"${server[1]}"
  read -r -t 10 _ <&"${server[0]}"
  for _ in $(seq 100); do
    child=$(pgrep -P "$server_PID") && break
    sleep 0.02
  done
  kill -KILL "$child"
  read -r -t 10 output <&"${server[0]}"
  [ "$(json '[.id, .result.isError]')" = '[1,true]' ]
  has 'there is no answer: Killed'
  printf '%s\n' '{"jsonrpc": "2.0", "id": 2, "method": "ping"}' >&"${server[1]}"
  read -r -t 10 output <&"${server[0]}"
  [ "$(json .id)" = 2 ]
  kill "$server_PID"
}

@test "another page of the last answer is one reply, however many answers are in the making" {
  coproc "$ROOFLINE" mcp --root root
  local out=${COPROC[0]} in=${COPROC[1]} pid=$COPROC_PID
  sweep() { calls sweep "{\"words\": [\"copy\", \"n=1..3000\"], \"machine\": [\"h100\"], \"answer\": \"csv\"$1}" | jq -c ".id = $2"; }
  printf '%s\n' "$hello" "$(sweep '' 1)" >&"$in"
  read -r -t 60 first <&"$out" && read -r -t 60 first <&"$out"
  grep -q 'page 1 of ' <<<"$first"
  for i in {1..16}; do
    calls predict '{"words":["copy","n=8"],"machine":["h100"]}' | jq -c ".id = $((i + 100))"
  done >batch
  sweep ', "page": 2' 2 >>batch
  sweep '' 3 >>batch
  cat batch >&"$in"
  exec {in}>&-
  timeout 60 cat <&"$out" >replies
  wait "$pid"
  [ "$(jq -c 'select(.id == 2) | .result.isError' replies)" = false ]
  [ "$(jq -c 'select(.id == 3) | .result.isError' replies)" = true ]
  [ "$(wc -l <replies)" -eq 18 ]
}

@test "a root that is none, and words, are refused" {
  run -2 "$ROOFLINE" mcp --root none
  has 'no such folder'
  echo x >file
  run -2 "$ROOFLINE" mcp --root file
  has 'not a folder'
  run -2 "$ROOFLINE" mcp words
}
