"""What the lab's tests share: where its servers are, and one scan of them; without the lab they are skipped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_SCANNER = Path(sys.executable).parent / "scanner"
_HERE = Path(__file__).parent
_SEVEN_BIT = {"PYTHONUTF8": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """What the lab's file says, and how its installation is queried."""

    told: Any
    directory: Path

    def needs(self, *rows: str) -> None:
        """Skip the test where what one of *rows* is made of cannot be had; a row that failed fails the test."""
        states = self.told["rows"]
        missing = [row for row in rows if states.get(row) not in {"up", "done"}]
        assert not missing or "failed" not in states.values(), f"not up, because something failed: {states}"
        if missing:
            pytest.skip(f"not up in this lab: {', '.join(missing)}")

    def scanner(self, *arguments: str, expected: int = 0, **environment: str) -> str:
        """Run the program, with variables beside the lab's, and give what it answers on stdout."""
        done = self.run(*arguments, **environment)
        assert done.returncode == expected, done.stderr
        return done.stdout

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the program, whatever its exit status."""
        variables = {**os.environ, **_SEVEN_BIT, **self.told["environment"], **environment}
        command = [str(_SCANNER), *arguments]
        return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120, check=False)

    @property
    def has_flink(self) -> bool:
        """Return whether Flink runs the installation's statements; its parts are not available everywhere."""
        return self.told["rows"].get("flink-sql") == "done"

    def config(self, **changes: Any) -> Path:
        """Write cluster.json with *changes*: a member, or None for none; without servers of Flink that are not up."""
        document = json.loads((_HERE / "cluster.json").read_text("utf-8"))
        if not self.has_flink:
            document["flink"] = [item for item in document["flink"] if item["type"] == "sql-files"]
        for item in document["flink"]:
            item |= {"path": str(_HERE / item["path"])} if "path" in item else {}
        document |= changes
        file = self.directory / f"cluster-{len(list(self.directory.glob('cluster-*')))}.json"
        retained = {name: value for name, value in document.items() if value is not None}
        file.write_text(json.dumps(retained), "utf-8")
        return file


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Find the lab that `make lab-test` saw running; a lab's file alone may be left over from servers long gone."""
    file = os.environ.get("SCANNER_LAB")
    if not file:
        pytest.skip("needs the real servers of `make lab`, and `make lab-test`")
    return Lab(told=json.loads(Path(file).read_text("utf-8")), directory=tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="session")
def dictionary(lab: Lab) -> str:
    """Scan the whole installation once, over SASL_SSL, and give the dictionary's address."""
    lab.needs("records", "consumers", "connectors")
    address = f"sqlite:///{lab.directory}/dictionary.db"
    lab.scanner("scan", "--no-graph", "--config", str(lab.config()), "--dictionary", address, "--quiet")
    return address


@pytest.fixture(scope="session")
def query(lab: Lab, dictionary: str) -> Callable[..., Any]:
    """Query that dictionary, in JSON."""
    return lambda *arguments: json.loads(lab.scanner(*arguments, "--dictionary", dictionary, "--format", "json"))


@pytest.fixture(scope="session")
def columns(query: Callable[..., Any]) -> Callable[..., Any]:
    """Return the shown paths of the columns that a subject gives a topic."""

    def result(topic: str, subject: str, *more: str) -> set[str]:
        where = ("--broker", "localhost:29195", "--topic", topic, "--subject", subject)
        (item,) = query("query", *where, *more)
        return {".".join(column["path"]) for column in item["columns"]}

    return result
