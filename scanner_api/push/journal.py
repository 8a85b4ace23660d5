"""The journal of pushes: what each run wrote and what was there before, in a private SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scanner_api.push.model import Ref, State, text_of
from scanner_model.errors import DictionaryBusy, DictionaryUnusable, InputInvalid
from scanner_model.private_files import create_private

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY, target TEXT NOT NULL, started TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS write (
    run INTEGER NOT NULL REFERENCES run (id), kind TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
    ours TEXT, restore TEXT, created INTEGER NOT NULL, UNIQUE (run, kind, key));
CREATE TABLE IF NOT EXISTS pruned (target TEXT PRIMARY KEY, run INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS write_key ON write (kind, key);
CREATE VIEW IF NOT EXISTS kept AS
    SELECT write.rowid AS position, write.*, run.target FROM write JOIN run ON run.id = write.run WHERE NOT run.undone;
"""
_BUSY = "wait for the other push to end"
_UNUSABLE = "check the file and the rights of its directory"
_DAMAGED = (
    "restore the file from a backup; without one, move it away: the next push then leaves alone what the catalog"
    " already has"
)
_HEADER = 100
"""Bytes of the header of every SQLite file."""
_WRONG = sqlite3.SQLITE_ERROR
_ENVIRONMENT = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY}
)
"""Errors of SQLite that are the system's, not the file's."""


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
            try:
                create_private(file)
            except FileExistsError:
                if file.stat().st_size < _HEADER:  # SQLite takes it for a new file
                    what = "the journal of pushes is damaged: the file is truncated"
                    raise DictionaryUnusable(what, where=str(file), hint=_DAMAGED) from None
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

    def has_runs(self) -> bool:
        """Return whether a push into the target was recorded."""
        return bool(self._rows("SELECT id FROM run WHERE target = ? LIMIT 1", self._args))

    def digests(self) -> dict[Ref, str]:
        """Return the digests of resources that have, or may have, something of ours, in the order of their writing."""
        query = "SELECT kind, key, digest, ours, max(run), position FROM kept WHERE target = ? GROUP BY kind, key"
        latest = sorted(self._rows(query, self._args), key=lambda row: int(row[5]))
        return {Ref(kind, key): digest for kind, key, digest, ours, *_ in latest if ours is not None or not digest}

    def entries(self, refs: Iterable[Ref]) -> dict[Ref, Entry]:
        """Return the newest entries of *refs*, of those that have one."""
        query = (
            "SELECT position, kind, key, ours, restore, digest, created FROM kept"
            " WHERE target = ? AND kind = ? AND key = ? ORDER BY run DESC LIMIT 1"
        )
        rows = (row for ref in refs for row in self._rows(query, (self._target, *ref)))
        return {entry.ref: entry for entry in map(self._entry, rows)}

    def start(self, at: str) -> int:
        """Add a run that begins at *at*, and return its number."""
        with _errors(self._file):
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
        """Return what a run wrote, the last first; raises InputInvalid if it cannot be undone.

        Raises DictionaryUnusable for a damaged journal.
        """
        self._check_pages()
        known = dict(self._rows("SELECT id, undone FROM run WHERE target = ?", self._args))
        if run not in known or known[run]:
            open_runs = ", ".join(str(number) for number, undone in known.items() if not undone)
            what = f"run {run} was undone already" if run in known else f"there is no run {run} of this target"
            raise InputInvalid(what, where="--undo", hint=f"runs: {open_runs or 'none'}")
        if run <= self._pruned:
            what = f"the journal keeps what runs after {self._pruned} replaced, not what run {run} did"
            raise InputInvalid(what, where="--undo", hint="raise `keep_runs` of the target to keep more")
        query = "SELECT rowid, kind, key, ours, restore, digest, created FROM write WHERE run = ? ORDER BY rowid DESC"
        rows = self._rows(query, (run,))
        if not rows:
            what = f"the journal of pushes is damaged: it lists run {run}, but nothing that the run wrote"
            raise DictionaryUnusable(what, where=str(self._file), hint=_DAMAGED)
        entries = [self._entry(row, is_undo=True) for row in rows]
        self._check_latest(run)
        return entries

    def undo(self, run: int) -> None:
        """Mark a run as undone."""
        with _errors(self._file):
            self._conn.execute("UPDATE run SET undone = 1 WHERE id = ?", (run,))

    def prune(self, keep: int) -> None:
        """Keep the newest *keep* runs undoable; of older ones only what tells that a resource is ours."""
        query = "SELECT id FROM run WHERE target = ? AND NOT undone ORDER BY id DESC LIMIT 1 OFFSET ?"
        newest = next(iter(self._rows(query, (self._target, keep))), None)
        if newest is None or newest[0] <= self._pruned:
            return
        own = "run IN (SELECT id FROM run WHERE target = :target AND id <= :run)"
        older = f"run < (SELECT max(run) FROM kept WHERE {own} AND kind = write.kind AND key = write.key)"  # noqa: S608
        undone = "run IN (SELECT id FROM run WHERE undone)"
        with self._transaction():
            for statement in (
                f"DELETE FROM write WHERE {own} AND ({undone} OR {older})",  # noqa: S608 - texts of this function
                f"DELETE FROM write WHERE {own} AND ours IS NULL AND digest <> ''",  # noqa: S608
                f"UPDATE write SET restore = NULL WHERE {own} AND digest <> ''",  # noqa: S608
                "INSERT INTO pruned VALUES (:target, :run) ON CONFLICT DO UPDATE SET run = excluded.run",
            ):
                self._conn.execute(statement, {"target": self._target, "run": newest[0]})

    @property
    def _pruned(self) -> int:
        return next((int(row[0]) for row in self._rows("SELECT run FROM pruned WHERE target = ?", self._args)), 0)

    @property
    def _args(self) -> tuple[str]:
        return (self._target,)

    def _check_latest(self, run: int) -> None:
        query = (
            "SELECT max(run) FROM kept WHERE target = ? AND (kind, key) IN (SELECT kind, key FROM write WHERE run = ?)"
        )
        latest = self._rows(query, (self._target, run))[0][0]
        if latest and latest > run:
            raise InputInvalid(
                f"run {latest} wrote some of the same later", where="--undo", hint=f"--undo {latest} first"
            )

    def _check_pages(self) -> None:
        """Raise DictionaryUnusable if SQLite finds the file damaged."""
        (answer, *_), *_ = self._rows("PRAGMA quick_check(1)", ())
        if answer != "ok":
            what = f"the journal of pushes is damaged: {' '.join(str(answer).split())}"
            raise DictionaryUnusable(what, where=str(self._file), hint=_DAMAGED)

    def _rows(self, query: str, parameters: Sequence[object]) -> list[Any]:
        with _errors(self._file):
            return self._conn.execute(query, parameters).fetchall()

    def _entry(self, row: Sequence[Any], *, is_undo: bool = False) -> Entry:
        """Parse a row of `write`; raises DictionaryUnusable for one that no push can have written."""
        number, kind, key, ours, restore, digest, created = row
        try:
            entry = Entry(
                ref=Ref(kind, key), ours=_state(ours), restore=_state(restore), digest=digest, created=bool(created)
            )
            if is_undo and entry.restore is None and not entry.created:
                raise ValueError("the state before the run is missing")
        except (ValueError, RecursionError) as error:
            where = f"{self._file} table write, row {number} ({kind} {key})"
            raise DictionaryUnusable(
                f"the journal of pushes is damaged: {error}", where=where, hint=_DAMAGED
            ) from error
        return entry

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


def _state(text: object) -> State | None:
    """Parse the state in a column; raises ValueError for anything but an object."""
    if text is None:
        return None
    if not isinstance(text, str) or not isinstance(state := json.loads(text), dict):
        raise ValueError("invalid state of a resource")
    return state


@contextmanager
def _errors(file: Path) -> Iterator[None]:
    """Raise what SQLite and the system report as ours."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        what = f"the journal of pushes cannot be used: {error}"
        if "locked" in str(error):
            raise DictionaryBusy(what, where=str(file), hint=_BUSY) from error
        if isinstance(error, OSError) or getattr(error, "sqlite_errorcode", _WRONG) in _ENVIRONMENT:
            raise DictionaryUnusable(what, where=str(file), hint=_UNUSABLE) from error
        damage = " ".join(str(error).split())
        raise DictionaryUnusable(
            f"the journal of pushes is damaged: {damage}", where=str(file), hint=_DAMAGED
        ) from error
