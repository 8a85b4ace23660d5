"""Match a column name, as an engine or an event writes it, to a field of a topic: exactly, else ignoring case."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from dataflow_generator.jobs.model import ColumnRef, GraphDataset, JobFlows
from scanner_model.columns import ELEMENT, KEY, MAP_VALUE, Column, ColumnPath


class Fields:
    """The current fields of a topic; none where no schema is known."""

    def __init__(self, columns: Iterable[Column]) -> None:
        listed = tuple(columns)
        self._paths = dict.fromkeys(column.path for column in listed)
        self._unlisted = {_folded(written): path for written, path in unlisted(listed).items()}
        self._folded: dict[ColumnPath, list[ColumnPath]] = {}
        for path in self._paths:
            for alike in {_folded(path), _folded(unmarked(path)), _folded(_branched(path))}:
                self._folded.setdefault(alike, []).append(path)
        for column in listed:
            for name in column.branches:
                self._folded.setdefault(_folded((*column.path, _simple(name))), []).append(column.path)

    @property
    def known(self) -> bool:
        """Return whether the fields of the topic are known."""
        return bool(self._paths)

    def find(self, path: ColumnPath, *, key: bool = False, whole: bool = False) -> ColumnPath | None:
        """Return the path of the field; None if absent, or if several match inexactly.

        Fields of the value take precedence over those of the key (whose paths begin with `@key`), or the reverse with
        *key*. A primitive key matches any column name. *whole*: the column is the whole key or value, so its own name
        is not a segment of the path.

        Elements of arrays and maps have no segment: `items.sku` is `items.[].sku`. A field inside a value whose fields
        are not columns resolves to that value: `at.seconds` of a Protobuf timestamp is `at`. A union branch is written
        as a field: `choice.int` is `choice` where all branches are primitive, else `choice.<int>`.
        Source: ksqlDB folds unquoted names to upper case and matches fields whatever their case.
        """
        sides: tuple[ColumnPath, ...] = ((KEY, *path), path) if key else (path, (KEY, *path))
        if whole:
            sides = ((KEY, *path[1:]) if key else path[1:], *sides)
        match = next((candidate for candidate in map(self._on_side, sides) if candidate is not None), None)
        return match if match is not None else ((KEY,) if key and self._paths.keys() & {(KEY,)} else None)

    def _on_side(self, path: ColumnPath) -> ColumnPath | None:
        if path in self._paths:
            return path
        alike = self._folded.get(_folded(path), [])
        if len(alike) == 1:
            return alike[0]
        return enclosing_column(_folded(path), self._unlisted)


def unlisted(columns: Iterable[Column]) -> Mapping[ColumnPath, ColumnPath]:
    """Return the columns whose values have fields that are not listed as columns, by their paths in SQL."""
    listed = tuple(columns)
    paths = [column.path for column in listed if column.unlisted and column.path]
    parents = {column.path[:-1] for column in listed} if paths else set()
    return {unmarked(path): path for path in paths if path not in parents}


def enclosing_column(path: ColumnPath, unlisted: Mapping[ColumnPath, ColumnPath]) -> ColumnPath | None:
    """Return the column that contains the field at *path*, where its fields are not listed; else None."""
    above = (path[:steps] for steps in range(len(path) - 1, 0, -1)) if unlisted else ()
    return next((unlisted[parent] for parent in above if parent in unlisted), None)


def unmarked(path: ColumnPath) -> ColumnPath:
    """Return a path as SQL writes it: without segments for array and map elements, except a last one."""
    return tuple(segment for segment in path[:-1] if segment not in (ELEMENT, MAP_VALUE)) + path[-1:]


def _branched(path: ColumnPath) -> ColumnPath:
    """Return *path* as SQL writes it, with union branches by their simple names and no other marks."""
    names = (_simple(segment[1:-1]) if segment.startswith("<") else segment for segment in path)
    return unmarked(tuple(names))


def _simple(name: str) -> str:
    return name.rpartition(".")[2]


def _folded(path: ColumnPath) -> ColumnPath:
    return tuple(segment.casefold() for segment in path)


def with_written_names(jobs: Sequence[JobFlows], described: Collection[tuple[str, str]]) -> list[JobFlows]:
    """Return *jobs*, those of ksqlDB with the fields as other jobs write them into topics that nothing describes.

    *described* are the namespaces and names of topics whose columns are known. Source: ksqlDB reads a field whatever
    the case of its name, so that `WEIGHT_G` is what a connector writes as `weight_g`.
    """
    written: dict[GraphDataset, dict[ColumnPath, set[ColumnPath]]] = {}
    for target in (flow.target for job in jobs for flow in job.columns):
        if target.path and (target.dataset.namespace, target.dataset.name) not in described:
            written.setdefault(target.dataset, {}).setdefault(_folded(target.path), set()).add(target.path)

    def as_written(column: ColumnRef) -> ColumnRef:
        paths = written.get(column.dataset, {}).get(_folded(column.path or ()), set())
        return ColumnRef(column.dataset, *paths) if len(paths) == 1 else column

    return [
        replace(job, columns=tuple(replace(flow, source=as_written(flow.source)) for flow in job.columns))
        if written and _folds(job)
        else job
        for job in jobs
    ]


def _folds(job: JobFlows) -> bool:
    return dict(job.job.attributes).get("type") == "ksqldb"


_PREFIXES = (("key.", True), ("value.", False), ("payload.after.", False), ("after.", False))
"""Prefixes that producers put before a field of a message, and whether it is then a field of the key."""
_ENVELOPES: tuple[ColumnPath, ...] = ((), ("after",), ("payload", "after"))
_ROOTS: Mapping[str, ColumnPath] = {"key": (KEY,), "value": ()}


class EventFields:
    """The columns of a dataset by the names that events use; *topic*: it holds messages with key and value.

    *unlisted* are columns whose values have fields that are not columns; such a field resolves to its column.
    """

    def __init__(
        self, paths: Iterable[ColumnPath], *, topic: bool, unlisted: Mapping[ColumnPath, ColumnPath] | None = None
    ) -> None:
        self._paths = frozenset(paths)
        self._unlisted = unlisted or {}
        self._dotted = {".".join(path): path for path in sorted(self._paths, reverse=True)}
        self._topic = topic

    def find(self, path: ColumnPath | None) -> ColumnPath | None:
        """Return the column path; None is the whole dataset, as Spark's `value` is. Unknown paths are unchanged.

        `value` and `key` also name the value of a message, or the key, that has no fields.
        """
        if path is None or path in self._paths or len(path) != 1:
            return path
        name = path[0]
        if listed := self._dotted.get(name):
            return listed
        if name in _ROOTS and _ROOTS[name] in self._paths:
            return _ROOTS[name]
        if not self._topic:
            return path
        return self._of_message(name) or (None if name in _ROOTS else path)

    def _of_message(self, name: str) -> ColumnPath | None:
        stripped = [(name.removeprefix(start), key) for start, key in _PREFIXES if name.startswith(start)]
        for plain, key in (*stripped, (name, False)):
            sides: Collection[ColumnPath] = [(KEY,)] if key else _ENVELOPES
            for side in sides:
                written = (*side, *plain.split("."))
                if path := self._dotted.get(".".join(written)) or enclosing_column(written, self._unlisted):
                    return path
        return None
