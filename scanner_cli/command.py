"""The class of commands: its help lists options in sections, with those that most commands have at the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_DICTIONARY, _OUTPUT = "Dictionary", "Output"
_SECTIONS = {
    **dict.fromkeys(("--dictionary", "--lock-timeout", "--graph", "--as-of"), _DICTIONARY),
    **dict.fromkeys(("--format", "--wide", "--quiet", "--report", "--write", "--evidence", "--help"), _OUTPUT),
}
"""Option → its section, whatever the command; others are in "Options" unless `section` names one."""


class Command(click.Command):
    """A command whose help lists options in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section of options, those of all commands last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                sections.setdefault(_section_of(parameter), []).append(record)
        for title in sorted(sections, key=_rank):
            with formatter.section(title):
                formatter.write_dl(sections[title])


def _rank(title: str) -> int:
    return (_DICTIONARY, _OUTPUT).index(title) + 1 if title in (_DICTIONARY, _OUTPUT) else 0


def _section_of(parameter: click.Parameter) -> str:
    titles = (_SECTIONS[name] for name in parameter.opts if name in _SECTIONS)
    return getattr(parameter, "section", "") or next(titles, "Options")


command = partial(click.command, cls=Command)
"""`click.command` for a `Command`."""


def section(title: str, *options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Add *options* to a command, in the section *title* of its help."""

    def add(function: Decorated) -> Decorated:
        before = len(_parameters(function))
        for option in reversed(options):
            function = option(function)
        for parameter in _parameters(function)[before:]:
            parameter.section = title  # type: ignore[attr-defined]
        return function

    return add


def _parameters(function: Callable[..., Any]) -> list[click.Parameter]:
    parameters: list[click.Parameter] = getattr(function, "__click_params__", [])
    return parameters
