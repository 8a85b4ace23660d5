"""The manual JSON format: its JSON Schema, every problem with its place, document to facts."""
