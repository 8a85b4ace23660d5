"""What changed between two scans of a cluster: facts, schemas of topics, columns, and which readers that breaks."""
