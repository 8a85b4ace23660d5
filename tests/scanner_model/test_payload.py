"""The cursor over JSON of other systems: defaults, types, places, and what an unreadable entry costs."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId
from scanner_model.payload import Payload, Unread, canonical

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
GETTERS: dict[str, Any] = {
    "text": lambda payload: payload.text("a", "b"),
    "integer": lambda payload: payload.integer("a"),
    "flag": lambda payload: payload.flag("a"),
    "time": lambda payload: payload.time("a"),
    "list": lambda payload: payload.list("a"),
    "object": lambda payload: payload.object("a"),
    "texts": lambda payload: payload.texts("a"),
}


@pytest.mark.parametrize("document", [{}, {"a": None}])
def test_absent_member_has_its_default(document) -> None:
    """Servers leave out what is empty, or write null."""
    payload = Payload(document)

    assert (payload.text("a"), payload.integer("a"), payload.flag("a")) == ("", None, False)
    assert (payload.flag("a", default=True), payload.time("a"), payload.texts("a")) == (True, None, ())
    assert (payload.list("a"), payload.object("a").value) == ([], {})


@pytest.mark.parametrize("getter", GETTERS)
@pytest.mark.parametrize("document", [7, "x", [], None, {"a": {"b": 1.5}}, {"a": [[{}]]}])
def test_member_of_another_type_raises(getter, document) -> None:
    """What it would say is unknown, which is not the same as nothing."""
    if (getter, document) in [("object", {"a": {"b": 1.5}}), ("list", {"a": [[{}]]})]:
        return
    with pytest.raises(PayloadUnexpected):
        GETTERS[getter](Payload(document))


def test_error_names_the_place_and_both_types() -> None:
    """People look there in what the server answered."""
    tables = Payload({"tables": [{}, {"name": 7}]}).entries("tables")

    with pytest.raises(PayloadUnexpected) as of_another_type:
        tables[1].text("name")
    with pytest.raises(PayloadUnexpected) as absent:
        tables[0].need("id", "name")
    assert of_another_type.value.what == "$.tables[1].name is a number, not text"
    assert absent.value.what == "$.tables[0] has no 'id' or 'name'"


@pytest.mark.parametrize("value", [1.5, math.inf])
def test_a_fraction_is_not_a_whole_number(value: float) -> None:
    """JSON has 1e400 for what is beyond all numbers."""
    with pytest.raises(PayloadUnexpected, match="is a number, not a whole number"):
        Payload({"id": value}).integer("id")


def test_true_is_no_number() -> None:
    """Python's booleans are integers, JSON's are not."""
    with pytest.raises(PayloadUnexpected):
        Payload({"a": True}).integer("a")


def test_first_member_that_has_content_counts() -> None:
    """Versions of a server call it otherwise."""
    assert Payload({"a": "", "b": "x"}).text("a", "b") == "x"
    assert Payload({"b": {"c": 1}}).need("a", "b").integer("c") == 1


@pytest.mark.parametrize(
    ("document", "beside", "count"),
    [({"data": [1]}, (), 1), ({"data": []}, (), 0), ({"kind": "k"}, ("kind",), 0), ({"data": None}, ("data",), 0)],
)
def test_list_that_must_be_there_may_be_empty(document, beside, count) -> None:
    """A server that leaves an empty list out says in another member what it answers."""
    assert len(Payload(document).entries("data", beside=beside)) == count


@pytest.mark.parametrize("document", [{}, {"data": None}, {"data": {}}, {"data": "x"}, [], None, {"next": ""}])
def test_answer_without_the_list_that_must_be_there_raises(document) -> None:
    """It is no empty list: what is known stays."""
    with pytest.raises(PayloadUnexpected):
        Payload(document).entries("data", beside=("kind",))


@pytest.mark.parametrize("value", [1767225600000, "1767225600000", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00"])
def test_time_is_epoch_milliseconds_or_iso(value) -> None:
    """A time without a zone is one of UTC."""
    assert Payload({"at": value}).time("at") == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("value", ["", "soon", 10**30, "9" * 30, "-", None])
def test_time_that_no_calendar_has_is_unknown(value) -> None:
    """A table is no less for it."""
    assert Payload({"at": value}).time("at") is None


@given(JSON)
def test_any_json_is_read_or_refused(document: Any) -> None:
    """Whatever a server answers ends in one error."""
    for read in GETTERS.values():
        with suppress(PayloadUnexpected):
            read(Payload(document))
    assert isinstance(Payload(document).shown("a", "b"), str)
    assert isinstance(canonical(document), str)


def test_entry_that_cannot_be_read_costs_itself() -> None:
    """Others are read; it is named, as its earlier facts are kept."""
    unread = Unread(SourceId("catalog:x"))
    entries = Payload([{"name": "a", "size": 1}, {"name": "b", "size": "?"}]).list()
    sizes = list(unread.read(entries, lambda entry: entry.integer("size"), lambda entry: entry.shown("name")))

    assert (sizes, unread.known, len(unread)) == ([1], {"b"}, 1)
    assert [str(problem.where) for problem in unread.problems] == ["catalog:x b"]


def test_entry_without_a_name_may_be_any_that_is_known() -> None:
    """So that no name says which objects are still there."""
    unread = Unread(SourceId("x"))
    entries = Payload([{"name": "a"}, {}]).list()
    list(unread.read(entries, lambda entry: entry.need("size"), lambda entry: entry.shown("name")))

    assert (unread.names, unread.known, len(unread)) == ({"a"}, frozenset(), 2)


def test_place_is_said_for_any_name() -> None:
    """Names of members are the server's."""
    ((_, inner),) = Payload({"": [7]}).items()

    assert inner.list()[0].place == "$.[0]"
