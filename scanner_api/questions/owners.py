"""Questions about owners: how much each has, and what one of them has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, NamedTuple

from dataflow_generator.sql.lexer import statement_title
from dataflow_generator.stored.people import People
from scanner_api.dictionary import Dictionary
from scanner_api.questions.change_summaries import ChangeSummary, change_summaries
from scanner_api.questions.listings import Finding, findings
from scanner_api.questions.question import Cursor, Limit, Page, Parameter, page_of
from scanner_dictionary.graph.reader import list_nodes
from scanner_dictionary.queries import history
from scanner_dictionary.queries.resolve import unknown_name
from scanner_model.text import counted

_JOBS = ("job", "consumer-group")


class OwnedItem(NamedTuple):
    """A topic, job, consumer group or dataset of an owner; *id* is its key in the graph, *title* as in `GraphNode`."""

    id: str
    kind: str
    cluster: str
    name: str
    state: str
    failed: str
    title: str


class OwnerRow(NamedTuple):
    """An owner, with the numbers of its topics, of its jobs and consumer groups, and of its tables and files."""

    owner: str
    topics: int
    jobs: int
    datasets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """What *owner* has: items of the graph, the findings about them, and what changed of its topics since last week.

    *sentence* counts them. *compared* is False if only one scan is known, so that changes are unknown.
    """

    owner: str
    sentence: str
    items: tuple[OwnedItem, ...]
    findings: tuple[Finding, ...]
    changes: tuple[ChangeSummary, ...]
    compared: bool


def owners(dictionary: Dictionary, *, limit: Limit = None, cursor: Cursor = None) -> Page[OwnerRow]:
    """Return the owners by name, with how many topics, jobs and datasets each has.

    >>> [(row.owner, row.topics) for row in owners(dictionary)]
    """
    counts: dict[str, list[int]] = {}
    for owner, item in _owned(dictionary):
        at = 0 if item.kind == "topic" else 1 if item.kind in _JOBS else 2
        counts.setdefault(owner, [0, 0, 0])[at] += 1
    return page_of((OwnerRow(owner, *numbers) for owner, numbers in sorted(counts.items())), cursor, limit)


def owned(
    dictionary: Dictionary, *, owner: Annotated[str, Parameter("The owner's name, in any case.", longest=500)]
) -> Owned:
    """Return what *owner* has, what is wrong with it, and what changed. Raises NameUnknown for an unknown owner.

    >>> owned(dictionary, owner="team-shop").sentence
    """
    listed = list(_owned(dictionary))
    mine = tuple(item for name, item in listed if name.lower() == owner.lower())
    if not mine:
        raise unknown_name("owner", owner, sorted({name for name, _ in listed}), "`scanner topics` lists owners")
    spelled = next(name for name, _ in listed if name.lower() == owner.lower())
    # The namespace of a job is its engine, not a cluster.
    named = {(item.cluster, item.name) for item in mine} | {item.name for item in mine if not item.cluster}
    wrong = tuple(row for row in findings(dictionary) if named & _names(row))
    with dictionary.reading() as conn:
        compared = len(list(islice(history.scans(conn), 2))) > 1
    topics = {(item.cluster, item.name) for item in mine if item.kind == "topic"}
    changed = (
        tuple(row for row in change_summaries(dictionary) if (row.cluster, row.topic) in topics) if compared else ()
    )
    return Owned(
        owner=spelled,
        sentence=f"{spelled}: {', '.join(_counts(mine, wrong, changed, compared=compared))}.",
        items=mine,
        findings=wrong,
        changes=changed,
        compared=compared,
    )


def _names(row: Finding) -> set[object]:
    name = row.where.partition(" ")[2]
    return {name, (row.cluster, name)}


def _counts(
    items: Iterable[OwnedItem], wrong: tuple[Finding, ...], changed: tuple[ChangeSummary, ...], *, compared: bool
) -> Iterator[str]:
    kinds = [item.kind for item in items]
    for kind, word in (("topic", "topic"), ("job", "job"), ("consumer-group", "consumer group"), ("dataset", "table")):
        if kinds.count(kind):
            yield counted(kinds.count(kind), word)
    yield counted(len(wrong), "finding")
    yield counted(len(changed), "change") + " in the last week" if compared else "changes unknown (one scan)"


def _owned(dictionary: Dictionary) -> Iterator[tuple[str, OwnedItem]]:
    """Yield each node of the graph that has an owner, once for each of its owners."""
    with dictionary.reading() as conn:
        people = People(conn)
        clusters = {namespace: name for name, namespace in people.naming.clusters.items()}
        for node in list_nodes(conn, fits=lambda _: True):
            names = [name.strip() for name in people.owner_and_tags(node)[0].split(",")]
            about = people.about(node)
            cluster, statement = clusters.get(node.namespace, ""), str(about.get("statement", ""))
            for name in filter(None, dict.fromkeys(names)):
                states = str(about.get("state", "")), str(about.get("failed", "")), statement_title(statement)
                yield name, OwnedItem(node.node_key, node.kind, cluster, node.name, *states)
