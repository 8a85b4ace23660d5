"""OpenMetadata: topics with fields, pipelines, and edges between entities with pairs of columns, by name.

Tables are not created: they belong to database services that OpenMetadata's own connectors fill. Source: OpenMetadata,
the JSON schemas of its API (createTopic, createPipeline, entityLineage), and the lineage routes by name. Edges are
read by the entity that they start from: one request for all that leave it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dataflow_generator.openlineage.redaction import canonical
from scanner_api.push.contents import DatasetEdge, GraphContents, PushDataset, PushJob
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
    Refusal,
    Skipped,
    State,
    has,
    proves_nothing,
    readable,
    refusal_of,
)
from scanner_dictionary.engine.rows import in_chunks
from scanner_extractor.push_targets import PushTarget
from scanner_extractor.settings.push import PushSettings, Schemas
from scanner_model.columns import Column
from scanner_model.errors import ServerFailed
from scanner_model.payload import Payload

_API = ("api", "v1")
_READ_AT_ONCE = 300
_PATHS = {
    "messagingService": ("services", "messagingServices"),
    "pipelineService": ("services", "pipelineServices"),
    "topic": ("topics",),
    "pipeline": ("pipelines",),
    "table": ("tables",),
}
_MEMBERS = {
    "messagingService": ("serviceType",),
    "pipelineService": ("serviceType",),
    "topic": ("partitions", "messageSchema", "description", "tags", "owners"),
    "pipeline": ("description", "tags", "owners"),
    "lineage": ("columnsLineage", "pipeline", "sqlQuery", "source"),
}
"""The members of each kind of resource that a push writes."""
_IDENTIFYING = {"tags": ("tagFQN", "source"), "owners": ("id", "type")}
"""Members of lists by several writers, and what tells their elements apart."""
_OWNERS = {"user": ("users",), "team": ("teams",)}
_CONNECT = "KafkaConnect"
_WRITTEN = "Columns as scanner read them; the text is in the schema registry."
"""The text of schemas that we write: the names of their fields are known without reading them."""
_TYPES = (
    ("BOOLEAN", ("bool", "bit")),
    ("BYTES", ("bytes", "binary", "varbinary", "blob")),
    ("TIMESTAMP", ("timestamp", "datetime", "local-timestamp")),
    ("TIME", ("time",)),
    ("DATE", ("date",)),
    ("LONG", ("long", "int64", "uint64", "sint64", "fixed64", "sfixed64", "bigint")),
    ("INT", ("int", "uint", "sint", "fixed32", "sfixed32", "short", "small", "tiny")),
    ("DOUBLE", ("double", "number", "decimal", "numeric")),
    ("FLOAT", ("float", "real")),
    ("STRING", ("string", "varchar", "char", "text", "uuid")),
    ("FIXED", ("fixed",)),
    ("ENUM", ("enum",)),
    ("MAP", ("map",)),
    ("ARRAY", ("array", "list")),
    ("UNION", ("union", "oneof")),
    ("RECORD", ("record", "struct", "object", "message", "row")),
    ("NULL", ("null",)),
)
"""OpenMetadata's types by the first letters of ours, the first match counts; any other is UNKNOWN."""
_LONGEST = 128
_is_entity = has("id", "name")

Names = Mapping[tuple[str, ...], str]
"""The full names of the columns of a dataset, by path."""


class OpenMetadata:
    """OpenMetadata as a target."""

    shared = frozenset({"columnsLineage", *_IDENTIFYING})
    fixed = frozenset({"serviceType", "partitions", "source"})
    receipt = ""

    def __init__(self, settings: PushSettings) -> None:
        self._settings = settings
        self.forced = frozenset({"messageSchema"} if settings.schemas is Schemas.ALL else ())
        self._entities: dict[str, tuple[str, str]] = {}
        self._columns: dict[str, Names] = {}
        self._references: dict[tuple[str, str], Json] = {}
        self._read: dict[Ref, Json] = {}

    def stages(self, contents: GraphContents, reader: Reader) -> Iterator[Iterator[Item | Skipped | Refusal]]:
        """Yield services, topics, pipelines, then edges."""
        topics = {self._service(*name) for name in contents.names.values() if self._kind(name[0]) == "topic"}
        yield (Item(Ref("messagingService", name), {"serviceType": "Kafka"}) for name in sorted(topics))
        engines = {job.namespace: _service_type(job) for job in contents.jobs() if job.edges}
        yield (Item(Ref("pipelineService", name), {"serviceType": kind}) for name, kind in engines.items())
        chunks = in_chunks(contents.datasets(), _READ_AT_ONCE)
        yield (item for some in chunks for item in self._datasets(some, reader))
        jobs = [job for job in contents.jobs() if job.edges]
        yield self._pipelines(jobs, reader)
        yield self._edges(jobs, reader)

    def states(self, refs: Sequence[Ref], reader: Reader) -> Iterator[State | None]:
        """Yield the members of each resource that a push writes."""
        if refs[0].kind == "lineage":
            edges = _edges_of(refs, reader)
            yield from (_state(ref.kind, edges.get(ref.key)) for ref in refs)
            return
        known = {ref: self._read.pop(ref) for ref in refs if ref in self._read}
        missing = [ref for ref in refs if ref not in known]
        known.update(zip(missing, reader.read([_get(ref) for ref in missing]), strict=True))
        yield from (_state(ref.kind, known[ref]) for ref in refs)

    def relations(self, refs: Sequence[Ref], reader: Reader) -> Iterator[Sequence[Ref]]:
        """Yield the edges of each topic, which its removal takes away."""
        if refs[0].kind != "topic":
            yield from (() for _ in refs)
            return
        for answer in reader.read([_lineage(ref.kind, ref.key, "1") for ref in refs]):
            yield [Ref("lineage", key) for key in _edges_in(Payload(answer or {}))]

    def batches(self, changes: Sequence[Change], run: int) -> Iterator[Batch]:
        """Yield a call for each change: PUT creates, PATCH changes members, DELETE removes."""
        del run
        for change in changes:
            yield Batch((_call(change),), (change,))

    def explain(self, namespace: str, name: str) -> Explained:
        """Return the full name of a dataset."""
        identity = identity_of(self._settings, namespace, name)
        kind = self._kind(namespace)
        notes = (kind,) if kind == "topic" or identity.service else (kind, "skipped: `identity` has no service for it")
        return Explained(self._full_name(namespace, name), identity.row, notes)

    def _datasets(self, some: Sequence[PushDataset], reader: Reader) -> Iterator[Item | Skipped | Refusal]:
        """Yield topics; note of all datasets which entity they are, and the names of its columns."""
        known = [dataset for dataset in some if self._service(dataset.namespace, dataset.name)]
        yield from self._resolve(known, reader)
        refs = [
            Ref(self._kind(dataset.namespace), self._full_name(dataset.namespace, dataset.name)) for dataset in known
        ]
        self._read.clear()
        for dataset, (ref, answer) in zip(known, _read_each(refs, reader), strict=True):
            if isinstance(answer, ServerFailed):
                yield refusal_of(ref, answer)
                continue
            if ref.kind == "topic" and (dataset.partitions or answer):
                self._read[ref] = answer
                yield Item(ref, self._topic(dataset))
            elif ref.kind == "topic":
                yield Skipped(dataset.name, "OpenMetadata requires the number of partitions, which is unknown")
                continue
            elif answer is None:
                yield Skipped(dataset.name, f"OpenMetadata has no table {ref.key}: ingest it first")
                continue
            self._entities[dataset.key] = ref.kind, ref.key
            self._columns[dataset.key] = self._names(ref, answer)
        for dataset in some:
            if not self._service(dataset.namespace, dataset.name):
                yield Skipped(dataset.name, f"`identity` has no service for {dataset.namespace}")

    def _topic(self, dataset: PushDataset) -> State:
        state: dict[str, Json] = {"partitions": dataset.partitions} if dataset.partitions else {}
        if dataset.columns and self._settings.schemas is not Schemas.NONE:
            fields = _fields(dataset.columns)
            state["messageSchema"] = {"schemaText": _WRITTEN, "schemaType": "Other", "schemaFields": fields}
        text = dataset.description if "documentation" in self._settings.parts else ""
        return state | (_described(text) if text else {}) | self._tags_and_owners(dataset)

    def _pipelines(self, jobs: Sequence[PushJob], reader: Reader) -> Iterator[Item | Skipped]:
        yield from self._resolve(jobs, reader)
        for job in jobs:
            state = _described(job.description or _text(job)) | self._tags_and_owners(job)
            yield Item(Ref("pipeline", _pipeline(job)), state)

    def _resolve(self, described: Iterable[PushDataset | PushJob], reader: Reader) -> Iterator[Skipped]:
        """Look up the tags and owners that are new, and yield those that OpenMetadata does not have."""
        wanted = {name for each in described for name in self._wanted(each) if name not in self._references}
        for kind, paths in (("tags", {"tag": ("tags",)}), ("owners", _OWNERS)):
            names = sorted(name for member, name in wanted if member == kind)
            for type_, path in paths.items():
                calls = [Call(method="GET", path=(*_API, *path, "name", name), check=has("id")) for name in names]
                for name, answer in zip(names, reader.read(calls), strict=True):
                    if answer and kind == "tags":
                        self._references[kind, name] = {"tagFQN": name, "source": "Classification"}
                    elif answer:
                        self._references[kind, name] = {"id": Payload(answer).need("id").text(), "type": type_}
        for kind, name in sorted(wanted - self._references.keys()):
            self._references[kind, name] = None
            yield Skipped(name, f"OpenMetadata has no such {kind.removesuffix('s')}")

    def _wanted(self, described: PushDataset | PushJob) -> list[tuple[str, str]]:
        named = (("tags", described.tags), ("owners", described.owners))
        return [(kind, name) for kind, names in named if kind in self._settings.parts for name in names]

    def _tags_and_owners(self, described: PushDataset | PushJob) -> dict[str, Json]:
        state: dict[str, Json] = {}
        for kind, name in self._wanted(described):
            if reference := self._references[kind, name]:
                state.setdefault(kind, []).append(reference)
        return state

    def _names(self, ref: Ref, answer: Json) -> Names:
        """Return the full names of the columns that the catalog has; none where the names are ours."""
        if ref.kind == "table":
            return dict(_full_names(Payload(answer).list("columns"), ()))
        schema = Payload(answer or {}).object("messageSchema")
        fields = schema.list("schemaFields")
        if not fields or schema.text("schemaText") == _WRITTEN or self.forced:
            return {}
        named = dict(_full_names(fields, ()))
        if len(fields) == 1:  # a record is a level of its own
            named |= dict(_full_names(fields[0].list("children"), ()))
        return named

    def _edges(self, jobs: Sequence[PushJob], reader: Reader) -> Iterator[Item | Refusal]:
        """Yield the edges between entities; what several jobs take the same way is one edge, of the first of them."""
        pipelines = _read_each([Ref("pipeline", _pipeline(job)) for job in jobs], reader)
        states: dict[str, dict[str, Json]] = {}
        for job, (ref, answer) in zip(jobs, pipelines, strict=True):
            if isinstance(answer, ServerFailed):
                yield refusal_of(ref, answer)
                continue
            pipeline = Payload(answer).need("id").text() if answer else ""
            for edge in job.edges:
                if edge.source in self._entities and edge.target in self._entities:
                    key = canonical([*self._entities[edge.source], *self._entities[edge.target]])
                    state = states.setdefault(key, _details(job, pipeline))
                    known = state.setdefault("columnsLineage", [])
                    known += [entry for entry in self._column_lineage(edge) if entry not in known]
        yield from (Item(Ref("lineage", key), state) for key, state in states.items())

    def _column_lineage(self, edge: DatasetEdge) -> list[Json]:
        origins: dict[tuple[str, str], dict[str, None]] = {}
        for pair in edge.columns:
            source, target = self._column(edge.source, pair.source), self._column(edge.target, pair.target)
            if source and target:
                origins.setdefault((target, pair.subtype), {})[source] = None
        return [
            {"fromColumns": list(sources), "toColumn": target, **({"function": subtype} if subtype else {})}
            for (target, subtype), sources in origins.items()
        ]

    def _column(self, key: str, path: tuple[str, ...]) -> str:
        """Return the full name of a column; empty where the catalog does not have it."""
        names = own_names(path) or ("value",)
        if self._columns[key] or self._entities[key][0] == "table":
            return self._columns[key].get(names, "")
        return _qualified(self._entities[key][1], *names)

    def _kind(self, namespace: str) -> str:
        return "topic" if namespace.partition(":")[0] == "kafka" else "table"

    def _service(self, namespace: str, name: str) -> str:
        """Return the service of a dataset: as configured, or that of the brokers; empty for an unknown one."""
        service = identity_of(self._settings, namespace, name).service
        return service or (namespace.partition("://")[2] if self._kind(namespace) == "topic" else "")

    def _full_name(self, namespace: str, name: str) -> str:
        written = identity_of(self._settings, namespace, name).name
        service = self._service(namespace, name)
        if self._kind(namespace) == "topic":
            return _qualified(_quoted(service), written)
        return f"{_quoted(service)}.{written}"  # a table's name is qualified already


TARGET = PushTarget(build=OpenMetadata)


def _service_type(job: PushJob) -> str:
    return _CONNECT if job.type == "connector" else "CustomPipeline"


def _pipeline(job: PushJob) -> str:
    return _qualified(_quoted(job.namespace), job.name)


def _details(job: PushJob, pipeline: str) -> dict[str, Json]:
    state: dict[str, Json] = {"source": "PipelineLineage"}
    if pipeline:
        state["pipeline"] = {"id": pipeline, "type": "pipeline"}
    return state | ({"sqlQuery": job.statement} if job.statement else {})


def _text(job: PushJob) -> str:
    return f"A job of the type {job.type}."


def _described(text: str) -> dict[str, Json]:
    return {"description": text}


def _qualified(above: str, *names: str) -> str:
    return ".".join((above, *map(_quoted, names)))


def _quoted(name: str) -> str:
    """Return a part of a full name; one with a dot or a quote is in quotes."""
    return '"' + name.replace('"', '""') + '"' if "." in name or '"' in name else name


def _parts(full_name: str) -> tuple[str, str]:
    """Return the service and the rest of a full name as we write it; the rest without quotes."""
    end = full_name.index('".', 1) + 1 if full_name.startswith('"') else full_name.index(".")
    service, name = full_name[:end], full_name[end + 1 :]
    return service, name[1:-1].replace('""', '"') if name.startswith('"') else name


def _read_each(refs: Sequence[Ref], reader: Reader) -> list[tuple[Ref, Json | ServerFailed]]:
    return readable(refs, lambda some: reader.read([_get(ref) for ref in some]))


def _edges_of(refs: Sequence[Ref], reader: Reader) -> dict[str, Json]:
    """Return the details of all edges by key that start where one of *refs* does."""
    sources = list(dict.fromkeys((source, name) for source, name, *_ in (json.loads(ref.key) for ref in refs)))
    found: dict[str, Json] = {}
    for answer in reader.read([_lineage(*source, "0") for source in sources]):
        found |= _edges_in(Payload(answer or {}))
    return found


def _lineage(kind: str, name: str, upstream: str) -> Call:
    depth = (("upstreamDepth", upstream), ("downstreamDepth", "1"))
    where = (*_API, "lineage", kind, "name", name)
    return Call(method="GET", path=where, params=depth, check=lambda answer: answer.need("entity").need("id"))


def _edges_in(lineage: Payload) -> dict[str, Json]:
    """Return the details of the edges in an answer by key; none where there is no such entity.

    An end that the answer does not describe stands with its id: its edge fits none of ours.
    """
    entities = [*lineage.list("nodes"), *([lineage.object("entity")] if lineage.members() else [])]
    names = {
        entity.need("id").text(): (entity.need("type").text(), entity.need("fullyQualifiedName").text())
        for entity in entities
    }
    found: dict[str, Json] = {}
    for edge in (*lineage.list("upstreamEdges"), *lineage.list("downstreamEdges")):
        ids = (edge.need(end).text() for end in ("fromEntity", "toEntity"))
        key = canonical([part for end in ids for part in names.get(end, ("", end))])
        found[key] = edge.object("lineageDetails").members()
    return found


def _get(ref: Ref) -> Call:
    listed = {"table": "columns", "topic": "owners,tags", "pipeline": "owners,tags"}.get(ref.kind)
    fields = (("fields", listed),) if listed else ()
    return Call(method="GET", path=(*_API, *_PATHS[ref.kind], "name", ref.key), params=fields, check=_is_entity)


def _edge(key: str) -> tuple[str, ...]:
    source, from_name, target, to_name = json.loads(key)
    return source, "name", from_name, target, "name", to_name


def _state(kind: str, answer: Json) -> State | None:
    if answer is None:
        return None
    members = Payload(answer).members()
    state = {name: members[name] for name in _MEMBERS[kind] if members.get(name) not in (None, [], {})}
    if "columnsLineage" in state:
        state["columnsLineage"] = [_plain(entry) for entry in state["columnsLineage"]]
    for name in _IDENTIFYING.keys() & state.keys():
        state[name] = [{part: entry[part] for part in _IDENTIFYING[name]} for entry in state[name]]
    return state


def _plain(entry: Json) -> Json:
    return {name: value for name, value in entry.items() if value is not None}


def _call(change: Change) -> Call:
    kind, key = change.ref
    wanted = change.wanted
    path = (*_API, "lineage", *_edge(key)) if kind == "lineage" else (*_API, *_PATHS[kind])
    check = proves_nothing if kind == "lineage" else _is_entity
    if wanted is None:
        where, params = (path, ()) if kind == "lineage" else ((*path, "name", key), (("hardDelete", "true"),))
        return Call(method="DELETE", path=where, params=params)
    if change.live is None:
        return Call(method="PUT", path=path, body=_created(kind, key, wanted), check=check)
    patch = [*_operations(change.live, wanted)]
    where = path if kind == "lineage" else (*path, "name", key)
    return Call(method="PATCH", path=where, body=patch, content="application/json-patch+json", check=check)


def _created(kind: str, key: str, wanted: State) -> Json:
    """Return the body that creates a resource; an edge's is the details alone."""
    if kind == "lineage":
        return dict(wanted)
    if kind.endswith("Service"):
        return {"name": key, **wanted}
    service, name = _parts(key)
    tags = {"tags": [_tag(entry) for entry in wanted["tags"]]} if "tags" in wanted else {}
    return {"name": name, "service": service, **wanted, **tags}


def _tag(reference: Json) -> Json:
    return {**reference, "labelType": "Automated", "state": "Confirmed"}


def _operations(live: State, wanted: State) -> Iterator[Json]:
    """Yield the operations of a JSON Patch (RFC 6902) between two states."""
    for name in (live.keys() | wanted.keys()) & _IDENTIFYING.keys():
        yield from _element_operations(name, live.get(name, []), wanted.get(name, []))
    for name in live.keys() - wanted.keys() - _IDENTIFYING.keys():
        yield {"op": "remove", "path": f"/{name}"}
    for name, value in wanted.items():
        if name not in _IDENTIFYING and live.get(name) != value:
            yield {"op": "replace" if name in live else "add", "path": f"/{name}", "value": value}


def _element_operations(name: str, live: Sequence[Json], wanted: Sequence[Json]) -> Iterator[Json]:
    """Yield operations on single elements of a list: those of others keep members that we do not know."""
    for index in reversed(range(len(live))):
        if live[index] not in wanted:
            part = _IDENTIFYING[name][0]
            yield {"op": "test", "path": f"/{name}/{index}/{part}", "value": live[index][part]}
            yield {"op": "remove", "path": f"/{name}/{index}"}
    for entry in wanted:
        if entry not in live:
            yield {"op": "add", "path": f"/{name}/-", "value": _tag(entry) if name == "tags" else entry}


def _fields(columns: Iterable[Column]) -> list[Json]:
    """Return columns as nested fields; those of the message key are below a record `@key`."""
    top: list[Json] = []
    by_path: dict[tuple[str, ...], Json] = {}
    for column in columns:
        path = own_names(column.path) or ("value",)
        if path in by_path or any(not 0 < len(name) <= _LONGEST for name in path):
            continue
        for end in range(1, len(path)):
            if path[:end] not in by_path:
                _add(by_path, top, path[:end], {"name": path[end - 1], "dataType": "RECORD"})
        described = {"description": column.doc} if column.doc else {}
        word = column.logical_type or column.type
        field = {"name": path[-1], "dataType": _type_of(word), "dataTypeDisplay": word or "unknown", **described}
        _add(by_path, top, path, field)
    return top


def _add(by_path: dict[tuple[str, ...], Json], top: list[Json], path: tuple[str, ...], field: Json) -> None:
    by_path[path] = field
    (by_path[path[:-1]].setdefault("children", []) if len(path) > 1 else top).append(field)


def _type_of(word: str) -> str:
    plain = word.lower()
    return next((name for name, starts in _TYPES if plain.startswith(starts)), "UNKNOWN")


def _full_names(fields: Iterable[Payload], above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the full name of each field or column by its path."""
    for field in fields:
        path = (*above, field.need("name").text())
        if name := field.text("fullyQualifiedName"):
            yield path, name
        yield from _full_names(field.list("children"), path)
