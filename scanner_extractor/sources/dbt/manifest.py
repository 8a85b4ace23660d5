"""Load a dbt manifest, and the catalog beside it, as one document with what is read of them; secrets masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from scanner_extractor.http.messages import Json
from scanner_extractor.settings.dbt import DbtSettings
from scanner_extractor.sources.files import file_name
from scanner_model.documents.json_input import TooLarge, load_json
from scanner_model.errors import PayloadUnexpected, SourceUnreachable
from scanner_model.payload import Payload
from scanner_model.redaction import mask_json, mask_statement

DOCUMENT = "dbt"
"""The name under which a capture holds it."""

LARGEST = 256 * 1024 * 1024
"""Maximum bytes of a manifest."""
_CATALOG = "catalog.json"
_HINT = "run `dbt compile` or `dbt docs generate`, and name target/manifest.json"
_NODES = frozenset(
    {"name", "resource_type", "package_name", "original_file_path", "tags", "description", "meta", "relation_name"}
    | {"language", "depends_on", "compiled_code", "type", "owner", "url", "label", "maturity"}
)
_CONFIG = frozenset({"materialized", "meta"})
_COLUMN = frozenset({"name", "description", "data_type", "tags", "index", "type", "comment"})
_PARTS = ("nodes", "sources", "exposures")
_RESOURCES = frozenset({"model", "seed", "snapshot", "source", "exposure"})


def load_manifest(settings: DbtSettings) -> Json:
    """Return what is read of the manifest: version, adapter, nodes and exposures by their ids, and columns of tables.

    *catalog* is None where there is no catalog.json. Raises SourceUnreachable for files that cannot be read, and
    PayloadUnexpected for what is no manifest.
    """
    path = settings.files.files[0] if settings.files.files else settings.files.base / settings.files.pattern
    manifest = Payload(_load(path, settings))
    try:
        metadata = manifest.need("metadata")
        if "/manifest/" not in metadata.text("dbt_schema_version"):
            raise metadata.error("has no version of a manifest")
    except PayloadUnexpected as error:
        what = f"it is no manifest of dbt: {error.what}"
        raise PayloadUnexpected(what, where=_where(path, settings), hint=_HINT) from error
    beside = path.with_name(_CATALOG)
    catalog = Payload(_load(beside, settings)) if beside.is_file() else None
    nodes = dict(entry for member in _PARTS for entry in manifest.need(member).items())
    names = settings.files.secret_names
    return mask_json(
        {
            "version": metadata.text("dbt_schema_version").rpartition("/")[2].removesuffix(".json"),
            "dbt_version": metadata.text("dbt_version"),
            "adapter": metadata.text("adapter_type"),
            "project": metadata.text("project_name"),
            "nodes": {name: _node(node, names) for name, node in nodes.items() if _is_read(node)},
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


def _node(node: Payload, secret_names: frozenset[str]) -> Json:
    """Return what is read of a node; None for what is no node."""
    try:
        selected = _selected(node.members(), _NODES)
        selected["config"] = _selected(node.object("config").members(), _CONFIG)
        selected["columns"] = _columns(node)
    except PayloadUnexpected:
        return None
    if isinstance(code := selected.get("compiled_code"), str):
        selected["compiled_code"] = mask_statement(code, secret_names)
    return selected


def _catalog(catalog: Payload) -> Json:
    """Return the columns of each table by the id of its node."""
    return {name: _columns(table) for part in _PARTS[:2] for name, table in catalog.need(part).items()}


def _columns(table: Payload) -> list[Json]:
    return [_selected(column.members(), _COLUMN) for _, column in table.object("columns").items()]


def _selected(members: Mapping[str, Json], names: Iterable[str]) -> dict[str, Json]:
    return {name: value for name, value in members.items() if name in names}
