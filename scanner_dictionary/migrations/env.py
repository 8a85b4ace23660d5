"""Run by Alembic: applies the revisions through the connection that `upgrading` hands in, in its transaction."""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
)
context.run_migrations()
