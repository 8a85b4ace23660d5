"""Checking a proposed schema, statement or connector configuration against the dictionary, before it is merged."""
