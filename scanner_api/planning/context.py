"""What a plan needs of the dictionary: the node that changes, its schemas with their registry, and who uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import NamedTuple

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import ColumnRef, GraphDataset
from dataflow_generator.stored.impact import node_path
from dataflow_generator.stored.people import People
from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import GraphSource, find_node, open_graph
from scanner_api.planning.model import PlanStep, PlanUse, Status
from scanner_api.questions.impact import ImpactList, impact
from scanner_api.questions.topic_schemas import topic_schemas
from scanner_check.rules.schemas.registry_answer import level_of
from scanner_check.rules.schemas.schema_sides import DEFAULT_LEVEL, rules_of, stored_version
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.queries.clients import group_lags
from scanner_dictionary.queries.columns import columns_of
from scanner_dictionary.queries.facts import FILES
from scanner_dictionary.queries.field_uses import written_since
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.state import kept_for, replaced_at, topic_settings
from scanner_dictionary.queries.subjects import SubjectKey, subjects_named, topics_named, versions_of
from scanner_dictionary.queries.topic_schemas import SchemaAnswer
from scanner_extractor.evolution import Level, Rules, SchemaText, differences
from scanner_extractor.evolution.edits import Edited
from scanner_extractor.formats import read_columns
from scanner_extractor.schemas.references import lookup_in
from scanner_model.clients import Direction
from scanner_model.columns import ColumnPath, ParsedSchema, parse_path, path_name
from scanner_model.errors import DictionaryUnusable, InputInvalid, NameUnknown
from scanner_model.field_uses import FieldExtent

_ACTORS = ("job", "consumer-group")
_WRITES = ("writes", "made")
KNOWN = ("copies", "computes", "depends")
"""Uses of a field that lineage or code shows; `unknown` reads the topic, and which fields is not known."""

_STRENGTH = (
    *(Level.FULL_TRANSITIVE, Level.FULL, Level.BACKWARD_TRANSITIVE, Level.BACKWARD),
    *(Level.FORWARD_TRANSITIVE, Level.FORWARD, Level.NONE),
)


class Place(NamedTuple):
    """The topic, dataset or column that changes; *cluster* is empty for a dataset, *path* for all of it."""

    dataset: GraphDataset
    cluster: str
    path: ColumnPath
    owner: str

    @property
    def name(self) -> str:
        """Return the name of the topic or dataset."""
        return self.dataset.name

    def at(self, path: ColumnPath, name: str = "") -> Place:
        """Return a column of the same dataset, or of the topic *name* beside it; the whole without a *path*."""
        return self._replace(path=path, dataset=replace(self.dataset, name=name or self.name))


@dataclass(frozen=True)
class PlanContext:
    """The dictionary of a plan as of *now*, its newest scan; *notes* collect how names were understood."""

    dictionary: Dictionary
    conn: Connection
    now: str
    notes: list[str] = field(default_factory=list)

    def place(self, text: str) -> Place:
        """Return the topic, a column of it, or the dataset or column that *text* names, in this order.

        Raises InputInvalid for an ambiguous name, NameUnknown for an unknown one.
        """
        if (of_topic := self._of_topic(text)) is not None:
            return of_topic
        with open_graph(GraphSource.of(self.dictionary)) as opened:
            try:
                node, notes = find_node(opened.rows, text, "CHANGE")
            except NameUnknown:
                self._check_column(text)
                raise
        self.notes.extend(notes)
        if node.kind not in ("column", "dataset"):
            raise InputInvalid(f"{text} is a {node.kind}", where="CHANGE", hint="name a column or a topic")
        cluster = self._clusters.get(node.namespace, "")
        dataset = GraphDataset(NodeKind.TOPIC if cluster else NodeKind.DATASET, node.namespace, node.name)
        return Place(dataset, cluster, node_path(node) or (), self._owner(dataset))

    def _of_topic(self, text: str) -> Place | None:
        """Return the topic with the longest name that *text* starts with, and the column that it has or had."""
        ends = [at for at, letter in enumerate(f"{text}.") if letter == "."]
        for end in reversed(ends):
            name, path = text[:end], parse_path(text[end + 1 :])
            topics = [topic for topic in topics_named(self.conn, name) if topic.gone is None]
            places = [self._topic(topic.cluster, name, path) for topic in topics]
            found = [place for place in places if not path or path in self.columns(place)]
            if len(found) > 1:
                hint = f"name a node: {', '.join(ColumnRef(each.dataset, each.path or None).key for each in found)}"
                raise InputInvalid(f"{len(found)} clusters have {text}", where="CHANGE", hint=hint)
            if found:
                return found[0]
        return None

    def _check_column(self, text: str) -> None:
        """Raise NameUnknown with the nearest columns if *text* starts with the name of a topic."""
        for end in (at for at, letter in enumerate(text) if letter == "."):
            topics = [topic for topic in topics_named(self.conn, text[:end]) if topic.gone is None]
            places = [self._topic(topic.cluster, topic.name, ()) for topic in topics]
            known = [f"{place.name}.{path_name(path)}" for place in places for path in self.columns(place)]
            if known:
                raise unknown_name("column", text, known, f"`scanner columns --format csv` lists those of {text[:end]}")

    def _topic(self, cluster: str, name: str, path: ColumnPath) -> Place:
        dataset = self._people.naming.topic(cluster, name)
        owner = self._owner(dataset) or self._people.topic_notes(cluster, name).owner
        return Place(dataset, cluster, path, owner)

    def _owner(self, dataset: GraphDataset) -> str:
        nodes = SqlGraphReader(self.conn).nodes_named([dataset.name])
        return next((self._people.owner_and_tags(node)[0] for node in nodes if node.node_key == dataset.key), "")

    def columns(self, place: Place) -> frozenset[ColumnPath]:
        """Return the paths of the value columns of a topic in all versions of the subjects that describe it now."""
        registrations = [
            Registration(self.conn, each, self.dictionary.shown) for each in self.schemas(place) if each.role == "value"
        ]
        return frozenset(path for each in registrations for path in each.paths)

    @cached_property
    def _people(self) -> People:
        return People(self.conn)

    @cached_property
    def _clusters(self) -> Mapping[str, str]:
        return {namespace: name for name, namespace in self._people.naming.clusters.items()}

    def schemas(self, place: Place) -> tuple[SchemaAnswer, ...]:
        """Return the current schemas of a topic that a registry or a file has as a version; none for a dataset."""
        if not place.cluster:
            return ()
        listed = topic_schemas(self.dictionary, topic=place.name, cluster=place.cluster)
        return tuple(schema for schema in listed if schema.subject and schema.version is not None)

    def has_topic(self, place: Place, name: str) -> bool:
        """Return whether the cluster of *place* has a topic of this name."""
        return any(topic.gone is None for topic in topics_named(self.conn, name, place.cluster))

    def kept(self, place: Place) -> tuple[timedelta | None, Mapping[str, str]]:
        """Return how long the topic keeps a record, None if unknown or without end, and its settings."""
        settings = topic_settings(self.conn, place.name, place.cluster)
        return kept_for(settings), settings

    def uses(self, place: Place) -> dict[str, PlanUse]:
        """Return the jobs, groups and programs that write or read *place*, by name; none if it is missing."""
        found = self._impact(place)
        if found is None:
            return {}
        lags = group_lags(self.conn, place.cluster, place.name) if place.cluster else {}
        uses = {
            node.name: PlanUse(
                *(node.kind, node.name, node.use, node.owner),
                places=(node.way[-1].evidence,) if node.way else (),
                last_seen=node.last_seen,
                lag=lags.get(node.name),
                status="open",
            )
            for node in found.affected
            if node.kind in _ACTORS and not node.path
        }
        for user in found.field_users:
            is_writer = user.use == Direction.WRITES
            use = "unknown" if user.column == FieldExtent.UNRESOLVED else "writes" if is_writer else "depends"
            use = "copies" if user.column == FieldExtent.ALL and not is_writer else use
            known = uses.get(user.application)
            places = user.places or (known.places if known else ())
            if known is None or known.use == "unknown" or is_writer == (known.use in _WRITES):
                first = known or PlanUse("application", user.application, use, "", places, "", None, "open")
                chosen = use if first.use == "unknown" else first.use
                uses[user.application] = first._replace(places=places, use=chosen)
        return uses

    def captured(self, place: Place) -> tuple[str, ...]:
        """Return the columns of topics that get the column *place* of a table under its name, from what captures it."""
        found = self._impact(place)
        return tuple(
            f"{node.name}.{path_name(node.path)}"
            for node in (found.affected if found and place.path and not place.cluster else ())
            if node.path and node.path[-1] == place.path[-1] and node.namespace in self._clusters
        )

    def written_since(self, place: Place) -> str:
        """Return the scan from which on every program that writes the column *place* was seen to; empty without any."""
        return written_since(self.conn, place.cluster, place.name, place.path)

    def named_writers(self, place: Place) -> frozenset[str]:
        """Return the programs whose source code names the column *place* in what they write."""
        found = self._impact(place)
        users = found.field_users if found else ()
        whole = (FieldExtent.ALL, FieldExtent.UNRESOLVED)
        return frozenset(
            user.application for user in users if user.use == Direction.WRITES and user.column not in whole
        )

    def _impact(self, place: Place) -> ImpactList | None:
        """Return what a node affects; a column without flows has no node of its topic, but one of its schema."""
        with suppress(NameUnknown):
            return impact(self.dictionary, ColumnRef(place.dataset, place.path or None).key, hops=1, way=True)
        if not (place.cluster and place.path) or place.path not in self.columns(place):
            return None
        with suppress(NameUnknown, InputInvalid):
            return impact(
                self.dictionary, f"{place.dataset.namespace}/{place.name}.{path_name(place.path)}", hops=1, way=True
            )
        return None


def readers(uses: Mapping[str, PlanUse]) -> Iterator[PlanUse]:
    """Yield those that read."""
    return (use for use in uses.values() if use.use not in _WRITES)


def writers(uses: Mapping[str, PlanUse]) -> Iterator[PlanUse]:
    """Yield those that write."""
    return (use for use in uses.values() if use.use in _WRITES)


def status_of(uses: Iterator[PlanUse] | tuple[PlanUse, ...]) -> Status:
    """Return the status of several users: open if one is, unknown without users or if one is, else done."""
    found = {use.status for use in uses}
    return "open" if "open" in found else "unknown" if "unknown" in found or not found else "done"


class Registration:
    """A subject whose schema a plan registers again and again, each version judged against those before it."""

    def __init__(self, conn: Connection, schema: SchemaAnswer, shown: str) -> None:
        """Read the live versions of the subject of *schema*, with the texts behind their references.

        Raises DictionaryUnusable, with the dictionary as *shown*, if it has the schema without its subject.
        """
        named = subjects_named(conn, schema.subject, schema.cluster)
        self.schema = schema
        fitting = [key for key in named if (key.registry, key.full_name) == (schema.registry, schema.subject)]
        if not fitting:  # rows that refer to others are changed or lost
            what = f"the dictionary has a schema of subject {schema.subject!r}, but not the subject"
            raise DictionaryUnusable(what, where=shown, hint="scan again")
        self.subject: SubjectKey = fitting[0]
        self._conn = conn
        self._versions = [version for version in versions_of(conn, self.subject) if version.live]
        self._texts = [stored_version(conn, self.subject, version).text for version in self._versions]
        self.is_assumed = level_of(self.subject) is None

    @property
    def text(self) -> str:
        """Return the text of the newest version, as the plan has it by now."""
        return self._texts[-1].text

    @cached_property
    def level(self) -> Level:
        """Return the level of the subject; the default of registries if none is stored."""
        return level_of(self.subject) or DEFAULT_LEVEL

    @cached_property
    def _columns(self) -> Mapping[int, frozenset[ColumnPath]]:
        """Return the columns of each version, by its number."""
        columns = columns_of(self._conn, [version.definition for version in self._versions if version.definition])
        return {
            version.version: frozenset(column.path for column in columns.get(version.definition or 0, ()))
            for version in self._versions
        }

    @property
    def paths(self) -> frozenset[ColumnPath]:
        """Return the columns of all versions."""
        return frozenset().union(*self._columns.values())

    def since(self, path: ColumnPath) -> str:
        """Return when the first version with *path* was registered, or else scanned; empty if none has it."""
        if self.subject.kind == FILES:
            return ""  # a file keeps its version when its text changes
        having = [number for number, paths in self._columns.items() if path in paths]
        before = max((number for number in self._columns if having and number < min(having)), default=0)
        return replaced_at(self._conn, self.subject, before) if having else ""

    def step(self, edited: Edited, title: str) -> PlanStep:
        """Return the step that registers the edited text next, done if it says what the newest version does.

        Raises InputInvalid for an invalid schema.
        """
        new = SchemaText(edited.text, self._texts[-1].references)
        parsed, before = self._parsed(new), self._parsed(self._texts[-1])
        if parsed.problems:
            what = f"no valid {self.schema.format} schema: {parsed.problems[0].what}"
            raise InputInvalid(
                what, where="CHANGE", hint=f"write a type of {self.schema.format}, by its name or as JSON"
            )
        if parsed.columns == before.columns:
            subject, why = self.schema.subject, f"version {self.schema.version} has it"
            return PlanStep(
                kind="register", title=title, owner=self.schema.owner, status="done", subject=subject, why=why
            )
        rules, format = rules_of(self.subject), self.schema.format
        passes = _passes(format, self._texts, new, rules)
        why = _rejection(format, self._texts, new, (self.level, rules)) if self.level not in passes else ""
        self._texts.append(new)
        return PlanStep(
            kind="register",
            title=title,
            owner=self.schema.owner,
            subject=self.schema.subject,
            format=format,
            schema=edited.text,
            added=edited.added,
            level=str(self.level if self.level in passes else next(each for each in _STRENGTH if each in passes)),
            passes=tuple(map(str, passes)),
            rejected=why,
        )

    def _parsed(self, schema: SchemaText) -> ParsedSchema:
        return read_columns(self.schema.format, schema.text, lookup_in(self.schema.format, schema.references), None)


def _passes(format: str, olds: list[SchemaText], new: SchemaText, rules: Rules) -> tuple[Level, ...]:
    """Return the levels at which a registry accepts *new* after *olds*, the oldest first."""
    back = [not differences(format, new, old, rules) for old in olds]
    forth = [not differences(format, old, new, rules) for old in olds]

    def accepts(level: Level) -> bool:
        judged = slice(None) if level.transitive else slice(-1, None)
        return (not level.backward or all(back[judged])) and (not level.forward or all(forth[judged]))

    return tuple(filter(accepts, Level))


def _rejection(format: str, olds: list[SchemaText], new: SchemaText, judging: tuple[Level, Rules]) -> str:
    level, rules = judging
    for old in olds if level.transitive else olds[-1:]:
        pairs = [(new, old)] if level.backward else []
        for reader, writer in [*pairs, *([(old, new)] if level.forward else [])]:
            if found := differences(format, reader, writer, rules):
                return found[0].why
    return ""
