"""`openlineage` of a cluster.json: transports as openlineage-python names them, their secrets and their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_model.errors import InputInvalid

LEAST = {"cluster": "retail", "brokers": ["k:9092"]}


def read(directory: Path, transport: Any, **environment: str) -> Any:
    file = directory / "cluster.json"
    file.write_text(json.dumps(LEAST | {"openlineage": {"transport": transport}}))
    return read_cluster_file(file, environment, ()).openlineage


def wrong(directory: Path, transport: Any) -> list[str]:
    with pytest.raises(InputInvalid) as caught:
        read(directory, transport)
    return [f"{problem.where.partition(' ')[2]} {problem.what}" for problem in caught.value.problems]


def test_variables_and_secret_files_are_filled_in_and_never_shown(tmp_path) -> None:
    """As everywhere in this file."""
    (tmp_path / "key").write_text("hidden-word\n")
    auth = {"type": "api_key", "apiKey": "$file:key"}
    result = read(tmp_path, {"type": "http", "url": "${WHERE}", "auth": auth}, WHERE="https://m:5000")

    assert result.transport == {
        "type": "http",
        "url": "https://m:5000",
        "auth": {"type": "api_key", "apiKey": "hidden-word"},
    }
    assert "hidden-word" not in repr(result)


def test_members_that_only_the_library_knows_are_handed_on(tmp_path) -> None:
    """It has more transports and settings than are reported here."""
    transport = {"type": "acme.Transport", "depth": {"of": [1, 2]}, "on": True}

    assert read(tmp_path, transport).transport == transport


def test_files_are_relative_to_the_file_also_inside_a_composite(tmp_path) -> None:
    """One that is written need not be there; a remote one stays."""
    (tmp_path / "ca.pem").write_text("")
    files = [{"type": "file", "log_file_path": path} for path in ("out/e.ndjson", "s3://b/e")]
    kafka = {"type": "kafka", "topic": "t", "config": {"ssl.ca.location": "ca.pem", "ssl.key.location": "probe"}}
    over = {"type": "http", "url": "http://m", "sslContext": {"caCertPath": "ca.pem"}}
    first, second, third, fourth = read(tmp_path, {"type": "composite", "transports": [*files, kafka, over]}).transport[
        "transports"
    ]

    assert first["log_file_path"] == str(tmp_path / "out/e.ndjson")
    assert second["log_file_path"] == "s3://b/e"
    assert third["config"] == {"ssl.ca.location": str(tmp_path / "ca.pem"), "ssl.key.location": "probe"}
    assert fourth["sslContext"] == {"caCertPath": str(tmp_path / "ca.pem")}


@pytest.mark.parametrize(
    ("transport", "output"),
    [
        ({}, "$.openlineage.transport 'type' is missing"),
        ({"type": "http"}, "$.openlineage.transport 'url' is missing"),
        ({"type": "kafka", "config": {}}, "$.openlineage.transport 'topic' is missing"),
        ({"type": "http", "url": "m:5000"}, '$.openlineage.transport.url "m:5000" is not a web address'),
        (
            {"type": "composite", "transports": {"a": {"type": "http", "url": "m"}}},
            '$.openlineage.transport.transports.a.url "m" is not a web address',
        ),
        (
            {"type": "transform", "transport": {"type": "http", "url": "m"}},
            '$.openlineage.transport.transport.url "m" is not a web address',
        ),
    ],
)
def test_transport_that_cannot_be_is_a_problem_with_its_place(transport, output, tmp_path) -> None:
    """Before anything is sent."""
    assert wrong(tmp_path, transport) == [output]


@pytest.mark.parametrize("transport", ["http", None, [], {"type": 3}, {"type": "composite", "transports": [3]}])
def test_any_other_form_is_a_problem_too(transport, tmp_path) -> None:
    """And nothing fails on it."""
    assert wrong(tmp_path, transport)


def test_file_without_it_leaves_it_to_the_library(tmp_path) -> None:
    """Its own configuration may say where events go."""
    (tmp_path / "c.json").write_text(json.dumps(LEAST))

    assert read_cluster_file(tmp_path / "c.json", {}, ()).openlineage is None


def test_a_transport_whose_type_is_an_object_is_a_problem(tmp_path) -> None:
    """Its type is compared with those over HTTP, and an object has no hash."""
    assert wrong(tmp_path, {"type": {"a": 1}, "url": "nonsense"}) == [
        "$.openlineage.transport.type an object stands where text is expected"
    ]
