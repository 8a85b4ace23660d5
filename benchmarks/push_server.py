"""A catalog that takes 20 ms a request, in a process of its own: `python push_server.py TARGET FILE`.

It answers as the fakes of the tests do, and writes its port, then after each request the number of requests, into FILE.
"""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fakes"))

from aws_push import DataZoneEvents, GlueTables
from datahub_server import DataHubServer
from google_lineage import GoogleLineage
from openmetadata_server import OpenMetadataServer
from push_world import settings
from unity_lineage import UnityLineage


class _Glue:
    """Glue behind the requests of boto3; it has every table that it is asked for."""

    def __init__(self) -> None:
        self._tables = GlueTables(settings=settings("glue"))

    def answer(self, method: str, path: str, body: str) -> tuple[int, Any]:
        """Answer an operation, which is UpdateTable where it brings a table."""
        del method, path
        given = json.loads(body)
        name = given.get("TableInput", given)["Name"]
        table = {"Name": name, "DatabaseName": given["DatabaseName"], "CatalogId": given["CatalogId"]}
        self._tables.tables.setdefault(
            f"{given['DatabaseName']}/{name}", {**table, "CreateTime": 1_767_225_600, "VersionId": "1"}
        )
        return 200, self._tables("UpdateTable" if "TableInput" in given else "GetTable", given)


class _DataZone:
    """DataZone behind the requests of boto3: the body is the event."""

    def __init__(self) -> None:
        self._events = DataZoneEvents(settings=settings("datazone"))

    def answer(self, method: str, path: str, body: str) -> tuple[int, Any]:
        """Answer PostLineageEvent."""
        del method
        return 200, self._events("PostLineageEvent", {"event": body, "domainIdentifier": path.split("/")[3]})


SERVERS = {
    "datahub": DataHubServer,
    "datazone": _DataZone,
    "glue": _Glue,
    "google": GoogleLineage,
    "openmetadata": OpenMetadataServer,
    "unity": UnityLineage,
}
_SECONDS = 0.02


class _Catalog(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, target: str) -> None:
        self.catalog: Any = SERVERS[target]()
        self.requests: dict[str, int] = {}
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Catalog

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/count":
            status, answer = 200, self.server.requests
        else:
            self.server.requests[self.command] = self.server.requests.get(self.command, 0) + 1
            started = time.perf_counter()
            status, answer = self.server.catalog.answer(self.command, self.path, body)
            time.sleep(max(0.0, _SECONDS - (time.perf_counter() - started)))
        text = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - named by http.server

    def log_message(self, *_: object) -> None:
        """Write no log."""


if __name__ == "__main__":
    server = _Catalog(sys.argv[1])
    Path(sys.argv[2]).write_text(str(server.server_port), encoding="utf-8")
    server.serve_forever()
