"""Hints of errors for programs and assistants, which have no command line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scanner_api.questions.question import Question
from scanner_api.questions.table import QUESTIONS

_COMMAND = re.compile(r"`scanner ([a-z-]+)[^`]*`")
_OPERATOR = "whoever runs scanner can change that"


def _command(question: Question) -> str:
    """Return the command that answers *question*, also where it does not derive from it."""
    return question.command or {"findings": "validate"}.get(question.name, question.name.replace("_", "-"))


PATHS: Mapping[str, str] = {_command(each): f"/api/v1{each.path}" for each in QUESTIONS if each.path}
TOOLS: Mapping[str, str] = {_command(each): each.tool for each in QUESTIONS if each.tool}
"""What answers the question of a command in the API, and in MCP."""


def for_programs(hint: str, names: Mapping[str, str]) -> str:
    """Return *hint* with *names* in place of commands; a part of it whose command has none there is left out.

    Where nothing is left, only who runs scanner can do something.
    """
    parts = hint.split("; ")
    kept = (part for part in parts if all(name in names for name in _COMMAND.findall(part)))
    shown = "; ".join(_COMMAND.sub(lambda match: f"`{names[match[1]]}`", part) for part in kept)
    return shown or (_OPERATOR if hint else "")
