"""Json schema."""
