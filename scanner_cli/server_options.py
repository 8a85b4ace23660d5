"""Options that the commands of servers and of scheduled scans share: the token, how often, where changes are posted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from scanner_cli import library
from scanner_cli.console import echo_err
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.watching.watch import Watch

Command = TypeVar("Command", bound=Callable[..., Any])

WatchOf: TypeAlias = "Callable[[Dictionary, Sequence[str], float], Watch]"
"""Returns the watch of a dictionary, the configuration files, and the seconds between two scans."""

_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def read_token(token: str | None, file: Path | None) -> str:
    """Return the token, empty for none; raises InputInvalid for a file that cannot be read or is empty."""
    if file is None:
        return token or ""
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or "not UTF-8"
        raise InputInvalid(f"cannot be read: {why}", where=f"--token-file {file}", hint="name another") from error
    if not text:
        raise InputInvalid("the file is empty", where=f"--token-file {file}", hint="write the token into it")
    return text


def every_option(command: Command) -> Command:
    """Add the option `--every` to a command, a time such as `30s`, `15m`, `6h` or `1d`, as its argument in seconds."""

    def seconds(_: click.Context, __: click.Parameter, value: str) -> float:
        match = _DURATION.fullmatch(value.strip())
        if not match or float(match[1]) * _UNITS[match[2]] < 1:
            raise click.BadParameter(f"{value!r} is not a time of at least a second: write 30s, 15m or 6h")
        return float(match[1]) * _UNITS[match[2]]

    text = "Between scans: 30s, 15m, 6h, 1d."
    return click.option("--every", callback=seconds, default="15m", show_default=True, metavar="TIME", help=text)(
        command
    )


_OPTIONS = (
    click.option(
        "--webhook",
        envvar="SCANNER_WEBHOOK_URL",
        metavar="URL",
        help="Post changes there as CloudEvents; better set SCANNER_WEBHOOK_URL.",
    ),
    click.option(
        "--webhook-secret",
        envvar="SCANNER_WEBHOOK_SECRET",
        metavar="SECRET",
        help="Sign these events with HMAC-SHA256; better set SCANNER_WEBHOOK_SECRET.",
    ),
    click.option(
        "--slack",
        envvar="SCANNER_SLACK_URL",
        metavar="URL",
        help="Post changes to this incoming webhook of Slack; better set SCANNER_SLACK_URL.",
    ),
    click.option("--only-breaking", is_flag=True, help="Post only changes that break readers."),
    click.option("--only-tag", "tags", multiple=True, metavar="TAG", help="Only of topics with this tag; repeatable."),
    click.option("--only-owner", "owners", multiple=True, metavar="OWNER", help="Only of this owner; repeatable."),
    click.option(
        "--page-url",
        default="",
        metavar="URL",
        help="Address of `scanner serve`: messages to Slack link to its pages.",
    ),
    click.option(
        "--state",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Where pending notifications are kept; else beside the dictionary's file.",
    ),
    click.option(
        "--replay", type=click.Path(path_type=Path), metavar="DIR", help="Scan this capture instead of the network."
    ),
)


def watch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a watch to a command, as its argument *watch_of*, a `WatchOf`."""

    @wraps(command)
    def with_watch(  # noqa: PLR0913 - options of a command
        *,
        webhook: str | None,
        webhook_secret: str | None,
        slack: str | None,
        only_breaking: bool,
        tags: Sequence[str],
        owners: Sequence[str],
        page_url: str,
        state: Path | None,
        replay: Path | None,
        **others: object,
    ) -> object:
        rules = library.ChangeRules(breaking=only_breaking, tags=frozenset(tags), owners=frozenset(owners))
        urls = ("webhook", webhook), ("slack", slack)
        targets = [
            library.NotificationTarget(kind=kind, url=url, secret=webhook_secret or "", rules=rules, page=page_url)
            for kind, url in urls
            if url
        ]

        def watch_of(dictionary: Dictionary, files: Sequence[str], seconds: float) -> Watch:
            outbox = library.Outbox(state or dictionary.sibling(".watch.json"))
            context = library.watch_context(files, dictionary, notify=echo_err, replay=replay)
            return library.Watch(dictionary, context, outbox, targets, seconds)

        return command(watch_of=watch_of, **others)

    for option in reversed(_OPTIONS):
        with_watch = option(with_watch)
    return with_watch
