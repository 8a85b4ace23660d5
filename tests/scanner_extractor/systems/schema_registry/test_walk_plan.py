"""Reading subject by subject: what a broken one costs, when everything is given up, in which order things stand."""

from __future__ import annotations

import pytest

from scanner_extractor.http.concurrency import WorkerPool
from scanner_extractor.results import Reading
from scanner_model.errors import SourceRefused, SourceUnreachable
from scanner_model.scan import SourceStatus
from scanner_model.schemas import SchemaVersion


def seen(reading: Reading) -> list[tuple[str, int, bool]]:
    return [(version.subject, version.version, version.deleted) for version in reading.of(SchemaVersion)]


def test_registry_without_bulk_list_is_walked(serving, stored, read) -> None:
    """Three requests for a subject of one version: its numbers, whether there are more, and the version."""
    registry = serving("confluent-old", *(stored(f"s{number}") for number in range(10)))

    assert len(read(registry).of(SchemaVersion)) == 10
    assert registry.asked("/versions") == 30


def test_rows_without_subject_version_and_id_are_of_no_use(serving, stored, read) -> None:
    """Apicurio's list of schemas reports nothing of whose they are."""
    registry = serving("apicurio", stored("a", 1), stored("a", 2, deleted=True), stored("b", 1))

    assert seen(read(registry)) == [("a", 1, False), ("a", 2, True), ("b", 1, False)]


def test_walk_flags_deleted_versions_of_live_and_of_deleted_subjects(serving, stored, read) -> None:
    """A version that is only there when deleted ones are queried for is one."""
    registry = serving("confluent-old", stored("a", 1, deleted=True), stored("a", 2), stored("b", 1, deleted=True))

    assert seen(read(registry)) == [("a", 1, True), ("a", 2, False), ("b", 1, True)]


def test_walk_leaves_deleted_versions_out_where_nobody_wants_them(serving, stored, read) -> None:
    """And does not ask for them."""
    registry = serving("confluent-old", stored("a", 1, deleted=True), stored("a", 2), stored("b", 1, deleted=True))

    assert seen(read(registry, deleted=False)) == [("a", 2, False)]
    assert registry.asked("deleted") == 0


@pytest.mark.parametrize("subject", ["a/b-value", "a b", "a+b", "заказы", "a#b?c", "..", "%2F", ":.ctx:a"])
def test_subjects_of_any_characters_are_requested(subject, serving, stored, read) -> None:
    """A subject is one step of the path, whatever it holds."""
    registry = serving("confluent-old", stored(subject))

    assert seen(read(registry, kind="karapace")) == [(subject, 1, False)]


def test_pages_of_artifacts_that_are_no_schemas_do_not_end_the_list(serving, stored, read) -> None:
    """Apicurio counts a page before it drops other types: pages may be short, or empty in the midst."""
    installation = [stored(f"s{number:04d}") for number in range(20)]
    registry = serving("apicurio", *installation, others={10: 1500})

    assert len(read(registry).of(SchemaVersion)) == 20


def test_versions_beyond_apicurios_list_are_read(serving, stored, read, fake) -> None:
    """It lists the oldest 500, and the newest counts most."""
    path = "/apis/ccompat/v7/subjects/s/versions"
    listed = fake.Fault(status=200, body=b"[" + b",".join(b"%d" % n for n in range(1, 501)) + b"]")
    registry = serving("apicurio", *(stored("s", number) for number in range(1, 504)), faults={path: listed})

    assert [version.version for version in read(registry).of(SchemaVersion)][-4:] == [500, 501, 502, 503]


def test_url_may_name_apicurios_compatible_api_already(serving, stored, read) -> None:
    """Its documentation gives the address so."""
    registry = serving("apicurio", stored("a"))
    registry.url += "/apis/ccompat/v7"

    assert seen(read(registry)) == [("a", 1, False)]


@pytest.mark.parametrize("kind", ["error", "page", "garbage", "cut", "refused", "slow"])
def test_one_broken_subject_costs_one_subject(kind, serving, stored, read, fake) -> None:
    """Whatever is wrong with one, the others are read, and its earlier facts stay."""
    fault = {
        "error": fake.Fault(status=500),
        "page": fake.Fault(status=200, body=b"<html>login</html>", kind="text/html"),
        "garbage": fake.Fault(status=200, body=b'[1,"two"]'),
        "cut": fake.Fault(status=200, cut=True),
        "refused": fake.Fault(status=403, body=b'{"error_code":40301,"message":"no"}'),
        "slow": fake.Fault(pause=1.0, times=4),
    }[kind]
    registry = serving(
        "confluent-old", stored("a"), stored("b"), stored("c"), faults={"/subjects/b/versions?deleted=true": fault}
    )
    reading = read(registry, read_timeout=0.5 if kind == "slow" else 60.0)

    assert [version.subject for version in reading.of(SchemaVersion)] == ["a", "c"]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, {"b"})
    assert [problem.where for problem in reading.problems] == [f"schema_registry:{registry.url} 'b'"]


def test_fault_of_the_fake_is_over_after_its_times(fake) -> None:
    """Else a test of what passes would see it come back."""
    registry = fake.Registry(faults={"/x": fake.Fault(times=2)})

    assert [bool(registry.fault("/x")) for _ in range(5)] == [True, True, False, False, False]


def test_version_that_cannot_be_read_leaves_its_siblings(serving, stored, read, fake) -> None:
    """The subject is reported as unread, so nothing of it goes."""
    faults = {"/subjects/a/versions/2": fake.Fault(status=200, body=b"{}")}
    reading = read(serving("confluent-old", stored("a", 1), stored("a", 2), stored("a", 3), faults=faults))

    assert [version.version for version in reading.of(SchemaVersion)] == [1, 3]
    assert reading.outcome.unread == {"a"}


def test_subject_that_vanishes_while_we_read_is_a_problem_and_not_unread(serving, stored, read, fake) -> None:
    """Somebody deleted it between list and read; nothing is missing then."""
    fault = fake.Fault(status=404, body=b'{"error_code":40401,"message":"Subject not found"}')
    reading = read(
        serving(
            "confluent-old",
            stored("a"),
            stored("b"),
            faults={"/subjects/b/versions/1": fault} | {"/subjects/b/versions/1?deleted=true": fault},
        )
    )

    assert (seen(reading), reading.outcome.status) == ([("a", 1, False)], SourceStatus.READ)
    assert [problem.what for problem in reading.problems] == ["it was listed, but not found when it was read"]


def test_words_of_a_404_do_not_matter(serving, stored, read, fake) -> None:
    """Karapace's unknown route is a JSON string, a proxy's is a page: the status says it."""
    for body, kind in ((b'"Not Found"', "application/json"), (b"<html>", "text/html"), (b"", "text/plain")):
        fault = fake.Fault(status=404, body=body, kind=kind)
        reading = read(serving("karapace", stored("a"), faults={"/schemas": fault}))

        assert seen(reading) == [("a", 1, False)]


@pytest.mark.parametrize("body", [b'{"message":"Unauthorized"}', b'{"error":"x","reason":"y"}', b"", b"<html>"])
def test_registry_that_refuses_is_refused(body, serving, stored, read, fake) -> None:
    """Every server words its 401 in its own way."""
    refusal = fake.Fault(status=401, body=body)
    registry = serving("karapace", stored("a"), faults={"/schemas": refusal, "/subjects": refusal})

    with pytest.raises(SourceRefused):
        read(registry)


def test_registry_that_shows_names_and_refuses_all_schemas_is_refused(serving, stored, read, fake) -> None:
    """A partial reading of nothing would look as if there were something."""
    refusal = fake.Fault(status=403, body=b"{}")
    faults = {f"/subjects/{name}/versions": refusal for name in "ab"}

    with pytest.raises(SourceRefused):
        read(serving("confluent-old", stored("a"), stored("b"), faults=faults))


def test_subjects_hidden_from_this_user_leave_no_trace(serving, stored, read) -> None:
    """Karapace drops them from every list, so a missing subject proves nothing: the reading cannot tell."""
    reading = read(serving("karapace", stored("a"), stored("b"), hidden=frozenset({"b"})))

    assert (seen(reading), reading.outcome.status) == ([("a", 1, False)], SourceStatus.READ)


def test_registry_that_goes_away_half_way_is_left_alone(serving, stored, read, fake) -> None:
    """No hour of retries: what was read is kept, the rest stays as it was."""
    installation = [stored(f"s{number:03d}") for number in range(200)]
    faults = {f"/subjects/s{number:03d}/versions/1": fake.Fault(status=503) for number in range(50, 200)}
    registry = serving("confluent-old", *installation, faults=faults)
    reading = read(registry, pool=WorkerPool(threads=1, failures=5))

    assert (len(reading.of(SchemaVersion)), reading.outcome.status) == (50, SourceStatus.PARTIAL)
    assert len(reading.outcome.unread) == 150
    assert registry.asked("/s100/versions/1") == 0


def test_hanging_subject_does_not_take_the_others_with_it(serving, stored, read, fake) -> None:
    """The runner would give the whole source up; so we give up the subject before."""
    faults = {"/subjects/b/versions/1": fake.Fault(pause=3.0)}
    reading = read(
        serving("confluent-old", *map(stored, "abc"), faults=faults), pool=WorkerPool(threads=2, patience=0.3)
    )

    assert [version.subject for version in reading.of(SchemaVersion)] == ["a", "c"]
    assert reading.outcome.unread == {"b"}


def test_order_does_not_depend_on_threads(serving, stored, read) -> None:
    """Same registry, same bytes."""
    installation = [stored(f"s{number}", version) for number in range(20) for version in (1, 2)]
    registry = serving("confluent-old", *installation, delay=0.001)

    assert read(registry, threads=1).of(SchemaVersion) == read(registry, threads=8).of(SchemaVersion)


def test_requests_in_flight_are_bounded(serving, stored, read) -> None:
    """A registry serves producers first."""
    registry = serving("confluent-old", *(stored(f"s{number}") for number in range(40)), delay=0.005)
    read(registry, threads=3)

    assert 1 < registry.busiest <= 3


def test_registry_that_is_not_there_is_unreachable(serving, stored, read) -> None:
    """The first request reports."""
    registry = serving("confluent", stored("a"))
    registry.url = "http://127.0.0.1:1"

    with pytest.raises(SourceUnreachable):
        read(registry)


def test_names_are_read_page_by_page(read, serving, stored, fake) -> None:
    """Since 7.9 the list of subjects has pages, and a server decides how long they are."""
    faults = {"/schemas": fake.Fault(status=404)}
    registry = serving("confluent", *(stored(f"s{number}") for number in range(9)), page=2, faults=faults)

    assert len(read(registry).of(SchemaVersion)) == 9


@pytest.mark.parametrize("flavour", ["confluent-7.9", "confluent"])
def test_versions_of_a_subject_are_read_page_by_page(flavour, read, serving, stored, fake) -> None:
    """An operator may bound their list; the version at the end of its first page is not the current one."""
    installation = [stored("many", number, deleted=number == 3) for number in range(1, 61)]
    registry = serving(flavour, *installation, versions_page=10, faults={"/schemas": fake.Fault(status=403)})
    reading = read(registry)

    assert [version.version for version in reading.of(SchemaVersion)] == list(range(1, 61))
    assert [version.version for version in reading.of(SchemaVersion) if version.deleted] == [3]


def test_subject_with_an_alias_keeps_its_own_versions(read, serving, stored, fake) -> None:
    """The bulk list shows them; one by one the registry answers with those of another subject in their place."""
    installation = (stored("orders", 1, id=5), stored("orders", 2, id=6), stored("shared", 1, id=16))
    bulk = read(serving("confluent", *installation, aliases={"shared": "orders", "alias": "orders"}))
    faults = {"/schemas": fake.Fault(status=404)}
    walked = read(serving("confluent", *installation, aliases={"shared": "orders", "alias": "orders"}, faults=faults))

    assert [(v.subject, v.schema_id) for v in bulk.of(SchemaVersion)] == [
        ("orders", "5"),
        ("orders", "6"),
        ("shared", "16"),
    ]
    assert [(v.subject, v.schema_id) for v in walked.of(SchemaVersion)] == [("orders", "5"), ("orders", "6")]
    assert (walked.outcome.status, walked.outcome.unread) == (SourceStatus.PARTIAL, {"shared"})


def test_registry_without_the_deleted_parameter_keeps_nothing_deleted(read, serving, stored, fake) -> None:
    """An old server deletes for good."""
    faults = {"/subjects?deleted=true": fake.Fault(status=400, body=b"{}")}
    registry = serving("confluent-old", stored("a"), stored("b", deleted=True), faults=faults)

    assert seen(read(registry)) == [("a", 1, False)]
