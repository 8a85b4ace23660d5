"""HTTP authentication: the Authorization header, and OAuth tokens fetched, cached and renewed."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from urllib.parse import quote_plus, urlencode

from scanner_extractor.http.messages import Response
from scanner_extractor.http.responses import server_message
from scanner_extractor.settings.cluster import Auth, BasicAuth, BearerAuth, HttpSettings, OAuthAuth
from scanner_model.documents.json_input import load_json
from scanner_model.errors import PayloadUnexpected, SourceRefused, SourceUnreachable
from scanner_model.redaction import mask_url

_LIFE = 300.0
"""Seconds that a token is cached whose response has no lifetime."""

Post = Callable[[str, Mapping[str, str], str], Response]
"""Function that sends a form to a URL with exactly these headers, with retries."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    until: float


class Credentials:
    """The Authorization header of one source; OAuth tokens are shared by its threads."""

    def __init__(self, auth: Auth | None, post: Post, now: Callable[[], float]) -> None:
        self._auth = auth
        self._post = post
        self._now = now
        self._lock = threading.Lock()
        self._token: _Token | None = None
        self._tokens: frozenset[str] = frozenset()

    def sign(self, headers: MutableMapping[str, str]) -> None:
        """Set Authorization, where there are credentials; raises what fetching a token may raise."""
        if header := self._header():
            headers["Authorization"] = header

    def _header(self) -> str:
        match self._auth:
            case BasicAuth(user=user, password=password):
                return basic(user, password)
            case BearerAuth(token=token):
                return f"Bearer {token}"
            case OAuthAuth():
                return f"Bearer {self._fresh(self._auth)}"
            case None:
                return ""

    @property
    def tokens(self) -> frozenset[str]:
        """Return the tokens that were fetched."""
        return self._tokens

    def renew(self, refused: MutableMapping[str, str]) -> bool:
        """Replace the token of *refused* headers by a new one; False where none can be fetched."""
        if not isinstance(self._auth, OAuthAuth):
            return False
        with self._lock:
            if self._token and refused["Authorization"] == f"Bearer {self._token.text}":
                self._token = None
        self.sign(refused)
        return True

    def _fresh(self, auth: OAuthAuth) -> str:
        with self._lock:
            if self._token is None or self._now() >= self._token.until:
                self._token = self._fetch(auth)
                self._tokens |= {self._token.text}
            return self._token.text

    def _fetch(self, auth: OAuthAuth) -> _Token:
        requested_at = self._now()
        answer = self._request_token(auth)
        where = f"POST {mask_url(auth.token_url)}"
        if answer.status >= 500 or answer.status in (408, 429):
            raise SourceUnreachable(f"no token: status {answer.status}", where=where, hint="try again later")
        if answer.status >= 400:
            error = server_message(answer.body)
            raise SourceRefused(
                f"no token: status {answer.status}" + (f", {error.message}" if error.message else ""),
                where=where,
                hint="check `client_id`, `client_secret` and `scope` of `auth.oauth`",
            )
        return _read_token(answer, where, requested_at)

    def _request_token(self, auth: OAuthAuth) -> Response:
        form = {"grant_type": "client_credentials"} | ({"scope": auth.scope} if auth.scope else {})
        login = basic(quote_plus(auth.client_id), quote_plus(auth.client_secret))
        answer = self._post(auth.token_url, {"Authorization": login}, urlencode(form))
        if answer.status in (
            400,
            401,
        ):  # some servers take the client's secret in the form only (RFC 6749 section 2.3.1)
            form |= {"client_id": auth.client_id, "client_secret": auth.client_secret}
            answer = self._post(auth.token_url, {}, urlencode(form))
        return answer


def basic(user: str, password: str) -> str:
    """Return the value of Authorization for a user and a password (RFC 7617, in UTF-8)."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def own_secrets(settings: HttpSettings) -> frozenset[str]:
    """Return the secrets of *settings* that a server may echo: passwords, tokens, headers and encoded forms."""
    match settings.auth:
        case BasicAuth(user=user, password=password):
            secrets = {password, basic(user, password).partition(" ")[2]}
        case BearerAuth(token=token):
            secrets = {token}
        case OAuthAuth(client_id=client, client_secret=secret):
            secrets = {secret, basic(quote_plus(client), quote_plus(secret)).partition(" ")[2]}
        case None:
            secrets = set()
    return frozenset(secrets | set(settings.headers.values()))


def login_hint(auth: Auth | None) -> str:
    """Return a hint for a 401 response."""
    match auth:
        case BasicAuth():
            return "check user and password in `auth.basic` of this source"
        case BearerAuth():
            return "check the token in `auth.bearer` of this source: it may have expired"
        case OAuthAuth():
            return "check `auth.oauth` of this source: its token was refused, a new one too"
        case None:
            return "this source requires credentials: set `auth`"


def _read_token(answer: Response, where: str, requested_at: float) -> _Token:
    try:
        match load_json(answer.body).value:
            case {"access_token": str(text), **rest} if text.isprintable() and text.isascii():
                life = rest.get("expires_in")
                seconds = float(life) if isinstance(life, int | float | str) else _LIFE
                return _Token(text, requested_at + seconds - min(60.0, seconds / 10))
    except (ValueError, RecursionError, OverflowError):
        pass
    raise PayloadUnexpected("the response has no access token", where=where, hint="check `token_url` of `auth.oauth`")
