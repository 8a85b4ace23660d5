"""Documents of users and servers: JSON with positions and limits, messages for JSON Schema errors; format version."""

FORMAT_VERSION = 1
"""The first member, `format_version`, of every JSON object that is written as a document; see docs/json.md."""
