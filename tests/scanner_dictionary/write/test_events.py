"""Events in the dictionary: what they add up to does not depend on their order, nor on repetition."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.lineage_inputs.events import (
    dataset_flows,
    lineage_columns,
    lineage_jobs,
    lineage_names,
    lineage_symlinks,
)
from scanner_dictionary.write.events import EventSummary, merge_events, write_events
from scanner_model.columns import Column
from scanner_model.openlineage import (
    DatasetRef,
    EventDataset,
    EventJob,
    EventKind,
    EventRun,
    Facet,
    FieldFlow,
    LineageEvent,
    Side,
    Symlink,
)

TABLES = tuple(f"lineage_{name}" for name in ("job", "run", "dataset", "use", "facet", "column", "flow", "symlink"))
ORDERS, PAID = DatasetRef("kafka://k-1:9092", "orders"), DatasetRef("s3://lake", "paid")


def moment(second: int) -> str:
    return f"2026-01-02T03:04:{second:02}.000000000Z"


def schema(*names: str) -> Facet:
    columns = tuple(Column(path=(name,), type="string") for name in names)
    return Facet(name="schema", body=f'{{"fields":"{names}"}}', columns=columns)


def copied(column: str, name: str = "columnLineage") -> Facet:
    flow = FieldFlow(origin=ORDERS, origin_path=(column,), target_path=(column,), type="DIRECT", subtype="IDENTITY")
    return Facet(name=name, body=f'{{"{name}":"{column}"}}', flows=(flow,))


def event(second: int, state: str = "COMPLETE", **more) -> LineageEvent:
    run, job = more.pop("run", "r1"), more.pop("job", "load")
    facets = more.pop("job_facets", ())
    lineage_event = LineageEvent(
        kind=EventKind.RUN,
        time=moment(second),
        producer="p",
        schema_url="",
        job=EventJob(namespace="shop", name=job, facets=facets),
        run=EventRun(run_id=run, state=state),
        datasets=tuple(more.pop("datasets", ())),
    )
    return replace(lineage_event, fingerprint=repr((lineage_event, more)))


def output(*of_use: Facet, ref: DatasetRef = PAID, facets: tuple[Facet, ...] = ()) -> EventDataset:
    return EventDataset(ref=ref, side=Side.OUTPUT, facets=facets, use_facets=of_use)


def stored_jobs(engine):
    with engine.connect() as conn:
        return {row.name: row for row in lineage_jobs(conn)}


def content(engine, table_rows):
    """Return all that events added up to, without keys: these depend on the order of arrival."""
    with engine.connect() as conn:
        rows = list(lineage_jobs(conn))
        names = lineage_names(conn)
        columns = lineage_columns(conn, frozenset(names))
        more = sorted(columns.items()), lineage_symlinks(conn), list(dataset_flows(conn))
    spans = {table: sorted(row[1] for row in table_rows(engine, table)[table]) for table in TABLES[:5]}
    return rows, names, more, spans


EVENTS = (
    event(1, "START", datasets=[EventDataset(ref=ORDERS, side=Side.INPUT, facets=(schema("id"),))]),
    event(2, datasets=[output(copied("id"), facets=(schema("id", "total"),))]),
    event(3, "START", run="r2", datasets=[output(facets=(schema(),))]),
    event(4, "FAIL", run="r2", job_facets=(Facet(name="documentation", body='{"description":"newer"}'),)),
    event(5, "RUNNING", run="r3", job="other", datasets=[output(copied("total"))]),
    event(5, "START", run="r3", job="other", datasets=[output(copied("alike"))]),
    event(6, "OTHER", run="r2", job_facets=(Facet(name="documentation", body='{"description":"newest"}'),)),
    event(
        0,
        "START",
        run="r2",
        datasets=[
            EventDataset(
                ref=ORDERS,
                side=Side.INPUT,
                facets=(
                    Facet(
                        name="symlinks",
                        body="{}",
                        symlinks=(Symlink(namespace="hive://m:9083", name="o", kind="TABLE"),),
                    ),
                ),
            )
        ],
    ),
)


def test_half_of_a_run_each_makes_a_whole_job(dictionary) -> None:
    """Spark names inputs at the start and what became of them at the end."""
    write_events(dictionary, EVENTS[:2])
    job = stored_jobs(dictionary)["load"]

    assert [(use.ref, use.side) for use in job.uses] == [(ORDERS, Side.INPUT), (PAID, Side.OUTPUT)]
    assert [(row.of, row.flow.target_path) for row in job.flows] == [(PAID, ("id",))]
    assert job.state == "COMPLETE"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_run_that_ended_stays_ended_whatever_arrives_after_it(dictionary, table_rows, order) -> None:
    """Transports retry, and threads overtake each other."""
    for location in order:
        write_events(dictionary, [EVENTS[location]])
    (run,) = table_rows(dictionary, "lineage_run")["lineage_run"]

    assert run[4:] == ("COMPLETE", moment(2), moment(1), moment(2))


def test_repetitions_are_counted_and_change_nothing(dictionary, contents) -> None:
    """At least once is what transports promise."""
    first = write_events(dictionary, [*EVENTS, EVENTS[0]])
    before = contents()
    again = write_events(dictionary, EVENTS)

    assert (first, again) == (EventSummary(8, 1), EventSummary(0, 8))
    assert contents() == before


def test_an_event_forgotten_and_sent_again_changes_nothing_else(dictionary, contents) -> None:
    """The list of known events is bounded; what they add up to is not counted by it."""
    write_events(dictionary, EVENTS)
    before = contents(*TABLES)
    write_events(dictionary, [event(7, job="last")], keep=1)
    assert len(contents("lineage_event")["lineage_event"]) == 1
    again = write_events(dictionary, EVENTS[1:2])

    assert again == EventSummary(1, 0)
    assert contents("lineage_flow", "lineage_use") == {name: before[name] for name in ("lineage_flow", "lineage_use")}


def test_a_later_event_without_facets_erases_nothing(dictionary) -> None:
    """A heartbeat says no more than that it beats."""
    write_events(dictionary, EVENTS[:2])
    write_events(dictionary, [event(9, "RUNNING", run="r9", datasets=[output(facets=(schema(),))])])

    with dictionary.connect() as conn:
        columns = lineage_columns(conn, frozenset({PAID}))
    assert [column.name for column in columns[PAID]] == ["id", "total"]
    assert len(stored_jobs(dictionary)["load"].flows) == 1


def test_the_newest_lineage_takes_the_place_of_the_older_of_its_job_only(dictionary) -> None:
    """Another job that writes the same dataset reported of its own."""
    write_events(dictionary, EVENTS)
    write_events(dictionary, [event(8, run="r8", datasets=[output(copied("total"))])])
    jobs = stored_jobs(dictionary)

    assert [row.flow.origin_path for row in jobs["load"].flows] == [("total",)]
    assert [row.flow.origin_path for row in jobs["other"].flows] == [("total",)]


def test_the_newer_facet_wins_over_the_older_one(dictionary) -> None:
    """The specification says so where both describe a dataset."""
    write_events(dictionary, [event(1, datasets=[output(copied("old"), copied("new", "lineage"))])])

    assert [row.flow.origin_path for row in stored_jobs(dictionary)["load"].flows] == [("new",)]


def test_what_was_taken_back_is_not_reported_any_more(dictionary) -> None:
    """`_deleted` is the producer's last word."""
    facet = Facet(name="columnLineage", body='{"_deleted":true}', removed=True)
    write_events(dictionary, [event(1, datasets=[output(copied("a"))]), event(2, datasets=[output(facet)])])

    assert stored_jobs(dictionary)["load"].flows == ()


def test_a_dataset_that_is_reported_for_alone_has_flows_without_a_job(dictionary) -> None:
    """A catalog knows where a table comes from, and no job."""
    dataset = EventDataset(ref=PAID, facets=(copied("id", "lineage"),))
    lineage_event = LineageEvent(
        kind=EventKind.DATASET, time=moment(1), producer="p", schema_url="", fingerprint="x", datasets=(dataset,)
    )
    write_events(dictionary, [lineage_event])

    with dictionary.connect() as conn:
        assert [(row.ref, len(row.flows)) for row in dataset_flows(conn)] == [(PAID, 1)]


def test_names_longer_than_an_index_takes_and_text_that_no_database_takes_are_stored(dictionary) -> None:
    """A list of ten thousand files is one name for some readers."""
    write_events(dictionary, [event(1, job="x" * 20_000, datasets=[output(ref=DatasetRef("file", "a\0\ud800"))])])

    with dictionary.connect() as conn:
        assert lineage_names(conn) == (DatasetRef("file", "a\ufffd\ufffd"),)


@pytest.fixture(scope="module")
def straight(empty, table_rows) -> object:
    """Return what all events add up to, in their order."""
    engine = open_dictionary(str(shutil.copy(empty, empty.with_name("straight.db"))))
    write_events(engine, EVENTS)
    return content(engine, table_rows)


@examples(8)
@given(st.permutations(EVENTS), st.lists(st.integers(0, 8), max_size=3))
def test_any_order_in_any_batches_adds_up_to_the_same(empty, straight, table_rows, order, cuts) -> None:
    """Neither delivery nor restarts of a listener keep an order."""
    result = open_dictionary(str(shutil.copy(empty, empty.with_name("found.db"))))
    for start, end in pairwise(sorted({0, *cuts, len(order)})):
        write_events(result, order[start:end])
    reported = content(result, table_rows)
    result.dispose()

    assert reported == straight


@examples(100)
@given(st.permutations(EVENTS))
def test_folding_knows_no_order(order) -> None:
    """The same holds before any database sees it."""
    item, other = merge_events(order), merge_events(EVENTS)

    assert (item.jobs, item.runs, item.datasets, item.uses) == (other.jobs, other.runs, other.datasets, other.uses)
    assert item.facets == other.facets
    assert item.read == other.read


@pytest.mark.postgres
def test_a_server_holds_the_same(dictionary, postgres_url, table_rows) -> None:
    """Both databases are one dictionary."""
    server = open_dictionary(postgres_url)
    long = event(9, job="x" * 20_000)
    for engine in (dictionary, server):
        for item in (*EVENTS, long):
            write_events(engine, [item])

    assert table_rows(server, *TABLES, "lineage_event") == table_rows(dictionary, *TABLES, "lineage_event")
    assert content(server, table_rows) == content(dictionary, table_rows)
