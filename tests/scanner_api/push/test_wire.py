"""How calls of a push are sent: what counts as accepted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from push_world import settings

from scanner_api.push.aws import aws_exchange
from scanner_api.push.model import Batch, Call, Change, Ref
from scanner_api.push.wire import Wire
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.push import PushSettings
from scanner_model.errors import InputInvalid, PayloadUnexpected


class LoginPage(BaseHTTPRequestHandler):
    """Redirects what is written to a page to log in at, which answers 200."""

    def do_POST(self) -> None:
        self.send_response(303)
        self.send_header("Location", "/login")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture
def url() -> Iterator[str]:
    """Yield the address of the server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), LoginPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_redirected_write_is_not_taken_for_an_accepted_one(url: str) -> None:
    wire = Wire(PushSettings(target="datahub", http=HttpSettings(url=url)))
    change = Change(Ref("dataset", "x"), None, {})

    (error,) = wire.send([Batch((Call(method="POST", path=("entity",), body=[]),), (change,))])
    wire.close()

    assert isinstance(error, PayloadUnexpected)


def test_operation_that_an_old_boto3_lacks_is_named() -> None:
    datazone = settings("datazone", options={"region": "eu-central-1", "domain": "dzd_1"})
    wire = Wire(datazone, exchange=aws_exchange(datazone, object))
    call = Call(method="DELETE", path=("DeleteLineageEvent",), body={})

    (error,) = wire.send([Batch((call,), ())])

    assert isinstance(error, InputInvalid)
    assert "DeleteLineageEvent" in error.what
