#!/bin/sh
# The main job on a copy of a shipped log, in a folder of its own: look, rewrite, look at a mask, undo.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
CGO_ENABLED=0 go build -trimpath -o "$dir/sessc" .
cp fixtures/openclaw/demo.jsonl "$dir/session.jsonl"
export SESSC_ARCHIVE="$dir/archive"

run() {
	echo "\$ sessc $*"
	(cd "$dir" && ./sessc "$@")
	echo
}

run compress --dry-run session.jsonl
run compress --min-age 0 session.jsonl
echo "the first mask in session.jsonl:"
grep -m1 -o '── COMPACTED TASK ──.*────' "$dir/session.jsonl" |
	sed -e 's/\\n/\n/g' -e 's/\\\\\\"/@QUOTE@/g' -e 's/\\"/"/g' -e 's/@QUOTE@/\\"/g'
echo
run restore --min-age 0 session.jsonl
cmp fixtures/openclaw/demo.jsonl "$dir/session.jsonl"
echo "the original is back, byte for byte"
