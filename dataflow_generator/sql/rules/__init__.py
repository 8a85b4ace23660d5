"""Lineage rules: one function for each kind of syntax node, applied in a scope."""
