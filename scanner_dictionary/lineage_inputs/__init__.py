"""Queries for what the flow graph is generated from."""
