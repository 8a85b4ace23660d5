#!/bin/sh
for t in a b; do kafka-topics --create --topic "$t" --partitions 3; done
