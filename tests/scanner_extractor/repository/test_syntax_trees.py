"""Source texts are parsed by many threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from scanner_extractor.repository.applications.code import read_unit

LONG = 'class A { void f() { send("a" + "b"); } }\n' * 200


def test_threads_parse_at_the_same_time() -> None:
    """A scan reads several repositories at once."""
    with ThreadPoolExecutor(8) as threads:
        units = list(threads.map(lambda number: read_unit(f"A{number}.java", LONG), range(64)))

    assert {len(unit.calls) for unit in units} == {200}
