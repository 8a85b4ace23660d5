"""Paginated lists of Confluent's control plane and of Kafka REST; pages read before a failure are retained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from scanner_extractor.http.client import Http
from scanner_extractor.http.pagination import PartialList, by_token, read_pages
from scanner_model.payload import Payload, canonical

PAGE = 100
"""Maximum page size of the control plane; its default is 10."""

Params = Sequence[tuple[str, str | int]]


def _ignore() -> None:
    """Do nothing."""


def cloud_list(
    http: Http, *path: str, params: Params = (), on_page: Callable[[], None] = _ignore
) -> PartialList[Payload]:
    """Read a list of the control plane: `{metadata: {next}, data: […]}`, `page_token` in `next`.

    *on_page* is called before each page, to report progress of a long list.
    """
    return _listed(http, path, [("page_size", PAGE), *params], on_page)


def rest_list(http: Http, *path: str) -> PartialList[Payload]:
    """Read a list of Kafka REST: the same shape, without any parameter; all of it usually is one page."""
    return _listed(http, path, [], _ignore)


def _listed(
    http: Http, path: Sequence[str], params: list[tuple[str, str | int]], on_page: Callable[[], None]
) -> PartialList[Payload]:
    def fetch(token: str) -> tuple[Sequence[Payload], str]:
        on_page()
        # The token is the next URL's query: what stands before it is another matter, a host of theirs perhaps.
        more = [(name, value) for name, value in parse_qsl(token) if name not in dict(params)]
        answer = Payload(http.get(*path, params=[*params, *more]))
        # An empty list may be null.
        return answer.entries("data", beside=("data",)), next_query(answer.object("metadata").text("next"))

    return read_pages(by_token(fetch, key=lambda entry: canonical(entry.value)))


def next_query(url: str) -> str:
    """Return the query of the next page; empty at the end, also where the URL has an empty token."""
    query = url.partition("?")[2].partition("#")[0]
    pairs = parse_qsl(query, keep_blank_values=True)
    return "" if dict(pairs).get("page_token") == "" else query
