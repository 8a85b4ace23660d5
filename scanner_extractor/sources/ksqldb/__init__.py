"""Ksqldb."""
