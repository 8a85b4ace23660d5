"""A server that fails for everything ends a push after few requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from datahub_server import DataHubServer
from push_world import Catalog, World, settings

from scanner_api.push.model import readable
from scanner_model.errors import ServerFailed, SourceUnreachable


def test_catalog_that_fails_for_everything_is_an_error(tmp_path: Path) -> None:
    world = World(tmp_path, {f"topic-{number}": ("id",) for number in range(100)}, [])
    world.scan()
    catalog = Catalog(DataHubServer(), settings("datahub"), world, lambda _: False)
    catalog.failing = frozenset({"urn:li"})

    with pytest.raises(SourceUnreachable, match="status 500"):
        catalog.push()


def test_one_of_many_is_found() -> None:
    def read(names: Sequence[int]) -> Iterator[int]:
        for name in names:
            if name == 7:
                raise ServerFailed("the server failed")
            yield -name

    found = dict(readable(range(300), read))

    assert isinstance(found.pop(7), ServerFailed)
    assert found == {name: -name for name in range(300) if name != 7}


def test_all_that_fail_are_an_error_after_few_requests() -> None:
    calls: list[int] = []

    def read(names: Sequence[int]) -> Iterator[int]:
        calls.append(len(names))
        raise ServerFailed("the server failed")

    with pytest.raises(SourceUnreachable):
        readable(range(300), read)

    assert len(calls) < 40
