"""The history of the tables, as Alembic revisions: a shipped one is never edited and carries its own definitions."""
