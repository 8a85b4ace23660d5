"""Results of brokers and databases, which are not read over HTTP, as JSON documents of captures, and back."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any, TypeVar

from scanner_extractor.http.messages import Json
from scanner_extractor.results import KafkaCluster, Reading
from scanner_model.catalogs import CatalogTable, TableKey
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid, Problem
from scanner_model.fact_types import misfit
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus

KAFKA_DOCUMENT = "cluster"
"""The name under which a capture holds it."""


def kafka_document(reading: Reading) -> Json:
    """Return *reading* as JSON; its members are described in `docs/capture.md`."""
    outcome, (brokers,) = reading.outcome, reading.of(KafkaCluster)
    return {
        "cluster_id": brokers.cluster_id,
        "brokers": list(brokers.addresses),
        "unnamed": brokers.unnamed,
        "topics": [_fact_document(topic) for topic in reading.of(Topic)],
        "consumer_groups": [_fact_document(group) for group in reading.of(ConsumerGroup)],
        "unconfigured": sorted(brokers.unconfigured),
        "problems": [[problem.where, problem.what, problem.hint] for problem in reading.problems],
        "outcome": {
            "answer": outcome.status.value,
            "got": outcome.received,
            "asked": outcome.requested,
            "reason": outcome.reason,
            "hint": outcome.hint,
            "requests": outcome.requests,
            "unread": sorted(outcome.unread),
        },
    }


def read_kafka_document(document: Json, source: SourceId) -> Reading:
    """Read what `kafka_document` gave; raises InputInvalid for anything else."""
    try:
        return _sound(_result(document, source))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        hint = "record the capture again"
        raise InputInvalid(f"damaged document in the capture: {error!r}", where=str(source), hint=hint) from error


def _result(document: dict[str, Any], source: SourceId) -> Reading:
    # Captures of earlier versions know neither `unnamed` nor `unconfigured`.
    members = dict(document["outcome"])
    counts = {"received": members.pop("got"), "requested": members.pop("asked")}
    status, unread = SourceStatus(members.pop("answer")), frozenset(members.pop("unread"))
    brokers = KafkaCluster(
        cluster_id=document["cluster_id"],
        addresses=tuple(document["brokers"]),
        unnamed=int(document.get("unnamed", 0)),
        unconfigured=frozenset(map(TopicName, document.get("unconfigured", ()))),
    )
    topics = (_fact(Topic, topic, source) for topic in document["topics"])
    groups = (_fact(ConsumerGroup, group, source) for group in document["consumer_groups"])
    return Reading(
        outcome=SourceResult(source=source, kind="kafka", status=status, unread=unread, **counts, **members),
        facts=(brokers, *topics, *groups),
        problems=tuple(Problem(*problem) for problem in document["problems"]),
    )


def _sound(reading: Reading) -> Reading:
    """Return *reading*; raises TypeError if its outcome or problems are of other types. The runner checks the facts."""
    if member := next(filter(None, map(misfit, (reading.outcome, *reading.problems))), ""):
        raise TypeError(f"{member} has another type")
    return reading


_Fact = TypeVar("_Fact", Topic, ConsumerGroup)


def _fact_document(fact: Topic | ConsumerGroup) -> Json:
    members = {member.name: getattr(fact, member.name) for member in fields(fact) if member.name != "source"}
    return {name: dict(value) if name == "config" else value for name, value in members.items()}


def _fact(fact_type: type[_Fact], document: dict[str, Any], source: SourceId) -> _Fact:
    """Read a fact; a member that an earlier version did not record is empty, one of a later version is ignored."""
    names = [member.name for member in fields(fact_type)]
    members: dict[str, Any] = {name: _frozen(document[name]) for name in names if name in document}
    return fact_type(**members | {"source": source})


def _frozen(value: Json) -> Any:  # noqa: ANN401 - a member of a fact
    match value:
        case dict():
            return tuple(value.items())
        case list():
            return tuple(value)
        case _:
            return value


DATABASE_DOCUMENT = "database"
"""The name under which a capture holds it."""

_PLAIN = ("provider", "namespace", "name", "kind", "description", "definition")
_LATER = ("table_format",)
"""Members that older captures lack."""
_PAIRS = ("parameters", "symlinks")


def database_document(reading: Reading) -> Json:
    """Return *reading* as JSON; its members are described in `docs/capture.md`."""
    outcome = reading.outcome
    return {
        "tables": [_table_document(table) for table in reading.of(CatalogTable)],
        "problems": [[problem.where, problem.what, problem.hint] for problem in reading.problems],
        "status": outcome.status.value,
        "requested": outcome.requested,
        "reason": outcome.reason,
        "hint": outcome.hint,
        "unread": sorted(outcome.unread),
    }


def read_database_document(document: Json, source: SourceId) -> Reading:
    """Read what `database_document` gave; raises InputInvalid for anything else."""
    try:
        tables = tuple(_table(item, source) for item in document["tables"])
        return _sound(
            Reading(
                outcome=SourceResult(
                    source=source,
                    kind="database",
                    status=SourceStatus(document["status"]),
                    received=len(tables),
                    requested=int(document["requested"]),
                    reason=str(document["reason"]),
                    hint=str(document["hint"]),
                    unread=frozenset(map(str, document["unread"])),
                ),
                facts=tables,
                problems=tuple(Problem(*map(str, problem)) for problem in document["problems"]),
            )
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        hint = "record the capture again"
        raise InputInvalid("the document in the capture is damaged", where=str(source), hint=hint) from error


def _table_document(table: CatalogTable) -> Json:
    keys = [[key.kind, list(key.columns), key.references, list(key.referenced)] for key in table.keys]
    columns = [_column_document(column) for column in table.columns]
    pairs = {member: [list(pair) for pair in getattr(table, member)] for member in _PAIRS}
    plain = {member: getattr(table, member) for member in (*_PLAIN, *_LATER)}
    return {**plain, **pairs, "keys": keys, "columns": columns}


_DEFAULTS = {field.name: field.default for field in fields(Column)}


def _column_document(column: Column) -> Json:
    """Return the members that are not their defaults: most are, of most columns."""
    members: dict[str, Any] = asdict(column)
    return {name: value for name, value in members.items() if value != _DEFAULTS[name]}


def _table(item: Json, source: SourceId) -> CatalogTable:
    plain: dict[str, Any] = {member: str(item[member]) for member in _PLAIN}
    plain |= {member: str(item.get(member, "")) for member in _LATER}
    plain |= {member: tuple((str(first), str(second)) for first, second in item[member]) for member in _PAIRS}
    return CatalogTable(
        source=source,
        **plain,
        keys=tuple(TableKey(kind, tuple(of), to, tuple(referenced)) for kind, of, to, referenced in item["keys"]),
        columns=tuple(Column(**{**column, "path": tuple(column["path"])}) for column in item["columns"]),
    )
