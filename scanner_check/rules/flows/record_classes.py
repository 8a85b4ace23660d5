"""Fields of messages that change in source code while their schema stays: in record classes, and in what is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.sides.commit import Commit
from scanner_check.users.field_users import with_field_users
from scanner_check.users.hits import Hits
from scanner_check.users.others import CLUSTER
from scanner_dictionary.queries.columns import columns_of_topics
from scanner_dictionary.queries.field_uses import field_facts, field_users, unwritten_fields
from scanner_model.clients import Direction
from scanner_model.columns import ColumnPath, path_name
from scanner_model.field_uses import FieldExtent, FieldUse, MessageClass, plain_path

_Use = tuple[str, str, Direction]
"""Program, topic, and what it does."""


class _Change(NamedTuple):
    rule: str
    use: _Use
    path: ColumnPath
    what: str
    place: str
    hint: str = ""


def record_findings(
    commits: tuple[Commit, Commit], paths: frozenset[str], hits: Hits, known: Sequence[ChangeFinding]
) -> Iterator[ChangeFinding]:
    """Yield the fields that a program writes no more or as another type, and those that it expects and nothing writes.

    Only programs that the changed source files *paths* may be part of are compared. A field that a finding in *known*
    is about is left out: its schema changes.
    """
    (base, old), (head, new) = (commit.reading.changed_fields(paths) for commit in commits)
    about = {finding.item for finding in known if finding.rule.startswith(("column-", "made-"))}
    reads = _unwritten((base, head), commits[1], hits)
    for change in (*_classes((old, new), hits), *_written((base, head)), *reads):
        name = path_name(change.path)
        if name in about:
            continue
        about.add(name)
        file, _, line = change.place.rpartition(":")
        topic = hits.naming.topic(CLUSTER, change.use[1])
        by_field, by_topic = hits.of(topic, change.path), hits.of(topic)
        is_hit = any(hit.use not in ("writes", "unknown") for hit in by_field)
        known_readers = {(hit.kind, hit.name) for hit in by_field}
        # Other readers of the topic may know the field by another spelling, or copy whole records.
        more = (hit for hit in by_topic if (hit.kind, hit.name) not in known_readers)
        affected = tuple(hit for hit in (*by_field, *more) if hit.use != "writes")
        is_lost = change.rule == "record-field-expected" and change.hint
        finding = ChangeFinding(
            rule=change.rule,
            verdict=Verdict.IMPACT if is_hit or is_lost else Verdict.UNKNOWN,
            place=Place(file=file, line=int(line)),
            target=f"job {change.use[0]}",
            what=change.what,
            item=name,
            why=tuple(filter(None, (change.hint, f"the schema of {change.use[1]} does not change"))),
            affected=affected,
        )
        is_read = change.rule == "record-field-expected"
        yield finding if is_read else with_field_users(finding, change.path, [(CLUSTER, change.use[1])], hits)


def _classes(commits: tuple[Sequence[MessageClass], Sequence[MessageClass]], hits: Hits) -> Iterator[_Change]:
    before, after = map(_by_use, commits)
    for use, classes in after.items():
        for name, new in classes.items():
            others = before.get(use, {})
            old = others.get(name) or (next(iter(others.values())) if len(others) == len(classes) == 1 else None)
            if old is None or old.fields == new.fields:
                continue
            if use[2] is Direction.WRITES:
                yield from _lost(use, old, new)
            else:
                yield from _expected(use, old, new, hits)


def _by_use(classes: Iterable[MessageClass]) -> Mapping[_Use, Mapping[str, MessageClass]]:
    found: dict[_Use, dict[str, MessageClass]] = {}
    for each in classes:
        found.setdefault((each.program, each.topic, each.direction), {})[each.name] = each
    return found


def _lost(use: _Use, old: MessageClass, new: MessageClass) -> Iterator[_Change]:
    """Yield the fields that a class of written messages loses, or has with another type."""
    as_class = f"{use[0]} writes {use[1]} as {new.name}"
    added = [path for path in new.fields if path not in old.fields]
    for path, kind in _outermost(old.fields):
        name, now = path_name(path), new.fields.get(path)
        if now is None:
            alike = [other for other in added if new.fields[other] == kind and len(other) == len(path)]
            renamed = f", perhaps renamed to {path_name(alike[0])}" if len(alike) == 1 else ""
            yield _Change("record-field-removed", use, path, f"{as_class}, which loses {name}{renamed}", new.place)
        elif kind and now and now != kind:
            what = f"{as_class}, in which {name} was {kind} and is {now}"
            yield _Change("record-field-retyped", use, path, what, new.place)


def _outermost(fields: Mapping[ColumnPath, str]) -> list[tuple[ColumnPath, str]]:
    return sorted(fields.items(), key=lambda item: (len(item[0]), item[0]))


def _expected(use: _Use, old: MessageClass, new: MessageClass, hits: Hits) -> Iterator[_Change]:
    """Yield the fields that a class of read messages gets, and that no known program writes."""
    added = [path for path in new.fields if path not in old.fields]
    known = _known_fields(use[1], hits) if added else frozenset()
    for path in added:
        if _plain(path) not in known:
            expects = f"which now expects {path_name(path)}; no known program writes it"
            what = f"{use[0]} reads {use[1]} as {new.name}, {expects}"
            yield _Change("record-field-expected", use, path, what, new.place)


def _known_fields(topic: str, hits: Hits) -> Collection[str]:
    """Return the columns of a topic's schemas, and the fields that known programs write, as `_plain` does."""
    columns = (row.path for row in columns_of_topics(hits.conn, [topic]))
    users = (user for each in (hits, *hits.others) for user in field_users(each.field_uses, topic=topic))
    written = (tuple(user.column.split(".")) for user in users if user.use == Direction.WRITES)
    return frozenset(map(_plain, (*columns, *written)))


def _plain(path: ColumnPath) -> str:
    return ".".join(plain_path(path))


def _unwritten(commits: tuple[Sequence[FieldUse], Sequence[FieldUse]], head: Commit, hits: Hits) -> Iterator[_Change]:
    """Yield the fields that a program newly reads, and that no schema and no known writer has."""
    before = {(use.program, use.topic, plain_path(use.path)) for use in commits[0] if use.direction is Direction.READS}
    new = [use for use in commits[1] if (use.program, use.topic, plain_path(use.path)) not in before]
    topics = {str(use.topic) for use in new if use.direction is Direction.READS and use.extent is FieldExtent.FIELD}
    if not topics:
        return
    columns: dict[str, set[ColumnPath]] = {}
    with head.dictionary.reading() as conn:
        for row in (*columns_of_topics(hits.conn, topics), *columns_of_topics(conn, topics)):
            if row.role == "value":
                columns.setdefault(row.topic, set()).add(row.path)
    stored = (fact for each in (hits, *hits.others) for fact in field_facts(each.field_uses, topics))
    for found in unwritten_fields(new, columns, (*stored, *commits[1])):
        use, name = found.use, path_name(found.use.path)
        what = f"{use.program} now reads {name} of {use.topic}, which no schema and no known program writes"
        hint = f"did you mean {' or '.join(found.similar)}?" if found.similar else ""
        key = (use.program, str(use.topic), use.direction)
        yield _Change("record-field-expected", key, use.path, what, use.places[0] if use.places else ":1", hint)


def _written(commits: tuple[Sequence[FieldUse], Sequence[FieldUse]]) -> Iterator[_Change]:
    """Yield the fields that the code of a program sets no more; not of one whose fields are not all resolved."""
    before, after = map(_exact, commits)
    for use, old in before.items():
        new = after.get(use, {})
        for path in sorted(old.keys() - new.keys()) if new else ():
            what = f"{use[0]} no longer sets {path_name(path)} of {use[1]}"
            nearest = next(iter(new.values()))
            yield _Change("record-field-removed", use, path, what, nearest.places[0] if nearest.places else ":1")


def _exact(uses: Iterable[FieldUse]) -> Mapping[_Use, Mapping[ColumnPath, FieldUse]]:
    """Return the fields that programs write, of those whose fields are all known."""
    found: dict[_Use, dict[ColumnPath, FieldUse]] = {}
    unsure: set[_Use] = set()
    for each in uses:
        use = (each.program, str(each.topic), each.direction)
        if each.direction is Direction.WRITES:
            found.setdefault(use, {})
            if each.extent is FieldExtent.FIELD:
                found[use][each.path] = each
            else:
                unsure.add(use)
    return {use: fields for use, fields in found.items() if use not in unsure}
