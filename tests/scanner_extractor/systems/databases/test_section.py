"""The `databases` of cluster.json: URLs, passwords from elsewhere, aliases, names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.errors import InputInvalid

Read = Callable[..., tuple[DatabaseSettings, ...]]


@pytest.fixture
def read(tmp_path) -> Read:
    """Return a function that reads the databases of a cluster.json from its items and an environment."""

    def reading(*items: dict[str, Any], environment: Mapping[str, str] = {}) -> tuple[DatabaseSettings, ...]:
        file = tmp_path / "cluster.json"
        file.write_text(json.dumps({"cluster": "retail", "brokers": ["k:9092"], "databases": items}))
        (tmp_path / "secret").write_text("from/a@file\n")
        settings: tuple[DatabaseSettings, ...] = read_cluster_file(file, environment, ()).others["databases"]
        return settings

    return reading


def test_password_comes_from_a_variable_or_a_file(read) -> None:
    """In the URL it is encoded, as a member of its own it is not."""
    item = {"name": "shop", "url": "postgresql://scanner:${PASSWORD}@db/shop"}
    (in_url,) = read(item, environment={"PASSWORD": "a%40b"})
    (of_file,) = read({"name": "shop", "url": "postgresql://scanner@db/shop", "password": "$file:secret"})

    assert [Location.of(one).url.password for one in (in_url, of_file)] == ["a@b", "from/a@file"]


@pytest.mark.parametrize(
    ("item", "member"),
    [
        ({"url": "postgresql://scanner:hidden-word@db/shop"}, "url"),
        ({"url": "postgresql://scanner@db/shop", "password": "hidden-word"}, "password"),
    ],
)
def test_password_in_the_file_is_refused_and_not_shown(read, item, member) -> None:
    """The file is kept in a repository."""
    with pytest.raises(InputInvalid) as caught:
        read({"name": "shop"} | item)
    (problem,) = caught.value.problems

    assert problem.where.endswith(f"$.databases[0].{member}")
    assert "hidden-word" not in str(caught.value)


@pytest.mark.parametrize(
    ("item", "what"),
    [
        ({"name": "shop"}, "'url' is missing"),
        ({"name": "shop", "url": "shop.db"}, "the URL is not a database URL"),
        ({"name": "shop", "url": "sqlite://"}, "the URL names no file"),
        ({"name": "shop", "url": "sqlite:///a.db", "aliases": ["http://x/y"]}, '"http://x/y" has an invalid format'),
    ],
)
def test_wrong_database_is_reported_with_its_position(read, item, what) -> None:
    """All problems of a file are listed at once."""
    with pytest.raises(InputInvalid) as caught:
        read(item)

    assert what in {problem.what for problem in caught.value.problems}


def test_two_databases_need_two_names(read) -> None:
    """The name is the identity of the source in every scan."""
    item = {"name": "shop", "url": "sqlite:///a.db"}
    with pytest.raises(InputInvalid, match="named twice"):
        read(item, item | {"url": "sqlite:///b.db"})


def test_file_is_relative_to_cluster_json(read, tmp_path) -> None:
    """As every path in it."""
    (one,) = read({"name": "shop", "url": "sqlite:///data/shop.db"})

    assert Location.of(one).namespace == f"file:{tmp_path}/data/shop.db"


def test_schemas_are_patterns(read) -> None:
    """As those of catalogs."""
    (one,) = read({"name": "shop", "url": "sqlite:///a.db", "schemas": ["sales*"]})

    assert [one.wants(name) for name in ("sales_eu", "public")] == [True, False]
