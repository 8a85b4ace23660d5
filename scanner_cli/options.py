"""Options that several commands share, types of values, and the dictionary that a command asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scanner_cli.telling import say
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_dictionary.opening import Connection, Engine

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_DICTIONARY = "sqlite:///dictionary.db"

_DAY = 86_400.0

SCAN_NUMBER = click.IntRange(1, 2**31 - 1)


def one_of(*names: str, words: Sequence[str], text: str, **settings: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - click's
    """Give a command an option that takes one of *words*; another one is answered with the nearest."""

    def known(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
        if value is None or value.lower() in words:
            return value and value.lower()
        from scanner_model.places import nearest

        hint = nearest(value, words) or f"one of {', '.join(words)}"
        raise InputInvalid(f"{value!r} is not known", where=f"{context.command_path} {names[0]}", hint=hint)

    return click.option(*names, callback=known, metavar="|".join(words), help=text, **settings)


def dictionary_option(command: Command) -> Command:
    """Give a command the option `--dictionary`."""
    return click.option(
        "--dictionary",
        "url",
        envvar="SCANNER_DICTIONARY",
        default=DEFAULT_DICTIONARY,
        show_default=True,
        metavar="URL",
        help="The dictionary: a file, sqlite:///FILE or postgresql://…; else from SCANNER_DICTIONARY.",
    )(command)


def lock_timeout_option(command: Command) -> Command:
    """Add the option `--lock-timeout` to a command, as its argument *patience*."""
    return click.option(
        "--lock-timeout",
        "patience",
        type=click.FloatRange(min=0, max=_DAY),
        default=600,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait while another program writes the dictionary.",
    )(command)


def writable(url: str, patience: float, *, create: bool = True) -> Engine:
    """Open the dictionary at *url* for writing; whoever is waited for, up to *patience* seconds, is named on stderr."""
    from scanner_dictionary.opening import open_dictionary

    return open_dictionary(url, create=create, patience=patience, say=say)


def config_option(command: Command) -> Command:
    """Give a command the option `--config`, once for each cluster."""
    return click.option(
        "--config",
        "files",
        multiple=True,
        required=True,
        metavar="FILE",
        help="A cluster.json; repeat it for several clusters.",
    )(command)


def cluster_option(command: Command) -> Command:
    """Give a command the option `--cluster`; hand its value to `known_cluster`."""
    return click.option("--cluster", metavar="NAME", help="Of this cluster only.")(command)


def directory_option(name: str, text: str, *called: str) -> Callable[[Command], Command]:
    """Give a command an option that names a directory; *called* are further names, of it or of its argument."""
    return click.option(name, *called, type=click.Path(path_type=Path), metavar="DIR", help=text)


def pairs(texts: Sequence[str], option: str, shape: str) -> Iterator[tuple[str, str]]:
    """Take every `NAME=VALUE` apart at its last `=`; raises InputInvalid for another *shape*."""
    for text in texts:
        name, _, value = text.rpartition("=")
        if not (name and value):
            raise InputInvalid(f"{text!r} is not {shape}", where=option, hint=f"write {option} {shape}")
        yield name, value


@contextmanager
def reading(url: str) -> Iterator[Connection]:
    """Open the dictionary at *url* for questions; one that is not there is an error, never made."""
    from scanner_dictionary.opening import open_dictionary

    with open_dictionary(url, create=False).connect() as conn:
        try:
            yield conn
        except UnicodeEncodeError as error:
            hint = "write it in UTF-8"
            raise InputInvalid(f"{error.object!r} holds bytes that are not UTF-8", hint=hint) from error


def known_cluster(conn: Connection, name: str | None) -> str | None:
    """Give *name* back; raises NameUnknown with the nearest names where the dictionary has no such cluster."""
    from scanner_dictionary.queries import clusters
    from scanner_dictionary.queries.near import unknown

    names = [row.name for row in clusters(conn)]
    if name is not None and name not in names:
        raise unknown("cluster", name, names, f"known: {', '.join(names)}" if names else "nothing was scanned yet")
    return name
