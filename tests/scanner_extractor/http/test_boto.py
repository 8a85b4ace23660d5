"""Answers to boto3 are bounded as those of every other source."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from scanner_extractor.http.aws import AwsService, aws_transport
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import PayloadUnexpected, ScannerError

pytest.importorskip("boto3")
MOST = 1_000_000


@contextmanager
def serving(pieces: list[bytes], status: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for piece in [*pieces, b""]:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            except OSError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def answer(monkeypatch: pytest.MonkeyPatch, pieces: list[bytes], status: int = 200) -> Response:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    with serving(pieces, status) as url:
        service = AwsService(
            name="glue", region="eu-central-1", profile="", endpoint_url=url, member="glue", page="docs/sources/glue.md"
        )
        send = aws_transport(service, HttpSettings(url=url, max_bytes=MOST, read_timeout=5))
        return send(Request(method="POST", url="glue/ListRegistries", body="{}", source="glue"))


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    "pieces",
    [
        [b" " * 100_000] * 1_000,
        [b"{"] + [b'"a":1,' * 20_000] * 100,
        [b"[" * 100_000 + b"]" * 100_000],
        [b'{"Registries":' + b"[" * 500 + b"]" * 500 + b"}"],
        [b'{"a":' * 50_000 + b"1" + b"}" * 50_000],
    ],
    ids=["endless", "members", "deep lists", "levels", "deep objects"],
)
def test_an_answer_beyond_a_limit_is_refused(monkeypatch: pytest.MonkeyPatch, pieces: list[bytes], status: int) -> None:
    """botocore itself reads an answer of any length, and its parser ends with a RecursionError."""
    with pytest.raises(PayloadUnexpected, match=r"larger|too large"):
        answer(monkeypatch, pieces, status)


def test_an_ordinary_answer_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        answer(monkeypatch, [b'{"Registries":', b'[{"RegistryName":"a"}]}']).body
        == b'{"Registries": [{"RegistryName": "a"}]}'
    )


@pytest.mark.parametrize("pieces", [[b"<html>"], [b'{"Registries": 7}'], [b"7"], [b'"x"'], [b"\xff"]])
def test_another_answer_is_an_error_of_the_source(monkeypatch: pytest.MonkeyPatch, pieces: list[bytes]) -> None:
    with pytest.raises(ScannerError):
        answer(monkeypatch, pieces)
