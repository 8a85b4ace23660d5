"""What holds for every report: no contradiction, no false place, and no finding that other files take away."""

from __future__ import annotations

import difflib
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from committed_repository import commit_all, git
from rule_cases import COMMITS, ESTATE, Files

from scanner_check.commits import check_commits
from scanner_check.inputs.options import CheckOptions, read_judging
from scanner_check.model import ChangeFinding, ChangeReport, Verdict
from scanner_check.rows.files import FILE_DELETED
from scanner_check.rows.flows import (
    OUTPUT_GAINED,
    OUTPUT_LOST,
    TABLE_GONE,
    TOPIC_GONE,
    WRITER_LOST,
)
from scanner_check.rows.schemas import SCHEMA_INVALID
from scanner_check.rows.table import row_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ALL = "ALL_PAIRS" in os.environ
_ORDER = list(Verdict)
_SAYS_WHO = re.compile(r"\b(?:listed|used by)\b")
_GONE = (OUTPUT_LOST, TOPIC_GONE, TABLE_GONE, WRITER_LOST, FILE_DELETED)


class World(NamedTuple):
    """Two states of an estate, and what the check reports of the change between them."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    report: ChangeReport

    @property
    def counting(self) -> list[ChangeFinding]:
        return [finding for finding in self.report.findings if finding.counts]


def applied(base: Mapping[str, str], *changes: Files) -> dict[str, str]:
    merged = {path: text for change in (base, *changes) for path, text in change.items()}
    return {path: text for path, text in merged.items() if text is not None}


def put(folder: Path, files: Mapping[str, str]) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            path.unlink()
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    commit_all(folder)


@pytest.fixture
def world(tmp_path: Path) -> Callable[..., World]:
    """Return a function that checks changes of an estate."""
    numbers = itertools.count()

    def run(base: Mapping[str, str], *changes: Files) -> World:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        git(folder, "init", "-q")
        before = applied(ESTATE, base)
        after = applied(before, *changes)
        put(folder, before)
        put(folder, after)
        judging = read_judging("HEAD~1..HEAD", folder)
        options = CheckOptions(
            rules=judging.policy, strict=judging.settings.strict, settings_changes=judging.changes, top=folder
        )
        return World(before, after, check_commits("HEAD~1..HEAD", options, directory=folder))

    return run


def contradictions(one: World) -> Iterator[str]:
    """Yield what a report says that cannot be: of what is gone, of who is hit, and of places."""
    lost, gained = ({f.item for f in one.report.findings if row_of(f) is rule} for rule in (OUTPUT_LOST, OUTPUT_GAINED))
    yield from (f"{name} is written, and is not written any more" for name in lost & gained)
    removed = one.before.keys() - one.after.keys()
    for finding in one.report.findings:
        for hit in finding.affected:
            if hit.kind == "job" and hit.use != "writes" and hit.place.rpartition(":")[0] in removed:
                yield f"{hit.name} is hit, and is removed"
        name = finding.item.rpartition("/")[2]
        if row_of(finding) in _GONE and not any(name in text for text in one.before.values()):
            yield f"{finding.item} is gone, and was not there"
        if row_of(finding) in (TOPIC_GONE, WRITER_LOST) and not finding.affected:
            yield f"{finding.rule} names nobody"
        if finding.place.file and finding.place.file not in {*one.before, *one.after}:
            yield f"{finding.place.file} is not in the change"
        if finding.counts and one.before.get(finding.place.file) == one.after.get(finding.place.file, ""):
            yield f"{finding.rule} is placed in {finding.place.file}, which does not change"
        text = one.after.get(finding.place.file) or one.before.get(finding.place.file, "")
        if finding.place.line > text.count("\n") + 1:
            yield f"{finding.place} is behind the end"
        if finding.counts and finding.place.line and finding.place.line not in changed_lines(one, finding.place.file):
            yield f"{finding.rule} is placed at {finding.place}, which does not change"
        said = _SAYS_WHO.search(" ".join((finding.what, *finding.why)))
        if said and not finding.affected:
            yield f"{finding.rule} says {said[0]!r} and names nobody"


def changed_lines(one: World, path: str) -> set[int]:
    """Return the lines that a change shows of a file: added and removed ones, and the neighbours of removed ones."""
    texts = [side.get(path, "").splitlines() for side in (one.before, one.after)]
    changes = (
        code for code in difflib.SequenceMatcher(None, *texts, autojunk=False).get_opcodes() if code[0] != "equal"
    )
    return {line for _, i, j, k, m in changes for line in (*range(i + 1, j + 1), *range(k, m + 2))}


@pytest.mark.parametrize("name", COMMITS)
@pytest.mark.parametrize("which", ["fires", "silent"])
def test_a_report_does_not_contradict_itself(name: str, which: str, world: Callable[..., World]) -> None:
    case = COMMITS[name]

    assert list(contradictions(world(case.base, getattr(case, which)))) == []


@pytest.mark.parametrize("path", [path for path, text in ESTATE.items() if text and not path.endswith((".md", ".sh"))])
def test_a_text_that_its_parser_rejects_is_never_fine(path: str, world: Callable[..., World]) -> None:
    """A schema that is invalid is rejected wherever it is used."""
    text = ESTATE[path]
    broken = text.replace("{", "{[", 1).replace("SELECT", "SELEC", 1).replace(":", ": [", 1).replace("(", "((", 1)
    one = world({}, {path: broken})

    if path.endswith(".avsc"):
        assert one.report.verdict is Verdict.BREAKS
    assert one.report.verdict is not Verdict.FINE


def test_an_error_of_the_first_commit_alone_is_not_reported_as_one_of_the_change(world: Callable[..., World]) -> None:
    path = "orders-value.avsc"
    one = world({path: "{[" + ESTATE[path]}, {path: ESTATE[path]})

    assert SCHEMA_INVALID not in map(row_of, one.report.findings)
    assert one.report.verdict is not Verdict.BREAKS


UNRELATED: Mapping[str, Files] = {
    "a document": {"docs/orders.md": "BIG is written by mail\n"},
    "a settings file": {"web/config.yaml": "theme: dark\n"},
    "a schema": {"further-value.avsc": ESTATE["orders-value.avsc"].replace('"Order"', '"Further"')},
    "a connector": {"further.json": ESTATE["sink.json"].replace('"s3"', '"further"').replace("BIG", "further")},
    "a sink of the same topic": {"lake/more.json": ESTATE["sink.json"].replace('"s3"', '"more"')},
    "a statement": {"further.ksql": ESTATE["a.ksql"].replace("big", "further").replace("orders", "o3")},
    "a program": {"web/setup.py": "", "web/read.py": ESTATE["bill/read.py"]},
    "a topic": {"further.sh": "kafka-topics --create --topic further\n"},
}


def milder(alone: World, together: World) -> Iterator[str]:
    """Yield the findings of a change that it does not have with further files, nor a graver one of the same thing."""
    if _ORDER.index(together.report.verdict) < _ORDER.index(alone.report.verdict):
        yield f"{alone.report.verdict} → {together.report.verdict}"
    for finding in alone.counting:
        if not any(_covers(other, finding) for other in together.counting):
            yield f"{finding.rule} of {finding.target} {finding.item}"


def _covers(other: ChangeFinding, finding: ChangeFinding) -> bool:
    """Return whether a finding is another one, or has become a part of it: one row for each change."""
    about = {finding.target, finding.item.partition(".")[0], f"topic {finding.item}"} - {"", "topic "}
    is_same = (other.rule, other.target, other.item) == (finding.rule, finding.target, finding.item)
    is_folded = finding.message in other.reasons or not about.isdisjoint(
        (other.target, other.item.partition(".")[0], f"topic {other.item}")
    )
    return _ORDER.index(other.verdict) >= _ORDER.index(finding.verdict) and (is_same or is_folded)


@pytest.mark.parametrize("name", COMMITS)
def test_unrelated_files_take_no_finding_away(name: str, world: Callable[..., World]) -> None:
    """Each run tries one further file with each change, all of them if the environment has ALL_PAIRS."""
    case = COMMITS[name]
    alone = world(case.base, case.fires)
    first = list(COMMITS).index(name) % len(UNRELATED)
    chosen = list(UNRELATED.values()) if ALL else [list(UNRELATED.values())[first]]

    assert [lost for more in chosen for lost in milder(alone, world(case.base, case.fires, more))] == []


def pairs() -> Iterable[tuple[str, str]]:
    """Return pairs of changes of different files that start from one estate: a few, or all."""
    alike = [
        (one, two)
        for one, two in itertools.combinations(COMMITS, 2)
        if not {*COMMITS[one].fires} & {*COMMITS[two].fires}
        and not {*COMMITS[one].fires, *COMMITS[one].base} & {*COMMITS[two].base}
        and not {*COMMITS[two].fires} & {*COMMITS[one].base}
    ]
    return alike if ALL else alike[:: max(1, len(alike) // 24)]


@pytest.mark.parametrize(("one", "two"), pairs())
def test_two_changes_together_are_no_milder_than_each(one: str, two: str, world: Callable[..., World]) -> None:
    first, second = COMMITS[one], COMMITS[two]
    base = {**first.base, **second.base}
    together = world(base, first.fires, second.fires)

    assert [lost for case in (first, second) for lost in milder(world(base, case.fires), together)] == []


def test_no_text_of_a_finding_is_made_while_a_change_is_checked(tmp_path: Path) -> None:
    """A report of constant texts has the same findings, because no rule can read a text."""
    git(tmp_path, "init", "-q")
    put(tmp_path, ESTATE)
    put(tmp_path, applied(ESTATE, *(COMMITS[name].fires for name in ("column-removed", "flow-changed", "job-stopped"))))
    program = (
        "import sys\nfrom scanner_check.commits import check_commits\n"
        "report = check_commits('HEAD~1..HEAD')\n"
        "print([len(report.findings), 'scanner_check.report' in sys.modules])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
    )
    count, is_loaded = json.loads(done.stdout.lower())

    assert count > 3
    assert not is_loaded
