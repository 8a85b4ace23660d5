"""Whether a thing, given by its name alone, may be removed: a topic, a subject, a column, a table or a job."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.impact import AffectedNode, ImpactList, impact
from scanner_check.users.deletion import Answer, DeletionAnswer, DeletionUse, may_delete, uncertainties
from scanner_dictionary.queries.history import clusters
from scanner_dictionary.queries.subjects import subjects_named, topics_named
from scanner_model.columns import path_name


def may_remove(dictionary: Dictionary, name: str, *, cluster: str | None = None) -> tuple[DeletionAnswer, ...]:
    """Return who uses *name*: a topic, else a subject, else a node of the graph, an answer for each cluster.

    What is not known (a stale source, an old graph, unread jobs) makes an answer unknown. Raises NameUnknown for a name
    that the dictionary lacks, InputInvalid if several nodes have it.

    >>> [answer.answer for answer in may_remove(dictionary, "orders.total")]
    """
    with dictionary.reading() as conn:
        known = known_cluster(conn, cluster)
        is_topic, is_subject = bool(topics_named(conn, name, known)), bool(subjects_named(conn, name, known))
        names = [row.name for row in clusters(conn) if known in (None, row.name)]
    if is_topic:
        return may_delete(dictionary, topic=name, cluster=cluster)
    if is_subject:
        return may_delete(dictionary, subject=name, cluster=cluster)
    affected = impact(dictionary, name)
    uses = (*_uses(affected), *(use for each in names for use in uncertainties(dictionary, each)))
    kind, _, full_name = affected.root.partition(":")
    return (DeletionAnswer(cluster=" and ".join(names), what=f"{kind.replace('-', ' ')} {full_name}", uses=uses),)


def _uses(affected: ImpactList) -> Iterator[DeletionUse]:
    """Yield the jobs, groups and datasets that are affected, or the columns if nothing else is."""
    nodes = [node for node in affected.affected if not node.path] or affected.affected
    for node in nodes:
        yield DeletionUse(
            kind="column" if node.path else node.kind,
            name=_name(node),
            what=_WORDS.get(node.use, node.use),
            answer=Answer.UNKNOWN if node.use == "unknown" else Answer.NO,
            evidence=f"lineage, {node.steps} step{'' if node.steps == 1 else 's'}",
            owner=node.owner,
            last_seen=node.last_seen,
        )
    for note in affected.notes:
        yield DeletionUse(kind="graph", name="", what=note, answer=Answer.UNKNOWN)


_WORDS = {
    "copies": "copies it",
    "computes": "computes from it",
    "depends": "filters, joins or groups by it",
    "unknown": "reads it; which columns is not known",
    "made": "is written by it",
    "writes": "writes into it",
}
"""How impact uses a node → what a deletion breaks."""


def _name(node: AffectedNode) -> str:
    return f"{node.name}.{path_name(node.path)}" if node.path else node.name
