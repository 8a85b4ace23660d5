"""cluster.json to settings: loading, validation, JSON Schema."""
