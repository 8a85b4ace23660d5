"""Spark Connect: a real server of the installed PySpark, whose workers have the libraries and no scanner."""

import os
import shutil
import site
import socket
import sqlite3
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from waiting import wait_until

from dataflow_generator.spark.connect import connect
from dataflow_generator.spark.session import change_settings, masked_address, translate_spark_errors
from scanner_model.errors import InputInvalid, ScannerError

EXTRA = "{} is not installed; pip install 'kafka-lineage-scanner[spark-connect]' runs this"
RETAIL = Path(__file__).parents[3] / "examples" / "retail"
PROGRAM = "import sys; from scanner_cli.main import main; sys.exit(main())"


@pytest.fixture(scope="module", autouse=True)
def _packages():
    """Skip where the client's packages are missing."""
    for package in ("pyspark", "grpc_status", "google.rpc", "zstandard"):
        pytest.importorskip(package, reason=EXTRA.format(package))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start a server on a free port; gives its address."""
    import pyspark

    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java on this machine; Java 17 runs this")
    directory = tmp_path_factory.mktemp("server")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    process = subprocess.Popen(
        [
            Path(pyspark.__file__).parent / "bin" / "spark-submit",
            *("--master", "local[2]", "--driver-memory", "1g"),
            *(word for name, value in settings.items() for word in ("--conf", f"{name}={value}")),
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"),
        ],
        cwd=directory,
        env={**os.environ, "PYSPARK_PYTHON": str(python_of_libraries(directory / "python"))},
        stdout=(directory / "log").open("wb"),
        stderr=subprocess.STDOUT,
    )
    try:
        wait_for(port, process)
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def python_of_libraries(directory):
    """Build a Python that has what is installed for this one, save what is installed as a link to its sources."""
    venv.create(directory, symlinks=True)
    (packages,) = directory.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    return directory / "bin" / "python"


def wait_for(port, process):
    def listens() -> bool:
        assert process.poll() is None, "the Spark Connect server did not start"
        with socket.socket() as asked:
            return asked.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens)


def run(*words, cwd):
    """Run a command as people do: in a process of its own, which ends with its session."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", PROGRAM, *words], cwd=cwd, env=environment, capture_output=True)


def files(directory):
    return {file.name: file.read_bytes() for file in directory.glob("graph.*") if file.is_file()}


def rows(file):
    """Return the rows of a dictionary, save when they were written; indexes of a table are created in any order."""
    with sqlite3.connect(file) as conn:
        found = [line for line in conn.iterdump() if not line.startswith(('INSERT INTO "scan', "CREATE INDEX"))]
    conn.close()
    return found


@pytest.mark.spark
@pytest.mark.xdist_group("spark-connect")
def test_a_server_makes_the_graph_that_is_made_here(server, installation_of, tmp_path) -> None:
    """Into files, as Parquet and into the dictionary, which is named as seen from here; no line reports of Spark."""
    installation_of(6, tmp_path)
    asked = ("dataflow", "--dictionary", "installation-6.db", "--format", "json", "--format", "dot")
    here = run(*asked, "--output", "here", "--engine", "local", cwd=tmp_path)
    there = run(*asked, "--output", "there", "--format", "parquet", "--store", "--spark-remote", server, cwd=tmp_path)
    read = run("export", "--graph", "there", "-o", "read.json", cwd=tmp_path)
    stored = run("export", "--dictionary", "installation-6.db", "-o", "stored.json", cwd=tmp_path)

    assert [each.returncode for each in (here, there, read, stored)] == [0] * 4
    assert files(tmp_path / "there") == files(tmp_path / "here") != {}
    expected = (tmp_path / "here" / "graph.json").read_bytes()
    assert [(tmp_path / f"{name}.json").read_bytes() for name in ("read", "stored")] == [expected] * 2
    assert b"WARN" not in there.stderr


@pytest.mark.spark
@pytest.mark.xdist_group("spark-connect")
def test_a_server_reads_the_schemas_that_are_read_here(server, tmp_path) -> None:
    """Texts go to its workers with our code, and columns come back."""
    asked = ("extract", "--config", str(RETAIL / "cluster.json"), "--replay", str(RETAIL / "capture"))
    here = run(*asked, "--dictionary", "here.db", cwd=tmp_path)
    there = run(*asked, "--dictionary", "there.db", "--spark-remote", server, "--engine", "spark", cwd=tmp_path)

    assert (here.returncode, there.returncode) == (0, 0)
    assert rows(tmp_path / "there.db") == rows(tmp_path / "here.db")


@pytest.mark.spark
@pytest.mark.xdist_group("spark-connect")
def test_what_a_server_cannot_do_is_reported_in_one_line(server, installation_of, tmp_path) -> None:
    """With the address that was queried, without its token and without a trace."""
    installation_of(6, tmp_path)
    asked = ("dataflow", "--dictionary", "installation-6.db", "--spark-remote", f"{server}/;user_id=hidden-word")
    said = run(*asked, "--spark-conf", "spark.driver.memory=2g", cwd=tmp_path)

    assert said.returncode == 2
    assert said.stderr.count(b"\n") == 2
    assert b"--spark-conf spark.driver.memory: refused by the server" in said.stderr
    assert b"hidden-word" not in said.stderr


@pytest.mark.parametrize(
    "remote", ["db:1", "sc://", "sc://host:port", "sc://h:1/;token=hidden-word;x", "sc://h:1/hidden-word"]
)
def test_what_is_no_address_of_a_server_is_refused(remote) -> None:
    """And not quoted, because it may hold a token. PySpark itself takes some of these for a place to start Spark."""
    with pytest.raises(InputInvalid) as refused:
        connect("test", {}, remote)

    assert refused.value.where == "--spark-remote"
    assert "hidden-word" not in str(refused.value)


def test_a_server_that_is_not_there_is_reported_at_once() -> None:
    """PySpark by itself tries for ten minutes."""
    with pytest.raises(ScannerError, match="no Spark Connect server responds") as failed:
        connect("test", {}, "sc://127.0.0.1:1/;user_id=hidden-word")

    assert failed.value.where == "--spark-remote sc://127.0.0.1:1"


def test_a_server_that_went_away_is_reported_in_the_words_of_the_network() -> None:
    """The last line of what its client says is a bracket."""
    from pyspark.errors import PySparkException

    said = '<_Rendezvous of RPC that terminated with:\n\tstatus = UNAVAILABLE\n\tdetails = "nobody there"\n>'
    with pytest.raises(ScannerError, match="Spark failed: nobody there"), translate_spark_errors("sc://h:1"):
        raise PySparkException(said)


def test_a_server_keeps_its_own_master() -> None:
    """It would be taken, and change nothing."""
    with pytest.raises(InputInvalid, match="its own master"):
        change_settings(None, {"spark.master": "local[1]"})


def test_a_setting_that_a_server_refuses_is_reported_with_its_reason() -> None:
    """A job would run without it, and nobody know."""
    from pyspark.errors import PySparkException

    taken: dict[str, str] = {}

    class Session:
        """A session, and what is set in it."""

        @property
        def conf(self):
            return self

        def set(self, name, value):
            if name == "spark.driver.memory":
                raise PySparkException("[CANNOT_MODIFY_CONFIG] Cannot modify it. SQLSTATE: 46110\nJVM stacktrace:")
            taken[name] = value

    with pytest.raises(InputInvalid, match=r"refused by the server: \[CANNOT_MODIFY_CONFIG\] Cannot modify it\. \("):
        change_settings(Session(), {"spark.sql.ansi.enabled": "false", "spark.driver.memory": "2g"})
    assert taken == {"spark.sql.ansi.enabled": "false"}


def test_the_place_of_a_server_is_reported_without_its_parameters() -> None:
    """They hold a token."""
    assert masked_address("sc://user:hidden-word@h:1/;token=hidden-word") == "sc://h:1"
    assert masked_address("") == ""
