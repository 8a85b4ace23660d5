"""A text that takes too much time or memory to parse is refused, and ends nothing but the process that tries it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scanner_extractor.repository.bounded_parsing import MOST_NODES, SPENT, TOO_LARGE, TOO_MANY, TOO_SLOW, Trials

pytestmark = pytest.mark.slow

ORDINARY = 'class A { void f() { send("orders"); } }\n'


def test_an_ordinary_text_is_accepted_and_its_nodes_count() -> None:
    """Nothing of it is refused."""
    trials = Trials()

    assert trials.refused({"A.java": ORDINARY, "b.py": "x = 'é'\n"}) == {}
    assert trials.nodes > 10


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("A.java", "a=>" * 5_000, {TOO_LARGE, TOO_SLOW}),
        ("a.cs", "<T" * 4_000, {TOO_LARGE, TOO_SLOW}),
        ("a.ts", "}-" * 3_900, {TOO_SLOW}),
        ("a.go", "}-" * 3_900, {TOO_SLOW}),
        ("a.py", "x\n" * (MOST_NODES // 2 + 1), {TOO_MANY}),
    ],
)
def test_a_hostile_text_is_refused_and_the_others_are_not(path: str, text: str, reason: set[str]) -> None:
    """The texts before and after it are tried."""
    refused = Trials().refused({"Before.java": ORDINARY, path: text, "After.java": ORDINARY})

    assert refused.keys() == {path}
    assert refused[path] in reason


def test_hostile_texts_use_up_the_time_of_a_repository() -> None:
    """What comes after them is refused with that reason, also in a later round."""
    trials = Trials(patience=0.3)

    first = trials.refused({"a.ts": "}-" * 3_900, "b.ts": "const a = 1"})

    assert first == {"a.ts": TOO_SLOW, "b.ts": SPENT}
    assert trials.refused({"c.ts": "const a = 1"}) == {"c.ts": SPENT}


def test_modules_in_the_working_directory_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be the repository that is read."""
    (tmp_path / "tree_sitter.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)

    assert Trials().refused({"A.java": ORDINARY}) == {}


def test_a_process_that_cannot_start_refuses_every_text() -> None:
    """Without limits nothing is parsed."""
    refused = Trials(python=os.devnull).refused({"A.java": ORDINARY, "B.java": ORDINARY})

    assert all("cannot be started" in reason for reason in refused.values())
    assert refused.keys() == {"A.java", "B.java"}
