"""The location of a dictionary: resolves a file name or URL to an SQLAlchemy URL, and to text that may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from scanner_model.errors import InputInvalid
from scanner_model.redaction import mask_text

_SCHEME = re.compile(r"^(?P<name>[a-z][a-z0-9]+)(?:\+(?P<driver>[a-z0-9_]+))?:", re.IGNORECASE)
_LOGIN = re.compile(r"//\S{1,500}@")
_H2 = "export to H2 instead: `scanner dictionary export --format h2` writes a script that H2's RunScript loads"
_ENCODE = "write %40 for @, %2F for / and %3A for : in user and password"
_FORMS = "write a file name, sqlite:///file or postgresql://user:password@host/database"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """The location of a dictionary: *url* to connect to, *file* of SQLite (None: a server), *shown* to users.

    *shown* holds no password and no query string, which may hold one.
    """

    url: URL
    file: Path | None
    shown: str


def resolve_url(text: str) -> Location:
    """Resolve a file name or URL; raises InputInvalid where it cannot be a dictionary."""
    scheme = _SCHEME.match(text)
    if not scheme:
        return _in_file(text)
    name = scheme["name"].lower()
    if name in ("h2", "jdbc"):
        raise InputInvalid("a dictionary cannot be stored in H2", where=f"{name}:…", hint=_H2)
    if name not in _KINDS:
        raise InputInvalid(f"a dictionary cannot be stored in {name!r}", where=f"{name}:…", hint=_FORMS)
    return _KINDS[name](_url(text, name))


def from_anywhere(text: str) -> str:
    """Return *text* so that processes with another working directory open the same file."""
    file = resolve_url(text).file
    return text if file is None else str(file.absolute())


def _url(text: str, name: str) -> URL:
    """Parse a URL; errors do not quote it, because it may contain the password."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise InputInvalid("the dictionary's URL cannot be read", where=f"{name}:…", hint=_FORMS) from error
    parts = (url.host or "", url.database or "", text.partition("?")[2].partition("=")[0])
    if name != "sqlite" and any("@" in part for part in parts):
        raise InputInvalid("the password in the dictionary's URL is not encoded", where=f"{name}:…", hint=_ENCODE)
    return url


def _in_file(text: str) -> Location:
    if text.endswith(".mv.db"):
        raise InputInvalid("a dictionary cannot be stored in H2", where=text, hint=_H2)
    if not text.strip() or "\0" in text:
        raise InputInvalid("the dictionary's location is empty", hint=_FORMS)
    file = Path(text).expanduser()
    return Location(url=URL.create("sqlite", database=str(file)), file=file, shown=_LOGIN.sub("//", mask_text(text)))


def _sqlite(url: URL) -> Location:
    if not url.database or url.host:
        hint = "write sqlite:///dictionary.db, or sqlite:////absolute/path.db"
        raise InputInvalid("the dictionary's URL names no file", where="sqlite:…", hint=hint)
    return _in_file(url.database)


def _postgres(url: URL) -> Location:
    plain = url.drivername in ("postgres", "postgresql")
    url = url.set(drivername="postgresql+psycopg") if plain else url
    shown = url.set(query={}, drivername="postgresql").render_as_string(hide_password=True)
    return Location(url=url, file=None, shown=shown)


_KINDS = {"sqlite": _sqlite, "postgres": _postgres, "postgresql": _postgres}
