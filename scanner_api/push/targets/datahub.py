"""DataHub: datasets with schemas, flows and jobs with column lineage, as aspects of entities over OpenAPI v3.

Lineage is on jobs of ours (`dataJobInputOutput`), which only scanner writes: `upstreamLineage` of a dataset is replaced
as a whole. Source: DataHub, docs/api/openapi, and the aspect schemas of metadata-models.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dataflow_generator.openlineage.redaction import canonical
from scanner_api.push.contents import DatasetEdge, GraphContents, PushDataset, PushJob
from scanner_api.push.identity import Identity, identity_of, own_names
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
    no_relations,
    readable,
    refusal_of,
)
from scanner_dictionary.engine.rows import in_chunks
from scanner_extractor.config.sections import text
from scanner_extractor.push_targets import PushTarget
from scanner_extractor.settings.push import PushSettings, Schemas
from scanner_model.columns import KEY, Column, ColumnPath
from scanner_model.errors import ServerFailed
from scanner_model.payload import Payload

_API = ("openapi", "v3", "entity")
_SYNC = (("async", "false"),)
_MOST, _LARGEST = 200, 4 * 1024 * 1024
"""Entities and characters of one request; DataHub's own emitter sends at most 200 and 15 MiB."""
_READ_AT_ONCE = 100
_PLATFORMS = {"abfss": "abs", "gs": "gcs", "sqlserver": "mssql", "unitycatalog": "databricks"}
"""Platforms by the scheme of OpenLineage's namespaces, if it is another word."""
_AUTOMATIC = frozenset({"datasetKey", "dataFlowKey", "dataJobKey", "browsePaths", "browsePathsV2", "status"})
"""Aspects that the server writes by itself."""
_LISTS = {"globalTags": "tags", "ownership": "owners"}
"""Aspects whose elements belong to several writers, and the member with the elements."""
_STAMP = {"time": 0, "actor": "urn:li:corpuser:unknown"}
_OURS = "scanner"
"""The `hash` of schemas that we write: their field paths are known without reading them."""
_ORCHESTRATORS = {
    "connector": "kafka-connect",
    "flink": "flink",
    "ksqldb": "ksqldb",
    "streams": "kafka-streams",
    "consumer-group": "kafka",
}
_TYPES = (
    ("Boolean", ("bool", "bit")),
    ("Bytes", ("bytes", "binary", "varbinary", "blob", "bytea")),
    ("Date", ("date",)),
    ("Time", ("time",)),
    (
        "Number",
        ("int", "long", "short", "byte", "tiny", "small", "big", "uint", "sint", "fixed32", "fixed64", "sfixed"),
    ),
    ("Number", ("float", "double", "real", "number", "numeric", "decimal", "serial")),
    ("Fixed", ("fixed",)),
    ("String", ("string", "varchar", "char", "text", "uuid")),
    ("Enum", ("enum",)),
    ("Map", ("map",)),
    ("Array", ("array", "list", "repeated")),
    ("Union", ("union", "oneof")),
    ("Record", ("record", "struct", "object", "message", "row")),
)
"""DataHub's types by the first letters of ours, the first match counts; any other is NullType, its unknown type."""
_TOKEN = re.compile(r"\[[^\[\]]*+\]\.?")
_RESERVED = {",": "%2C", "(": "%28", ")": "%29", "␟": "%E2%90%9F"}


class DataHub:
    """DataHub as a target."""

    shared = frozenset(_LISTS)
    fixed: frozenset[str] = frozenset()
    receipt = ""
    relations = staticmethod(no_relations)

    def __init__(self, settings: PushSettings) -> None:
        self._settings = settings
        self._environment = settings.options.get("environment", "PROD")
        self.forced = frozenset({"schemaMetadata"} if settings.schemas is Schemas.ALL else ())
        self._paths: dict[str, Mapping[str, str]] = {}

    def stages(self, contents: GraphContents, reader: Reader) -> Iterator[Iterator[Item | Skipped | Refusal]]:
        """Yield datasets, then flows, then jobs."""
        yield self._datasets(contents, reader)
        flows = {self._flow_urn(job): job for job in contents.jobs()}
        yield (Item(Ref("dataFlow", urn), _flow(job)) for urn, job in flows.items())
        yield (Item(Ref("dataJob", self._job_urn(job)), self._job(job, contents)) for job in contents.jobs())

    def _datasets(self, contents: GraphContents, reader: Reader) -> Iterator[Item | Skipped | Refusal]:
        for some in in_chunks(contents.datasets(), _READ_AT_ONCE):
            urns = [self._dataset_urn(dataset.namespace, dataset.name) for dataset in some]
            schemas = readable(urns, lambda part: self._schemas(part, reader))
            for dataset, (urn, schema) in zip(some, schemas, strict=True):
                if isinstance(schema, ServerFailed):
                    yield refusal_of(Ref("dataset", urn), schema)
                    continue
                yield from self._match_paths(dataset, schema)
                yield Item(Ref("dataset", urn), self._dataset(dataset))

    def states(self, refs: Sequence[Ref], reader: Reader) -> Iterator[State | None]:
        """Yield the aspects of each entity, lists of tags and owners as such; None where it has none of anybody."""
        for some in in_chunks(refs, _READ_AT_ONCE):
            found = self._read(some[0].kind, [ref.key for ref in some], (), reader)
            yield from (found.get(ref.key) or None for ref in some)

    def batches(self, changes: Sequence[Change], run: int) -> Iterator[Batch]:
        """Yield the calls: aspects of up to 200 entities in one, removals one by one."""
        waiting: list[tuple[Json, Change]] = []
        size = 0
        for change in changes:
            body, removals = _aspects(change, run), _removals(change)
            if removals:
                calls = (_upsert(change.ref.kind, [body]), *removals) if len(body) > 1 else removals
                yield Batch(tuple(calls), (change,))
                continue
            length = len(canonical(body))
            if waiting and (len(waiting) == _MOST or size + length > _LARGEST):
                yield _batch(waiting)
                waiting, size = [], 0
            waiting.append((body, change))
            size += length
        if waiting:
            yield _batch(waiting)

    def explain(self, namespace: str, name: str) -> Explained:
        """Return the URN of a dataset."""
        row = identity_of(self._settings, namespace, name).row
        return Explained(self._dataset_urn(namespace, name), row, (f"environment {self._environment}",))

    def _read(self, kind: str, urns: Sequence[str], aspects: Iterable[str], reader: Reader) -> dict[str, State]:
        """Return the aspects of entities by URN, all of them where none are named."""
        body = [{"urn": urn, **{aspect: {} for aspect in aspects}} for urn in urns]
        call = Call(method="POST", path=(*_API, kind, "batchGet"), body=body, check=_entities)
        (answer,) = reader.read([call])
        return {urn: dict(_known_aspects(entity)) for urn, entity in _entities(Payload(answer)).items()}

    def _schemas(self, urns: Sequence[str], reader: Reader) -> Iterator[Json]:
        found = self._read("dataset", urns, ("schemaMetadata",), reader)
        return (found.get(urn, {}).get("schemaMetadata") for urn in urns)

    def _match_paths(self, dataset: PushDataset, schema: Json) -> Iterator[Skipped]:
        """Note how the catalog's schema writes the paths of columns, if it is not ours; yield what is ambiguous."""
        if not schema or schema.get("hash") == _OURS or "schemaMetadata" in self.forced:
            return
        written: dict[str, list[str]] = defaultdict(list)
        for entry in schema.get("fields", ()):
            written[_stripped(entry["fieldPath"])].append(entry["fieldPath"])
        self._paths[dataset.key] = {name: paths[0] for name, paths in written.items() if len(paths) == 1}
        for column in dataset.columns:
            if len(written.get(_simple(column.path), ())) > 1:
                yield Skipped(f"{dataset.name}.{column.name}", "several fields of the catalog's schema have this path")

    def _dataset(self, dataset: PushDataset) -> State:
        parts = self._settings.parts
        identity = identity_of(self._settings, dataset.namespace, dataset.name)
        platform = _platform(identity)
        described = {"description": dataset.description} if "documentation" in parts and dataset.description else {}
        known = {"columns": "only those that flows name"} if dataset.is_part else {}
        properties = {"name": dataset.name, "customProperties": {"namespace": dataset.namespace, **known}, **described}
        state: dict[str, Json] = {"datasetProperties": properties}
        if dataset.kind:
            state["subTypes"] = {"typeNames": [dataset.kind.capitalize()]}
        if identity.instance:
            instance = f"urn:li:dataPlatformInstance:({platform},{_encoded(identity.instance)})"
            state["dataPlatformInstance"] = {"platform": platform, "instance": instance}
        if dataset.columns and self._settings.schemas is not Schemas.NONE:
            state["schemaMetadata"] = _schema(dataset, platform, with_tags="tags" in parts)
        return state | _tags_and_owners(dataset, parts)

    def _job(self, job: PushJob, contents: GraphContents) -> State:
        urns = {key: self._dataset_urn(*contents.names[key]) for key in (*job.reads, *job.writes)}
        info = {"name": job.name, "type": {"string": "COMMAND"}, "flowUrn": self._flow_urn(job)}
        described = {"description": job.description} if job.description else {}
        properties = {"type": job.type} | ({"statement": job.statement} if job.statement else {})
        lineage = {
            "inputDatasets": [urns[key] for key in job.reads],
            "outputDatasets": [urns[key] for key in job.writes],
        }
        fields = [entry for edge in job.edges for entry in self._fine_grained(edge, urns)]
        state: dict[str, Json] = {
            "dataJobInfo": info | described | {"customProperties": properties},
            "dataJobInputOutput": lineage | ({"fineGrainedLineages": fields} if fields else {}),
        }
        return state | _tags_and_owners(job, self._settings.parts)

    def _fine_grained(self, edge: DatasetEdge, urns: Mapping[str, str]) -> Iterator[Json]:
        """Yield the lineage of each column that an edge writes, without columns that the catalog's schema lacks."""
        origins: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for pair in edge.columns:
            source = self._field_urn(edge.source, pair.source, urns)
            target = self._field_urn(edge.target, pair.target, urns)
            if source and target:
                origins[target, pair.subtype][source] = None
        for (target, subtype), sources in origins.items():
            yield {
                "upstreamType": "FIELD_SET",
                "upstreams": list(sources),
                "downstreamType": "FIELD",
                "downstreams": [target],
                "confidenceScore": 1.0,
                **({"transformOperation": subtype} if subtype else {}),
            }

    def _field_urn(self, key: str, path: ColumnPath, urns: Mapping[str, str]) -> str:
        simple = _simple(path)
        written = self._paths[key].get(simple) if key in self._paths else simple
        return f"urn:li:schemaField:({urns[key]},{_encoded(written)})" if written else ""

    def _dataset_urn(self, namespace: str, name: str) -> str:
        identity = identity_of(self._settings, namespace, name)
        full = f"{identity.instance}.{identity.name}" if identity.instance else identity.name
        platform = _platform(identity)
        return f"urn:li:dataset:({platform},{_encoded(full)},{self._environment})"

    def _flow_urn(self, job: PushJob) -> str:
        orchestrator = _ORCHESTRATORS.get(job.type, _OURS)
        return f"urn:li:dataFlow:({orchestrator},{_encoded(job.namespace)},{self._environment})"

    def _job_urn(self, job: PushJob) -> str:
        return f"urn:li:dataJob:({self._flow_urn(job)},{_encoded(job.name)})"


def _platform(identity: Identity) -> str:
    return f"urn:li:dataPlatform:{identity.platform or _PLATFORMS.get(identity.scheme, identity.scheme)}"


TARGET = PushTarget(
    build=DataHub,
    schema={"environment": text("Environment", "Environment of every dataset.", "PROD", default="PROD")},
)


def _flow(job: PushJob) -> State:
    return {"dataFlowInfo": {"name": job.namespace, "customProperties": {"producer": _OURS}}}


def _schema(dataset: PushDataset, platform: str, *, with_tags: bool) -> Json:
    fields: dict[str, Json] = {}
    for column in dataset.columns:
        fields.setdefault(_simple(column.path), _field(column, with_tags=with_tags))
    kafka = {"documentSchema": "", "documentSchemaType": "NONE"}
    plain = {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}}
    return {
        "schemaName": dataset.name,
        "platform": platform,
        "version": 0,
        "hash": _OURS,
        "platformSchema": {"com.linkedin.schema.KafkaSchema": kafka} if dataset.kind == "TOPIC" else plain,
        "fields": [{"fieldPath": path, **field} for path, field in fields.items()],
    }


def _field(column: Column, *, with_tags: bool) -> Json:
    word = column.logical_type or column.type
    return {
        "nullable": column.nullable,
        "type": {"type": {f"com.linkedin.schema.{_type_of(word)}Type": {}}},
        "nativeDataType": word or "unknown",
        "recursive": column.recursive is not None,
        "isPartOfKey": column.path[:1] == (KEY,),
        **({"description": column.doc} if column.doc else {}),
        **({"globalTags": {"tags": _tags(column.tags)}} if with_tags and column.tags else {}),
    }


def _type_of(word: str) -> str:
    plain = word.lower()
    return next((name for name, starts in _TYPES if plain.startswith(starts)), "Null")


def _tags_and_owners(described: PushDataset | PushJob, parts: frozenset[str]) -> dict[str, Json]:
    tags = _tags(described.tags) if "tags" in parts else []
    names = described.owners if "owners" in parts else ()
    owners = [{"owner": f"urn:li:corpuser:{_encoded(name)}", "type": "DATAOWNER"} for name in names]
    return ({"globalTags": tags} if tags else {}) | ({"ownership": owners} if owners else {})


def _tags(names: Iterable[str]) -> list[Json]:
    return [{"tag": f"urn:li:tag:{_encoded(name)}"} for name in names]


def _entities(answer: Payload) -> dict[str, Payload]:
    """Return the entities of an answer by URN; raises PayloadUnexpected for anything but a list of entities."""
    return {entity.need("urn").text(): entity for entity in answer.list()}


def _known_aspects(entity: Payload) -> Iterator[tuple[str, Json]]:
    """Yield the written aspects of an entity, without null members."""
    for name, aspect in entity.items():
        if name == "urn" or name in _AUTOMATIC:
            continue
        value = _without_null(aspect.need("value").members())
        if name == "dataPlatformInstance" and "instance" not in value:
            continue
        yield name, value.get(_LISTS[name], []) if name in _LISTS else value


def _without_null(value: Json) -> Json:
    match value:
        case dict():
            return {name: _without_null(member) for name, member in value.items() if member is not None}
        case list():
            return [_without_null(entry) for entry in value]
        case _:
            return value


def _aspects(change: Change, run: int) -> dict[str, Json]:
    """Return the entity with the aspects that differ, as a request has it."""
    live, wanted = change.live or {}, change.wanted or {}
    system = {"runId": f"scanner-{run}"}
    differing = {name: value for name, value in wanted.items() if live.get(name) != value}
    return {"urn": change.ref.key} | {
        name: {"value": _value(name, value), "systemMetadata": system} for name, value in differing.items()
    }


def _value(name: str, value: Json) -> Json:
    match name:
        case "globalTags":
            return {"tags": value}
        case "ownership":
            return {"owners": value, "lastModified": _STAMP}
        case _:
            return value


def _removals(change: Change) -> tuple[Call, ...]:
    """Return the calls that remove an entity, by a body as DataHub's client does, or single aspects."""
    kind, urn = change.ref
    if change.wanted is None:
        params = (("action", "delete"),)
        return (Call(method="POST", path=("entities",), params=params, body={"urn": urn}, check=has("value")),)
    gone = [name for name in change.live or {} if name not in change.wanted]
    return tuple(Call(method="DELETE", path=(*_API, kind, urn, name)) for name in gone)


def _upsert(kind: str, bodies: list[Json]) -> Call:
    urns = {body["urn"] for body in bodies}

    def check(answer: Payload) -> None:
        if missing := urns - _entities(answer).keys():
            raise answer.error(f"lacks {min(missing)}")

    return Call(method="POST", path=(*_API, kind), params=_SYNC, body=bodies, check=check)


def _batch(waiting: Sequence[tuple[Json, Change]]) -> Batch:
    call = _upsert(waiting[0][1].ref.kind, [body for body, _ in waiting])
    return Batch((call,), tuple(change for _, change in waiting))


def _simple(path: ColumnPath) -> str:
    """Return a field path of DataHub's first version: names with dots; fields of the key begin with `@key`."""
    return ".".join(own_names(path)) or "value"


def _stripped(path: str) -> str:
    """Return a field path of any version as `_simple` writes it."""
    name = _TOKEN.sub("", path).strip(".")
    return f"{KEY}.{name}".rstrip(".") if "[key=True]" in path else name or "value"


def _encoded(part: str) -> str:
    """Return a part of a URN with the reserved characters encoded."""
    return "".join(_RESERVED.get(letter, letter) for letter in part)
