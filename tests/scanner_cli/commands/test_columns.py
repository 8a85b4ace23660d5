"""`scanner columns`: where a field or a tag is."""

import pytest


def test_columns_are_shown_with_their_topic(scanner, dictionary) -> None:
    """A key that is one value has no name of its own."""
    result = scanner("columns", *dictionary)
    lines = [line.split() for line in result.out.splitlines()]

    assert result.status == 0
    assert (
        result.err
        == "note: something may be missing: `scanner dictionary dataflow` was not run since the newest scan\n"
    )
    assert lines[0][:5] == ["CLUSTER", "TOPIC", "ROLE", "NAME", "TYPE"]
    assert lines[1][:6] == ["shop", "orders", "key", "(whole", "message)", "string"]


def test_json_has_path_and_version(scanner, dictionary) -> None:
    """Names are opaque, so programs take the path."""
    (row,) = scanner("columns", "price", *dictionary, "--format", "json").json

    assert {key: row[key] for key in ("topic", "subject", "version", "path", "tags")} == {
        "topic": "orders",
        "subject": "orders-value",
        "version": 3,
        "path": ["price"],
        "tags": [],
    }


@pytest.mark.parametrize(("arguments", "status"), [(["--tag", "PII"], 0), (["--cluster", "nobody"], 4)])
def test_no_match_is_an_empty_list_and_an_unknown_cluster_an_error(arguments, status, scanner, dictionary) -> None:
    """As of every list."""
    assert scanner("columns", *arguments, *dictionary).status == status


def test_columns_without_readers_are_not_listed_with_readers(scanner, dictionary) -> None:
    """`--outside` lists readers, which columns without a reader do not have."""
    given = scanner("columns", "--tag", "PII", "--unread", *dictionary)
    refused = scanner("columns", "--outside", "--unread", *dictionary)

    assert (given.status, refused.status) == (0, 2)
    assert "leave out --found, --outside and --since" in refused.err
