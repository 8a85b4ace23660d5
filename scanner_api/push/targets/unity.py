"""Unity Catalog: external metadata for datasets outside of it, and external lineage with pairs of columns.

Jobs are not objects there: relationships list them in their properties. Source: Databricks, "Bring your own data
lineage" (Public Preview), and the service `catalog` of its SDK.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from dataflow_generator.openlineage.redaction import canonical
from scanner_api.push.contents import GraphContents, PushDataset
from scanner_api.push.identity import identity_of, own_names
from scanner_api.push.model import (
    Batch,
    Call,
    Change,
    Explained,
    Item,
    Json,
    Reader,
    Ref,
    Skipped,
    State,
    has,
)
from scanner_extractor.push_targets import PushTarget
from scanner_extractor.settings.push import PushSettings, Schemas
from scanner_model.columns import ColumnPath
from scanner_model.payload import Payload

_API = ("api", "2.0", "lineage-tracking")
_METADATA, _LINEAGE = (*_API, "external-metadata"), (*_API, "external-lineage")
_TAGS = ("api", "2.1", "unity-catalog", "entity-tag-assignments")
_MATERIALIZATION = "materialization"
"""The type of jobs that keep a topic as a table, such as Tableflow's."""
_MEMBERS = {
    "externalMetadata": ("system_type", "entity_type", "columns", "description", "properties"),
    "externalLineage": ("columns", "properties"),
    "tag": ("tag_value",),
}
_NAMED = {
    "externalMetadata": has("name", "system_type"),
    "externalLineage": has("source", "target"),
    "tag": has("entity_name", "tag_key"),
}
"""The checks of answers with one resource, by its kind."""
_SYSTEMS = frozenset({"AMAZON_REDSHIFT", "AZURE_SYNAPSE", "CONFLUENT", "DATABRICKS", "GOOGLE_BIGQUERY", "KAFKA"})
_SYSTEMS |= {"LOOKER", "MICROSOFT_FABRIC", "MICROSOFT_SQL_SERVER", "MONGODB", "MYSQL", "ORACLE", "OTHER", "POSTGRESQL"}
_SYSTEMS |= {"POWER_BI", "SALESFORCE", "SAP", "SERVICENOW", "SNOWFLAKE", "STREAM_NATIVE", "TABLEAU", "TERADATA"}
_SYSTEMS |= {"WORKDAY"}
_SYSTEM_OF = {
    "bigquery": "GOOGLE_BIGQUERY",
    "postgres": "POSTGRESQL",
    "redshift": "AMAZON_REDSHIFT",
    "sqlserver": "MICROSOFT_SQL_SERVER",
    "unitycatalog": "DATABRICKS",
}
"""System types by the scheme of OpenLineage's namespaces, if it is another word."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 200
_PAGE = "1000"
_PAGES = 1_000
"""Pages of one list that are read at most."""
_TABLES = frozenset({"unitycatalog", "databricks"})
"""Schemes of datasets that are tables of Unity Catalog itself."""


class UnityCatalog:
    """Unity Catalog as a target."""

    shared = frozenset({"columns"})
    fixed = frozenset({"system_type", "entity_type"})
    forced: frozenset[str] = frozenset()
    receipt = ""

    def __init__(self, settings: PushSettings) -> None:
        self._settings = settings

    def stages(self, contents: GraphContents, reader: Reader) -> Iterator[Iterator[Item | Skipped]]:
        """Yield external metadata, relationships, then tags on tables that topics are kept in."""
        del reader
        yield (
            Item(Ref("externalMetadata", self._object(dataset.namespace, dataset.name)[1]), self._metadata(dataset))
            for dataset in contents.datasets()
            if not _is_table(dataset.namespace)
        )
        yield self._relationships(contents)
        if "tags" in self._settings.parts:
            yield self._tags(contents)

    def states(self, refs: Sequence[Ref], reader: Reader) -> Iterator[State | None]:
        """Yield the members of each resource that a push writes."""
        if refs[0].kind != "externalLineage":
            calls = [Call(method="GET", path=_place(ref), check=_NAMED[ref.kind]) for ref in refs]
            yield from (_state(refs[0].kind, answer) for answer in reader.read(calls))
            return
        sources = dict.fromkeys((kind, name) for kind, name, *_ in (json.loads(ref.key) for ref in refs))
        known = dict(_relationships_of(list(sources), reader))
        yield from (_state(ref.kind, known.get(ref.key)) for ref in refs)

    def relations(self, refs: Sequence[Ref], reader: Reader) -> Iterator[Sequence[Ref]]:
        """Yield the relationships of external metadata, from it and to it."""
        if refs[0].kind != "externalMetadata":
            yield from (() for _ in refs)
            return
        objects = [("external_metadata", ref.key) for ref in refs]
        by_name: dict[str, list[Ref]] = defaultdict(list)
        for direction in ("DOWNSTREAM", "UPSTREAM"):
            for key, _ in _relationships_of(objects, reader, direction):
                for name in json.loads(key)[1::2]:
                    by_name[name].append(Ref("externalLineage", key))
        yield from (by_name[ref.key] for ref in refs)

    def batches(self, changes: Sequence[Change], run: int) -> Iterator[Batch]:
        """Yield a call for each change."""
        del run
        for change in changes:
            yield Batch((_call(change),), (change,))

    def explain(self, namespace: str, name: str) -> Explained:
        """Return the name of the table or the external metadata."""
        kind, written = self._object(namespace, name)
        return Explained(written, identity_of(self._settings, namespace, name).row, (kind,))

    def _object(self, namespace: str, name: str) -> tuple[str, str]:
        """Return the kind and name of a dataset there; the hash keeps names apart that differ in other characters."""
        identity = identity_of(self._settings, namespace, name)
        if _is_table(namespace):
            return "table", identity.name.lower()  # Unity Catalog keeps all names in lower case
        plain = _NOT_IN_NAMES.sub("_", f"{identity.scheme}_{identity.instance or namespace}_{identity.name}")
        digest = hashlib.sha256(f"{namespace} {identity.name}".encode()).hexdigest()[:8]
        return "external_metadata", f"{plain[:_LONGEST]}_{digest}"

    def _metadata(self, dataset: PushDataset) -> State:
        identity = identity_of(self._settings, dataset.namespace, dataset.name)
        scheme = identity.scheme
        system = identity.platform.upper() or _SYSTEM_OF.get(scheme, scheme.upper())
        state: dict[str, Json] = {
            "system_type": system if system in _SYSTEMS else "OTHER",
            "entity_type": (dataset.kind or "dataset").capitalize(),
            "properties": {"tool": "scanner", "namespace": dataset.namespace, "name": dataset.name},
        }
        if self._settings.schemas is not Schemas.NONE:
            columns = list(dict.fromkeys(_column(column.path) for column in dataset.columns))
            state |= {"columns": columns} if columns else {}
        if "documentation" in self._settings.parts and dataset.description:
            state["description"] = dataset.description
        return state

    def _relationships(self, contents: GraphContents) -> Iterator[Item]:
        """Yield the edges that are not between two tables of Unity Catalog; those of several jobs are one."""
        states: dict[str, dict[str, Json]] = {}
        for job in contents.jobs():
            for edge in job.edges:
                ends = contents.names[edge.source], contents.names[edge.target]
                if all(_is_table(namespace) for namespace, _ in ends):
                    continue
                key = canonical([part for end in ends for part in self._object(*end)])
                state = states.setdefault(key, {"columns": [], "properties": {"tool": "scanner", "jobs": job.name}})
                jobs = state["properties"]["jobs"].split(", ")
                state["properties"]["jobs"] = ", ".join(dict.fromkeys([*jobs, job.name]))
                pairs = [{"source": _column(pair.source), "target": _column(pair.target)} for pair in edge.columns]
                state["columns"] += [pair for pair in pairs if pair not in state["columns"]]
        for key, state in states.items():
            if not state["columns"]:
                del state["columns"]  # Databricks' SDK leaves an empty list out
            yield Item(Ref("externalLineage", key), state)

    def _tags(self, contents: GraphContents) -> Iterator[Item]:
        """Yield the topic and its cluster as tags of each table that it is kept in."""
        edges = (edge for job in contents.jobs() if job.type == _MATERIALIZATION for edge in job.edges)
        for edge in edges:
            if _is_table(contents.names[edge.target][0]):
                table = self._object(*contents.names[edge.target])[1]
                for key, value in zip(("kafka_cluster", "kafka_topic"), contents.names[edge.source], strict=True):
                    yield Item(Ref("tag", canonical([table, key])), {"tag_value": value})


TARGET = PushTarget(build=UnityCatalog)


def _is_table(namespace: str) -> bool:
    return namespace.partition(":")[0] in _TABLES


def _column(path: ColumnPath) -> str:
    return ".".join(own_names(path)) or "value"


def _state(kind: str, answer: Json) -> State | None:
    if answer is None:
        return None
    members = Payload(answer).members()
    return {name: members[name] for name in _MEMBERS[kind] if members.get(name) not in (None, [], {}, "")}


def _named(kind: str, name: str) -> Mapping[str, Json]:
    return {kind: {"name": name}}


def _relationships_of(
    objects: Sequence[tuple[str, str]], reader: Reader, direction: str = "DOWNSTREAM"
) -> Iterator[tuple[str, Json]]:
    """Yield the relationships of *objects* by their key; the pages of all objects are read side by side."""
    waiting = [(each, "") for each in objects]
    for _ in range(_PAGES):
        following: list[tuple[tuple[str, str], str]] = []
        calls = [_page(*each, direction) for each in waiting]
        for (source, _token), answer in zip(waiting, reader.read(calls), strict=True):
            page = Payload({} if answer is None else answer)
            yield from _relationships_in(page)
            if token := page.text("next_page_token"):
                following.append((source, token))
        if not following:
            return
        waiting = following


def _page(source: tuple[str, str], token: str, direction: str) -> Call:
    kind, name = source
    params = ((f"object_info.{kind}.name", name), ("lineage_direction", direction), ("page_size", _PAGE))
    following = (("page_token", token),) if token else ()
    return Call(method="GET", path=_LINEAGE, params=params + following, check=_is_page)


def _is_page(answer: Payload) -> None:
    """Raise PayloadUnexpected for anything but a page of relationships; the API leaves an empty list out."""
    if unknown := answer.members().keys() - {"external_lineage_relationships", "next_page_token"}:
        raise answer.error(f"has {min(unknown)!r}, which no list of relationships has")
    answer.list("external_lineage_relationships")


def _relationships_in(page: Payload) -> Iterator[tuple[str, Json]]:
    for entry in page.list("external_lineage_relationships"):
        info = entry.object("external_lineage_info")
        ends = [
            (kind, value.need("name").text())
            for side in ("source", "target")
            for kind, value in info.object(side).items()
            if "name" in value.members()
        ]
        yield canonical([part for end in ends for part in end]), info.members()


def _place(ref: Ref) -> tuple[str, ...]:
    """Return the path of external metadata or of a tag."""
    if ref.kind == "tag":
        table, key = json.loads(ref.key)
        return (*_TAGS, "tables", table, "tags", key)
    return (*_METADATA, ref.key)


def _tag_call(change: Change) -> Call:
    """Return the call that assigns a tag to a table, changes its value or removes it."""
    table, key = json.loads(change.ref.key)
    if change.wanted is None:
        return Call(method="DELETE", path=_place(change.ref))
    body = {"entity_type": "tables", "entity_name": table, "tag_key": key, **change.wanted}
    if change.live is None:
        return Call(method="POST", path=_TAGS, body=body, check=_NAMED["tag"])
    mask = (("update_mask", "tag_value"),)
    return Call(method="PATCH", path=_place(change.ref), params=mask, body=body, check=_NAMED["tag"])


def _call(change: Change) -> Call:
    if change.ref.kind == "tag":
        return _tag_call(change)
    path = _METADATA if change.ref.kind == "externalMetadata" else _LINEAGE
    key, wanted, live = change.ref.key, change.wanted, change.live
    ends = _ends(key) if path is _LINEAGE else {"name": key}
    if wanted is None:
        if path is _METADATA:
            return Call(method="DELETE", path=(*path, key))
        return Call(method="DELETE", path=path, params=_flattened(ends))
    if live is None:
        return Call(method="POST", path=path, body={**ends, **wanted}, check=_NAMED[change.ref.kind])
    differing = sorted(name for name in live.keys() | wanted.keys() if live.get(name) != wanted.get(name))
    empty: Mapping[str, Json] = {"columns": [], "properties": {}, "description": ""}
    body = {**ends, **{name: wanted.get(name, empty.get(name)) for name in {*differing, *_fixed(wanted)}}}
    where = (*path, key) if path is _METADATA else path
    mask = (("update_mask", ",".join(differing)),)
    return Call(method="PATCH", path=where, params=mask, body=body, check=_NAMED[change.ref.kind])


def _fixed(wanted: State) -> list[str]:
    return [name for name in UnityCatalog.fixed if name in wanted]


def _ends(key: str) -> dict[str, Json]:
    source, from_name, target, to_name = json.loads(key)
    return {"source": _named(source, from_name), "target": _named(target, to_name)}


def _flattened(ends: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (f"external_lineage_relationship.{side}.{kind}.name", value["name"])
        for side, entry in ends.items()
        for kind, value in entry.items()
    )
