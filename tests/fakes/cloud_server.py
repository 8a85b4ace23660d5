"""A stand-in for Confluent Cloud on loopback: every plane on one host, each with a key of its own, as documented.

Oddities that are documented or were seen: pages of 100 at most, an empty page in the middle, a `next` with an empty
token, `SASL_SSL://` before a bootstrap address, an HTML page with 429, 403 on one plane only, display names that
repeat, nulls where a collection is empty, GraphQL errors with status 200.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from loopback import answering, on_loopback

Json = Any

ORGANIZATION = "0a1b2c3d-0000-0000-0000-000000000001"
PLANES = {
    "org": "cloud",
    "cmk": "cloud",
    "srcm": "cloud",
    "ksqldbcm": "cloud",
    "fcpm": "cloud",
    "connect": "cloud",
    "tableflow": "tableflow",
    "v2": "metrics",
    "kafka": "kafka",
    "catalog": "schema_registry",
    "sql": "flink",
}
"""The plane of a path, by its first step; what is not here is the schema registry's."""

HTML_429 = "<html><head><title>429 Too Many Requests</title></head><body>slow down</body></html>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A Kafka topic; *config* are settings that differ from the defaults."""

    name: str
    partitions: int = 6
    internal: bool = False
    config: Mapping[str, str] = field(default_factory=dict)

    def document(self, cluster: str) -> Json:
        """Return what Kafka REST reports of it."""
        return {
            "kind": "KafkaTopic",
            "cluster_id": cluster,
            "topic_name": self.name,
            "is_internal": self.internal,
            "replication_factor": 3,
            "partitions_count": self.partitions,
        }

    def configs(self) -> Iterator[Json]:
        """Return its settings, a default and a sensitive one among them."""
        members = {**dict.fromkeys(self.config, False), "cleanup.policy": True}
        for name, default in members.items():
            value = self.config.get(name, "delete")
            yield {"topic_name": self.name, "name": name, "value": value, "is_default": default, "is_sensitive": False}
        yield {"topic_name": self.name, "name": "x.secret", "value": None, "is_default": False, "is_sensitive": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A Kafka cluster with what stands on it; *lags* are topics by group, told on a Dedicated cluster only."""

    id: str
    name: str = "billing"
    kind: str = "Standard"
    topics: tuple[Topic, ...] = ()
    groups: tuple[str, ...] = ()
    share_groups: tuple[str, ...] = ()
    lags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mirrors: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    ksqldb: tuple[str, ...] = ()
    connectors: Mapping[str, Json] = field(default_factory=dict)
    offsets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: tuple[Json, ...] = ()
    integrations: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An environment; *registry* v2: only the old registry API knows it; *pools* are (cloud, region) pairs."""

    id: str = "env-x1"
    name: str = "prod"
    clusters: tuple[Cluster, ...] = ()
    registry: str = "v3"
    package: str = "ADVANCED"
    pools: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class Cloud:
    """What an organisation has, and how it answers.

    *keys* are `key:secret` by plane; a plane without one takes any. *refused* are statuses by the start of a path,
    *slow_down* counts the HTML pages with 429 before anything else is answered. *hollow*: the second page of each list
    is empty. *asked* fills up with `METHOD target`, *bodies* with what was posted.
    """

    environments: tuple[Environment, ...] = ()
    entities: tuple[Json, ...] = ()
    graphql: Mapping[str, tuple[Json, ...]] | None = None
    figures: Mapping[str, tuple[Json, ...]] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    slow_down: int = 0
    hollow: bool = False
    page: int = 100
    base: str = ""
    asked: list[str] = field(default_factory=list)
    bodies: list[Json] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, target: str, login: str, body: bytes) -> tuple[int, Json]:
        """Answer a request; a text is an HTML page."""
        parts = urlsplit(target)
        steps = tuple(unquote(step) for step in parts.path.strip("/").split("/"))
        with self.lock:
            self.asked.append(f"{method} {target}")
            if body:
                self.bodies.append(json.loads(body))
            if self.slow_down:
                self.slow_down -= 1
                return 429, HTML_429
        for start, status in self.refused.items():
            if parts.path.startswith(start):
                return status, _error(steps[0], status)
        key = self.keys.get(PLANES.get(steps[0], "schema_registry"))
        if key and login != "Basic " + base64.b64encode(key.encode()).decode():
            return 401, _error(steps[0], 401)
        return self._known(steps, dict(parse_qsl(parts.query)), json.loads(body) if body else None, target)

    def _known(self, steps: tuple[str, ...], query: dict[str, str], body: Json, target: str) -> tuple[int, Json]:
        match steps:
            case ("kafka", "v3", "clusters", name, *rest):
                return self._kafka(name, tuple(rest))
            case ("catalog", "v1", "search", "basic"):
                return 200, self._search(query)
            case ("catalog", "graphql"):
                return self._graphql(body)
            case ("v2", "metrics", "cloud", "query"):
                return 200, self._figures(body, query)
            case ("connect", "v1", "environments", _, "clusters", name, *rest):
                return self._connect(name, tuple(rest))
            case ("srcm", version, "clusters"):
                return self._registries(version, query)
            case _:
                rows = self._rows(steps, query)
                return (404, _error(steps[0], 404)) if rows is None else (200, self._paged(rows, query, target))

    def _rows(self, steps: tuple[str, ...], query: dict[str, str]) -> list[Json] | None:
        environments = [environment for environment in self.environments if environment.id == query.get("environment")]
        match steps:
            case ("org", "v2", "organizations"):
                return [{"id": ORGANIZATION, "display_name": "Acme"}]
            case ("org", "v2", "environments"):
                return [self._environment(environment) for environment in self.environments]
            case ("cmk", "v2", "clusters"):
                return [
                    self._cluster(cluster, environment.id)
                    for environment in environments
                    for cluster in environment.clusters
                ]
            case ("ksqldbcm", "v2", "clusters"):
                return [
                    self._ksqldb(name, cluster.id)
                    for environment in environments
                    for cluster in environment.clusters
                    for name in cluster.ksqldb
                ]
            case ("fcpm", "v2", "compute-pools"):
                return [
                    {"id": f"lfcp-{number}", "spec": {"cloud": cloud, "region": region}}
                    for environment in environments
                    for number, (cloud, region) in enumerate(environment.pools)
                ]
            case ("fcpm", "v2", "regions"):
                pools = sorted({pool for environment in self.environments for pool in environment.pools})
                return [
                    {"cloud": cloud, "region_name": region, "http_endpoint": f"{self.base}/flink-{region}"}
                    for cloud, region in pools
                ]
            case ("tableflow", "v1", kind):
                clusters = [
                    cluster
                    for environment in environments
                    for cluster in environment.clusters
                    if cluster.id == query.get("spec.kafka_cluster")
                ]
                known = {"tableflow-topics": "tables", "catalog-integrations": "integrations"}
                return [row for cluster in clusters for row in getattr(cluster, known[kind])] if kind in known else None
            case _:
                return None

    def _paged(self, rows: list[Json], query: dict[str, str], target: str) -> Json:
        """Return a page: 10 rows unless asked for, 100 at most; the token of the last page is empty, not missing."""
        size = min(int(query.get("page_size", 10)), self.page)
        number = int(query.get("page_token", "0").removeprefix("p") or 0)
        pages = [rows[start : start + size] for start in range(0, len(rows), size)] or [[]]
        if self.hollow:
            pages = [pages[0], [], *pages[1:]]
        token = f"p{number + 1}" if number + 1 < len(pages) else ""
        # The host is the public one whatever was queried, as behind a proxy.
        link = f"https://api.confluent.cloud{urlsplit(target).path}?page_token={token}"
        return {"metadata": {"next": link, "total_size": len(rows)}, "data": pages[number] or None}

    def _environment(self, environment: Environment) -> Json:
        crn = f"crn://confluent.cloud/organization={ORGANIZATION}/environment={environment.id}"
        return {
            "id": environment.id,
            "display_name": environment.name,
            "metadata": {"resource_name": crn},
            "stream_governance_config": {"package": environment.package},
        }

    def _cluster(self, cluster: Cluster, environment: str) -> Json:
        crn = f"crn://confluent.cloud/organization={ORGANIZATION}/environment={environment}/cloud-cluster={cluster.id}"
        return {
            "id": cluster.id,
            "metadata": {"resource_name": crn},
            "spec": {
                "display_name": cluster.name,
                "cloud": "AWS",
                "region": "eu-central-1",
                "config": {"kind": cluster.kind},
                "kafka_bootstrap_endpoint": f"SASL_SSL://{cluster.id}.eu-central-1.aws.example.org:9092",
                "http_endpoint": self.base,
                "environment": {"id": environment},
            },
            "status": {"phase": "PROVISIONED"},
        }

    def _ksqldb(self, name: str, kafka: str) -> Json:
        return {
            "id": name,
            "spec": {"display_name": name, "kafka_cluster": {"id": kafka}},
            "status": {
                "http_endpoint": f"{self.base}/{name}",
                "phase": "PROVISIONED",
                "topic_prefix": f"pksqlc-{name}",
            },
        }

    def _registries(self, version: str, query: dict[str, str]) -> tuple[int, Json]:
        environments = [environment for environment in self.environments if environment.id == query.get("environment")]
        if any(environment.registry < version for environment in environments):
            return 404, _error("srcm", 404)
        more = {"catalog_http_endpoint": self.base} if version == "v3" else {}
        rows = [
            {"id": f"lsrc-{environment.id}", "spec": {"http_endpoint": self.base, **more}}
            for environment in environments
        ]
        return 200, {"metadata": {"next": None}, "data": rows}

    def _one(self, name: str) -> Cluster | None:
        return next(
            (cluster for environment in self.environments for cluster in environment.clusters if cluster.id == name),
            None,
        )

    def _kafka(self, name: str, rest: tuple[str, ...]) -> tuple[int, Json]:
        cluster = self._one(name)
        if cluster is None:
            return 404, _error("kafka", 404)
        match rest:
            case ():
                return 200, {"kind": "KafkaCluster", "cluster_id": name}
            case ("topics",):
                return 200, _rest([topic.document(name) for topic in cluster.topics])
            case ("topics", "-", "configs"):
                return 200, _rest([row for topic in cluster.topics for row in topic.configs()])
            case ("consumer-groups",):
                return 200, _rest([{"consumer_group_id": group, "state": "STABLE"} for group in cluster.groups])
            case ("share-groups",):
                return 200, _rest([{"group_id": group, "state": "STABLE"} for group in cluster.share_groups])
            case ("consumer-groups", group, "lags") if cluster.kind == "Dedicated":
                rows = [
                    {"topic_name": topic, "partition_id": 0, "current_offset": 3, "consumer_id": ""}
                    for topic in cluster.lags.get(group, ())
                ]
                return 200, _rest([*rows, {"topic_name": "never-read", "partition_id": 0, "current_offset": -1}])
            case ("links",):
                return 200, _rest([{"link_name": link, "source_cluster_id": "lkc-far"} for link in _links(cluster)])
            case ("links", "-", "mirrors"):
                return 200, _rest(
                    [
                        {
                            "link_name": link,
                            "mirror_topic_name": topic,
                            "source_topic_name": origin,
                            "mirror_status": "ACTIVE",
                        }
                        for topic, (link, origin) in cluster.mirrors.items()
                    ]
                )
            case ("brokers",):
                return 403, _error("kafka", 403)
            case _:
                return 404, {"error_code": 40035, "message": "The broker does not support this call."}

    def _connect(self, name: str, rest: tuple[str, ...]) -> tuple[int, Json]:
        cluster = self._one(name)
        match rest:
            case ("connectors",) if cluster:
                return 200, dict(cluster.connectors)
            case ("connector-plugins",):
                return 200, []
            case ("connectors", connector, "offsets") if cluster and connector in cluster.offsets:
                partitions = [
                    {"partition": {"kafka_topic": topic, "kafka_partition": 0}, "offset": {"kafka_offset": 4}}
                    for topic in cluster.offsets[connector]
                ]
                return 200, {"id": "lcc-1", "name": connector, "offsets": partitions}
            case _:
                return 404, _error("connect", 404)

    def _search(self, query: dict[str, str]) -> Json:
        start, size = int(query["offset"]), min(int(query["limit"]), 500)
        rows = [entity for entity in self.entities if entity["typeName"] == query["type"]][start : start + size]
        members = {"searchParameters": {"limit": size, "offset": start}, "types": [query["type"]]}
        return {**members, "entities": rows} if rows else members

    def _graphql(self, body: Json) -> tuple[int, Json]:
        query = body["query"]
        if "variables" in body:
            return 500, _error("catalog", 500)
        if self.graphql is None:
            return 403, _error("catalog", 403)
        root = query.strip(" {").partition("(")[0].strip()
        if root not in self.graphql:
            return 200, {"errors": [{"message": f"Unknown field {root}"}], "data": None}
        limit, offset = (int(query.partition(f"{name}: ")[2].partition(end)[0]) for name, end in _LIMITS)
        return 200, {"data": {root: list(self.graphql[root][offset : offset + limit])}}

    def _figures(self, body: Json, query: dict[str, str]) -> Json:
        """Return 1000 rows a page; the token is read from the address only."""
        name = body["aggregations"][0]["metric"].rpartition("/")[2]
        rows, start = self.figures.get(name, ()), int(query.get("page_token", "0"))
        more = {"next_page_token": str(start + 1000)} if start + 1000 < len(rows) else {}
        return {"data": list(rows[start : start + 1000]), "meta": {"pagination": {"page_size": 1000, **more}}}


_LIMITS = (("limit", ","), ("offset", ")"))


def _links(cluster: Cluster) -> list[str]:
    return sorted({link for link, _ in cluster.mirrors.values()})


def _rest(rows: list[Json]) -> Json:
    return {"kind": "List", "metadata": {"self": "https://example.org", "next": None}, "data": rows}


def _error(plane: str, status: int) -> Json:
    """Return an error as the plane writes it."""
    match plane:
        case "kafka":
            return {"error_code": status * 100 + 1, "message": f"refused with {status}"}
        case "connect":
            return {"error": {"code": status, "message": f"refused with {status}"}}
        case _:
            return {"errors": [{"id": "e1", "status": str(status), "detail": f"refused with {status}"}]}


@contextmanager
def serving(cloud: Cloud) -> Iterator[str]:
    """Serve *cloud* on loopback and give its URL."""
    handler = answering(lambda request: cloud.answer(request.method, request.path, request.login, request.body))
    with on_loopback(handler) as cloud.base:
        yield cloud.base
