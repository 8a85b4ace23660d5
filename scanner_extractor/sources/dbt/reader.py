"""From a dbt manifest to facts: models, seeds, snapshots and sources as tables, exposures as what depends on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from scanner_extractor.catalogs.column_types import Part, columns_of, known_shape
from scanner_extractor.catalogs.json_fields import items, member, objects, parameters, text
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.dbt import DbtSettings
from scanner_model.catalogs import COLUMNS, DIALECT, DOCUMENTED, CatalogLink, CatalogTable
from scanner_model.columns import Column, field_segment
from scanner_model.errors import Problem
from scanner_model.redaction import mask_text
from scanner_model.scan import SourceResult, SourceStatus

PROVIDER = "dbt"
_TRIED = ("v10", "v11", "v12")
_PART = re.compile(r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[(?:[^\]]|\]\])*\]|(?P<plain>[^."`\[]+)')
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


def read_manifest(document: Json, settings: DbtSettings, progress: Progress) -> CatalogResult:
    """Read the tables and exposures of a project; *document* is what `load_manifest` returned.

    A node that the SQL of its model does not lead to is linked with what dbt says that it depends on. Source: dbt,
    "Manifest JSON file", versions 10 to 12.
    """
    project = _Project(document, settings)
    tables = tuple(sorted(project.tables(), key=lambda table: (table.namespace, table.name)))
    progress(settings.source, len(tables), len(tables))
    return CatalogResult(
        outcome=SourceResult(
            source=settings.source, kind="dbt", status=SourceStatus.READ, received=len(tables), requested=len(tables)
        ),
        tables=tables,
        links=tuple(sorted(set(project.links()), key=repr)),
        problems=tuple(project.problems()),
    )


def summary(document: Json) -> str:
    """Return what a manifest holds, in words."""
    kinds = [text(node, "resource_type") for node in _nodes(document).values()]
    counts = ", ".join(f"{kinds.count(kind)} {kind}s" for kind in ("model", "source", _EXPOSURE))
    return f"dbt {text(document, 'dbt_version')}, manifest {text(document, 'version')}: {counts}"


@dataclass(frozen=True)
class _Project:
    document: Json
    settings: DbtSettings

    @cached_property
    def nodes(self) -> Mapping[str, Json]:
        return _nodes(self.document)

    def tables(self) -> Iterator[CatalogTable]:
        for name, node in self.nodes.items():
            if text(node, "resource_type") == _EXPOSURE:
                yield self._exposure(name, node)
            elif text(node, "relation_name"):
                yield self._table(name, node)

    def links(self) -> Iterator[CatalogLink]:
        """Yield what exposures, and models without SQL, depend on."""
        for name, node in self.nodes.items():
            target = self._name(name)
            if target is None or self._definition(node):
                continue
            for namespace, origin in self._origins(name, set()):
                yield CatalogLink(
                    source=self.settings.source,
                    origin_namespace=namespace,
                    origin_name=origin,
                    target_namespace=target[0],
                    target_name=target[1],
                    process=name,
                )

    def problems(self) -> Iterator[Problem]:
        where, version = str(self.settings.source), text(self.document, "version")
        if version not in _TRIED:
            hint = f"{_TRIED[0]} to {_TRIED[-1]} are known: dbt 1.6 and later"
            yield Problem(where, f"the manifest has version {version}, which may be read in part only", hint)
        models = [node for node in self.nodes.values() if text(node, "resource_type") == "model"]
        lacking = [node for node in models if text(node, "language") in ("", _SQL) and not text(node, "compiled_code")]
        if lacking:
            what = f"{len(lacking)} of {len(models)} models have no compiled SQL: their columns are not connected"
            yield Problem(where, what, "run `dbt compile` or `dbt docs generate`, which write it into the manifest")

    def _name(self, identity: str) -> tuple[str, str] | None:
        """Return the name of a table or an exposure; None for a model that is a part of others only."""
        node = self.nodes.get(identity)
        if text(node, "resource_type") == _EXPOSURE:
            return f"dbt://{text(node, 'package_name')}", text(node, "name")
        parts = self._parts(node)
        return (self.settings.namespace, ".".join(parts)) if parts else None

    def _origins(self, identity: str, seen: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the tables that a node depends on, through models that are a part of others."""
        for origin in items(member(self.nodes.get(identity), "depends_on"), "nodes"):
            if isinstance(origin, str) and origin not in seen:
                seen.add(origin)
                name = self._name(origin)
                yield from [name] if name else self._origins(origin, seen)

    def _parts(self, node: Json) -> tuple[str, ...]:
        """Return the parts of a table's name as the warehouse stores them."""
        fold = _UNQUOTED.get(self.settings.namespace.partition(":")[0], str)
        parts = _PART.finditer(text(node, "relation_name"))
        names = (_unquoted(part[0]) if part["plain"] is None else fold(part[0].strip()) for part in parts)
        return tuple(filter(None, names))

    def _definition(self, node: Json) -> str:
        return text(node, "compiled_code").strip() if text(node, "language") in ("", _SQL) else ""

    def _table(self, identity: str, node: Json) -> CatalogTable:
        resource, materialized = text(node, "resource_type"), text(member(node, "config"), "materialized")
        listed = member(member(self.document, "catalog"), identity)
        columns = tuple(_columns(objects(node, "columns"), listed if isinstance(listed, list) else []))
        *containers, _ = parts = self._parts(node)
        words = {
            "dbt.id": identity,
            "dbt.file": text(node, "original_file_path"),
            "materialized": materialized,
            "tags": ",".join(map(str, items(node, "tags"))),
            DIALECT: text(self.document, "adapter"),
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
            description=mask_text(text(node, "description")),
            parameters=parameters(words),
            definition=self._definition(node),
            columns=columns,
        )

    def _exposure(self, identity: str, node: Json) -> CatalogTable:
        namespace, name = self._name(identity) or ("", "")
        words = {name: text(node, name) for name in ("label", "maturity", "url")} | {
            "dbt.id": identity,
            "dbt.file": text(node, "original_file_path"),
        }
        return CatalogTable(
            source=self.settings.source,
            provider=PROVIDER,
            namespace=namespace,
            name=name,
            kind=text(node, "type").upper() or _EXPOSURE.upper(),
            owner=_owner(node),
            description=mask_text(text(node, "description")),
            parameters=parameters(words),
        )


def _unquoted(part: str) -> str:
    return part[1:-1].replace(part[-1] * 2, part[-1])


def _nodes(document: Json) -> dict[str, Json]:
    value = member(document, "nodes")
    return (
        {name: node for name, node in sorted(value.items()) if isinstance(node, dict)}
        if isinstance(value, dict)
        else {}
    )


def _owner(node: Json) -> str:
    """Return the owner: of an exposure by address or name, of a model what its `meta` says."""
    stated = member(node, "owner") or member(member(node, "config"), "meta") or member(node, "meta")
    return text(stated, "email") or text(stated, "name") or text(stated, "owner")


def _columns(documented: list[dict[str, Json]], listed: list[Json]) -> Iterator[Column]:
    """Yield the columns that the warehouse listed, with what the project says of them, else those that it documents."""
    about = {text(column, "name").casefold(): column for column in documented}
    shown = sorted((entry for entry in listed if isinstance(entry, dict)), key=_position) or documented
    for column in shown:
        if name := text(column, "name"):
            stated = about.get(name.casefold(), {})
            doc = text(stated, "description") or text(column, "comment")
            part = Part(
                segment=field_segment(name),
                shape=known_shape(text(column, "type") or text(stated, "data_type")),
                doc=mask_text(doc) or None,
                tags=tuple(str(tag) for tag in items(stated, "tags")),
            )
            yield from columns_of((part,))


def _position(column: dict[str, Json]) -> int:
    index = column.get("index")
    return index if isinstance(index, int) else 0
