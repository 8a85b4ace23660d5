"""Rules about jobs, statements, connectors and programs, and about tags along their flows."""
