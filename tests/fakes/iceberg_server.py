"""A stand-in for an Iceberg REST catalog: it answers what Apache Iceberg's own server (1.10.1) answered.

Pages are cut as that server does it: where `pageSize` is sent, with the offset as token. A namespace called `a.b` comes
as two levels there, too. *prefix* is what the configuration puts before all other paths, encoded.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

Json = Any

RECORDED = Path(__file__).parents[1] / "conformance" / "recorded" / "iceberg_rest_1_10.json"
"""The recorded answers by path and query, without the parameters of pages."""
LISTS = ("namespaces", "identifiers")


def recorded() -> dict[str, Json]:
    """Return the recorded answers, to be changed at will."""
    answers: dict[str, Json] = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"]
    return copy.deepcopy(answers)


@dataclass(slots=True, kw_only=True)
class Iceberg:
    """A catalog; *page* is the largest page; *refused* are statuses by a part of the decoded address.

    *flat*: there are no namespaces inside others. *hollow*: the first page of each list is empty, and leads on.
    """

    answers: dict[str, Json] = field(default_factory=recorded)
    page: int = 1
    prefix: str = ""
    flat: bool = False
    hollow: bool = False
    refused: Mapping[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, _: bytes = b"") -> tuple[int, Json]:
        """Answer a request."""
        parts = urlsplit(target)
        given = dict(parse_qsl(parts.query, keep_blank_values=True))
        is_first = given.get("pageToken") == ""
        start, size = int(given.pop("pageToken", "") or 0), int(given.pop("pageSize", self.page))
        address = parts.path + ("?" + urlencode(given) if given else "")
        self.asked.append(f"{method} {address}")
        address = address.partition("?warehouse=")[0]
        for part, status in self.refused.items():
            if part in unquote(address):
                return status, _error(status, f"refused: {part}")
        if self.flat and "parent" in given:
            return 400, _error(400, "nested namespaces are not supported")
        if self.prefix and not address.startswith("/v1/config"):
            if not address.startswith(f"/v1/{self.prefix}/"):
                return 400, _error(400, f"No route for request: {method} {parts.path.lstrip('/')}")
            address = address.replace(f"/{self.prefix}", "", 1)
        if address not in self.answers:
            return 404, _error(404, f"does not exist: {address}")
        if self.hollow and is_first:
            return 200, {name: [] for name in LISTS if name in self.answers[address]} | {"next-page-token": "0"}
        return 200, self._cut(self.answers[address], start, min(size, self.page))

    def _cut(self, document: Json, start: int, size: int) -> Json:
        name = next((name for name in LISTS if name in document), "")
        if not name:
            return (
                {**document, "overrides": {"prefix": self.prefix}}
                if self.prefix and "overrides" in document
                else document
            )
        end = start + size
        following = str(end) if end < len(document[name]) else None
        return {name: document[name][start:end], "next-page-token": following}


def _error(status: int, message: str) -> Json:
    return {"error": {"message": message, "type": "BadRequestException", "code": status}}
