"""Files of SQL and of topologies: read whole, without secrets, each alone; and kept so that a replay needs none."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner_extractor.config.interpolation import named_files
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.job_files import LARGEST, read_texts_document
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.runner import Task, kind_tasks
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.flink.settings import SqlFilesSettings
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_model.errors import InputInvalid, SourceUnreachable
from scanner_model.kafka import StreamsTopology
from scanner_model.names import ClusterName, SourceId
from scanner_model.scan import SourceStatus
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

TOPOLOGY = "Topologies:\n   Sub-topology: 0\n    Source: s (topics: [orders])\n      --> k\n    Sink: k (topic: paid)\n"


def files(base: Path, pattern: str, ending: str = "*") -> FileSettings:
    return FileSettings(pattern=pattern, base=base, files=named_files(pattern, base, ending))


def task(base: Path, *, sql: str = "", streams: str = "", name: str = "", access: Connections | None = None) -> Task:
    settings = Settings(
        cluster=ClusterName("c"),
        brokers=(),
        file=base / "cluster.json",
        sql_files=(SqlFilesSettings(files=files(base, sql, "*.sql"), catalog="shop", database="eu"),) if sql else (),
        others={"streams": (StreamsSettings(files=files(base, streams, "*.txt"), name=name),)} if streams else {},
    )
    (only,) = kind_tasks("collections and connectors", settings, access or Connections())
    return only


def read(base: Path, **more: object) -> Reading:
    return task(base, **more).run(no_progress)  # type: ignore[arg-type, return-value]


def test_each_file_is_a_script_named_by_its_path(tmp_path: Path) -> None:
    """Two files of one name stand in two directories."""
    for name in ("b.sql", "deep/b.sql", "deep/er/a.sql"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("SET 'a' = 'b';\nSELECT 1;\r\n", newline="")

    reading = read(tmp_path, sql="**/*.sql")

    assert [statement.name for statement in reading.of(StreamingStatement)] == ["b.sql", "deep/b.sql", "deep/er/a.sql"]
    first = reading.of(StreamingStatement)[0]
    assert (first.kind, first.statement) == (SCRIPT, "SET 'a' = 'b';\nSELECT 1;\r\n")
    assert (first.catalog_name, first.database_name, first.topics_read) == ("shop", "eu", None)
    assert (reading.outcome.status, reading.outcome.received, reading.outcome.kind) == (SourceStatus.READ, 3, "flink")


def test_secrets_of_a_file_are_shown_to_nobody(tmp_path: Path) -> None:
    """Neither to the reader nor in a capture."""
    options = "'password' = 'zqAzq', 'properties.sasl.jaas.config' = 'x password=\"zqBzq\";', 'u' = 'http://a:zqCzq@h'"
    (tmp_path / "a.sql").write_text(f"-- password=zqDzq\nCREATE TABLE t (a INT) WITH ('topic' = 't', {options});")

    reading = read(tmp_path, sql="a.sql", access=Connections(recorder=Recorder(tmp_path / "kept")))

    text = "".join(file.read_text() for file in (tmp_path / "kept").rglob("*.json"))
    assert "'topic' = 't'" in reading.of(StreamingStatement)[0].statement
    assert not [secret for secret in ("zqAzq", "zqBzq", "zqCzq", "zqDzq") if secret in repr(reading) + text]


def test_a_replay_needs_no_file(tmp_path: Path) -> None:
    """A capture is read elsewhere, and says what could not be read, too."""
    (tmp_path / "a.sql").write_text("\ufeffSELECT 'ä', \"b\"; -- token=x")
    (tmp_path / "b.sql").write_bytes(b"\xff")
    first = read(tmp_path, sql="*.sql", access=Connections(recorder=Recorder(tmp_path / "kept")))
    for name in ("a.sql", "b.sql"):
        (tmp_path / name).unlink()

    again = read(tmp_path, sql="*.sql", access=Connections(replay=Replay(tmp_path / "kept")))

    assert again == first
    assert (len(again.of(StreamingStatement)), again.outcome.unread) == (1, {"b.sql"})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"SELECT '\xff'", "it is not UTF-8 at byte 8"),
        (b"SELECT\0", "it is not text"),
        (b" " * (LARGEST + 1), f"it is larger than {LARGEST} bytes"),
    ],
    ids=["bytes", "binary", "huge"],
)
def test_file_that_cannot_be_read_costs_itself(tmp_path: Path, content: bytes, why: str) -> None:
    """What it said in an earlier scan stays."""
    (tmp_path / "bad.sql").write_bytes(content)
    (tmp_path / "good.sql").write_text("SELECT 1")

    reading = read(tmp_path, sql="*.sql")

    assert ([statement.name for statement in reading.of(StreamingStatement)], reading.outcome.unread) == (
        ["good.sql"],
        {"bad.sql"},
    )
    assert (reading.outcome.status, reading.problems[0].what) == (SourceStatus.PARTIAL, why)


def test_files_that_are_gone_are_not_the_same_as_none(tmp_path: Path) -> None:
    """A directory that is not mounted must not erase a hundred jobs."""
    (tmp_path / "a.sql").write_text("SELECT 1")
    vanishing = task(tmp_path, sql="*.sql")
    (tmp_path / "a.sql").unlink()

    with pytest.raises(SourceUnreachable):
        vanishing.run(no_progress)
    with pytest.raises(SourceUnreachable):
        read(tmp_path, sql="*.sql")


def test_each_topology_is_named_by_its_file_or_by_its_setting(tmp_path: Path) -> None:
    """The text does not tell the application id."""
    (tmp_path / "pay.v2.txt").write_text(TOPOLOGY)
    (tmp_path / "enrich.txt").write_text(TOPOLOGY)

    by_file, by_name = read(tmp_path, streams="*.txt"), read(tmp_path, streams="enrich.txt", name="app")

    assert [(topology.name, topology.file) for topology in by_file.of(StreamsTopology)] == [
        ("enrich", "enrich.txt"),
        ("pay.v2", "pay.v2.txt"),
    ]
    assert [(topology.source, topology.name) for topology in by_name.of(StreamsTopology)] == [("streams:app", "app")]
    assert (by_file.of(StreamsTopology)[0].topology, by_file.outcome.kind) == (TOPOLOGY, "streams")


def test_file_without_a_topology_is_reported(tmp_path: Path) -> None:
    """Somebody redirected the wrong stream."""
    (tmp_path / "a.txt").write_text("Exception in thread main")
    (tmp_path / "b.txt").write_text(TOPOLOGY)

    reading = read(tmp_path, streams=".")

    assert ([topology.name for topology in reading.of(StreamsTopology)], reading.outcome.unread) == (["b"], {"a"})
    assert reading.outcome.status == SourceStatus.PARTIAL


@pytest.mark.parametrize("document", [None, {}, ["a"], [{"name": 1}], [{"name": "a", "statement": []}]])
def test_damaged_capture_of_files_is_refused(document: object) -> None:
    """Somebody edited it."""
    with pytest.raises(InputInvalid):
        read_texts_document(document, SourceId("s"))


@pytest.mark.parametrize("pattern", ["\0", "a" * 5000, "[", "none/**", ""])
def test_pattern_that_means_nothing_matches_nothing(tmp_path: Path, pattern: str) -> None:
    """It comes from a file that people write."""
    assert named_files(pattern, tmp_path, "*.sql") == ()
