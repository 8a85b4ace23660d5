"""Where commands send events: options before cluster.json, and one target for all clusters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_api.openlineage import lines_file, transport_of
from scanner_extractor.config.loader import read_cluster_file
from scanner_model.errors import InputInvalid

CONFIG = {"connector.class": "com.acme.Source", "topic": "orders"}


def cluster(directory: Path, name: str, transport: object = None, **members: object):
    """Read a cluster.json that names a target of events."""
    target = {"openlineage": {"transport": transport}} if transport else {}
    file = directory / f"{name}.json"
    file.write_text(json.dumps({"cluster": name, "brokers": [f"{name}:9092"]} | target | members))
    return read_cluster_file(file, {}, ())


def test_option_wins_over_cluster_json(tmp_path) -> None:
    """And without either it is left to the library."""
    first = cluster(tmp_path, "one", {"type": "http", "url": "http://m:5000"})

    assert transport_of("http://other", None, None, (first,))["url"] == "http://other"
    assert transport_of(None, None, tmp_path / "e", (first,))["log_file_path"] == str(tmp_path / "e")
    assert transport_of(None, None, None, (first,)) == {"type": "http", "url": "http://m:5000"}
    assert transport_of(None, None, None, (cluster(tmp_path, "two"),)) is None


def test_clusters_must_agree(tmp_path) -> None:
    """One without a target agrees with any; an option overrides them."""
    transports = ({"type": "console"}, None, {"type": "console"}, {"type": "noop"})
    first, second, third, fourth = (cluster(tmp_path, f"c{n}", transport) for n, transport in enumerate(transports))

    assert transport_of(None, None, None, (first, second, third)) == {"type": "console"}
    assert transport_of("http://x", None, None, (first, fourth))
    with pytest.raises(InputInvalid) as error:
        transport_of(None, None, None, (first, second, fourth))
    assert ("c0.json" in error.value.where, "c3.json" in error.value.where) == (True, True)


@pytest.mark.parametrize(
    ("transport", "file"),
    [
        ({"type": "file", "log_file_path": "/a/e.ndjson", "append": True}, Path("/a/e.ndjson")),
        ({"type": "file", "log_file_path": "/a/e"}, None),
        ({"type": "file", "log_file_path": "s3://b/e", "append": True}, None),
        ({"type": "console"}, None),
        (None, None),
    ],
)
def test_only_an_appended_file_can_be_read_again(transport, file) -> None:
    """A monitor that was killed searches it for its last event."""
    assert lines_file(transport) == file


def test_monitor_sends_events_to_the_target_in_cluster_json(scanner, connect, tmp_path) -> None:
    """And finds its last event there when it is started again."""
    with connect.serving(
        connect.Connect(installation=(connect.Kept(name="cdc", kind="source", config=CONFIG),))
    ) as url:
        transport = {"type": "file", "log_file_path": "runs.ndjson", "append": True}
        file = cluster(tmp_path, "shop", transport, connect=[{"url": url}]).file
        line = ("monitor", "connect", "--config", file, "--once", "--state", tmp_path / "m.json")
        statuses = [scanner(*line).status for _ in range(2)]

    assert statuses == [0, 0]
    assert [json.loads(text)["eventType"] for text in (tmp_path / "runs.ndjson").read_text().splitlines()] == ["START"]
