"""The programs whose source code uses a changed field, each with the line, for the finding about the field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scanner_check.model import Affected, ChangeFinding, Message, Verdict
from scanner_check.users.hits import Hits
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.field_uses import FieldUser, field_users
from scanner_dictionary.queries.subjects import topics_named
from scanner_model.clients import Direction
from scanner_model.columns import ColumnPath
from scanner_model.field_uses import FieldExtent

_LISTED = 5
_LINES = 2
_NO_READER = Message("no reader seen", ())
_WHOLE = (FieldExtent.ALL, FieldExtent.UNRESOLVED)


def with_field_users(
    finding: ChangeFinding, path: ColumnPath, topics: Iterable[tuple[str, str]], hits: Hits
) -> ChangeFinding:
    """Return the finding of a changed column with the programs that use it: their lines, and who cannot be seen.

    *topics* are (cluster, topic) pairs that the schema describes; in other dictionaries, those of the same names.
    Without any scanned reader the finding says so, unless the graph has readers.
    """
    listed = tuple(dict.fromkeys((hits.field_uses, cluster, topic) for cluster, topic in topics))
    called = dict.fromkeys(topic for _, _, topic in listed)
    listed += tuple(
        (other.field_uses, found.cluster, found.name)
        for other in hits.others
        for name in called
        for found in topics_named(other.field_uses, name)
    )
    users = _unique(
        user
        for conn, cluster, topic in listed
        for user in field_users(conn, cluster=cluster, topic=topic, path=path)
        if user.use == Direction.WRITES or user.application not in hits.removed
    )
    everyone = {user.application for place in listed for user in _readers(*place)} - hits.removed
    if not users and not everyone:
        return finding if finding.readers else replace(finding, reasons=(*finding.reasons, _NO_READER))
    exact = {(user.application, user.use) for user in users if user.column not in _WHOLE}
    seen = [user for user in users if user.column not in _WHOLE or (user.application, user.use) not in exact]
    seen = [user for user in seen if user.column != FieldExtent.UNRESOLVED]
    unseen = [user for user in users if user.column == FieldExtent.UNRESOLVED]
    readers = [user for user in seen if user.use == Direction.READS]
    reasons = [_message(user) for user in seen[:_LISTED]]
    if len(seen) > _LISTED:
        reasons.append(Message("more users", (len(seen) - _LISTED,)))
    if not readers and (everyone or not finding.readers):
        reasons.append(Message("no reader", ()) if everyone else _NO_READER)
    hidden = sorted({user.application for user in unseen if user.use == Direction.READS} | _others(finding, everyone))
    if hidden:
        names = (*hidden[:_LISTED], *(("…",) if len(hidden) > _LISTED else ()))
        reasons.append(Message("readers of unknown fields", (names,)))
    others = sorted(everyone - {user.application for user in users})
    if others:
        reasons.append(Message("readers of other fields", (tuple(others[:_LISTED]),)))
    affected = tuple(_with_line(hit, seen) for hit in finding.affected)
    is_read = bool(readers) and finding.verdict is Verdict.UNKNOWN
    verdict = Verdict.IMPACT if is_read else finding.verdict
    reasons = list(dict.fromkeys((*finding.reasons, *reasons)))
    return replace(finding, verdict=verdict, reasons=tuple(reasons), affected=affected)


def _unique(users: Iterable[FieldUser]) -> list[FieldUser]:
    """Return the users without those that an earlier dictionary has, too."""
    unique: dict[tuple[str, ...], FieldUser] = {}
    for user in users:
        unique.setdefault((user.topic, user.use, user.application, user.column), user)
    return list(unique.values())


def _readers(conn: Connection, cluster: str, topic: str) -> list[FieldUser]:
    return [user for user in field_users(conn, cluster=cluster, topic=topic) if user.use == Direction.READS]


def _message(user: FieldUser) -> Message:
    use = "" if user.column == FieldExtent.ALL else str(user.use)
    return Message("field user", (user.application, use, tuple(user.places[:_LINES])))


def _others(finding: ChangeFinding, known: set[str]) -> set[str]:
    """Return the readers in the graph whose columns are unknown, and of whose code nothing is known."""
    return {hit.name for hit in finding.readers if hit.use == "unknown" and hit.name not in known and hit.steps == 1}


def _with_line(hit: Affected, users: Iterable[FieldUser]) -> Affected:
    """Return a hit program with the line where it uses the field as its nearest evidence."""
    direction = Direction.WRITES if hit.use == "writes" else Direction.READS
    named = (user for user in users if user.application == hit.name and user.use == direction and user.places)
    user = next(named, None)
    if user is None or hit.steps != 1:
        return hit
    use = "computes" if hit.use == "unknown" and user.column != FieldExtent.ALL else hit.use
    return replace(hit, use=use, evidence=(*hit.evidence, user.places[0]))
