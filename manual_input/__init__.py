"""The manual-input JSON format: JSON Schema, validation, and conversion to facts."""
