"""Read dbt: a manifest with the catalog beside it as one document, and its models, seeds, sources and exposures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scanner_extractor.catalogs.column_types import Part, columns_of, known_shape, parameters
from scanner_extractor.http.messages import Json
from scanner_extractor.job_files import file_name
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.catalogs import COLUMNS, DIALECT, DOCUMENTED, CatalogLink, CatalogTable
from scanner_model.columns import Column, field_segment
from scanner_model.documents.json_input import TooLarge, load_json
from scanner_model.errors import PayloadUnexpected, Problem, SourceUnreachable
from scanner_model.payload import Payload, Unread
from scanner_model.redaction import mask_json, mask_statement, mask_text
from scanner_model.scan import SourceResult

PROVIDER = "dbt"
STREAM_ADAPTERS = frozenset({"confluent", "flink", "risingwave", "materialize"})
"""Adapters whose models are topics, or objects that read and write topics: see `repository/dbt_streams.py`."""
_TRIED = ("v10", "v11", "v12")
_PART = re.compile(r'"(?:[^"]|"")*+(?:"|\Z)|`(?:[^`]|``)*+(?:`|\Z)|\[(?:[^\]]|\]\])*+(?:\]|\Z)|(?P<plain>[^."`\[]+)')
_UNQUOTED: Mapping[str, Callable[[str], str]] = {
    "oracle": str.upper,
    "postgres": str.lower,
    "redshift": str.lower,
    "snowflake": str.upper,
}
"""The case in which a warehouse stores names that are not quoted; others keep it."""
_VIEWS = {"view": "VIEW", "materialized_view": "MATERIALIZED VIEW"}
_EXPOSURE = "exposure"
_SQL = "sql"


def read_manifest(document: Json, settings: DbtSettings, progress: Progress) -> Reading:
    """Read the tables and exposures of a project; *document* is what `load_manifest` returned.

    A node that the SQL of its model does not lead to is linked with what dbt says that it depends on. Source: dbt,
    "Manifest JSON file", versions 10 to 12.
    """
    if not settings.namespace:
        hint = "set `namespace`, for example postgres://dw:5432"
        raise PayloadUnexpected("the warehouse of the project is not known", where=str(settings.source), hint=hint)
    project = Project(Payload(document), settings, Unread(settings.source))
    tables = tuple(sorted(project.tables(), key=lambda table: (table.namespace, table.name)))
    progress(settings.source, len(tables), len(tables))
    return Reading(
        outcome=project.outcome(len(tables)),
        facts=(*tables, *sorted(set(project.links()), key=repr)),
        problems=(*project.problems(), *project.unread.problems),
    )


def summary(document: Json) -> str:
    """Return what a manifest holds, in words."""
    manifest = Payload(document)
    kinds = [node.shown("resource_type") for _, node in manifest.need("nodes").items()]
    counts = ", ".join(f"{kinds.count(kind)} {kind}s" for kind in ("model", "source", _EXPOSURE))
    return f"dbt {manifest.text('dbt_version')}, manifest {manifest.text('version')}: {counts}"


@dataclass(frozen=True)
class Project:
    """A project; a node that cannot be read has no name that the warehouse knows, so that nothing counts as deleted."""

    document: Payload
    settings: DbtSettings
    unread: Unread

    @cached_property
    def nodes(self) -> Mapping[str, Payload]:
        """Return the nodes that can be read, by id."""
        entries = sorted(self.document.need("nodes").items(), key=lambda entry: entry[0])
        return dict(self.unread.read(entries, _valid, lambda _: ""))

    def tables(self) -> Iterator[CatalogTable]:
        """Yield the tables and exposures."""
        named = ((name, node) for name, node in self.nodes.items() if self.name(name))
        return self.unread.read(named, lambda entry: self.table(*entry), lambda _: "")

    def table(self, name: str, node: Payload) -> CatalogTable:
        """Return a node as a table, an exposure as a dataset."""
        return (self._exposure if node.text("resource_type") == _EXPOSURE else self._table)(name, node)

    def links(self) -> Iterator[CatalogLink]:
        """Yield what exposures, and models without SQL, depend on."""
        for name, node in self.nodes.items():
            target = self.name(name)
            if target is None or self.definition(node):
                continue
            for namespace, origin in self.origins(name, set()):
                yield CatalogLink(
                    source=self.settings.source,
                    origin_namespace=namespace,
                    origin_name=origin,
                    target_namespace=target[0],
                    target_name=target[1],
                    process=name,
                )

    def outcome(self, count: int) -> SourceResult:
        """Return how the source answered; *count* nodes were read."""
        unread = len(self.unread)
        reasons = [f"{unread} of its nodes could not be read"] if unread else []
        return answered(self.settings.source, "dbt", count, reasons=reasons, missing=unread)

    def problems(self) -> Iterator[Problem]:
        """Yield what is not known of the project: a version that was not tried, models without SQL."""
        where, version = str(self.settings.source), self.document.text("version")
        if version not in _TRIED:
            hint = f"{_TRIED[0]} to {_TRIED[-1]} are known: dbt 1.6 and later"
            yield Problem(where, f"the manifest has version {version}, which may be read in part only", hint)
        models = [node for node in self.nodes.values() if node.text("resource_type") == "model"]
        lacking = [node for node in models if node.text("language") in ("", _SQL) and not node.text("compiled_code")]
        if lacking:
            what = f"{len(lacking)} of {len(models)} models have no compiled SQL: their columns are not connected"
            yield Problem(where, what, "run `dbt compile` or `dbt docs generate`, which write it into the manifest")

    def name(self, identity: str) -> tuple[str, str] | None:
        """Return the name of a table or an exposure; None for a model that is a part of others only."""
        node = self.nodes.get(identity)
        if node and node.text("resource_type") == _EXPOSURE:
            return f"dbt://{node.text('package_name')}", node.need("name").text()
        parts = self.parts(node) if node else ()
        return (self.settings.namespace, ".".join(parts)) if parts else None

    def origins(self, identity: str, seen: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the tables that a node depends on, through models that are a part of others."""
        for origin in self.node_dependencies(identity):
            if origin not in seen:
                seen.add(origin)
                name = self.name(origin)
                yield from [name] if name else self.origins(origin, seen)

    def node_dependencies(self, identity: str) -> tuple[str, ...]:
        """Return the ids of the nodes that a node depends on directly, without those that are not read."""
        node = self.nodes.get(identity)
        return tuple(origin for origin in _dependencies(node) if origin in self.nodes) if node else ()

    def parts(self, node: Payload) -> tuple[str, ...]:
        """Return the parts of a table's name as the warehouse stores them."""
        fold = _UNQUOTED.get(self.settings.namespace.partition(":")[0], str)
        parts = _PART.finditer(node.text("relation_name"))
        names = (_unquoted(part[0]) if part["plain"] is None else fold(part[0].strip()) for part in parts)
        return tuple(filter(None, names))

    def definition(self, node: Payload) -> str:
        """Return the compiled SQL of a model; empty for one in Python, or without it."""
        return node.text("compiled_code").strip() if node.text("language") in ("", _SQL) else ""

    def _table(self, identity: str, node: Payload) -> CatalogTable:
        resource, materialized = node.text("resource_type"), node.object("config").text("materialized")
        listed = self.document.object("catalog").list(identity)
        columns = tuple(_columns(node.list("columns"), listed))
        *containers, _ = parts = self.parts(node)
        words = {
            "dbt.id": identity,
            "dbt.file": node.text("original_file_path"),
            "materialized": materialized,
            "tags": ",".join(node.texts("tags")),
            DIALECT: self.document.text("adapter"),
            COLUMNS: DOCUMENTED if columns and not listed else "",
            **dict(zip(("database", "schema"), containers, strict=False)),
        }
        return CatalogTable(
            source=self.settings.source,
            provider=PROVIDER,
            namespace=self.settings.namespace,
            name=".".join(parts),
            kind=_VIEWS.get(materialized, "TABLE" if resource in ("model", "source") else resource.upper()),
            owner=_owner(node),
            description=mask_text(node.text("description")),
            parameters=parameters(words),
            definition=self.definition(node),
            columns=columns,
        )

    def _exposure(self, identity: str, node: Payload) -> CatalogTable:
        namespace, name = self.name(identity) or ("", "")
        words = {name: node.text(name) for name in ("label", "maturity", "url")} | {
            "dbt.id": identity,
            "dbt.file": node.text("original_file_path"),
        }
        return CatalogTable(
            source=self.settings.source,
            provider=PROVIDER,
            namespace=namespace,
            name=name,
            kind=node.text("type").upper() or _EXPOSURE.upper(),
            owner=_owner(node),
            description=mask_text(node.text("description")),
            parameters=parameters(words),
        )


def _unquoted(part: str) -> str:
    return part[1:-1].replace(part[-1] * 2, part[-1])


def _valid(entry: tuple[str, Payload]) -> tuple[str, Payload]:
    """Return a node of the manifest; raises PayloadUnexpected where it lacks what its name and its lineage are from."""
    node = entry[1]
    if node.need("resource_type").text() == _EXPOSURE:
        node.need("name").text()
    elif "relation_name" not in node.members():  # it is null for a model that is a part of others
        raise node.error("has no 'relation_name'")
    node.text("relation_name"), node.text("compiled_code"), node.text("language"), _dependencies(node)
    return entry


def _dependencies(node: Payload) -> tuple[str, ...]:
    return node.object("depends_on").texts("nodes")


def _owner(node: Payload) -> str:
    """Return the owner: of an exposure by address or name, of a model what its `meta` says."""
    stated = node.object("owner") or node.object("config").object("meta") or node.object("meta")
    return stated.shown("email", "name", "owner")


def _columns(documented: list[Payload], listed: list[Payload]) -> Iterator[Column]:
    """Yield the columns that the warehouse listed, with what the project says of them, else those that it documents."""
    about = {column.text("name").casefold(): column for column in documented}
    for column in sorted(listed, key=lambda column: column.integer("index") or 0) or documented:
        name = column.need("name").text()
        stated = about.get(name.casefold(), Payload({}))
        part = Part(
            segment=field_segment(name),
            shape=known_shape(column.text("type") or stated.text("data_type")),
            doc=mask_text(stated.text("description") or column.text("comment")) or None,
            tags=stated.texts("tags"),
        )
        yield from columns_of((part,))


DOCUMENT = "dbt"
"""The name under which a capture holds it."""

LARGEST = 256 * 1024 * 1024
"""Maximum bytes of a manifest."""
_CATALOG = "catalog.json"
_HINT = "run `dbt compile` or `dbt docs generate`, and name target/manifest.json"
_NODES = frozenset(
    {
        "name",
        "alias",
        "identifier",
        "database",
        "schema",
        "resource_type",
        "package_name",
        "original_file_path",
        "tags",
        "description",
        "meta",
        "relation_name",
    }
    | {"language", "depends_on", "compiled_code", "type", "owner", "url", "label", "maturity"}
)
_CONFIG = frozenset({"materialized", "meta"})
_STREAM_CONFIG = frozenset(
    {"connector", "with", "connector_parameters", "data_format", "data_encode", "format_parameters", "contract"}
    | {"default_connector_properties", "connector_properties", "watermark"}
)
"""Settings of models of adapters for streams."""
_COLUMN = frozenset(
    {"name", "description", "data_type", "tags", "index", "type", "comment", "column_type", "expression"}
)
_PARTS = ("nodes", "sources", "exposures")
_RESOURCES = frozenset({"model", "seed", "snapshot", "source", "exposure"})


def load_manifest(settings: DbtSettings) -> Json:
    """Return what is read of the manifest: version, adapter, nodes and exposures by their ids, and columns of tables.

    *catalog* is None where there is no catalog.json. Raises SourceUnreachable for files that cannot be read, and
    PayloadUnexpected if it is not a manifest.
    """
    path = settings.files.files[0] if settings.files.files else settings.files.base / settings.files.pattern
    manifest = Payload(_load(path, settings))
    try:
        metadata = manifest.need("metadata")
        if "/manifest/" not in metadata.text("dbt_schema_version"):
            raise metadata.error("has no version of a manifest")
    except PayloadUnexpected as error:
        what = f"not a dbt manifest: {error.what}"
        raise PayloadUnexpected(what, where=_where(path, settings), hint=_HINT) from error
    beside = path.with_name(_CATALOG)
    catalog = Payload(_load(beside, settings)) if beside.is_file() else None
    nodes = dict(entry for member in _PARTS for entry in manifest.need(member).items())
    names = settings.files.secret_names
    config = _CONFIG | (_STREAM_CONFIG if metadata.text("adapter_type") in STREAM_ADAPTERS else frozenset())
    return mask_json(
        {
            "version": metadata.text("dbt_schema_version").rpartition("/")[2].removesuffix(".json"),
            "dbt_version": metadata.text("dbt_version"),
            "adapter": metadata.text("adapter_type"),
            "project": metadata.text("project_name"),
            "nodes": {name: _node(node, config, names) for name, node in nodes.items() if _is_read(node)},
            "catalog": None if catalog is None else _catalog(catalog),
        },
        names,
    )


def _load(path: Path, settings: DbtSettings) -> Json:
    where = _where(path, settings)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise PayloadUnexpected(f"it is larger than {LARGEST} bytes", where=where)
        return load_json(content).value
    except OSError as error:
        what = f"it cannot be read: {error.strerror or 'no such file'}"
        raise SourceUnreachable(what, where=where, hint="check the file and its rights") from error
    except TooLarge as error:
        raise PayloadUnexpected(f"it is too large: {error}", where=where) from error
    except (ValueError, RecursionError) as error:
        raise PayloadUnexpected(f"it is not JSON ({error})", where=where, hint=_HINT) from error


def _where(path: Path, settings: DbtSettings) -> str:
    return f"{settings.source} {file_name(path, settings.files.base)}"


def _is_read(node: Payload) -> bool:
    """Return whether a node is of a kind that is read, or of none, for the reader to report."""
    return node.shown("resource_type") in ("", *_RESOURCES)


def _node(node: Payload, config: frozenset[str], secret_names: frozenset[str]) -> Json:
    """Return the used members of a node; None if it is not a node."""
    try:
        selected = _selected(node.members(), _NODES)
        selected["config"] = _selected(node.object("config").members(), config)
        selected["columns"] = _read_columns(node)
    except PayloadUnexpected:
        return None
    if isinstance(code := selected.get("compiled_code"), str):
        selected["compiled_code"] = mask_statement(code, secret_names)
    return selected


def _catalog(catalog: Payload) -> Json:
    """Return the columns of each table by the id of its node."""
    return {name: _read_columns(table) for part in _PARTS[:2] for name, table in catalog.need(part).items()}


def _read_columns(table: Payload) -> list[Json]:
    return [_selected(column.members(), _COLUMN) for _, column in table.object("columns").items()]


def _selected(members: Mapping[str, Json], names: Iterable[str]) -> dict[str, Json]:
    return {name: value for name, value in members.items() if name in names}
