"""What scanner sends, judged by the packages of vendors, each in an environment that is made once and kept.

Environments are in `~/.cache/scanner-vendor` (SCANNER_VENDOR_CACHE). Where pip reaches no package index, and the
environment is not there yet, the tests are skipped.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from datahub_server import DataHubServer
from google_lineage import GoogleLineage
from openmetadata_server import OpenMetadataServer
from push_world import settings
from unity_lineage import UnityLineage

import scanner_api
from scanner_api import Dictionary
from scanner_api.push.run import Network, push, undo_push
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.settings.push import IdentityRow, Schemas

Json = Any

HERE = Path(__file__).parent
RETAIL = HERE.parents[1] / "examples/retail"
CACHE = Path(
    os.environ.get("SCANNER_VENDOR_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scanner-vendor"
)

_INSTALLING = 300
"""Seconds that pip gets for a file of requirements."""


@cache
def environment(name: str) -> Path:
    """Return the Python of the environment of files of `requirements`; skips the test where it cannot be made.

    Packages in `NAME-alone.txt` are installed without what they require.
    """
    files = [file for part in (name, f"{name}-alone") if (file := HERE / "requirements" / f"{part}.txt").exists()]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8]
    place = CACHE / f"{name}-{sys.version_info.major}.{sys.version_info.minor}-{digest}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with CACHE.joinpath(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # workers of one run want the same environment at once
        if not place.exists():
            partial = place.with_name(f"{place.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", partial], check=True, capture_output=True)
            for file in files:
                install(partial, file)
            partial.rename(place)
    return place / "bin/python"


def install(place: Path, file: Path) -> None:
    """Install a file of requirements; skips the test, and removes the environment, where pip cannot."""
    options = ["--quiet", "--no-compile", *(["--no-deps"] if file.stem.endswith("-alone") else [])]
    command = [place / "bin/python", "-m", "pip", "install", *options, "--requirement", file]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_INSTALLING)
    except subprocess.TimeoutExpired:
        shutil.rmtree(place)
        pytest.skip(f"pip did not install {file.name} in {_INSTALLING} s; run again, `make test-all` runs this")
    if done.returncode:
        shutil.rmtree(place)
        last = next((line for line in reversed(done.stderr.splitlines()) if "ERROR" in line), done.stderr[-200:])
        pytest.skip(f"pip cannot install {file.name}: {last[:300]}; with a package index, `make test-all` runs this")


@pytest.fixture(scope="session")
def judged() -> Callable[[str, str, Json], list[str]]:
    """Return a function: an environment, a file of `judges` and what it gets → the problems that it reports."""

    def run(name: str, judge: str, given: Json) -> list[str]:
        command = [environment(name), "-P", HERE / "judges" / f"{judge}.py"]  # a judge is called as the package is
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
        last = done.stderr.strip().rpartition("\n")[2]
        if done.returncode and last.startswith("ModuleNotFoundError"):
            pytest.skip(f"the environment {name} is not complete ({last}): add the package to its requirements")
        assert done.returncode == 0, done.stderr[-3000:]
        problems: list[str] = json.loads(done.stdout.splitlines()[-1])
        return problems

    return run


@dataclass
class Recorder:
    """A fake *server* behind a transport that keeps requests and answers."""

    server: Any
    exchanges: list[Json] = field(default_factory=list)

    def answer(self, method: str, url: str, body: str | bytes = "") -> tuple[int, Json]:
        """Answer as the server does, and keep both."""
        status, answer = self.server.answer(method, url, body)
        given = json.loads(body) if body else None
        self.exchanges.append({"method": method, "url": url, "body": given, "status": status, "answer": answer})
        return status, answer

    def __call__(self, request: Request) -> Response:
        status, answer = self.answer(request.method, request.url, request.body)
        return Response(status=status, body=b"" if answer is None else json.dumps(answer).encode())


@pytest.fixture(scope="session")
def recording() -> type[Recorder]:
    """Return the class that keeps what a fake is asked and answers."""
    return Recorder


AVRO_TYPES = [
    *("boolean", "int", "long", "float", "double", "bytes", "string"),
    {"type": "long", "logicalType": "timestamp-millis"},
    {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
    {"type": "int", "logicalType": "date"},
    {"type": "long", "logicalType": "time-micros"},
    {"type": "string", "logicalType": "uuid"},
    {"type": "fixed", "name": "Digest", "size": 16},
    {"type": "enum", "name": "State", "symbols": ["A", "B"]},
    {"type": "array", "items": {"type": "record", "name": "Line", "fields": [{"name": "sku", "type": "string"}]}},
    {"type": "map", "values": "long"},
    ["null", "string", "long"],
    ["null", "Line"],
    "null",
]
PROTO = """
syntax = "proto3";
package shop.v1;
message Pay {
  oneof how { string iban = 1; Card card = 2; }
  repeated Card others = 3;
  map<string, Card> by_name = 4;
  sfixed64 at = 5;
  Pay next = 6;
  message Card { string last4 = 1; bytes seal = 2; uint32 turn = 3; }
}
"""
TABLE = {"namespace": "postgres://h:5432", "name": "shop.public.odd"}
LAKE = {"namespace": "unitycatalog://dbc.cloud.databricks.com", "name": "main.shop.Odd"}
FILE = {"namespace": "s3://bucket", "name": "odd/2026, a(b)"}


def odd_topics(*, is_later: bool) -> Json:
    """Return topics with columns of every type, and names and texts that an API may stumble over."""
    fields = [{"name": f"f{number}", "type": kind, "doc": f"№ {number}"} for number, kind in enumerate(AVRO_TYPES)]
    record = {"type": "record", "name": "Odd", "fields": fields[::-1][is_later:][::-1]}
    (types, proto) = ({"format": "AVRO", "file": "odd.avsc"}, {"format": "PROTOBUF", "file": "pay.proto"})
    columns = [{"name": "a.b", "tags": ["PII"], "doc": "two\nlines"}, "größe (cm), €", "x" * 300]
    return record, [
        {"name": "odd.types", "description": "later" if is_later else "All types.", "tags": ["gold"]}
        | {"partitions": 3, "schemas": [types, {"role": "key", "type": "string", "format": "TEXT"}]},
        {"name": "odd-names", "partitions": 1, "tags": ["silver"][:is_later], "schemas": [{"columns": columns}]},
        {"name": "pay", "partitions": 1, "schemas": [proto]},
        {"name": "odd.whole", "partitions": 1, "schemas": [{"type": "string", "format": "TEXT"}]},
    ]


def odd_flows(*, is_later: bool) -> Json:
    """Return flows between topics, tables and files, of columns and of whole datasets."""
    names = [{"from": "f6", "to": "`a.b`"}, {"from": "f14.[].sku", "to": "größe (cm), €"}]
    flows = [
        {"job": "names, (odd)", "description": "It does.", "from": "odd.types", "to": "odd-names", "columns": names},
        {"job": "whole", "from": "odd.types", "to": "odd.whole"},
        {"job": "load", "from": TABLE, "to": "odd.types", "columns": [{"from": "n", "to": "f2"}]},
        {"job": "lake", "from": "odd.types", "to": LAKE, "columns": [{"from": "f2", "to": "n"}]},
        {"job": "file", "from": "odd-names", "to": FILE},
    ]
    return flows[is_later:]


def scan_installation(directory: Path, dictionary: Dictionary, *, is_later: bool) -> None:
    """Scan the bundled example and a cluster of odd things, and generate the graph."""
    record, topics = odd_topics(is_later=is_later)
    owners = {"team-odd": ["odd*"], "Ann, (ann@example.org)": ["pay"]}
    manual = {"version": 1, "cluster": "odd", "topics": topics, "flows": odd_flows(is_later=is_later), "owners": owners}
    documents = {
        "odd.avsc": json.dumps(record),
        "pay.proto": PROTO,
        "manual.json": json.dumps(manual),
        "odd.json": json.dumps({"cluster": "odd", "brokers": ["o:9092"], "manual_input": ["manual.json"]}),
    }
    for name, text in documents.items():
        (directory / name).write_text(text, "utf-8")
    if not is_later:
        scanner_api.scan([RETAIL / "cluster.json"], dictionary, replay=RETAIL / "capture")
    scanner_api.scan([directory / "odd.json"], dictionary)
    scanner_api.generate(dictionary)


def openmetadata() -> OpenMetadataServer:
    """Return an OpenMetadata with a table, a tag and a team."""
    column = {"name": "n", "dataType": "INT", "fullyQualifiedName": "pg.shop.public.odd.n"}
    table = {"id": "id-t", "name": "odd", "columns": [column]}
    team = {"id": "8c9b7a1e-6a4f-4d1c-9a51-0a4c6f7f6d11", "name": "team-odd"}
    rows = {"tables": {"pg.shop.public.odd": table}, "tags": {"gold": {"id": "id-g"}, "silver": {"id": "id-s"}}}
    return OpenMetadataServer(entities={**rows, "teams": {"team-odd": team}})


TARGETS: dict[str, tuple[Callable[[], Any], Json]] = {
    "datahub": (DataHubServer, {"identity": (IdentityRow(namespace="kafka", instance="odd"),)}),
    "openmetadata": (openmetadata, {"identity": (IdentityRow(namespace="postgres", service="pg"),)}),
    "unity": (UnityLineage, {}),
    "google": (GoogleLineage, {"options": {"parent": "projects/acme/locations/eu"}}),
}


@pytest.fixture(scope="session")
def odd_and_retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return a dictionary of the bundled example and of odd things, with its graph."""
    directory = tmp_path_factory.mktemp("odd")
    dictionary = scanner_api.open_dictionary(directory / "d.db", create=True)
    scan_installation(directory, dictionary, is_later=False)
    return dictionary


@pytest.fixture(scope="session")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Json]]:
    """Return a function: a target → requests and answers of two pushes of what changes, and of undoing both."""

    def run(target: str) -> list[Json]:
        directory = tmp_path_factory.mktemp(target)
        dictionary = scanner_api.open_dictionary(directory / "d.db", create=True)
        build, options = TARGETS[target]
        recorder, runs = Recorder(build()), []
        network = Network(exchange=recorder, now=lambda: "2026-03-01T12:00:00+00:00", pause=lambda _: None)
        for is_later, schemas in ((False, Schemas.MISSING), (True, Schemas.ALL)):
            scan_installation(directory, dictionary, is_later=is_later)
            result = push(dictionary, settings(target, **options, schemas=schemas), network=network)
            assert (result.refused, result.stopped) == ([], None)
            runs.append(result.run)
        for number in reversed(runs):
            undone = undo_push(dictionary, settings(target, **options), number, network=network)
            assert (undone.refused, undone.stopped) == ([], None)
        return recorder.exchanges

    return run
