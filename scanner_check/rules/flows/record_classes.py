"""Fields that programs newly expect of messages, in classes or code, and that nothing is known to write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dataflow_generator.graph import NodeKind
from scanner_check.model import ChangeFinding, Message, Place, Verdict
from scanner_check.rows.programs import RECORD_FIELD_EXPECTED
from scanner_check.rows.schemas import SYMBOLS_REMOVED
from scanner_check.rows.table import row_of
from scanner_check.sides.commit import Commit
from scanner_check.users.hits import Hits
from scanner_check.users.others import CLUSTER
from scanner_dictionary.queries.columns import columns_of_topics
from scanner_dictionary.queries.field_uses import field_facts, field_users, unwritten_fields
from scanner_model.clients import Direction
from scanner_model.columns import KEY, ColumnPath, path_name
from scanner_model.field_uses import FieldExtent, FieldUse, MessageClass, plain_path

_WRAPPED = "payload"
_Use = tuple[str, str]
"""A program and a topic that it reads."""


class _Change(NamedTuple):
    use: _Use
    path: ColumnPath
    message: Message
    place: str
    similar: tuple[str, ...] = ()


def record_findings(
    commits: tuple[Commit, Commit], paths: frozenset[str], hits: Hits, known: Sequence[ChangeFinding]
) -> Iterator[ChangeFinding]:
    """Yield the fields that programs expect and nothing writes; what they write, `program_changes` compares.

    Only programs that the changed source files *paths* may be part of are compared. A field that a finding in *known*
    is about is left out: its schema changes.
    """
    (base, old), (head, new) = (commit.reading.changed_fields(paths) for commit in commits)
    about = {one.item for one in known if row_of(one).is_of_column and row_of(one) is not SYMBOLS_REMOVED}
    for change in (*_classes((old, new), hits), *_unwritten((base, head), commits[1], hits)):
        name = path_name(change.path)
        if name in about:
            continue
        about.add(name)
        file, _, line = change.place.rpartition(":")
        topic = hits.naming.topic(CLUSTER, change.use[1])
        by_field = hits.of(topic, change.path)
        is_hit = any(hit.use not in ("writes", "unknown") for hit in by_field)
        affected = {(hit.kind, hit.name): hit for hit in (*hits.of(topic), *by_field) if hit.use != "writes"}
        yield RECORD_FIELD_EXPECTED.found(
            Verdict.IMPACT if is_hit or change.similar else Verdict.UNKNOWN,
            Place(file=file, line=int(line)),
            f"job {change.use[0]}",
            message=change.message,
            item=name,
            reasons=(
                *((Message("similar", change.similar),) if change.similar else ()),
                Message("same schema", (change.use[1],)),
            ),
            affected=tuple(affected.values()),
        )


def _classes(commits: tuple[Sequence[MessageClass], Sequence[MessageClass]], hits: Hits) -> Iterator[_Change]:
    before, after = map(_by_use, commits)
    for use, classes in after.items():
        for name, new in classes.items():
            others = before.get(use, {})
            old = others.get(name) or (next(iter(others.values())) if len(others) == len(classes) == 1 else None)
            if old is not None and old.fields != new.fields:
                yield from _expected(use, old, new, hits)


def _by_use(classes: Iterable[MessageClass]) -> Mapping[_Use, Mapping[str, MessageClass]]:
    found: dict[_Use, dict[str, MessageClass]] = {}
    for each in classes:
        if each.direction is Direction.READS:
            found.setdefault((each.program, each.topic), {})[each.name] = each
    return found


def _expected(use: _Use, old: MessageClass, new: MessageClass, hits: Hits) -> Iterator[_Change]:
    """Yield the fields that a class of read messages gets, and that no known program writes, or by another spelling."""
    added = [path for path in new.fields if path not in old.fields]
    known = _known_fields(use[1], hits) if added else frozenset()
    fold, alike = _fold((new.place,)), set(map(plain_path, known))
    gone = {plain_path(path): path for path in old.fields if path not in new.fields and _spelling(path) in known}
    for path in added:
        former = gone.get(plain_path(path))
        is_respelled = former is not None and fold(former) != fold(path) and _spelling(path) not in known
        if is_respelled or plain_path(path) not in alike:
            message = RECORD_FIELD_EXPECTED.message(use[0], use[1], new.name, path_name(path), form="of a class")
            yield _Change(use, path, message, new.place, (path_name(former),) if former is not None else ())


def _known_fields(topic: str, hits: Hits) -> Collection[ColumnPath]:
    """Return the columns of a topic's schemas, and the fields that known programs write."""
    columns = (row.path for row in columns_of_topics(hits.conn, [topic]))
    users = (user for each in (hits, *hits.others) for user in field_users(each.field_uses, topic=topic))
    written = (tuple(user.column.split(".")) for user in users if user.use == Direction.WRITES)
    return frozenset(map(_spelling, (*columns, *written)))


def _fold(places: Sequence[str]) -> Callable[[ColumnPath], ColumnPath]:
    """Return how the language of *places* spells fields. Source: Go's encoding/json ignores the case of letters."""
    is_go = all(place.rpartition(":")[0].endswith(".go") for place in places)
    return (lambda path: tuple(map(str.lower, path))) if is_go else tuple


def _unwritten(commits: tuple[Sequence[FieldUse], Sequence[FieldUse]], head: Commit, hits: Hits) -> Iterator[_Change]:
    """Yield the fields that a program newly reads, and that no schema and no known writer has."""
    before = {(use.program, use.topic, plain_path(use.path)) for use in commits[0] if use.direction is Direction.READS}
    new = [use for use in commits[1] if (use.program, use.topic, plain_path(use.path)) not in before]
    spelled = _respelled(commits)
    read = (use for use in (*new, *spelled) if use.direction is Direction.READS and use.extent is FieldExtent.FIELD)
    topics = {str(use.topic) for use in read}
    if not topics:
        return
    columns: dict[str, set[ColumnPath]] = {}
    with head.dictionary.reading() as conn:
        for row in (*columns_of_topics(hits.conn, topics), *columns_of_topics(conn, topics)):
            if row.role == "value":
                columns.setdefault(row.topic, set()).add(row.path)
    flowing = _flowing(head, topics - columns.keys())
    new = [use for use in new if use.topic not in flowing or _is_beside(use.path, flowing[use.topic])]
    stored = [fact for each in (hits, *hits.others) for fact in field_facts(each.field_uses, topics)]
    for found in unwritten_fields(new, columns | flowing, (*stored, *commits[1])):
        yield _unwritten_change(found.use, tuple(found.similar))
    known = {(topic, _spelling(path)) for topic, paths in (columns | flowing).items() for path in paths}
    known |= {
        (str(use.topic), _spelling(use.path))
        for use in (*stored, *commits[1])
        if use.direction is Direction.WRITES and use.extent is FieldExtent.FIELD
    }
    for use, former in spelled.items():
        was_exact = (str(use.topic), _spelling(former)) in known
        if was_exact and (str(use.topic), _spelling(use.path)) not in known:
            yield _unwritten_change(use, (path_name(former),))


def _unwritten_change(use: FieldUse, similar: tuple[str, ...]) -> _Change:
    message = RECORD_FIELD_EXPECTED.message(use.program, path_name(use.path), str(use.topic))
    place = use.places[0] if use.places else ":1"
    return _Change((use.program, str(use.topic)), use.path, message, place, similar)


def _respelled(commits: tuple[Sequence[FieldUse], Sequence[FieldUse]]) -> Mapping[FieldUse, ColumnPath]:
    """Return the uses that read a field by another spelling than before, such as `customerEmail`, with the former one.

    Libraries may convert the spelling of a member, so that any is taken for a field: but not for one that the program
    itself has read by its very name.
    """
    former: dict[tuple[str, str, tuple[str, ...]], set[ColumnPath]] = {}
    for use in commits[0]:
        if use.direction is Direction.READS and use.extent is FieldExtent.FIELD:
            former.setdefault((use.program, use.topic, plain_path(use.path)), set()).add(use.path)
    spelled: dict[FieldUse, ColumnPath] = {}
    still_read = {(use.program, use.topic, use.path) for use in commits[1] if use.direction is Direction.READS}
    for use in commits[1]:
        if use.direction is not Direction.READS or use.extent is not FieldExtent.FIELD:
            continue
        paths = former.get((use.program, use.topic, plain_path(use.path)), set())
        fold = _fold(use.places)
        is_kept = any((use.program, use.topic, path) in still_read for path in paths)
        if len(paths) == 1 and not is_kept and fold(use.path) not in set(map(fold, paths)):
            spelled[use] = next(iter(paths))
    return spelled


def _spelling(path: ColumnPath) -> ColumnPath:
    """Return a path without marks of arrays and unions."""
    return tuple(part for part in path if not part.startswith(("[", "{", "<")))


def _flowing(head: Commit, topics: Collection[str]) -> dict[str, set[ColumnPath]]:
    """Return the columns that jobs write to each of *topics*, such as those of a table that a connector captures.

    A topic is left out if the columns of one of its writers are not known.
    """
    columns: dict[str, set[ColumnPath]] = {}
    unknown: set[str] = set()
    for job in head.jobs if topics else ():
        written = {use.dataset.name for use in job.flows.writes if use.dataset.kind == NodeKind.TOPIC} & set(topics)
        for flow in job.flows.columns:
            path = flow.target.path
            if flow.target.dataset.name in written and path and path[0] != KEY:
                # Connect's JSON converter wraps the value if it writes schemas.
                columns.setdefault(flow.target.dataset.name, set()).update((path, (_WRAPPED, *path)))
        unknown |= written - columns.keys()
    return {topic: paths for topic, paths in columns.items() if topic not in unknown}


def _is_beside(path: ColumnPath, known: Collection[ColumnPath]) -> bool:
    """Return whether the record that has the field has known fields itself: an envelope has others than its content."""
    return any(each[:-1] == path[:-1] for each in known)
