"""Schema versions to distinct definitions with columns."""
