"""Options that several commands share, and types of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from scanner_cli import library
from scanner_cli.console import echo_err
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid

_LARGEST = 64 * 1024 * 1024


def read_text(name: str, what: str = "schema") -> str:
    """Read a file, or standard input for `-`; raises InputInvalid for one that is not UTF-8 or too large.

    *what* names the expected contents in messages.
    """
    try:
        with click.open_file(name, "rb") as file:
            raw: bytes = file.read(_LARGEST + 1)
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=name, hint=f"save the {what} as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "not a valid file name"
        raise InputInvalid(f"cannot be read: {reason}", where=name, hint=f"name a {what} file") from error
    if len(raw) > _LARGEST:
        raise InputInvalid(f"is larger than {_LARGEST // 2**20} MiB", where=name, hint=f"name a {what} file")
    return text


Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_DICTIONARY = "sqlite:///dictionary.db"

_DAY = 86_400.0
_CLUSTER_FILE = Path("cluster.json")


def one_of(*names: str, words: Sequence[str], text: str, **settings: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - click's
    """Add an option that takes one of *words* to a command; another word is an error with a suggestion."""

    def known(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
        if value is None or value.lower() in words:
            return value and value.lower()
        hint = closest_match(value, words) or f"one of {', '.join(words)}"
        raise InputInvalid(f"{value!r} is not known", where=f"{context.command_path} {names[0]}", hint=hint)

    return click.option(*names, callback=known, metavar="|".join(words), help=text, **settings)


def dictionary_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `--dictionary` to a command, as its argument *dictionary*, a `Dictionary`."""

    @wraps(command)
    def with_dictionary(*, url: str, patience: float | None = None, **others: object) -> object:
        dictionary = library.Dictionary(url, notify=echo_err)
        if patience is not None:
            dictionary = replace(dictionary, patience=patience)
        return command(dictionary=dictionary, **others)

    return dictionary_url_option(with_dictionary)


def dictionary_url_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `--dictionary` to a command, as its argument *url*."""
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
    """Add the option `--lock-timeout` to a command; it must stand below `dictionary_option`."""
    return click.option(
        "--lock-timeout",
        "patience",
        type=click.FloatRange(min=0, max=_DAY),
        default=600,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait while another program writes the dictionary.",
    )(command)


def config_option(command: Command) -> Command:
    """Add the option `--config` to a command, once for each cluster."""
    return _config(required=True)(command)


def optional_config_option(command: Command) -> Command:
    """Add the option `--config` to a command that can do without."""
    return _config(required=False)(command)


def _config(*, required: bool) -> Callable[[Command], Command]:
    return click.option(
        "--config",
        "files",
        multiple=True,
        required=required,
        metavar="FILE",
        help="A cluster.json; repeat it for several clusters.",
    )


def cluster_files(files: Sequence[str], where: str) -> Sequence[str]:
    """Return *files*, or cluster.json of the current directory; raises InputInvalid if neither exists."""
    if files:
        return files
    if _CLUSTER_FILE.is_file():
        return [str(_CLUSTER_FILE)]
    hint = "name one with --config, or write one with `scanner init`"
    if where == "scanner scan":
        hint = "`scanner scan .` scans the files of this directory; `scanner init` writes a cluster.json"
    raise InputInvalid("no cluster.json is named, and this directory does not contain one", where=where, hint=hint)


def repository_options(command: Command) -> Command:
    """Add the options `--from` and `--var` to a command that reads directories of files."""

    def parsed(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> Mapping[str, str]:
        values: dict[str, str] = {}
        for text in texts:
            name, sign, value = text.partition("=")
            if not name or not sign:
                raise InputInvalid(f"{text!r} is not NAME=VALUE", where="--var", hint="as in --var TOPIC_PREFIX=prod.")
            values[name] = value
        return values

    command = click.option(
        "--var",
        "variables",
        multiple=True,
        metavar="NAME=VALUE",
        callback=parsed,
        help="A value for a placeholder in the files; repeatable.",
    )(command)
    return click.option(
        "--from",
        "directories",
        multiple=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="A directory of files as teams keep them in git; repeat it for several.",
    )(command)


def cluster_option(command: Command) -> Command:
    """Add the option `--cluster` to a command."""
    return click.option("--cluster", metavar="NAME", help="This cluster only.")(command)


def directory_option(name: str, text: str, *aliases: str) -> Callable[[Command], Command]:
    """Add an option that names a directory to a command; *aliases* are further names of it or of its argument."""
    return click.option(name, *aliases, type=click.Path(path_type=Path), metavar="DIR", help=text)


def pairs(texts: Sequence[str], option: str, shape: str) -> Iterator[tuple[str, str]]:
    """Split every `NAME=VALUE` at its last `=`; raises InputInvalid for another *shape*."""
    for text in texts:
        name, _, value = text.rpartition("=")
        if not (name and value):
            raise InputInvalid(f"{text!r} is not {shape}", where=option, hint=f"write {option} {shape}")
        yield name, value
