"""Settings of connectors that say how they run: neither which data there are, nor their names or form.

Rows by family of classes, from the documentation of each class; under the empty name those of Connect itself, and of
what Kafka's and Connect's configurations are called by convention. A `*` at an end stands for any text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dataflow_generator.connectors.model import Direction
from dataflow_generator.connectors.registry import find_reader
from dataflow_generator.connectors.settings import family_of

_TIMES = tuple(
    f"*{word}.{unit}"
    for word in ("timeout", "interval", "backoff", "delay")
    for unit in ("ms", "sec", "secs", "second", "seconds")
)
_SECURITY = (
    *("*user", "*username", "*password", "*secret", "*token", "*credential", "*credentials"),
    *(f"{prefix}{word}.*" for word in ("ssl", "sasl", "security") for prefix in ("", "*.")),
)
_SIZES = tuple(
    f"{word}.{row}"
    for word in ("flush", "batch", "buffer", "fetch", "queue")
    for row in (
        *("max*", "min*", "size*", "count*", "bytes*", "records*", "memory*", "linger*", "ms*"),
        *("*size", "*bytes", "*ms"),
    )
)
_CONVENTIONS = ("*retries", "*attempts", "max.*", "errors.log.*", "logging.*", "management.*")

RUN_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "": ("name", "tasks.max", "tasksmax", *_CONVENTIONS, *_TIMES, *_SECURITY, *_SIZES),
    "debezium": (
        *("database.history.*", "schema.history.internal.*", "connection.pool.*", "snapshot.fetch.size"),
        *("snapshot.max.threads", "incremental.snapshot.chunk.size", "connect.keep.alive", "retriable.restart.*"),
        *("custom.metric.tags", "query.fetch.size", "min.row.count.to.stream.results"),
    ),
    "jdbc source": ("batch.max.rows", "connection.attempts"),
    "jdbc sink": ("batch.size", "connection.attempts", "connection.pool.*", "trim.sensitive.log"),
    "object store": ("s3.part.size", "s3.part.retries", "s3.http.*", "s3.proxy.*", "flush.size"),
    "search": ("linger.ms", "connection.compression", "bulk.size.bytes", "proxy.*", "flush.synchronously"),
    "mongodb source": ("poll.await.time.ms", "poll.max.batch.size", "batch.size", "server.api.*"),
    "mongodb sink": ("max.batch.size", "bulk.write.ordered", "rate.limiting.*", "server.api.*", "mongo.errors.log.*"),
    "mirror": (
        *("refresh.topics.interval.seconds", "refresh.groups.interval.seconds", "offset.lag.max", "offset.flush.*"),
        *("sync.topic.configs.interval.seconds", "sync.topic.acls.interval.seconds", "*.topic.replication.factor"),
        *("sync.group.offsets.interval.seconds", "replication.factor"),
    ),
    "snowflake": (
        *("buffer.count.records", "buffer.flush.time", "buffer.size.bytes", "jmx", "jvm.proxy.*"),
        *("snowflake.role.name", "snowflake.private.key", "snowflake.private.key.passphrase", "enable.mdc.logging"),
    ),
    "bigquery": (
        *("threadpoolsize", "queuesize", "bigqueryretry", "bigqueryretrywait", "batchloadintervalsec", "keyfile"),
        *("keysource", "mergeintervalms", "mergerecordsthreshold", "avrodatacachesize", "commitinterval"),
    ),
    "http": ("batch.max.size", "max.retries", "retry.backoff.*", "http.proxy.*", "http.timeout", "oauth2.*", "auth.*"),
    "cassandra": (
        *("maxconcurrentrequests", "maxnumberofrecordsinbatch", "queryexecutiontimeout", "connectionpoollocalsize"),
        *("jmx", "compression", "cassandra.retry.*", "cassandra.connections.*"),
    ),
}
"""The settings by family; keys are compared without letter case."""


def families_of(class_name: str) -> tuple[str, ...]:
    """Return the families of settings of a class in either direction; none for a class without a reader."""
    reader = find_reader(class_name)
    if reader is None:
        return ()
    found = (family for direction in Direction for family in family_of(reader.__module__, class_name, direction))
    return tuple(dict.fromkeys(found))


def only_runs(key: str, families: Collection[str]) -> bool:
    """Return whether a setting only says how a connector of *families* runs; never those of transforms."""
    name = key.lower()
    if name.startswith(("transforms", "predicates")):
        return False
    return any(fits(row, name) for family in ("", *families) for row in RUN_SETTINGS.get(family, ()))


def fits(row: str, name: str) -> bool:
    """Return whether a name, in lower case, is that of a row, whose `*` stand for any text."""
    first, *rest = row.split("*")
    if not rest:
        return name == row
    place = len(first) if name.startswith(first) else -1
    for part in rest[:-1]:
        at = name.find(part, place) if place >= 0 else -1
        place = at + len(part) if at >= 0 else -1
    return 0 <= place <= len(name) - len(rest[-1]) and name.endswith(rest[-1])
