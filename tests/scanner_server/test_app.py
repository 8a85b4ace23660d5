"""The application: access, health, a dictionary that breaks and comes back, figures, pages."""

from __future__ import annotations

import base64
import sqlite3
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import scanner_api
from scanner_model.errors import DictionaryUnusable, InputInvalid
from scanner_server.app import Parts
from scanner_server.metrics import DictionaryFigures, Figures
from scanner_server.options import ServerOptions
from scanner_server.security import is_own_host

STATE = "/api/v1/state"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "localhost.evil.example", "[::1", "a b", "@localhost"]
)
def test_a_foreign_host_is_refused(session_client, host) -> None:
    """A name of an attacker may resolve to this machine: a browser would let his page read the answers."""
    assert session_client.get(STATE, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:8080", "10.1.2.3"])
def test_localhost_and_addresses_are_own_hosts(host) -> None:
    """An address cannot be made to resolve elsewhere."""
    assert is_own_host(host, frozenset())


def test_a_named_host_is_allowed(retail, client_of) -> None:
    """A machine may have a name."""
    client = client_of(retail, ServerOptions(hosts=frozenset({"scanner.internal"})))

    assert client.get(STATE, headers={"host": "scanner.internal:8080"}).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.1", "scanner.internal", "::"])
def test_an_address_that_others_reach_needs_a_token(host) -> None:
    """The dictionary names everything that an installation has."""
    with pytest.raises(InputInvalid, match="without a token"):
        ServerOptions(host=host)
    assert ServerOptions(host=host, token="t").host == host


def test_with_a_token_nothing_is_answered_without_it(retail, client_of) -> None:
    """Only the health of the process is for everybody."""
    client = client_of(retail, ServerOptions(token="secret"))
    basic = base64.b64encode(b"anyone:secret").decode()
    authorizations = {
        "": 401,
        "Bearer secret": 200,
        "bearer secret": 200,
        "Bearer wrong": 401,
        "Bearer sécret": 401,
        "secret": 401,
        f"Basic {basic}": 200,
        "Basic !!!": 401,
    }
    given = {
        text: client.get(STATE, headers={"authorization": text.encode()} if text else {}).status_code
        for text in authorizations
    }

    assert given == authorizations
    assert {path: client.get(path).status_code for path in ("/health", "/ready", "/", "/mcp", "/metrics")} == {
        "/health": 200,
        "/ready": 200,
        "/": 401,
        "/mcp": 401,
        "/metrics": 401,
    }
    assert "Bearer" in client.get(STATE).headers["www-authenticate"]


def test_with_a_token_any_host_is_allowed(retail, client_of) -> None:
    """A page of another site does not know the token."""
    client = client_of(retail, ServerOptions(token="secret"))

    headers = {"host": "scanner.example", "authorization": "Bearer secret"}
    assert client.get(STATE, headers=headers).status_code == 200


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}])
def test_a_page_of_another_site_cannot_post(session_client, headers) -> None:
    """A browser sends such requests with the user's password."""
    assert session_client.post("/mcp", headers=headers, json={}).status_code == 403


def test_every_response_forbids_what_the_page_does_not_need(session_client) -> None:
    """Names in the dictionary are strangers' texts."""
    for path in ("/", "/topic", STATE, "/nothing", "/metrics"):
        headers = session_client.get(path).headers
        policy = headers["content-security-policy"]

        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe-eval" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_a_broken_dictionary_gives_503_and_recovers(own_retail, client_of) -> None:
    """The server is not restarted when a file is replaced."""
    client = client_of(own_retail)
    file = Path(own_retail.url)
    assert client.get("/ready").status_code == 200

    kept = file.read_bytes()
    file.unlink()
    file.write_bytes(b"no dictionary" * 100)
    broken = client.get("/api/v1/search?q=orders")
    file.unlink()
    file.write_bytes(kept)

    assert broken.status_code == 503
    assert broken.headers["retry-after"]
    assert client.get("/api/v1/search?q=orders").status_code == 200


def test_a_dictionary_that_is_not_there_yet_is_served_when_it_is(tmp_path, retail_file, client_of) -> None:
    """The first scan may run while the server starts."""
    file = tmp_path / "later.db"
    client = client_of(scanner_api.Dictionary(str(file)))
    before = client.get("/ready")
    file.write_bytes(retail_file.read_bytes())

    assert (before.status_code, before.json()["detail"]) == (503, "the dictionary does not exist")
    assert client.get("/ready").status_code == 200
    assert client.get("/health").json() == {"status": "ok", "problems": []}


def test_a_scan_in_progress_blocks_no_reader(own_retail, client_of) -> None:
    """A scan of a large installation writes for minutes."""
    client = client_of(own_retail)
    client.get(STATE)
    with sqlite3.connect(own_retail.url, isolation_level=None, timeout=0) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE topic SET description = 'half of a scan'")
        writer.execute("PRAGMA cache_spill = 1")
        answer = client.get("/api/v1/topics?limit=1")
        writer.execute("ROLLBACK")

    assert answer.status_code == 200
    assert answer.json()["items"][0]["description"] != "half of a scan"


def test_metrics_are_in_prometheus_text_format(session_client) -> None:
    """Every line is a comment or a sample; no topic is named, as there are too many."""
    session_client.get("/api/v1/clusters/retail/topics/nothing")
    answer = session_client.get("/metrics")
    samples = [line for line in answer.text.splitlines() if not line.startswith("#")]

    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'scanner_topics{cluster="retail"} 31' in samples
    assert any(line.startswith('scanner_source_up{cluster="retail",source="kafka:') for line in samples)
    assert any('operation="describe_topic",status="404"' in line for line in samples)
    assert all(float(line.rpartition(" ")[2]) >= 0 for line in samples)
    assert "orders" not in answer.text


def test_metrics_wait_for_no_dictionary(retail) -> None:
    """A server of a database may hang: then there are no figures of it, and those of the process go on."""
    may_end, begun = threading.Event(), threading.Event()

    class Hanging:
        @contextmanager
        def reading(self):
            begun.set()
            may_end.wait(30)
            raise DictionaryUnusable("it is gone")
            yield

    hanging = DictionaryFigures(Hanging())
    hanging.start()
    text = Figures(dictionary=hanging, requests={("search", 503): 2}).text()
    assert begun.is_set()
    hanging.end()
    may_end.set()
    known = DictionaryFigures(retail)
    known.read()

    assert "\nscanner_dictionary_up 0\n" in text
    assert "scanner_topics" not in text
    assert 'scanner_http_requests_total{operation="search",status="503"} 2' in text
    assert "\nscanner_dictionary_up 1\n" in Figures(dictionary=known).text()


def test_problems_of_scans_make_the_health_degraded(retail, client_of) -> None:
    """Whoever watches the process learns it there."""

    class Failing:
        def problems(self):
            return ["scan: no source answered"]

        def counts(self):
            return {"failed": 2}

        def pending(self):
            return 3

    client = client_of(retail, parts=Parts(scans=Failing()))

    assert client.get("/health").json() == {"status": "degraded", "problems": ["scan: no source answered"]}
    assert 'scanner_scheduled_scans_total{result="failed"} 2' in client.get("/metrics").text
    assert "scanner_notifications_pending 3" in client.get("/metrics").text


def test_the_pages_load_nothing_from_elsewhere(session_client) -> None:
    """Whoever opens it is told to nobody."""
    for path in ("/", "/topic"):
        page = session_client.get(path)
        parts = [part.partition('"')[0] for mark in ('src="', 'href="') for part in page.text.split(mark)[1:]]
        parts.remove("data:,")  # no icon

        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert parts
        assert all(session_client.get(part).status_code == 200 for part in parts)
        assert "<script>" not in page.text
    for path in ("/static/page.js", "/static/topic.js"):
        program = session_client.get(path).text
        assert "innerHTML" not in program
        assert not [word for word in ("https://", "http://") if word in program.replace("http://www.w3.org", "")]


def test_a_part_of_the_page_is_compressed_where_the_browser_accepts_it(session_client) -> None:
    """The same text arrives either way."""
    plain = session_client.get("/static/page.js", headers={"accept-encoding": "identity"})
    packed = session_client.get("/static/page.js", headers={"accept-encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2


def test_a_part_of_the_page_that_the_browser_has_is_not_sent_again(session_client) -> None:
    """It is asked for at each view."""
    first = session_client.get("/static/page.js")

    assert session_client.get("/static/page.js", headers={"if-none-match": first.headers["etag"]}).status_code == 304


@pytest.mark.parametrize(
    ("path", "accepted", "media"),
    [
        ("/nonsense", "text/html,*/*;q=0.8", "text/html"),
        ("/topics/orders", "text/html", "text/html"),
        ("/nonsense", "application/json", "application/problem+json"),
        ("/api/v1/nonsense", "text/html", "application/problem+json"),
        ("/static/nonsense.js", "text/html", "application/problem+json"),
    ],
)
def test_an_unknown_address_is_a_page_for_browsers_and_a_problem_for_programs(
    session_client, path, accepted, media
) -> None:
    """A person sees where to go on, a program what it can parse."""
    response = session_client.get(path, headers={"accept": accepted})

    assert response.status_code == 404
    assert response.headers["content-type"].startswith(media)
