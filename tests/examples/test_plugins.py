"""The package in examples/plugins, installed beside scanner: all four plug-ins through the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugins"
BROKEN = {
    "scanner.naming_strategies": {"broken-strategy": "broken_kit:strategy"},
    "scanner.schema_formats": {"BROKEN_FORMAT": "broken_kit:fields"},
    "scanner.registries": {"broken-registry": "broken_kit:read"},
    "scanner.catalogs": {"broken-catalog": "no_such_module_here:read"},
    "scanner.connectors": {"com.broken.SinkConnector": "broken_kit:sink"},
}


class Quiet(SimpleHTTPRequestHandler):
    """Serves a directory and writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


def install(site: Path, name: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    """Write what an installer writes for a package: its name, its version and its entry points."""
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = [line for group, rows in entry_points.items() for line in (f"[{group}]", *map(" = ".join, rows.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example, and a package of which nothing can be loaded."""
    site = tmp_path_factory.mktemp("plugins")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(EXAMPLE / "acme_scanner_plugins", site / "acme_scanner_plugins")
    install(site, project["name"], project["entry-points"])
    install(site, "broken-kit", BROKEN)
    (site / "broken_kit.py").write_text("raise RuntimeError('no licence')\n", encoding="utf-8")
    return site


@pytest.fixture(scope="module")
def index() -> Iterator[str]:
    """Serve the index of the example's registry."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(EXAMPLE))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def scanner(site: Path, index: str) -> Run:
    """Return a function that runs the command beside the installed packages."""

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": f"{site}{os.pathsep}{EXAMPLE.parents[1]}", "ACME_INDEX": index}
        command = [sys.executable, "-c", "from scanner_cli.entry import main; main()", *map(str, words)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)

    return run


def cluster_file(directory: Path, registries: list[dict[str, Any]]) -> Path:
    file = directory / "cluster.json"
    file.write_text(json.dumps({"cluster": "acme", "brokers": ["k:1"], "schema_registries": registries}), "utf-8")
    return file


def test_explain_knows_strategy_format_and_connector(scanner: Run) -> None:
    """Whoever writes a plug-in tries it there first."""
    subject = scanner("explain", "subject", "shop/orders/value", "--strategy", "acme-path", "--format", "json")
    schema = scanner("explain", "schema", EXAMPLE / "orders.csv", "--type", "csv_header", "--format", "json")
    connector = scanner("explain", "connector", EXAMPLE / "orders-to-nats.json")

    assert json.loads(subject.stdout)[0]["chosen"]["topic"] == "shop.orders"
    assert [column["name"] for column in json.loads(schema.stdout)["columns"]] == ["id", "customer", "note"]
    assert "nats://nats-1:4222 events.shop.orders" in connector.stdout


def test_check_tries_the_registry_and_loads_every_plug_in(scanner: Run) -> None:
    """A broken package is found before a scan is; status 3 says so."""
    checked = scanner("check", "--config", EXAMPLE / "cluster.json", "--format", "json")

    rows = {(row["source"].partition(":")[2], row["tried"]): row for row in json.loads(checked.stdout)}
    loaded = {tried: row["answer"] for (package, tried), row in rows.items() if package == "acme-scanner-plugins"}
    broken = [row for (package, _), row in rows.items() if package == "broken-kit"]
    assert next(row["detail"] for (_, tried), row in rows.items() if tried == "read the index") == "3 versions"
    assert (len(loaded), set(loaded.values())) == (5, {"ok"})
    assert len(broken) == 5
    assert all("broken-kit scanner." in row["detail"] and "uninstall" in row["hint"] for row in broken)
    assert checked.returncode == 3


def test_extract_stores_columns_that_only_plug_ins_can_read(scanner: Run, tmp_path: Path) -> None:
    """Registry, format and strategy, in one scan; a broken package that nobody uses is not in the way."""
    dictionary = f"sqlite:///{tmp_path / 'dictionary.db'}"
    extracted = scanner("extract", "--config", EXAMPLE / "cluster.json", "--dictionary", dictionary, "--quiet")
    process = scanner(
        "query", "--broker", "localhost:9092", "--topic", "shop.orders", "--dictionary", dictionary, "--format", "json"
    )

    assert (extracted.returncode, extracted.stderr) == (0, "")
    assert all(f'"{name}"' in process.stdout for name in ("shop/orders/value", "CSV_HEADER", "customer", "acme-path"))


def test_options_are_validated_by_the_schema_of_the_plug_in(scanner: Run, tmp_path: Path) -> None:
    """With line and path, as the rest of cluster.json."""
    wrong = {"type": "acme-index", "url": "http://127.0.0.1:9", "options": {"prefix": 7, "indx": "i"}}
    lacking = {"type": "acme-index", "url": "http://127.0.0.1:8"}
    ours = {"type": "confluent", "url": "http://127.0.0.1:7", "options": {}}
    checked = scanner("check", "--config", cluster_file(tmp_path, [wrong, lacking, ours]))

    assert checked.returncode == 2
    for words in ("options.prefix", "'indx'", "'index' is missing", "'options' is not for type confluent"):
        assert words in checked.stdout + checked.stderr


def test_broken_plug_in_costs_only_itself(scanner: Run, index: str, tmp_path: Path) -> None:
    """Its registry is unavailable and its strategy proposes nothing; the other registry is stored."""
    working = json.loads((EXAMPLE / "cluster.json").read_text("utf-8"))["schema_registries"][0] | {"url": index}
    working["naming"] = {"strategies": ["broken-strategy", "acme-path"]}
    file = cluster_file(tmp_path, [{"type": "broken-registry", "url": "http://127.0.0.1:9"}, working])
    extracted = scanner("extract", "--config", file, "--dictionary", f"sqlite:///{tmp_path / 'd.db'}")

    assert extracted.returncode == 3
    assert "1 topics, 2 subjects" in extracted.stderr
    for plugin in ("scanner.registries:broken-registry", "scanner.naming_strategies:broken-strategy"):
        assert f"broken-kit {plugin}" in extracted.stderr
    assert "RuntimeError: no licence" in extracted.stderr


def test_explain_names_the_package_of_a_broken_plug_in(scanner: Run, tmp_path: Path) -> None:
    """And shows what can be read without it."""
    connector = tmp_path / "broken.json"
    connector.write_text(json.dumps({"connector.class": "com.broken.SinkConnector", "topics": "orders"}), "utf-8")
    explained = scanner("explain", "connector", connector)
    schema = scanner("explain", "schema", EXAMPLE / "orders.csv", "--type", "broken_format")

    assert "orders" in explained.stdout
    assert "com.broken.SinkConnector" in explained.stderr
    assert "uninstall the package broken-kit" in explained.stderr
    assert schema.returncode == 2
    assert "broken-kit scanner.schema_formats:BROKEN_FORMAT" in schema.stderr
