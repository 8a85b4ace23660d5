"""Who may read personal data: rules of access × columns with a tag × lineage, and what of it cannot be known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal, NamedTuple

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.personal_data import PersonalData, rows_of_tag
from scanner_api.questions.question import Cluster, Moment, Parameter
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.queries import history
from scanner_dictionary.queries.clients import (
    ClientRow,
    configured,
    declared_rules,
    observed,
    principals_of,
    rules_of,
)
from scanner_dictionary.validation import Finding, validate
from scanner_model.clients import Acls, Direction
from scanner_model.names import dataset_address
from scanner_model.text import counted

Access = Literal["permitted", "reads", "unknown"]
_TAGGED, _SUGGESTED = ("declared", "inherited"), "suggested"
_SLASH = "/"
"""A part of the names of datasets outside of the scanned clusters; names of topics never contain it."""

_MORE = "role bindings, groups and policies"
_GROUPS = 5
"""Names of groups in one sentence."""

_DECISIONS = ("decision-without-column",)
_Topic = tuple[str, str]
"""A cluster, and the name of a topic in it."""


class PersonalDataAccess(NamedTuple):
    """A principal that may read a column, or a reader of it, or that who may read it is unknown.

    *access* is permitted (rules of access), reads (a job, program or consumer group reads its topic), or unknown
    (*principal* is empty). *found* and *origin* are those of the column: declared, or inherited from *origin*. *how* is
    from which hosts, or why it is unknown. *source* is where the rules were read; *outside*: the column left Kafka.
    """

    cluster: str
    dataset: str
    column: str
    tag: str
    found: str
    origin: str
    outside: bool
    access: Access
    principal: str
    how: str
    source: str
    owner: str


class Undecided(NamedTuple):
    """A column that looks personal, *why*, and that no decision accepts or rejects."""

    cluster: str
    dataset: str
    column: str
    tag: str
    owner: str
    why: str


class SourceRead(NamedTuple):
    """A source, and whether the newest scan read it: *reason* is empty, or why its facts are older or missing."""

    cluster: str
    source: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataReport:
    """Who may read the columns with *tag* after *scan*, which was *finished* then; 0 and empty without a scan.

    *unknown* is what cannot be known, the gravest first: that no rules of access were read comes before all else.
    *undecided* are columns without the tag that look as if they should have it: who may read them is not listed.
    *sources* are those that the scans asked. *findings* are decisions on personal data that name missing columns.
    *complete* is False where columns may be missing: the graph is not of the newest scan, or a source was not read.
    """

    tag: str
    scan: int
    finished: str
    rules_read: bool
    complete: bool
    unknown: tuple[str, ...]
    access: tuple[PersonalDataAccess, ...]
    undecided: tuple[Undecided, ...]
    sources: tuple[SourceRead, ...]
    findings: tuple[Finding, ...]


def personal_data_report(
    dictionary: Dictionary,
    *,
    tag: Annotated[str, Parameter("The tag, in any case.", metavar="TAG")] = "PII",
    cluster: Cluster = None,
    as_of: Moment = None,
) -> PersonalDataReport:
    """Return who may read the columns with *tag* and their copies, by cluster, dataset, column and principal.

    Raises NameUnknown for an unknown cluster, or a moment without a scan.

    >>> personal_data_report(dictionary, as_of="2026-06-30").unknown
    """
    with dictionary.at(as_of).reading() as conn:
        only = known_cluster(conn, cluster)
        rows = [row for row in rows_of_tag(conn, tag) if only in (None, row.cluster)]
        names = [row.name for row in history.clusters(conn) if only in (None, row.name)]
        rules = {name: _Rules.of(conn, name) for name in names}
        sources = tuple(_sources(conn, names))
        scan = next(iter(history.scans(conn)), None)
        graph = stored_graph(conn)
        current = graph is not None and graph.last_scan >= newest_scan(conn)
        return PersonalDataReport(
            tag=tag,
            scan=scan.id if scan else 0,
            finished=(scan.finished or "") if scan else "",
            rules_read=bool(names) and all(rules[name].are_all for name in names),
            complete=current and not any(source.reason for source in sources),
            unknown=tuple(_unknown(rules, rows, sources, current=current)),
            access=tuple(sorted(set(_access(rows, rules, _readers(conn, only, rows))))),
            undecided=tuple(sorted(set(_undecided(rows)))),
            sources=sources,
            findings=tuple(validate(conn, cluster=only, rules=_DECISIONS)),
        )


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of access of a cluster, each with its source: those that brokers list, and those of files."""

    from_brokers: tuple[tuple[str, Acls], ...]
    from_files: tuple[tuple[str, Acls], ...]

    @classmethod
    def of(cls, conn: Connection, cluster: str) -> _Rules:
        return cls(tuple(rules_of(conn, cluster)), tuple(declared_rules(conn, cluster)))

    @property
    def are_all(self) -> bool:
        """Return whether nothing but the rules that were read is known to permit something."""
        return bool(self.from_brokers) and not any(acls.authorizer.decides_by_more for _, acls in self.from_brokers)

    def readers(self, topic: str) -> Iterator[tuple[str, str, str]]:
        """Yield who may read *topic*, from where, and the source that says so."""
        for source, acls in (*self.from_brokers, *self.from_files):
            for principal, how in principals_of(acls.permitted(topic, "READ")):
                yield principal, how if acls.authorizer.active else f"{how}: the brokers check no rules", source


def _readers(conn: Connection, cluster: str | None, rows: Iterable[PersonalData]) -> dict[_Topic, list[ClientRow]]:
    """Return who is known to read each topic with such columns: whoever does receives the whole record."""
    topics = {row.dataset for row in rows if row.found in _TAGGED and _SLASH not in row.dataset}
    readers: dict[_Topic, list[ClientRow]] = {}
    for row in chain(observed(conn, cluster=cluster, topic=topics), configured(conn, cluster=cluster, topic=topics)):
        if row.use == Direction.READS:
            readers.setdefault((row.cluster, row.topic), []).append(row)
    return readers


def _access(
    rows: Iterable[PersonalData], rules: dict[str, _Rules], readers: dict[_Topic, list[ClientRow]]
) -> Iterator[PersonalDataAccess]:
    for row in rows:
        if row.found in _TAGGED:
            address = dataset_address(row.dataset)
            place = row.cluster, address, row.column, row.tag, row.found, row.origin, row.outside
            for access, principal, how, source in _who(row, rules.get(row.cluster)):
                yield PersonalDataAccess(*place, access, principal, how, source, row.owner)
            for reader in readers.get((row.cluster, row.dataset), ()):
                who = f"{reader.kind} {reader.application}" + (f" of {reader.owner}" if reader.owner else "")
                yield PersonalDataAccess(*place, "reads", who, reader.evidence, "", row.owner)


def _undecided(rows: Iterable[PersonalData]) -> Iterator[Undecided]:
    for row in rows:
        if row.found == _SUGGESTED:
            why = "; ".join(row.why)
            yield Undecided(row.cluster, dataset_address(row.dataset), row.column, row.tag, row.owner, why)


def _who(row: PersonalData, rules: _Rules | None) -> Iterator[tuple[Access, str, str, str]]:
    if _SLASH in row.dataset:
        yield "unknown", "", "outside of the scanned clusters: the rights of its system are not read", ""
        return
    for principal, how, source in rules.readers(row.dataset) if rules else ():
        yield "permitted", principal, how, source
    for source, acls in rules.from_brokers if rules else ():
        if acls.authorizer.decides_by_more:
            yield "unknown", "", f"beyond the listed rules: {_MORE} were not read", source
    if rules is None or not rules.from_brokers:
        also = " beyond what files declare" if rules and rules.from_files else ""
        yield "unknown", "", f"no rules of access of this cluster were read{also}", ""


def _sources(conn: Connection, clusters: list[str]) -> Iterator[SourceRead]:
    for row in history.sources(conn):
        if row.cluster in clusters:
            reason = row.stale_reason or ("" if row.last_read else "never read completely")
            yield SourceRead(row.cluster, row.name, row.kind, reason if row.stale_since or not row.last_read else "")


def _unknown(
    rules: dict[str, _Rules], rows: list[PersonalData], sources: tuple[SourceRead, ...], *, current: bool
) -> Iterator[str]:
    """Yield what cannot be known from what was read, the gravest first."""
    if not rules:
        yield "Nothing was scanned: neither personal data nor rules of access are known."
    for cluster, of_cluster in rules.items():
        if not of_cluster.from_brokers:
            also = f"; {_listed(of_cluster.from_files)} declares some" if of_cluster.from_files else ""
            yield (
                f"No rules of access were read for cluster {cluster}: who may read its topics is unknown{also}. "
                "Brokers without rules may leave access to RBAC, IAM or Ranger, which are not read."
            )
        yield from _more(cluster, of_cluster)
    for source in sources:
        if source.reason:
            yield f"{source.source} of cluster {source.cluster} was not read completely: {source.reason}."
    if not current:
        missing = "copies of personal data may be missing"
        yield f"The graph is not of the newest scan: {missing}. Run `scanner dictionary dataflow`."
    if outside := len({row.dataset for row in rows if _SLASH in row.dataset and row.found in _TAGGED}):
        datasets = counted(outside, "dataset")
        yield f"Who may read the {datasets} outside of the scanned clusters: their rights are not read."
    if suggested := len({(row.cluster, row.dataset, row.column) for row in rows if row.found == _SUGGESTED}):
        look = "column looks" if suggested == 1 else "columns look"
        yield f"{suggested} {look} personal, without a tag: their readers are not listed. Decide on each."
    if any(not acls.authorizer.super_users for each in rules.values() for _, acls in each.from_brokers):
        yield "Super users may read everything. Brokers do not list them, and cluster.json names none."
    yield "A principal may stand for several people or services: who has its credentials is not known."
    yield "A column without a tag, and a copy whose flow is not known, is not in this report."


def _more(cluster: str, rules: _Rules) -> Iterator[str]:
    """Yield what may permit more than the rules that the brokers of *cluster* list."""
    for _, acls in rules.from_brokers:
        decided_by = f"its brokers decide by {acls.authorizer.class_name}"
        if acls.authorizer.decides_by_more:
            yield f"More may read the topics of cluster {cluster}: {decided_by}, and {_MORE} were not read."
        elif acls.authorizer.active and not acls.authorizer.class_name:
            yield f"Brokers of cluster {cluster} do not show their authorizer: {_MORE} may permit more than rules."
    principals = {rule.principal for _, acls in (*rules.from_brokers, *rules.from_files) for rule in acls.rules}
    if groups := sorted(name for name in principals if not name.startswith("User:")):
        shown = ", ".join(groups[:_GROUPS]) + (f" and {len(groups) - _GROUPS} more" if len(groups) > _GROUPS else "")
        yield f"Members of {shown} in cluster {cluster} are not read: each of them may read what the group may."


def _listed(rules: tuple[tuple[str, Acls], ...]) -> str:
    return ", ".join(source for source, _ in rules)
