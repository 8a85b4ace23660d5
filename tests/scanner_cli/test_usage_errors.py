"""Usage errors: one line with where, what and what next, and the exit status of invalid input."""

import pytest

NINES = "9" * 30
LINES = {
    "command": (["topicz"], "error: scanner: there is no command 'topicz' (did you mean 'topics'?)"),
    "far command": (["zzz"], "error: scanner: there is no command 'zzz' (see `scanner --help`)"),
    "subcommand": (
        ["explain", "schem"],
        "error: scanner explain: there is no command 'schem' (did you mean 'schema'?)",
    ),
    "option": (
        ["query", "--brok", "x"],
        "error: scanner query: there is no option '--brok' (did you mean '--broker'?)",
    ),
    "far option": (["query", "--zzz"], "error: scanner query: there is no option '--zzz' (see `scanner query --help`)"),
    "global option": (
        ["--verbos"],
        "error: scanner: there is no option '--verbos' (did you mean '--verbose' or '--version'?)",
    ),
    "missing option": (
        ["openlineage", "monitor", "connect"],
        "error: scanner openlineage monitor connect: --config is missing (see `scanner openlineage monitor connect "
        "--help`)",
    ),
    "option without value": (
        ["explain", "schema", "o.avsc", "--record"],
        "error: scanner explain schema: option '--record' requires an argument (see `scanner explain schema --help`)",
    ),
    "missing argument": (
        ["explain", "schema"],
        "error: scanner explain schema: FILE is missing (see `scanner explain schema --help`)",
    ),
    "format": (
        ["topics", "--format", "jsn"],
        "error: scanner topics --format: 'jsn' is not known (did you mean 'json'?)",
    ),
    "far format": (
        ["topics", "--format", "xml"],
        "error: scanner topics --format: 'xml' is not known (one of table, json, csv)",
    ),
    "number": (
        ["changes", "--scans", "x"],
        "error: scan: 'x' is neither a scan number nor a date (a scan number, a date (2026-01-31), a time "
        "(2026-01-31T12:00:00+01:00), `yesterday`, `last week` or 7d)",
    ),
    "large number": (
        ["changes", "--scans", NINES],
        f"error: scan: '{NINES}' is neither a scan number nor a date (a scan number, a date (2026-01-31), a time "
        "(2026-01-31T12:00:00+01:00), `yesterday`, `last week` or 7d)",
    ),
    "small number": (
        ["lineage", "orders", "--depth", "0"],
        "error: scanner lineage --depth: 0 is not a whole number of 1 or more (see `scanner lineage --help`)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_a_usage_error_is_one_line(name, scanner) -> None:
    """Where, what and the next step; nothing else, and nothing on stdout."""
    arguments, line = LINES[name]
    result = scanner(*arguments)

    assert result.status == 2
    assert result.out == ""
    assert result.err == f"{line}\n"


def test_an_extra_argument_is_reported(scanner) -> None:
    """The shell has expanded a glob that was meant for us."""
    result = scanner("topics", "a", "b")

    assert result.status == 2
    assert result.err == "error: scanner topics: got unexpected extra argument (b)\n"


def test_a_format_is_taken_in_any_case(scanner, dictionary) -> None:
    """A suggestion saves the second attempt."""
    assert scanner("topics", "--format", "JSON", *dictionary).json


def test_a_missing_dictionary_is_not_created(scanner, tmp_path) -> None:
    """A query of a wrong path must not look like an empty answer."""
    result = scanner("topics", "--dictionary", tmp_path / "none.db")

    assert result.status == 1
    assert result.err.endswith("the dictionary does not exist (run `scanner scan` first)\n")
    assert not (tmp_path / "none.db").exists()


def test_a_url_that_no_dictionary_can_have_is_invalid_input(scanner) -> None:
    """An option is wrong: nothing was tried."""
    result = scanner("topics", "--dictionary", "mysql://u:hidden-word@h/d")

    assert result.status == 2
    assert "'mysql'" in result.err
    assert "hidden-word" not in result.err


def test_a_name_that_is_not_utf8_is_invalid_input(scanner, dictionary) -> None:
    """A shell may hand over any bytes; the database takes none but text."""
    result = scanner("query", "--broker", "kafka-1", "--topic", "\udcff", *dictionary)

    assert result.status == 2
    assert "not UTF-8" in result.err
