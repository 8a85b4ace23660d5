"""How requests are sent to a source of cluster.json: `url`, credentials, headers, TLS, limits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from pathlib import Path

from scanner_extractor.config.sections import Items, ParseContext, ValidationContext, member_of
from scanner_extractor.http.messages import Address, Json, read_address
from scanner_extractor.settings.cluster import Auth, BasicAuth, BearerAuth, HttpSettings, OAuthAuth, Tls
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath

CLOUD = ".confluent.cloud"
CLOUD_REQUESTS_PER_SECOND = 70.0
"""A little below the 75 reads a second that Confluent documents for a registry."""

WEB_ADDRESS = "write http://host:port or https://host:port"
"""The hint for an invalid address."""

_CLOUD_HEADERS = {"logical_cluster": "target-sr-cluster", "identity_pool": "Confluent-Identity-Pool-Id"}
_LIMITS = ("connect_timeout", "read_timeout", "requests_per_second", "max_bytes", "concurrency")
_TLS_FILES = ("ca", "certificate", "key")


def parse_http(item: Json, context: ParseContext) -> HttpSettings:
    """Return how requests are sent to the source of a valid *item* with `url`."""
    address = read_address(item["url"])
    limits = {name: item[name] for name in _LIMITS if name in item}
    if address.host.endswith(CLOUD):
        limits = {"requests_per_second": CLOUD_REQUESTS_PER_SECOND} | limits
    return HttpSettings(
        url=address.url,
        auth=_auth(item.get("auth")) or address.auth,
        headers=_cloud_headers(item.get("auth")) | item.get("headers", {}),
        tls=_tls(item.get("tls", {}), context.base),
        secret_names=context.secret_names,
        **limits,
    )


def _auth(item: Json) -> Auth | None:
    match item:
        case {"basic": basic}:
            return BasicAuth(**basic)
        case {"bearer": bearer}:
            return BearerAuth(**bearer)
        case {"oauth": oauth}:
            return OAuthAuth(**{name: value for name, value in oauth.items() if name not in _CLOUD_HEADERS})
        case _:
            return None


def _cloud_headers(auth: Json) -> dict[str, str]:
    """Return the headers by which Confluent Cloud knows which registry and which identities a token is for."""
    oauth = (auth or {}).get("oauth", {})
    return {header: oauth[name] for name, header in _CLOUD_HEADERS.items() if name in oauth}


def _tls(item: Json, base: Path) -> Tls:
    paths = {name: base / item[name] for name in _TLS_FILES if name in item}
    return Tls(**paths, verify=item.get("verify", True))


def http_errors(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what a JSON Schema cannot check of addresses, credentials, headers and files, in items of any form."""
    for path, item in items:
        address = valid_address(item.get("url"))
        if address and address.auth and "auth" in item:
            yield (*path, "auth"), "there are credentials in `url` and in `auth`", "keep one of them"
        for steps in (("url",), ("auth", "oauth", "token_url")):
            yield from address_errors(path, item, steps, context)
        for name in _TLS_FILES:
            file = member_of(item.get("tls"), name)
            if isinstance(file, str) and not (context.directory / file).is_file():
                where = (*path, "tls", name)
                yield where, f"there is no file {context.shown(where)}", "the path is relative to this file"
        headers = item.get("headers")
        for name, value in headers.items() if isinstance(headers, dict) else ():
            if isinstance(value, str) and not (value.isprintable() and value.isascii()):
                yield (*path, "headers", name), "the value cannot be sent in a header", "printable ASCII only"


def address_errors(
    path: JsonPath, item: Json, steps: tuple[str, ...], context: ValidationContext
) -> Iterator[ErrorMessage]:
    """Yield an error if the text at *steps* below *item* is not an address; nothing without a text."""
    url = reduce(member_of, steps, item)
    if isinstance(url, str) and not valid_address(url):
        where = (*path, *steps)
        yield where, f"{context.shown(where)} is not a web address", WEB_ADDRESS


def http_warnings(items: Items) -> Iterator[ErrorMessage]:
    """Yield the valid *items* whose server is not identified."""
    for path, item in items:
        if item.get("tls", {}).get("verify") is False:
            yield (*path, "tls", "verify"), "the server's certificate is not checked", "give its CA as `ca`"


def valid_address(url: Json) -> Address | None:
    """Return the address that a text is; None for every other value."""
    try:
        return read_address(url) if isinstance(url, str) else None
    except ValueError:
        return None


def address_identity(item: Json) -> tuple[str, str]:
    """Return the member that identifies a server by its address, with the address; empty if it is invalid."""
    address = valid_address(item.get("url"))
    return "url", address.url if address else ""
