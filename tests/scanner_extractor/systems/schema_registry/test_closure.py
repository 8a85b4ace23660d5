"""What references lead to is read, although no list carries it."""

from __future__ import annotations

from scanner_extractor.http.concurrency import WorkerPool
from scanner_extractor.schemas.references import finder, resolve
from scanner_model.scan import SourceStatus
from scanner_model.schemas import SchemaVersion


def test_referenced_deleted_version_is_read_where_deleted_ones_are_not_wanted(serving, stored, read) -> None:
    """A live schema needs it, whatever else is left out."""
    installation = (stored("a", references=(("m", "m", 1),)), stored("m", 1, deleted=True), stored("m", 2))
    reading = read(serving("confluent", *installation), deleted=False)
    root = next(version for version in reading.of(SchemaVersion) if version.subject == "a")

    assert [(v.subject, v.version, v.deleted) for v in reading.of(SchemaVersion)] == [
        ("a", 1, False),
        ("m", 1, True),
        ("m", 2, False),
    ]
    assert resolve(root, finder(reading.of(SchemaVersion))).texts.keys() == {"m"}


def test_chain_of_deleted_versions_is_followed(serving, stored, read) -> None:
    """A live schema may stand on deleted ones."""
    installation = (
        stored("a", references=(("b", "b", 1),)),
        stored("b", deleted=True, references=(("c", "c", 1),)),
        stored("c", deleted=True),
    )

    assert [v.subject for v in read(serving("confluent", *installation), deleted=False).of(SchemaVersion)] == [
        "a",
        "b",
        "c",
    ]


def test_reference_is_looked_for_in_its_parents_context(serving, stored, read) -> None:
    """The same name in the default context is another subject."""
    installation = (stored(":.eu:a", references=(("m", "m", 1),)), stored(":.eu:m", deleted=True), stored("m", 2))
    reading = read(serving("confluent", *installation), deleted=False)

    assert [(v.context, v.subject) for v in reading.of(SchemaVersion)] == [(".", "m"), (".eu", "a"), (".eu", "m")]


def test_reference_into_another_context_is_requested_there(serving, stored, read) -> None:
    """A qualified name says where."""
    installation = (stored("a", references=(("m", ":.eu:m", 1),)), stored(":.eu:m", deleted=True))
    reading = read(serving("confluent", *installation), deleted=False)

    assert [(v.context, v.subject) for v in reading.of(SchemaVersion)] == [(".", "a"), (".eu", "m")]


def test_reference_that_leads_nowhere_is_requested_once(serving, stored, read) -> None:
    """It is reported by whoever resolves it; the reading is complete."""
    installation = [stored(name, references=(("m", "gone", 1),)) for name in "abc"]
    registry = serving("confluent", *installation)
    reading = read(registry)

    assert (reading.outcome.status, reading.problems) == (SourceStatus.READ, ())
    assert registry.asked("/subjects/gone/versions/1") == 2


def test_reference_that_cannot_be_read_now_is_unread(serving, stored, read, fake) -> None:
    """What an earlier scan knows of it still stands."""
    registry = serving(
        "confluent", stored("a", references=(("m", "m", 1),)), faults={"/subjects/m/versions/1": fake.Fault()}
    )
    reading = read(registry, pool=WorkerPool(threads=1))

    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, {"m"})


def test_nothing_is_queried_where_lists_carry_everything(serving, stored, read) -> None:
    """One list is all that it takes."""
    registry = serving("confluent", stored("a", references=(("m", "m", 1),)), stored("m", deleted=True))
    read(registry)

    assert registry.asked("/subjects") == 1  # one version, to compare the list with
