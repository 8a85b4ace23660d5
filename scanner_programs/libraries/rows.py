"""The forms of rows about libraries, and how a name is found among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Signature = str
"""Names of the parts of a record, in the order of the parameters; `-` is of no effect on the record.

A `form` is a record if it is an object with the parts of one, otherwise the value.
"""


@dataclass(frozen=True, slots=True)
class Client:
    """A library that writes to topics.

    *packages* are what its names begin with, *types* those of its classes that files use without naming the package.
    *sends* are its methods that write, each with a signature by the number of arguments, or one for all (0).
    *records* are constructors and functions that make what is sent, in the same form. *result* are notes of functions
    whose result is written, and of interfaces whose methods write, each with the arguments that name topics. *whole*
    are methods that write the object that they are called on. *receives* are names that only readers use. *implements*
    are interfaces whose method `serialize` makes the bytes of a record. *applications* are classes that run what is
    built, with settings that readers depend on. *subscribes* are calls that name the topics which are read: records
    come from what they return, or from the object that they are called on. *listens* are notes of functions that are
    given records, each with the arguments that name the topic; *handles* are methods that the library calls with
    records, by the place of the parameter that they come in. *choice* is where a library of several brokers has one
    chosen: an enumeration, and its member for Kafka. *style* is how it writes the names of members if nothing says
    otherwise. *connects* are calls that have a `function` called with the records of one topic (`received`) and its
    result written to another. *registers* are calls that say that objects of a class, which is in brackets, are written
    to a topic. *defaults* are the method and the setting that give a client the topic of what it sends to none.
    *is_unknown*: only its name says that it is a client, so any call of one of its objects may write.
    """

    name: str
    packages: tuple[str, ...]
    sends: Mapping[str, Mapping[int, Signature]] = field(default_factory=dict)
    records: Mapping[str, Mapping[int, Signature]] = field(default_factory=dict)
    types: frozenset[str] = frozenset()
    result: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    receives: frozenset[str] = frozenset()
    implements: frozenset[str] = frozenset()
    applications: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    subscribes: Mapping[str, Mapping[int, Signature]] = field(default_factory=dict)
    listens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    handles: Mapping[str, int] = field(default_factory=dict)
    choice: tuple[str, str] = ("", "")
    connects: Mapping[str, Signature] = field(default_factory=dict)
    registers: Mapping[str, Signature] = field(default_factory=dict)
    style: str = ""
    defaults: tuple[str, str] = ("", "")
    is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Library:
    """A library that only watches a program: nothing that is given to it changes."""

    packages: tuple[str, ...]
    names: frozenset[str] = frozenset()


def begins(name: str, packages: Iterable[str]) -> bool:
    """Return whether a full name is one of a package."""
    return any(name == one or name.startswith((f"{one}.", f"{one}/", f"{one}::")) for one in packages)


def plain(name: str) -> str:
    """Return a name without the types in brackets behind it, and without the module before it."""
    name = name.partition("<")[0] if name.endswith(">") else name
    return name.rpartition("::")[2]


def without_async(name: str) -> str:
    """Return the name of the method that gives at once what a method of .NET gives later, by the name that it has.

    Source: Task-based asynchronous pattern, naming: a method that can be awaited ends in Async.
    """
    plain, bracket, inside = name.partition("<")
    is_of_dotnet = plain.endswith("Async") and plain.rpartition(".")[2][:1].isupper()
    return f"{plain.removesuffix('Async')}{bracket}{inside}" if is_of_dotnet else name
