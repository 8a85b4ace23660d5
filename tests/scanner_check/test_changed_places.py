"""A finding is shown at a changed line, which a reviewer sees, never at the start of a file that changes elsewhere."""

from __future__ import annotations

import json

from committed_repository import BASE

SINK = json.dumps(
    {
        "name": "lake",
        "config": {
            "connector.class": "io.confluent.connect.s3.S3SinkConnector",
            "topics": "BIG",
            "s3.bucket.name": "b",
            "format.class": "io.confluent.connect.s3.format.avro.AvroFormat",
        },
    },
    indent=1,
)


def test_a_setting_of_a_connector_is_found_at_its_line(check):
    report = check({"lake.json": SINK.replace("avro.AvroFormat", "json.JsonFormat")}, {**BASE, "lake.json": SINK})
    (finding,) = (finding for finding in report.findings if finding.counts)

    assert "JsonFormat" in SINK.replace("avro.AvroFormat", "json.JsonFormat").splitlines()[finding.place.line - 1]


def test_a_removed_line_is_shown_where_it_was(check):
    lines = SINK.splitlines()
    at = next(number for number, line in enumerate(lines) if "s3.bucket" in line)
    report = check({"lake.json": "\n".join((*lines[:at], *lines[at + 1 :]))}, {**BASE, "lake.json": SINK})

    assert {finding.place.line for finding in report.findings if finding.counts} == {at + 1}


def test_a_new_file_is_shown_at_its_start(check):
    report = check({"lake.json": SINK.replace("S3SinkConnector", "Unknown")})

    assert {finding.place.line for finding in report.findings if finding.place.file == "lake.json"} <= {1}
