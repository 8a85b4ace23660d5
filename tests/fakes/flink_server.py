"""A stand-in for Flink on loopback: Confluent Cloud's SQL API, Confluent Manager's, a job manager and a SQL gateway.

It knows what it is given; the shapes are those of the public API descriptions. Oddities are given in the pages: an
empty page in the middle, an item without a name, a phase that nobody documents. A page that is a number is a status,
one that is text a web page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from loopback import answering, on_loopback

Json = Any

ORGANIZATION = "0a1b2c3d-0000-4000-8000-000000000001"
ENVIRONMENT = "env-x1"
CLOUD = f"/sql/v1/organizations/{ORGANIZATION}/environments/{ENVIRONMENT}"
CMF = "/cmf/api/v1/environments/shop/statements"


def statement(name: str, sql: str = "SELECT 1", phase: str = "RUNNING", **more: Json) -> Json:
    """Return a statement as Confluent Cloud lists it; *more* replaces members of `spec` and `status` by their name."""
    spec = {
        "statement": sql,
        "compute_pool_id": "lfcp-1",
        "principal": "sa-9",
        "properties": {"sql.current-catalog": "prod", "sql.current-database": "billing"},
        "stopped": False,
    }
    status = {
        "phase": phase,
        "detail": "",
        "traits": {"sql_kind": "INSERT_INTO", "is_bounded": False, "connection_refs": []},
        "latest_offsets": {"billing.invoices": "partition:0,offset:41"},
    }
    metadata = {"uid": f"uid-{name}", "created_at": "2026-05-01T10:00:00Z", "labels": {}}
    return {
        "api_version": "sql/v1",
        "kind": "Statement",
        "name": name,
        "organization_id": ORGANIZATION,
        "environment_id": ENVIRONMENT,
        "metadata": metadata | more.get("metadata", {}),
        "spec": spec | more.get("spec", {}),
        "status": status | more.get("status", {}),
    }


def table(name: str, cluster: str = "lkc-1", query: str = "SELECT 1 AS a", **status: Json) -> Json:
    """Return a materialised table as Confluent Cloud lists it."""
    return {
        "api_version": "sql/v1",
        "kind": "MaterializedTable",
        "name": name,
        "environment_id": ENVIRONMENT,
        "metadata": {"uid": f"uid-{name}", "created_at": "2026-05-01T10:00:00Z"},
        "spec": {"kafka_cluster_id": cluster, "query": query, "compute_pool_id": "lfcp-2", "principal": "sa-9"},
        "status": {"phase": "RUNNING", "version": 3} | status,
    }


def managed(name: str, sql: str = "SELECT 1", phase: str = "RUNNING") -> Json:
    """Return a statement as Confluent Manager for Apache Flink lists it."""
    return {
        "apiVersion": "cmf.confluent.io/v1",
        "kind": "Statement",
        "metadata": {"name": name, "uid": f"uid-{name}", "creationTimestamp": "2026-05-01T10:00:00.000Z"},
        "spec": {"statement": sql, "computePoolName": "pool", "properties": {"sql.current-catalog": "kafka-cat"}},
        "status": {"phase": phase, "detail": "", "traits": {"sqlKind": "SELECT"}},
    }


def job(identity: str, name: str = "insert-into_t", state: str = "RUNNING", started: int = 1777629600000) -> Json:
    """Return a job as `GET /jobs/overview` lists it."""
    return {"jid": identity, "name": name, "start-time": started, "end-time": -1, "duration": 5, "state": state}


def application(name: str, status: str = "RUNNING", **jobs: int) -> Json:
    """Return an application as `GET /applications/overview` of Flink 2.3 lists it; *jobs* are counted by state."""
    times = {"start-time": 1777629600000, "end-time": -1, "duration": 5}
    return {"id": f"{len(name):032x}", "name": name, **times, "status": status, "jobs": jobs}


@dataclass(slots=True, kw_only=True)
class Flink:
    """What is served: pages of statements, tables and the manager's statements; jobs and their plans by id.

    A plan that is a number is a status. *applications* is None before Flink 2.3, which does not list them. *causes* are
    the traces of failed jobs, by id. *asked* fills up with what was asked for.
    """

    statements: Sequence[Json] = ((),)
    tables: Sequence[Json] = ((),)
    managed: Sequence[Json] = ((),)
    jobs: Sequence[Json] = ()
    applications: Sequence[Json] | None = None
    plans: Mapping[str, Json] = field(default_factory=dict)
    causes: Mapping[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def answer(self, target: str) -> tuple[int, Json]:
        """Answer `GET target`: a status, and a document or the text of a web page."""
        self.asked.append(target)
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/sql/v1/organizations" | "/":
                return 404, _failure(404)
            case path if path == f"{CLOUD}/statements":
                return self._page(self.statements, query.get("page_token", ""), path)
            case path if path == f"{CLOUD}/materialized-tables":
                return self._page(self.tables, query.get("page_token", ""), path)
            case path if path == CMF:
                return self._numbered(int(query["page"]))
            case "/jobs/overview":
                return 200, {"jobs": list(self.jobs)}
            case "/applications/overview" if self.applications is not None:
                return 200, {"applications": list(self.applications)}
            case "/overview":
                return 200, {"taskmanagers": 1, "jobs-running": len(self.jobs), "flink-version": "2.2.1"}
            case "/v1/info":
                return 200, {"productName": "Apache Flink", "version": "2.2.1"}
            case path if path.startswith("/jobs/") and path.endswith("/plan"):
                return self._plan(path.split("/")[2])
            case path if path.startswith("/jobs/") and path.endswith("/exceptions"):
                return self._cause(path.split("/")[2])
        return 404, _failure(404)

    def _page(self, pages: Sequence[Json], token: str, path: str) -> tuple[int, Json]:
        number = int(token or 0)
        page = pages[number]
        if isinstance(page, int):
            return page, _failure(page)
        if isinstance(page, str):
            return 502, page
        following = f"https://flink.internal{path}?page_token={number + 1}" if number + 1 < len(pages) else ""
        return 200, {"api_version": "sql/v1", "kind": "List", "metadata": {"next": following}, "data": list(page)}

    def _numbered(self, number: int) -> tuple[int, Json]:
        page = self.managed[number] if number < len(self.managed) else ()
        if isinstance(page, int):
            return page, {"errors": [{"message": "no"}]}
        return 200, {"pageable": {"page": number, "size": 100}, "metadata": {"size": len(page)}, "items": list(page)}

    def _cause(self, identity: str) -> tuple[int, Json]:
        if identity not in self.causes:
            return 404, {"errors": ["org.apache.flink.runtime.rest.handler.RestHandlerException: no such job"]}
        trace = self.causes[identity]
        entry = {"exceptionName": trace.partition(":")[0], "stacktrace": trace, "timestamp": 1777629605000}
        return 200, {"exceptionHistory": {"entries": [entry], "truncated": False}}

    def _plan(self, identity: str) -> tuple[int, Json]:
        plan = self.plans.get(identity, 404)
        if isinstance(plan, int):
            return plan, {"errors": ["org.apache.flink.runtime.rest.handler.RestHandlerException: no such job"]}
        return 200, {"plan": plan}


def _failure(status: int) -> Json:
    return {"errors": [{"id": "e", "status": str(status), "title": "No", "detail": "it is not to be had"}]}


def serving(flink: Flink) -> AbstractContextManager[str]:
    """Serve *flink* on loopback and give its URL."""
    return on_loopback(answering(lambda request: flink.answer(request.path)))
