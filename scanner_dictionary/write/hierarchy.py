"""Which entity may stand under which, and what it must tell of itself; a fact that breaks it is refused.

Every entity has one parent (clusters and definitions have none: they are shared), any number of children, and at
least one property, its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scanner_model.column_path import ColumnPath, path_name
from scanner_model.columns import Column
from scanner_model.problems import Problem
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Definition

Name = tuple[str, ...]

LARGEST = 2**63 - 1
"""The largest number that a database holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What one kind of entity stands under, and how a fact of it tells.

    *parents* are the kinds it may stand under. *member* is the scan's tuple that lists its facts (empty: they come
    with their parent). *name* gives the fact's name, unique in its kind; *stands* the (kind, name) that must exist;
    *property_* what it must tell.
    """

    kind: str
    parents: tuple[str, ...]
    member: str = ""
    name: Callable[[Any], Name] = lambda fact: (str(fact.name),)
    stands: Callable[[Any], tuple[tuple[str, Name], ...]] = lambda _: ()
    property_: Callable[[Any], str] = lambda fact: str(fact.name)


def _of_version(fact: Any) -> Name:  # noqa: ANN401 - each rule knows the type of its own facts
    return (fact.source, fact.context, fact.subject, str(fact.version))


def _of_link(fact: Any) -> Name:  # noqa: ANN401 - as above
    told = (fact.context, fact.subject, str(fact.version)) if fact.subject else ("", "", fact.fingerprint)
    return (fact.topic, fact.role, fact.source, *told)


def _under_link(fact: Any) -> tuple[tuple[str, Name], ...]:  # noqa: ANN401 - as above
    return ("topic", (fact.topic,)), ("schema_definition", (fact.fingerprint,))


def _of_flow(fact: Any) -> Name:  # noqa: ANN401 - as above
    ends = (part for end in (fact.origin, fact.target) for part in (end.namespace, end.name, repr(end.path)))
    return (fact.source, *ends, fact.job)


_LINK = ("origin_namespace", "origin_name", "origin_path", "target_namespace", "target_name", "target_path", "process")


def _plain(kind: str, member: str, *named: str) -> Rule:
    """Return the rule of a kind that stands under the cluster and that its source and *named* members name."""
    members = named or ("name",)
    return Rule(
        kind=kind,
        parents=("cluster",),
        member=member,
        name=lambda fact: (fact.source, *(str(getattr(fact, each)) for each in members)),
        property_=lambda fact: str(getattr(fact, members[0]) or getattr(fact, members[-1])),
    )


HIERARCHY: tuple[Rule, ...] = (
    Rule(kind="cluster", parents=()),
    Rule(kind="broker", parents=("cluster",)),
    Rule(kind="topic", parents=("cluster",), member="topics"),
    Rule(
        kind="registry",
        parents=("cluster",),
        member="registries",
        name=lambda fact: (fact.source,),
        property_=lambda fact: str(fact.kind),
    ),
    Rule(kind="subject", parents=("registry",)),
    Rule(
        kind="schema_definition",
        parents=(),
        member="definitions",
        name=lambda fact: (fact.fingerprint,),
        property_=lambda fact: str(fact.format),
    ),
    Rule(
        kind="subject_version",
        parents=("subject",),
        member="versions",
        name=_of_version,
        stands=lambda fact: (("registry", (fact.source,)),),
        property_=lambda fact: str(fact.format),
    ),
    Rule(kind="column", parents=("schema_definition", "ksql_source", "catalog_table", "column")),
    Rule(
        kind="topic_schema",
        parents=("topic",),
        member="topic_schemas",
        name=_of_link,
        stands=_under_link,
        property_=lambda fact: str(fact.strategy),
    ),
    Rule(kind="consumer_group", parents=("cluster",), member="consumer_groups"),
    Rule(
        kind="ksql_source",
        parents=("cluster",),
        member="ksql_sources",
        name=lambda fact: (fact.source, fact.name),
        property_=lambda fact: str(fact.kind),
    ),
    Rule(kind="query", parents=("cluster",), member="queries", name=lambda fact: (fact.source, fact.name)),
    Rule(
        kind="connector",
        parents=("cluster",),
        member="connectors",
        name=lambda fact: (fact.source, fact.name),
        property_=lambda fact: str(fact.name and fact.kind),
    ),
    Rule(kind="connector_task", parents=("connector",)),
    *map(
        _plain,
        ("flink_statement", "flink_job", "streams_topology", "ksql_function", "ksql_type"),
        ("flink_statements", "flink_jobs", "topologies", "ksql_functions", "ksql_types"),
    ),
    _plain("mirror_topic", "mirror_topics", "topic"),
    _plain("annotation", "annotations", "kind", "name"),
    _plain("materialization", "materializations", "topic", "table_format", "catalog"),
    _plain("catalog_table", "catalog_tables", "namespace", "name"),
    _plain("catalog_link", "catalog_links", *_LINK),
    _plain("metric", "metrics", "name", "topic", "object_kind", "object_name"),
    Rule(
        kind="manual_flow",
        parents=("cluster",),
        member="manual_flows",
        name=_of_flow,
        property_=lambda fact: str(fact.origin.name and fact.target.name),
    ),
)


def check(scan: ClusterScan) -> tuple[ClusterScan, tuple[Problem, ...]]:
    """Return *scan* without the facts that break the hierarchy, and a problem for each of those, by kind."""
    known: dict[str, set[Name]] = {}
    problems: list[Problem] = []
    kept: dict[str, Any] = {}
    for rule in HIERARCHY:
        if rule.member:
            kept[rule.member] = tuple(_kept(rule, getattr(scan, rule.member), known, problems))
    kept["definitions"] = tuple(_with_sound_columns(each, problems) for each in kept["definitions"])
    return replace(scan, **kept), tuple(problems)


def _kept(rule: Rule, facts: tuple[Any, ...], known: dict[str, set[Name]], problems: list[Problem]) -> Iterator[Any]:
    names = known.setdefault(rule.kind, set())
    for fact in facts:
        name = rule.name(fact)
        what = _wrong(rule, fact, name, known)
        if what:
            problems.append(Problem(_shown(name), what, "the fact was not stored"))
        else:
            names.add(name)
            yield fact


def _wrong(rule: Rule, fact: Any, name: Name, known: Mapping[str, set[Name]]) -> str:  # noqa: ANN401 - of any rule
    """Report what is wrong with *fact*, naming it and what it should stand under; empty where nothing is."""
    shown = f"the {rule.kind} {_shown(name)!r}"
    if not rule.property_(fact):
        return f"{shown} does not tell its type or name"
    if not -LARGEST <= (getattr(fact, "version", None) or 0) <= LARGEST:
        return f"{shown} has a version that no database holds"
    for kind, parent in rule.stands(fact):
        if parent not in known.get(kind, ()):
            return f"{shown} stands under the {kind} {_shown(parent)!r}, which the scan does not have"
    return f"{shown} is told twice" if name in known[rule.kind] else ""


def _with_sound_columns(definition: Definition, problems: list[Problem]) -> Definition:
    """Leave out columns that are told twice or whose parent is missing, naming both."""
    if _are_sound(definition.columns):
        return definition
    known: set[ColumnPath] = set()
    sound: list[Column] = []
    for column in definition.columns:
        what = _wrong_column(column, known)
        if what:
            where = f"{definition.format} {definition.name or definition.fingerprint}"
            problems.append(Problem(where, what, "the column was not stored"))
        else:
            known.add(column.path)
            sound.append(column)
    return replace(definition, columns=tuple(sound))


def _are_sound(columns: Iterable[Column]) -> bool:
    """Return whether nothing is wrong with any column, as nearly always: columns are what a scan has most of."""
    known: set[ColumnPath] = set()
    for column in columns:
        path = column.path
        if path in known or not column.type or (len(path) > 1 and path[:-1] not in known):
            return False
        known.add(path)
    return True


def _wrong_column(column: Column, known: set[ColumnPath]) -> str:
    path = column.path
    if path in known:
        return f"the column {column.name!r} is told twice"
    if len(path) > 1 and path[:-1] not in known:
        return f"the column {column.name!r} stands under the column {path_name(path[:-1])!r}, which is not there"
    return "" if column.type else f"the column {column.name!r} does not tell its type"


def _shown(name: Name) -> str:
    return " ".join(part for part in name if part)
