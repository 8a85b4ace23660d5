"""Two scans of one cluster, compared through the change log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from scanner_dictionary import tables as t
from scanner_dictionary.diff.changes import ScanDiff, SchemaRef, SideChange
from scanner_dictionary.diff.definitions import heads, with_columns
from scanner_dictionary.diff.facts import fact_change
from scanner_dictionary.diff.replay import Replayed, replay
from scanner_dictionary.diff.sides import Linked, Swap, swaps
from scanner_dictionary.evolution import compare
from scanner_model.errors import NameUnknown
from scanner_model.schemas import Definition

_LINK = "topic_schema"
_SHOWN = 10


def diff(conn: Connection, first_scan: int, second_scan: int) -> ScanDiff:
    """Tell what changed from one scan of a cluster to another, net: what came and went in between is not told.

    The direction is kept as given: from a newer scan to an older one, what came is told as gone. Raises NameUnknown
    where one of the scans is not there, or where they are of two clusters.
    """
    cluster, name = _cluster(conn, first_scan, second_scan)
    facts = list(replay(conn, cluster, *sorted((first_scan, second_scan))))
    if first_scan > second_scan:
        facts = [fact.reversed() for fact in facts]
    known = heads(conn, set(_definitions(facts)))
    fingerprints = {key: each.fingerprint for key, each in known.items()}
    changes = (fact_change(fact, fingerprints) for fact in facts if fact.kind != _LINK)
    return ScanDiff(
        cluster=name,
        first=first_scan,
        second=second_scan,
        facts=tuple(sorted(filter(None, changes), key=lambda change: (change.kind, _in_order(change.name)))),
        sides=_sides(conn, [fact for fact in facts if fact.kind == _LINK], known),
    )


def _cluster(conn: Connection, first: int, second: int) -> tuple[int, str]:
    """Give key and name of the cluster of both scans."""
    query = select(t.scan.c.id, t.cluster.c.id, t.cluster.c.name).join(t.cluster, t.cluster.c.id == t.scan.c.cluster_id)
    found = {
        scan: (cluster, name) for scan, cluster, name in conn.execute(query.where(t.scan.c.id.in_((first, second))))
    }
    for number in (first, second):
        if number not in found:
            raise NameUnknown(f"the dictionary knows no scan {number}", hint=_known(conn, None))
    if found[first] != found[second]:
        what = f"scan {first} is of the cluster {found[first][1]!r}, scan {second} of {found[second][1]!r}"
        raise NameUnknown(what, hint=_known(conn, found[first][0]))
    return found[first]


def _known(conn: Connection, cluster: int | None) -> str:
    """List the newest scan numbers, of one cluster where one is given."""
    query = select(t.scan.c.id).order_by(t.scan.c.id.desc()).limit(_SHOWN + 1)
    found = list(conn.scalars(query if cluster is None else query.where(t.scan.c.cluster_id == cluster)))
    if not found:
        return "nothing was scanned yet: run `scanner extract` first"
    more = "…, " if len(found) > _SHOWN else ""
    of = "the dictionary" if cluster is None else "this cluster"
    return f"{of} has the scans {more}{', '.join(map(str, reversed(found[:_SHOWN])))}"


def _definitions(facts: Iterable[Replayed]) -> Iterable[int]:
    for fact in facts:
        for state in (fact.before, fact.after):
            if state is not None and "definition_id" in state:
                yield state["definition_id"]


def _sides(conn: Connection, links: list[Replayed], known: Mapping[int, Definition]) -> tuple[SideChange, ...]:
    found = swaps(links, lambda key: known[key].name)
    replaced = {one.definition for swap in found if swap.before and swap.after for one in (swap.before, swap.after)}
    whole = with_columns(conn, known, replaced)
    return tuple(_side(swap, known, whole) for swap in found)


def _side(swap: Swap, known: Mapping[int, Definition], whole: Mapping[int, Definition]) -> SideChange:
    change = None
    if swap.before and swap.after:
        change = compare(whole[swap.before.definition], whole[swap.after.definition])
    return SideChange(
        topic=swap.topic,
        role=swap.role,
        before=_ref(swap.before, known),
        after=_ref(swap.after, known),
        change=change,
    )


def _ref(linked: Linked | None, known: Mapping[int, Definition]) -> SchemaRef | None:
    if linked is None:
        return None
    definition = known[linked.definition]
    return SchemaRef(
        context=linked.context,
        subject=linked.subject,
        version=linked.version,
        schema_id=linked.schema_id,
        format=definition.format,
        record=definition.name,
        fingerprint=definition.fingerprint,
    )


def _in_order(name: tuple[object, ...]) -> tuple[tuple[bool, int, str], ...]:
    """Give what to sort a name by, whose parts are text, numbers or nothing."""
    return tuple((part is not None, part if isinstance(part, int) else -1, str(part)) for part in name)
