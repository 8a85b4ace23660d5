"""Certificates on both sides, and the words for what goes wrong with connections."""

from __future__ import annotations

import errno
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import urllib3

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.responses import explain, is_final
from scanner_extractor.settings.cluster import HttpSettings, Tls
from scanner_model.errors import SourceUnreachable
from scanner_model.names import SourceId

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="certificates are made by the openssl program")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory) -> Path:
    """Build two self-signed certificates for 127.0.0.1, each its own CA."""
    directory = tmp_path_factory.mktemp("certificates")
    for name in ("server", "client"):
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
        files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{name}.key", "-out", f"{name}.pem"]
        subprocess.run([*command.split(), *files], cwd=directory, check=True, capture_output=True)
    return directory


class Silent(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"[1]")

    def log_message(self, *args):
        """Report nothing."""


@pytest.fixture
def tls_server(certificates):
    """Start an HTTPS server that wants a client certificate where told so; give its URL."""
    servers = []

    def start(*, mutual: bool = False) -> str:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
        if mutual:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(certificates / "client.pem")
        server = HTTPServer(("127.0.0.1", 0), Silent)
        server.handle_error = lambda *about: None
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"https://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def ask(url: str, tls: Tls):
    with Http(HttpSettings(url=url, tls=tls), SourceId("s"), clock=Clock(pause=lambda seconds: None)) as http:
        return http.get("x")


@needs_openssl
def test_private_ca_is_trusted_for_this_source(tls_server, certificates):
    """Company registries seldom have a public certificate."""
    assert ask(tls_server(), Tls(ca=certificates / "server.pem")) == [1]


@needs_openssl
def test_unknown_ca_is_refused_with_the_way_out(tls_server):
    """The hint names the setting."""
    with pytest.raises(SourceUnreachable) as caught:
        ask(tls_server(), Tls())

    assert "certificate is not trusted" in caught.value.what
    assert "tls.ca" in caught.value.hint


@needs_openssl
def test_check_of_the_certificate_can_be_switched_off(tls_server, certificates, monkeypatch):
    """For a trial; a CA bundle in the environment does not switch it on again."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificates / "client.pem"))

    assert ask(tls_server(), Tls(verify=False)) == [1]


@needs_openssl
def test_client_certificate_is_shown_to_a_server_that_wants_one(tls_server, certificates):
    """Mutual TLS."""
    tls = Tls(ca=certificates / "server.pem", certificate=certificates / "client.pem", key=certificates / "client.key")

    assert ask(tls_server(mutual=True), tls) == [1]


@needs_openssl
def test_missing_client_certificate_is_a_failure_with_a_reason(tls_server, certificates):
    """TLS 1.3 reports it only after the handshake."""
    with pytest.raises(SourceUnreachable) as caught:
        ask(tls_server(mutual=True), Tls(ca=certificates / "server.pem"))

    assert "tls" in caught.value.hint.lower() or "closed" in caught.value.what


def refused(cause: BaseException) -> urllib3.exceptions.MaxRetryError:
    """Wrap *cause* as the library does."""
    return urllib3.exceptions.MaxRetryError(None, "/", cause)


def tls_error(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, f"[SSL: {reason}] words")
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (refused(tls_error("WRONG_VERSION_NUMBER")), "it does not speak TLS on this port"),
        (refused(tls_error("TLSV13_ALERT_CERTIFICATE_REQUIRED")), "TLS failed: tlsv13 alert certificate required"),
        (refused(ssl.SSLEOFError(8, "EOF")), "it closed the connection during the TLS handshake"),
        (refused(OSError(errno.EHOSTUNREACH, "No route to host")), "the connection failed: no route to host"),
        (refused(ConnectionResetError(errno.ECONNRESET, "reset")), "it closed the connection without a response"),
        (urllib3.exceptions.ConnectTimeoutError(), "no connection within 5 seconds"),
        (urllib3.exceptions.ReadTimeoutError(None, "/", "slow"), "no response within 60 seconds"),
        (
            refused(urllib3.exceptions.ProxyError("no", OSError("Tunnel failed: 407"))),
            "the proxy did not let the request through",
        ),
        (
            refused(urllib3.exceptions.ProxyError("no", ConnectionRefusedError(errno.ECONNREFUSED, "refused"))),
            "the proxy in between cannot be reached: connection refused",
        ),
        (urllib3.exceptions.ProxySchemeUnknown("ftp"), "the address of the proxy cannot be used"),
        (urllib3.exceptions.InvalidHeader("bad"), "the connection failed"),
        (UnicodeEncodeError("latin-1", "ü", 0, 1, "no"), "its URL or a header cannot be sent"),
    ],
)
def test_reason_is_reported_in_plain_words(error, what):
    """No class, no object, no address of one."""
    told = explain(error, where="GET x", tries=2, settings=HttpSettings(url="http://x"))

    assert told.what == f"{what}, tried 2 times"
    assert told.hint


@pytest.mark.parametrize(
    ("error", "final"),
    [
        (urllib3.exceptions.ProtocolError("reset"), False),
        (urllib3.exceptions.ReadTimeoutError(None, "/", "slow"), False),
        (urllib3.exceptions.SSLError(ssl.SSLEOFError()), False),
        (urllib3.exceptions.SSLError(ssl.SSLCertVerificationError()), True),
        (urllib3.exceptions.LocationParseError("x"), True),
        (OSError("no such file"), True),
    ],
)
def test_only_what_may_pass_is_tried_again(error, final):
    """A wrong certificate does not mend itself in seven seconds."""
    assert is_final(error) is final
