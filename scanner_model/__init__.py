"""Data model of a scan: immutable facts, name types and errors. Standard library only."""
