"""Reads what Confluent Cloud's control plane tells of an organisation: environments, clusters, and what is beside them.

Asks nobody. The members of the JSON are those of the public OpenAPI documents of `org/v2`, `cmk/v2`, `srcm/v2`,
`srcm/v3`, `ksqldbcm/v2` and `fcpm/v2`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from scanner_extractor.addresses import read_address
from scanner_extractor.exchange import Json
from scanner_extractor.organization import (
    CloudCluster,
    CloudKsql,
    CloudRegistry,
    ComputePool,
    Environment,
    FlinkRegion,
)
from scanner_extractor.sources.cloud_lists import member, objects, text
from scanner_model.brokers import broker_addresses
from scanner_model.errors import InputInvalid

_T = TypeVar("_T")


def read_organization_id(listed: Iterable[Json], environments: Iterable[Environment]) -> str:
    """Read `GET /org/v2/organizations`; where it tells nothing, the CRN of an environment names the organisation."""
    told = [text(each, "id") for each in objects(list(listed))]
    named = (part for each in environments for part in each.crn.split("/") if part.startswith("organization="))
    return next(filter(None, told), "") or next(named, "").removeprefix("organization=")


def read_environments(listed: Iterable[Json]) -> tuple[Environment, ...]:
    """Read `GET /org/v2/environments`."""
    return _sorted(
        listed,
        lambda each: Environment(
            id=text(each, "id"),
            name=text(each, "display_name"),
            package=text(member(each, "stream_governance_config"), "package"),
            crn=_crn(each),
        ),
    )


def read_clusters(listed: Iterable[Json], environment: str) -> tuple[CloudCluster, ...]:
    """Read `GET /cmk/v2/clusters`; the bootstrap address comes with and without a protocol before it."""

    def read(each: Json) -> CloudCluster:
        spec = member(each, "spec")
        public = _public(spec)
        return CloudCluster(
            id=text(each, "id"),
            name=text(spec, "display_name"),
            environment=text(member(spec, "environment"), "id") or environment,
            cloud=text(spec, "cloud"),
            region=text(spec, "region"),
            kind=text(member(spec, "config"), "kind"),
            brokers=_brokers(text(spec, "kafka_bootstrap_endpoint") or text(public, "kafka_bootstrap_endpoint")),
            url=_url(spec, "http_endpoint") or _url(public, "http_endpoint"),
            crn=_crn(each),
            phase=text(member(each, "status"), "phase"),
        )

    return _sorted(listed, read)


def read_registries(listed: Iterable[Json], environment: str) -> tuple[CloudRegistry, ...]:
    """Read `GET /srcm/v3/clusters`, or v2, which tells neither the catalog's address nor a private one."""

    def read(each: Json) -> CloudRegistry:
        spec = member(each, "spec")
        url = _url(spec, "http_endpoint") or _url(spec, "private_http_endpoint")
        return CloudRegistry(
            id=text(each, "id"),
            environment=text(member(spec, "environment"), "id") or environment,
            url=url,
            catalog_url=_url(spec, "catalog_http_endpoint") or url,
            package=text(spec, "package"),
        )

    return tuple(each for each in _sorted(listed, read) if each.url)


def read_ksqldb(listed: Iterable[Json]) -> tuple[CloudKsql, ...]:
    """Read `GET /ksqldbcm/v2/clusters`; one without an address is being made or taken away."""

    def read(each: Json) -> CloudKsql:
        return CloudKsql(
            id=text(each, "id"),
            name=text(member(each, "spec"), "display_name"),
            kafka=text(member(each, "spec", "kafka_cluster"), "id"),
            url=_url(member(each, "status"), "http_endpoint"),
            phase=text(member(each, "status"), "phase"),
        )

    return tuple(each for each in _sorted(listed, read) if each.url)


def read_pools(listed: Iterable[Json], environment: str) -> tuple[ComputePool, ...]:
    """Read `GET /fcpm/v2/compute-pools`."""
    return _sorted(
        listed,
        lambda each: ComputePool(
            id=text(each, "id"),
            environment=environment,
            cloud=text(member(each, "spec"), "cloud"),
            region=text(member(each, "spec"), "region"),
        ),
    )


def read_regions(listed: Iterable[Json]) -> tuple[FlinkRegion, ...]:
    """Read `GET /fcpm/v2/regions`, sorted by cloud and region."""
    found = {
        (text(each, "cloud"), text(each, "region_name")): _url(each, "http_endpoint")
        or _url(each, "private_http_endpoint")
        for each in objects(list(listed))
    }
    return tuple(FlinkRegion(cloud=key[0], region=key[1], url=found[key]) for key in sorted(found) if found[key])


def _sorted(listed: Iterable[Json], read: Callable[[Json], _T]) -> tuple[_T, ...]:
    """Read what has an id, each id once."""
    found = {text(each, "id"): each for each in objects(list(listed))}
    return tuple(read(found[identity]) for identity in sorted(found) if identity)


def _crn(each: Json) -> str:
    return text(member(each, "metadata"), "resource_name")


def _public(spec: Json) -> Json:
    """Give the endpoint to use where a cluster has several: a public one first, then by access point."""
    points = member(spec, "endpoints")
    order = sorted(points, key=lambda name: (text(member(points, name), "connection_type") != "PUBLIC", name))
    return member(points, order[0]) if order else {}


def _brokers(address: str) -> tuple[str, ...]:
    try:
        return broker_addresses(address)
    except InputInvalid:
        return ()


def _url(value: Json, name: str) -> str:
    """Give a web address, empty where there is none or it is none."""
    try:
        return read_address(text(value, name)).url
    except ValueError:
        return ""
