#!/usr/bin/env bats
# roofline ledger anchor: heads that the ledger's owner cannot take back, and what they find.

setup() {
  load lib
  start
  export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
}

needs() {
  local program
  for program; do
    type "$program" >/dev/null || skip "$program is not installed"
  done
}

# seals LABEL...: a prediction each, signed with roofline.key where there is one.
seals() {
  local label sign=()
  [ ! -e roofline.key ] || sign=(--sign roofline.key)
  for label; do
    "$ROOFLINE" predict add n=64Mi --machine h100 --seal --label "$label" "${sign[@]}" --quiet >/dev/null
  done
}

# head [FILE]: of a ledger.
head_of() {
  "$ROOFLINE" ledger verify --ledger "${1:-roofline.ledger}" | sed -n 's/^head //p'
}

# rewrite: the owner writes the whole ledger anew with his key, other figures under the same labels.
rewrite() {
  rm roofline.ledger
  "$ROOFLINE" predict add n=32Mi --machine h100 --seal --label a --sign roofline.key --quiet >/dev/null
  seals b
  run -0 "$ROOFLINE" ledger verify --strict --key roofline.key.pub # chain and signatures hold
  has 'of the key: 2 signatures; entries 1 to 2 are covered'
}

repository() {
  needs git
  git init -q .
  git commit -q --allow-empty -m one
}

# authority [DAYS]: root.pem, and tsa.pem that it signed, valid for a day (NAME.expired: until 2021).
authority() {
  needs openssl
  mkdir -p tsa && : >tsa/index && echo 01 >tsa/number && echo 01 >tsa/serial
  cat >tsa/conf <<'END'
[req]
distinguished_name = name
prompt = no
[name]
CN = the test
[ca]
default_ca = root
[root]
database = tsa/index
serial = tsa/number
new_certs_dir = tsa
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
[stamps]
extendedKeyUsage = critical, timeStamping
[tsa]
serial = tsa/serial
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
END
  local key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config tsa/conf'
  {
    openssl req -x509 $key -extensions authority -keyout root.key -out root.pem -days 1
    openssl req $key -subj "/CN=time" -keyout tsa.key -out tsa.csr
    openssl ca -batch -config tsa/conf -cert root.pem -keyfile root.key -extensions stamps -in tsa.csr -out tsa.pem -days 1 -notext
    openssl ca -batch -config tsa/conf -cert root.pem -keyfile root.key -extensions stamps -in tsa.csr -out old.pem -notext \
      -startdate 20200101000000Z -enddate 20210101000000Z
  } 2>/dev/null
}

# answers REQUEST REPLY [CERTIFICATE]: what the authority does.
answers() {
  openssl ts -reply -config tsa/conf -section tsa -queryfile "$1" -signer "${3-tsa.pem}" -inkey tsa.key -out "$2" 2>/dev/null
}

# refused ANCHOR TEXT: the anchor does not hold, and TEXT says why.
refused() {
  run --separate-stderr "$ROOFLINE" ledger verify --anchor "$1" --ca root.pem
  [ "$status" -eq 1 ] && [[ $stderr == *"$2"* ]] && [ -z "$output" ] && [ "$(wc -l <<<"$stderr")" -eq 1 ] && return
  echo "exit $status: $output $stderr"
  return 1
}

@test "a tag: made, verified after the ledger has grown, and a rewritten ledger is found by it alone" {
  repository
  "$ROOFLINE" ledger keygen
  seals a b
  old=$(head_of)
  run -0 "$ROOFLINE" ledger anchor git
  tag=roofline/2-${old:2:12}
  [ "${lines[0]}" = "$tag is of head $old" ]
  has "git push origin $tag"
  [ "$(git cat-file tag "$tag" | tail -1)" = "$old roofline.ledger" ]
  seals c
  run -0 "$ROOFLINE" ledger verify --anchor git
  has "anchor $tag: entries 1 to 2 are as they were when others got this tag, made $(date -u +%F)"
  has 'no anchor covers entries 3 to 3'
  run -0 "$ROOFLINE" ledger anchor git
  run -0 "$ROOFLINE" ledger verify --anchor git --json
  [ "$(json '[.anchored, (.anchors | map([.kind, .entries]))]')" = '[3,[["git",2],["git",3]]]' ]
  run -3 "$ROOFLINE" ledger anchor git
  has 'already exists'
  rewrite
  run -1 "$ROOFLINE" ledger verify --anchor git
  has "does not extend anchor $tag of"
  has 'entry 2 is another, or one before it'
}

@test "a tag that was edited, moved or removed; tags of other ledgers" {
  repository
  mkdir results
  seals a b
  mv roofline.ledger results/x.ledger
  run -1 "$ROOFLINE" ledger verify --ledger results/x.ledger --anchor git
  has 'no tag of it in the repository around it'
  run -0 "$ROOFLINE" ledger anchor git --ledger results/x.ledger
  tag=$(git tag)
  record=$(git cat-file tag "$tag" | tail -1)
  [[ $record == *' results/x.ledger' ]]
  cd results
  run -0 "$ROOFLINE" ledger verify --ledger x.ledger --anchor git
  cd ..
  cp results/x.ledger other.ledger
  run -1 "$ROOFLINE" ledger verify --ledger other.ledger --anchor git
  edited() { # MESSAGE
    git tag -f -m "$1" "$tag" >/dev/null
    run -1 "$ROOFLINE" ledger verify --ledger results/x.ledger --anchor git
    has "tag $tag: was edited"
  }
  edited "1:${record#*:}"
  edited 'nothing'
  edited "${record/:/:0}"
  git tag -f "$tag" >/dev/null
  run -1 "$ROOFLINE" ledger verify --ledger results/x.ledger --anchor git
  has "tag $tag: was edited"
  git tag -d "$tag" >/dev/null
  run -1 "$ROOFLINE" ledger verify --ledger results/x.ledger --anchor git
}

@test "whoever has fetched a tag keeps it: git neither pushes nor fetches another over it" {
  repository
  git init -q --bare server
  git remote add origin server
  seals a b
  "$ROOFLINE" ledger anchor git --quiet
  git push -q origin HEAD --tags
  git clone -q server reader
  "$ROOFLINE" ledger keygen
  rewrite
  tag=$(git tag)
  git tag -d "$tag" >/dev/null # and makes another of its name, and one of the new head
  git tag -m "$(head_of) roofline.ledger" "$tag"
  run git push origin "$tag"
  [ "$status" -ne 0 ]
  git tag -d "$tag" >/dev/null
  "$ROOFLINE" ledger anchor git --quiet
  git push -q origin HEAD --tags
  run -0 "$ROOFLINE" ledger verify --anchor git # here, where the first is gone
  git -C reader fetch -q --tags
  cp roofline.ledger reader
  run -1 "$ROOFLINE" ledger verify --anchor git --ledger reader/roofline.ledger
  has "does not extend anchor $tag of"
}

@test "a tag is signed where git is asked to sign tags" {
  repository
  printf '#!/bin/sh\ncat >/dev/null\necho "-----BEGIN PGP SIGNATURE-----"\nprintf "\\n[GNUPG:] SIG_CREATED D\\n" >&2\n' >gpg
  chmod +x gpg
  git config gpg.program "$PWD/gpg"
  git config tag.gpgSign true
  seals a
  run -0 "$ROOFLINE" ledger anchor git
  git cat-file tag "$(git tag)" | grep -q 'BEGIN PGP'
  run -0 "$ROOFLINE" ledger verify --anchor git
}

@test "without a repository, a commit or git there is no tag" {
  needs git
  seals a
  run -3 "$ROOFLINE" ledger anchor git
  has 'git: fatal: not a git repository'
  run -3 "$ROOFLINE" ledger verify --anchor git
  git init -q .
  run -3 "$ROOFLINE" ledger anchor git
  has 'git: '
  mkdir none
  PATH=none run -3 "$ROOFLINE" ledger anchor git
  has 'git: cannot be executed: No such file'
}

@test "a repository's configuration starts no program" {
  repository
  seals a
  printf '#!/bin/sh\ntouch %s/started\n' "$PWD" >evil
  chmod +x evil
  mkdir hooks
  cp evil hooks/reference-transaction
  git config core.hooksPath "$PWD/hooks"
  git config core.fsmonitor "$PWD/evil"
  git config core.pager "$PWD/evil"
  run -0 "$ROOFLINE" ledger anchor git
  run -0 "$ROOFLINE" ledger verify --anchor git
  [ ! -e started ]
}

@test "a time stamp: requested, answered, verified offline, and a rewritten ledger is found by it alone" {
  authority
  "$ROOFLINE" ledger keygen
  seals a b
  run -0 "$ROOFLINE" ledger anchor tsa
  [ "${lines[0]}" = "roofline.ledger.2.head.tsq is of head $(head_of)" ]
  has 'keep the reply as roofline.ledger.2.head.tsr'
  [ "$(cat roofline.ledger.2.head)" = "$(head_of)" ]
  answers roofline.ledger.2.head.tsq roofline.ledger.2.head.tsr
  openssl ts -verify -data roofline.ledger.2.head -in roofline.ledger.2.head.tsr -CAfile root.pem # without roofline
  seals c
  run -0 "$ROOFLINE" ledger verify --anchor roofline.ledger.2.head.tsr --ca root.pem
  has "anchor roofline.ledger.2.head.tsr: entries 1 to 2 are as they were on $(date -u +%F)T"
  has 'no anchor covers entries 3 to 3'
  run -0 "$ROOFLINE" ledger verify --anchor roofline.ledger.2.head.tsr --ca root.pem --json
  [ "$(json '.anchors[0] | [.kind, .anchor, .entries, (.time | length)]')" = '["tsa","roofline.ledger.2.head.tsr",2,20]' ]
  run -0 "$ROOFLINE" ledger verify --anchor roofline.ledger.2.head.tsr --ca root.pem --csv
  [ "${lines[0]##*,}" = anchored ] && [ "${lines[1]##*,}" = 2 ]
  run -0 "$ROOFLINE" ledger anchor tsa --json # of the next head
  [ "$(json '[.schema, .kind, .entries, .anchor, .time]')" = '["roofline.anchor/1","tsa",3,"roofline.ledger.3.head.tsq",null]' ]
  rewrite
  refused roofline.ledger.2.head.tsr 'does not extend anchor roofline.ledger.2.head.tsr of 20'
  run -1 "$ROOFLINE" ledger anchor tsa
  has 'roofline.ledger.2.head: is of another head: the ledger was written anew since'
}

@test "a time stamp of another digest, truncated, no time stamp, of another authority, expired" {
  authority
  seals a
  "$ROOFLINE" ledger anchor tsa --quiet
  stamp=roofline.ledger.1.head.tsr
  answers "${stamp%r}q" good.tsr
  cp good.tsr $stamp
  run -0 "$ROOFLINE" ledger verify --anchor $stamp --ca root.pem
  run -2 "$ROOFLINE" ledger verify --anchor $stamp
  has 'needs --ca'
  run -2 "$ROOFLINE" ledger verify --anchor $stamp --ca none.pem
  has 'none.pem'
  cp roofline.ledger.1.head kept.head
  echo "1:$(printf '%064d' 7)" >roofline.ledger.1.head
  refused $stamp "$stamp: does not hold: message imprint mismatch"
  echo 'no head' >roofline.ledger.1.head
  refused $stamp 'roofline.ledger.1.head: is no head'
  cp kept.head roofline.ledger.1.head
  for bytes in 0 1 40 500 -1; do
    head -c "$bytes" good.tsr >$stamp
    refused $stamp "$stamp: does not hold: "
  done
  echo '<html>not found</html>' >$stamp
  refused $stamp "$stamp: does not hold: "
  head -c 100000 /dev/urandom >$stamp
  refused $stamp "$stamp: does not hold: "
  answers "${stamp%r}q" $stamp old.pem
  refused $stamp "$stamp: does not hold: certificate verify error: Verify error:certificate has expired"
  cp good.tsr $stamp
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config tsa/conf -keyout other.key -out root.pem -days 1 2>/dev/null
  refused $stamp "$stamp: does not hold: certificate verify error"
}

@test "the proofs next to a ledger are found, whatever its name" {
  authority
  for name in 'odd [*]?\\ {a,b}.ledger' -x.ledger; do
    "$ROOFLINE" predict add n=64Mi --machine h100 --seal --label a --ledger="$name" --quiet >/dev/null
    "$ROOFLINE" ledger anchor tsa --ledger="$name" --quiet
    answers "./$name.1.head.tsq" "./$name.1.head.tsr"
    "$ROOFLINE" predict add n=64Mi --machine h100 --seal --label b --ledger="$name" --quiet >/dev/null
    "$ROOFLINE" ledger anchor tsa --ledger="$name" --quiet
    answers "./$name.2.head.tsq" "./$name.2.head.tsr"
    run -0 "$ROOFLINE" ledger verify --anchor files --ca root.pem --ledger="$name" --json
    [ "$(json '[.anchors[].entries]')" = '[1,2]' ]
  done
  cp ./-x.ledger.1.head.tsr ./-x.ledger.2.head.tsr
  run -1 "$ROOFLINE" ledger verify --anchor files --ca root.pem --ledger=-x.ledger
  has 'x.ledger.2.head.tsr: does not hold: message imprint mismatch'
}

@test "a reply's status, which nobody signs, does not say when" {
  authority
  needs python3
  seals a
  "$ROOFLINE" ledger anchor tsa --quiet
  answers roofline.ledger.1.head.tsq good.tsr
  status() { # TEXT: the reply with it as the status
    python3 - "$1" <<'END'
import sys
def der(tag, data):
    n = len(data)
    return bytes([tag]) + (bytes([n]) if n < 128 else bytes([130, n >> 8, n & 255])) + data
reply = open('good.tsr', 'rb').read()
granted = bytes([0x30, 3, 2, 1, 0])
token = reply[reply.index(granted) + 5:]
text = sys.argv[1].encode().decode('unicode_escape').encode()
open('roofline.ledger.1.head.tsr', 'wb').write(der(0x30, der(0x30, der(2, b'\0') + der(0x30, der(12, text))) + token))
END
  }
  status 'fine\nTime stamp: Jan  1 00:00:00 2001 GMT\n'
  openssl ts -reply -in roofline.ledger.1.head.tsr -text | grep -q '^Time stamp: Jan  1 00:00:00 2001 GMT'
  run -0 "$ROOFLINE" ledger verify --anchor files --ca root.pem
  has "as they were on $(date -u +%F)T"
  status 'fine\nTime stamp: Jan  1 00:00:00 2001 GMT\n\0'
  refused files 'is no time stamp that an authority granted'
}

@test "an authority's address is asked with curl, and what is no reply is not kept" {
  authority
  seals a
  mkdir bin
  printf '#!/bin/sh\nfor url; do :; done\ncase $url in\n*good) cat >q; exec openssl ts -reply -config tsa/conf -section tsa -queryfile q -signer tsa.pem -inkey tsa.key 2>/dev/null ;;\n*html) echo "<html>" ;;\n*) echo "curl: (6) no such host" >&2; exit 6 ;;\nesac\n' >bin/curl
  chmod +x bin/curl
  PATH=$PWD/bin:$PATH
  run -1 "$ROOFLINE" ledger anchor tsa http://time.example/html
  has 'http://time.example/html: is no time stamp that an authority granted'
  run -3 "$ROOFLINE" ledger anchor tsa http://nowhere.example
  has 'roofline: curl: (6) no such host'
  [ ! -e roofline.ledger.1.head.tsr ]
  run -0 "$ROOFLINE" ledger anchor tsa http://time.example/good
  has "it says $(date -u +%F)T"
  run -0 "$ROOFLINE" ledger verify --anchor roofline.ledger.1.head.tsr --ca root.pem
  run -2 "$ROOFLINE" ledger anchor git http://time.example
  has 'takes no address'
}

@test "OpenTimestamps: its client stamps and verifies, or is missed" {
  ! type ots >/dev/null || skip "the client itself is installed"
  seals a b
  run -3 "$ROOFLINE" ledger anchor ots
  has 'ots: cannot be executed: No such file or directory; roofline.ledger.2.head is what'
  [ "$(cat roofline.ledger.2.head)" = "$(head_of)" ]
  mkdir bin
  cat >bin/ots <<'END'
#!/bin/sh
case $1 in
stamp) sha256sum "$2" | cut -c 1-64 >"$2.ots" ;;
verify)
  [ "$(head -1 "$4")" = "$3" ] || { echo "Digest provided does not match digest in timestamp" >&2; exit 1; }
  [ -e confirmed ] || { echo "Pending confirmation in Bitcoin blockchain" >&2; exit 1; }
  echo "Success! Bitcoin block 358391 attests existence as of 2015-05-28 UTC" >&2
  [ ! -e fails ]
  ;;
esac
END
  chmod +x bin/ots
  PATH=$PWD/bin:$PATH
  run -0 "$ROOFLINE" ledger anchor ots
  has 'ots upgrade roofline.ledger.2.head.ots'
  refused roofline.ledger.2.head.ots 'roofline.ledger.2.head.ots: does not hold: Pending confirmation'
  touch confirmed
  seals c
  run -0 "$ROOFLINE" ledger verify --anchor roofline.ledger.2.head.ots
  has 'anchor roofline.ledger.2.head.ots: entries 1 to 2 are as they were on 2015-05-28, says a block of Bitcoin'
  touch fails # whatever it printed before
  refused roofline.ledger.2.head.ots 'does not hold: Success'
  rm fails
  head -1 roofline.ledger >short.ledger
  run -1 "$ROOFLINE" ledger verify --ledger short.ledger --anchor roofline.ledger.2.head.ots
  has '1 of its 2 entries are missing'
  echo "2:$(printf '%064d' 7)" >roofline.ledger.2.head
  refused roofline.ledger.2.head.ots 'Digest provided does not match'
}

@test "what is no anchor is refused" {
  : >roofline.ledger
  run -1 "$ROOFLINE" ledger anchor tsa
  has 'has no entries'
  rm roofline.ledger
  seals a
  run -2 "$ROOFLINE" ledger anchor
  has 'give git, tsa or ots'
  run -2 "$ROOFLINE" ledger anchor gti
  has 'did you mean `git`?'
  run -2 "$ROOFLINE" ledger anchor git --csv
  run -2 "$ROOFLINE" ledger verify --anchor roofline.ledger
  has 'must be git, files, or a file .tsr or .ots'
  run -1 "$ROOFLINE" ledger verify --anchor files
  has 'no proof next to it, roofline.ledger.N.head.tsr or .ots'
  run -2 "$ROOFLINE" ledger verify --anchor none.tsr --ca roofline.ledger
  has '`none`: No such file'
  run -2 "$ROOFLINE" ledger show --anchor git
  has 'has no effect without `verify`'
}
