"""Questions that list what the dictionary has: each returns rows in a documented order, and changes nothing.

Everywhere *as_of* is a scan or a date whose state of the dictionary is asked, *cluster* limits the answer to one
cluster (NameUnknown for one that the dictionary does not have), *pattern* is a glob where it holds `*`, `?` or `[`,
else a part of the name, and *deleted* adds what its source no longer has. *limit* is the most items of a page, None for
all; *cursor* is `next_cursor` of the page before. Every function raises DictionaryUnusable where the dictionary cannot
be read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Annotated, Literal, TypeVar

from dataflow_generator.query.stored_graph import coverage_of
from dataflow_generator.stored.column_tags import listed_with_tags, with_inherited
from dataflow_generator.stored.people import People
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.question import (
    Cluster,
    ColumnName,
    Cursor,
    Deleted,
    Limit,
    Moment,
    Page,
    Parameter,
    Pattern,
    Scan,
    keyed_page,
    page_of,
    read_cursor,
    write_cursor,
)
from scanner_check.policy import POLICY_RULES
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.graph.versions import graph_versions
from scanner_dictionary.queries import history, listings
from scanner_dictionary.queries import topics as subjects
from scanner_dictionary.queries.columns import TopicColumnRow as TopicColumnRow
from scanner_dictionary.queries.drift import Difference as Difference
from scanner_dictionary.queries.drift import Drift as Drift
from scanner_dictionary.queries.drift import DriftResult as DriftResult
from scanner_dictionary.queries.drift import DriftRow as DriftRow
from scanner_dictionary.queries.drift import drift as find_drift
from scanner_dictionary.queries.field_uses import unread_columns
from scanner_dictionary.queries.graph_at import check_moment, scan_at
from scanner_dictionary.queries.history import ClusterRow as ClusterRow
from scanner_dictionary.queries.history import ScanRow as ScanRow
from scanner_dictionary.queries.history import SourceRow as SourceRow
from scanner_dictionary.queries.listings import TopicFilter, TopicOrder, observed_since
from scanner_dictionary.queries.listings import TopicRow as TopicRow
from scanner_dictionary.queries.resolve import nearest_names, suggestions
from scanner_dictionary.queries.tables import TableLine as TableLine
from scanner_dictionary.queries.tables import tables as catalog_tables
from scanner_dictionary.queries.topics import SubjectRow as SubjectRow
from scanner_dictionary.queries.topics import is_glob, name_filter
from scanner_dictionary.search.columns_by_name import all_columns, columns_called
from scanner_dictionary.search.names import NODE, is_indexed, leaf_name, tag_names
from scanner_dictionary.validation import RULES, stored_findings
from scanner_dictionary.validation import Finding as Finding
from scanner_dictionary.validation import validate as run_rules
from scanner_model.documents.schema_errors import closest_match
from scanner_model.errors import InputInvalid, NameUnknown, Problem
from scanner_model.scan import SourceResult as SourceResult

T = TypeVar("T")

_AGE = re.compile(r"(?P<number>\d{1,4})(?P<unit>[dw])")
_WEEK = 7

Tag = Annotated[
    str | None,
    Parameter("Only with this whole tag, of the schema or of a stream catalog, in any case.", metavar="TAG"),
]


TagKind = Literal["known", "declared", "inherited", "suggested", "all"]
"""Which tags of columns count; *known* are declared and inherited."""


def clusters(dictionary: Dictionary) -> Page[ClusterRow]:
    """Return the clusters by name, with their broker addresses and newest scans."""
    with dictionary.reading() as conn:
        return Page(history.clusters(conn))


def topics(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    tag: Tag = None,
    owner: Annotated[str | None, Parameter("Only those of this owner, in any case.")] = None,
    without_schema: Annotated[
        bool, Parameter("Only topics that no schema describes; internal ones need none.")
    ] = False,
    without_owner: Annotated[bool, Parameter("Only topics without an owner, without internal ones.")] = False,
    without_reader: Annotated[bool, Parameter("Only topics that no job or consumer group is known to read.")] = False,
    without_writer: Annotated[bool, Parameter("Only topics that no job is known to write.")] = False,
    unused: Annotated[
        bool, Parameter("Only topics without a reader and without a writer, without internal ones.")
    ] = False,
    unused_for: Annotated[
        str | None,
        Parameter(
            "Only topics with no observed client for at least this long, for example 30d or 4w.",
            longest=16,
            metavar="AGE",
        ),
    ] = None,
    without_internal: Annotated[
        bool,
        Parameter("Leave out internal topics: of Kafka, Connect, MirrorMaker, ksqlDB, registries."),
    ] = False,
    sort: Annotated[TopicOrder, Parameter("The order; counts and times the largest first.")] = "name",
    deleted: Deleted = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[TopicRow]:
    """Return the topics by cluster and name, or by *sort* first.

    The source of a topic that only jobs mention is `data flow`. Readers and writers are those of the graph: where it is
    asked for them, the answer is not `complete` if the graph of the newest scan was not generated, and NameUnknown is
    raised if none was. With *unused_for* it is not `complete` either where clients are observed for less than that
    time. Where no topic fits a part of a name, `did_you_mean` has the nearest.

    >>> [topic.name for topic in topics(dictionary, pattern="orders*")]
    """
    unused = unused or unused_for is not None
    uses_graph = without_reader or without_writer or unused or sort in ("readers", "writers")
    with dictionary.at(as_of).reading() as conn:
        graph = stored_graph(conn)
        if uses_graph and graph is None:
            raise NameUnknown("the dictionary holds no graph yet", hint="run `scanner dictionary dataflow`")
        since = _before_newest(conn, unused_for) if unused_for is not None else ""
        wanted = TopicFilter(
            cluster=known_cluster(conn, cluster),
            unused_since=since,
            pattern=pattern,
            tag=tag,
            owner=owner,
            without_schema=without_schema,
            without_owner=without_owner,
            without_reader=without_reader or unused,
            without_writer=without_writer or unused,
            without_internal=without_internal or unused,
            include_gone=deleted,
        )
        if sort == "name":
            at = read_cursor(cursor, str, str) if cursor else None
            rows = listings.topics(conn, wanted, after=(at[0], at[1]) if at else None)
            page = keyed_page(_one_more(rows, limit), lambda row: (row.cluster, row.name), limit)
        else:
            page = page_of(listings.topics(conn, wanted, sort=sort), cursor, limit)
        current = not uses_graph or (graph is not None and graph.last_scan >= newest_scan(conn))
        current = current and (not since or "" < observed_since(conn) <= since)
        return _with_nearest(conn, replace(page, complete=page.complete and current), pattern)


def _before_newest(conn: Connection, age: str) -> str:
    """Return the moment so long before the end of the newest scan; raises InputInvalid for no age."""
    match = _AGE.fullmatch(age)
    newest = max((row.finished or "" for row in history.scans(conn)), default="")
    if not match or not newest:
        what = f"{age!r} is not an age" if newest else "no scan was finished yet"
        raise InputInvalid(what, where="unused_for", hint="write days or weeks, as 30d or 4w")
    days = int(match["number"]) * (_WEEK if match["unit"] == "w" else 1)
    return (datetime.fromisoformat(newest) - timedelta(days=days)).isoformat(timespec="seconds")


def schemas(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    topic: Annotated[str | None, Parameter("Only those that describe this topic now.")] = None,
    deleted: Deleted = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[SubjectRow]:
    """Return the subjects of every registry by cluster, registry, context and name, with versions and topics.

    >>> [subject.name for subject in schemas(dictionary, cluster="retail")]
    """
    with dictionary.at(as_of).reading() as conn:
        name = known_cluster(conn, cluster)
        rows = subjects.schemas(conn, cluster=name, pattern=pattern, topic=topic, include_gone=deleted)
        return page_of(rows, cursor, limit)


def columns(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    name: ColumnName = None,
    tag: Annotated[
        str | None,
        Parameter("Only with this whole tag, in any case; `*` is any.", metavar="TAG"),
    ] = None,
    tags: Annotated[
        TagKind,
        Parameter("Which tags count: declared, inherited along flows, suggested by names, known (the first two), all."),
    ] = "known",
    unread: Annotated[
        bool, Parameter("Only columns of topics without a known reader; `unseen` lists readers of unknown fields.")
    ] = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[TopicColumnRow]:
    """Return the columns of the schemas that topics have now, by cluster, topic, side, subject and position.

    Behind them come the columns of tables, and those that only flows of the graph know; with *cluster* those of its
    topics only. *name* and *tag* are whole ones in any letter case. `found_tags` are those that a column inherits. With
    a *tag* the columns that inherit it are among them, unless *tags* is `declared`; topics come first. A page by
    *name*, asked for by *limit* without a *pattern*, is read from the index of names: it is ordered by schema instead,
    may have somewhat more columns than *limit*, and is not `complete` where names are not indexed yet, or the graph of
    the newest scan was not generated. With *unread* come the columns of topics' values that no known program or flow
    reads, in the same order; *tag* does not limit them. Where no column fits a name or a tag, `did_you_mean` has the
    nearest.
    Raises InputInvalid for a page of all columns.

    >>> [(column.topic, column.name) for column in columns(dictionary, pattern="*.amount")]
    """
    with dictionary.at(as_of).reading() as conn:
        known = known_cluster(conn, cluster)
        if unread:
            rows = unread_columns(conn, all_columns(conn, cluster=known, pattern=pattern))
            wanted = (row for row in rows if not name or leaf_name(row.path).lower() == name.lower())
            return _with_owners(conn, replace(page_of(wanted, cursor, limit), complete=_has_newest_graph(conn)))
        if limit is not None and not (pattern or name or tag):
            raise InputInvalid("a name or a tag is missing", where="columns", hint="name=customer_id or tag=PII")
        if tag:
            fits = name_filter(pattern)
            having = (
                row
                for row in listed_with_tags(conn, tag, known, _KINDS[tags], pattern or name or "")
                if fits(row.name) and (not name or leaf_name(row.path).lower() == name.lower())
            )
            complete = tags == "declared" or _has_newest_graph(conn)
            tagged = _with_owners(conn, replace(page_of(having, cursor, limit), complete=complete))
            if pattern or name or tagged.items:
                return _with_nearest(conn, tagged, pattern or name)
            others = (known_tag for known_tag in tag_names(conn) if known_tag.lower() != tag.lower())
            return replace(tagged, did_you_mean=suggestions(tag, others))
        if limit is None or pattern:
            rows = all_columns(conn, cluster=known, pattern=pattern)
            wanted = (row for row in rows if not name or leaf_name(row.path).lower() == name.lower())
            listed = page_of(wanted, cursor, limit)
            items = with_inherited(conn, listed.items)
            return _with_nearest(conn, replace(listed, items=items, complete=is_indexed(conn, [NODE])), pattern or name)
        after = {"after": read_cursor(cursor, int, int)} if cursor else {}
        page = columns_called(conn, name or "", cluster=known, limit=limit, **after)
        rest = None if page.after is None else write_cursor(*page.after)
        return _with_nearest(conn, Page(with_inherited(conn, page.columns), rest, page.complete), name)


def _with_owners(conn: Connection, page: Page[TopicColumnRow]) -> Page[TopicColumnRow]:
    people = People(conn)
    items = (row._replace(owner=people.topic_notes(row.cluster, row.topic).owner) for row in page.items)
    return replace(page, items=tuple(items))


_KINDS = {
    "declared": ("declared",),
    "known": ("declared", "inherited"),
    "inherited": ("inherited",),
    "suggested": ("suggested",),
    "all": ("declared", "inherited", "suggested", "rejected"),
}


def _has_newest_graph(conn: Connection) -> bool:
    graph = stored_graph(conn)
    return graph is not None and graph.last_scan >= newest_scan(conn)


def _with_nearest(conn: Connection, page: Page[T], text: str | None) -> Page[T]:
    """Return *page*; an empty one with the names that *text* may mean, unless it is a glob."""
    if page.items or not text or is_glob(text):
        return page
    return replace(page, did_you_mean=nearest_names(conn, text))


def tables(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    provider: Annotated[
        str | None,
        Parameter("Only those of a kind: a catalog type of cluster.json, dbt, database, …"),
    ] = None,
    deleted: Deleted = False,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[TableLine]:
    """Return catalog tables, and tables that topics are materialized as, by cluster, provider, namespace and name.

    *provider* is a kind of catalog; *pattern* also matches the topic of a table.
    """
    with dictionary.at(as_of).reading() as conn:
        name = known_cluster(conn, cluster)
        rows = catalog_tables(conn, cluster=name, provider=provider, pattern=pattern, include_gone=deleted)
        return page_of(rows, cursor, limit)


def scans(
    dictionary: Dictionary, *, cluster: Cluster = None, limit: Limit = None, cursor: Cursor = None
) -> Page[ScanRow]:
    """Return the scans, the newest first."""
    with dictionary.reading() as conn:
        return page_of(history.scans(conn, cluster=known_cluster(conn, cluster)), cursor, limit)


def scan_sources(dictionary: Dictionary, scan: Scan) -> Page[SourceResult]:
    """Return how each source responded in *scan*; raises NameUnknown for a scan that is not stored."""
    check_moment(scan, "scan")
    with dictionary.reading() as conn:
        return Page(history.outcomes(conn, scan_at(conn, scan, "scan")))


def scan_problems(dictionary: Dictionary, scan: Scan, *, limit: Limit = None, cursor: Cursor = None) -> Page[Problem]:
    """Return what *scan* could not read or parse, then what its graph could not resolve, of all clusters.

    Raises NameUnknown for a scan that is not stored. Without a graph of this scan, only its own problems.
    """
    check_moment(scan, "scan")
    with dictionary.reading() as conn:
        number = scan_at(conn, scan, "scan")
        graphs = [graph for graph in graph_versions(conn) if graph.scan == number]
        unresolved = [problem for graph in graphs for problem in coverage_of(graph).problems]
        return page_of((*history.problems(conn, number), *unresolved), cursor, limit)


def sources(dictionary: Dictionary, *, cluster: Cluster = None) -> Page[SourceRow]:
    """Return the sources by cluster and name, with the scan since which each is stale, and why."""
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        return Page(tuple(row for row in history.sources(conn) if name in (None, row.cluster)))


def validate(
    dictionary: Dictionary,
    *,
    cluster: str | None = None,
    rules: Collection[str] | None = None,
    as_of: str | int | None = None,
) -> tuple[Finding, ...]:
    """Return what does not fit together in the dictionary, by cluster, rule and name; *rules* None: every rule.

    *as_of* is the scan or date whose state is checked; None: what is stored now.
    Raises InputInvalid for an unknown rule, NameUnknown for an unknown cluster.

    >>> [finding.where for finding in validate(dictionary, rules=["failed-connector"])]
    """
    _check_rules(rules or ())
    with dictionary.at(as_of).reading() as conn:
        return tuple(run_rules(conn, cluster=known_cluster(conn, cluster), rules=rules or None))


def _check_rules(names: Iterable[str]) -> None:
    for name in names:
        if name not in RULES:
            hint = closest_match(name, (*RULES, *POLICY_RULES)) or f"known: {', '.join(sorted(RULES))}"
            if name in POLICY_RULES:
                hint = "it is a rule of a policy, which `scanner validate --config` applies"
            raise InputInvalid(f"no rule is called {name!r}", where="rule", hint=hint)


def findings(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    rule: Annotated[str | None, Parameter("Only findings of this rule.")] = None,
    severity: Annotated[Literal["error", "warning"] | None, Parameter("Only of this severity.")] = None,
    where: Annotated[
        str | None, Parameter("Only about this, with its kind: `topic orders`.", longest=2000, option=None)
    ] = None,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[Finding]:
    """Return what `validate` found after the newest scan of each cluster, in its order, without looking again.

    Raises InputInvalid for an unknown rule.
    """
    _check_rules((rule,) if rule else ())
    with dictionary.at(as_of).reading() as conn:
        rows = stored_findings(conn, known_cluster(conn, cluster))
        at = (row for row in rows if where in (None, row.where))
        chosen = (row for row in at if rule in (None, row.rule) and severity in (None, str(row.severity)))
        return page_of(chosen, cursor, limit)


def drift(dictionary: Dictionary, *, cluster: Cluster = None) -> DriftResult:
    """Return where deployment files and what runs disagree, by cluster, kind and name, as the last scans read both.

    Defaults, masked secrets and filled-in placeholders are not differences. Raises NameUnknown for an unknown cluster.

    >>> [(row.name, row.drift, row.differences) for row in drift(dictionary).rows]
    """
    with dictionary.reading() as conn:
        return find_drift(conn, cluster=known_cluster(conn, cluster))


def _one_more(rows: Iterable[T], limit: int | None) -> Iterable[T]:
    """Return the first *limit* of *rows* and one more, which shows whether there are others."""
    return rows if limit is None else islice(rows, limit + 1)
