"""What a question is: a typed function over a dictionary, what the faces need to ask it, and pages of answers."""

from __future__ import annotations

import base64
import binascii
import importlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Generic, Literal, TypeVar, overload

from scanner_model.errors import InputInvalid


@dataclass(frozen=True, slots=True)
class Parameter:
    """What the faces show and check of a parameter, beside its name, type and default.

    *text* is one sentence. *least* and *most* limit a number, *longest* is the most characters of a text. *request* is
    its name in requests if that is invalid in Python, *former* are names that requests may still use. *option* is
    its name on the command line where it differs; None: the command line does not have it. A parameter with
    *argument* is an argument of the command, not an option; *metavar* is the word for its value in the help.
    """

    text: str
    least: int | None = None
    most: int | None = None
    longest: int | None = None
    request: str = ""
    former: tuple[str, ...] = ()
    option: str | None = ""
    argument: bool = False
    metavar: str = "NAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question, from which the library, the command, the operation of the API and the tool of MCP derive.

    *function* is `module:name` below `scanner_api`, loaded when the question is asked. *summary* is one sentence on
    every face. *path* is that of the operation below `/api/v1`; empty: the API does not have it. *tool* and *command*
    are its names there; empty: they do not have it. *page* is how many items a page of the API has by default. The
    parameters of a POST are the members of its body; it changes nothing either. A *local* one reads files that the
    caller names: MCP has it on standard input and output only. A *heavy* question may take seconds on a large
    dictionary, another one where a parameter of *heavy_with* is given (`is_heavy`). The members *counts* of
    `Summary.counts` say how many items a list has without filters; empty: that is not counted.

    Of its command: *section* is where the help lists it, *line* its line there, of at most 60 characters; *help*
    continues the summary, *examples* are command lines, *shown* are the columns of its table, and those that are
    *optional* are left out where no row has them. *brief* are the columns that a terminal shows unless all are asked
    for; empty: all of them. *incomplete* is why an answer may not be complete. *runs* is `module:attribute` of a
    command that does more than ask this question; empty: the command derives from the row alone.
    """

    name: str
    function: str
    summary: str
    path: str = ""
    method: Literal["GET", "POST"] = "GET"
    media: str = "application/json"
    local: bool = False
    heavy: bool = False
    heavy_with: frozenset[str] = frozenset()
    page: int = 100
    counts: tuple[str, ...] = ()
    tool: str = ""
    command: str = ""
    section: str = ""
    line: str = ""
    runs: str = ""
    help: str = ""
    examples: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    brief: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    incomplete: str = ""

    @property
    def answer(self) -> Callable[..., Any]:
        """Return the function, of a `Dictionary` and keyword arguments."""
        module, _, name = self.function.partition(":")
        function: Callable[..., Any] = getattr(importlib.import_module(f"scanner_api.{module}"), name)
        return function

    def is_heavy(self, arguments: Mapping[str, object]) -> bool:
        """Return whether the answer to *arguments* may take seconds on a large dictionary."""
        parameters = inspect.signature(self.answer).parameters
        given = (name for name in self.heavy_with if name in arguments)
        return self.heavy or any(arguments[name] != parameters[name].default for name in given)


LARGEST_NUMBER = 2**31 - 1

Cluster = Annotated[str | None, Parameter("Only this cluster, by its name.")]
AnyCluster = Annotated[
    str | None,
    Parameter("The cluster's name, or one of its broker addresses; needed where several clusters have the topic."),
]
Pattern = Annotated[
    str | None,
    Parameter("A glob where it holds `*`, `?` or `[`, else a part of the name.", argument=True, metavar="PATTERN"),
]
ColumnName = Annotated[str | None, Parameter("The column's own name: the last name of its path.")]
Deleted = Annotated[bool, Parameter("Include entries deleted at the source.", option="--all")]
Topic = Annotated[str, Parameter("The topic's exact name.")]
_MOMENT = "its number, or a date, time (ISO 8601), `yesterday`, `last week` or `7d`"
Scan = Annotated[
    str | int,
    Parameter(f"A scan: {_MOMENT}, for the newest that was finished then.", longest=64, metavar="SCAN|DATE"),
]
Since = Annotated[
    str | int,
    Parameter(
        f"Since a scan: {_MOMENT}, for the newest that was finished before that day or time.",
        longest=64,
        metavar="SCAN|DATE",
    ),
]
Limit = Annotated[int | None, Parameter("How many items a page has at most.", least=1, most=1000, option=None)]
Cursor = Annotated[str | None, Parameter("next_cursor of the page before.", option=None)]
Node = Annotated[
    str,
    Parameter(
        "A node: the name of a topic, dataset, job, consumer group or column (`orders.customer.id`), `NAMESPACE/NAME`, "
        "or an id of the graph.",
        longest=2000,
        argument=True,
        metavar="NODE",
    ),
]
AsOf = Annotated[
    str | None,
    Parameter(
        "The graph of a scan (its number), or of a date or time (ISO 8601; a date is its end; also `yesterday`, `7d`).",
        longest=64,
        metavar="SCAN|DATE",
    ),
]

Moment = Annotated[
    str | None,
    Parameter("As of this scan or date.", longest=64, metavar="SCAN|DATE"),
]
"""A past state of the dictionary, which a question gets instead of the current one."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Sequence[T], Generic[T]):
    """Items of a list; *next_cursor* continues it, None at its end.

    *complete* is False where something may be missing on all pages: names are not indexed yet, or an item is cut.
    *did_you_mean* are the nearest names, where nothing has the one that was looked for.
    """

    items: tuple[T, ...]
    next_cursor: str | None = None
    complete: bool = True
    did_you_mean: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


def page_of(rows: Iterable[T], cursor: str | None, limit: int | None) -> Page[T]:
    """Return a page of a list that is computed whole; its cursor holds a position. Raises InputInvalid for another."""
    (start,) = read_cursor(cursor, int) if cursor else (0,)
    if limit is None:
        return Page(tuple(islice(rows, start, None)))
    items = tuple(islice(rows, start, start + limit + 1))
    return Page(items[:limit], write_cursor(start + limit) if len(items) > limit else None)


def keyed_page(rows: Iterable[T], key: Callable[[T], Sequence[object]], limit: int | None) -> Page[T]:
    """Return the first *limit* of *rows*, reading at most one more; the cursor holds the key of the last."""
    items = tuple(rows)
    if limit is None or len(items) <= limit:
        return Page(items)
    return Page(items[:limit], write_cursor(*key(items[limit - 1])))


def write_cursor(*values: object) -> str:
    """Return a cursor, opaque to clients, that holds *values*."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read_cursor(cursor: str, *kinds: type) -> tuple[Any, ...]:
    """Return the values of *cursor*, which must be of *kinds*; raises InputInvalid for another text."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        values = None
    if not isinstance(values, list) or tuple(map(type, values)) != kinds:
        raise InputInvalid("invalid cursor", where="cursor", hint="take next_cursor of a page")
    return tuple(values)
