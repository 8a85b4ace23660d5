"""Two commits are compared as all that their files declare, without a dictionary."""

from __future__ import annotations

import json

import pytest
from committed_repository import BASE, KSQL, SCHEMA, SINK, commit_all, rules

from scanner_check.commits import check_commits
from scanner_check.inputs.git import commit_trees, object_reader
from scanner_check.model import Verdict
from scanner_extractor.repository.syntax_trees import LARGEST
from scanner_model.errors import InputInvalid

pytestmark = pytest.mark.slow


def test_a_column_that_is_dropped_hits_who_uses_it(check):
    report = check({"a.ksql": KSQL.replace("SELECT id, total", "SELECT id")})
    assert report.verdict is Verdict.IMPACT
    lost = {finding.item: finding for finding in report.findings if finding.rule == "column-lost"}
    assert lost.keys() == {"BIG.TOTAL", "topics/BIG.TOTAL"}
    assert lost["BIG.TOTAL"].place.file == "a.ksql"
    assert "s3" in {hit.name for hit in lost["BIG.TOTAL"].affected}


def test_a_field_that_is_dropped_from_a_schema_hits_who_uses_it(check):
    report = check({"orders-value.avsc": json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:1]})})
    assert ("column-removed", "total") in rules(report)
    (finding,) = (finding for finding in report.findings if finding.rule == "column-removed")
    assert "CSAS_BIG" in {hit.name for hit in finding.affected}


def test_a_topic_that_is_renamed_where_it_is_read_has_no_writer(check):
    report = check({"sink.json": SINK.replace("BIG", "LARGE")})
    assert report.verdict is Verdict.IMPACT
    assert ("input-without-writer", "LARGE") in rules(report)


def test_a_topic_that_is_renamed_where_it_is_written_or_declared_hits_its_readers(check):
    report = check({"a.ksql": KSQL.replace("STREAM big AS", "STREAM big WITH (KAFKA_TOPIC='x') AS")})
    (finding,) = (finding for finding in report.findings if finding.rule == "topic-renamed")
    assert (finding.target, finding.item, finding.verdict) == ("topic BIG", "x", Verdict.IMPACT)
    assert "s3" in {hit.name for hit in finding.affected}


def described(topic: str, writer: str, *readers: str) -> str:
    entries = [f"    - application: {one}\n      access: read\n" for one in readers]
    return (
        f"apiVersion: kafka.nais.io/v1\nkind: Topic\nmetadata: {{name: {topic}, namespace: shop}}\nspec:\n  acl:\n"
        f"    - application: {writer}\n      access: write\n{''.join(entries)}"
    )


def test_of_two_topics_that_go_only_one_is_renamed(check):
    """The one whose programs mostly use the new topic; the other is gone."""
    base = {"a.yaml": described("bills", "pay", "tax", "audit"), "b.yaml": described("bills-eu", "site", "shop")}
    report = check({"a.yaml": described("invoices", "site", "tax", "audit"), "b.yaml": None}, {**BASE, **base})
    renamed = [(one.target, one.item) for one in report.findings if one.rule == "topic-renamed"]
    assert renamed == [("topic shop.bills", "shop.invoices")]
    assert ("output-lost", "shop.bills-eu") in rules(report)
    assert "may no longer" not in str(report)


def test_a_topic_that_is_not_created_any_more_is_used(check):
    report = check({"topics.sh": "kafka-topics --create --topic order\n"})
    assert report.verdict is Verdict.IMPACT
    assert ("topic-gone", "orders") in rules(report)


def test_a_statement_that_moves_to_another_file_changes_nothing(check):
    report = check({"a.ksql": KSQL.splitlines()[0], "b.ksql": KSQL.splitlines()[1]})
    assert report.verdict is Verdict.FINE
    assert {file.file for file in report.files} == {"a.ksql", "b.ksql"}


def test_a_change_that_nothing_reads_is_listed_and_says_why(check):
    report = check({"README.md": "two", "data.bin": "x"})
    assert (report.verdict, report.concerns_kafka) == (Verdict.FINE, False)
    assert [skipped.file for skipped in report.not_examined] == ["data.bin"]
    assert {skipped.file for skipped in report.skipped} == {"README.md", "data.bin"}
    assert all(skipped.why for skipped in report.skipped)


@pytest.mark.parametrize("file", ["README.md", "docs/a.adoc", "logo.png", "LICENSE", "src/test/java/ATest.java"])
def test_documentation_and_tests_hit_nobody(check, file):
    report = check({file: 'the topic "orders" is called orders'})
    assert report.verdict is Verdict.FINE
    assert [skipped.file for skipped in report.skipped] == [file]


def test_a_file_that_is_renamed_with_the_same_content_hits_nobody(check):
    files = {**BASE, "notes/a.txt": "remember"}
    report = check({"notes/a.txt": None, "notes/b.txt": "remember", "sink.json": None, "c/sink.json": SINK}, files)
    assert report.verdict is Verdict.FINE


def test_a_link_is_not_followed_and_said(check, tmp_path):
    check({})
    (tmp_path / "current.avsc").symlink_to("orders-value.avsc")
    commit_all(tmp_path)
    report = check_commits("HEAD~1...HEAD", directory=tmp_path)
    assert rules(report) == {("not-read", "")}
    assert [skipped.file for skipped in report.skipped] == ["current.avsc"]


def test_a_job_that_writes_a_topic_no_more_that_others_write_hits_its_readers(check):
    """The readers of the topic miss what this one wrote."""
    source = {
        "name": "mqtt",
        "config": {"connector.class": "io.confluent.connect.mqtt.MqttSourceConnector", "kafka.topic": "BIG"},
    }
    report = check(
        {"source.json": json.dumps(source).replace("BIG", "SMALL")}, {**BASE, "source.json": json.dumps(source)}
    )
    assert ("writer-lost", "BIG") in rules(report)
    (finding,) = (finding for finding in report.findings if finding.rule == "writer-lost")
    assert "s3" in {hit.name for hit in finding.affected}


def test_a_copy_of_a_schema_that_does_not_follow_is_hit(check):
    """Modules that have copies of one file read what the others write."""
    text = json.dumps({**SCHEMA, "name": "Bill"})
    base = {**BASE, "billing/bill.avsc": text, "shipping/bill.avsc": text}
    report = check({"billing/bill.avsc": json.dumps({**SCHEMA, "name": "Bill", "fields": SCHEMA["fields"][:1]})}, base)
    (finding,) = (finding for finding in report.findings if finding.rule == "copies-differ")
    assert (finding.verdict, finding.place.file) == (Verdict.IMPACT, "billing/bill.avsc")
    assert "shipping/bill.avsc" in finding.what
    assert any("total is removed" in why for why in finding.why)


def test_every_new_text_of_a_subject_is_compared(check):
    """A subject may have the text of a changed file, and that of another one, which is its newest."""
    text = json.dumps({**SCHEMA, "name": "Bill"})
    base = {**BASE, "a/bill.avsc": text, "z/bill.avsc": json.dumps({**SCHEMA, "name": "Bill", "doc": "z"})}
    report = check({"a/bill.avsc": json.dumps({**SCHEMA, "name": "Bill", "fields": SCHEMA["fields"][:1]})}, base)
    assert any(finding.rule == "column-removed" for finding in report.findings)


def test_a_topic_in_a_line_of_which_nothing_is_read_is_unknown(check):
    """Nothing tells what a program does that no reader understands; the topic's users are named."""
    base = {**BASE, "jobs.xml": "<input>BIG</input>"}
    report = check({"jobs.xml": "<input>LARGE</input>", "a.ksql": KSQL + "-- more\n"}, base)
    assert report.verdict is Verdict.UNKNOWN
    (finding,) = (finding for finding in report.findings if finding.rule == "mentioned")
    assert (finding.item, finding.place.file) == ("BIG", "jobs.xml")
    assert "s3" in {hit.name for hit in finding.affected}


def test_a_metric_with_the_name_of_a_topic_is_no_mention_of_it(check):
    place = "class Place {\n  void place() {\n    %s\n    save();\n  }\n}\n"
    imported = "import io.micrometer.core.instrument.Metrics;\n"
    base = {**BASE, "shop/Place.java": imported + place % ""}
    report = check({"shop/Place.java": imported + place % 'Metrics.counter("BIG").increment();'}, base)
    assert report.verdict is Verdict.FINE
    report = check({"shop/Place.java": imported + place % 'open("BIG").increment();'}, base)
    assert [finding.rule for finding in report.findings if finding.counts] == ["mentioned"]


@pytest.mark.parametrize("other", ["BIGGER", "of.BIGGER", "SMALL"])
def test_a_name_that_becomes_another_one_is_a_mention_though_that_contains_it(check, other):
    place = 'class Place {\n  void place() {\n    open("%s");\n  }\n}\n'
    report = check({"shop/Place.java": place % other}, {**BASE, "shop/Place.java": place % "BIG"})
    assert [finding.rule for finding in report.findings if finding.counts] == ["mentioned"]


def test_a_topic_that_is_created_anew_hits_nobody(check):
    report = check({"topics.sh": BASE["topics.sh"] + "kafka-topics --create --topic refunds\n"})
    assert report.verdict is Verdict.FINE


def test_a_line_that_moves_to_another_file_names_no_topic_anew(check):
    base = {**BASE, "jobs.xml": "<input>BIG</input>", "other.xml": ""}
    report = check({"jobs.xml": "", "other.xml": "<input>BIG</input>", "a.ksql": KSQL + "-- more\n"}, base)
    assert report.verdict is Verdict.FINE


@pytest.mark.parametrize(
    "other",
    [
        {"orders-value.avsc": json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:1]})},
        {"further.xml": "<output>BIG</output>"},
        {"lake.json": SINK.replace('"s3"', '"lake"', 1)},
        {"topics.sh": "kafka-topics --create --topic orders\n"},
    ],
)
def test_a_mentioned_topic_is_reported_whatever_else_changes(check, other):
    """What another file does to the topic does not explain this line."""
    base = {**BASE, "jobs.xml": "<input>BIG</input>"}
    report = check({"jobs.xml": "<input>LARGE</input>", **other}, base)
    texts = [(finding.rule, finding.item) for finding in report.findings if finding.verdict is not Verdict.FINE]
    folded = [reason.template for finding in report.findings for reason in finding.reasons]
    assert ("mentioned", "BIG") in texts or "mentioned" in folded


def test_a_further_reader_of_a_topic_that_others_read_already_is_fine(check):
    """Another repository writes the topic, whatever reads it here."""
    read = "from kafka import KafkaConsumer\nfor m in KafkaConsumer('{}', group_id='{}'):\n    print(m)\n"
    base = {**BASE, "a/setup.py": "", "a/a.py": read.format("clicks", "a"), "b/setup.py": ""}

    assert check({"b/b.py": read.format("clicks", "b")}, base).verdict is Verdict.FINE


def test_added_program_that_mentions_a_topic_is_fine(check):
    """It can only use the topic in addition, which harms no reader."""
    report = check({"jobs/report.py": 'TOPIC = "BIG"\nprint(TOPIC)\n'})
    assert report.verdict is Verdict.FINE


def test_topic_that_leaves_a_file_for_an_added_program_and_another_one_is_unknown(check):
    """Only names that the change merely adds are left out."""
    base = {**BASE, "jobs.xml": "<input>BIG</input>"}
    report = check({"jobs.xml": "<input>LARGE</input>", "jobs/report.py": 'TOPIC = "BIG"\nOTHER = "BIG"\n'}, base)
    assert ("mentioned", "BIG") in rules(report)


def test_a_declaration_that_others_repeat_is_not_overlooked(check):
    topic = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: BIG\nspec:\n  partitions: 1\n"
    base = {**BASE, "dev.yaml": topic, "prod.yaml": topic}
    report = check({"prod.yaml": topic.replace("BIG", "LARGE")}, base)
    assert ("mentioned", "BIG") in rules(report)


def test_a_table_of_a_statement_that_is_not_declared_any_more_is_used(check):
    """Where a table without connector is the topic of its name, nothing else declares it."""
    tables = "CREATE TABLE queries (q STRING);\nCREATE TABLE answers (q STRING);\n"
    insert = "INSERT INTO answers SELECT q FROM queries;\n"
    report = check({"tables.sql": tables.replace("queries", "questions")}, {"tables.sql": tables, "i.sql": insert})
    assert ("table-gone", "queries") in rules(report)


def test_a_changed_file_that_cannot_be_read_is_unknown(check):
    report = check({"chart/topic.yaml": "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nname: {{ .Values.t }}\n"})
    assert report.verdict is Verdict.UNKNOWN
    assert {finding.rule for finding in report.findings} == {"not-judged"}


def test_a_change_of_a_connector_that_is_not_understood_is_unknown(check):
    unknown = SINK.replace("io.confluent.connect.s3.S3SinkConnector", "com.acme.Unknown")
    report = check({"sink.json": unknown.replace('"b"', '"c"')}, {**BASE, "sink.json": unknown})
    assert report.verdict is Verdict.UNKNOWN


def test_a_place_that_is_changed_and_not_understood_is_unknown(check):
    """A table of another catalog is another table, though the name of the dataset does not hold the catalog."""
    flink = (
        "CREATE TABLE orders (id INT) WITH ('connector'='kafka', 'topic'='orders', "
        " 'properties.bootstrap.servers'='k:1', 'format'='json');\n"
        "CREATE TABLE lake (id INT) WITH ('connector'='iceberg', 'catalog-name'='dev', 'warehouse'='s3://w',"
        " 'write.parallelism'='1');\n"
        "INSERT INTO lake SELECT id FROM orders;\n"
    )
    base = {"job.sql": flink}

    report = check({"job.sql": flink.replace("'dev'", "'prod'")}, base)

    assert report.verdict is Verdict.UNKNOWN
    assert any("'catalog-name' = 'dev'" in why for finding in report.findings for why in finding.why)


def test_a_setting_that_is_no_place_is_fine(check):
    """How a job runs does not change what it reads and writes."""
    assert check({"sink.json": SINK.replace('"topics"', '"tasks.max": "2", "topics"')}).verdict is Verdict.FINE


def test_a_commit_that_is_not_there_is_refused(check, tmp_path):
    check({})
    with pytest.raises(InputInvalid):
        check_commits("nothing...HEAD", directory=tmp_path)


def test_a_table_that_is_not_declared_any_more_is_used(check):
    source = json.dumps(
        {
            "name": "cdc",
            "config": {
                "connector.class": "io.debezium.connector.mysql.MySqlConnector",
                "database.hostname": "db",
                "topic.prefix": "p",
                "table.include.list": "shop.users",
            },
        }
    )
    ddl = "CREATE TABLE shop.users (id INT PRIMARY KEY);"
    report = check({"ddl.sql": ddl.replace("users", "people")}, {**BASE, "ddl.sql": ddl, "cdc.json": source})
    assert ("table-gone", "shop.users") in rules(report)


LEVEL = (
    'resource "confluent_subject_config" "s" {\n  subject_name = "orders-value"\n  compatibility_level = "FULL"\n}\n'
)


def test_a_looser_level_is_unknown_and_a_stricter_one_is_fine(check):
    report = check({"main.tf": LEVEL.replace("FULL", "NONE")}, {**BASE, "main.tf": LEVEL})
    assert rules(report) == {("level-changed", "")}
    assert (report.verdict, report.findings[0].place.file) == (Verdict.UNKNOWN, "main.tf")
    check({"main.tf": LEVEL.replace("FULL", "BACKWARD")})
    report = check({"main.tf": LEVEL})
    assert report.verdict is Verdict.FINE


def test_a_schema_is_compared_at_the_level_that_terraform_sets(check):
    changed = json.dumps({**SCHEMA, "fields": [*SCHEMA["fields"], {"name": "note", "type": "string"}]})
    report = check({"orders-value.avsc": changed}, {**BASE, "main.tf": LEVEL.replace("FULL", "FORWARD")})
    assert "incompatible" not in {finding.rule for finding in report.findings}


def test_a_yaml_file_that_cannot_be_parsed_any_more_is_unknown(check):
    compose = "services:\n  connect:\n    environment:\n      TOPIC: x\n"
    report = check(
        {"docker-compose.yml": compose.replace("services:", "services: [")}, {**BASE, "docker-compose.yml": compose}
    )
    assert report.verdict is Verdict.UNKNOWN
    assert any(finding.rule == "not-read" and finding.target == "docker-compose.yml" for finding in report.findings)


PRODUCER = (
    "import json\nfrom confluent_kafka import Producer\nfrom model import Paid\n"
    'p.produce("paid", json.dumps({"id": 1, "total": Paid(2)}))\n'
)
PROGRAMS = {
    **BASE,
    "billing/requirements.txt": "confluent-kafka",
    "billing/main.py": PRODUCER,
    "billing/model.py": "class Paid:\n    total: int\n",
    "site/package.json": "{}",
    "site/page.js": "draw(1)\n",
    "paid.ksql": "CREATE STREAM paid (id INT, total INT) WITH (KAFKA_TOPIC='paid', VALUE_FORMAT='JSON');\n"
    "CREATE STREAM sums AS SELECT id, total FROM paid;\n",
}


@pytest.mark.parametrize(
    "changed",
    [
        {"billing/main.py": PRODUCER.replace(', "total": Paid(2)', "")},
        {"billing/model.py": "class Paid:\n    amount: int\n"},
    ],
)
def test_a_change_of_code_that_drops_a_column_hits_who_reads_the_topic(check, changed):
    report = check(changed, PROGRAMS)
    assert report.verdict is not Verdict.FINE
    assert {finding.rule for finding in report.findings} == {"record-field-removed"}
    assert all("CSAS_SUMS" in {hit.name for hit in finding.affected} for finding in report.findings)


@pytest.mark.parametrize("changed", [{"billing/new.py": "x = 1\n"}, {"billing/page.py": "def page():\n    return 2\n"}])
def test_code_that_reaches_no_record_is_fine(check, changed):
    base = {**PROGRAMS, "billing/page.py": "def page():\n    return 1\n"}

    assert check(changed, base).verdict is Verdict.FINE


def test_code_in_a_language_that_is_not_read_is_listed(check):
    report = check({"billing/send.rb": "topic 'other'\n"}, PROGRAMS)

    assert (report.verdict, [skipped.file for skipped in report.not_examined]) == (Verdict.FINE, ["billing/send.rb"])


SENDER = "use rdkafka::producer::FutureRecord;\npub fn send(order: &Order) {}\n"
ORDER = "#[derive(Serialize)]\npub struct Order { pub id: u32, pub total: f64 }\n"
CRATE = {"crates/send/Cargo.toml": '[package]\nname = "send"\n', "crates/send/src/lib.rs": SENDER}
SITE = {"crates/site/Cargo.toml": '[package]\nname = "site"\n', "crates/site/src/page.rs": "pub fn page() {}\n"}


@pytest.mark.parametrize(
    "changed",
    [
        {"crates/send/src/lib.rs": SENDER.replace("&Order", "&Paid")},
        {"crates/send/src/order.rs": ORDER.replace(", pub total: f64", "")},
        {"crates/send/src/order.rs": None},
    ],
)
def test_code_beside_an_import_of_a_client_that_sends_nothing_known_is_unknown(check, changed):
    report = check(changed, {**BASE, **CRATE, "crates/send/src/order.rs": ORDER})

    assert report.verdict is Verdict.UNKNOWN
    assert {finding.place.file for finding in report.findings if finding.rule == "code-changed"} == {*changed}


def test_code_that_uses_kafka_in_a_language_that_is_not_read_is_unknown(check):
    php = '<?php\n(new \\RdKafka\\Producer($conf))->newTopic("a");\n'

    report = check({"send.php": php.replace("a", "b")}, {**BASE, "send.php": php})

    assert report.verdict is Verdict.UNKNOWN
    assert {finding.place.file for finding in report.findings if finding.rule == "not-read"} == {"send.php"}


def test_code_that_uses_kafka_and_is_too_large_to_be_read_is_unknown(check):
    large = f"{PRODUCER}{'#' * LARGEST}\n"

    report = check({"billing/main.py": large.replace(', "total": Paid(2)', "")}, {**PROGRAMS, "billing/main.py": large})

    assert (report.verdict, rules(report)) == (Verdict.UNKNOWN, {("not-read", "")})


@pytest.mark.parametrize(
    "changed",
    [
        {"crates/site/src/page.rs": "pub fn page() { draw(); }\n"},
        {"crates/send/src/lib.rs": f"// Sends orders.\n{SENDER.replace(') {}', ') {' + chr(10) + '}')}"},
        {"crates/send/tests/send.rs": "fn sends() { assert!(true); }\n"},
    ],
)
def test_other_code_comments_and_layout_in_a_language_that_is_not_read_are_fine(check, changed):
    assert check(changed, {**BASE, **CRATE, **SITE}).verdict is Verdict.FINE


def test_comments_imports_and_code_of_other_modules_change_nothing(check):
    commented = "# sends what was paid\n" + PRODUCER.replace("import json", "import json as json")
    others = {
        "billing/Sends.java": "/**\n * Sends.\n */\nimport java.util.List;\n",
        "billing/Sends.cs": "using System.Text;\n",
    }
    tests = {"billing/tests/test_main.py": "assert 1", "README.md": "x"}
    report = check({"billing/main.py": commented, **tests}, PROGRAMS)
    assert report.verdict is Verdict.FINE
    before = {path: f"{text}class Sends {{}}\n" for path, text in others.items()}
    after = {path: f"{text}// x\nclass Sends {{}}\n" for path, text in others.items()}
    found = check(after, {**PROGRAMS, **before}).findings + check({"site/page.js": "draw(2)"}).findings
    assert "code-changed" not in {finding.rule for finding in found}


def test_statements_whose_tables_nothing_uses_are_unknown_where_they_change(check):
    program = "env.execute_sql(\"CREATE TABLE o (id INT, total INT) WITH ('connector'='kafka', 'topic'='orders')\")\n"
    report = check({"job.py": program.replace(", total INT", "")}, {**BASE, "job.py": program})
    assert rules(report) == {("not-judged", "")}
    assert report.verdict is Verdict.UNKNOWN


def test_of_a_huge_file_only_the_bytes_that_are_read_are_kept(check, tmp_path):
    check({})
    (tmp_path / "huge.sql").write_text("-- " + "x" * 100_000 + "\nSELECT 1;")
    (tmp_path / "next.sql").write_text("SELECT 2;")
    commit_all(tmp_path)
    trees = commit_trees("HEAD~1...HEAD", tmp_path)
    with object_reader(tmp_path, largest=1_000) as objects:
        objects.expect([trees.head["huge.sql"], trees.head["next.sql"]])
        assert objects.read(trees.head["huge.sql"]) == b"-- " + b"x" * 998
        assert objects.read(trees.head["next.sql"]) == b"SELECT 2;"


def test_the_change_does_not_say_how_it_is_read(check):
    """A writer that HEAD's settings do not find is still there; `read_judging` reports the change of the settings."""
    form = "topic-files:\n  - {files: 'owned.yaml', topic: '@.name', writers: '@.writers[*]', each: '$.topics[*]'}\n"
    base = {**BASE, ".scanner.yaml": form, "owned.yaml": "topics:\n  - {name: shipments, writers: [dispatch]}\n"}

    report = check({".scanner.yaml": form.replace("@.writers[*]", "@.none")}, base)

    assert report.findings == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (json.dumps(SCHEMA).replace('"type": "record", ', '"type": "record" '), 1),
        (json.dumps({**SCHEMA, "fields": [{"name": "id", "type": "strng"}]}, indent=1), 7),
    ],
)
def test_a_schema_that_its_format_rejects_breaks(check, text, place):
    """It passes no registry and no compiler; that the file cannot be read is not all that is known."""
    (finding,) = (one for one in check({"orders-value.avsc": text}).findings if one.rule == "schema-invalid")
    assert (finding.verdict, finding.place.file, finding.place.line) == (Verdict.BREAKS, "orders-value.avsc", place)


def test_a_schema_that_was_invalid_before_is_unknown(check):
    before = {**BASE, "orders-value.avsc": "{"}
    (finding,) = (one for one in check({"orders-value.avsc": "[{"}, before).findings if one.rule == "schema-invalid")
    assert (finding.verdict, "invalid before" in finding.what) == (Verdict.UNKNOWN, True)


@pytest.mark.parametrize("added", ["message More { int32 x = 1; }", "message A { message In {} }", "enum E { Z = 0; }"])
def test_a_message_that_is_added_is_not_gone(check, added):
    """A reader with the old file does not ask for it; a registry, which compares all messages, is not known."""
    text = 'syntax = "proto3"; message Order { string id = 1; }'
    report = check({"orders-value.proto": f"{text} {added}"}, {"a.sh": BASE["topics.sh"], "orders-value.proto": text})
    assert not [finding for finding in report.findings if finding.counts]


_READER = """
import json
from confluent_kafka import Consumer
consumer = Consumer({"bootstrap.servers": "k:9092", "group.id": "group"})
consumer.subscribe(["orders"])
print(json.loads(consumer.poll(1.0).value())["total"])
"""


def test_a_reader_that_the_change_removes_is_not_hit(check):
    programs = {
        f"{name}/{file}": text
        for name in ("mailer", "billing")
        for file, text in ((f"{name}.py", _READER), ("requirements.txt", "confluent-kafka"))
    }
    removed = dict.fromkeys(("mailer/mailer.py", "mailer/requirements.txt"))
    shorter = json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:1]})

    report = check({"orders-value.avsc": shorter, **removed}, {**BASE, **programs})
    (finding,) = (finding for finding in report.findings if finding.rule == "column-removed")
    assert "mailer" not in {hit.name for hit in finding.affected}
    assert not any("mailer" in why for why in finding.why)
    assert any(why.startswith("billing reads it") for why in finding.why)


def test_a_reader_that_moves_is_hit(check):
    programs = {"mailer/mailer.py": _READER, "mailer/requirements.txt": "confluent-kafka"}
    moved = {"mailer/mailer.py": None, "mailer/requirements.txt": None, "mail/mailer.py": _READER}
    shorter = json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:1]})

    report = check({"orders-value.avsc": shorter, **moved}, {**BASE, **programs})
    (finding,) = (finding for finding in report.findings if finding.rule == "column-removed")
    assert any("mailer" in why for why in finding.why)


def test_a_parse_error_of_the_first_commit_is_not_told_of_the_second(check):
    report = check({"bills-value.avsc": json.dumps(SCHEMA)}, {**BASE, "bills-value.avsc": '{"type": "record", '})
    (finding,) = (finding for finding in report.findings if finding.rule == "not-read")
    assert finding.what.startswith("the base commit's")
    assert "invalid" not in finding.what


def test_settings_of_a_binding_without_a_function_change_nothing(check):
    listed = "spring.cloud.function.definition=bills\nspring.cloud.stream.bindings.bills-in-0.destination=orders\n"
    dead = "spring.cloud.stream.bindings.audit-in-0.destination=orders\n"
    code = "public class A { @Bean public Consumer<String> bills() { return x -> {}; } }"
    files = {
        "shop/pom.xml": "<artifactId>shop</artifactId><artifactId>spring-cloud-stream-binder-kafka</artifactId>",
        "shop/src/main/java/A.java": code,
    }
    path = "shop/src/main/resources/application.properties"

    assert check({path: listed}, {**BASE, **files, path: listed + dead}).verdict is Verdict.FINE
    active = listed.replace("bills\n", "bills;audit\n")
    assert check({path: active}, {**BASE, **files, path: active + dead}).verdict is not Verdict.FINE


def test_a_topic_dropped_in_terraform_has_its_users(check):
    topic = 'resource "confluent_kafka_topic" "{0}" {{\n  topic_name = "{0}"\n}}\n'
    program = {"lake/lake.py": _READER.replace("orders", "audit"), "lake/requirements.txt": "confluent-kafka"}
    declared = {"topics.tf": topic.format("audit") + topic.format("bills"), "CODEOWNERS": "lake/ @lake-team\n"}
    report = check({"topics.tf": topic.format("bills")}, {**BASE, **program, **declared})

    (finding,) = (finding for finding in report.findings if finding.rule == "topic-gone")
    assert {hit.name: hit.owner for hit in finding.affected} == {"lake": "@lake-team"}


SINKS = {
    "a file of Connect": (
        "sink.json",
        '{{"name": "out", "config": {{"connector.class": "PostgresSink", "topics": "orders", '
        '"connection.port": "5432", "connection.host": "{}", "db.name": "shop", "table.name.format": "public.paid"}}}}',
    ),
    "a statement of ksqlDB": (
        "sink.ksql",
        "CREATE SINK CONNECTOR out WITH (\"connector.class\"='MicrosoftSqlServerSink', \"topics\"='orders', "
        "\"connection.host\"='{}', \"db.name\"='shop', \"table.name.format\"='dbo.paid');\n",
    ),
}


@pytest.mark.parametrize("name", SINKS)
@pytest.mark.parametrize(("host", "verdict"), [("***", Verdict.UNKNOWN), ("db-2", Verdict.IMPACT)])
def test_a_table_on_a_server_that_is_not_known_any_more_is_not_lost(check, name, host, verdict):
    """The address is masked now: the sink may write to the server that it wrote to."""
    path, text = SINKS[name]

    report = check({path: text.format(host)}, {**BASE, path: text.format("db-1")})

    assert report.verdict is verdict
    assert ("output-lost" in {finding.rule for finding in report.findings}) is (verdict is Verdict.IMPACT)
