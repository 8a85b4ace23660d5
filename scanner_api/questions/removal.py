"""Whether a thing, given by its name alone, may be removed: a topic, a subject, a column, a table or a job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dataflow_generator.jobs.model import Naming
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.impact import AffectedNode, ImpactList, impact
from scanner_check.users.deletion import Answer, DeletionAnswer, DeletionUse, may_delete, uncertainties
from scanner_check.users.safe_dates import with_dates
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.history import clusters
from scanner_dictionary.queries.subjects import subjects_named, topics_named
from scanner_model.clients import Direction
from scanner_model.columns import path_name
from scanner_model.errors import InputInvalid
from scanner_model.usage import COUNT_ALL, USAGE_SCHEMA, Usage


def may_remove(
    dictionary: Dictionary, name: str, *, cluster: str | None = None, usage: Usage = COUNT_ALL
) -> tuple[DeletionAnswer, ...]:
    """Return who uses *name*: a topic, else a subject, else a node of the graph, an answer for each cluster.

    What is not known (a stale source, an old graph, unread jobs) makes an answer unknown. By the *usage* rule each
    reader that monitoring saw has a day from which on it does not count. Raises NameUnknown for a name that the
    dictionary lacks, InputInvalid if several nodes have it.

    >>> [answer.safe_on for answer in may_remove(dictionary, "orders.total", usage=usage_of("45d"))]
    """
    with dictionary.reading() as conn:
        known = known_cluster(conn, cluster)
        is_topic, is_subject = bool(topics_named(conn, name, known)), bool(subjects_named(conn, name, known))
        names = [row.name for row in clusters(conn) if known in (None, row.name)]
    if is_topic:
        return dated(dictionary, may_delete(dictionary, topic=name, cluster=cluster), usage, topic=name)
    if is_subject:
        return dated(dictionary, may_delete(dictionary, subject=name, cluster=cluster), usage)
    affected = impact(dictionary, name)
    uses = (*_uses(affected), *(use for each in names for use in uncertainties(dictionary, each)))
    kind, _, full_name = affected.root.partition(":")
    what = f"{kind.replace('-', ' ')} {full_name}"
    answer = DeletionAnswer(cluster=" and ".join(names), what=what, uses=uses)
    return dated(dictionary, (answer,), usage, root=affected.root)


def dated(
    dictionary: Dictionary, answers: Iterable[DeletionAnswer], usage: Usage, *, topic: str = "", root: str = ""
) -> tuple[DeletionAnswer, ...]:
    """Return the answers with the day on which each reader does not count any more, by the *usage* rule.

    They are about *topic*, or about the node *root* of the graph, which may be a column of a topic.
    """
    with dictionary.reading() as conn:
        place, homes = (
            root.partition(":")[2].partition("#")[0].replace("%23", "#"),
            Naming(graph_clusters(conn)).clusters,
        )
        topics = [
            key
            for name, namespace in homes.items()
            for key in topics_named(conn, topic or place.removeprefix(f"{namespace}/"), name)
            if topic or place.startswith(f"{namespace}/")
        ]
        by_cluster = {key.cluster: key for key in topics}
        only = topics[0] if root and topics else None
        return tuple(with_dates(conn, answer, usage, only or by_cluster.get(answer.cluster)) for answer in answers)


def usage_of(age: str) -> Usage:
    """Return the rule that readers do not count that were not seen for *age*, as 45d or 6w; raises InputInvalid."""
    if not re.fullmatch(USAGE_SCHEMA["properties"][_UNSEEN]["pattern"], age):
        raise InputInvalid(f"{age!r} is not an age", where="unseen_for", hint="write days or weeks, as 45d or 6w")
    return Usage.of({_UNSEEN: age})


_UNSEEN = "ignore_unseen_for"


def _uses(affected: ImpactList) -> Iterator[DeletionUse]:
    """Yield the jobs, groups and datasets that are affected, or the columns if nothing else is."""
    nodes = [node for node in affected.affected if not node.path] or affected.affected
    names = {node.id: node.name for node in affected.affected}
    for node in nodes:
        through = tuple(names.get(job, "") for job in node.through)
        what = _WORDS.get(node.use, node.use)
        if node.use == "unknown" and through:
            what = f"may get it through {through[-1]}, whose columns are not known"
        yield DeletionUse(
            kind="column" if node.path else node.kind,
            name=_name(node),
            what=what,
            answer=Answer.UNKNOWN if node.use == "unknown" else Answer.NO,
            evidence=f"lineage, {node.steps} step{'' if node.steps == 1 else 's'}",
            owner=node.owner,
            last_seen=node.last_seen,
            direction=Direction.WRITES if node.use in ("made", "writes") else Direction.READS,
            groups=node.groups,
            through=through,
        )
    for note in affected.notes:
        yield DeletionUse(kind="graph", name="", what=note, answer=Answer.UNKNOWN)


_WORDS = {
    "copies": "copies it",
    "computes": "computes from it",
    "depends": "filters, joins or groups by it",
    "unknown": "may read it: its columns are not known",
    "made": "is written by it",
    "writes": "writes into it",
}
"""How impact uses a node → what a deletion breaks."""


def _name(node: AffectedNode) -> str:
    return f"{node.name}.{path_name(node.path)}" if node.path else node.name
