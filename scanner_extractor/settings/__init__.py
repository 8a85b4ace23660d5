"""Frozen settings, one module per section of cluster.json."""
