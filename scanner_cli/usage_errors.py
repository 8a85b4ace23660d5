"""Exit statuses, and usage errors of click in the form of all errors: where, what, what to do."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum

import click

from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid, NameUnknown, ScannerError


class Exit(IntEnum):
    """What each exit status of `scanner` means."""

    DONE = 0
    FAILED = 1
    INPUT_INVALID = 2
    PARTIAL = 3
    UNKNOWN = 4


def exit_status(error: ScannerError) -> Exit:
    """Return the exit status that *error* ends the program with."""
    match error:
        case InputInvalid():
            return Exit.INPUT_INVALID
        case NameUnknown():
            return Exit.UNKNOWN
        case _:
            return Exit.FAILED


def combined_status(statuses: Collection[Exit]) -> Exit:
    """Return the status of several scans as one: partial unless all have the same one."""
    distinct = set(statuses)
    if len(distinct) > 1:
        return Exit.PARTIAL
    return distinct.pop() if distinct else Exit.DONE


def usage_error(error: click.ClickException) -> InputInvalid:
    """Return *error* of click as InputInvalid."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "scanner"
    where = command
    hint = f"see `{command} --help`"
    match error:
        case click.NoSuchOption():
            what = f"there is no option {error.option_name!r}"
            hint = closest_match(error.option_name, _options(context)) or hint
        case click.MissingParameter():
            what = f"{_name(error)} is missing"
        case click.BadParameter(param=click.Parameter(type=click.IntRange() | click.FloatRange() as kind)):
            where = f"{command} {_name(error)}"
            what = f"{error.message.rpartition(' is not ')[0]} is not {_number(kind)}"
        case click.BadParameter():
            where = f"{command} {_name(error)}"
            what = _plain(error.message)
        case click.FileError():
            where = error.ui_filename
            what = f"cannot be read: {_plain(error.message)}"
        case _:
            what = _plain(error.format_message())
    return InputInvalid(what, where=where, hint="" if what.endswith(")") else hint)


def _name(error: click.BadParameter) -> str:
    """Return the name of an option as it is typed, of an argument as the help shows it."""
    parameter = error.param
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    if parameter is not None and parameter.metavar:
        return parameter.metavar
    return str(parameter.name).upper() if parameter is not None else ""


def _number(kind: click.IntRange | click.FloatRange) -> str:
    """Return which numbers an option takes, in words."""
    word = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    return f"{word} of {kind.min} or more" if kind.max is None else f"{word} from {kind.min} to {kind.max}"


def _options(context: click.Context | None) -> list[str]:
    parameters = context.command.params if context else []
    return [name for parameter in parameters for name in parameter.opts if name.startswith("--")]


def _plain(message: str) -> str:
    """Return click's message with a small first letter and without a full stop."""
    first, rest = message[:1], message[1:].rstrip(".")
    return (first.lower() if not rest[:1].isupper() else first) + rest
