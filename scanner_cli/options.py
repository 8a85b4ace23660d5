"""Options that several commands share, and the dictionary that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from scanner_dictionary.opening import Connection

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_DICTIONARY = "sqlite:///dictionary.db"


def dictionary_option(command: Command) -> Command:
    """Give a command the option `--dictionary`."""
    return click.option(
        "--dictionary",
        "url",
        envvar="SCANNER_DICTIONARY",
        default=DEFAULT_DICTIONARY,
        show_default=True,
        metavar="URL",
        help="The dictionary: a file, sqlite:///FILE or postgresql://…; also from SCANNER_DICTIONARY.",
    )(command)


def config_option(command: Command) -> Command:
    """Give a command the option `--config`, once for each cluster."""
    return click.option(
        "--config",
        "files",
        multiple=True,
        required=True,
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="A cluster.json; repeat it for several clusters.",
    )(command)


@contextmanager
def reading(url: str) -> Iterator[Connection]:
    """Open the dictionary at *url* for questions; one that is not there is an error, never made."""
    from scanner_dictionary.opening import open_dictionary

    with open_dictionary(url, create=False).connect() as conn:
        yield conn
