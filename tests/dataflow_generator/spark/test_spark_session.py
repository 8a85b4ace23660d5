"""What a session needs, and what it sends to the machines of a cluster."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.spark.assemble import tasks
from dataflow_generator.spark.session import (
    PACKAGES,
    _speaks_spark,
    build_archive,
    java_version,
    spark_session,
    translate_spark_errors,
)
from scanner_model.errors import ScannerError

QUIET = """rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21-ea"', 21),
        ("?", None),
    ],
)
def test_the_version_of_java_is_read_as_it_is_reported(said, version) -> None:
    """Java 8 calls itself 1.8."""
    assert java_version(said) == version


@pytest.mark.process
def test_the_archive_is_all_that_a_task_needs_of_ours(tmp_path) -> None:
    """Executors have no installation of scanner."""
    archive = build_archive(tmp_path)
    code = "import sys; sys.path[:0] = sys.argv[1:]; import dataflow_generator.spark.assemble as it; print(it.__file__)"
    said = subprocess.run(
        [sys.executable, "-c", code, str(archive)], capture_output=True, text=True, check=True, cwd=tmp_path
    )

    assert said.stdout.startswith(str(archive))


def test_the_same_code_is_the_same_archive(tmp_path) -> None:
    """No moment of the day is in it."""
    (tmp_path / "other").mkdir()

    assert build_archive(tmp_path).read_bytes() == build_archive(tmp_path / "other").read_bytes()
    assert "scanner_cli" not in PACKAGES


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_what_a_task_could_not_do_is_reported_in_one_line(spark, tmp_path) -> None:
    """Not a code of Spark's, and no traceback."""
    source = DictionarySource(str(tmp_path / "nowhere.db"))

    with pytest.raises(ScannerError, match=r"nowhere\.db") as failed, translate_spark_errors("spark.log"):
        tasks(spark, 1, lambda _: source.cells((1, 2)), "a long").collect()
    assert "SQLSTATE" not in str(failed.value)


@pytest.mark.spark
def test_spark_submit_runs_a_generation_and_keeps_the_terminal_quiet(installation_of, briefly, tmp_path) -> None:
    """Its own master and settings hold, and its JVM logs to the configured file."""
    pyspark = pytest.importorskip("pyspark", reason="pip install 'kafka-lineage-scanner[spark]' runs this")
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java on this machine; Java 17 runs this")
    (tmp_path / "job.py").write_text("from scanner_cli.main import main\n\nmain()\n")
    (tmp_path / "quiet.properties").write_text(QUIET.format(file=tmp_path / "spark.log"))
    quiet = f"-Dlog4j2.configurationFile={(tmp_path / 'quiet.properties').as_uri()}"
    options = (f"{name}={value}" for name, value in briefly.items())
    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    asked = (
        "dataflow",
        "--engine",
        "spark",
        "--dictionary",
        installation_of(6, tmp_path),
        "--no-store",
        "--output",
        tmp_path,
    )
    said = subprocess.run(
        [program, "--master", "local[1]", "--driver-java-options", quiet]
        + [word for option in options for word in ("--conf", option)]
        + [tmp_path / "job.py", *asked],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert said.stdout.splitlines() == [str(tmp_path / name) for name in ("graph.json", "graph.dot")]
    assert not re.search(" (INFO|WARN) ", said.stderr)
    assert " WARN " in (tmp_path / "spark.log").read_text()


@pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
@pytest.mark.parametrize(
    ("master", "why"), [("spark://127.0.0.1:{}", "refused"), ("spark://127.0.0.1", "no valid port")]
)
def test_a_master_that_does_not_answer_is_reported_before_spark_starts(master, why) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    with pytest.raises(ScannerError, match=why), spark_session({"spark.master": master.format(port)}):
        pass


@pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\0\0\0\0\0\0\0\x20\x09"]
)
def test_a_server_of_something_else_is_reported_before_spark_starts(answer: bytes) -> None:
    """Spark takes a minute to say that all masters are unresponsive; here the web page or a database has the port."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(100)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        master = f"spark://127.0.0.1:{server.getsockname()[1]}"

        with pytest.raises(ScannerError, match="not answer as a Spark master"), spark_session({"spark.master": master}):
            pass


@pytest.mark.parametrize("kind", [4, 5])
def test_a_master_answers_with_a_message_of_its_protocol(kind: int) -> None:
    """As Spark 4.3 does, with and without `spark.authenticate`: a failure, or a response."""
    ours, its = socket.socketpair()
    with ours, its:
        its.sendall(bytes([0, 0, 0, 0, 0, 0, 0, 20, kind]))

        assert _speaks_spark(ours)
        assert its.recv(100)[8] == 3


def test_the_reason_in_the_log_is_quoted_if_spark_stopped(tmp_path) -> None:
    log = tmp_path / "spark.log"
    log.write_text(
        "2026-11-28 13:51:01,477 WARN org.apache.spark.X: Failed to connect\n"
        "2026-11-28 13:51:41,471 ERROR org.apache.spark.Y: Application has been killed. Reason: All masters are"
        " unresponsive! Giving up.\n",
        "utf-8",
    )

    with pytest.raises(ScannerError, match="All masters are unresponsive"), translate_spark_errors(str(log), log):
        raise PySparkException("No active SparkContext.")


def test_the_reason_in_the_log_is_quoted_if_spark_did_not_start(tmp_path) -> None:
    """A master that Spark cannot parse, or YARN without its configuration."""
    log = tmp_path / "spark.log"
    log.write_text(
        "2026-11-30 16:43:44,635 WARN org.apache.spark.X: Set SPARK_LOCAL_IP if you need to\n"
        'Exception in thread "main" org.apache.spark.SparkException: Master must either be yarn or start with spark\n'
        "\tat org.apache.spark.deploy.SparkSubmit.error(SparkSubmit.scala:1068)\n",
        "utf-8",
    )

    with pytest.raises(ScannerError, match="Spark failed: Master must either be"), translate_spark_errors("x", log):
        raise PySparkException("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.")
