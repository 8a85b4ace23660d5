"""Options of commands that emit OpenLineage events."""
