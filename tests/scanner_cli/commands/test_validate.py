"""`scanner validate`: what it shows, and when it fails."""

import json
import sqlite3
from contextlib import closing


def test_findings_are_shown_with_their_next_step(scanned, scanner) -> None:
    """The findings of a rule stand together, and the next step is said once."""
    result = scanner("validate", "--dictionary", scanned.dictionary)

    assert result.status == 0
    assert "topic-without-schema" in result.out
    assert result.out.count("→ register one") == 1
    assert result.out.count("warning topic-without-schema") == 1


def test_strict_fails_where_there_is_a_finding(scanned, scanner) -> None:
    """So that a pipeline can stop on it; a rule that finds nothing does not."""
    assert scanner("validate", "--strict", "--dictionary", scanned.dictionary).status == 3
    assert scanner("validate", "--strict", "--rule", "failed-table", "--dictionary", scanned.dictionary).status == 0


def test_unknown_rule_is_refused_with_the_nearest(scanned, scanner) -> None:
    """A typing error must not look like a clean result."""
    result = scanner("validate", "--rule", "failed-conector", "--dictionary", scanned.dictionary)

    assert result.status == 2
    assert "failed-connector" in result.err


def test_findings_as_json_name_all_their_members(scanned, scanner) -> None:
    """Documented in docs/json.md."""
    result = scanner("validate", "--format", "json", "--dictionary", scanned.dictionary)

    assert {tuple(finding) for finding in result.json} == {("cluster", "severity", "rule", "where", "what", "hint")}


def test_flows_that_do_not_fit_are_findings_until_they_do(scanner, tmp_path) -> None:
    """`scanner dictionary dataflow` reports what `validate` and the stored findings contain."""
    shop, stored = tmp_path / "shop", tmp_path / "d.db"
    shop.mkdir()
    config = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "topics": "orders",
        "connection.url": "jdbc:postgresql://dw:5432/dw",
        "table.name.format": "facts",
        "auto.evolve": "false",
    }
    (shop / "sink.json").write_text(json.dumps({"name": "dw", "config": config}))
    (shop / "table.sql").write_text("CREATE TABLE facts (id BIGINT);")
    (shop / "more.ksql").write_text(
        "CREATE STREAM s (id BIGINT, vat INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='AVRO');\n"
        "CREATE STREAM t AS SELECT id, vat FROM s;"
    )
    fields = [{"name": "id", "type": "long"}, {"name": "total", "type": "long"}]

    def rules() -> dict[str, list[str]]:
        schema = {"type": "record", "name": "Order", "fields": fields}
        (shop / "orders-value.avsc").write_text(json.dumps(schema))
        assert scanner("extract", "--from", shop, "--dictionary", stored).status in (0, 3)
        assert scanner("dataflow", "--dictionary", stored).status == 0
        found = scanner("validate", "--format", "json", "--dictionary", stored).json
        with closing(sqlite3.connect(stored)) as conn:
            rows = conn.execute("SELECT rule, what FROM finding ORDER BY ordinal").fetchall()
        assert rows == [(row["rule"], row["what"]) for row in found]
        return {
            rule: [row["where"] for row in found if row["rule"] == rule] for rule in ("unknown-column", "column-misfit")
        }

    assert rules() == {"unknown-column": ["topic orders"], "column-misfit": ["job dw"]}
    fields[1]["name"] = "vat"
    (shop / "table.sql").write_text("CREATE TABLE facts (id BIGINT, vat BIGINT);")
    assert rules() == {"unknown-column": [], "column-misfit": []}
