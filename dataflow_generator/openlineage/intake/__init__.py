"""Receive OpenLineage events: files, the HTTP listener, the spool, and the import into the dictionary."""
