"""One module a command: it parses, asks and shows."""
