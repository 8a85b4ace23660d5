"""The parameters of questions that are options of commands, written down so that help imports no question.

`tools/pages/generate_cli.py` writes them, and a test compares them with the functions.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from scanner_api.questions.question import Parameter
from scanner_api.questions.table import BY_NAME, QUESTIONS

FILE = Path(__file__).with_suffix(".json")
_OTHERS = ("personal_data", "personal_data_report")
"""Questions that commands with another name ask."""


class Option(NamedTuple):
    """One argument or option: *words* are those that it takes, empty for any; *least* and *most* make it a number."""

    name: str
    option: str
    text: str
    metavar: str
    argument: bool
    flag: bool
    required: bool
    default: str | int | None
    words: Sequence[str]
    least: int | None
    most: int | None


@cache
def _stored() -> Mapping[str, Sequence[Sequence[Any]]]:
    stored: Mapping[str, Sequence[Sequence[Any]]] = json.loads(FILE.read_text("utf-8"))
    return stored


def options_of(question: str) -> list[Option]:
    """Return the arguments and options of a question, in the order of its parameters."""
    return [Option(*row) for row in _stored()[question]]


def derived() -> str:
    """Return the content of the file: every question that a command asks, with the options of its function."""
    names = [question.name for question in QUESTIONS if question.section or question.name in _OTHERS]
    lines = (f"  {json.dumps(name)}: {json.dumps(list(_derived(name)), ensure_ascii=False)}" for name in names)
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _derived(question: str) -> Iterator[Option]:
    answer = BY_NAME[question].answer
    hints = get_type_hints(answer, include_extras=True)
    for parameter in list(inspect.signature(answer).parameters.values())[1:]:
        kind, *notes = get_args(hints[parameter.name])
        described = next(note for note in notes if isinstance(note, Parameter))
        required = parameter.default is parameter.empty
        if described.option is not None:
            yield Option(
                name=parameter.name,
                option=described.option or f"--{parameter.name.replace('_', '-')}",
                text=described.text,
                metavar=described.metavar if described.least is None else "N",
                argument=described.argument,
                flag=kind is bool,
                required=required,
                default=None if required else parameter.default,
                words=_words(kind),
                least=described.least,
                most=described.most,
            )


def _words(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a type or a generic alias
    """Return the words that a parameter takes; empty if it takes others."""
    kinds = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return next((get_args(each) for each in kinds if get_origin(each) is Literal), ())
