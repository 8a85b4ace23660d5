"""Descriptions of topics, their schemas and users in YAML, JSON and TOML: the user's own forms and well-known ones."""
