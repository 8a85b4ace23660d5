#!/bin/sh
# The main job on the bundled example, without a network: scan, ask, draw. Usage: demo.sh PATH-OF-SCANNER
set -eu
scanner=$1
here=$(dirname "$0")
out=out/retail
mkdir -p "$out"
SCANNER_DICTIONARY=$out/dictionary.db
export SCANNER_DICTIONARY
say() { printf '\n$ scanner %s\n' "$*"; "$scanner" "$@"; }

rm -f "$SCANNER_DICTIONARY"
say extract --config "$here/cluster.json" --replay "$here/capture"
say topics
say query --broker localhost:29095 --topic orders
say query --broker localhost:29095 --topic legacy.invoices
say connectors
say dataflow --output "$out/flow"
printf '\nThe dictionary is %s; ask it yourself: %s query --help\n' "$SCANNER_DICTIONARY" "$scanner"
