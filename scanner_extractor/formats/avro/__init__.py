"""Avro schemas to columns."""
