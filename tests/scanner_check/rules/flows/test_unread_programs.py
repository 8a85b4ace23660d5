"""Code of a program that uses Kafka and is not read: a grammar is missing, or its language is not known."""

from __future__ import annotations

from pathlib import Path

import pytest
from committed_repository import commit_all, new_repository

from scanner_check.inputs.git import commit_trees, object_reader
from scanner_check.model import Verdict
from scanner_check.rules.flows.unread_programs import unread_programs

USING = {"send/main.go": "uses Kafka, but its grammar is not installed"}
PROGRAMS = {
    "send/go.mod": "module send\n",
    "send/main.go": "package main\n",
    "send/model/order.go": "package model\ntype Order struct { Id int }\n",
    "site/go.mod": "module site\n",
    "site/page.go": "package main\n",
}


def found(directory: Path, changed: dict[str, str], *, unread: bool) -> list[str]:
    """Return the targets of the findings of a commit that writes *changed*, if Go is not read."""
    new_repository(directory)
    for files in (PROGRAMS, changed):
        for name, text in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(text, encoding="utf-8")
        commit_all(directory)
    with object_reader(directory) as objects:
        trees = commit_trees("HEAD~1...HEAD", directory)
        findings = list(unread_programs(USING, trees, objects, is_unread=lambda _: unread))
    assert {(finding.rule, finding.verdict) for finding in findings} <= {("not-read", Verdict.UNKNOWN)}
    return [finding.target for finding in findings]


@pytest.mark.parametrize(
    ("changed", "targets"),
    [
        ({"send/model/order.go": "package model\ntype Order struct {}\n"}, ["send/model/order.go"]),
        ({"send/main.go": "package main\nfunc main() {}\n"}, ["send/main.go"]),
        ({"site/page.go": "package main\nfunc main() {}\n"}, []),
        ({"send/main.go": "// Sends.\npackage main\n"}, []),
        ({"send/README.md": "Sends.\n"}, []),
    ],
)
def test_code_beside_what_uses_kafka_is_unknown_without_a_grammar(tmp_path, changed, targets) -> None:
    """A struct without a word of Kafka may be what is sent; code of another module is not."""
    assert found(tmp_path / "repository", changed, unread=True) == targets


def test_code_that_is_read_is_compared_elsewhere(tmp_path) -> None:
    changed = {"send/model/order.go": "package model\ntype Order struct {}\n"}

    assert found(tmp_path / "repository", changed, unread=False) == []
