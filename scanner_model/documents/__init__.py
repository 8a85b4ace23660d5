"""JSON documents: reading them with limits and positions, and the format version of those that are written."""

FORMAT_VERSION = 1
"""The first member, `format_version`, of every JSON object that is written as a document; see docs/json.md."""
