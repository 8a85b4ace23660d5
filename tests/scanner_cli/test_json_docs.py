"""Every JSON document has the members that `docs/json.md` shows, and begins with its format version."""

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from scanner_model.documents import FORMAT_VERSION

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
EXAMPLES = {
    title: json.loads(example)
    for title, example in re.findall(r"## ([^\n]+)\n(?:(?!\n## ).)*?```json\n(.*?)```", PAGE, re.S)
}
SCHEMAS = runpy.run_path(str(Path(__file__).parents[2] / "tools/pages/generate_schemas.py"))
HOME = Path(__file__).parents[2] / "examples" / "retail"
RETAIL = ("extract", "--config", HOME / "cluster.json", "--replay", HOME / "capture")
OPEN = {"kinds", "missed", "counts", "changes", "attributes", "config", "parameters", "rows"}
"""Members whose own members depend on the data."""


def members(document: Any, path: str = "$") -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the members of every object of *document*, with its JSON path."""
    match document:
        case dict():
            yield path, frozenset(document)
            for key in document.keys() - OPEN:
                yield from members(document[key], f"{path}.{key}")
        case list():
            for value in document:
                yield from members(value, f"{path}[]")


def written(home: Path, manual: Any) -> tuple[str | Path, ...]:
    """Write manual input and its cluster.json; return the arguments that scan it."""
    (home / "manual.json").write_text(json.dumps({"version": 1} | manual))
    (home / "cluster.json").write_text(
        json.dumps({"cluster": "shop", "brokers": ["kafka-1"], "manual_input": ["manual.json"]})
    )
    return "extract", "--config", home / "cluster.json"


@pytest.fixture
def real_document(scanner, scanned, own_dictionary, fake, connect, tmp_path, unity):
    """Return a function that runs the command of an example and returns its document."""
    as_json = ("--format", "json", "--dictionary", own_dictionary)

    def document_of(title: str) -> Any:
        (tmp_path / "wrong.json").write_text('{"cluster": "a", "topics": [{"name": "x", "descripton": ""}]}')
        (tmp_path / "a.avsc").write_text('["string", "int"]')
        match title.removeprefix("scanner ").split():
            case ["query"]:
                return scanner("query", "--broker", "kafka-1", "--topic", "orders", *as_json).json
            case ["explain", "schema"]:
                return scanner("explain", "schema", tmp_path / "a.avsc", "--format", "json").json
            case ["explain", "connector"]:
                config = {"connector.class": "FileStreamSinkConnector", "topics": "a", "file": "/x", "transforms": "x"}
                dlq = {"errors.deadletterqueue.topic.name": "dlq", "transforms.x.type": "com.acme.Own$Key"}
                (tmp_path / "c.json").write_text(json.dumps(config | dlq))
                return scanner("explain", "connector", tmp_path / "c.json", "--column", "id", "--format", "json").json
            case ["explain", "subject"]:
                return scanner("explain", "subject", "orders-value", "--format", "json").json
            case ["explain", "sql"]:
                (tmp_path / "q.sql").write_text("SELECT a.b, c FROM d.e, f; SELECT 1 +")
                return scanner("explain", "sql", tmp_path / "q.sql", "--format", "json").json
            case ["scans", "12"]:
                return scanner("changes", "--scans", 2, *as_json).json
            case ["diff"]:
                return scanner("changes", 1, 2, *as_json).json
            case ["check-change"]:
                scanner("dataflow", "--dictionary", own_dictionary)
                (tmp_path / "orders-value.avsc").write_text('{"type": "record", "name": "Order", "fields": []}')
                return scanner("check", tmp_path / "orders-value.avsc", *as_json).json
            case ["may-delete"]:
                return scanner("check", "--subject", "orders-value", *as_json).json
            case ["diff", "--flows"]:
                manual = {"cluster": "shop", "topics": [{"name": "a"}, {"name": "b"}]}
                for flows in ([], [{"from": "a", "to": "b", "columns": [{"from": "x", "to": "y"}]}]):
                    scanner(*written(tmp_path, manual | {"flows": flows}), "--dictionary", own_dictionary)
                    scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("changes", 3, 4, "--flows", *as_json).json
            case ["extract", _]:
                scanner(*scanned.replay(own_dictionary), "--report", tmp_path / "report.json")
                return json.loads((tmp_path / "report.json").read_text())
            case ["check"]:
                file = tmp_path / "cluster.json"
                with fake.serving(fake.Registry()) as registry:
                    file.write_text(scanned.config.read_text().replace(scanned.url, registry.url))
                    (tmp_path / "manual.json").write_text(scanned.config.with_name("manual.json").read_text())
                    return scanner("check", "--config", file, "--format", "json").json
            case ["connectors"]:
                connector = connect.Kept(name="a", config={"connector.class": "com.acme.Sink"}, topics=("t",))
                with connect.serving(connect.Connect(installation=(connector,))) as url:
                    document = {"cluster": "shop", "brokers": ["kafka-1"], "connect": [{"url": url}]}
                    (tmp_path / "cluster.json").write_text(json.dumps(document))
                    scanner("extract", "--config", tmp_path / "cluster.json", "--dictionary", own_dictionary)
                return scanner("jobs", "--kind", "connector", *as_json).json
            case ["drift"]:
                running = connect.Kept(name="lake", config={"connector.class": "S3", "tasks.max": "1"})
                declared = {"name": "lake", "connector.class": "S3", "tasks.max": "2"}
                (tmp_path / "lake.json").write_text(json.dumps(declared))
                with connect.serving(connect.Connect(installation=(running,))) as url:
                    files = {"files": [{"path": "lake.json"}], "connect": [{"url": url}]}
                    document = {"cluster": "shop", "brokers": ["kafka-1"]} | files
                    (tmp_path / "cluster.json").write_text(json.dumps(document))
                    scanner("extract", "--config", tmp_path / "cluster.json", "--dictionary", own_dictionary)
                return scanner("validate", "--drift", *as_json).json
            case ["pii"]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                return scanner("columns", "--tag", "PII", *as_json).json
            case ["clients"]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("clients", *as_json).json
            case ["statements"]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                return scanner("statements", *as_json).json
            case ["tables"]:
                document = {"cluster": "shop", "brokers": ["kafka-1"]}
                table = unity.table("main.s.t", unity.column("a", "long"), storage_location="s3://lake/t")
                with unity.serving(unity.Unity(tables=(table,))) as url:
                    catalogs = [{"type": "unity", "url": url}]
                    (tmp_path / "cluster.json").write_text(json.dumps(document | {"catalogs": catalogs}))
                    scanner("extract", "--config", tmp_path / "cluster.json", "--dictionary", own_dictionary)
                return scanner("tables", *as_json).json
            case ["manual-input", "check"]:
                return scanner("manual-input", "check", tmp_path / "wrong.json", "--format", "json").json
            case ["dataflow", *_]:
                scanner("dataflow", "--report", tmp_path / "report.json", "--dictionary", own_dictionary)
                return json.loads((tmp_path / "report.json").read_text())
            case ["openlineage", "import"]:
                (tmp_path / "e.json").write_text('{"a": 1}')
                return scanner("openlineage", "import", tmp_path / "e.json", *as_json).json
            case ["openlineage", "emit"]:
                scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("openlineage", "emit", "--file", tmp_path / "e.ndjson", *as_json).json
            case ["dictionary", "copy"]:
                return scanner("dictionary", "copy", own_dictionary, tmp_path / "copy.db", "--format", "json").json
            case ["graph.json"]:
                scanner("dataflow", "--output", tmp_path, "--dictionary", own_dictionary)
                return json.loads((tmp_path / "graph.json").read_text())
            case ["lineage", "--components"]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("lineage", "--components", *as_json).json
            case ["lineage", _, *impact]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("lineage", "clicks.GEO.CITY", *impact, *as_json).json
            case ["search"]:
                return scanner("search", "id", *as_json).json
            case words:
                return scanner(*words, *as_json).json

    return document_of


def test_every_document_has_an_example() -> None:
    """The page covers every command that writes JSON."""
    assert len(EXAMPLES) == 37


@pytest.mark.parametrize("title", EXAMPLES)
def test_a_document_has_the_members_of_its_example_and_its_format_version(title, real_document) -> None:
    """No more and no fewer members; the version comes first, so that a reader finds it without the rest."""
    document, example = real_document(title), EXAMPLES[title]
    real, shown = set(members(document)), set(members(example))
    paths = {path for path, _ in real}

    assert {member for member in shown if member[0] in paths} <= real
    assert min(paths, key=len) in {path for path, _ in shown}
    if isinstance(example, dict):
        assert next(iter(document.items())) == next(iter(example.items())) == ("format_version", FORMAT_VERSION)
    validator = Draft202012Validator(SCHEMAS["schemas"](PAGE)[title])
    assert [error.json_path + ": " + error.message for error in validator.iter_errors(document)] == []


def test_the_page_names_every_document_that_stays_a_list() -> None:
    """A list has no place for a version; readers must know which documents these are."""
    section = PAGE.partition("## format_version")[2].partition("\n## ")[0]
    lists = [title for title, example in EXAMPLES.items() if isinstance(example, list)]
    commands = {title.removeprefix("scanner ").removesuffix(" 12").removesuffix(" report.json") for title in lists}

    assert {command for command in commands if f"`{command}`" not in section} == set()
