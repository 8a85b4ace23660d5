"""Parse."""
