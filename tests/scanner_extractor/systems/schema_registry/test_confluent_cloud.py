"""Confluent Cloud: API keys, tokens for one registry, and its rate limit, on a server that insists on them."""

from __future__ import annotations

import base64
import json

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import BasicAuth, HttpSettings, OAuthAuth, RegistrySettings
from scanner_model.errors import SourceRefused
from scanner_model.schemas import SchemaVersion

pytestmark = pytest.mark.slow

ROWS = [
    {"subject": "orders-value", "version": 1, "id": 1, "guid": "g", "schemaType": "AVRO", "schema": '"int"', "ts": 1}
]
KEY = "Basic " + base64.b64encode(b"key:secret").decode()
TARGET = {"target-sr-cluster": "lsrc-1", "Confluent-Identity-Pool-Id": "pool-1"}


@pytest.fixture
def cloud(serve, reply):
    """Serve one registry to an API key, or to a token with its headers; the first *busy* answers are 429."""

    def start(busy: int = 0) -> tuple[str, list[str]]:
        log: list[str] = []

        def answer(seen):
            if seen.target == "/token":
                return reply(body=b'{"access_token": "t0ken", "expires_in": 300}')
            token = seen.headers.get("authorization") == "Bearer t0ken"
            targeted = all(seen.headers.get(name.lower()) == value for name, value in TARGET.items())
            if seen.headers.get("authorization") != KEY and not (token and targeted):
                return reply(status=401, body=b'{"error_code":40101,"message":"Unauthorized"}')
            log.append(seen.target)
            if len(log) <= busy:
                return reply(status=429, body=b"<html>slow down</html>", headers={"X-RateLimit-Reset": "7"})
            rows = ROWS if seen.target.startswith("/schemas") and "offset=0" in seen.target else []
            known = seen.target.startswith("/schemas")
            return reply(body=json.dumps(rows).encode()) if known else reply(status=404, body=b'{"error_code":404}')

        return serve(answer), log

    return start


def read(url: str, waits: list[float] | None = None, **members: object):
    settings = RegistrySettings(type="confluent", http=HttpSettings(url=url, **members))
    time = [0.0]

    def pause(seconds: float) -> None:
        time[0] += seconds
        if waits is not None:
            waits.append(seconds)

    with Http(settings.http, settings.source, clock=Clock(now=lambda: time[0], pause=pause)) as http:
        return REGISTRIES["confluent"].read(settings, http, no_progress)


def test_api_key_reads(cloud) -> None:
    """The usual way in."""
    url, _ = cloud()
    reading = read(url, auth=BasicAuth(user="key", password="secret"))

    assert [(version.subject, version.guid) for version in reading.of(SchemaVersion)] == [("orders-value", "g")]


def test_token_reads_with_the_headers_that_name_its_registry(cloud) -> None:
    """One endpoint serves many registries."""
    url, _ = cloud()
    oauth = OAuthAuth(token_url=f"{url}/token", client_id="c", client_secret="s")

    assert len(read(url, auth=oauth, headers=TARGET).of(SchemaVersion)) == 1


def test_token_without_them_is_refused(cloud) -> None:
    """The service says only `Unauthorized`, and so do we."""
    url, _ = cloud()
    with pytest.raises(SourceRefused, match="Unauthorized"):
        read(url, auth=OAuthAuth(token_url=f"{url}/token", client_id="c", client_secret="s"))


def test_rate_limit_is_waited_for_as_long_as_it_states(cloud) -> None:
    """Its answer is a web page, and its reset is in seconds from now."""
    url, log = cloud(busy=2)
    waits: list[float] = []
    reading = read(url, waits, auth=BasicAuth(user="key", password="secret"))

    assert waits == [7.0, 7.0]
    assert (len(reading.of(SchemaVersion)), reading.problems) == (1, ())
    assert log[0] == log[1] == log[2]
