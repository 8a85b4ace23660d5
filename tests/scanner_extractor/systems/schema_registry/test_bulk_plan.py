"""Reading in bulk: every page once, deleted versions told from live ones, and never without an end."""

from __future__ import annotations

import itertools
import json

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Response as Said
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_extractor.systems.schema_registry.confluent import read_confluent
from scanner_model.errors import NotFound
from scanner_model.scan import SourceStatus
from scanner_model.schemas import Registry, SchemaVersion


def seen(reading: Reading) -> list[tuple[str, int, bool]]:
    return [(version.subject, version.version, version.deleted) for version in reading.of(SchemaVersion)]


def test_every_version_is_read_and_not_only_the_newest(serving, stored, read) -> None:
    """Old versions explain old messages."""
    registry = serving("confluent", stored("a-value", 1), stored("a-value", 2), stored("b-key", 1))

    assert seen(read(registry)) == [("a-value", 1, False), ("a-value", 2, False), ("b-key", 1, False)]
    assert registry.asked("/subjects/") == 1  # one version, to compare the list with


def test_registry_that_ignores_paging_ends(serving, stored, read) -> None:
    """Karapace gives everything on every page: a page without anything new is the end."""
    registry = serving("karapace", *(stored("a", number) for number in range(1, 6)))

    assert len(read(registry).of(SchemaVersion)) == 5
    assert len(registry.log) == 4


def test_list_that_leaves_members_out_is_not_believed(serving, stored, read) -> None:
    """AxonOps's registry lists no metadata and no rule sets: tags and rules would be lost without a sign."""
    more = {"metadata": {"properties": {"owner": "shop"}}, "ruleSet": {"domainRules": [{"name": "r"}]}}
    schemas = [stored("a", more=more), stored("b", more=more)]
    reading = read(serving("confluent", *schemas, unlisted=frozenset({"metadata", "ruleSet"})))
    whole = read(serving("confluent", *schemas))

    assert [bool(version.metadata and version.rule_set) for version in reading.of(SchemaVersion)] == [True, True]
    assert "leaves out metadata and ruleSet" in reading.problems[0].what
    assert (seen(whole), whole.problems) == (seen(reading), ())


def test_short_page_is_not_the_end(serving, stored, read) -> None:
    """A limit above the server's maximum is replaced by its default, so pages may be shorter than asked for."""
    registry = serving("confluent", *(stored("a", number) for number in range(1, 8)), page=3)

    assert len(read(registry).of(SchemaVersion)) == 7


def test_deleted_versions_are_flagged_where_the_flag_adds_them(serving, stored, read) -> None:
    """Confluent leaves soft-deleted versions out unless they are queried for."""
    registry = serving("confluent-7.4", stored("a", 1, deleted=True), stored("a", 2), stored("b", 1, deleted=True))

    assert seen(read(registry)) == [("a", 1, True), ("a", 2, False), ("b", 1, True)]


def test_deleted_versions_are_flagged_where_the_flag_is_inverted(serving, stored, read) -> None:
    """Karapace shows soft-deleted versions, unmarked, exactly when they are not asked for."""
    registry = serving("karapace", stored("a", 1, deleted=True), stored("a", 2), stored("b", 1, deleted=True))

    assert seen(read(registry)) == [("a", 1, True), ("a", 2, False), ("b", 1, True)]


def test_deleted_versions_are_not_requested_where_nobody_wants_them(serving, stored, read) -> None:
    """Half the requests, where only the present counts."""
    registry = serving("confluent", stored("a", 1, deleted=True), stored("a", 2))

    assert seen(read(registry, deleted=False)) == [("a", 2, False)]
    assert registry.asked("deleted") == 0


def test_deleted_versions_are_left_out_where_the_plain_list_holds_them(serving, stored, read) -> None:
    """Karapace's plain list is the one with deleted versions, so one form cannot tell."""
    registry = serving("karapace", stored("a", 1, deleted=True), stored("a", 2))

    assert seen(read(registry, deleted=False)) == [("a", 2, False)]


def test_rows_that_state_what_is_deleted_need_one_form_only(serving, stored, read) -> None:
    """Since 8.0 each row does: half the requests and half the bytes."""
    registry = serving("confluent", stored("a", 1, deleted=True), stored("a", 2), stored("b", 1, deleted=True))

    assert seen(read(registry)) == [("a", 1, True), ("a", 2, False), ("b", 1, True)]
    assert (registry.asked("/schemas"), registry.asked("deleted=true")) == (2, 2)


def test_rows_that_do_not_state_it_are_read_in_both_forms(serving, stored, read) -> None:
    """Before 8.0 only their absence from the plain list reports."""
    registry = serving("confluent-7.9", stored("a", 1, deleted=True), stored("a", 2))

    assert seen(read(registry)) == [("a", 1, True), ("a", 2, False)]
    assert (registry.asked("/schemas"), registry.asked("deleted=true")) == (4, 2)


@pytest.mark.parametrize("flavour", ["confluent", "confluent-7.4"])
@pytest.mark.parametrize("bulk", [True, False])
@pytest.mark.parametrize(("context", "variant"), [(".eu", "setting"), (".eu", "url"), (".", "setting")])
def test_one_context_of_a_shared_registry_is_read(flavour, bulk, context, variant, serving, stored, read, fake) -> None:
    """Another team's subjects of the same names are no subjects of this cluster."""
    faults = {} if bulk else {path: fake.Fault(status=404) for path in ("/schemas", "/contexts/.eu/schemas")}
    installation = [stored(f"{prefix}orders-value") for prefix in ("", ":.eu:", ":.us:")]
    registry = serving(flavour, *installation, faults=faults)
    registry.url += f"/contexts/{context}" if variant == "url" else ""
    reading = read(registry, context=context if variant == "setting" else "")

    assert [(v.context, v.subject, v.deleted) for v in reading.of(SchemaVersion)] == [(context, "orders-value", False)]
    assert (
        reading.of(Registry)[0].source == f"schema_registry:{registry.url.partition('/contexts')[0]}/contexts/{context}"
    )


@pytest.mark.parametrize("bulk", [True, False])
@pytest.mark.parametrize(
    ("written", "context"), [("eu", ".eu"), (".%C3%BCber", ".über"), (".with%20space", ".with space")]
)
def test_context_in_the_url_is_read_however_it_is_written(bulk, written, context, serving, stored, read, fake) -> None:
    """A name that is not recognised would read every context."""
    faults = {} if bulk else {f"/contexts/{written}/schemas": fake.Fault(status=404)}
    registry = serving("confluent", stored("a"), stored(f":{context}:b"), stored(":.us:c"), faults=faults)
    registry.url += f"/contexts/{written}"

    assert [(v.context, v.subject) for v in read(registry).of(SchemaVersion)] == [(context, "b")]


@pytest.mark.parametrize(
    ("flavour", "variant"), [("confluent", "setting"), ("confluent", "url"), ("confluent-6.1", "setting")]
)
def test_context_that_does_not_exist_is_reported(flavour, variant, serving, stored, read) -> None:
    """An empty answer would look like a registry without schemas."""
    registry = serving(flavour, stored("a"))
    registry.url += "/contexts/nope" if variant == "url" else ""
    with pytest.raises(NotFound, match=r"there is no context '\.nope'"):
        read(registry, context=".nope" if variant == "setting" else "")


def test_context_whose_schemas_are_gone_is_empty(serving, stored, read) -> None:
    """It exists, and nothing is in it."""
    registry = serving("confluent", stored(":.eu:a", deleted=True))
    reading = read(registry, context=".eu", deleted=False)

    assert (reading.of(SchemaVersion), reading.outcome.status) == ((), SourceStatus.READ)


def test_reference_out_of_the_one_context_is_followed(serving, stored, read) -> None:
    """Its columns stand in the other context, and nothing else of that is read."""
    common = stored(":.us:common")
    registry = serving("confluent", common, stored(":.us:x"), stored(":.eu:a", references=(("c", ":.us:common", 1),)))
    reading = read(registry, context=".eu")

    assert [(v.context, v.subject) for v in reading.of(SchemaVersion)] == [(".eu", "a"), (".us", "common")]


def test_every_context_is_read(serving, stored, read) -> None:
    """Without the wildcard Confluent lists the default context only."""
    registry = serving("confluent", stored("a"), stored(":.eu:a"))

    assert [(version.context, version.subject) for version in read(registry).of(SchemaVersion)] == [
        (".", "a"),
        (".eu", "a"),
    ]


def test_server_before_contexts_is_queried_without_the_wildcard(serving, stored, read) -> None:
    """6.1 takes `:*:` for the beginning of a name, and an empty answer proves nothing."""
    registry = serving("confluent-6.1", stored("a"))

    assert seen(read(registry)) == [("a", 1, False)]
    assert registry.asked("/subjects?") == 0


def test_empty_registry_is_empty_and_read(serving, read) -> None:
    """Nothing there is an answer; it takes the list of subjects to be sure."""
    reading = read(serving("confluent"))

    assert (reading.of(SchemaVersion), reading.outcome.status, reading.problems) == ((), SourceStatus.READ, ())


def test_one_id_may_belong_to_many_versions(serving, stored, read) -> None:
    """Two subjects with one text share its id, and contexts count on their own."""
    registry = serving("confluent", *(stored(name, id=7) for name in ("a", "b", ":.x:a")))

    assert [version.schema_id for version in read(registry).of(SchemaVersion)] == ["7", "7", "7"]


def test_row_that_cannot_be_read_costs_that_row(serving, stored, read) -> None:
    """What is there of it stays from earlier scans."""
    reading = read(serving("confluent", stored("a"), stored("b", more={"id": "seven"})))

    assert seen(reading) == [("a", 1, False)]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, {"b"})
    assert [problem.what for problem in reading.problems] == [
        "the registry's row cannot be read: $[1].id is text, not a number"
    ]


def test_bulk_list_that_fails_leaves_the_walk(serving, stored, read, fake) -> None:
    """One schema that breaks the list of all must not hide the others."""
    reading = read(serving("confluent", stored("a"), stored("b"), faults={"/schemas": fake.Fault(status=500)}))

    assert seen(reading) == [("a", 1, False), ("b", 1, False)]
    assert [problem.what.partition(":")[0] for problem in reading.problems] == ["reading in bulk failed"]


def test_bulk_list_that_objects_leaves_the_walk_silently(serving, stored, read, fake) -> None:
    """A registry that only resembles Confluent's may not know the parameters; that is no error."""
    for status in (400, 404, 405, 422):
        reading = read(serving("confluent", stored("a"), faults={"/schemas": fake.Fault(status=status, body=b"{}")}))

        assert (seen(reading), reading.problems) == ([("a", 1, False)], ())


def test_progress_is_reported(serving, stored, read) -> None:
    """The runner gives a source up that makes no progress."""
    reported: list[int] = []
    registry = serving("confluent", *(stored("a", number) for number in range(1, 8)), page=3)
    read(registry, progress=lambda source, done, total: reported.append(done))

    assert max(reported) == 7


def test_registry_that_invents_rows_on_every_page_is_cut_off_and_kept_as_a_part() -> None:
    """What it did name is stored, and nothing that it did not name is taken for gone."""
    web = HttpSettings(url="http://sr")
    settings = RegistrySettings(type="confluent", http=web)
    numbers = itertools.count(1)

    def invented(_: object) -> Said:
        row = {"subject": f"s{next(numbers)}-value", "version": 1, "id": 1, "schema": '"string"'}
        return Said(status=200, body=json.dumps([row]).encode())

    with Http(web, settings.source, exchange=invented) as http:
        reading = read_confluent(settings, http, no_progress)

    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert "does not end" in reading.outcome.reason
    assert len(reading.of(SchemaVersion)) > 10
    assert http.requests < 200
