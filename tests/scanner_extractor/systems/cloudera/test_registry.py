"""Cloudera's registry: everything at once, branches and states, and what an Avro schema includes."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.schemas.references import finder, resolve
from scanner_model.errors import PayloadUnexpected, SourceRefused
from scanner_model.scan import SourceStatus
from scanner_model.schemas import SchemaVersion

FORBIDDEN = (403, {"responseMessage": "not allowed"})


def test_everything_takes_one_request(cloudera, read_through) -> None:
    """The server aggregates."""
    server = cloudera.Cloudera(kept=(cloudera.Kept(name="orders", text='"int"', id=7),))
    reading = read_through(server, "cloudera")

    assert server.log == ["schemas/aggregated"]
    assert [(v.subject, v.version, v.schema_id, v.format) for v in reading.of(SchemaVersion)] == [
        ("orders", 1, "7", "AVRO")
    ]


@pytest.mark.parametrize(
    "url", ["http://r", "http://r/api/v1/schemaregistry", "http://knox/gateway/x/api/v1/schemaregistry"]
)
def test_url_may_name_the_api(url, cloudera, read_through) -> None:
    """People copy the address from a browser."""
    server = cloudera.Cloudera(kept=(cloudera.Kept(name="orders", text='"int"', id=7),))

    assert len(read_through(server, "cloudera", url=url).of(SchemaVersion)) == 1


@pytest.mark.parametrize("aggregates", [True, False])
def test_version_of_several_branches_is_one(aggregates, cloudera, read_through) -> None:
    """A branch starts from a version of another, which is in both."""
    retained = cloudera.Kept
    server = cloudera.Cloudera(
        kept=(
            retained(name="a/b", text='"int"', id=1, branches=("MASTER", "next")),
            retained(name="a/b", text='"long"', id=2, version=2, branches=("next",)),
        ),
        aggregates=aggregates,
    )
    versions = read_through(server, "cloudera").of(SchemaVersion)

    assert [(v.version, json.loads(v.metadata)["branches"]) for v in versions] == [
        (1, ["MASTER", "next"]),
        (2, ["next"]),
    ]


@pytest.mark.parametrize(
    ("state", "expected"),
    [(1, "Initiated"), (4, "Reviewed"), (5, ""), (None, ""), (6, "Disabled"), (7, "Archived"), (42, "42")],
)
def test_state_is_the_registrys_word(state, expected, cloudera, read_through) -> None:
    """Enabled is the ordinary one, and what old servers mean that tell none."""
    server = cloudera.Cloudera(kept=(cloudera.Kept(name="o", text='"int"', id=1, state=state),))
    (version,) = read_through(server, "cloudera").of(SchemaVersion)

    assert (version.state, version.deleted) == (expected, False)


def test_deleted_version_is_deleted(cloudera, read_through) -> None:
    """The registry keeps it with a state, as others keep theirs with a mark."""
    server = cloudera.Cloudera(kept=(cloudera.Kept(name="o", text='"int"', id=1, state=8),))
    (version,) = read_through(server, "cloudera").of(SchemaVersion)

    assert (version.state, version.deleted) == ("Deleted", True)


def test_what_is_reported_beside_a_schema_is_kept(cloudera, read_through) -> None:
    """Group and description tell people whose it is."""
    about = {"description": "what was ordered", "schemaGroup": "shop"}
    server = cloudera.Cloudera(kept=(cloudera.Kept(name="o", text='"int"', id=1, about=about),))
    (version,) = read_through(server, "cloudera").of(SchemaVersion)

    assert json.loads(version.metadata) == {**about, "compatibility": "BACKWARD"}


@pytest.mark.parametrize(("wanted", "number"), [({}, 2), ({"version": 1}, 1), ({"version": 0}, 2)])
def test_include_means_the_newest_enabled_version_of_the_main_branch(wanted, number, cloudera, read_through) -> None:
    """Unless it names a version."""
    retained = cloudera.Kept
    text = json.dumps({"type": "record", "name": "P", "fields": [], "includeSchemas": [{"name": "money", **wanted}]})
    server = cloudera.Cloudera(
        kept=(
            retained(name="money", text='"v1"', id=1),
            retained(name="money", text='"v2"', id=2, version=2),
            retained(name="money", text='"v3"', id=3, version=3, state=2),
            retained(name="money", text='"v4"', id=4, version=4, branches=("next",)),
            retained(name="pay", text=text, id=5),
        )
    )
    versions = read_through(server, "cloudera").of(SchemaVersion)

    assert [(r.name, r.version) for r in versions[-1].references] == [("money", number)]
    assert resolve(versions[-1], finder(versions)).texts == {"money": f'"v{number}"'}


@pytest.mark.parametrize("text", ["no json", "[" * 100_000, '{"includeSchemas":5}', '{"includeSchemas":[5,{}]}'])
def test_text_of_any_form_includes_nothing_and_is_kept(text, cloudera, read_through) -> None:
    """It was accepted once, whatever it is."""
    server = cloudera.Cloudera(kept=(cloudera.Kept(name="o", text=text, id=1),))
    (version,) = read_through(server, "cloudera").of(SchemaVersion)

    assert (version.text, version.references) == (text, ())


def test_include_of_a_schema_that_is_not_there_is_kept(cloudera, read_through) -> None:
    """Whoever resolves it says that it is missing."""
    server = cloudera.Cloudera(kept=(cloudera.Kept(name="o", text='{"includeSchemas":[{"name":"x"}]}', id=1),))
    (version,) = read_through(server, "cloudera").of(SchemaVersion)

    assert [(r.subject, r.version) for r in version.references] == [("x", -1)]


@pytest.mark.parametrize("output", [(500, {}), FORBIDDEN, (200, []), (200, {"entities": None})])
def test_registry_that_does_not_report_everything_is_queried_schema_by_schema(output, cloudera, read_through) -> None:
    """Older servers have no aggregate, or one that breaks."""
    retained = (cloudera.Kept(name="o", text='"int"', id=1), cloudera.Kept(name="p", text='"int"', id=2))
    reading = read_through(cloudera.Cloudera(kept=retained, said={"schemas/aggregated": output}), "cloudera")

    assert ([v.subject for v in reading.of(SchemaVersion)], reading.outcome.status) == (["o", "p"], SourceStatus.READ)
    assert len(reading.problems) == 1


def test_schema_that_cannot_be_read_costs_that_schema(cloudera, read_through) -> None:
    """And its earlier versions stay."""
    retained = (cloudera.Kept(name="o", text='"int"', id=1), cloudera.Kept(name="p", text='"int"', id=2))
    server = cloudera.Cloudera(kept=retained, aggregates=False, said={"schemas/o/versions": FORBIDDEN})
    reading = read_through(server, "cloudera")

    assert ([v.subject for v in reading.of(SchemaVersion)], reading.outcome.unread) == (["p"], {"o"})


def test_registry_that_refuses_every_schema_is_refused(cloudera, read_through) -> None:
    """Nothing that may be read is not an empty registry."""
    retained = (cloudera.Kept(name="o", text='"int"', id=1),)
    with pytest.raises(SourceRefused):
        read_through(
            cloudera.Cloudera(kept=retained, aggregates=False, said={"schemas/o/branches": FORBIDDEN}), "cloudera"
        )


def test_another_servers_answer_reports_it(cloudera, read_through) -> None:
    """A proxy's JSON is JSON, too."""
    with pytest.raises(PayloadUnexpected, match="is a list, not an object"):
        read_through(cloudera.Cloudera(aggregates=False, said={"schemas": (200, ["a"])}), "cloudera")


def test_rows_of_another_form_cost_themselves(cloudera, read_through) -> None:
    """A schema without a name may be any that is known: nothing counts as deleted."""
    infos = [{"id": 1, "version": 1, "schemaText": "t"}, {"id": 2, "version": 2}, {"version": 3, "schemaText": "t"}, 5]
    entity = {
        "schemaMetadata": {"name": "o", "type": "json"},
        "schemaBranches": [{"schemaBranch": None, "schemaVersionInfos": infos}],
    }
    output = {"schemas/aggregated": (200, {"entities": [entity, {}, {"schemaMetadata": {"name": "x"}}]})}
    reading = read_through(cloudera.Cloudera(said=output), "cloudera")

    assert [(v.subject, v.format, v.text) for v in reading.of(SchemaVersion)] == [("o", "JSON", "t")]
    assert (reading.outcome.unread, len(reading.problems)) == (frozenset(), 5)
