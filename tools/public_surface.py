"""The public surfaces as text, a file each in tests/public_surface: `python tools/public_surface.py` writes them.

A test compares the files with the code, so that nothing public changes unannounced; docs/stability.md says what a
change of each surface means.
"""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import importlib
import inspect
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

ROOT = Path(__file__).parents[1]
FILES = ROOT / "tests" / "public_surface"
HINT = "if it is meant: run `python tools/public_surface.py`, and announce it in CHANGELOG.md (docs/stability.md)"

Json = Any


def command_line() -> Iterator[str]:
    """List every command with its arguments and options: type, whether it is required, may be repeated, a variable."""
    from scanner_cli.main import cli

    yield from _commands(cli, "scanner")


def _commands(command: click.Command, path: str) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield path
    for parameter in command.params:
        names = " ".join(sorted((*parameter.opts, *parameter.secondary_opts)))
        facts = [parameter.type.name] + (["required"] if parameter.required else [])
        facts += ["repeatable"] if getattr(parameter, "multiple", False) or parameter.nargs == -1 else []
        facts += ["flag"] if getattr(parameter, "is_flag", False) else []
        facts += [f"metavar {parameter.metavar}"] if parameter.metavar else []
        facts += [f"from {parameter.envvar}"] if parameter.envvar else []
        yield f"{path} {names}: {', '.join(facts)}"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in sorted(command.list_commands(context)):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _commands(inner, f"{path} {name}")


def exit_statuses() -> Iterator[str]:
    """List the exit statuses."""
    from scanner_cli.usage_errors import Exit

    return (f"{status.value} {status.name}" for status in Exit)


def json_documents() -> Iterator[str]:
    """List the members of every JSON document as docs/json.md shows them; another test compares them with commands."""
    from scanner_model.documents import FORMAT_VERSION

    yield f"format_version {FORMAT_VERSION}"
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    for title, example in re.findall(r"## ([^\n]+)\n(?:(?!\n## ).)*?```json\n(.*?)```", page, re.DOTALL):
        yield from sorted({f"{title}: {path}" for path in _members(json.loads(example), "$")})


def _members(document: Json, path: str) -> Iterator[str]:
    match document:
        case dict():
            for name, value in document.items():
                yield from _members(value, f"{path}.{name}")
        case list() if document:
            for value in document:
                yield from _members(value, f"{path}[]")
        case _:
            yield path


def cluster_json() -> Iterator[str]:
    """List the members of cluster.json by its JSON Schema."""
    from scanner_api import cluster_schema

    return _schema_members(cluster_schema())


def manual_input() -> Iterator[str]:
    """List the members of manual input by its JSON Schema."""
    from scanner_api import manual_input_schema

    return _schema_members(manual_input_schema())


def _schema_members(schema: Json) -> Iterator[str]:
    yield from sorted(set(_properties(schema, "$")))


def _properties(schema: Json, path: str) -> Iterator[str]:
    """Yield the members below *path*; those of a definition below its name."""
    match schema:
        case dict():
            required = schema.get("required", ())
            for name, inner in _named(schema.get("properties")):
                kind = inner.get("type", "") if isinstance(inner, dict) else ""
                yield f"{path}.{name}: {kind}{' required' if name in required else ''}".rstrip(" :")
                yield from _properties(inner, f"{path}.{name}")
            yield from (f"{path} = {json.dumps(value)}" for value in schema.get("enum", ()))
            for name, inner in _named(schema.get("$defs")):
                yield from _properties(inner, f"#{name}")
            for name in schema.keys() - {"properties", "enum", "$defs", "examples", "default", "required"}:
                yield from _properties(schema[name], f"{path}[]" if name == "items" else path)
        case list():
            for inner in schema:
                yield from _properties(inner, path)


def _named(properties: Json) -> Iterator[tuple[str, Json]]:
    return iter(properties.items() if isinstance(properties, dict) else ())


def sql_views() -> Iterator[str]:
    """List the SQL views with their columns."""
    from scanner_dictionary.schema.views import VIEWS

    return (f"{view.name}.{column}" for view in VIEWS for column in view.columns)


def library() -> Iterator[str]:
    """List the exported names of scanner and scanner_api with their parameters, or fields and methods."""
    import scanner
    import scanner_api

    for module in (scanner, scanner_api):
        for name in module.__all__:
            yield from _described(f"{module.__name__}.{name}", getattr(module, name))


def plugins() -> Iterator[str]:
    """List the entry-point groups, and what the plug-ins of examples/plugins import, with parameters or fields."""
    from scanner_model.plugins import GROUPS

    yield from (f"group {group}" for group in GROUPS)
    imported: dict[str, object] = {}
    for file in sorted((ROOT / "examples" / "plugins").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("scanner_", "dataflow_generator")):
                module = importlib.import_module(str(node.module))
                imported |= {f"{node.module}.{alias.name}": getattr(module, alias.name) for alias in node.names}
    for name, value in sorted(imported.items()):
        yield from _described(name, value)


def _described(name: str, value: object) -> Iterator[str]:
    if not inspect.isclass(value):
        yield f"{name}{_parameters(value)}" if inspect.isfunction(value) else name
        return
    yield f"class {name}"
    members = _fields(value) or [key for key in vars(value) if not key.startswith("_")]
    yield from (f"{name}.{member}" for member in members)
    own = {key: item for key, item in vars(value).items() if inspect.isfunction(item) and not key.startswith("_")}
    yield from (f"{name}.{key}{_parameters(item)}" for key, item in own.items() if key not in members)


def _fields(value: type) -> list[str]:
    if dataclasses.is_dataclass(value):
        required = dataclasses.MISSING
        return [
            field.name + ("" if field.default is required and field.default_factory is required else "=")
            for field in dataclasses.fields(value)
        ]
    return list(getattr(value, "_fields", ()))


def _parameters(function: Callable[..., object]) -> str:
    """Write names and kinds of the parameters; `=` marks one that may be left out."""
    parts, keyword_only = [], False
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parts, keyword_only = [*parts, "*"], True
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        parts.append(f"{star}{name}" + ("" if parameter.default is parameter.empty else "="))
    return f"({', '.join(parts)})"


def http_api() -> Iterator[str]:
    """List the operations of the JSON API with their parameters, and the members of their answers."""
    from scanner_server.openapi import openapi_document

    document = openapi_document()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parameters = [f"{p['name']}{'' if p.get('required') else '='}" for p in operation.get("parameters", ())]
            yield f"{method.upper()} {path} ({', '.join([*parameters, *_body_members(operation)])})"
    for name, schema in document["components"]["schemas"].items():
        yield from (f"{name}.{member}" for member in schema.get("properties", ()))


def _body_members(operation: Json) -> Iterator[str]:
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    required = schema.get("required", ())
    return (name + ("" if name in required else "=") for name in schema.get("properties", ()))


def mcp_tools() -> Iterator[str]:
    """List the tools of the MCP server with their parameters, as an assistant gets them."""
    from scanner_api import Dictionary
    from scanner_server.mcp_server import mcp_server
    from scanner_server.options import ServerOptions
    from scanner_server.workers import Workers

    for tool in asyncio.run(mcp_server(Workers(Dictionary("unused.db"), ServerOptions()), 1).list_tools()):
        required = tool.input_schema.get("required", ())
        names = (name + ("" if name in required else "=") for name in tool.input_schema["properties"])
        yield f"{tool.name}({', '.join(names)})"


def metrics() -> Iterator[str]:
    """List the metrics of the server with their types and labels, as a server over the bundled example shows them."""
    from scanner_api import open_dictionary, scan
    from scanner_server.metrics import DictionaryFigures, Figures

    retail = ROOT / "examples" / "retail"
    intake: Any = SimpleNamespace(counts=lambda: {"": 0})
    scans: Any = SimpleNamespace(counts=lambda: {"": 0}, pending=lambda: 0)
    with tempfile.TemporaryDirectory() as directory:
        dictionary = open_dictionary(Path(directory) / "d.db", create=True)
        scan([str(retail / "cluster.json")], dictionary, replay=retail / "capture")
        newest = DictionaryFigures(dictionary)
        newest.read()
        text = Figures(dictionary=newest, requests={("", 200): 1}, intake=intake, scans=scans).text()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE):
        sample = re.search(rf"^{name}(?:\{{(.*)\}})? \S+$", text, re.MULTILINE)
        assert sample, f"the example has no {name}"
        labels = ", ".join(re.findall(r"(\w+)=\"", sample[1] or ""))
        yield f"{name} {kind} ({labels})"


SURFACES: Mapping[str, Callable[[], Iterator[str]]] = {
    "command-line": command_line,
    "exit-statuses": exit_statuses,
    "json-documents": json_documents,
    "cluster-json": cluster_json,
    "manual-input": manual_input,
    "sql-views": sql_views,
    "library": library,
    "plug-ins": plugins,
    "http-api": http_api,
    "mcp-tools": mcp_tools,
    "metrics": metrics,
}
"""Name of the file → what lists the surface."""


def surface(name: str) -> str:
    """Return the text of the surface *name*."""
    return "".join(f"{line}\n" for line in SURFACES[name]())


if __name__ == "__main__":
    FILES.mkdir(exist_ok=True)
    for name in SURFACES:
        (FILES / f"{name}.txt").write_text(surface(name), encoding="utf-8")
    print(f"{len(SURFACES)} files in {FILES}", file=sys.stderr)
