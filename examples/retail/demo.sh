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
say statements
say validate
say dataflow --output "$out/flow"
say lineage warehouse.public.order_facts.amount --upstream --columns --evidence
say export --format html -o "$out/flow.html"
printf '\nThe graph is %s: open it in a browser.\n' "$out/flow.html"
printf 'The dictionary is %s; ask it yourself: %s query --help\n' "$SCANNER_DICTIONARY" "$scanner"
