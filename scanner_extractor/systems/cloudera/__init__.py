"""Cloudera Schema Registry."""
