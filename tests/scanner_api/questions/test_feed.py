"""The history of a node as a feed."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path

import changing_installation as changing
import pytest

from dataflow_generator.build.store import generate
from scanner_api.dictionary import Dictionary, open_dictionary
from scanner_api.questions.changes import history_lines
from scanner_api.questions.feed import history_feed
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import NameUnknown

ATOM = "{http://www.w3.org/2005/Atom}"
NODE = "b.paid"


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return a dictionary of two scans, in the second of which a query is another."""
    dictionary = open_dictionary(Path(tmp_path_factory.mktemp("feed")) / "dictionary.db", create=True)
    doubled = changing.installation(queries=[("0", "1", "ID, AMOUNT * 2 AS AMOUNT")])
    for number, state in enumerate((changing.installation(), doubled), 1):
        engine = dictionary.writing()
        at = datetime(2026, 1, number, 12, tzinfo=UTC)
        write_scan(engine, changing.scan_of(state), started=at, finished=at)
        generate(engine)
        engine.dispose()
    return dictionary


def test_a_feed_has_an_entry_for_each_scan_with_all_changes_of_the_history(changed) -> None:
    """The newest first, as programs that read news expect; nothing is left out."""
    feed = ET.fromstring(history_feed(changed, node=NODE))
    entries = feed.findall(f"{ATOM}entry")
    lines = history_lines(changed, node=NODE, limit=None).items
    times = [entry.findtext(f"{ATOM}updated", "") for entry in entries]

    assert len(entries) == len({line.scan for line in lines}) >= 1
    assert times == sorted(times, reverse=True)
    assert feed.findtext(f"{ATOM}updated") == times[0]
    assert sum(len(entry.findtext(f"{ATOM}content", "").splitlines()) for entry in entries) == len(lines)


def test_identities_stay_and_differ(changed) -> None:
    """An entry that was read is not news again."""
    first, second = (ET.fromstring(history_feed(changed, node=NODE)) for _ in range(2))
    keys = [each.text for each in first.iter(f"{ATOM}id")]

    assert keys == [each.text for each in second.iter(f"{ATOM}id")]
    assert len(set(keys)) == len(keys)


def test_an_unknown_node_has_no_feed(changed) -> None:
    """It is an error, no empty feed."""
    with pytest.raises(NameUnknown):
        history_feed(changed, node="no-such-topic")
