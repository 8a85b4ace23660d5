"""The history of the tables leads to the tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData, create_engine

import scanner_dictionary
from scanner_dictionary.engine.open import REVISION, VERSION_TABLE, open_dictionary
from scanner_dictionary.graph.store import StoredGraph, read_nodes, schema_nodes, stored_graph
from scanner_dictionary.schema.tables import metadata

VERSIONS = Path(scanner_dictionary.__file__).parent / "migrations" / "versions"


def test_migrated_dictionary_is_what_the_tables_state(dictionary) -> None:
    """A revision carries its own definitions, so only a comparison can tell that none was forgotten."""
    assert _shape(dictionary) == _wanted(dictionary)


@pytest.mark.postgres
def test_migrated_server_is_what_the_tables_state(postgres_url) -> None:
    """The same on the other database."""
    server = open_dictionary(postgres_url)

    assert _shape(server) == _wanted(server)


def test_a_graph_that_an_older_program_stored_stays(tmp_path, upgrade_to) -> None:
    """It answers until the next one is generated, which keeps nothing of it."""
    old = create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    upgrade_to(old, "0006")
    with old.begin() as conn:
        conn.exec_driver_sql('INSERT INTO flow_graph VALUES (1, 3, 1, 0, NULL, \'{"program": "x"}\')')
        conn.exec_driver_sql("INSERT INTO flow_node VALUES (1, 'schema:f', 'schema', '', 'S', NULL, '{}')")
        conn.exec_driver_sql("INSERT INTO flow_part VALUES (1, 'connect', 'sink', 'x', '{}')")

    with open_dictionary(str(tmp_path / "old.db")).connect() as conn:
        assert stored_graph(conn) == StoredGraph(3, 1, 0)
        assert [node.node_key for node in read_nodes(conn)] == ["schema:f"]
        assert schema_nodes(conn, 1) == {}


def test_newest_file_is_the_head_of_the_revisions() -> None:
    """Opening does not import Alembic: it takes the newest revision from the names of the files."""
    script = ScriptDirectory(str(VERSIONS.parent))
    files = sorted(path.name[:4] for path in VERSIONS.glob("[0-9]*.py"))

    assert script.get_heads() == [REVISION]
    assert sorted(walk_revision.revision for walk_revision in script.walk_revisions()) == files


def _shape(engine: Engine) -> dict:
    result = MetaData()
    result.reflect(engine)
    result.remove(result.tables[VERSION_TABLE])
    return _described(result, engine)


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
