"""The rules of lineage: one rule, one function; each takes a part of the tree and a scope."""
