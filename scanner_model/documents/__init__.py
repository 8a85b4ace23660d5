"""Reading documents of users and servers: JSON with positions and limits, messages for JSON Schema errors."""
