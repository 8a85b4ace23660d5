"""Queries on a flow graph: lineage traversal, impact, neighbourhood, stored graphs."""
