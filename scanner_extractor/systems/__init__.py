"""One package for each system that is read: settings, JSON Schema, client, reader and probes."""
