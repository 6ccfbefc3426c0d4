#!/usr/bin/env bats
# A line of JSON in, a line of JSON out: over standard input and over a Unix socket.

setup() {
  load lib
  start
  gemm='{"id": 1, "op": "gemm", "parameters": {"m": 8192, "n": 28672, "k": 8192}, "machine": "h100", "dtype": "fp16"}'
}

teardown() {
  [ -z "${server-}" ] || kill "$server" 2>/dev/null || true
}

# ask LINE...: a reply per line.
ask() {
  printf '%s\n' "$@" | "$ROOFLINE" predictor
}

# serve [OPTION...]: a service on the socket s, in the background.
serve() {
  "$ROOFLINE" predictor --socket s "$@" 3>&- 2>log &
  server=$!
  for _ in $(seq 100); do
    grep -qs listening log && return
    sleep 0.02
  done
  cat log
  return 1
}

@test "an operation is predicted as the command predicts it, to the last digit" {
  run -0 ask "$gemm"
  [ "$(json '[.schema, .id, .error]')" = '["roofline.predictor/1",1,null]' ]
  for key in lower upper expected expected_low expected_high; do
    here=$(json ".seconds.$key")
    there=$("$ROOFLINE" predict gemm m=8192 n=28672 k=8192 --machine h100 --dtype fp16 --json | jq -c ".seconds.$key")
    [ "$here" = "$there" ] || { echo "$key: $here, not $there"; false; }
  done
  [ "$(json '[.machine, .regime, .binding]')" = '["nvidia-h100-sxm","compute","fp16 matrix"]' ]
}

@test "formats, options, sizes as text and choices by name have the command's meaning" {
  run -0 ask '{"op": "conv2d", "parameters": {"batch": "1Ki", "in_channels": 3, "out_channels": 64, "height": 224, "width": 224, "kernel": 7, "stride": 2, "padding": "same"}, "machine": "h100", "weights": "int8", "group": 64, "warm": true, "efficiency": 0.7}'
  here=$(json .seconds.expected)
  there=$("$ROOFLINE" predict conv2d batch=1Ki in_channels=3 out_channels=64 height=224 width=224 kernel=7 stride=2 padding=same \
    --machine h100 --weights int8 --group 64 --warm --efficiency 0.7 --json | jq -c .seconds.expected)
  [ "$here" = "$there" ]
}

@test "a step of a model is the decoding step of the model" {
  run -0 ask '{"id": "step", "model": "llama-3.1-8b", "batch": 16, "context": 2048, "plan": "tp=2", "machine": "h100"}'
  near .seconds.expected "$("$ROOFLINE" model llama-3.1-8b batch=16 prompt=2048 generate=2 tp=2 --machine h100 --json | jq .phases.decode.seconds.expected)" 1e-12
  [ "$(json '[.id, .regime, .binding]')" = '["step","memory","HBM"]' ]
  run -0 ask '{"model": "llama-3.1-8b", "prompts": 1, "queries": 8192, "machine": "h100"}'
  [ "$(json '[.regime, .binding]')" = '["compute","bf16 matrix"]' ]
  run -0 ask '{"model": "llama-3.1-8b", "batch": 1, "plan": "tp=8", "machine": "h100"}'
  [ "$(json '[.regime, .binding]')" = '["overhead","launch"]' ]
  run -0 ask '{"model": "llama-3.1-8b", "prompts": 1, "queries": 8192, "plan": "tp=8", "machine": "h100"}'
  [ "$(json '[.regime, .binding]')" = "[\"network\",$("$ROOFLINE" machine show h100 --json | jq '.links[0].name')]" ]
  one=$(ask '{"model": "llama-3.1-8b", "prompts": 1, "queries": 512, "machine": "h100"}' | jq .seconds.expected)
  more=$(ask '{"model": "llama-3.1-8b", "prompts": 1, "queries": 512, "batch": 8, "context": 100, "machine": "h100"}' | jq .seconds.expected)
  awk -v one="$one" -v more="$more" 'BEGIN { exit !(more > one && one > 0) }'
}

@test "what is wrong is a reply with the command's words, and the service goes on" {
  run -0 ask '{"id": 1, "op": "gem", "machine": "h100"}' '{"id": 2, "op": "gemm", "parameters": {"m": 8, "n": 8}, "machine": "h100"}' \
    '{"id": 3, "op": "gemm", "parameters": {"m": 0, "n": 8, "k": 8}, "machine": "h10"}' "$gemm"
  [ "${#lines[@]}" -eq 4 ]
  [ "$(jq -r .error.message <<<"${lines[0]}")" = "$("$ROOFLINE" predict gem --machine h100 2>&1 | sed 's/^roofline: //')" ]
  [ "$(jq -r .error.message <<<"${lines[1]}")" = "$("$ROOFLINE" predict gemm m=8 n=8 --machine h100 2>&1 | sed 's/^roofline: //')" ]
  [ "$(jq -r .error.code <<<"${lines[2]}")" = 2 ]
  [ "$(jq -c '[.id, .error]' <<<"${lines[3]}")" = '[1,null]' ]
}

@test "a time that is unknown is a reply with its reason, the words in which it is not sealed" {
  run -0 ask '{"op": "allreduce", "parameters": {"size": 8, "ranks": 64}, "machine": "apple-m2-ultra"}'
  [ "$(json '[.error.code, .seconds]')" = '[3,null]' ]
  [ "$(jq -r .error.message <<<"$output")" = "$("$ROOFLINE" predict allreduce size=8 ranks=64 --machine apple-m2-ultra --seal 2>&1 | sed 's/^roofline: //')" ]
}

@test "members that are none, of another type, or twice are refused by name" {
  run -0 ask '{"op": "gemm", "dtyp": "fp16"}' '{"op": "gemm", "warm": 1}' '{"op": "gemm", "op": "gemv"}' '{"op": "gemm", "model": "llama-3.1-8b"}' \
    '{"id": [1], "op": "gemm"}' '{"protocol": 2, "op": "gemm"}' '{"model": "llama-3.1-8b", "machine": "h100"}' '{"op": "gemm", "parameters": {"x": 1}, "machine": "h100"}' '[]'
  [ "${#lines[@]}" -eq 9 ]
  for line in "${lines[@]}"; do
    [ "$(jq -r '.error.code' <<<"$line")" = 2 ]
    [ "$(jq -c '[.machine, .seconds, .regime, .binding]' <<<"$line")" = '[null,null,null,null]' ]
  done
  has 'did you mean `dtype`?'
  has 'protocol: must be 1'
  has 'gemm has no parameter `x`'
  run -0 ask '{"op": "a\u0000b"}'
  [ "$(json .error.message)" = '"request: \\u0000 is no character of a text (column 17)"' ]
}

@test "hostile lines are bounded: long, deep, NUL, not UTF-8, half" {
  {
    head -c 200000 /dev/zero | tr '\0' x
    printf '\n'
    head -c 60000 /dev/zero | tr '\0' '['
    printf '\n{"op": "\0"}\n{"op": "\xff"}\n{"op": "\\u0000"}\n\n\r\n%s\n{"id": 9, "op": "ge' "$gemm"
  } >hostile
  run -0 "$ROOFLINE" predictor <hostile
  [ "${#lines[@]}" -eq 7 ]
  has 'longer than 65536 bytes'
  has 'nested deeper than'
  jq -e . <<<"$output" >/dev/null
  [ "$(jq -c '[.id, .error]' <<<"${lines[5]}")" = '[1,null]' ]
  [ "$(jq -r '.error.code' <<<"${lines[6]}")" = 2 ]
}

@test "requests read no file that the service was not started with" {
  ln -s "$h989" link.json
  run -0 ask "{\"op\": \"copy\", \"parameters\": {\"n\": 8}, \"machine\": \"$h989\"}" '{"op": "copy", "parameters": {"n": 8}, "machine": "link.json"}' \
    '{"op": "copy", "parameters": {"n": 8}, "machine": "-"}' '{"model": "/etc/passwd", "batch": 1, "machine": "h100"}'
  [ "$(grep -c 'was not started with' <<<"$output")" -eq 4 ]
  run -0 "$ROOFLINE" predictor --machine "$h989" <<<'{"op": "copy", "parameters": {"n": 8}}'
  [ "$(json .machine)" = '"h989"' ]
  run -2 "$ROOFLINE" predictor --machine h10
  has 'did you mean'
}

@test "several clients at once over a socket, which only this user can open and which Ctrl-C removes" {
  serve --machine h100
  [ "$(stat -c %a s)" = 600 ]
  python3 - "$gemm" <<'END'
import json, socket, sys
clients = [socket.socket(socket.AF_UNIX) for _ in range(20)]
for c in clients:
    c.connect("s")
clients[0].sendall(b'{"id": "half", ')
for i, c in enumerate(clients[1:], 1):
    line = json.loads(sys.argv[1]) | {"id": i}
    c.sendall((json.dumps(line) + "\n").encode() * 50)
for i, c in enumerate(clients[1:], 1):
    replies = c.makefile()
    for _ in range(50):
        reply = json.loads(replies.readline())
        assert reply["id"] == i and reply["error"] is None, reply
clients[1].close()
clients[0].sendall(b'"op": "copy", "parameters": {"n": 8}}\n')
assert json.loads(clients[0].makefile().readline())["id"] == "half"
END
  kill -INT "$server"
  wait "$server"
  [ ! -e s ]
}

@test "a socket that nobody listens on is replaced, one that is served and a file are not" {
  python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("s")'
  serve
  run -3 "$ROOFLINE" predictor --socket s
  has 'another service listens there'
  kill -TERM "$server"
  wait "$server"
  [ ! -e s ]
  echo kept >file
  run -3 "$ROOFLINE" predictor --socket file
  has 'exists and is no socket'
  [ "$(cat file)" = kept ]
  run -2 "$ROOFLINE" predictor --socket "$(printf 'x%.0s' {1..200})"
  has 'a path has 1 to 107 bytes'
}

@test "who reads no answers is not read either, and others are served" {
  serve --machine h100
  timeout 20 python3 - <<'END'
import json, socket
line = b'{"op": "copy", "parameters": {"n": 8}}\n'
deaf = socket.socket(socket.AF_UNIX)
deaf.connect("s")
deaf.settimeout(0.3)
sent = 0
try:
    while sent < 1 << 24:
        sent += deaf.send(line * 1000)
except TimeoutError:
    pass
assert sent < 1 << 24, sent
other = socket.socket(socket.AF_UNIX)
other.connect("s")
other.sendall(line)
assert json.loads(other.makefile().readline())["error"] is None
END
}

# adapter NAME: runs its stand-in with it; what it says of seconds is in $here, of errors in $stderr.
adapter() {
  cp -R "$ROOFLINE_SOURCE/tests/fixtures/$1/." .
  cp "$ROOFLINE_SOURCE/examples/roofline_service.py" "$ROOFLINE_SOURCE/examples/$1_predictor.py" .
  PYTHONDONTWRITEBYTECODE=1 run -0 --separate-stderr python3 run.py
  here=$output
}

# as_asked REQUEST...: $here has what the service answers to them, in their order.
as_asked() {
  there=$(ask "$@" | jq -sc 'map(.seconds.expected)')
  jq -e --argjson there "$there" 'length == ($there | length) and ([., $there] | transpose | all(.[0] / .[1] | . > 1 - 1e-12 and . < 1 + 1e-12))' <<<"$here"
}

@test "the adapter for Vidur answers a stand-in of its interface as the service does (the real simulator is not run)" {
  adapter vidur
  step='"model": "llama-3.1-8b", "plan": "tp=2", "machine": "h100"'
  as_asked "{$step, \"prompts\": 1, \"queries\": 512}" "{$step, \"prompts\": 1, \"queries\": 512, \"past\": 512}" "{$step, \"batch\": 8, \"context\": 1027.5}" \
    "{$step, \"batch\": 8, \"context\": 1024, \"prompts\": 1, \"queries\": 256}"
  [[ $stderr == *'use one stage'*'llama-9'* ]]
}

@test "the adapter for SGLang's simulator answers a stand-in of its interface as the service does (the real simulator is not run)" {
  echo '{"predictor": {"name": "roofline", "machine": "h100", "model": "llama-3.1-8b", "kv": "fp8"}}' >simulator.json
  mkdir model
  cat >model/config.json <<<'{"model_type": "llama", "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192, "num_hidden_layers": 16,
    "vocab_size": 128256, "torch_dtype": "bfloat16", "tie_word_embeddings": true}'
  export SGLANG_SIMULATOR_CONFIG_PATH=$PWD/simulator.json
  adapter sglang
  step='"model": "llama-3.1-8b", "plan": "tp=2 ep=1", "machine": "h100", "kv": "fp8"'
  jq -e '.[4] == 0' <<<"$here"
  here=$(jq -c 'del(.[4])' <<<"$here")
  small=$(echo '{"model": "model", "plan": "tp=2 ep=1", "prompts": 1, "queries": 512}' | "$ROOFLINE" predictor --machine h100 --model model | jq .seconds.expected)
  jq -e --argjson small "$small" '.[4] == $small and .[4] < .[0]' <<<"$here"
  here=$(jq -c 'del(.[4])' <<<"$here")
  as_asked "{$step, \"prompts\": 1, \"queries\": 512}" "{$step, \"prompts\": 1, \"queries\": 512, \"past\": 512}" "{$step, \"batch\": 8, \"context\": 1027.5}" \
    "{$step, \"batch\": 8, \"context\": 1027.5, \"prompts\": 2, \"queries\": 128.5}"
  [[ $stderr == *'dp_size is 2'*'Unknown predictor name: replay'*'llama-9'* ]]
}

@test "a profile for LLMServingSim gives the steps that the service gives, 5 % of them aside (the real simulator is not run)" {
  [ -f "$ROOFLINE_BUILD/python/roofline/_abi.py" ] || skip "no package for Python was built"
  cat >config.json <<<'{"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}'
  export PYTHONPATH=$ROOFLINE_BUILD/python PYTHONDONTWRITEBYTECODE=1
  python3 "$ROOFLINE_SOURCE/examples/llmservingsim_profile.py" config.json h100 bf16 --tp 1,2
  [ -s bf16/tp2/attention.csv ]
  python3 "$ROOFLINE_SOURCE/tests/fixtures/llmservingsim/reader.py" bf16 32 >steps
  step='"model": "llama-3.1-8b", "machine": "h100"'
  there=$(ask "{$step, \"batch\": 8, \"context\": 1024}" "{$step, \"prompts\": 1, \"queries\": 1024}" | jq -sc 'map(.seconds.expected)')
  jq -e --argjson there "$there" '[., $there] | transpose | all(.[0] / .[1] | . > 0.95 and . < 1.05)' steps
}
