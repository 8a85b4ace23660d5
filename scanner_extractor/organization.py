"""What Confluent Cloud's control plane knows of an organisation: environments, clusters and what stands beside them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An environment; *name* is its display name, which Flink uses as a catalog's and which may repeat."""

    id: str
    name: str
    package: str = ""
    crn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudCluster:
    """A Kafka cluster; *name* is its display name, a database's for Flink. *kind*: Basic, Dedicated and so on."""

    id: str
    name: str
    environment: str
    cloud: str = ""
    region: str = ""
    kind: str = ""
    brokers: tuple[str, ...] = ()
    url: str = ""
    crn: str = ""
    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudRegistry:
    """A schema registry of an environment; *catalog_url* is its stream catalog's."""

    id: str
    environment: str
    url: str
    catalog_url: str
    package: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudKsql:
    """A ksqlDB cluster on the Kafka cluster *kafka*."""

    id: str
    name: str
    kafka: str
    url: str
    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputePool:
    """A Flink compute pool of an environment."""

    id: str
    environment: str
    cloud: str
    region: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkRegion:
    """A region that has Flink, and the address of its SQL gateway."""

    cloud: str
    region: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Organization:
    """What one API key shows of an organisation, each kind sorted by id; *id* may be empty."""

    id: str = ""
    environments: tuple[Environment, ...] = ()
    clusters: tuple[CloudCluster, ...] = ()
    registries: tuple[CloudRegistry, ...] = ()
    ksqldb: tuple[CloudKsql, ...] = ()
    pools: tuple[ComputePool, ...] = ()
    regions: tuple[FlinkRegion, ...] = ()
