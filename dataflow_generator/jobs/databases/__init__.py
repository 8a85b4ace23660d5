"""Databases in the graph: the names of their tables, lineage through views, and columns that a table cannot take."""
