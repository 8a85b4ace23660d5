"""Queries of the dictionary: one function each, ordered, returning frozen rows."""
