"""Owners by patterns of names."""

import pytest

from scanner_model.owners import Owners

OWNERS = Owners({"orders*": "sales", "orders-eu*": "europe", "orders-eu-raw": "ingest", "clicks[12]": "web"})


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("orders", "sales"),
        ("orders-us", "sales"),
        ("orders-eu", "europe"),
        ("orders-eu-raw", "ingest"),
        ("clicks1", "web"),
        ("clicks3", ""),
        ("Orders", ""),
    ],
)
def test_most_specific_pattern_decides(name: str, owner: str) -> None:
    """A whole name takes precedence over globs, a longer glob over a shorter one."""
    assert OWNERS.of(name) == owner


def test_owner_of_the_file_counts_where_no_pattern_matches() -> None:
    owners = Owners({"orders-*": "team-a"}, {"orders-api": "@shop", "billing": "@finance"})

    assert owners.of("orders-api") == "team-a"
    assert owners.of("billing") == "@finance"
    assert owners.of("billing-2") == ""


def test_statement_of_a_script_has_the_owner_of_the_script() -> None:
    owners = Owners({"jobs/b.sql:2": "team-b"}, {"jobs/a.sql": "@streams", "jobs/b.sql": "@streams"})

    assert owners.of("jobs/a.sql:3") == "@streams"
    assert owners.of("jobs/b.sql:2") == "team-b"
    assert owners.of("jobs/a.sql:last") == ""
