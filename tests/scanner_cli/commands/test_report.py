"""`scanner report`: what it prints beside the rows."""

import shlex


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
