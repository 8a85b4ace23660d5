"""Connections to the database of a dictionary."""
