#!/bin/sh
# Draws the pictures of the documents with the tool itself: sh docs/make-figures.sh [FOLDER], docs/ if none is named; those of
# docs/gallery.md, in gallery/, by the commands that it shows. The documents test draws them again and fails when they differ from
# those in docs/.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
roofline=${ROOFLINE:-$root/build/release/roofline}
folder=${1:-$root/docs}

"$roofline" plot gemm m=1,16,256,4096 n=28672 k=8192 \
  attention batch=1 heads=64 q_len=4096 kv_len=4096 head_dim=128 algorithm=flash,standard \
  softmax rows=8192 cols=8192 \
  --machine h100 --dtype fp16 --quiet --to "$folder/roofline.svg"

# The chart of the report of `loop`, on the scripted machine, so that it is the same everywhere.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && XDG_CONFIG_HOME=$scratch "$roofline" loop --quick --backend fake --quiet >/dev/null)
sed -n '/<svg/,/<\/svg>/{p;/<\/svg>/q}' "$scratch/roofline-report.html" >"$folder/report.svg"

# The gallery, as its page says.
mkdir -p "$scratch/gallery" "$scratch/bin" "$folder/gallery"
ln -s "$roofline" "$scratch/bin/roofline"
ln -s "$root/examples" "$scratch/gallery/examples"
awk '/^```/ { shown = /console/ } shown && /^[$>] / { print substr($0, 3) }' "$root/docs/gallery.md" >"$scratch/commands"
(cd "$scratch/gallery" && PATH="$scratch/bin:$PATH" HOME=$scratch XDG_CONFIG_HOME=$scratch sh -eu "$scratch/commands" >/dev/null 2>&1)
cp "$scratch"/gallery/*.svg "$folder/gallery/"
