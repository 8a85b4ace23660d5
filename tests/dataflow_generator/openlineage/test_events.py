"""Events: what is read of them, what is accepted, and what is refused with which reason."""

import json
import sys
from copy import deepcopy
from datetime import UTC, datetime

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.openlineage.events import InvalidEvent, event_text, moment, newest_time, read_event, read_json
from scanner_model.openlineage import DatasetRef, EventKind, FieldFlow, LineageEvent, Side, Symlink

KAFKA = "kafka://k-1:9092"
ORDERS = DatasetRef(KAFKA, "orders")


def facets(dataset):
    return {item.name: item for item in (*dataset.facets, *dataset.use_facets)}


def reasons(document) -> list[str]:
    result = read_json(document)
    assert isinstance(result, InvalidEvent)
    return [f"{problem.where}: {problem.what}" for problem in result.problems]


def test_a_run_event_reports_job_run_and_datasets(producer, read) -> None:
    """The usual case, as Spark sends it."""
    event = read(
        producer.run_event(
            "start", inputs=[producer.dataset(KAFKA, "orders")], outputs=[producer.dataset("s3://b", "paid")]
        )
    )

    assert (event.kind, event.job.name, event.run.state) == (EventKind.RUN, "load", "START")
    assert [(dataset.ref.name, dataset.side) for dataset in event.datasets] == [
        ("orders", Side.INPUT),
        ("paid", Side.OUTPUT),
    ]


def test_events_without_a_run_are_distinguished_by_what_they_hold(producer, read) -> None:
    """Scanners and catalogs have no executions to tell of."""
    kinds = [read(producer.job_event()).kind, read(producer.dataset_event(producer.dataset(KAFKA, "orders"))).kind]

    assert kinds == [EventKind.JOB, EventKind.DATASET]


def test_columns_of_a_schema_nest_and_keep_their_docs(producer, read) -> None:
    """A name is opaque: `value.total` is one segment."""
    fields = [
        {"name": "value.total", "type": "long", "description": "in cents"},
        {"name": "buyer", "type": "struct", "fields": [{"name": "id", "type": "string", "description": None}]},
        {"name": "buyer", "type": "string"},
    ]
    event = read(
        producer.run_event(
            inputs=[producer.dataset(KAFKA, "o", schema=producer.facet("SchemaDatasetFacet", fields=fields))]
        )
    )
    columns = event.datasets[0].facets[0].columns

    assert [(column.path, column.type, column.doc) for column in columns] == [
        (("value.total",), "long", "in cents"),
        (("buyer",), "struct", None),
        (("buyer", "id"), "string", None),
    ]


def test_the_older_column_lineage_is_of_the_job_and_the_dataset_together(producer, read) -> None:
    """Two jobs may write one table from different columns."""
    facet = producer.lineage(KAFKA, "orders", paid_id="id")
    facet["dataset"] = [
        {
            "namespace": KAFKA,
            "name": "orders",
            "field": "day",
            "transformations": [{"type": "indirect", "subtype": "FILTER"}],
        }
    ]
    event = read(producer.run_event(outputs=[producer.dataset("s3://b", "paid", columnLineage=facet)]))

    assert event.datasets[0].facets == ()
    assert event.datasets[0].use_facets[0].flows == (
        FieldFlow(origin=ORDERS, origin_path=("day",), target_path=None, type="INDIRECT", subtype="FILTER"),
        FieldFlow(origin=ORDERS, origin_path=("id",), target_path=("paid_id",), type="DIRECT", subtype="IDENTITY"),
    )


@pytest.mark.parametrize(
    ("word", "subtype", "masking"), [("IDENTITY", "IDENTITY", False), ("MASKED", "TRANSFORMATION", True)]
)
def test_column_lineage_of_old_versions_reports_one_transformation_for_a_field(
    producer, read, word, subtype, masking
) -> None:
    """As Airflow's older providers do."""
    facet = producer.lineage(KAFKA, "orders", a="a")
    facet["fields"]["a"] |= {"transformationType": word, "transformationDescription": "as it was"}
    facet["fields"]["a"]["inputFields"][0]["transformations"] = []
    (flow,) = (
        read(producer.run_event(outputs=[producer.dataset("x", "y", columnLineage=facet)]))
        .datasets[0]
        .use_facets[0]
        .flows
    )

    assert (flow.type, flow.subtype, flow.masking, flow.description) == ("DIRECT", subtype, masking, "as it was")


def test_flows_do_not_depend_on_the_order_of_members(producer, read) -> None:
    """A JSON object has no order, and the same event must be the same fact."""
    item, other = (
        read(
            producer.run_event(outputs=[producer.dataset("x", "y", columnLineage=producer.lineage("a", "b", **names))])
        )
        for names in ({"p": "1", "q": "2"}, {"q": "2", "p": "1"})
    )

    assert item == other


def test_the_newer_lineage_of_a_job_names_targets_and_uses_of_its_own(producer, read) -> None:
    """An orchestrator reports of datasets that its event does not list."""
    entry = {
        "namespace": "postgres://db:5432",
        "name": "shop.public.paid",
        "type": "DATASET",
        "inputs": [{"namespace": KAFKA, "name": "orders", "type": "DATASET"}, {"type": "JOB"}],
        "fields": {
            "id": {"inputs": [{"namespace": KAFKA, "name": "orders", "type": "DATASET", "field": "id"}]},
            "total": {"inputs": [{"type": "JOB", "transformations": [{"type": "DIRECT"}]}]},
        },
    }
    of_job = {"type": "JOB", "inputs": [{"namespace": KAFKA, "name": "rates", "type": "DATASET", "field": "day"}]}
    event = read(producer.job_event(job_facets={"lineage": producer.facet("LineageJobFacet", entries=[entry, of_job])}))
    (facet,) = event.job.facets

    assert facet.uses == (
        (DatasetRef("postgres://db:5432", "shop.public.paid"), Side.OUTPUT),
        (ORDERS, Side.INPUT),
        (DatasetRef(KAFKA, "rates"), Side.INPUT),
    )
    assert [(flow.target.name, flow.target_path) for flow in facet.flows] == [("shop.public.paid", ("id",))]


def test_an_input_field_without_a_target_field_affects_the_whole_dataset(producer, read) -> None:
    """The newer facet's way to tell of a filter."""
    inputs = [{"namespace": KAFKA, "name": "orders", "type": "DATASET", "field": "day"}]
    dataset = producer.dataset("s3://b", "paid", lineage=producer.facet("LineageDatasetFacet", inputs=inputs))
    (flow,) = read(producer.dataset_event(dataset)).datasets[0].facets[0].flows

    assert (flow.origin_path, flow.target_path, flow.target) == (("day",), None, None)


def test_other_names_are_reported(producer, read) -> None:
    """A lake's table has a location and a name in a catalogue."""
    event = read(
        producer.run_event(
            outputs=[producer.dataset("s3://b", "t", symlinks=producer.symlink("hive://m:9083", "db.t", "table"))]
        )
    )

    assert event.datasets[0].facets[0].symlinks == (Symlink(namespace="hive://m:9083", name="db.t", kind="TABLE"),)


def test_unknown_facets_are_kept_as_received(producer, read) -> None:
    """What is not understood is neither an error nor a guess."""
    own = producer.facet("OwnRunFacet", plan={"b": [1, None], "a": "x"})
    (facet,) = read(producer.run_event(run_facets={"acme_plan": own})).run.facets

    assert json.loads(facet.body) == own


def test_a_facet_of_a_later_major_version_is_kept_and_not_judged(producer, read) -> None:
    """What a future specification requires nobody knows today."""
    future = producer.facet("OwnershipJobFacet", "2-0-0", owners=[{"id": "team-a"}])
    (facet,) = read(producer.run_event(job_facets={"ownership": future})).job.facets

    assert facet.future
    assert "team-a" in facet.body


def test_a_future_event_may_be_in_a_state_that_we_do_not_know(producer, read) -> None:
    """It is kept under its own word."""
    url = "https://openlineage.io/spec/3-0-0/OpenLineage.json#/$defs/RunEvent"

    assert read(producer.run_event("PAUSED", schemaURL=url)).run.state == "PAUSED"


def test_null_is_a_member_that_is_not_there(producer, read) -> None:
    """Several clients write every member that they have."""
    event = producer.run_event(
        run_facets={"parent": None}, inputs=[producer.dataset(KAFKA, "o", schema=None) | {"inputFacets": None}]
    )
    event |= {"outputs": None}

    assert [dataset.ref.name for dataset in read(event).datasets] == ["o"]


def test_a_removed_facet_reports_it(producer, read) -> None:
    """`_deleted` takes back what was reported."""
    (facet,) = read(producer.run_event(job_facets={"documentation": producer.facet(_deleted=True)})).job.facets

    assert facet.removed


@pytest.mark.parametrize("member", ["eventTime", "producer", "schemaURL", "run", "job"])
def test_an_event_without_a_required_member_is_refused(producer, member) -> None:
    """The specification requires them of every RunEvent."""
    event = producer.run_event()
    del event[member]

    assert reasons(event) == [f"$: the member '{member}' is missing"]


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("eventTime",), "yesterday", "$.eventTime: 'yesterday' is not a timestamp"),
        (("eventType",), "DONE", "$.eventType: 'DONE' is not a run state"),
        (("producer",), 7, "$.producer: is not a string"),
        (("run", "runId"), None, "$.run: the member 'runId' is missing"),
        (("run", "runId"), "nightly-1", "$.run.runId: 'nightly-1' is not a UUID"),
        (("run",), {}, "$.run: the member 'runId' is missing"),
        (("eventTime",), "", "$.eventTime: '' is not a timestamp"),
        (("job", "name"), "", "$.job.name: is empty"),
        (("job",), {}, "$.job: the member 'namespace' is missing"),
        (("inputs",), [{}], "$.inputs[0]: the member 'namespace' is missing"),
        (("inputs",), {}, "$.inputs: is not an array"),
        (("inputs",), ["orders"], "$.inputs[0]: is not an object"),
        (("outputs",), [{"name": "x"}], "$.outputs[0]: the member 'namespace' is missing"),
        (("job", "facets"), [], "$.job.facets: is not an object"),
        (("job", "facets"), {"sql": "SELECT"}, "$.job.facets.sql: is not an object"),
        (("job", "facets"), {"sql": {"query": 1}}, "$.job.facets.sql.query: is a number, not a string"),
        (
            ("outputs",),
            [{"namespace": "a", "name": "b", "facets": {"columnLineage": {"fields": {"c": {"inputFields": [{}]}}}}}],
            "$.outputs[0].facets.columnLineage.fields.c.inputFields[0]: the member 'namespace' is missing",
        ),
        (
            ("run", "facets"),
            {"parent": {"run": {}, "job": {"namespace": "a", "name": "b"}}},
            "$.run.facets.parent.run: the member 'runId' is missing",
        ),
        (
            ("outputs",),
            [{"namespace": "a", "name": "b", "outputFacets": {"outputStatistics": {"rowCount": "many"}}}],
            "$.outputs[0].outputFacets.outputStatistics.rowCount: is a string, not a whole number",
        ),
        (
            ("inputs",),
            [{"namespace": "a", "name": "b", "inputFacets": {"inputStatistics": {"size": True}}}],
            "$.inputs[0].inputFacets.inputStatistics.size: is true or false, not a whole number",
        ),
        (
            ("inputs",),
            [{"namespace": "a", "name": "b", "inputFacets": {"dataQualityMetrics": {"bytes": 1}}}],
            "$.inputs[0].inputFacets.dataQualityMetrics: has none of the members ['columnMetrics', 'rowCount']",
        ),
        (
            ("inputs",),
            [
                {
                    "namespace": "a",
                    "name": "b",
                    "facets": {"dataQualityAssertions": {"assertions": [{"assertion": "x"}]}},
                }
            ],
            "$.inputs[0].facets.dataQualityAssertions.assertions[0]: the member 'success' is missing",
        ),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(producer, path, value, reason) -> None:
    """Whoever sent it must find it."""
    event = producer.run_event()
    holder = event
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = value

    assert reasons(event)[0] == reason


def test_what_looks_unusual_and_is_no_error_is_read(producer, read) -> None:
    """Whole numbers with a point, parents that are no UUIDs (Airflow's of old), a run id without dashes."""
    sizes = {
        "outputStatistics": producer.facet(rowCount=3.0, size=None),
        "dataQualityMetrics": producer.facet(rowCount=1),
    }
    parent = {"run": {"runId": "scheduled__2026-01-01"}, "job": {"namespace": "a", "name": "dag"}}
    outputs = [{"namespace": "a", "name": "b", "outputFacets": sizes}]
    event = producer.run_event(run_facets={"parent": producer.facet(**parent)}, outputs=outputs)
    event["run"]["runId"] = event["run"]["runId"].replace("-", "").upper()

    assert read(event).run.run_id == event["run"]["runId"]


def test_job_event_with_a_state_is_one(producer, read) -> None:
    """It says what it is, and the specification does not forbid more."""
    assert read(producer.job_event() | {"eventType": "COMPLETE"}).kind is EventKind.JOB


@pytest.mark.parametrize(
    "text",
    ["", "[]", "1", "null", '{"a": 1', "{}", b"\xff{", "[" * 100_000, '{"a":' + "9" * 5000 + "}", '{"a": "\udcff"}'],
)
def test_any_other_text_is_refused_and_never_raises(text) -> None:
    """A listener must answer everybody."""
    assert isinstance(read_event(text), InvalidEvent)


def test_numbers_that_json_cannot_write_again_are_kept_as_text(producer, read) -> None:
    """Statistics of an empty table divide by nought."""
    event = json.dumps(producer.run_event(run_facets={"acme": producer.facet(x="HERE")})).replace(
        '"HERE"', "[NaN, 1e400]"
    )
    (facet,) = read_event(event).run.facets

    assert json.loads(facet.body)["x"] == ["NaN", "1e400"]


def test_json_that_nests_too_deeply_is_refused(producer) -> None:
    """Nobody writes so; whoever does must not end the program."""
    field: dict = {"name": "a"}
    for _ in range(150):
        field = {"name": "a", "fields": [field]}
    deep = producer.facet("SchemaDatasetFacet", fields=[field])
    deeper = json.loads("[" * 2500 + "]" * 2500) if sys.getrecursionlimit() > 3000 else [[]]

    assert "nests too deeply" in reasons(producer.run_event(inputs=[producer.dataset("a", "b", schema=deep)]))[0]
    assert isinstance(
        read_json(producer.run_event(run_facets={"acme": producer.facet(x=deeper)})), InvalidEvent | LineageEvent
    )


def test_the_layout_of_its_json_makes_no_other_event(producer, read) -> None:
    """A repetition is known by what it says; the order of keys and of facets says nothing."""
    event = producer.run_event(job_facets={"a": producer.facet(x=1), "b": producer.facet(y=2)})
    other = deepcopy(event)
    other["job"]["facets"] = dict(reversed(event["job"]["facets"].items()))

    assert read_event(json.dumps(other, indent=4)).fingerprint == read(event).fingerprint
    assert read(event | {"eventType": "FAIL"}).fingerprint != read(event).fingerprint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000000Z"),
        ("2020-12-28T19:51:01.641+10:00", "2020-12-28T09:51:01.641000000Z"),
        ("2025-06-24T10:40:40.472698302Z", "2025-06-24T10:40:40.472698302Z"),
        ("2020-12-28T19:52:00.001+10:00[Australia/Brisbane]", "2020-12-28T09:52:00.001000000Z"),
        ("2026-01-02 03:04", "2026-01-02T03:04:00.000000000Z"),
        ("2026-13-02T03:04:05Z", None),
        ("0001-01-01T00:00:00+10:00", None),
        ("now", None),
    ],
)
def test_moments_are_text_that_sorts(text, expected) -> None:
    """Java writes nine decimals, Python six, and both write zones."""
    assert moment(text) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@examples(60)
@given(
    member=st.sampled_from(
        ["schema", "columnLineage", "lineage", "symlinks", "tags", "acme", "sql", "spark_properties"]
    ),
    value=st.dictionaries(st.sampled_from(["fields", "inputs", "entries", "identifiers", "query", "x"]), json_values),
)
def test_every_facet_is_read_or_refused_and_written_again_as_it_was(member, value) -> None:
    """Reading never raises; what is read can be kept as text and read again."""
    dataset = {"namespace": "a", "name": "b", "facets": {member: value}}
    url = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent"
    event = {"eventTime": "2026-01-02T03:04:05Z", "producer": "p", "schemaURL": url, "dataset": dataset}
    result = read_event(json.dumps(event))

    assert isinstance(result, InvalidEvent) or read_event(event_text(result)) == result


@pytest.mark.parametrize(("time", "is_read"), [("2026-03-01T12:05:00Z", True), ("2026-03-01T12:05:01Z", False)])
def test_event_may_be_a_little_ahead_of_the_clock(producer, time, is_read) -> None:
    newest = newest_time(datetime(2026, 3, 1, 12, tzinfo=UTC))
    event = producer.run_event() | {"eventTime": time}

    result = read_event(json.dumps(event), newest=newest)

    assert isinstance(result, InvalidEvent) is not is_read
