"""A synthetic installation of any size, written into the tables of a dictionary: skewed sizes, versions, nesting, jobs.

`python benchmarks/large_installation.py COLUMNS TOPICS JOBS FILE` writes one; the same arguments give the same rows.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installation import SEED
from sqlalchemy import Connection, Table

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.engine.rows import insert_rows
from scanner_dictionary.schema import tables as t

Cells = tuple[Any, ...]
Row = dict[str, Any]

_TIME = "2024-02-29T00:00:00.000+00:00"
_WIDEST = 50_000
_KEYS = 300
_SHAPES = 400
_PLAIN = ("string", "long", "int", "double", "boolean", "bytes")
_LOGICAL = {"long": "timestamp-millis", "int": "date", "bytes": "decimal(12,2)", "string": "uuid"}
WORDS = ("customer", "order", "amount", "status", "country", "reference", "channel", "region", "total", "unit", "tax")
ENDINGS = ("id", "code", "name", "at", "count", "flag", "rate", "note")
_AREAS = ("orders", "payments", "customers", "shipments", "inventory", "pricing", "returns", "marketing", "risk")
_SCANS = {"source_id": 1, "first_seen": 1, "last_seen": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large: *columns* of the schemas that topics have now, *topics*, *jobs* (of each six: three connectors)."""

    columns: int
    topics: int
    jobs: int

    @property
    def clusters(self) -> int:
        """Return the clusters that the topics are spread over."""
        return max(1, self.topics // 25_000)


def topic_name(number: int) -> str:
    """Return the name of a topic: dots and dashes, as installations have them."""
    return f"{_AREAS[number % len(_AREAS)]}.events-{number:07d}.v1"


def build(url: str, size: Size) -> None:
    """Fill the new dictionary at *url*."""
    installation = _Installation(size)
    engine = open_dictionary(url)
    with writing(engine) as conn:
        for table, rows in installation.tables():
            _insert(conn, table, rows)
        insert_rows(conn, t.schema_column, installation.columns())
    engine.dispose()


class _Installation:
    def __init__(self, size: Size) -> None:
        self._size = size
        chance = random.Random(f"{SEED}/{size.topics}")
        self._shapes = [list(_shape(random.Random(f"{SEED}/{at}"))) for at in range(_SHAPES)]
        self._wide = _wide_shape()
        self._widths = _widths(chance, size)
        # The version before, of a third of the topics, is kept and not current.
        self._older = [chance.random() < 0.3 for _ in range(size.topics)]
        self._firsts = _running(2 if older else 1 for older in self._older)

    def tables(self) -> Iterator[tuple[Table, Iterable[Row]]]:
        clusters, size = range(1, self._size.clusters + 1), self._size
        yield t.cluster, ({"id": at, "name": f"bank-{at}", "kafka_cluster_id": ""} for at in clusters)
        scan = {"cluster_id": 1, "started": _TIME, "finished": _TIME, "mode": "full", "status": "read"}
        counts = dict.fromkeys(("added", "changed", "gone", "returned", "stale", "refused"), 0)
        yield t.scan, [{"id": 1, **scan, **counts}]
        yield t.source, self._sources()
        scans = {"first_seen": 1, "last_seen": 1}
        yield t.broker, ({"id": at, "cluster_id": at, "address": _broker(at), **scans} for at in clusters)
        about = {"kind": "confluent", "url": "http://registry:8081", "environment": "", "server_version": ""}
        registry = {**about, **_SCANS}
        yield t.registry, [{"id": 1, "cluster_id": 1, **registry}]
        yield t.topic, map(self._topic, range(size.topics))
        yield t.schema_definition, self._definitions()
        yield t.topic_schema, self._links()
        yield from self._jobs()

    def columns(self) -> Iterator[Cells]:
        """List the cells of every column in the order of the table."""
        for key in range(1, _KEYS + 1):
            yield from ((key, at, *cells) for at, cells in enumerate(self._shapes[key % _SHAPES][:2]))
        for number, width in enumerate(self._widths):
            for version in range(2 if self._older[number] else 1):
                key = _KEYS + self._firsts[number] + version
                yield from ((key, at, *cells) for at, cells in enumerate(self._cut(number, width, version)))

    def _cut(self, number: int, width: int, version: int) -> list[Cells]:
        shape = self._shapes[number % _SHAPES] if width <= len(self._shapes[0]) else self._wide
        last = version + 1 if self._older[number] else 2
        return shape[: max(1, width - (2 - last))]

    def _sources(self) -> Iterator[Row]:
        status = {"last_queried": 1, "last_read": 1, "stale_reason": ""}
        yield {
            "id": 1,
            "cluster_id": 1,
            "name": "schema_registry:http://registry:8081",
            "kind": "schema_registry",
            **status,
        }
        for at in range(self._servers):
            for key, kind in ((2, "ksqldb"), (3, "connect")):
                name = f"{kind}:http://{kind}-{at}:8088"
                yield {"id": 2 * at + key, "cluster_id": self._cluster(at), "name": name, "kind": kind, **status}

    @property
    def _servers(self) -> int:
        return max(1, self._size.jobs // 200)

    def _cluster(self, number: int) -> int:
        return number % self._size.clusters + 1

    def _topic(self, number: int) -> Row:
        about = {
            "is_internal": False,
            "config": "{}",
            "description": "",
            "tags": '["PII"]' if number % 7 == 0 else "[]",
        }
        ids = {"id": number + 1, "cluster_id": self._cluster(number), "name": topic_name(number), "partitions": 6}
        return {**ids, **about, **_SCANS}

    def _definitions(self) -> Iterator[Row]:
        yield from (_definition(key, 2) for key in range(1, _KEYS + 1))
        for number, width in enumerate(self._widths):
            for version in range(2 if self._older[number] else 1):
                key = _KEYS + self._firsts[number] + version
                yield _definition(key, len(self._cut(number, width, version)))

    def _links(self) -> Iterator[Row]:
        key = 0
        for number in range(self._size.topics):
            key += 1
            yield _link(key, number, "key", number % _KEYS + 1, current=True)
            versions = 2 if self._older[number] else 1
            for version in range(versions):
                key += 1
                definition = _KEYS + self._firsts[number] + version
                yield _link(key, number, "value", definition, current=version == versions - 1)

    def _jobs(self) -> Iterator[tuple[Table, Iterable[Row]]]:
        size = self._size
        queries = [at for at in range(size.jobs) if at % 6 in (1, 3)]
        manual = [at for at in range(size.jobs) if at % 6 == 5]
        yield t.ksql_source, self._collections(queries)
        yield t.ksql_column, self._collection_columns(queries)
        yield t.ksql_query, map(self._query, queries)
        yield t.connector, (self._connector(at) for at in range(size.jobs) if at % 6 in (0, 2, 4))
        yield t.manual_flow, (self._manual(at) for at in manual)

    def _server(self, job: int) -> int:
        return job % self._servers

    def _ends(self, job: int) -> tuple[int, int]:
        """Return two topics of a job: half of all queries read the same one, the hub of their cluster."""
        chance = random.Random(f"{SEED}/{job}")
        clusters = self._size.clusters
        cluster = self._cluster(self._server(job)) - 1
        topics = (self._size.topics - cluster - 1) // clusters + 1
        source, other = chance.randrange(topics), chance.randrange(topics)
        return (0 if job % 4 == 1 else source) * clusters + cluster, other * clusters + cluster

    def _collections(self, queries: list[int]) -> Iterator[Row]:
        for at, job in enumerate(queries):
            for side, topic in enumerate((topic_name(self._ends(job)[0]), _made_topic(job))):
                server = self._server(job)
                ids = {"id": 2 * at + side + 1, "cluster_id": self._cluster(server), "name": f"{'IO'[side]}{job}"}
                about = {"kind": "STREAM", "key_format": "KAFKA", "value_format": "AVRO"}
                rest = {"statement": "", "window_type": "", **_SCANS, "source_id": 2 * server + 2}
                yield {**ids, "topic_name": topic, "is_internal": False, **about, **rest}

    def _collection_columns(self, queries: list[int]) -> Iterator[Row]:
        for at, job in enumerate(queries):
            for ordinal, (_, path, name, kind, *_) in enumerate(self._plain(self._ends(job)[0])):
                ids = {"ksql_source_id": 2 * at + 1, "ordinal": ordinal, "schema_role": "value", "header": ""}
                upper_case = {"depth": 1, "path": path.upper(), "name": name.upper(), "data_type": kind.upper()}
                yield {**ids, **upper_case, "nullable": True}

    def _plain(self, number: int) -> list[Cells]:
        """Return the plain columns of a topic that its collections name: at most twenty."""
        cells = self._cut(number, self._widths[number], 1 if self._older[number] else 0)
        return [cell for cell in cells[:60] if cell[0] == 1 and cell[3] in _PLAIN][:20]

    def _query(self, job: int) -> Row:
        server, topic = self._server(job), _made_topic(job)
        names = [cell[2].upper() for cell in self._plain(self._ends(job)[0])] or ["ROWTIME"]
        statement = _STATEMENTS[job // 2 % len(_STATEMENTS)](f"I{job}", f"O{job}", topic, names)
        ids = {"id": job + 1, "cluster_id": self._cluster(server), "name": f"CSAS_O{job}_{job}"}
        ends = {"sources": json.dumps([f"I{job}"]), "sinks": json.dumps([f"O{job}"])}
        topics = {"sink_topics": json.dumps([topic]), "consumer_group": f"_confluent-ksql-{job}"}
        about = {"kind": "PERSISTENT", "state": "RUNNING", "statement": statement}
        return {**ids, **ends, **topics, **about, **_SCANS, "source_id": 2 * server + 2}

    def _connector(self, job: int) -> Row:
        server, (source, other) = self._server(job), self._ends(job)
        kind, config = _CONNECTORS[job // 2 % len(_CONNECTORS)](job, [topic_name(source), topic_name(other)])
        ids = {"id": job + 1, "cluster_id": self._cluster(server), "name": f"mover-{job}", "kind": kind}
        about = {"connector_class": config["connector.class"], "config": json.dumps(config), "state": "RUNNING"}
        texts = (column.name for column in t.connector.c if not column.nullable and column.type.python_type is str)
        return {**dict.fromkeys(texts, ""), **ids, **about, **_SCANS, "source_id": 2 * server + 3}

    def _manual(self, job: int) -> Row:
        source, other = self._ends(job)
        ends = {
            "origin_namespace": "",
            "origin_name": topic_name(source),
            "target_namespace": "",
            "target_name": topic_name(other),
        }
        about: dict[str, str | bool] = {
            "job": f"nightly-{job}",
            "description": "",
            "evidence": f"manual.json $.flows[{job}]",
        }
        about |= {"suggested": False, "separate": False, "effect": ""}
        return {"id": job + 1, "cluster_id": self._cluster(self._server(job)), **ends, **about, **_SCANS}


def _running(counts: Iterable[int]) -> list[int]:
    firsts, at = [], 1
    for count in counts:
        firsts.append(at)
        at += count
    return firsts


def _widths(chance: random.Random, size: Size) -> list[int]:
    """Build the topics' columns: few are wide, one very wide, the sum about what is wanted."""
    wanted = size.columns - 2 * min(_KEYS, size.topics)
    factors = [chance.lognormvariate(0, 0.9) for _ in range(size.topics)]
    widest = _WIDEST if size.columns >= 20 * _WIDEST else 0
    scale = (wanted - widest) / sum(factors)
    widths = [min(max(1, round(item * scale)), 2_000) for item in factors]
    widths[size.topics // 2] = widest or widths[size.topics // 2]
    return widths


def _made_topic(job: int) -> str:
    """Return the topic that a query makes; no registry describes it."""
    return f"derived.{job:06d}"


def _broker(number: int) -> str:
    return f"kafka-{number}:9092"


def _definition(key: int, columns: int) -> Row:
    text = f'{{"type":"record","name":"Row{key}","fields":[]}}'
    retained = {"format": "AVRO", "name": f"com.bank.Row{key}", "schema_text": text, "problems": "[]", "tags": "[]"}
    # Keys' nodes go by the first twenty digits.
    return {
        "id": key,
        "fingerprint": f"{key * 2_654_435_761 % 2**80:020x}".ljust(64, "0"),
        **retained,
        "column_count": columns,
        "tags": "[]",
        "first_seen": 1,
    }


def _link(key: int, number: int, role: str, definition: int, *, current: bool) -> Row:
    rule = {"strategy": "topic", "evidence": f"subject '{topic_name(number)}-{role}' by strategy topic"}
    ids = {"id": key, "topic_id": number + 1, "schema_role": role, "definition_id": definition, "registry_id": 1}
    registered = {"context": ".", "subject": f"{topic_name(number)}-{role}", "version": 1, "schema_id": str(definition)}
    return {**ids, **registered, "is_current": current, "deleted": False, **rule, "confidence": "confirmed", **_SCANS}


def _shape(chance: random.Random) -> Iterator[Cells]:
    """List the columns of a schema in document order: of each nine fields one is a record, an array or a map."""
    at = 0
    while at < 2_000:
        name = f"{chance.choice(WORDS)}_{chance.choice(ENDINGS)}_{at}"
        if at % 9 != 8:
            yield _cells(chance, (name,))
            at += 1
            continue
        yield _cells(chance, (name,), "record")
        inner = [_cells(chance, (name, f"{chance.choice(WORDS)}_{number}")) for number in range(chance.randrange(1, 9))]
        yield from inner
        yield _cells(chance, (name, "lines"), "array")
        yield _cells(chance, (name, "lines", "[]"), "record")
        yield _cells(chance, (name, "lines", "[]", "price.net"))
        at += len(inner) + 4


def _wide_shape() -> list[Cells]:
    chance = random.Random(f"{SEED}/wide")
    return [_cells(chance, (f"field_{at}",)) for at in range(_WIDEST)]


def _cells(chance: random.Random, path: tuple[str, ...], kind: str = "") -> Cells:
    type_ = kind or chance.choice(_PLAIN)
    logical = _LOGICAL.get(type_) if chance.random() < 0.2 else None
    nullable = chance.random() < 0.4
    name = ".".join(f"`{item}`" if "." in item else item for item in path)
    tags = '["PII"]' if chance.random() < 0.03 else None
    written = json.dumps(path, separators=(",", ":"))
    default, doc = "null" if nullable else None, f"What the sender calls {path[-1]}."
    return len(path), written, name, type_, logical, nullable, default, doc, tags, None, None, None, None


def _projection(source: str, sink: str, topic: str, names: list[str]) -> str:
    return f"CREATE STREAM {sink} WITH (KAFKA_TOPIC='{topic}') AS SELECT {', '.join(names)} FROM {source} EMIT CHANGES;"


def _computed(source: str, sink: str, topic: str, names: list[str]) -> str:
    computed = ", ".join(f"CASE WHEN {name} IS NULL THEN 'x' ELSE UCASE({name}) END AS C_{name}" for name in names)
    built = f"CREATE STREAM {sink} WITH (KAFKA_TOPIC='{topic}') AS SELECT"
    return f"{built} {computed} FROM {source} WHERE {names[0]} IS NOT NULL;"


def _counted(source: str, sink: str, topic: str, names: list[str]) -> str:
    selected = f"SELECT {names[0]}, COUNT(*) AS HOW_MANY, MAX({names[-1]}) AS LATEST FROM {source}"
    window = "WINDOW TUMBLING (SIZE 1 HOUR)"
    return f"CREATE TABLE {sink} WITH (KAFKA_TOPIC='{topic}') AS {selected} {window} GROUP BY {names[0]};"


_STATEMENTS = (_projection, _computed, _counted)


def _jdbc_sink(job: int, topics: list[str]) -> tuple[str, dict[str, str]]:
    url = f"jdbc:postgresql://warehouse-{job % 5}:5432/dwh"
    route = {"transforms": "cut,add", "transforms.cut.type": "org.apache.kafka.connect.transforms.RegexRouter"}
    route |= {"transforms.cut.regex": r"(\w+)\..*-(\d+)\.v1", "transforms.cut.replacement": "$1_$2"}
    route |= {"transforms.add.type": "org.apache.kafka.connect.transforms.InsertField$Value"}
    route |= {"transforms.add.timestamp.field": "loaded_at"}
    base = {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "topics": ",".join(topics)}
    return "sink", {**base, "connection.url": url, "table.name.format": "stage.${topic}", **route}


def _debezium(job: int, _: list[str]) -> tuple[str, dict[str, str]]:
    base = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "topic.prefix": f"cdc{job}"}
    tables = ",".join(f"public.table_{number}" for number in range(8))
    return "source", {
        **base,
        "database.hostname": f"db-{job % 9}",
        "database.dbname": "core",
        "table.include.list": tables,
    }


def _s3_sink(job: int, topics: list[str]) -> tuple[str, dict[str, str]]:
    base = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": topics[0]}
    flatten = {"transforms": "flat", "transforms.flat.type": "org.apache.kafka.connect.transforms.Flatten$Value"}
    return "sink", {**base, "s3.bucket.name": f"lake-{job % 3}", "topics.dir": "raw", **flatten}


_CONNECTORS = (_jdbc_sink, _debezium, _s3_sink)


def _insert(conn: Connection, table: Table, rows: Iterable[Row]) -> None:
    rest = iter(rows)
    first = next(rest, None)
    if first is not None:
        insert_rows(conn, table, (tuple(row.values()) for row in _with(first, rest)), tuple(first))


def _with(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


if __name__ == "__main__":
    columns, topics, jobs = map(int, sys.argv[1:4])
    Path(sys.argv[4]).unlink(missing_ok=True)
    build(sys.argv[4], Size(columns=columns, topics=topics, jobs=jobs))
