"""Power BI: the tables of semantic models and the visuals of reports in projects. Source: Microsoft, Power BI projects.

A model is a directory of TMDL, or `model.bim`; a report is its `report.json`, or a file for each page and visual. A
visual names the fields of the model that it shows.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import DASHBOARD, Chart, add_chart
from scanner_extractor.repository.dashboards.power_bi_model import SemanticModel, model_of_json
from scanner_extractor.repository.dashboards.syntax.tmdl import TmdlObject, parse_tmdl
from scanner_extractor.repository.files import RepositoryFile
from scanner_model.documents.json_input import load_text
from scanner_model.payload import Json

_TOOL = "powerbi"
_PARTS = ("/tables/", "/cultures/", "/roles/", "/perspectives/")
_REPORT_FILES = ("report.json", "visual.json", "page.json", "definition.pbir")
_FIELDS = ("Column", "Measure")


def is_power_bi(file: RepositoryFile) -> bool:
    """Check whether a file is part of a model or a report."""
    if file.ending in (".tmdl", ".bim"):
        return file.ending == ".tmdl" or '"model"' in file.text
    return file.name in _REPORT_FILES and _report(file.path) != ""


def read_power_bi(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the tables of models that read databases, and the visuals over them; a table with a computed name is left."""
    models = dict(_models(files))
    shown = {path: model for path, (model, _) in models.items()}
    for directory, (model, paths) in models.items():
        title = posixpath.basename(directory).rpartition(".")[0] or posixpath.basename(directory)
        for table in model.tables.values():
            path = paths.get(table.name, directory)
            if table.left:
                context.leave(path, DASHBOARD, table.left)
            query, dialect = model.query((table.name, name) for name in ("", *table.columns))
            if query and table.rows.sources:
                add_chart(Chart(_TOOL, title, f"{table.name} (table)", query, dialect, "MODEL TABLE"), path, context)
    documents = {file.path: document for file in files if (document := _json(file, context)) is not None}
    for path, document in documents.items():
        chosen = _model_of(_report(path), documents, shown)
        for page, visual, fields in _visuals(path, document, documents):
            query, dialect = chosen.query(fields) if chosen else ("", "")
            if query:
                add_chart(Chart(_TOOL, page, visual, query, dialect), path, context)


def _models(files: Iterable[RepositoryFile]) -> Iterator[tuple[str, tuple[SemanticModel, Mapping[str, str]]]]:
    """Yield the models by directory, each with the files of its tables."""
    objects: dict[str, list[tuple[str, TmdlObject]]] = {}
    for file in files:
        if file.ending == ".tmdl":
            part = next((part for part in _PARTS if part in f"/{file.path}"), "")
            directory = f"/{file.path}".partition(part)[0][1:] if part else file.directory
            listed = parse_tmdl(file.text).children
            objects.setdefault(directory.removesuffix("/definition"), []).extend((file.path, one) for one in listed)
        elif file.ending == ".bim":
            document = _loaded(file.text)
            found = model_of_json(document) if isinstance(document, dict) else ()
            objects.setdefault(file.directory, []).extend((file.path, one) for one in found)
    for directory, pairs in objects.items():
        model = SemanticModel(one for _, one in pairs)
        if model.tables:
            yield directory, (model, {one.name: path for path, one in pairs if one.kind == "table"})


def _report(path: str) -> str:
    """Return the directory of the report that a file belongs to: what ends in `.Report`; empty for none."""
    before, found, _ = path.partition(".Report/")
    return before + found[:-1] if found else ""


def _json(file: RepositoryFile, context: Context) -> Json:
    if file.name not in _REPORT_FILES:
        return None
    document = _loaded(file.text)
    if document is None:
        context.leave(file, DASHBOARD, "invalid JSON")
    return document


def _loaded(text: str) -> Json:
    try:
        return load_text(text, strict=False)
    except ValueError:
        return None


def _model_of(report: str, documents: Mapping[str, Json], models: Mapping[str, SemanticModel]) -> SemanticModel | None:
    """Return the model that a report refers to by its path; the only one of the files if it names none."""
    reference = documents.get(f"{report}/definition.pbir")
    path = next((text for text in _texts(reference, "path")), "")
    chosen = models.get(posixpath.normpath(posixpath.join(report, path))) if path else None
    return chosen or (next(iter(models.values())) if len(models) == 1 and not path else None)


def _visuals(
    path: str, document: Json, documents: Mapping[str, Json]
) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Yield the visuals of a file: the title of the page, its own, and its fields."""
    if path.endswith("/visual.json") and isinstance(document, dict):
        page = documents.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), "../../page.json")))
        yield _named(_report(path), page, "displayName"), _title(document), list(_fields(document, {}))
    elif path.endswith("/report.json") and isinstance(document, dict):
        for section in _entries(document.get("sections")):
            for container in _entries(section.get("visualContainers")):
                config = _loaded(str(container.get("config") or "null"))
                texts = [config, *(_loaded(str(container.get(name) or "null")) for name in ("filters", "query"))]
                fields = list(_fields(texts, {}))
                yield _named(_report(path), section, "displayName"), _title(config), fields


def _named(report: str, page: Json, member: str) -> str:
    title = page.get(member) if isinstance(page, dict) else None
    name = posixpath.basename(report).removesuffix(".Report")
    return f"{name}: {title}" if isinstance(title, str) and title else name


def _title(visual: Json) -> str:
    """Return the title of a visual, else its type."""
    for title in _members(visual, "title"):
        for text in _texts(title, "Value"):
            if text.startswith("'") and len(text) > 2:
                return text.strip("'")
    return next(_texts(visual, "visualType"), "visual")


def _fields(value: Json, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the fields that a visual names: of a table, or of the alias of one in a query."""
    if isinstance(value, list):
        for item in value:
            yield from _fields(item, names)
    if not isinstance(value, dict):
        return
    aliases = {str(one.get("Name")): str(one.get("Entity")) for one in _entries(value.get("From"))}
    known = {**names, **aliases}
    for name, inside in value.items():
        if name in _FIELDS and isinstance(inside, dict) and isinstance(inside.get("Property"), str):
            source = next(iter(_members(inside, "SourceRef")), None)
            reference = source if isinstance(source, dict) else {}
            table = reference.get("Entity") or known.get(str(reference.get("Source")), "")
            yield str(table), str(inside["Property"])
        else:
            yield from _fields(inside, known)


def _members(value: Json, name: str) -> Iterator[Json]:
    """Yield the values of a member at any depth."""
    items = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    if isinstance(value, dict) and name in value:
        yield value[name]
    for item in items:
        yield from _members(item, name)


def _texts(value: Json, name: str) -> Iterator[str]:
    return (text for text in _members(value, name) if isinstance(text, str))


def _entries(value: Json) -> list[Mapping[str, Json]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
