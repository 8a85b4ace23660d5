"""The tools of MCP: the questions of an assistant over `scanner_api`, with answers within a budget.

Names, documentation and SQL come from strangers' schemas. They are only ever returned as members of a JSON document,
cut to a length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from scanner_api import queries
from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import diff_flows, flows_document, history, history_document
from scanner_api.graph.lineage import impact
from scanner_api.graph.neighbourhood import Hops, neighbourhood, paths
from scanner_api.searching import describe_topic as describe
from scanner_api.searching import find_columns as columns_called
from scanner_api.searching import search as search_names
from scanner_api.searching import state as read_state
from scanner_server.api.answering import json_text
from scanner_server.api.answers import impact_answer, neighbourhood_answer, paths_answer
from scanner_server.api.changes import check_change, may_delete
from scanner_server.api.documents import document

Json = Any

BUDGET = 8_000
"""Tokens that an answer may have; four characters of JSON are counted as one."""

_CHARACTERS = 4
_LONGEST_TEXT = 400


def _none_for_empty(value: object) -> object:
    """Return *value*; None for texts that models send for it."""
    return None if value in ("", "null", "None", "none") else value


Optional = Annotated[str | None, BeforeValidator(_none_for_empty)]
Node = Annotated[
    str,
    Field(min_length=1, max_length=2000, description="topic, dataset, job, group or column (topic.path); or a node id"),
]
AsOf = Annotated[Optional, Field(max_length=64, description="lineage of an earlier scan: its number, or a date")]
ClusterName = Annotated[Optional, Field(description="name of a cluster; all clusters without it")]


class Tools:
    """The tools over *dictionary*; *budget* is the number of tokens of an answer, *now* the clock."""

    def __init__(
        self, dictionary: Dictionary, budget: int = BUDGET, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._dictionary, self._budget, self._now = dictionary, budget, now

    def search(
        self,
        query: Annotated[str, Field(min_length=1, max_length=500, description="a name, or the start of a word of one")],
        kind: Annotated[
            Literal["topic", "node", "subject", "column"] | None,
            BeforeValidator(_none_for_empty),
            Field(description="node: jobs, datasets and consumer groups; all kinds without it"),
        ] = None,
        cluster: ClusterName = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        offset: Annotated[int, Field(ge=0, le=2000, description="hits to skip, for the next page")] = 0,
    ) -> dict[str, Any]:
        """Search names of topics, columns, subjects, jobs, datasets and consumer groups; the best match first."""
        kinds = (kind,) if kind else ()
        result = search_names(self._dictionary, query, kinds=kinds, cluster=cluster, limit=limit, offset=offset)
        answer = {"hits": document(result.hits), "more": result.more, "complete": result.complete}
        return self._bounded(answer, "hits")

    def describe_topic(
        self,
        cluster: Annotated[str, Field(description="the cluster's name, or one of its broker addresses")],
        topic: Annotated[str, Field(description="the topic's exact name")],
        subject: Annotated[Optional, Field(description="only the schemas of this subject")] = None,
    ) -> dict[str, Any]:
        """Describe a topic: current schemas with columns, documentation and tags; jobs and groups that use it."""
        answer = document(describe(self._dictionary, cluster, topic))
        schemas = [schema for schema in answer["schemas"] if subject in (None, schema["subject"])]
        for schema in schemas:
            schema.pop("text")
        columns = [
            {"schema": number, **column} for number, schema in enumerate(schemas) for column in schema.pop("columns")
        ]
        return self._bounded({**answer, "schemas": schemas, "columns": columns}, "columns", "users")

    def find_columns(
        self,
        name: Annotated[Optional, Field(description="the column's own name, as `customer_id`")] = None,
        tag: Annotated[Optional, Field(description="a whole tag, as `PII`")] = None,
        cluster: ClusterName = None,
        limit: Annotated[int, Field(ge=1, le=500)] = 100,
    ) -> dict[str, Any]:
        """Find the columns of topics that have a name or a tag, in any letter case."""
        page = columns_called(self._dictionary, name=name, tag=tag, cluster=cluster, limit=limit)
        columns = document(page.columns)
        return self._bounded(
            {"columns": columns[:limit], "more": page.after is not None, "complete": page.complete}, "columns"
        )

    def get_lineage(
        self,
        node: Node,
        direction: Literal["upstream", "downstream", "both"] = "both",
        hops: Annotated[
            int, Field(ge=1, le=20, description="edges to follow; a job is one hop, its output the next")
        ] = 2,
        limit: Annotated[int, Field(ge=1, le=2000, description="edges at most")] = 300,
        as_of: AsOf = None,
    ) -> dict[str, Any]:
        """Return nodes and edges near a node, each edge with its evidence; for a column its column flows.

        `upstream` and `downstream` of a node count its edges in the whole graph: there is more behind a node that has
        more of them than are listed.
        """
        up, down = (hops if direction in ("both", side) else 0 for side in ("upstream", "downstream"))
        hops_of = Hops(upstream=up, downstream=down, edges=limit)
        part = neighbourhood(self._dictionary, node, hops_of, as_of=as_of)
        return self._bounded(document(neighbourhood_answer(part)), "edges", "nodes")

    def get_paths(
        self, start: Node, end: Node, limit: Annotated[int, Field(ge=1, le=50)] = 5, as_of: AsOf = None
    ) -> dict[str, Any]:
        """Return the shortest paths on which data go from one node to another; `reverse` where they go back."""
        result = paths(self._dictionary, start, end, limit=limit, as_of=as_of)
        return self._bounded(document(paths_answer(result)), "paths", "nodes")

    def get_impact(
        self,
        node: Node,
        hops: Annotated[
            Annotated[int, Field(ge=1, le=100)] | None,
            BeforeValidator(_none_for_empty),
            Field(description="edges at most"),
        ] = None,
        limit: Annotated[int, Field(ge=1, le=2000)] = 200,
        as_of: AsOf = None,
    ) -> dict[str, Any]:
        """List what is affected if a topic, column, dataset or job is renamed or dropped, the nearest first.

        `use` is copies (the same value), computes, depends (filter, join), unknown (reads all, columns not known).
        """
        result = impact_answer(impact(self._dictionary, node, depth=hops, as_of=as_of), limit)
        return self._bounded(document(result), "affected")

    def diff_scans(
        self,
        first: Annotated[int, Field(ge=1, le=2**31 - 1, description="scan to compare from")],
        second: Annotated[int, Field(ge=1, le=2**31 - 1, description="scan to compare to, of the same cluster")],
        flows: Annotated[
            bool, Field(description="also nodes and flows of the graphs that differ, with causes")
        ] = False,
    ) -> dict[str, Any]:
        """Compare two scans: topics, schemas with their compatibility, columns, jobs; lineage with `flows`."""
        answer = queries.diff_document(queries.diff(self._dictionary, first, second))
        lists = ["others", "versions", "subjects", "topics", "schemas"]
        if flows:
            graphs = flows_document(diff_flows(self._dictionary, first, second))
            answer |= {"flow_nodes": graphs["nodes"], "flow_edges": graphs["edges"]}
            lists += ["flow_nodes", "flow_edges"]
        return self._bounded(answer, *lists)

    def get_history(
        self,
        node: Node,
        target: Annotated[Optional, Field(description="another node: when flows between both began and ended")] = None,
        limit: Annotated[int, Field(ge=1, le=1000)] = 100,
    ) -> dict[str, Any]:
        """List what each scan changed of a topic, column, job, subject or connector, the newest first."""
        answer = history_document(node, target, history(self._dictionary, node, target))
        lines = answer["history"][::-1]
        return self._bounded({**answer, "history": lines[:limit], "count": len(lines)}, "history")

    def check_change(
        self,
        text: Annotated[str, Field(min_length=1, max_length=1_000_000, description="the proposed schema")],
        subject: Annotated[Optional, Field(description="the subject that it would be registered for")] = None,
        topic: Annotated[Optional, Field(description="instead of a subject: the current schemas of a topic")] = None,
        role: Annotated[Literal["key", "value"], Field(description="with topic: the side")] = "value",
        references: Annotated[
            dict[str, str] | None,
            BeforeValidator(_none_for_empty),
            Field(description="texts behind the names it refers to"),
        ] = None,
        cluster: ClusterName = None,
        limit: Annotated[int, Field(ge=1, le=200, description="findings, and affected of each")] = 30,
    ) -> dict[str, Any]:
        """Check a proposed Avro, JSON or Protobuf schema against the stored one; nothing is registered.

        Verdicts: breaks (the registry rejects it), impact (somebody uses what changes), unknown, fine.
        """
        answer = check_change(
            self._dictionary,
            text=text,
            subject=subject or "",
            topic=topic or "",
            role=role,
            references=references,
            cluster=cluster,
            limit=limit,
        )
        return self._bounded(document(answer), "findings")

    def may_delete(
        self,
        topic: Annotated[Optional, Field(description="a topic")] = None,
        subject: Annotated[Optional, Field(description="instead: a subject")] = None,
        version: Annotated[
            Annotated[int, Field(ge=1)] | None,
            BeforeValidator(_none_for_empty),
            Field(description="only this version of it"),
        ] = None,
        schema_id: Annotated[Optional, Field(description="instead: a schema id")] = None,
        cluster: ClusterName = None,
        limit: Annotated[int, Field(ge=1, le=500, description="uses of each")] = 50,
    ) -> dict[str, Any]:
        """Find out whether a topic, subject, version or schema id may be deleted, and who uses it. Deletes nothing."""
        named = {"topic": topic or "", "subject": subject or "", "schema_id": schema_id or ""}
        answer = may_delete(self._dictionary, **named, version=version, cluster=cluster, limit=limit)
        return self._bounded({"answers": document(answer.items)}, "answers")

    def list_problems(
        self,
        severity: Annotated[Literal["error", "warning"] | None, BeforeValidator(_none_for_empty)] = None,
        cluster: ClusterName = None,
        limit: Annotated[int, Field(ge=1, le=500)] = 100,
    ) -> dict[str, Any]:
        """List what failed or does not fit together: failed connectors, topics without schema, broken references."""
        problems = [
            finding
            for finding in queries.findings(self._dictionary, cluster=cluster)
            if severity in (None, str(finding.severity))
        ]
        answer = {"problems": document(problems[:limit]), "count": len(problems)}
        return self._bounded(answer, "problems")

    def freshness(self) -> dict[str, Any]:
        """Return the clusters, their newest scans, and how fresh each source is."""
        newest = {row.last_scan for row in queries.clusters(self._dictionary)}
        scans = [scan for scan in queries.scans(self._dictionary) if scan.id in newest]
        sources = queries.sources(self._dictionary)
        answer = {"clusters": document(queries.clusters(self._dictionary)), "newest_scans": document(scans)}
        return self._bounded({**answer, "sources": document(sources)}, "sources")

    def _bounded(self, answer: dict[str, Json], *lists: str) -> dict[str, Any]:
        """Return *answer* within the budget: texts cut, then each of *lists* shortened in proportion to its length."""
        short = _cut(answer)
        about = self._about()
        excess = len(json_text(short)) + len(json_text(about)) - self._budget * _CHARACTERS
        lengths = {name: len(json_text(short[name])) for name in lists}
        left_out: dict[str, int] = {}
        for name in lists if excess > 0 else ():
            items = short[name]
            short[name] = _shortened(items, excess * lengths[name] / sum(lengths.values()))
            left_out[name] = len(items) - len(short[name])
        return {"about": about, "answer": short, "left_out": left_out}

    def _about(self) -> dict[str, Json]:
        now = read_state(self._dictionary)
        age = (self._now() - datetime.fromisoformat(now.finished)).total_seconds() if now.finished else None
        stale = [f"{source.cluster}: {source.source} (since scan {source.since})" for source in now.stale]
        return {
            "scan": now.scan,
            "scanned_at": now.finished,
            "age_seconds": None if age is None else int(age),
            "graph_scan": now.graph_scan,
            "graph_is_current": now.graph_scan is not None and now.graph_scan >= now.scan,
            "stale_sources": stale[:20],
            "more_stale_sources": max(0, len(stale) - 20),
        }


def call_tool(dictionary: Dictionary, *, name: str, budget: int, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of the tool *name* to *arguments*."""
    tool: Callable[..., dict[str, Any]] = getattr(Tools(dictionary, budget), name)
    return tool(**arguments)


def _cut(value: Json) -> Json:
    """Return *value* with long texts cut."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}… ({len(value)} characters)"
    if isinstance(value, Mapping):
        return {key: _cut(member) for key, member in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def _shortened(items: list[Json], excess: float) -> list[Json]:
    """Return *items* without the last ones, which have at least *excess* characters; at most all."""
    sizes = [len(json_text(item)) + 1 for item in items]
    count = len(items)
    while count and excess > 0:
        count -= 1
        excess -= sizes[count]
    return items[:count]
