"""Incremental."""
