"""Paginated lists of Confluent's control plane and of Kafka REST; pages read before a failure are retained."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import PartialList, by_token, read_pages
from scanner_model.errors import PayloadUnexpected

PAGE = 100
"""Maximum page size of the control plane; its default is 10."""

_HINT = "check the `url` of this source"

Params = Sequence[tuple[str, str | int]]


def _ignore() -> None:
    """Do nothing."""


def cloud_list(http: Http, *path: str, params: Params = (), on_page: Callable[[], None] = _ignore) -> PartialList[Json]:
    """Read a list of the control plane: `{metadata: {next}, data: […]}`, `page_token` in `next`.

    *on_page* is called before each page, to report progress of a long list.
    """
    return _listed(http, path, [("page_size", PAGE), *params], on_page)


def rest_list(http: Http, *path: str) -> PartialList[Json]:
    """Read a list of Kafka REST: the same shape, without any parameter; all of it usually is one page."""
    return _listed(http, path, [], _ignore)


def objects(value: Json) -> list[dict[str, Json]]:
    """Return the objects of a list, nothing for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def member(value: Json, *names: str) -> dict[str, Json]:
    """Return the object below *names*, an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: Json, name: str) -> str:
    """Return a text of an object, empty where there is none."""
    content = value.get(name) if isinstance(value, dict) else None
    return content if isinstance(content, str) else ""


def _listed(
    http: Http, path: Sequence[str], params: list[tuple[str, str | int]], on_page: Callable[[], None]
) -> PartialList[Json]:
    def fetch(token: str) -> tuple[Sequence[Json], str]:
        on_page()
        # The token is the next URL's query: what stands before it is another matter, a host of theirs perhaps.
        more = [(name, value) for name, value in parse_qsl(token) if name not in dict(params)]
        return _page(http.get(*path, params=[*params, *more]))

    return read_pages(by_token(fetch, key=_identity))


def _page(payload: Json) -> tuple[Sequence[Json], str]:
    match payload:
        case {"data": list(data)}:
            return data, next_query(member(payload, "metadata").get("next"))
        case {"data": None}:
            return (), next_query(member(payload, "metadata").get("next"))
        case _:
            raise PayloadUnexpected("the response is not a Confluent list", hint=_HINT)


def next_query(url: Json) -> str:
    """Return the query of the next page; empty at the end, also where the URL has an empty token."""
    query = url.partition("?")[2].partition("#")[0] if isinstance(url, str) else ""
    pairs = parse_qsl(query, keep_blank_values=True)
    return "" if dict(pairs).get("page_token") == "" else query


def _identity(item: Json) -> str:
    return json.dumps(item, sort_keys=True)
