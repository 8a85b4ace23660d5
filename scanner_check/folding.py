"""One change, one finding: what several rules report about one topic, column or schema becomes one of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.kinds import CountedJob
from scanner_check.model import Affected, ChangeFinding, Message, Place, Verdict, worst
from scanner_check.rows.files import NOT_READ
from scanner_check.rows.flows import COLUMN_LOST, TOPIC_RENAMED
from scanner_check.rows.programs import RECORD_FIELD_REMOVED
from scanner_check.rows.schemas import NO_READERS_KNOWN
from scanner_check.rows.table import row_of
from scanner_check.sides.commit import Commit, read_by, written_by
from scanner_check.users.hits import Hits

_LISTED = 10


def folded(findings: Iterable[ChangeFinding], commits: tuple[Commit, Commit], hits: Hits) -> tuple[ChangeFinding, ...]:
    """Return *findings* with one for each renamed or lost topic, each column of a schema and each unread schema."""
    listed = list(dict.fromkeys(findings))
    moved = {one.target for one in listed if one.counts and (row_of(one).lost_topic or row_of(one).new_topic)}
    listed = [one for one in listed if not (_is_of_columns(one) and one.target in moved)]
    for finding, old, new in _renamed(listed, commits, hits):
        listed = [one for one in listed if not _is_about_rename(one, old, new)]
        listed.insert(0, finding)
    listed = [one for one in listed if not _is_lost_column(one, listed)]
    listed = _merged(listed, _lost_topic)
    listed = _merged(listed, _column)
    return tuple(_merged(listed, _readers))


def _merged(findings: Sequence[ChangeFinding], key_of: Callable[[ChangeFinding], Hashable]) -> list[ChangeFinding]:
    """Return *findings* with one of each key: the most telling of a topic, with what the others say as reasons."""
    groups: dict[Hashable, list[ChangeFinding]] = {}
    for number, finding in enumerate(findings):
        key = key_of(finding)
        groups.setdefault(number if key is None else (key,), []).append(finding)
    return [_one_of(sorted(group, key=lambda one: row_of(one).lost_topic)) for group in groups.values()]


def _one_of(group: Sequence[ChangeFinding]) -> ChangeFinding:
    first, *others = group
    if not others:
        return first
    affected = {(hit.kind, hit.namespace, hit.name, hit.path): hit for one in reversed(group) for hit in one.affected}
    reasons = dict.fromkeys((*first.reasons, *(one.message for one in others if one.message != first.message)))
    hit = sorted(affected.values(), key=lambda one: one.steps)
    return replace(first, verdict=worst([one.verdict for one in group]), reasons=tuple(reasons), affected=tuple(hit))


def _lost_topic(finding: ChangeFinding) -> Hashable | None:
    """Return the topic that a finding says is gone or not written any more."""
    if not row_of(finding).lost_topic:
        return None
    return finding.target.removeprefix("topic ") if finding.target.startswith("topic ") else finding.item or None


def _is_of_columns(finding: ChangeFinding) -> bool:
    """Return whether a finding says that the columns of a job are not all known: they follow its topics."""
    return row_of(finding) is NOT_READ and finding.target.startswith("job ")


def _is_lost_column(finding: ChangeFinding, findings: Iterable[ChangeFinding]) -> bool:
    """Return whether a field that a job no longer sets is reported as a column that gets no value."""
    return row_of(finding) is RECORD_FIELD_REMOVED and any(
        row_of(one) is COLUMN_LOST and one.target == finding.target and one.item.endswith(f".{finding.item}")
        for one in findings
    )


def _column(finding: ChangeFinding) -> Hashable | None:
    """Return the definition that a finding about a column of a schema is about: several paths may lead to it."""
    is_of_column = row_of(finding).is_of_column and finding.target.startswith("subject ")
    if not is_of_column or "." not in finding.item or finding.place.line == 1:
        return None
    return finding.rule, finding.target, finding.place, finding.item.rpartition(".")[2]


def _readers(finding: ChangeFinding) -> Hashable | None:
    if row_of(finding).is_of_readers:
        return finding.rule, finding.target, finding.place
    return (finding.rule, finding.target) if row_of(finding) is NO_READERS_KNOWN else None


# --- renamed topics


def _renamed(
    findings: Sequence[ChangeFinding], commits: tuple[Commit, Commit], hits: Hits
) -> Iterator[tuple[ChangeFinding, str, str]]:
    """Yield a finding for each topic that a job writes under another name, with both names."""
    base, head = commits
    lost = (base.names - head.names) | (_written(base) - _written(head))
    gone = {name for name in lost if any(_names(one, name) for one in findings)}
    come = head.names - base.names
    pairs: dict[tuple[str, str], list[CountedJob]] = {}
    before = _by_name(base.jobs)
    for name, job in _by_name(head.jobs).items():
        if name in before:
            olds, news = _topics(before[name]) & gone, _topics(job) & come
            if len(olds) == len(news) == 1:
                pairs.setdefault((min(olds), min(news)), []).append(before[name])
    declared = _alike(gone - {old for old, _ in pairs}, set(come) - {new for _, new in pairs}, base, head)
    for (old, new), jobs in (*pairs.items(), *((pair, []) for pair in declared)):
        if sum(old == other for other, _ in pairs) > 1:
            continue
        rivals = [len(those) for (other, name), those in pairs.items() if name == new and other != old]
        if rivals and max(rivals) >= len(jobs):
            continue  # a topic has one name: the other one is gone
        dataset = hits.naming.topic(_CLUSTER, old)
        affected = hits.of(dataset)
        writers = [job.flows.job.name for job in base.jobs if dataset in written_by(job)]
        readers = [job.flows.job.name for job in base.jobs if dataset in read_by(job)]
        users = (tuple(dict.fromkeys(names[:_LISTED])) for names in (writers, readers))
        place = next((one.place for one in findings if _names(one, new)), None)
        place = place or next((one.place for one in findings if _names(one, old)), Place(file=""))
        yield (
            TOPIC_RENAMED.found(
                Verdict.IMPACT,
                place,
                f"topic {old}",
                old,
                new,
                *users,
                item=new,
                reasons=(Message("two names", ()),),
                affected=_with_writers(affected, jobs, hits),
            ),
            old,
            new,
        )


_CLUSTER = "repository"


def _with_writers(affected: tuple[Affected, ...], jobs: Iterable[CountedJob], hits: Hits) -> tuple[Affected, ...]:
    known = {hit.name for hit in affected}
    written = (dataset for job in jobs if job.flows.job.name not in known for dataset in sorted(written_by(job)))
    return tuple(dict.fromkeys((*affected, *(hit for dataset in written for hit in hits.of(dataset)))))


def _by_name(jobs: Iterable[CountedJob]) -> Mapping[str, CountedJob]:
    return {job.flows.job.name: job for job in jobs}


def _topics(job: CountedJob) -> set[str]:
    return {dataset.name for dataset in written_by(job) | read_by(job) if dataset.kind is NodeKind.TOPIC}


def _written(commit: Commit) -> set[str]:
    return {dataset.name for job in commit.jobs for dataset in written_by(job) if dataset.kind is NodeKind.TOPIC}


def _alike(gone: set[str], come: set[str], base: Commit, head: Commit) -> list[tuple[str, str]]:
    """Return the declared topics that differ in signs only, as `shoe-orders` and `shoe_orders`."""
    plain = {_plain(name): name for name in come & head.topics}
    pairs = ((old, plain.get(_plain(old), "")) for old in sorted(gone & base.topics))
    return [(old, new) for old, new in pairs if new]


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _names(finding: ChangeFinding, topic: str) -> bool:
    return topic in (finding.item, finding.target.removeprefix("topic "), finding.item.partition(".")[0])


def _is_about_rename(finding: ChangeFinding, old: str, new: str) -> bool:
    if row_of(finding).lost_topic and _names(finding, old):
        return True
    if row_of(finding).new_topic and _names(finding, new):
        return True
    return row_of(finding).moves_with_topic and finding.item.startswith(f"{old}.")
