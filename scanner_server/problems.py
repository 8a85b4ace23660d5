"""Errors as `application/problem+json` documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from scanner_model.errors import DictionaryUnusable, InputInvalid, NameUnknown, ScannerError
from scanner_server.workers import OverDeadline, TryLater

MEDIA = "application/problem+json"
_RETRY = "5"


def status_of(error: ScannerError) -> int:
    """Return the status of the response that *error* becomes."""
    match error:
        case NameUnknown():
            return 404
        case InputInvalid():
            return 400
        case DictionaryUnusable() | TryLater():
            return 503
        case OverDeadline():
            return 504
        case _:
            return 500


def error_response(error: ScannerError) -> Response:
    """Return the response to a request that ended with *error*."""
    problems = error.problems if isinstance(error, InputInvalid) and len(error.problems) > 1 else ()
    listed = [{"where": problem.where, "what": problem.what, "hint": problem.hint} for problem in problems]
    status = status_of(error)
    headers = {"Retry-After": _RETRY} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return problem(status, error.what, where=error.where, hint=error.hint, headers=headers, problems=listed)


def problem(
    status: int,
    detail: str,
    *,
    where: str = "",
    hint: str = "",
    headers: Mapping[str, str] = {},
    **members: Any,  # noqa: ANN401
) -> Response:
    """Return a problem document; empty members are left out."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    body |= {name: value for name, value in {"where": where, "hint": hint, **members}.items() if value}
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(text, status, headers=dict(headers), media_type=MEDIA)


class Refused(Exception):
    """A request that ends here; *response* says why."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response
