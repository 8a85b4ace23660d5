"""Addresses of HTTP sources in one form, without the credentials that people write into them."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

from scanner_extractor.settings.cluster import BasicAuth


@dataclass(frozen=True, slots=True)
class Address:
    """An address without credentials, query and final slash, its host in lower case; *auth* is what stood in it."""

    url: str
    host: str
    auth: BasicAuth | None = field(default=None, repr=False)


def read_address(text: str) -> Address:
    """Take an HTTP address apart; raises ValueError, without the text in it, for what is none."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("not a web address") from None
    if parts.scheme not in ("http", "https") or not host or any(letter.isspace() for letter in host):
        raise ValueError("not a web address")
    login = parts.netloc.rpartition("@")[0]
    user, _, password = login.partition(":")
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
    url = urlunsplit((parts.scheme, netloc, parts.path.rstrip("/"), "", ""))
    return Address(url, host, BasicAuth(user=unquote(user), password=unquote(password)) if login else None)
