"""JSON Schema to columns."""
