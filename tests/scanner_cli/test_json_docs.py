"""`docs/json.md` shows the members that the documents have: a contract that nobody compares is soon wrong."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
EXAMPLES = {
    title: json.loads(example)
    for title, example in re.findall(r"## ([^\n]+)\n(?:(?!\n## ).)*?```json\n(.*?)```", PAGE, re.S)
}
HOME = Path(__file__).parents[2] / "examples" / "retail"
RETAIL = ("extract", "--config", HOME / "cluster.json", "--replay", HOME / "capture")
OPEN = {"kinds", "missed", "counts", "changes", "attributes", "config", "parameters", "rows"}
"""Members whose own members are only those that there are."""


def members(document: Any, place: str = "$") -> Iterator[tuple[str, frozenset[str]]]:
    """List the members of every object of *document*, with its place."""
    match document:
        case dict():
            yield place, frozenset(document)
            for key in document.keys() - OPEN:
                yield from members(document[key], f"{place}.{key}")
        case list():
            for value in document:
                yield from members(value, f"{place}[]")


def written(home: Path, manual: Any) -> tuple[str | Path, ...]:
    """Write manual input and its cluster.json; return the arguments that scan it."""
    (home / "manual.json").write_text(json.dumps({"version": 1} | manual))
    (home / "cluster.json").write_text(
        json.dumps({"cluster": "shop", "brokers": ["kafka-1"], "manual_input": ["manual.json"]})
    )
    return "extract", "--config", home / "cluster.json"


@pytest.fixture
def real(scanner, scanned, own_dictionary, fake, connect, tmp_path, unity):
    """Build the document that an example is of."""
    asked = ("--format", "json", "--dictionary", own_dictionary)

    def made(title: str) -> Any:
        (tmp_path / "wrong.json").write_text('{"cluster": "a", "topics": [{"name": "x", "descripton": ""}]}')
        (tmp_path / "a.avsc").write_text('["string", "int"]')
        match title.removeprefix("scanner ").split():
            case ["query"]:
                return scanner("query", "--broker", "kafka-1", "--topic", "orders", *asked).json
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
                return scanner("scans", 2, *asked).json
            case ["diff"]:
                return scanner("diff", 1, 2, *asked).json
            case ["diff", "--flows"]:
                manual = {"cluster": "shop", "topics": [{"name": "a"}, {"name": "b"}]}
                for flows in ([], [{"from": "a", "to": "b", "columns": [{"from": "x", "to": "y"}]}]):
                    scanner(*written(tmp_path, manual | {"flows": flows}), "--dictionary", own_dictionary)
                    scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("diff", 3, 4, "--flows", *asked).json
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
                kept = connect.Kept(name="a", config={"connector.class": "com.acme.Sink"}, topics=("t",))
                with connect.serving(connect.Connect(estate=(kept,))) as url:
                    document = {"cluster": "shop", "brokers": ["kafka-1"], "connect": [{"url": url}]}
                    (tmp_path / "cluster.json").write_text(json.dumps(document))
                    scanner("extract", "--config", tmp_path / "cluster.json", "--dictionary", own_dictionary)
                return scanner("connectors", *asked).json
            case ["statements"]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                return scanner("statements", *asked).json
            case ["tables"]:
                document = {"cluster": "shop", "brokers": ["kafka-1"]}
                table = unity.table("main.s.t", unity.column("a", "long"), storage_location="s3://lake/t")
                with unity.serving(unity.Unity(tables=(table,))) as url:
                    catalogs = [{"type": "unity", "url": url}]
                    (tmp_path / "cluster.json").write_text(json.dumps(document | {"catalogs": catalogs}))
                    scanner("extract", "--config", tmp_path / "cluster.json", "--dictionary", own_dictionary)
                return scanner("tables", *asked).json
            case ["manual-input", "check"]:
                return scanner("manual-input", "check", tmp_path / "wrong.json", "--format", "json").json
            case ["dataflow", *_]:
                scanner("dataflow", "--report", tmp_path / "report.json", "--dictionary", own_dictionary)
                return json.loads((tmp_path / "report.json").read_text())
            case ["openlineage", "import"]:
                (tmp_path / "e.json").write_text('{"a": 1}')
                return scanner("openlineage", "import", tmp_path / "e.json", *asked).json
            case ["openlineage", "emit"]:
                scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("openlineage", "emit", "--file", tmp_path / "e.ndjson", *asked).json
            case ["graph.json"]:
                scanner("dataflow", "--output", tmp_path, "--dictionary", own_dictionary)
                return json.loads((tmp_path / "graph.json").read_text())
            case ["lineage", "--components"]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("lineage", "--components", *asked).json
            case ["lineage", _, *impact]:
                scanner(*RETAIL, "--dictionary", own_dictionary)
                scanner("dataflow", "--dictionary", own_dictionary)
                return scanner("lineage", "clicks.GEO.CITY", *impact, *asked).json
            case words:
                return scanner(*words, *asked).json

    return made


def test_every_document_has_an_example() -> None:
    """The page covers every command that answers in JSON."""
    assert len(EXAMPLES) == 29


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_has_the_members_of_the_real_document(title, real) -> None:
    """No more and no fewer."""
    made = set(members(real(title)))
    places = {place for place, _ in made}

    assert {each for each in members(EXAMPLES[title]) if each[0] in places} <= made
    assert min(places, key=len) in {place for place, _ in members(EXAMPLES[title])}
