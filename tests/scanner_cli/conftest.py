"""A small cluster, scanned twice from a fake registry and captured; and a function that runs a command line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scanner_cli.main import run


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit status and output of one command line; `json` parses the output."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Scanned:
    """The files of the cluster: its cluster.json, the captures of both scans, and the dictionary that holds both."""

    config: Path
    captures: tuple[Path, Path]
    dictionary: Path
    url: str

    def replay(self, dictionary: Path, number: int = 0) -> tuple[str, ...]:
        """Return the arguments that scan capture *number* into *dictionary*, without a graph."""
        return (
            "scan",
            "--no-graph",
            "--config",
            str(self.config),
            "--replay",
            str(self.captures[number]),
            "--dictionary",
            str(dictionary),
        )


@pytest.fixture
def scanner(capsys: pytest.CaptureFixture[str]) -> Callable[..., CommandResult]:
    """Run one command line in this process."""

    def run_line(*arguments: object) -> CommandResult:
        capsys.readouterr()
        status = run(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return CommandResult(status, out, err)

    return run_line


@pytest.fixture(scope="session")
def fake() -> ModuleType:
    """Load the fake registry."""
    return import_module("confluent_registry")


@pytest.fixture(scope="session")
def unity() -> ModuleType:
    """Load the fake Databricks."""
    return import_module("unity_server")


@pytest.fixture(scope="session")
def connect() -> ModuleType:
    """Load the fake Connect server."""
    return import_module("connect_server")


@pytest.fixture(scope="session")
def flink() -> ModuleType:
    """Load the fake Flink server."""
    return import_module("flink_server")


@pytest.fixture(scope="session")
def ksql() -> ModuleType:
    """Load the fake ksqlDB server."""
    return import_module("ksqldb_server")


def record(name: str, *fields: dict[str, Any]) -> str:
    """Write an Avro record."""
    return json.dumps({"type": "record", "name": name, "namespace": "shop", "fields": list(fields)})


ID = {"name": "id", "type": "string", "doc": "The shop's number."}
NOTE = {"name": "note", "type": ["null", "string"], "default": None}
ORDER = (
    ID,
    NOTE,
    {"name": "label", "type": "string", "default": ""},
    {"name": "size", "type": ["string", "int"]},
    {"name": "parent", "type": ["null", "Order"], "default": None},
)


def registry_contents(fake: ModuleType, *, later: bool) -> tuple[Any, ...]:
    """Return the contents of the registry; *later*: a field is deleted, and one is added that old data lack."""
    changed = (ID, *ORDER[2:], {"name": "price", "type": "long"})
    newer = [fake.Stored(subject="orders-value", version=3, id=13, schema=record("Order", *changed))] if later else []
    return (
        fake.Stored(subject="orders-key", version=1, id=10, schema='"string"'),
        fake.Stored(subject="orders-value", version=1, id=11, schema=record("Order", ID)),
        fake.Stored(subject="orders-value", version=2, id=12, schema=record("Order", *ORDER)),
        fake.Stored(subject="audit-value", version=1, id=14, schema=record("Audit", ID), deleted=True),
        *newer,
    )


@pytest.fixture(scope="session")
def scanned(fake: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Scanned:
    """Scan the cluster twice, with a capture each; topics that no registry knows are manual input."""
    home = tmp_path_factory.mktemp("installation")
    captures = (home / "first", home / "second")
    dictionary = home / "dictionary.db"
    config = home / "cluster.json"
    topics = [{"name": "clicks"}, {"name": "sensors", "description": "温度", "tags": ["ご注意"]}]
    (home / "manual.json").write_text(json.dumps({"cluster": "shop", "topics": topics}), encoding="utf-8")
    registry = fake.Registry(flavour="confluent")
    with fake.serving(registry) as served:
        sources = [{"type": "confluent", "url": served.url}]
        config.write_text(
            json.dumps(
                {
                    "cluster": "shop",
                    "brokers": ["kafka-1:9092", "kafka-2:9092"],
                    "schema_registries": sources,
                    "manual_input": ["manual.json"],
                }
            )
        )
        for capture, later in zip(captures, (False, True), strict=True):
            registry.installation = registry_contents(fake, later=later)
            arguments = [
                "scan",
                "--no-graph",
                "--config",
                config,
                "--capture",
                capture,
                "--dictionary",
                dictionary,
                "--quiet",
            ]
            assert run(list(map(str, arguments))) == 0
    return Scanned(config, captures, dictionary, registry.url)


@pytest.fixture
def dictionary(scanned: Scanned) -> tuple[str, str]:
    """Return the option that names the dictionary of both scans, which no test writes."""
    return "--dictionary", str(scanned.dictionary)


@pytest.fixture
def own_dictionary(scanned: Scanned, tmp_path: Path) -> Path:
    """Return a copy of the dictionary that a test may write."""
    return Path(shutil.copy(scanned.dictionary, tmp_path / "own.db"))
