"""Apicurio's own API: the way that takes the fewest requests, and what becomes of groups, labels and states."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from scanner_extractor.schemas.references import finder, resolve
from scanner_model.errors import NotFound, PayloadUnexpected, SourceRefused
from scanner_model.scan import SourceStatus
from scanner_model.schemas import SchemaVersion

WAYS = {"export": {}, "lists": {"exports": False}, "v2": {"api": "v2"}}
FORBIDDEN = (403, {"title": "forbidden"})


@pytest.fixture
def installation(apicurio):
    """Return versions in two groups, with labels, a draft and a text that two versions share."""
    held = apicurio.Held
    money = {"groupId": "default", "artifactId": "money.proto", "version": "1", "name": "money.proto"}
    return (
        held(artifact="money.proto", text="message Money {}", type="PROTOBUF", global_id=1, content_id=1),
        held(artifact="a/b c", group="shop", text='"string"', global_id=2, content_id=2),
        held(artifact="orders", group="shop", text='"string"', global_id=3, content_id=2, about={"name": "Orders"}),
        held(artifact="orders", group="shop", label="2.0-beta", text='"int"', global_id=4, content_id=4),
        held(artifact="orders", group="shop", label="7", text='"long"', state="DRAFT", global_id=5, content_id=5),
        held(artifact="pay", group="shop", text="x", type="PROTOBUF", references=(money,), global_id=6, content_id=6),
    )


@pytest.mark.parametrize("variant", WAYS)
def test_every_way_reports_the_same(variant, apicurio, installation, read_through) -> None:
    """Which way is open depends on rights, and must change nothing."""
    installation = installation if variant != "v2" else tuple(held for held in installation if held.state != "DRAFT")
    server = apicurio.Apicurio(held=installation, page=2, **WAYS[variant])
    versions = read_through(server, "apicurio").of(SchemaVersion)

    assert [(v.context, v.subject, v.version, v.schema_id, v.state) for v in versions] == [
        (".", "money.proto", 1, "1", ""),
        ("shop", "a/b c", 1, "2", ""),
        ("shop", "orders", 1, "2", ""),
        ("shop", "orders", 2, "4", ""),
        *([("shop", "orders", 7, "5", "DRAFT")] if variant != "v2" else []),
        ("shop", "pay", 1, "6", ""),
    ]
    assert json.loads(versions[3].metadata) == {"globalId": 4, "version": "2.0-beta", "artifact": {"name": "Orders"}}
    assert resolve(versions[-1], finder(versions)).texts == {"money.proto": "message Money {}"}


def test_export_takes_one_request(apicurio, installation, read_through) -> None:
    """The lists would take one for each version."""
    server = apicurio.Apicurio(held=installation)
    reading = read_through(server, "apicurio")

    assert (reading.outcome.requests, server.log) == (1, ["/apis/registry/v3/admin/export"])


def test_lists_request_each_text_once_and_for_no_page_after_the_last(apicurio, installation, read_through) -> None:
    """Five texts, with their references, after one page of versions and one of artifacts."""
    server = apicurio.Apicurio(held=installation, exports=False)
    reading = read_through(server, "apicurio")

    assert reading.outcome.requests == 1 + 1 + 1 + 2 * 5
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://r", "/apis/registry/v3/admin/export"),
        ("http://r/apis/registry/v3", "/apis/registry/v3/admin/export"),
        ("http://r/apis/registry/v2", "/apis/registry/v2/search/artifacts"),
        ("http://r/apis/ccompat/v7", "/apis/ccompat/v7/schemas"),
    ],
)
def test_url_may_name_the_api(url, path, apicurio, read_through) -> None:
    """People copy the address from a browser."""
    server = apicurio.Apicurio(api="v9")
    with pytest.raises(NotFound):
        read_through(server, "apicurio", url=url)

    assert server.log[0] == path


def test_reference_names_the_group_only_where_it_leaves_its_own(apicurio, read_through) -> None:
    """A group is a context, and what stays in it needs no word."""
    pointers = (
        {"groupId": "shop", "artifactId": "near", "version": "1", "name": "near"},
        {"groupId": "bank", "artifactId": "far", "version": "1.0", "name": "far"},
        {"groupId": "bank", "artifactId": "gone", "version": "1.0", "name": "gone"},
        {"artifactId": "newest", "name": "newest"},
    )
    held = apicurio.Held
    server = apicurio.Apicurio(
        held=(
            held(artifact="far", group="bank", label="1.0", text="f", global_id=1, content_id=1),
            held(artifact="near", group="shop", text="n", global_id=2, content_id=2),
            held(artifact="all", group="shop", text="a", references=pointers, global_id=3, content_id=3),
        )
    )
    versions = read_through(server, "apicurio").of(SchemaVersion)

    assert [(r.subject, r.version) for r in versions[1].references] == [
        ("near", 1),
        ("bank:far", 1),
        ("bank:gone", 0),
        ("default:newest", -1),
    ]
    assert set(resolve(versions[1], finder(versions)).texts) == {"near", "far"}


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [
        (["1", "2", "3"], [1, 2, 3]),
        (["1", "5"], [1, 5]),
        (["1.0.0", "1.1.0", "3"], [1, 2, 3]),
        (["10", "x", "3"], [10, 11, 12]),
        (["007", "99999999999"], [1, 2]),
        (["٣"], [1]),
    ],
)
def test_labels_become_numbers_in_the_order_of_registration(labels, numbers, apicurio, read_through) -> None:
    """A number that people know the version by is kept, and no two versions share one."""
    held = [
        apicurio.Held(artifact="a", label=label, text=label, global_id=at, content_id=at)
        for at, label in enumerate(labels, 1)
    ]
    versions = read_through(apicurio.Apicurio(held=tuple(reversed(held))), "apicurio").of(SchemaVersion)

    assert [(v.text, v.version) for v in versions] == list(zip(labels, numbers, strict=True))


@pytest.mark.parametrize("variant", ["export", "lists"])
def test_what_people_wrote_is_kept(variant, apicurio, read_through) -> None:
    """Labels, owner and description are the governance team's."""
    held = apicurio.Held(
        artifact="a",
        text="t",
        type="OPENAPI",
        state="DEPRECATED",
        global_id=9,
        content_id=1,
        more={"labels": {"team": "sales", "beta": None}, "owner": "ann"},
        about={"description": "d"},
    )
    (version,) = read_through(apicurio.Apicurio(held=(held,), **WAYS[variant]), "apicurio").of(SchemaVersion)

    assert (version.format, version.state, version.deleted) == ("OPENAPI", "DEPRECATED", False)
    assert json.loads(version.metadata) == {
        "globalId": 9,
        "labels": {"beta": None, "team": "sales"},
        "owner": "ann",
        "artifact": {"description": "d"},
    }


def test_properties_of_v2_are_the_labels_of_v3(apicurio, read_through) -> None:
    """An upgrade of the server must not look like a change of the schema."""
    about = {"labels": ["beta"], "properties": {"team": "sales"}}
    held = apicurio.Held(artifact="a", text="t", global_id=1, content_id=1, about=about)
    (version,) = read_through(apicurio.Apicurio(held=(held,), api="v2"), "apicurio").of(SchemaVersion)

    assert json.loads(version.metadata)["artifact"] == {"labels": {"beta": None, "team": "sales"}}


def test_disabled_version_is_kept_where_another_refers_to_it(apicurio, read_through) -> None:
    """Without it the other could not be read."""
    pointer = {"artifactId": "base", "version": "1", "name": "base"}
    held = apicurio.Held
    server = apicurio.Apicurio(
        held=(
            held(artifact="base", text="b", state="DISABLED", global_id=1, content_id=1),
            held(artifact="other", text="o", state="DISABLED", global_id=2, content_id=2),
            held(artifact="user", text="u", references=(pointer,), global_id=3, content_id=3),
        )
    )

    assert [v.subject for v in read_through(server, "apicurio", deleted=False).of(SchemaVersion)] == ["base", "user"]


def _zip(**entries: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name.replace("__", "."), text)
    return file.getvalue()


@pytest.mark.parametrize(
    "output",
    [
        b"no archive",
        _zip(x__ArtifactVersion__json="{"),
        _zip(c__Content__json='{"contentId":1}'),
        _zip(c__Content__json='{"contentId":1}', c__Content__data="x"),
        _zip(big="0" * 2_000_000),
        _zip(x__Artifact__json="{}"),
    ],
)
def test_export_that_cannot_be_read_is_reported_and_the_lists_are_read(
    output, apicurio, installation, read_through
) -> None:
    """The quick way is a way among others."""
    server = apicurio.Apicurio(held=installation, said={"admin/export": (200, output)})
    reading = read_through(server, "apicurio")

    assert (len(reading.of(SchemaVersion)), reading.outcome.status) == (6, SourceStatus.READ)
    assert ["export" in problem.what for problem in reading.problems] == [True]


@pytest.mark.parametrize("variant", ["export", "lists"])
def test_text_that_is_not_utf8_costs_its_version(variant, apicurio, installation, read_through) -> None:
    """The others are read, and what earlier scans know of it stays."""
    unusual = b"\xff\xfe"
    server = apicurio.Apicurio(held=installation, said={"ids/contentIds/4": (200, unusual)}, **WAYS[variant])
    if variant == "export":
        entries = zipfile.ZipFile(io.BytesIO(server.archive()))
        parts = {name: entries.read(name) for name in entries.namelist()} | {"content/4.Content.data": unusual}
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, body in parts.items():
                archive.writestr(name, body)
        server.said["admin/export"] = (200, file.getvalue())
    reading = read_through(server, "apicurio")

    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, {":shop:orders"})
    assert len(reading.of(SchemaVersion)) == 5


def test_version_without_a_text_is_reported_and_not_unread(apicurio, installation, read_through) -> None:
    """It was deleted between the list and the text."""
    server = apicurio.Apicurio(held=installation, exports=False, said={"ids/contentIds/4": (404, {})})
    reading = read_through(server, "apicurio")

    assert (reading.outcome.status, len(reading.of(SchemaVersion)), len(reading.problems)) == (SourceStatus.READ, 5, 1)


@pytest.mark.parametrize("api", ["v3", "v2"])
def test_registry_that_refuses_every_text_is_refused(api, apicurio, installation, read_through) -> None:
    """An empty answer would look as if everything was deleted."""
    output = {f"ids/contentIds/{number}": FORBIDDEN for number in range(9)}
    output |= {f"groups/shop/artifacts/orders/versions/7/{what}": FORBIDDEN for what in ("content", "references")}
    with pytest.raises(SourceRefused):
        read_through(apicurio.Apicurio(held=installation, api=api, exports=False, said=output), "apicurio")


def test_v2_artifacts_that_are_all_refused_are_a_refusal(apicurio, read_through) -> None:
    """Nothing that may be read is not an empty registry."""
    held = apicurio.Held(artifact="a", text="t", global_id=1, content_id=1)
    output = {"groups/default/artifacts/a/versions": FORBIDDEN}
    with pytest.raises(SourceRefused):
        read_through(apicurio.Apicurio(held=(held,), api="v2", said=output), "apicurio")


def test_entries_of_another_form_cost_themselves(apicurio, installation, read_through) -> None:
    """One odd artifact must not hide a thousand; one without a name may be any that is known."""
    rows = [{"artifactId": "x", "version": "1", "artifactType": "AVRO"}, {"artifactId": "y"}, 7]
    rows.append({"artifactId": "ok", "version": "1", "artifactType": "avro", "globalId": 1, "contentId": 1})
    output = {
        "search/versions": (200, {"count": 4, "versions": rows}),
        "search/artifacts": (200, {"count": 1, "artifacts": [1]}),
    }
    reading = read_through(apicurio.Apicurio(held=installation, exports=False, said=output), "apicurio")

    assert [(v.subject, v.format) for v in reading.of(SchemaVersion)] == [("ok", "AVRO")]
    assert (reading.outcome.unread, len(reading.problems)) == (frozenset(), 4)


@pytest.mark.parametrize("output", [[], {"count": 1}, {"versions": []}, {"count": "1", "versions": []}])
def test_answer_that_is_no_page_reports_it(output, apicurio, read_through) -> None:
    """Something else answers at this address."""
    with pytest.raises(PayloadUnexpected, match=r"^\$"):
        read_through(apicurio.Apicurio(exports=False, said={"search/versions": (200, output)}), "apicurio")


@pytest.mark.parametrize("references", [[{"name": 1}], 5, ["x"]])
def test_references_of_another_form_cost_their_version(references, apicurio, installation, read_through) -> None:
    """Its columns could be wrong without them."""
    output = {"ids/contentIds/6/references": (200, references)}
    reading = read_through(apicurio.Apicurio(held=installation, exports=False, said=output), "apicurio")

    assert reading.outcome.unread == {":shop:pay"}
