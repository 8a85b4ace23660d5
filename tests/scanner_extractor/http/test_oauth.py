"""How a token is got, kept, renewed, and what is said where it cannot be had."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from responses import RequestsMock

from scanner_extractor.http.client import Http
from scanner_extractor.settings.cluster import OAuthAuth
from scanner_model.errors import (
    PayloadUnexpected,
    ScannerError,
    SourceRefused,
    SourceUnreachable,
)


def failure(http: Http, kind: type[ScannerError], *segments: str):
    with pytest.raises(kind) as caught:
        http.get(*segments)
    return caught.value


TOKENS, API = "http://login.example/token", "http://api.example"


class TokenServer:
    """Hands out numbered tokens; the API takes the newest only."""

    def __init__(self, canned: RequestsMock, *, status: int = 200, body: bytes = b"") -> None:
        self.status, self.body, self.forms, self.issued = status, body, [], 0
        canned.add_callback("POST", TOKENS, self.token)
        canned.add_callback("GET", re.compile(f"{API}/.*"), self.api)

    def token(self, request):
        self.forms.append(request.body.decode())
        self.issued += 1
        return self.status, {}, self.body or f'{{"access_token": "t{self.issued}", "expires_in": 100}}'

    def api(self, request):
        return 200 if request.headers.get("Authorization") == f"Bearer t{self.issued}" else 401, {}, "{}"


OAUTH = OAuthAuth(token_url=TOKENS, client_id="me", client_secret="s3cret!", scope="read")


def test_oauth_token_is_fetched_once_for_all_threads_and_again_before_it_expires(canned, open_http, pauses):
    """A token server has limits too."""
    tokens = TokenServer(canned)
    http = open_http(API, auth=OAUTH)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(http.get, "abcdefgh"))
    pauses.time += 95
    http.get("x")

    assert tokens.forms == ["grant_type=client_credentials&scope=read"] * 2


def test_oauth_token_that_was_revoked_is_renewed_once(canned, open_http):
    """A restarted identity server forgets its tokens."""
    tokens = TokenServer(canned)
    http = open_http(API, auth=OAUTH)
    http.get("x")
    tokens.issued += 1

    http.get("x")

    assert len(tokens.forms) == 2


def test_oauth_client_may_log_in_by_form_only(canned, open_http):
    """RFC 6749 section 2.3.1 lets a server choose."""
    seen = []

    def token(request):
        seen.append(request.body.decode())
        return 200 if "client_id" in seen[-1] else 401, {}, '{"access_token": "t", "expires_in": "60"}'

    canned.add_callback("POST", TOKENS, token)
    canned.get(f"{API}/x", json={})

    open_http(API, auth=OAUTH).get("x")

    assert "client_secret=s3cret%21" in seen[-1]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"status": 400, "body": b'{"error": "invalid_client"}'}, SourceRefused),
        ({"status": 503}, SourceUnreachable),
        ({"body": b'{"token": 1}'}, PayloadUnexpected),
        ({"body": b"<html>"}, PayloadUnexpected),
    ],
)
def test_token_that_cannot_be_had_is_reported_without_the_secret(canned, open_http, answer, kind):
    """The error is about the token endpoint, so it names it."""
    TokenServer(canned, **answer)

    error = failure(open_http(API, auth=OAUTH), kind, "x")

    assert TOKENS in error.where
    assert "s3cret" not in str(error)
