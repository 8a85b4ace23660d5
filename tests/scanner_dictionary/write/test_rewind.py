"""A dictionary turned back to an earlier scan answers as it answered then."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import changing_installation as changing
import pytest
from hypothesis import Phase, given, settings

import scanner_api
from dataflow_generator.build.store import generate
from scanner_api import Dictionary
from scanner_api.questions.table import BY_NAME
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.validation import replace_flow_findings
from scanner_dictionary.write.prune import Retention, prune
from scanner_dictionary.write.scan import forget_sources, write_scan
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.scan import SourceStatus


def answers(dictionary: Dictionary, moment: int | None = None) -> dict[str, Any]:
    """Return what every question that knows `as_of` answers."""
    given = {"as_of": None if moment is None else str(moment)}
    return {
        "topics": scanner_api.topics(dictionary, **given).items,
        "schemas": scanner_api.schemas(dictionary, **given).items,
        # Columns that only the graph knows come in its order, which is not kept.
        "columns": sorted(scanner_api.columns(dictionary, **given), key=repr),
        "clients": scanner_api.clients(dictionary, **given).items,
        "personal": sorted(scanner_api.personal_data(dictionary, **given), key=repr),
        "validate": scanner_api.validate(dictionary, **given),
        "jobs": scanner_api.jobs(dictionary, **given).items,
        "tables": scanner_api.tables(dictionary, **given).items,
        **of_each_topic(dictionary, given),
    }


def of_each_topic(dictionary: Dictionary, given: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of each topic that was there then, its description, and whether it may be deleted."""
    names = [topic.name for topic in scanner_api.topics(dictionary, **given)]
    return {
        name: (
            scanner_api.topic_schemas(dictionary, topic=name, **given).items,
            scanner_api.describe_topic(dictionary, topic=name, **given),
            deletion(dictionary, name, given),
        )
        for name in names
    }


def deletion(dictionary: Dictionary, topic: str, given: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return whether *topic* may be deleted; its users come in the order of the graph, which is not kept."""
    answered = BY_NAME["may_delete"].answer(dictionary, name=topic, **given)
    return [(item.answer, sorted(map(repr, item.uses))) for item in answered]


def store(dictionary: Dictionary, state: dict[str, Any], *, day: int, unread: str = "") -> None:
    """Scan *state*, with the graph after it; the source *unread* does not answer."""
    scan = changing.scan_of(state)
    if unread:
        outcomes = [
            replace(outcome, status=SourceStatus.UNAVAILABLE, reason="down") if outcome.kind == unread else outcome
            for outcome in scan.outcomes
        ]
        scan = replace(scan, outcomes=tuple(outcomes))
    at = datetime(2026, 1, day, 12, tzinfo=UTC)
    engine = dictionary.writing()
    write_scan(engine, scan, started=at, finished=at)
    generate(engine)
    replace_flow_findings(engine)
    engine.dispose()


@pytest.fixture
def dictionary(empty, tmp_path) -> Dictionary:
    return Dictionary(str(shutil.copy(empty, tmp_path / "dictionary.db")))


@pytest.mark.slow
@settings(max_examples=6, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(states=changing.histories())
def test_every_question_answers_as_it_did_after_each_scan(empty, tmp_path_factory, states) -> None:
    """Whatever appears, changes, goes and returns between the scans; not shrunk, which takes minutes."""
    folder = tmp_path_factory.mktemp("rewound")
    dictionary = Dictionary(str(shutil.copy(empty, folder / "dictionary.db")))
    then = []
    for day, state in enumerate(states, 1):
        store(dictionary, state, day=day)
        then.append(answers(dictionary))

    for number, answered in enumerate(then, 1):
        assert answers(dictionary, number) == answered


def test_sources_that_did_not_answer_are_as_stale_as_they_were(dictionary) -> None:
    """What was not confirmed then is not confirmed by a later scan."""
    store(dictionary, changing.installation(), day=1)
    store(dictionary, changing.installation(), day=2, unread="kafka")
    then = answers(dictionary)
    store(dictionary, changing.installation(), day=3)

    assert [topic.stale for topic in scanner_api.topics(dictionary)] == [False, False]
    assert answers(dictionary, 2) == then


def test_forgotten_source_is_there_as_of_the_time_before(dictionary) -> None:
    store(dictionary, changing.installation(), day=1)
    then = answers(dictionary)
    engine = dictionary.writing()
    forget_sources(engine, "shop", ["connect:x"], at=datetime(2026, 1, 2, tzinfo=UTC))
    generate(engine)
    engine.dispose()

    assert not scanner_api.connectors(dictionary)
    assert scanner_api.connectors(dictionary.at(1))
    assert answers(dictionary, 1) == then


def test_dictionary_itself_is_left_alone(dictionary) -> None:
    store(dictionary, changing.installation(), day=1)
    store(dictionary, changing.installation(topics=("z",), schemas={}), day=2)
    before = Path(dictionary.url).read_bytes()
    answers(dictionary, 1)

    assert Path(dictionary.url).read_bytes() == before


def test_scan_without_a_graph_answers_without_one(dictionary) -> None:
    """And says that something may be missing."""
    engine = dictionary.writing()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    write_scan(engine, changing.scan_of(changing.installation()), started=at, finished=at)
    engine.dispose()
    store(dictionary, changing.installation(), day=2)

    page = scanner_api.clients(dictionary, as_of="1")
    assert (page.items, page.complete) == ((), False)


@pytest.mark.parametrize("moment", ["2025-12-31", "7"])
def test_unknown_moment_names_the_first_and_the_last_scan(dictionary, moment) -> None:
    for day in (1, 2):
        store(dictionary, changing.installation(), day=day)

    with pytest.raises(NameUnknown) as caught:
        scanner_api.topics(dictionary, as_of=moment)
    assert "the first scan is 1 (2026-01-01T12:00:00.000+00:00), the newest is 2 (2026-01-02" in caught.value.hint


def test_text_that_is_no_moment_is_an_error(dictionary) -> None:
    store(dictionary, changing.installation(), day=1)

    with pytest.raises(InputInvalid, match="neither a scan number nor a date"):
        scanner_api.topics(dictionary, as_of="soon")


def test_pruned_history_is_an_error_not_a_guess(dictionary) -> None:
    """Another cluster may have a scan of that time, and the pruned one had facts then."""
    for day in (1, 2, 3):
        store(dictionary, changing.installation(), day=day)
    engine = open_dictionary(dictionary.url)
    prune(engine, Retention(scans=1), dry_run=False)
    engine.dispose()

    with pytest.raises(NameUnknown, match="knows no scan 2"):
        scanner_api.topics(dictionary, as_of="2")
