"""The `confluent_cloud`, `kafka_rest`, `stream_catalogs`, `tableflow` and `metrics` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scanner_extractor.config.brokers import parse_kafka
from scanner_extractor.config.http import http_errors, http_warnings, parse_http
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    count,
    flag,
    member_of,
    nonempty,
    object_of,
    repeated_sources,
    text,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.cluster import HttpSettings, OffsetSettings
from scanner_extractor.source_kind import (
    CLUSTER,
    DISCOVERY,
    METRICS,
    SCHEMAS,
    TABLES,
    Connections,
    SourceKind,
    http_kind,
    tested,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.confluent_cloud.settings import (
    CLOUD_URL,
    METRICS_URL,
    CloudSettings,
    KafkaRestSettings,
    MetricsSettings,
    Plane,
    StreamCatalogSettings,
    TableflowSettings,
)
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import Proof, live

METRICS_REQUESTS_PER_SECOND = 1.0
"""Confluent's Metrics API takes 60 requests a minute from one address."""

_BROKERS_ONLY = frozenset({"type"})

_PLANE: Json = object_of(
    "Plane",
    "A part of Confluent Cloud with a separate key.",
    {
        "url": address("Address, if not the public one.", "https://lkc-aa11.private.example.org"),
        **HTTP_MEMBERS,
        "auth": {"$ref": "#/$defs/plane_auth"},
    },
)

_CLOUD: Json = object_of(
    "Confluent Cloud",
    "A cluster of Confluent Cloud whose brokers and sources are found when a scan starts.",
    {
        "url": address("Address of the control plane.", CLOUD_URL, default=CLOUD_URL),
        "cluster": nonempty("Kafka cluster", "ID of the Kafka cluster.", "lkc-aa11"),
        "environment": nonempty(
            "Environment",
            "ID of the environment; by default all environments are searched.",
            "env-x1",
        ),
        "kafka": {
            "$ref": "#/$defs/plane",
            "description": "Kafka, over the protocol and REST: a key of the Kafka cluster.",
        },
        "schema_registry": {
            "$ref": "#/$defs/plane",
            "description": "Schema registry and stream catalog: a key of the registry.",
        },
        "ksqldb": {"$ref": "#/$defs/plane", "description": "ksqlDB: a key of the ksqlDB cluster."},
        "flink": {"$ref": "#/$defs/plane", "description": "Flink: a key of the region, or a global one."},
        "connect": {"$ref": "#/$defs/plane", "description": "Managed connectors: the Cloud key by default."},
        "tableflow": {"$ref": "#/$defs/plane", "description": "Tableflow: the Cloud key by default."},
        "metrics": {"$ref": "#/$defs/plane", "description": "Metrics: the Cloud key by default."},
        **HTTP_MEMBERS,
    },
    required=["auth", "cluster"],
)

_KAFKA_REST: Json = object_of(
    "Kafka over REST",
    "Kafka's REST API v3: Confluent Cloud's, Confluent Server's or a REST proxy's.",
    {
        "url": address(
            "Address of the REST API, without /kafka/v3.",
            "https://pkc-00001.eu-central-1.aws.confluent.cloud:443",
        ),
        "cluster": nonempty("Kafka cluster", "ID of the cluster; optional if the server has only one.", "lkc-aa11"),
        "lags": flag(
            "Lags",
            "Request the topics of each consumer group, if the server supports it.",
        ),
        **HTTP_MEMBERS,
    },
    required=["url"],
)

_STREAM_CATALOG: Json = object_of(
    "Stream catalog",
    "A stream catalog: tags, owners, descriptions and business metadata.",
    {
        "url": address(
            "Address of the schema registry, without /catalog.",
            "https://psrc-00001.eu-central-1.aws.confluent.cloud",
        ),
        "cluster": nonempty(
            "Kafka cluster",
            "ID of this Kafka cluster in the catalog. Other clusters are ignored.",
            "lkc-aa11",
        ),
        "fields": flag("Fields", "Read annotations of fields, 500 per request."),
        **HTTP_MEMBERS,
    },
    required=["url", "cluster"],
)

_TABLEFLOW: Json = object_of(
    "Tableflow",
    "Confluent Cloud's tables of topics.",
    {
        "url": address("Address of the control plane.", CLOUD_URL, default=CLOUD_URL),
        "environment": nonempty("Environment", "ID of the environment.", "env-x1"),
        "cluster": nonempty("Kafka cluster", "ID of the Kafka cluster.", "lkc-aa11"),
        "aws_account": text(
            "AWS account", "AWS account of the Glue catalog. Lineage to Glue tables needs it.", "123456789012"
        ),
        **HTTP_MEMBERS,
    },
    required=["environment", "cluster"],
)

_METRICS: Json = object_of(
    "Metrics",
    "Figures of topics: Confluent's Metrics API, or the brokers' log end offsets.",
    {
        "url": address("Address of the Metrics API.", METRICS_URL, default=METRICS_URL),
        "type": {
            "title": "Kind",
            "description": ("confluent: the Metrics API, needs `cluster`. offsets: the brokers of `kafka`."),
            "enum": ["confluent", "offsets"],
        },
        "cluster": nonempty("Kafka cluster", "ID of the Kafka cluster.", "lkc-aa11"),
        "look_back_minutes": count("Look-back", "Minutes to sum over, ending five minutes ago.", 10080, 60),
        "clients": flag(
            "Clients",
            "confluent: read which clients wrote and read, from a data set that Confluent does not document.",
            default=False,
        ),
        **HTTP_MEMBERS,
    },
    required=["type"],
) | {
    "if": {"properties": {"type": {"const": "confluent"}}, "required": ["type"]},
    "then": {
        "required": ["cluster"],
        "properties": {"cluster": {"description": "ID of the Kafka cluster, for example lkc-aa11."}},
    },
}


def parse_cloud(item: Json, context: ParseContext) -> CloudSettings:
    """Return the settings of the control plane of Confluent Cloud."""
    return CloudSettings(
        http=parse_http({"url": CLOUD_URL} | item, context),
        cluster=item["cluster"],
        environment=item.get("environment", ""),
        planes={plane: _plane(plane, item[plane], context) for plane in Plane if plane in item},
    )


def _plane(plane: Plane, item: Json, context: ParseContext) -> HttpSettings:
    limited = parse_http({"url": CLOUD_URL} | item, context)
    limited = metrics_limited(limited, item) if plane is Plane.METRICS else limited
    return limited if "url" in item else replace(limited, url="")


def parse_kafka_rest(item: Json, context: ParseContext) -> KafkaRestSettings:
    """Return the settings of Kafka REST."""
    own = {name: item[name] for name in ("cluster", "lags") if name in item}
    return KafkaRestSettings(http=parse_http(item, context), **own)


def parse_stream_catalog(item: Json, context: ParseContext) -> StreamCatalogSettings:
    """Return the settings of a stream catalog."""
    http = parse_http(item, context)
    return StreamCatalogSettings(http=http, cluster=item["cluster"], fields=item.get("fields", True))


def parse_tableflow(item: Json, context: ParseContext) -> TableflowSettings:
    """Return the settings of Tableflow."""
    own = {name: item[name] for name in ("environment", "cluster", "aws_account") if name in item}
    return TableflowSettings(http=parse_http({"url": CLOUD_URL} | item, context), **own)


def parse_metrics(item: Json, context: ParseContext) -> MetricsSettings | OffsetSettings:
    """Return the settings of metrics; those of the brokers have the properties of `kafka`."""
    if item["type"] == "offsets":
        kafka = parse_kafka(context.document["kafka"], context) if "kafka" in context.document else None
        return (
            OffsetSettings(brokers=kafka.brokers, properties=kafka.properties) if kafka else OffsetSettings(brokers=())
        )
    http = metrics_limited(parse_http({"url": METRICS_URL} | item, context), item)
    return MetricsSettings(
        http=http,
        cluster=item["cluster"],
        look_back=item.get("look_back_minutes", 60),
        clients=item.get("clients", False),
    )


def metrics_limited(http: HttpSettings, item: Json) -> HttpSettings:
    """Lower the limit that a host of Confluent Cloud has to that of its Metrics API, where *item* sets none."""
    if http.requests_per_second is None or "requests_per_second" in item:
        return http
    return replace(http, requests_per_second=METRICS_REQUESTS_PER_SECOND)


def validate_cloud(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the planes that have an address or a key of their own."""
    return http_errors(_planes(items), context)


def warn_of_planes(items: Items) -> Iterator[ErrorMessage]:
    """Yield the planes whose server is not identified."""
    return http_warnings(_planes(items))


def _planes(items: Items) -> Items:
    return [
        ((*path, str(plane)), item[plane])
        for path, item in items
        for plane in Plane
        if isinstance(item.get(plane), dict)
    ]


def validate_stream_catalogs(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield catalogs that are declared twice."""
    return repeated_sources(
        items, lambda item: ("url", f"{str(item.get('url', '')).rstrip('/').lower()} {item.get('cluster', '')}")
    )


def validate_metrics(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield members that are not for offsets, and offsets without brokers."""
    for path, item in items:
        if item.get("type") != "offsets":
            continue
        for name in sorted(item.keys() - _BROKERS_ONLY):
            hint = "leave it out: offsets come from the brokers of `kafka`"
            yield (*path, name), f"{name!r} is not for offsets", hint
        if all(member_of(context.document, name) is None for name in ("kafka", "confluent_cloud")):
            what = "offsets come from the brokers, and there is no `kafka`"
            yield (*path, "type"), what, 'add "kafka": {}'


CLOUD_SECTION = Section(
    member="confluent_cloud",
    schema=_CLOUD,
    definitions={"plane": _PLANE},
    parse=parse_cloud,
    validate=validate_cloud,
    warn=warn_of_planes,
)

KAFKA_REST_SECTION = Section(member="kafka_rest", schema=_KAFKA_REST, parse=parse_kafka_rest)

STREAM_CATALOG_SECTION = Section(
    member="stream_catalogs",
    listing={
        "title": "Stream catalogs",
        "description": "Stream catalogs with tags and owners.",
    },
    schema=_STREAM_CATALOG,
    parse=parse_stream_catalog,
    validate=validate_stream_catalogs,
)

TABLEFLOW_SECTION = Section(member="tableflow", schema=_TABLEFLOW, parse=parse_tableflow)

METRICS_SECTION = Section(member="metrics", schema=_METRICS, parse=parse_metrics, validate=validate_metrics)


_PACKAGE = "scanner_extractor.systems.confluent_cloud"


def _read_metrics(settings: MetricsSettings, connections: Connections, progress: Progress) -> Reading:
    with connections.http(settings.http, settings.source) as http:
        result: Reading = load(f"{_PACKAGE}.metrics:read_metrics")(settings, http, progress, now=connections.now())
        return result


def _check_metrics(settings: MetricsSettings, connections: Connections) -> Iterator[Probe]:
    with connections.http(settings.http, settings.source) as http:
        yield from load(f"{_PACKAGE}.probes:metrics_probes")(settings, http)


CLOUD = http_kind(
    "confluent_cloud",
    DISCOVERY,
    CLOUD_SECTION,
    CloudSettings,
    SourceType(
        read=deferred(f"{_PACKAGE}.discovery:read_cloud"),
        check=deferred(f"{_PACKAGE}.probes:new_cloud_probes"),
        proofs=(Proof("Confluent Cloud"),),
    ),
)

KAFKA_REST = http_kind(
    "kafka",
    CLUSTER,
    KAFKA_REST_SECTION,
    KafkaRestSettings,
    SourceType(
        read=deferred(f"{_PACKAGE}.kafka_rest:read_kafka_rest"),
        check=deferred(f"{_PACKAGE}.kafka_rest:kafka_rest_probes"),
        proofs=(Proof("Kafka REST API of Confluent"),),
    ),
)

STREAM_CATALOG = http_kind(
    "stream_catalog",
    SCHEMAS,
    STREAM_CATALOG_SECTION,
    StreamCatalogSettings,
    SourceType(
        read=deferred(f"{_PACKAGE}.stream_catalog:read_stream_catalog"),
        check=deferred(f"{_PACKAGE}.probes:stream_catalog_probes"),
        proofs=(Proof("Stream Catalog of Confluent Cloud"),),
    ),
)

TABLEFLOW = http_kind(
    "tableflow",
    TABLES,
    TABLEFLOW_SECTION,
    TableflowSettings,
    SourceType(
        read=deferred(f"{_PACKAGE}.tableflow:read_tableflow"),
        check=deferred(f"{_PACKAGE}.probes:tableflow_probes"),
        proofs=(Proof("Tableflow of Confluent Cloud"),),
    ),
)

CLOUD_METRICS = SourceKind(
    name="metrics",
    phase=METRICS,
    section=METRICS_SECTION,
    settings=MetricsSettings,
    proofs=tested(Proof("Metrics API of Confluent Cloud")),
    read=_read_metrics,
    check=_check_metrics,
)

OFFSETS = SourceKind(
    name="metrics",
    phase=METRICS,
    section=METRICS_SECTION,
    settings=OffsetSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_again.py")),
    ready=lambda settings: bool(settings.brokers),
    read=lambda settings, connections, progress: connections.offsets(settings, progress),
    check=lambda _, __: (),  # the brokers are tried as the kind `kafka`
)
