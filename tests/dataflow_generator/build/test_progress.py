"""Long work reports how far it is, step by step, to whoever listens."""

from collections.abc import Iterator

from dataflow_generator.build.coverage import counted


def test_each_thing_is_reported_when_it_is_done() -> None:
    """A bar that moves before the work would stand still at its end."""
    said: list[tuple[str, int, int | None]] = []
    things: Iterator[str] = counted(lambda *each: said.append(each), "parts", ["a", "b"], 2)

    assert next(things) == "a"
    assert said == [("parts", 0, 2)]
    assert list(things) == ["b"]
    assert said[1:] == [("parts", 1, 2), ("parts", 2, 2)]
