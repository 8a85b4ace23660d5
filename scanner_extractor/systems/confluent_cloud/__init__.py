"""Confluent Cloud's APIs: discovery, stream catalog, Tableflow, metrics."""
