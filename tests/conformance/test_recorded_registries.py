"""What real registries answered to a few statements of ours: the fake answers so, and the reader reads it so.

Seen in November 2026 of Confluent Schema Registry 6.1.15, 7.4.15, 7.9.9 and 8.3.1, and of Karapace 6.2.0; the schemas
are ours.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.registries.result import Row
from scanner_extractor.systems.schema_registry.confluent_reader import Origin, read_row
from scanner_model.names import SourceId
from scanner_model.payload import Payload

ROWS = json.loads((Path(__file__).parent / "data" / "registry_rows.json").read_text("utf-8"))["rows"]
"""One row of every kind by server, as `GET /subjects/{s}/versions/{n}?deleted=true` answers."""

GONE = ("gaps-value", ":.us:gone-value")
CONFLUENT = ("confluent-6.1", "confluent-7.4", "confluent-7.9", "confluent-8.3")
MODERN = CONFLUENT[-1:]
NOT_FOUND = {"error_code": 404, "message": "HTTP 404 Not Found"}
BAD_VERSION = "The specified version '{}' is not a valid version id. "
NAMES = ("plain.proto", "true-value", "variant-value")
ANSWERS = (
    (CONFLUENT, "/subjects/nope/versions", 404, {"error_code": 40401, "message": "Subject 'nope' not found."}),
    (CONFLUENT, "/subjects/true-value/versions/9", 404, {"error_code": 40402, "message": "Version 9 not found."}),
    (
        CONFLUENT,
        "/subjects/gaps-value/versions/latest?deleted=true",
        404,
        {"error_code": 40402, "message": "Version -1 not found."},
    ),
    (CONFLUENT, "/schemas?offset=x", 404, NOT_FOUND),
    (CONFLUENT, "/nowhere", 404, NOT_FOUND),
    (CONFLUENT[:-1], "/associations/subjects/true-value", 404, NOT_FOUND),
    (MODERN, "/associations/subjects/true-value", 200, []),
    (("karapace",), "/nowhere", 404, "Not Found"),
    (CONFLUENT[1:], "/subjects/alias-value/versions", 200, [1]),
    (
        CONFLUENT[:1],
        "/subjects?offset=1&limit=1&subjectPrefix=zzz",
        200,
        ["plain.proto", "true-value", "variant-value"],
    ),
    (
        CONFLUENT[1:2],
        "/subjects?offset=1&limit=1",
        200,
        ["contract-value", "plain.proto", "true-value", "variant-value"],
    ),
    (CONFLUENT[2:], "/subjects?offset=1&limit=1", 200, ["plain.proto"]),
    (("karapace",), "/subjects", 200, ["true-value", "plain.proto", "variant-value"]),
    (CONFLUENT[1:], "/subjects?deletedOnly=true", 200, [":.us:gone-value", "gaps-value"]),
    (CONFLUENT[2:], "/subjects/true-value/versions?offset=1", 200, []),
    (CONFLUENT[:2], "/subjects/true-value/versions?offset=1", 200, [1]),
)
"""Servers, what they were asked, and what they said."""


@pytest.fixture(scope="module")
def fake() -> Any:
    """Load the fake, which is a program and no part of a package."""
    return import_module("confluent_registry")


def registry(fake: Any, server: str) -> Any:
    """Return the fake of a server that has the statements behind the recorded rows."""
    installation = []
    for row in ROWS[server]:
        references = tuple((item["name"], item["subject"], item["version"]) for item in row.get("references", ()))
        more = {"metadata": row["metadata"]} if "metadata" in row else {}
        installation.append(
            fake.Stored(
                subject=row["subject"],
                version=row["version"],
                id=row["id"],
                schema=row["schema"],
                type=row.get("schemaType", "AVRO"),
                references=references,
                deleted=row["subject"] in GONE,
                ts=row.get("ts", 0),
                more=more,
            )
        )
    return fake.Registry(flavour=server, installation=tuple(installation), aliases={"alias-value": "true-value"})


@pytest.mark.parametrize("server", ROWS)
def test_fake_answers_with_the_rows_of_the_server(server, fake) -> None:
    """Member for member; only a guid is no number that can be known in advance. Confluent's order is kept, too."""
    served = registry(fake, server)
    for row in ROWS[server]:
        status, answer = served.answer(f"/subjects/{row['subject']}/versions/{row['version']}?deleted=true")

        assert (status, answer | {"guid": ""}) == (200, row | {"guid": ""})
        assert list(answer) == list(row) or server == "karapace"


@pytest.mark.parametrize(
    ("server", "target", "status", "body"), [(text, *rest) for some, *rest in ANSWERS for text in some]
)
def test_fake_answers_as_the_server_did(server, target, status, body, fake) -> None:
    """What a reader meets besides rows."""
    answer = registry(fake, server).answer(target)

    assert (answer[0], sorted(answer[1]) if server == "confluent-6.1" and status == 200 else answer[1]) == (
        status,
        body,
    )


@pytest.mark.parametrize("server", [*CONFLUENT, "karapace"])
@pytest.mark.parametrize("number", ["0", "abc"])
def test_fake_refuses_numbers_that_are_no_versions(server, number, fake) -> None:
    """Every server does, in these words."""
    status, answer = registry(fake, server).answer(f"/subjects/true-value/versions/{number}")

    assert (status, answer["error_code"]) == (422, 42202)
    assert answer["message"].startswith(BAD_VERSION.format(number))


@pytest.mark.parametrize("path", ["/subjects/%2E%2E/versions", "/subjects/a%5Cb/versions", "//subjects"])
def test_only_modern_servers_refuse_ambiguous_paths_with_a_page(path, fake) -> None:
    """Jetty 12 does, before the registry sees them."""
    assert registry(fake, "confluent-8.3").answer(path)[1].startswith("<html>")
    assert registry(fake, "confluent-7.9").answer(path)[0] == 404


def test_association_has_all_members_of_8_3(fake) -> None:
    """The namespace reports whose topic it is."""
    given = {"s": [{"resourceName": "refunds", "resourceNamespace": "lkc-OTHER"}]}
    ((association,),) = [fake.Registry(associations=given).answer("/associations/subjects/s")[1]]

    assert list(association) == [
        "subject",
        "guid",
        "resourceName",
        "resourceNamespace",
        "resourceId",
        "resourceType",
        "associationType",
        "lifecycle",
        "frozen",
        "createTs",
        "updateTs",
    ]
    assert association["resourceId"] == "lkc-OTHER:refunds"


@pytest.mark.parametrize("server", ROWS)
def test_reader_reads_the_rows_of_the_server(server) -> None:
    """A type that is left out is Avro; only rows since 8.0 say when they were registered, and what is deleted."""
    kind = server.partition("-")[0]
    rows = [read_row(Payload(row), Origin(source=SourceId("s"), kind=kind)) for row in ROWS[server]]

    assert all(isinstance(row, Row) for row in rows)
    assert [row.version.format for row in rows][:4] == ["JSON", "AVRO", "PROTOBUF", "AVRO"]
    modern = server == "confluent-8.3"
    assert {(bool(row.version.registered_at), bool(row.version.guid), row.flagged) for row in rows} == {(modern,) * 3}
