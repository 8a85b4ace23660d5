"""Errors as `application/problem+json` documents, with hints for programs, which have no command line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from scanner_api.questions.question import Question
from scanner_api.questions.table import QUESTIONS
from scanner_model.errors import DictionaryBusy, DictionaryUnusable, InputInvalid, NameUnknown, ScannerError
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
    choices = error.choices if isinstance(error, InputInvalid) else ()
    listed = [{"where": problem.where, "what": problem.what, "hint": problem.hint} for problem in problems]
    status, code = status_of(error), _CODES.get(type(error), "")
    headers = {"Retry-After": _RETRY} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    where = "" if error.where.startswith("scanner ") else error.where
    hint = for_programs(error.hint, PATHS)
    members = {"problems": listed, "choices": choices}
    return problem(status, error.what, where=where, hint=hint, code=code, headers=headers, **members)


_CODES: Mapping[type, str] = {
    NameUnknown: "unknown-name",
    InputInvalid: "invalid-input",
    DictionaryUnusable: "dictionary-unusable",
    DictionaryBusy: "dictionary-busy",
    TryLater: "try-later",
    OverDeadline: "over-deadline",
}
"""The kinds of problems that a program tells apart; of others the code is that of the status."""


def problem(
    status: int,
    detail: str,
    *,
    where: str = "",
    hint: str = "",
    code: str = "",
    headers: Mapping[str, str] = {},
    **members: Any,  # noqa: ANN401
) -> Response:
    """Return a problem document (RFC 9457); empty members are left out.

    *code* is a stable word for the kind of problem; where it is empty, that of the status.
    """
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    body["code"] = code or title.lower().replace(" ", "-")
    body |= {name: value for name, value in {"where": where, "hint": hint, **members}.items() if value}
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(text, status, headers=dict(headers), media_type=MEDIA)


def allowed_methods(request: Request, refused: str = "") -> str:
    """Return the methods that the routes of a request's path answer together, without the *refused* one."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    fitting = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    methods = {method for route in fitting for method in route.methods or ()}
    return ", ".join(sorted(methods - {refused}))


class Refused(Exception):
    """A request that ends here; *response* says why."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


_COMMAND = re.compile(r"`scanner ([^`]*)`")
_OPERATOR = "whoever runs scanner can change that"
_WORDS: Mapping[str, str] = {
    "findings": "validate",
    "scans": "changes --scans",
    "connectors": "jobs",
    "statements": "jobs --kind statement",
    "personal_data": "columns --tag",
    "diff": "changes FROM TO",
    "history": "changes NODE",
    "may_delete": "check --topic",
    "check_change": "check",
}
"""Question → the words of its command, if they are not its name."""


def _command(question: Question) -> str:
    """Return the command that answers *question*, also if it does not derive from it."""
    return question.command or _WORDS.get(question.name, question.name.replace("_", "-"))


_COMMANDS = frozenset(map(_command, QUESTIONS))
PATHS: Mapping[str, str] = {_command(each): f"/api/v1{each.path}" for each in QUESTIONS if each.path}
TOOLS: Mapping[str, str] = {_command(each): each.tool for each in QUESTIONS if each.tool}
"""What answers the question of a command in the API, and in MCP."""


def for_programs(hint: str, names: Mapping[str, str]) -> str:
    """Return *hint* with *names* in place of commands; a part of it whose command has none there is left out.

    If nothing is left, only who runs scanner can do something.
    """
    parts = hint.split("; ")
    kept = (part for part in parts if all(_named(text, names) for text in _COMMAND.findall(part)))
    shown = "; ".join(_COMMAND.sub(lambda match: f"`{_named(match[1], names)}`", part) for part in kept)
    return shown or (_OPERATOR if hint else "")


def _named(command: str, names: Mapping[str, str]) -> str:
    """Return the name of the command that *command* begins with, the longest that fits; empty if none fits."""
    fitting = (words for words in _COMMANDS if command == words or command.startswith(f"{words} "))
    return names.get(max(fitting, key=len, default=""), "")
