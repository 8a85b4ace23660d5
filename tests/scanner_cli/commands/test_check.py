"""`scanner check` and `scanner check`: options, files, outputs, exit statuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_installation import AT, ENDINGS, RECORDED, installation, text_of

import scanner_api
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan

ORDERS = RECORDED["versions"]["AVRO"][1]
LESS = {**ORDERS, "fields": [field for field in ORDERS["fields"] if field["name"] != "amount"]}
BROKEN = {**ORDERS, "fields": [*ORDERS["fields"], {"name": "note", "type": "string"}]}
MORE = {**ORDERS, "fields": [*ORDERS["fields"], {"name": "note", "type": "string", "default": ""}]}


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Store the installation with its graph."""
    file = tmp_path_factory.mktemp("shop") / "dictionary.db"
    write_scan(open_dictionary(f"sqlite:///{file}", create=True), installation(), started=AT, finished=AT)
    scanner_api.generate(scanner_api.open_dictionary(file))
    return file


@pytest.fixture
def check(scanner: Callable[..., Any], dictionary: Path, tmp_path: Path) -> Callable[..., Any]:
    """Check one proposed schema of the subject."""

    def checked(schema: Any, *options: object) -> Any:
        file = tmp_path / f"orders.avro-value.{ENDINGS['AVRO']}"
        file.write_text(text_of(schema))
        return scanner("check", file, "--dictionary", dictionary, *options)

    return checked


@pytest.mark.parametrize(
    ("schema", "options", "status"),
    [
        (MORE, ("--compatibility", "full_transitive"), 0),
        (BROKEN, (), 5),
        (LESS, ("--compatibility", "none"), 6),
        (LESS, ("--compatibility", "none", "--fail-on", "breaks"), 0),
        (LESS, ("--compatibility", "none", "--fail-on", "impact"), 6),
        (MORE, ("--compatibility", "backward", "--max-age", "1h"), 7),
        (MORE, ("--compatibility", "backward", "--max-age", "1h", "--fail-on", "impact"), 0),
        (BROKEN, ("--fail-on", "none"), 0),
        ("{", (), 2),
        (ORDERS, ("--subject", "nope"), 4),
        (ORDERS, ("--topic", "nope"), 4),
        (ORDERS, ("--subject", "nope", "--allow-new"), 0),
        (ORDERS, ("--subject", "a", "--topic", "b"), 2),
        (ORDERS, ("--map", "schemas/{subject}.avsc"), 2),
        (ORDERS, ("--max-age", "soon"), 2),
        (ORDERS, ("--write", "pdf=x"), 2),
        (ORDERS, ("--cluster", "nope"), 4),
        (ORDERS, ("--git", "a..b"), 2),
    ],
)
def test_exit_status(schema: Any, options: tuple[str, ...], status: int, check: Callable[..., Any]) -> None:
    """A pipeline goes by it; the page documents each."""
    answer = check(schema, *options)

    assert answer.status == status
    assert "Traceback" not in answer.err
    if status in (2, 4):
        assert (answer.out, answer.err.count("\n")) == ("", 1)


def test_table_names_who_is_hit(check: Callable[..., Any]) -> None:
    """Statement, sink, table and column, each with its evidence; the dictionary's age on stderr."""
    answer = check(LESS, "--compatibility", "none")

    for name in ("shop.sql:1", "paid-to-warehouse", "public.paid.avro.total", "billing team", "column-removed"):
        assert name in answer.out
    assert "shop scan 1 of 2026-03-01" in answer.err


def test_other_formats_are_written_in_the_same_run(check: Callable[..., Any], tmp_path: Path) -> None:
    """A job shows annotations and keeps a report, of one check."""
    files = {name: tmp_path / f"report.{name}" for name in ("sarif", "junit", "markdown", "gitlab-code-quality")}
    writes = [word for name, file in files.items() for word in ("--write", f"{name}={file}")]
    answer = check(BROKEN, "--format", "github-actions", *writes)

    assert answer.out.startswith("::error file=")
    assert json.loads(files["sarif"].read_text())["runs"][0]["results"]
    assert all(file.stat().st_size for file in files.values())


def test_baseline_accepts_what_json_shows(check: Callable[..., Any], tmp_path: Path) -> None:
    """The fingerprint of the JSON report is what a baseline holds."""
    (finding,) = check(LESS, "--compatibility", "none", "--format", "json").json["findings"]
    entry = {"fingerprint": finding["fingerprint"], "reason": "agreed", "expires": "2999-01-01"}
    (tmp_path / "accepted.json").write_text(json.dumps({"accepted": [entry]}))

    answer = check(LESS, "--compatibility", "none", "--baseline", tmp_path / "accepted.json")

    assert (answer.status, "accepted: agreed" in answer.out) == (0, True)


def test_dictionary_that_is_missing_is_an_error(scanner: Callable[..., Any], tmp_path: Path) -> None:
    """Nothing was compared with anything."""
    (tmp_path / "a.avsc").write_text(text_of(ORDERS))
    answer = scanner("check", tmp_path / "a.avsc", "--dictionary", tmp_path / "none.db")

    assert (answer.status, answer.out) == (1, "")


@pytest.mark.parametrize(
    ("options", "status", "word"),
    [
        (("--topic", "paid.avro"), 6, "no"),
        (("--subject", "orders.avro-value", "--version", "1"), 7, "unknown"),
        (("--topic", "nope"), 4, ""),
        ((), 2, ""),
    ],
)
def test_may_delete(
    options: tuple[str, ...], status: int, word: str, scanner: Callable[..., Any], dictionary: Path
) -> None:
    """A clear word, and its status."""
    answer = scanner("check", *options, "--dictionary", dictionary)

    assert answer.status == status
    if word:
        assert answer.err.rstrip().endswith(f"deleted? {word}")
        document = scanner("check", *options, "--dictionary", dictionary, "--format", "json").json
        assert [one["answer"] for one in document] == [word]


@pytest.mark.parametrize(("fail_on", "status"), [("unknown", 5), ("impact", 5), ("breaks", 5), ("none", 0)])
def test_file_of_several_that_cannot_be_parsed_is_not_let_pass(
    fail_on: str, status: int, scanner: Callable[..., Any], dictionary: Path, tmp_path: Path
) -> None:
    """The registry takes no text that its own format rejects."""
    (tmp_path / "orders.avro-value.avsc").write_text(text_of(ORDERS))
    (tmp_path / "orders.json-value.json").write_text("{")
    answer = scanner("check", tmp_path, "--dictionary", dictionary, "--fail-on", fail_on)

    assert (answer.status, "schema-invalid" in answer.out) == (status, True)


def test_the_answer_is_a_sentence_and_the_line_is_marked(check: Callable[..., Any]) -> None:
    """Who is hit stands first; a finding has its source line, the next step and how it is accepted."""
    lines = check(LESS, "--compatibility", "none").out.splitlines()

    assert "affected: " in " ".join(lines[:3])
    assert any(line.startswith("do: ") for line in lines[:8])
    assert any(line.startswith("warning[column-removed]: ") for line in lines)
    for part in (" = help: ", "scanner explain rule", " = accept: scanner check --accept "):
        assert part.strip() in " ".join(map(str.strip, lines))


def test_accept_writes_the_baseline_that_the_check_reads(
    check: Callable[..., Any], scanner: Callable[..., Any], tmp_path: Path
) -> None:
    """Nobody edits JSON; a second reason replaces the first one."""
    (finding,) = check(LESS, "--compatibility", "none", "--format", "json").json["findings"]
    file = tmp_path / "accepted.json"
    for reason in ("agreed", "agreed with billing"):
        entry = ("--accept", finding["fingerprint"], "--reason", reason, "--until", "2999-01-01")
        assert scanner("check", *entry, "--baseline", file).status == 0

    assert [entry["reason"] for entry in json.loads(file.read_text())["accepted"]] == ["agreed with billing"]
    assert check(LESS, "--compatibility", "none", "--baseline", file).status == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--accept", "x", "--reason", "r", "--until", "2999-01-01"),
        ("--accept", "0" * 16, "--until", "2999-01-01"),
        ("--accept", "0" * 16, "--reason", "r"),
        ("--accept", "0" * 16, "--reason", "r", "--until", "soon"),
    ],
)
def test_accept_without_reason_or_day_is_an_error(options: tuple[str, ...], scanner: Callable[..., Any]) -> None:
    answer = scanner("check", *options)

    assert (answer.status, answer.out) == (2, "")


def test_each_environment_is_judged(
    check: Callable[..., Any], scanner: Callable[..., Any], dictionary: Path, tmp_path: Path
) -> None:
    """A change that breaks one environment may go to another one, where nobody reads the topic."""
    empty = tmp_path / "empty.db"
    write_scan(open_dictionary(f"sqlite:///{empty}", create=True), installation(), started=AT, finished=AT)
    options = ("--compatibility", "none", "--fail-on", "impact", "--against", dictionary, "--against", empty)
    answer = check(LESS, *options, "--format", "json")

    found = {entry["dictionary"]: (entry["verdict"], entry["may_go"]) for entry in answer.json["environments"]}
    assert found[str(dictionary)] == ("impact", False)
    assert found[str(empty)] == ("unknown", True)
    assert answer.status == 6
    assert f"May go to {empty}; Not to {dictionary} (impact)" in check(LESS, *options).out
    assert check(LESS, *options, "--format", "sarif").status == 2


def test_a_rule_is_explained(scanner: Callable[..., Any]) -> None:
    assert scanner("explain", "rule", "column-removed").out.startswith("# column-removed\n")
    assert "did you mean 'column-removed'" in scanner("explain", "rule", "column-remved").err


def test_a_deletion_has_a_day_by_the_option_or_the_settings(
    scanner: Callable[..., Any], dictionary: Path, tmp_path: Path
) -> None:
    """A topic whose readers are seen has none; a rule that is no age is an error."""
    (tmp_path / "cluster.json").write_text('{"cluster": "shop", "usage": {"ignore_unseen_for": "30d"}}')
    given = scanner("check", "--topic", "orders.avro", "--unseen-for", "30d", "--dictionary", dictionary)
    of_settings = scanner(
        "check", "--topic", "orders.avro", "--config", tmp_path / "cluster.json", "--dictionary", dictionary
    )
    wrong = scanner("check", "--topic", "orders.avro", "--unseen-for", "soon", "--dictionary", dictionary)
    alone = scanner("check", "--unseen-for", "30d", "--dictionary", dictionary)

    assert given.out == of_settings.out
    assert "monitoring" in given.out or "seen" in given.out
    assert (wrong.status, alone.status) == (2, 2)
    assert "45d" in wrong.err
