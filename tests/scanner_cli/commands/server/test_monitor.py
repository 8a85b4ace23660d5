"""`scanner openlineage monitor connect` as a command, and as a process that is killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

SCANNER = [sys.executable, "-c", "from scanner_cli.main import main; main()"]
CONFIG = {"connector.class": "com.acme.Source", "topic": "orders"}


def cluster(tmp_path: Path, *urls: str) -> Path:
    """Write a cluster.json with the Connect clusters at *urls*."""
    file = tmp_path / "cluster.json"
    connect = [{"name": f"c{number}", "url": url} for number, url in enumerate(urls)]
    file.write_text(json.dumps({"cluster": "shop", "brokers": ["k-1:9092"], "connect": connect}))
    return file


@pytest.fixture
def served(connect):
    """Serve a Connect cluster with one connector."""
    fake = connect.Connect(installation=(connect.Kept(name="cdc", kind="source", config=CONFIG),))
    with connect.serving(fake) as url:
        yield fake, url


def event_types(file: Path) -> list[str]:
    """Return the states of the events in *file*."""
    return [json.loads(line)["eventType"] for line in file.read_text().splitlines()] if file.exists() else []


def test_one_poll_for_a_scheduler(scanner, served, tmp_path) -> None:
    """Each call continues from the state of the last one."""
    fake, url = served
    line = ("monitor", "connect", "--config", cluster(tmp_path, url), "--once")
    outputs = ("--file", tmp_path / "runs.ndjson", "--state", tmp_path / "m.json")

    assert scanner(*line, *outputs).status == 0
    fake.installation = (replace(fake.installation[0], state="PAUSED"),)
    assert scanner(*line, *outputs).status == 0
    assert event_types(tmp_path / "runs.ndjson") == ["START", "COMPLETE"]


def test_one_process_watches_every_kind(scanner, served, ksql, flink, tmp_path) -> None:
    """With one state; each kind has a command of its own, which leaves the runs of the others open."""
    jobs = flink.Flink(jobs=(flink.job("a1", "nightly"),))
    with ksql.serving(ksql.Ksql()) as queries, flink.serving(jobs) as manager:
        config = cluster(tmp_path, served[1])
        document = json.loads(config.read_text())
        gateway = {"type": "sql-gateway", "url": "http://127.0.0.1:9"}
        document |= {"ksqldb": [{"url": queries}], "flink": [{"type": "jobmanager", "url": manager}, gateway]}
        config.write_text(json.dumps(document))
        outputs = ("--config", config, "--once", "--file", tmp_path / "runs.ndjson", "--state", tmp_path / "m.json")

        assert [scanner("monitor", kind, *outputs).status for kind in ("connect", "ksqldb", "flink", "all")] == [0] * 4
    assert event_types(tmp_path / "runs.ndjson") == ["START"] * 3


def test_cluster_of_confluent_cloud_is_found_first(scanner, cloud, tmp_path) -> None:
    """Its managed connectors are watched; a missing key is reported, and the command continues without that source."""
    connector = {
        "id": {"id": "lcc-9", "id_type": "ID"},
        "info": {"name": "to-lake", "type": "sink", "config": {"connector.class": "S3_SINK", "topics": "orders"}},
        "status": {"connector": {"state": "RUNNING", "worker_id": "to-lake", "trace": ""}, "tasks": []},
    }
    kafka_cluster = cloud.Cluster(id="lkc-1", connectors={"to-lake": connector})
    environment = cloud.Environment(id="env-a", clusters=(kafka_cluster,), pools=(("aws", "eu-1"),))
    organization = cloud.Cloud(environments=(environment,))
    outputs = ("--file", tmp_path / "runs.ndjson", "--state", tmp_path / "m.json", "--once")
    with cloud.serving(organization) as url:
        cloud_settings = {"url": url, "auth": {"basic": {"user": "K", "password": "S"}}, "cluster": "lkc-1"}
        (tmp_path / "cluster.json").write_text(json.dumps({"cluster": "shop", "confluent_cloud": cloud_settings}))
        result = scanner("monitor", "all", "--config", tmp_path / "cluster.json", *outputs)

    assert (result.status, event_types(tmp_path / "runs.ndjson")) == (0, ["START"]), result.err
    assert "warning: flink:" in result.err


def test_cluster_without_a_server_of_the_kind_is_the_users_to_mend(scanner, served, tmp_path) -> None:
    """There is nothing to poll; the message names what to add."""
    for kind in ("ksqldb", "flink"):
        result = scanner("monitor", kind, "--config", cluster(tmp_path, served[1]), "--once", "--file", tmp_path / "x")

        assert (result.status, f"names no server of {kind}" in result.err, f"add `{kind}`" in result.err) == (
            2,
            True,
            True,
        )


def test_worker_that_does_not_answer_is_partial(scanner, connect, tmp_path) -> None:
    """It is reported, and the other cluster is polled."""
    with connect.serving(connect.Connect(installation=(connect.Kept(name="cdc", config=CONFIG),))) as url:
        config = cluster(tmp_path, "http://127.0.0.1:9", url)
        file = tmp_path / "runs.ndjson"
        result = scanner("monitor", "connect", "--config", config, "--once", "--file", file, "--state", tmp_path / "m")

    assert result.status == 3
    assert "the state of its jobs is unknown" in result.err
    assert event_types(file) == ["START"]


def test_catalog_that_is_away_leaves_events_in_the_state(scanner, served, tmp_path) -> None:
    """They are delivered by the next call, wherever it sends them; the library does not try for long itself."""
    line = ("monitor", "connect", "--config", cluster(tmp_path, served[1]), "--once", "--state", tmp_path / "m.json")
    away = scanner(*line, "--url", "http://127.0.0.1:9", "--token", "hidden-word")

    assert away.status == 3
    assert "1 events are pending" in away.err
    assert "hidden-word" not in away.err + (tmp_path / "m.json").read_text()
    assert scanner(*line, "--file", tmp_path / "runs.ndjson").status == 0
    assert event_types(tmp_path / "runs.ndjson") == ["START"]


def test_event_that_the_catalog_refuses_is_put_aside(scanner, served, tmp_path) -> None:
    """In a file beside the state, with the reason."""

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_error(422, "no such job")

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    catalog = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=catalog.serve_forever, args=(0.01,), daemon=True).start()
    line = ("monitor", "connect", "--config", cluster(tmp_path, served[1]), "--once", "--state", tmp_path / "m.json")
    result = scanner(*line, "--url", f"http://127.0.0.1:{catalog.server_port}")
    catalog.shutdown()
    catalog.server_close()

    assert result.status == 3
    assert "1 refused" in result.err
    rejected = json.loads((tmp_path / "m.json.rejected.ndjson").read_text())
    assert rejected["event"]["eventType"] == "START"


def test_signal_ends_the_loop(scanner, served, tmp_path) -> None:
    """What waits is delivered first; the program's own handlers are back afterwards."""
    file = tmp_path / "runs.ndjson"

    def end() -> None:
        until(tmp_path, "START")
        os.kill(os.getpid(), signal.SIGINT)

    ender = threading.Thread(target=end)
    ender.start()
    before = signal.getsignal(signal.SIGTERM)
    outputs = ("--file", file, "--state", tmp_path / "m.json")
    result = scanner("monitor", "connect", "--config", cluster(tmp_path, served[1]), "--interval", "0.1", *outputs)
    ender.join()

    assert (result.status, event_types(file)) == (0, ["START"])
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (("--file", "no/dir/runs.ndjson"), "--file"),
        (("--state", "no/dir/m.json", "--file", "x"), "--state"),
        (("--file", "x", "--url", "http://c"), "--url, --file"),
        (("--url", "ftp://c"), "--url"),
    ],
)
def test_invalid_options_are_usage_errors(scanner, served, tmp_path, monkeypatch, options, where) -> None:
    """Before any request."""
    monkeypatch.chdir(tmp_path)
    result = scanner("monitor", "connect", "--config", cluster(tmp_path, served[1]), "--once", *options)

    assert result.status == 2
    assert where in result.err
    assert served[0].asked == []


def test_cluster_without_connect_is_invalid(scanner, tmp_path) -> None:
    """And so is a file that is none."""
    for file in (cluster(tmp_path), tmp_path / "nothing.json"):
        result = scanner("monitor", "connect", "--config", file, "--once", "--file", tmp_path / "x")
        assert (result.status, "nect" in result.err or "nothing.json" in result.err) == (2, True)


def started(tmp_path: Path, url: str) -> subprocess.Popen[str]:
    """Start a monitor that polls as often as it may."""
    line = [*SCANNER, "monitor", "connect", "--config", str(cluster(tmp_path, url)), "--interval", "0.1"]
    outputs = ["--file", str(tmp_path / "runs.ndjson"), "--state", str(tmp_path / "m.json")]
    return subprocess.Popen([*line, *outputs], stderr=subprocess.PIPE, text=True, cwd=tmp_path)


def until(tmp_path: Path, *states: str) -> None:
    """Wait until *states* are emitted; raises AssertionError where they are not, or others are."""

    def emitted() -> bool:
        types = event_types(tmp_path / "runs.ndjson")
        assert types == list(states)[: len(types)]
        return types == list(states)

    wait_until(emitted)


@pytest.mark.process
def test_monitor_that_is_killed_continues_from_its_state(served, tmp_path) -> None:
    """No START twice, and no end lost: changes in between are emitted when it is back."""
    fake, url = served
    connector = fake.installation[0]
    first = started(tmp_path, url)
    until(tmp_path, "START")
    requests = len(fake.asked)
    wait_until(lambda: len(fake.asked) >= requests + 3)
    first.send_signal(signal.SIGKILL)
    first.wait(PATIENCE)

    second = started(tmp_path, url)
    requests = len(fake.asked)
    wait_until(lambda: len(fake.asked) >= requests + 3)
    second.send_signal(signal.SIGKILL)
    second.wait(PATIENCE)
    assert event_types(tmp_path / "runs.ndjson") == ["START"]

    fake.installation = ()
    third = started(tmp_path, url)
    until(tmp_path, "START", "COMPLETE")
    fake.installation = (connector,)
    until(tmp_path, "START", "COMPLETE", "START")
    third.send_signal(signal.SIGTERM)

    assert third.wait(PATIENCE) == 0
    assert "0 refused" in third.stderr.read()
    runs = [json.loads(line)["run"]["runId"] for line in (tmp_path / "runs.ndjson").read_text().splitlines()]
    assert (runs[0] == runs[1], runs[1] == runs[2]) == (True, False)


@pytest.mark.process
def test_event_that_was_added_when_the_monitor_was_killed_is_not_added_again(scanner, served, tmp_path) -> None:
    """The file has the event, the state not yet: that is usual where it is killed as soon as the line appears."""
    first = started(tmp_path, served[1])
    wait_until(lambda: event_types(tmp_path / "runs.ndjson"))
    first.send_signal(signal.SIGKILL)
    first.wait(PATIENCE)

    outputs = ("--file", tmp_path / "runs.ndjson", "--state", tmp_path / "m.json")
    result = scanner("monitor", "connect", "--config", tmp_path / "cluster.json", "--once", *outputs)
    assert (result.status, event_types(tmp_path / "runs.ndjson")) == (0, ["START"])


@pytest.mark.process
def test_second_monitor_does_not_start_and_ctrl_c_ends_the_first(served, tmp_path) -> None:
    """Two monitors would emit everything twice."""
    first = started(tmp_path, served[1])
    until(tmp_path, "START")
    second = started(tmp_path, served[1])

    assert second.wait(PATIENCE) == 2
    assert "another monitor uses it" in second.stderr.read()
    first.send_signal(signal.SIGINT)
    assert first.wait(PATIENCE) == 0


@pytest.mark.process
def test_monitor_ends_soon_while_the_catalog_is_away(served, tmp_path) -> None:
    """Without endless retries: its caller kills it after some seconds; pending events are in the state."""
    paths: list[str] = []

    class HangingUp(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)

    catalog = ThreadingHTTPServer(("127.0.0.1", 0), HangingUp)
    threading.Thread(target=catalog.serve_forever, args=(0.01,), daemon=True).start()
    line = [*SCANNER, "monitor", "connect", "--config", str(cluster(tmp_path, served[1])), "--state", "m.json"]
    line += ["--url", f"http://127.0.0.1:{catalog.server_port}"]
    away = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    for line in away.stderr:
        if "1 events are pending" in line:
            break
    before = len(paths)
    away.send_signal(signal.SIGTERM)

    assert away.wait(PATIENCE) == 3
    assert 1 <= before <= len(paths) <= before + 2
    catalog.shutdown()
    catalog.server_close()
