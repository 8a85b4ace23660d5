"""What changed since a date, for people and programs that do not know numbers of scans."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime
from xml.etree import ElementTree

import changing_installation as changing
import pytest

import scanner_api
from scanner_api import Dictionary
from scanner_api.questions.changes import changes, compare, history_feed
from scanner_dictionary.queries.graph_at import read_moment
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import InputInvalid, NameUnknown

NOW = datetime(2026, 3, 31, 23, 30, tzinfo=UTC)
STATES = (
    changing.installation(),
    changing.installation(connectors=changing.CONNECTORS[:1]),
    changing.installation(connectors=changing.CONNECTORS[:1], tags=("<PII>",)),
)


@pytest.fixture
def dictionary(empty, tmp_path) -> Dictionary:
    """Return a dictionary that was scanned on the 1st, 2nd and 3rd of January, at noon."""
    dictionary = Dictionary(str(shutil.copy(empty, tmp_path / "dictionary.db")))
    engine = dictionary.writing()
    for day, state in enumerate(STATES, 1):
        at = datetime(2026, 1, day, 12, tzinfo=UTC)
        write_scan(engine, changing.scan_of(state), started=at, finished=at)
    engine.dispose()
    return dictionary


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("today", date(2026, 3, 31)),
        ("Yesterday", date(2026, 3, 30)),
        ("last week", date(2026, 3, 24)),
        ("last-month", date(2026, 3, 1)),
        ("31d", date(2026, 2, 28)),
        ("2 weeks ago", date(2026, 3, 17)),
        ("2026-03-01", date(2026, 3, 1)),
    ],
)
def test_a_day_has_a_start_and_an_end(text, start) -> None:
    """A date means all of its day, in UTC."""
    assert read_moment(text, "since", end_of_day=False, now=NOW) == f"{start}T00:00:00.000+00:00"
    assert read_moment(text, "since", now=NOW) == f"{start}T23:59:59.999+00:00"


@pytest.mark.parametrize("text", ["", "last", "d", "9999999d", "2026-13-01", "99999 weeks", "9999 weeks ago"])
def test_what_is_no_day_is_refused_or_long_ago(text) -> None:
    """A typing error must not mean today."""
    with pytest.raises(InputInvalid):
        read_moment(text, "since", now=datetime(150, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("since", "first", "complete"),
    [("2026-01-02", 1, True), ("2026-01-03", 2, True), ("2026-01-02T13:00:00Z", 2, True), ("2", 2, True), (2, 2, True)],
)
def test_changes_are_counted_from_the_scan_before(dictionary, since, first, complete) -> None:
    """What a scan of that day found has changed since its start."""
    page = changes(dictionary, since=since)

    assert {(line.first, line.second) for line in page} == {(first, 3)}
    assert page.complete is complete


def test_changes_since_a_scan_that_was_not_done_are_unknown(dictionary) -> None:
    with pytest.raises(NameUnknown):
        changes(dictionary, since=99)


def test_what_was_not_scanned_before_is_compared_from_its_first_scan_and_says_so(dictionary) -> None:
    """All of an installation would be new else."""
    assert changes(dictionary, since="2025-12-31").items == changes(dictionary, since=1).items
    assert not changes(dictionary, since="2025-12-31").complete


def test_pages_of_changes_are_the_whole(dictionary) -> None:
    """An assistant reads as much as fits."""
    whole, page = changes(dictionary, since=1), changes(dictionary, since=1, limit=1)
    paged = list(page)
    while page.next_cursor:
        page = changes(dictionary, since=1, limit=1, cursor=page.next_cursor)
        paged += page

    assert tuple(paged) == whole.items
    assert len(paged) > 1


def test_scans_are_named_by_dates_everywhere(dictionary) -> None:
    """Nobody knows the number of the scan of last week."""
    assert compare(dictionary, first="2026-01-01", second="2026-01-03") == compare(dictionary, first=1, second=3)
    assert scanner_api.scan_sources(dictionary, "2026-01-02") == scanner_api.scan_sources(dictionary, 2)
    with pytest.raises(NameUnknown):
        compare(dictionary, first="2025-12-31", second=3)


def test_a_feed_has_an_entry_for_each_scan_the_newest_first(dictionary) -> None:
    """Feed readers know an entry by its id, and markup in a tag is text."""
    feed = ElementTree.fromstring(history_feed(dictionary, "a.orders"))
    atom = "{http://www.w3.org/2005/Atom}"
    entries = feed.findall(f"{atom}entry")
    texts = [entry.findtext(f"{atom}content") or "" for entry in entries]
    ids = [entry.findtext(f"{atom}id") for entry in entries]

    assert ids == ["urn:scanner:a.orders:3", "urn:scanner:a.orders:1"]
    assert "<PII>" in texts[0]
    assert feed.findtext(f"{atom}updated") == entries[0].findtext(f"{atom}updated") == "2026-01-03T12:00:00.000+00:00"
