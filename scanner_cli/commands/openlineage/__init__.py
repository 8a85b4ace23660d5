"""`scanner openlineage`: import, receive and emit events."""
