"""The journal of pushes: what each run wrote and what was there before, in a private SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scanner_api.push.model import Ref, State, text_of
from scanner_model.errors import DictionaryBusy, DictionaryUnusable, InputInvalid
from scanner_model.private_files import create_private

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY, target TEXT NOT NULL, started TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS write (
    run INTEGER NOT NULL REFERENCES run (id), kind TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
    ours TEXT, restore TEXT, created INTEGER NOT NULL, UNIQUE (run, kind, key));
CREATE INDEX IF NOT EXISTS write_key ON write (kind, key);
CREATE VIEW IF NOT EXISTS kept AS
    SELECT write.rowid AS position, write.*, run.target FROM write JOIN run ON run.id = write.run WHERE NOT run.undone;
"""
_HINT = "let the other push end, or look at the rights of the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a run wrote to one resource.

    *ours* is what of its state is ours, None for nothing any more; *restore* is what undoing the run writes. *digest*
    is that of the wanted state, empty while it is unknown whether the catalog accepted it. *created*: a push created
    the resource.
    """

    ref: Ref
    ours: State | None
    restore: State | None
    digest: str = ""
    created: bool = False


class Run(NamedTuple):
    """A push that wrote something; *started* is ISO 8601."""

    id: int
    target: str
    started: str


class Journal:
    """The journal of one target in *file*; one push at a time has it open."""

    def __init__(self, file: Path, target: str) -> None:
        self._file, self._target = file, target
        with _errors(file):
            with suppress(FileExistsError):
                create_private(file)
            self._conn = sqlite3.connect(file, timeout=1, isolation_level=None)
            self._conn.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._conn.execute("BEGIN EXCLUSIVE")
            for statement in filter(str.strip, _SCHEMA.split(";")):
                self._conn.execute(statement)
            self._conn.execute("COMMIT")

    def __enter__(self) -> Journal:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._conn.close()

    def digests(self) -> dict[Ref, str]:
        """Return the digests of resources that have, or may have, something of ours, in the order of their writing."""
        query = "SELECT kind, key, digest, ours, max(run), position FROM kept WHERE target = ? GROUP BY kind, key"
        rows = self._conn.execute(query, (self._target,)).fetchall()
        latest = sorted(rows, key=lambda row: int(row[5]))
        return {Ref(kind, key): digest for kind, key, digest, ours, *_ in latest if ours is not None or not digest}

    def entries(self, refs: Iterable[Ref]) -> dict[Ref, Entry]:
        """Return the newest entries of *refs*, of those that have one."""
        query = (
            "SELECT kind, key, ours, restore, digest, created FROM kept"
            " WHERE target = ? AND kind = ? AND key = ? ORDER BY run DESC LIMIT 1"
        )
        found = (self._conn.execute(query, (self._target, *ref)).fetchone() for ref in refs)
        return {entry.ref: entry for entry in (_entry(row) for row in found if row)}

    def start(self, at: str) -> int:
        """Add a run that begins at *at*, and return its number."""
        added = self._conn.execute("INSERT INTO run (target, started) VALUES (?, ?)", (self._target, at))
        return int(added.lastrowid or 0)

    def write(self, run: int, entries: Iterable[Entry]) -> None:
        """Record *entries* of a run, in place of earlier ones of the same resources in it."""
        rows = [
            (run, *entry.ref, entry.digest, text_of(entry.ours), text_of(entry.restore), entry.created)
            for entry in entries
        ]
        with self._transaction():
            self._conn.executemany(
                "INSERT INTO write VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET digest = excluded.digest, ours = excluded.ours",
                rows,
            )

    def forget(self, run: int, refs: Iterable[Ref]) -> None:
        """Remove what a run recorded of *refs*, which the catalog refused."""
        with self._transaction():
            self._conn.executemany(
                "DELETE FROM write WHERE run = ? AND kind = ? AND key = ?", [(run, *r) for r in refs]
            )

    def written(self, run: int) -> Sequence[Entry]:
        """Return what a run wrote, the last first; raises InputInvalid where it cannot be undone."""
        known = {
            row[0]: row[1] for row in self._conn.execute("SELECT id, undone FROM run WHERE target = ?", self._args)
        }
        if run not in known or known[run]:
            open_runs = ", ".join(str(number) for number, undone in known.items() if not undone)
            what = f"run {run} was undone already" if run in known else f"there is no run {run} of this target"
            raise InputInvalid(what, where="--undo", hint=f"runs: {open_runs or 'none'}")
        query = "SELECT kind, key, ours, restore, digest, created FROM write WHERE run = ? ORDER BY rowid DESC"
        entries = [_entry(row) for row in self._conn.execute(query, (run,))]
        self._check_latest(run)
        return entries

    def undo(self, run: int) -> None:
        """Mark a run as undone."""
        self._conn.execute("UPDATE run SET undone = 1 WHERE id = ?", (run,))

    @property
    def _args(self) -> tuple[str]:
        return (self._target,)

    def _check_latest(self, run: int) -> None:
        query = (
            "SELECT max(run) FROM kept WHERE target = ? AND (kind, key) IN (SELECT kind, key FROM write WHERE run = ?)"
        )
        latest = self._conn.execute(query, (self._target, run)).fetchone()[0]
        if latest and latest > run:
            raise InputInvalid(
                f"run {latest} wrote some of the same later", where="--undo", hint=f"--undo {latest} first"
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _errors(self._file), self._conn:  # commits, or takes back what an error or Ctrl-C left half-written
            self._conn.execute("BEGIN")
            yield


def runs(file: Path) -> tuple[Run, ...]:
    """Return the runs in *file* that were not undone, for every target; none where there is no file."""
    if not file.exists():
        return ()
    with _errors(file), closing(sqlite3.connect(file, timeout=1)) as conn:
        query = "SELECT id, target, started FROM run WHERE NOT undone ORDER BY id"
        return tuple(Run(*row) for row in conn.execute(query))


def _entry(row: tuple[str, str, str | None, str | None, str, int]) -> Entry:
    kind, key, ours, restore, digest, created = row
    return Entry(ref=Ref(kind, key), ours=_state(ours), restore=_state(restore), digest=digest, created=bool(created))


def _state(text: str | None) -> State | None:
    state: Mapping[str, object] | None = None if text is None else json.loads(text)
    return state


@contextmanager
def _errors(file: Path) -> Iterator[None]:
    """Raise what SQLite and the system report as ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        kind = DictionaryBusy if "locked" in str(error) else DictionaryUnusable
        raise kind(f"the journal of pushes cannot be used: {error}", where=str(file), hint=_HINT) from error
    except (sqlite3.Error, OSError) as error:
        what = f"the journal of pushes cannot be used: {error}"
        raise DictionaryUnusable(what, where=str(file), hint="look at the file and its directory") from error
