"""How a token is got, kept, renewed, and what is said where it cannot be had."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

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


class TokenServer:
    """Hands out numbered tokens; the API takes the newest only."""

    def __init__(self, reply, **answer) -> None:
        self.reply, self.answer, self.forms, self.issued = reply, answer, [], 0

    def token(self, seen):
        self.forms.append((seen.headers.get("authorization", ""), seen.body.decode()))
        self.issued += 1
        body = f'{{"access_token": "t{self.issued}", "expires_in": 100}}'.encode()
        return self.reply(**({"body": body} | self.answer))

    def api(self, seen):
        return self.reply(status=200 if seen.headers.get("authorization") == f"Bearer t{self.issued}" else 401)


def oauth(url: str) -> OAuthAuth:
    return OAuthAuth(token_url=url, client_id="me", client_secret="s3cret!", scope="read")


def test_oauth_token_is_fetched_once_for_all_threads_and_again_before_it_expires(serve, reply, open_http, pauses):
    """A token server has limits too."""
    tokens = TokenServer(reply)
    http = open_http(serve(tokens.api), auth=oauth(serve(tokens.token)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(http.get, "abcdefgh"))
    pauses.time += 95
    http.get("x")

    assert [form for _, form in tokens.forms] == ["grant_type=client_credentials&scope=read"] * 2


def test_oauth_token_that_was_revoked_is_renewed_once(serve, reply, open_http):
    """A restarted identity server forgets its tokens."""
    tokens = TokenServer(reply)
    http = open_http(serve(tokens.api), auth=oauth(serve(tokens.token)))
    http.get("x")
    tokens.issued += 1

    http.get("x")

    assert len(tokens.forms) == 2


def test_oauth_client_may_log_in_by_form_only(serve, reply, open_http):
    """RFC 6749 section 2.3.1 lets a server choose."""
    seen = []

    def token(request):
        seen.append(request.body.decode())
        return reply(body=b'{"access_token": "t", "expires_in": "60"}', status=200 if "client_id" in seen[-1] else 401)

    open_http(serve(lambda request: reply()), auth=oauth(serve(token))).get("x")

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
def test_token_that_cannot_be_had_is_reported_without_the_secret(serve, reply, open_http, answer, kind):
    """The error is about the token endpoint, so it names it."""
    tokens = TokenServer(reply, **answer)
    url = serve(tokens.token)

    error = failure(open_http(serve(tokens.api), auth=oauth(url)), kind, "x")

    assert url in error.where
    assert "s3cret" not in str(error)
