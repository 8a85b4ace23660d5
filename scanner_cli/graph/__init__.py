"""Options of commands that generate or read a graph."""
