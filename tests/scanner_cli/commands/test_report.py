"""`scanner report`: what it prints beside the rows."""

import json
import shlex
import stat


def test_columns_to_decide_on_are_listed_by_the_command_that_the_report_names(scanner, tmp_path) -> None:
    """A count alone sends the auditor to search."""
    schema = '{"type": "record", "name": "C", "fields": [{"name": "email", "type": "string"}]}'
    (tmp_path / "customers-value.avsc").write_text(schema)
    (tmp_path / "read.py").write_text(
        "from kafka import KafkaConsumer\nfor each in KafkaConsumer('customers', group_id='crm'):\n    print(each)\n"
    )
    stored = tmp_path / "d.db"
    scanner("scan", tmp_path, "--dictionary", stored)
    printed = scanner("report", "personal-data", "--dictionary", stored).err

    assert "1 columns look personal" not in printed
    command = printed.partition("note: `scanner ")[2].partition("`")[0]
    assert "email" in scanner(*shlex.split(command), "--dictionary", stored).out


def test_the_files_of_a_report_are_for_their_owner_alone_and_hold_no_secret(scanner, tmp_path) -> None:
    schema = (
        '{"type": "record", "name": "C", "fields": [{"name": "email", "type": "string", "confluent:tags": ["PII"]}]}'
    )
    (tmp_path / "customers-value.avsc").write_text(schema)
    config = {"connector.class": "S3SinkConnector", "topics": "customers", "aws.secret.access.key": "hunter2hunter2"}
    (tmp_path / "sink.json").write_text(json.dumps({"name": "lake", "config": config}))
    stored = tmp_path / "d.db"
    scanner("scan", tmp_path, "--dictionary", stored)

    for name in ("report.html", "report.csv"):
        scanner("report", "personal-data", "--dictionary", stored, "-o", tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
        text = (tmp_path / name).read_text("utf-8")
        assert "email" in text
        assert "lake" in text
        assert "hunter2" not in text
