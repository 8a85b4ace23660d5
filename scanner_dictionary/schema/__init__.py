"""The tables of the dictionary."""
