"""Read an Iceberg REST catalog: the tables of its namespaces with their schemas and locations, and views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.iceberg.reader import Identifier, read_table, read_view
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import by_token
from scanner_extractor.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceObjected
from scanner_model.payload import Payload

_PAGE = 1_000
_DEEPEST = 10
"""Levels of namespaces that are followed."""
_SEPARATOR = "\x1f"
_BAD_HINT = "is `url` the address that clients have as `uri`, without /v1?"
_VIEWS = "GET /v1/{prefix}/namespaces/{namespace}/views"

Namespace = tuple[str, ...]


class _Entry(NamedTuple):
    """A table or view as a list names it; *kind* is the last segment of the list's address."""

    kind: str
    identifier: Identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class _Service:
    """What the catalog's configuration says: the path that its requests begin with, and what it can list.

    *separator* joins the levels of a namespace in a path.
    """

    path: tuple[str, ...] = ("v1",)
    separator: str = _SEPARATOR
    has_views: bool = False


def read_iceberg(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
    """Read the tables and views of the namespaces that the settings choose; the catalog has no lineage but views' SQL.

    Raises ScannerError where the configuration, or no namespace's tables can be read; other failures give a partial
    result. Source: Apache Iceberg REST Catalog API.
    """
    collector = CatalogCollector(settings, http, progress)
    service = _service(settings, http)
    namespaces = {".".join(names): names for names in _namespaces(settings, http, service)}
    lists = collector.lists(list(namespaces), lambda name: _entries(collector, service, namespaces[name]), "tables")
    entries = [entry for _, listed_entries in lists for entry in listed_entries]
    for entry, answer in zip(entries, collector.run_all(entries, partial(_load, http, service)), strict=True):
        _add_table(collector, entry, answer)
    return collector.reading()


def list_namespaces(settings: CatalogSettings, http: Http) -> list[Namespace]:
    """List the namespaces that the settings choose, at every level, in order."""
    return _namespaces(settings, http, _service(settings, http))


def _service(settings: CatalogSettings, http: Http) -> _Service:
    """Read the configuration; a prefix comes encoded, as a part of a path."""
    params = (("warehouse", settings.warehouse),) if settings.warehouse else ()
    answer = Payload(http.get("v1", "config", params=params))
    if not isinstance(answer.value, dict):
        raise PayloadUnexpected("the response is not the configuration of a catalog", hint=_BAD_HINT)
    defaults, overrides = answer.object("defaults"), answer.object("overrides")
    prefix = overrides.text("prefix") or defaults.text("prefix")
    separator = overrides.text("namespace-separator") or defaults.text("namespace-separator")
    return _Service(
        path=("v1", *(unquote(step) for step in prefix.split("/") if step)),
        separator=unquote(separator) or _SEPARATOR,
        has_views=_VIEWS in answer.texts("endpoints"),
    )


def _namespaces(settings: CatalogSettings, http: Http, service: _Service) -> list[Namespace]:
    names = _children(http, service, ())
    level = names
    for _ in range(_DEEPEST):
        level = [name for parent in level for name in _child_namespaces(http, service, parent)]
        names = [*names, *level]
    return sorted(name for name in dict.fromkeys(names) if settings.wanted.schema(".".join(name)))


def _child_namespaces(http: Http, service: _Service, parent: Namespace) -> list[Namespace]:
    """List the namespaces in a namespace; a server without levels refuses, or lists all namespaces again."""
    try:
        return _children(http, service, parent)
    except (NotFound, SourceObjected):
        return []


def _children(http: Http, service: _Service, parent: Namespace) -> list[Namespace]:
    chosen = (("parent", service.separator.join(parent)),) if parent else ()

    def page(token: str) -> tuple[list[Namespace], str]:
        answer = Payload(http.get(*service.path, "namespaces", params=(*chosen, *_page(token))))
        levels = [tuple(level.text() for level in entry.list()) for entry in answer.entries("namespaces")]
        return [name for name in levels if name[:-1] == parent], answer.text("next-page-token")

    return list(by_token(page, key=lambda name: name))


def _page(token: str) -> tuple[tuple[str, str | int], ...]:
    return ("pageToken", token), ("pageSize", _PAGE)


def _entries(collector: CatalogCollector, service: _Service, namespace: Namespace) -> list[_Entry]:
    """List the tables of a namespace, and its views where the catalog has such a list."""
    wanted = collector.settings.wanted.table
    result: list[_Entry] = []
    for kind in ("tables", "views") if service.has_views else ("tables",):
        path = (*service.path, "namespaces", service.separator.join(namespace), kind)
        entries = by_token(_identifiers(collector.http, path), key=lambda entry: entry.shown("name"))
        names = collector.unread.read(
            collector.paged_entries(entries), lambda entry: entry.need("name").text(), lambda _: ""
        )
        result += [_Entry(kind, Identifier(namespace, name)) for name in names if wanted(name)]
    return result


def _identifiers(http: Http, path: tuple[str, ...]) -> Callable[[str], tuple[list[Payload], str]]:
    def page(token: str) -> tuple[list[Payload], str]:
        answer = Payload(http.get(*path, params=_page(token)))
        return answer.entries("identifiers"), answer.text("next-page-token")

    return page


def _load(http: Http, service: _Service, entry: _Entry) -> Json:
    """Load a table with the snapshots that branches and tags refer to only, as the others may be many."""
    params = (("snapshots", "refs"),) if entry.kind == "tables" else ()
    namespace, name = entry.identifier
    return http.get(*service.path, "namespaces", service.separator.join(namespace), entry.kind, name, params=params)


def _add_table(collector: CatalogCollector, entry: _Entry, answer: Json | ScannerError) -> None:
    """Add a table; one that was dropped since it was listed is left out."""
    if isinstance(answer, NotFound):
        return
    read = read_table if entry.kind == "tables" else read_view
    try:
        if isinstance(answer, ScannerError):
            raise answer
        collector.keep([read(Payload(answer), entry.identifier, collector.settings)])
    except ScannerError as error:
        collector.unread.add(entry.identifier.full_name, error)
