"""Dictionaries of earlier revisions, with rows in them, are opened by this program."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, text

from scanner_dictionary.engine.open import REVISION, VERSION_TABLE, open_dictionary, resolve_url

BEFORE_THE_NAMES = "0008"
ROWS = {
    "cluster": {"id": 1, "name": "retail", "kafka_cluster_id": ""},
    "scan": {"id": 1, "cluster_id": 1, "started": "a", "finished": "b", "mode": "full", "answer": "partial"}
    | dict.fromkeys(("added", "changed", "gone", "returned", "stale", "refused"), 0),
    "source": {"id": 1, "cluster_id": 1, "name": "connect:main", "kind": "connect", "last_asked": 1}
    | {"stale_reason": ""},
    "scan_outcome": {"scan_id": 1, "ordinal": 0, "source_id": 1, "kind": "connect", "answer": "partial", "got": 3}
    | {"asked": 5, "reason": "", "hint": "", "requests": 2, "seconds": 0.5, "unread": "[]"},
    "scan_problem": {"scan_id": 1, "ordinal": 0, "place": "f.json $.a", "what": "is odd", "hint": ""},
    "finding": {"cluster_id": 1, "ordinal": 0, "scan_number": 1, "rule": "r", "severity": "error", "place": "orders"}
    | {"what": "is odd", "hint": ""},
    "lineage_facet": {"id": 1, "digest": "d", "home": "job", "name": "sql", "tells": True, "told": "2026-01-01"}
    | {"body": "{}", "removed": False, "producer": "p"},
}
"""A row of each table whose columns revision 0009 renames, as revision 0008 has it."""
RENAMED = [
    ("scan", "status", "partial"),
    ("source", "last_queried", 1),
    ("scan_outcome", "status", "partial"),
    ("scan_outcome", "received", 3),
    ("scan_outcome", "requested", 5),
    ("scan_problem", "location", "f.json $.a"),
    ("finding", "location", "orders"),
    ("lineage_facet", "scope", "job"),
    ("lineage_facet", "has_content", True),
    ("lineage_facet", "event_time", "2026-01-01"),
]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request, tmp_path) -> str:
    """Return the URL of an empty database of each kind."""
    return request.getfixturevalue("postgres_url") if request.param == "postgresql" else f"sqlite:///{tmp_path}/d.db"


def test_columns_with_new_names_keep_their_rows(url, upgrade_to) -> None:
    """People write SQL against the columns, and history is in no other place."""
    engine = create_engine(resolve_url(url).url)
    upgrade_to(engine, BEFORE_THE_NAMES)
    with engine.begin() as conn:
        for table, row in ROWS.items():
            names = ", ".join(row)
            conn.execute(text(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{name}' for name in row)})"), row)
    engine.dispose()

    dictionary = open_dictionary(url)
    with dictionary.connect() as conn:
        cells = [(table, name, conn.scalar(text(f"SELECT {name} FROM {table}"))) for table, name, _ in RENAMED]
        revision = conn.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    dictionary.dispose()
    assert cells == RENAMED
    assert revision == REVISION
