"""Read what teams keep in git: find files by content, and read schemas, statements, connectors and topics from them."""
