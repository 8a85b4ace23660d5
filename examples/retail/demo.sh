#!/bin/sh
# Scan, query and export the bundled example, without a network. Usage: demo.sh PATH-OF-SCANNER
set -eu
scanner=$1
here=$(dirname "$0")
out=out/retail
mkdir -p "$out"
SCANNER_DICTIONARY=$out/dictionary.db
export SCANNER_DICTIONARY
run() { printf '\n$ scanner %s\n' "$*"; "$scanner" "$@"; }

rm -f "$SCANNER_DICTIONARY"
run extract --config "$here/cluster.json" --replay "$here/capture"
run topics
run query --broker localhost:29095 --topic orders
run query --broker localhost:29095 --topic legacy.invoices
run connectors
run statements
run validate
run dataflow --output "$out/flow"
run lineage warehouse.public.order_facts.amount --upstream --columns --evidence
run export --format html -o "$out/flow.html"
printf '\nThe graph is %s: open it in a browser.\n' "$out/flow.html"
printf 'The dictionary is %s; query it yourself: %s query --help\n' "$SCANNER_DICTIONARY" "$scanner"
