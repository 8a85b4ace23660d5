"""The history of the tables leads to the tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, MetaData

import scanner_dictionary
from scanner_dictionary.engine.open import REVISION, VERSION_TABLE, open_dictionary
from scanner_dictionary.schema.tables import metadata


def test_migrated_dictionary_is_what_the_tables_say(dictionary) -> None:
    """A revision carries its own definitions, so only a comparison can tell that none was forgotten."""
    assert _shape(dictionary) == _wanted(dictionary)


@pytest.mark.postgres
def test_migrated_server_is_what_the_tables_say(postgres_url) -> None:
    """The same on the other database."""
    server = open_dictionary(postgres_url)

    assert _shape(server) == _wanted(server)


def test_newest_revision_is_the_one_that_opening_knows() -> None:
    """Opening must not import Alembic to learn it."""
    versions = Path(scanner_dictionary.__file__).parent / "migrations" / "versions"

    assert max(path.name[:4] for path in versions.glob("[0-9]*.py")) == REVISION


def _shape(engine: Engine) -> dict:
    found = MetaData()
    found.reflect(engine)
    found.remove(found.tables[VERSION_TABLE])
    return _described(found, engine)


def _wanted(engine: Engine) -> dict:
    return _described(metadata, engine)


def _described(tables: MetaData, engine: Engine) -> dict:
    return {
        name: {
            "columns": [
                (
                    c.name,
                    _type(c.type.compile(engine.dialect)),
                    c.nullable,
                    c.primary_key,
                    sorted(k.target_fullname for k in c.foreign_keys),
                )
                for c in table.columns
            ],
            "indexes": sorted((i.name, tuple(c.name for c in i.columns)) for i in table.indexes if not i.unique),
            "unique": sorted(_unique(table)),
        }
        for name, table in tables.tables.items()
    }


def _type(name: str) -> str:
    # PostgreSQL's FLOAT is its DOUBLE PRECISION.
    return name.replace("DOUBLE PRECISION", "FLOAT")


def _unique(table) -> set[tuple[str, ...]]:
    constraints = {
        tuple(c.name for c in u.columns) for u in table.constraints if type(u).__name__ == "UniqueConstraint"
    }
    return constraints | {tuple(c.name for c in i.columns) for i in table.indexes if i.unique}
