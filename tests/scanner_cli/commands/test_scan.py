"""`scanner scan`: what it stores, reports, refuses, and how it ends."""

import csv
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from scanner_cli.usage_errors import Exit, combined_status


def config(directory: Path, name: str, cluster: str, url: str = "http://127.0.0.1:9", **more: object) -> Path:
    file = directory / name
    registries = [{"type": "confluent", "url": url}]
    file.write_text(
        json.dumps({"cluster": cluster, "brokers": [f"{cluster}:9092"], "schema_registries": registries} | more)
    )
    return file


def test_report_names_each_source_and_what_changed(scanned, scanner, tmp_path) -> None:
    """The last line is what people read, the table what they look up."""
    result = scanner(*scanned.replay(tmp_path / "d.db"))

    assert result.status == 0
    assert result.out == ""
    assert result.err.splitlines()[0].split() == ["SOURCE", "STATUS", "REQUESTED", "RECEIVED", "REQUESTS", "SECONDS"]
    assert "schema_registry:http://127.0.0.1" in result.err
    assert "manual:manual.json" in result.err
    assert result.err.splitlines()[-1].startswith("shop: scan 1 stored in ")
    assert " added" in result.err.splitlines()[-1]


def test_quiet_prints_nothing_where_all_was_read(scanned, scanner, tmp_path) -> None:
    """A scheduler mails any output."""
    result = scanner(*scanned.replay(tmp_path / "d.db"), "--quiet")

    assert (result.status, result.out, result.err) == (0, "", "")


def test_a_second_scan_of_the_same_changes_nothing(scanned, scanner, tmp_path) -> None:
    """The report shows it."""
    scanner(*scanned.replay(tmp_path / "d.db"))
    result = scanner(*scanned.replay(tmp_path / "d.db"))

    assert result.err.endswith("; nothing changed\n")


def test_report_file_holds_a_document_for_each_cluster(scanned, scanner, tmp_path) -> None:
    """Programs read the same that people do."""
    result = scanner(*scanned.replay(tmp_path / "d.db"), "--report", tmp_path / "report.json")
    (report,) = json.loads((tmp_path / "report.json").read_text())

    assert result.status == 0
    assert {key: report[key] for key in ("cluster", "scan", "stored", "partial", "problems")} == {
        "cluster": "shop",
        "scan": 1,
        "stored": True,
        "partial": False,
        "problems": [],
    }
    assert [source["status"] for source in report["sources"]] == ["read", "read"]
    assert report["counts"]["topics"] == 3
    assert report["changes"]["added"] > 0


@pytest.mark.parametrize(
    ("path", "hint"), [("none/report.json", "create it: mkdir -p"), (".", "name a file in it")], ids=["no dir", "dir"]
)
def test_report_that_cannot_be_written_is_refused_before_the_scan(path, hint, scanned, scanner, tmp_path) -> None:
    """An hour of scanning must not end in a path that was wrong from the start."""
    result = scanner(*scanned.replay(tmp_path / "d.db"), "--report", tmp_path / path)

    assert result.status == 2
    assert hint in result.err
    assert not (tmp_path / "d.db").exists()


def test_nothing_is_stored_where_no_source_responds(scanner, tmp_path) -> None:
    """An outage must not look like an empty installation."""
    file = config(tmp_path, "down.json", "down")
    capture = tmp_path / "capture"
    capture.mkdir()
    (capture / "capture.json").write_text('{"format": 1}')
    result = scanner("extract", "--config", file, "--replay", capture, "--dictionary", tmp_path / "d.db")

    assert result.status == 1
    assert "unavailable: schema_registry:http://127.0.0.1:9: " in result.err
    assert result.err.endswith("down: no source could be read; nothing was stored, the dictionary is as it was\n")
    assert scanner("changes", "--scans", "--dictionary", tmp_path / "d.db", "--format", "json").json == []


def test_a_silent_source_beside_others_is_partial(scanned, scanner, tmp_path) -> None:
    """What was read is stored, earlier facts stay, and the status shows that something is missing."""
    document = json.loads(scanned.config.read_text())
    document["schema_registries"].append({"type": "confluent", "url": "http://127.0.0.1:9"})
    file = scanned.config.with_name("partial.json")
    file.write_text(json.dumps(document))
    replay = ("--replay", scanned.captures[0], "--dictionary", tmp_path / "d.db")
    result = scanner("extract", "--config", file, *replay, "--report", tmp_path / "report.json")

    assert result.status == 3
    assert "shop: scan 1 stored" in result.err
    assert json.loads((tmp_path / "report.json").read_text())[0]["partial"] is True


def test_several_clusters_keep_a_capture_each(scanned, scanner, tmp_path) -> None:
    """Two clusters may have sources with the same address."""
    for name in ("shop", "bank"):
        shutil.copytree(scanned.captures[0], tmp_path / name)
    text = scanned.config.read_text().replace("kafka-", "bank-").replace('"shop"', '"bank"')
    other = scanned.config.with_name("bank.json")
    other.write_text(text.replace(', "manual_input": ["manual.json"]', ""))
    files = ("--config", scanned.config, "--config", other)
    result = scanner("extract", *files, "--replay", tmp_path, "--dictionary", tmp_path / "d.db")

    assert result.status == 0
    assert "shop: scan 1 stored" in result.err
    assert "bank: scan 2 stored" in result.err


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ([Exit.DONE], Exit.DONE),
        ([Exit.DONE, Exit.DONE], Exit.DONE),
        ([Exit.FAILED, Exit.FAILED], Exit.FAILED),
        ([Exit.DONE, Exit.FAILED], Exit.PARTIAL),
        ([Exit.PARTIAL, Exit.FAILED], Exit.PARTIAL),
        ([], Exit.DONE),
    ],
)
def test_one_failed_cluster_beside_others_is_partial(statuses, status) -> None:
    """Failed means that nothing was stored, which is not so where another cluster was."""
    assert combined_status(statuses) == status


def test_the_same_cluster_twice_is_refused(scanned, scanner, tmp_path) -> None:
    """The second scan would find gone what the first found."""
    result = scanner(
        "extract", "--config", scanned.config, "--config", scanned.config, "--dictionary", tmp_path / "d.db"
    )

    assert result.status == 2
    assert f"the cluster 'shop' is in {scanned.config} already" in result.err


def test_problems_of_every_file_are_reported_at_once(scanner, tmp_path) -> None:
    """Mending one mistake only to hear of the next wastes a day."""
    wrong = config(tmp_path, "wrong.json", "a", url="nonsense", zz=1)
    result = scanner("extract", "--config", wrong, "--config", tmp_path / "none.json", "--config", tmp_path)

    assert result.status == 2
    assert result.err.startswith("error: 4 problems:\n")
    assert [text in result.err for text in ("'zz'", "nonsense", "none.json", "directory")] == [True] * 4


def test_a_cluster_without_sources_is_refused(scanner, tmp_path) -> None:
    """Somebody forgot the rest of the file."""
    file = tmp_path / "cluster.json"
    file.write_text('{"cluster": "a", "brokers": ["a:9092"]}')

    for command in ("extract", "check"):
        result = scanner(command, "--config", file)
        assert result.status == 2
        assert "no source is configured" in result.err


@pytest.mark.parametrize(
    ("option", "name", "hint"),
    [
        ("--only", "schema_registy", "did you mean 'schema_registry'?"),
        ("--skip", "ksqldb", "known: schema_registry, schema_registry:http://"),
        ("--only", "schema_registry,nobody", "'nobody'"),
    ],
)
def test_a_source_that_is_not_known_is_refused(option, name, hint, scanned, scanner, tmp_path) -> None:
    """Otherwise a typing error would read nothing, and look successful."""
    result = scanner(*scanned.replay(tmp_path / "d.db"), option, name)

    assert result.status == 2
    assert hint in result.err
    assert not (tmp_path / "d.db").exists()


def test_a_source_is_chosen_by_kind_or_by_id(scanned, scanner, tmp_path) -> None:
    """An id may hold commas, as a list of brokers does."""
    brokers = "kafka:kafka-1:9092,kafka-2:9092"
    file = scanned.config.with_name("kafka.json")
    file.write_text(json.dumps(json.loads(scanned.config.read_text()) | {"kafka": {}}))
    replay = ("--replay", scanned.captures[0], "--dictionary", tmp_path / "d.db")
    skipped = [
        scanner("extract", "--config", file, *replay, "--skip", f"{brokers}, schema_registry"),
        scanner("extract", "--config", file, *replay, "--only", "schema_registry", "--skip", brokers),
    ]

    assert [result.status for result in skipped] == [0, 0]
    assert [result.err.count("skipped") for result in skipped] == [2, 1]


def test_that_nothing_was_chosen_is_no_failure(scanned, scanner, tmp_path) -> None:
    """One of several clusters may have none of the sources that are chosen."""
    document = json.loads(scanned.config.read_text())
    del document["manual_input"]
    file = scanned.config.with_name("no-manual.json")
    file.write_text(json.dumps(document))
    replay = ("--replay", scanned.captures[0], "--dictionary", tmp_path / "d.db")
    result = scanner("extract", "--config", file, *replay, "--skip", "schema_registry")

    assert result.status == 0
    assert result.err.endswith("shop: no source of it was selected; nothing was stored, the dictionary is as it was\n")


def test_a_capture_is_never_overwritten(scanned, scanner, tmp_path) -> None:
    """It may be somebody's evidence."""
    arguments = ("--config", scanned.config, "--capture", scanned.captures[0], "--dictionary", tmp_path / "d.db")
    result = scanner("extract", *arguments)

    assert result.status == 2
    assert "already contains a capture (name a new directory)" in result.err
    assert not (tmp_path / "d.db").exists()


@pytest.mark.parametrize("path", ["none", "file"])
def test_a_replay_needs_a_capture(path, scanned, scanner, tmp_path) -> None:
    """The path is shown, whatever it contains."""
    (tmp_path / "file").write_text("")
    result = scanner("extract", "--config", scanned.config, "--replay", tmp_path / path)

    assert result.status == 2
    assert str(tmp_path / path) in result.err


def test_capture_and_replay_exclude_each_other(scanned, scanner) -> None:
    """A capture of a replay would be the same capture."""
    result = scanner("extract", "--config", scanned.config, "--capture", "a", "--replay", "b")

    assert result.status == 2
    assert "--capture --replay: a replay is a capture already (use one of them)" in result.err


def test_an_unusable_dictionary_is_reported_before_the_scan(scanned, scanner, tmp_path) -> None:
    """Otherwise the sources would be read for nothing."""
    result = scanner(*scanned.replay(tmp_path))

    assert result.status == 1
    assert "the dictionary is a directory" in result.err
    assert "requests" not in result.err.lower()


def test_the_dictionary_holds_what_was_captured(scanned, scanner, tmp_path) -> None:
    """A replay gives the same facts as the scan it was captured from."""
    scanner(*scanned.replay(tmp_path / "d.db"))
    scanner(*scanned.replay(tmp_path / "d.db", 1))
    texts = []
    for file in (scanned.dictionary, tmp_path / "d.db"):
        with sqlite3.connect(file) as conn:
            texts.append(conn.execute("SELECT fingerprint FROM schema_definition ORDER BY 1").fetchall())

    assert texts[0] == texts[1]


def test_enrichment_of_nothing_is_refused(scanned, scanner, tmp_path) -> None:
    """There is no stored scan to add it to."""
    result = scanner(*scanned.replay(tmp_path / "d.db"), "--mode", "enrich")

    assert result.status == 4
    assert "no scan of the cluster 'shop' is stored" in result.err


def test_enrichment_keeps_what_was_extracted_as_fresh_as_it_was(scanned, scanner, tmp_path) -> None:
    """It reads neither registry nor files, so it proves nothing about them."""
    scanner(*scanned.replay(tmp_path / "d.db"))
    result = scanner(*scanned.replay(tmp_path / "d.db"), "--mode", "enrich", "--report", tmp_path / "r.json")
    (report,) = json.loads((tmp_path / "r.json").read_text())
    rows = sqlite3.connect(tmp_path / "d.db").execute("SELECT stale_since FROM source").fetchall()

    assert result.status == 0
    assert {source["status"] for source in report["sources"]} == {"kept"}
    assert {row[0] for row in rows} == {None}
    assert "nothing was stored" in result.err


def test_clusters_read_in_parallel_are_stored_in_their_order(scanned, scanner, tmp_path) -> None:
    """The numbers of scans must not depend on which cluster answered first."""
    text = scanned.config.read_text().replace(', "manual_input": ["manual.json"]', "")
    files: list[object] = []
    for i in range(6):
        shutil.copytree(scanned.captures[0], tmp_path / f"c{i}")
        other = scanned.config.with_name(f"c{i}.json")
        other.write_text(text.replace("kafka-", f"c{i}-").replace('"shop"', f'"c{i}"'))
        files += ["--config", other]
    result = scanner("extract", *files, "--replay", tmp_path, "--dictionary", tmp_path / "d.db", "--workers", "4")

    assert result.status == 0
    assert [line.split(":")[0] for line in result.err.splitlines() if "stored in" in line] == [
        f"c{i}" for i in range(6)
    ]
    assert "c5: scan 6 stored" in result.err


def test_a_repository_is_read_without_a_server(scanner, tmp_path) -> None:
    """Statements, connectors and topics give flows, with no line written by hand."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / ".env").write_text("OUT=BIG")
    (shop / "a.ksql").write_text(
        "CREATE STREAM orders (id INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');"
        "CREATE STREAM big AS SELECT * FROM orders;"
    )
    config = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "$OUT", "s3.bucket.name": "b"}
    (shop / "sink.json").write_text(json.dumps({"name": "s3", "config": config}))
    dictionary = tmp_path / "d.db"

    assert scanner("extract", "--from", shop, "--dictionary", dictionary).status == 0
    assert scanner("dataflow", "--dictionary", dictionary).status == 0
    result = scanner("lineage", "orders", "--downstream", "--format", "json", "--dictionary", dictionary)
    assert {"BIG", "s3", "CSAS_BIG"} <= {node["name"] for node in json.loads(result.out)["nodes"]}


@pytest.mark.parametrize("file", [None, ".git/HEAD", "module/.git"])
def test_a_directory_without_files_is_refused(file, scanner, tmp_path) -> None:
    """Nothing is stored; what git keeps for itself is there before anything is checked out."""
    (tmp_path / "repository" / "src").mkdir(parents=True)
    if file:
        (tmp_path / "repository" / file).parent.mkdir()
        (tmp_path / "repository" / file).write_text("x")
    result = scanner("scan", tmp_path / "repository", "--dictionary", tmp_path / "d.db")

    assert result.status == 2
    assert "contains no files" in result.err
    assert not (tmp_path / "d.db").exists()


def test_a_directory_that_is_none_is_refused(scanner, tmp_path) -> None:
    """Nothing is stored."""
    result = scanner("extract", "--from", tmp_path / "no", "--dictionary", tmp_path / "d.db")

    assert result.status == 2
    assert "is not a directory" in result.err
    assert scanner("extract", "--dictionary", tmp_path / "d.db").status == 2
    assert scanner("extract", "--from", tmp_path, "--var", "x", "--dictionary", tmp_path / "d.db").status == 2


def test_a_sink_has_the_columns_that_a_statement_in_a_file_writes(scanner, tmp_path) -> None:
    """No registry describes a topic of a query that only a file has."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "a.ksql").write_text(
        "CREATE STREAM orders (id INT, total DOUBLE) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');"
        "CREATE TABLE sums AS SELECT id, SUM(total) AS paid FROM orders GROUP BY id;"
    )
    config = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "SUMS", "s3.bucket.name": "b"}
    (shop / "sink.json").write_text(json.dumps({"name": "s3", "config": config}))
    dictionary = tmp_path / "d.db"

    assert scanner("extract", "--from", shop, "--dictionary", dictionary).status == 0
    assert scanner("dataflow", "--dictionary", dictionary).status == 0
    result = scanner("export", "--format", "csv", "--dictionary", dictionary)
    assert "SUMS.PAID,column,kafka://shop,column-flow,DIRECT,IDENTITY,topics/SUMS.PAID" in result.out


def test_a_repository_gives_the_flows_of_the_recorded_scan_that_its_files_hold(scanner, tmp_path) -> None:
    """The example has one file of statements; what its servers answered is not read as if files declared it."""

    def flows(dictionary: Path) -> set[tuple[str, str, str]]:
        assert scanner("dataflow", "--dictionary", dictionary).status == 0
        rows = csv.DictReader(scanner("export", "--format", "csv", "--dictionary", dictionary).out.splitlines())
        ends = (row for row in rows if row["kind"] in ("reads", "writes"))
        return {(row["source"], row["kind"], row["target"]) for row in ends}

    retail, from_files, recorded = Path("examples/retail"), tmp_path / "files.db", tmp_path / "recorded.db"
    assert scanner("extract", "--from", retail, "--dictionary", from_files).status == 0
    replay = ("extract", "--config", retail / "cluster.json", "--replay", retail / "capture")
    assert scanner(*replay, "--dictionary", recorded).status == 0
    stated = [{flow for flow in flows(db) if "flink/retail.sql" in str(flow)} for db in (from_files, recorded)]

    assert stated[0]
    assert stated[0] == stated[1]


def test_statements_and_schemas_may_be_files(scanner, tmp_path) -> None:
    """The subject stands in the path, and the version; all files of statements are one catalog."""
    files = {
        "sql/orders.ksql": "CREATE STREAM orders (id INT) WITH (KAFKA_TOPIC='shop.orders', VALUE_FORMAT='AVRO');",
        "sql/big.ksql": "CREATE STREAM big WITH (KAFKA_TOPIC='big') AS SELECT * FROM orders;",
        "schemas/shop.orders-value_v1.avsc": '{"type": "record", "name": "A", "fields": []}',
        "schemas/shop.orders-value_v2.avsc": '{"type": "record", "name": "B", "fields": []}',
        "schemas/other.json": "{}",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    sources = {"ksqldb": [{"path": "**/*.ksql"}], "schemas": [{"path": "schemas/{subject}.avsc"}]}
    document = {"cluster": "shop", "brokers": ["shop:9092"], **sources}
    (tmp_path / "cluster.json").write_text(json.dumps(document))
    dictionary = tmp_path / "d.db"

    result = scanner("extract", "--config", tmp_path / "cluster.json", "--dictionary", dictionary)
    assert (result.status, "1 subjects, 2 versions" in result.err) == (0, True)
    assert scanner("dataflow", "--dictionary", dictionary).status == 0
    lineage = scanner("lineage", "shop.orders", "--downstream", "--dictionary", dictionary)
    assert "CSAS_BIG" in lineage.out


@pytest.mark.parametrize(
    ("source", "message"),
    [({}, "'url' is missing"), ({"path": "*.sql", "auth": {}}, "'auth' is not for files of statements")],
)
def test_a_ksqldb_that_is_neither_server_nor_files_is_refused(scanner, tmp_path, source, message) -> None:
    """The message says what is wrong."""
    document = {"cluster": "shop", "brokers": ["shop:9092"], "ksqldb": [source]}
    (tmp_path / "cluster.json").write_text(json.dumps(document))

    result = scanner("extract", "--config", tmp_path / "cluster.json", "--dictionary", tmp_path / "d.db")
    assert result.status == 2
    assert message in result.err
