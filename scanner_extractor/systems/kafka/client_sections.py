"""The `acls`, `kafka_clients`, `observe_schema_ids`, `prometheus` and `applications` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.http import parse_http, valid_address
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    count,
    flag,
    name_list,
    nonempty,
    object_of,
    repeated_sources,
    text,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.systems.kafka.section import parse_kafka
from scanner_extractor.systems.kafka.settings import (
    AclSettings,
    ApplicationSettings,
    BrokerClientSettings,
    MetricProfile,
    PrometheusSettings,
    SchemaIdSettings,
)
from scanner_model.clients import Direction, IdentityKind
from scanner_model.documents.schema_errors import ErrorMessage

_LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
_MATCHER = rf'\s*{_LABEL}\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\.)*"\s*'
_MATCHERS = rf"^(?:{_MATCHER}(?:,{_MATCHER})*)?$"
_KINDS = [kind.value for kind in IdentityKind]

_ACLS: Json = object_of(
    "Rules of access",
    "The brokers' ACLs are read over the Kafka protocol, with the properties of `kafka`. Two settings of the "
    "authorizer that brokers do not report can be given here.",
    {
        "super_users": name_list(
            "Super users", "Value of the brokers' `super.users`.", "User:admin", "User:CN=kafka-1"
        ),
        "allow_everyone_if_no_acl_found": flag(
            "Default rule", "Value of the brokers' `allow.everyone.if.no.acl.found`.", default=False
        ),
    },
)

_BROKER_CLIENTS: Json = object_of(
    "Clients that brokers know",
    "Open transactions, and groups of the newer protocols, are read over the Kafka protocol with the properties of "
    "`kafka`.",
    {
        "transactions": flag("Transactions", "Read open transactions and their topics."),
        "groups": flag("Groups", "Describe consumer, share and streams groups of the newer protocols."),
        "samples": count("Samples", "Samples of open transactions per scan, one second apart.", 60, 3),
    },
)


_SCHEMA_IDS: Json = object_of(
    "Schema ids in use",
    "The newest records of these topics are read over the Kafka protocol, with the properties of `kafka`. Of a "
    "record only the schema id is kept, with topic, partition, offset and time. Without this member no record is "
    "read.",
    {
        "topics": name_list(
            "Topics", "Names or globs. Internal topics and topics starting with _ are never read.", "orders", "shop.*"
        ),
        "records": count("Records", "Newest records per partition.", 100, 3),
        "partitions": count("Partitions", "Maximum partitions per topic.", 1000, 12),
        "max_topics": count("Topics at most", "Maximum topics, the first by name.", 10_000, 200),
        "seconds": count("Seconds", "Time limit in seconds.", 3600, 60),
    },
    required=["topics"],
)

_PROFILE: Json = object_of(
    "Metric profile",
    "A metric that counts what clients do with topics.",
    {
        "metric": text(
            "Metric", "Name of the metric.", "acme_kafka_sent_records_total", pattern=r"^[a-zA-Z_:][a-zA-Z0-9_:]*$"
        ),
        "direction": {
            "title": "Direction",
            "description": "Whether the clients write or read the topic.",
            "type": "string",
            "enum": [direction.value for direction in Direction],
        },
        "topic_label": text(
            "Topic label", "Label with the topic.", "destination", pattern=f"^{_LABEL}$", default="topic"
        ),
        "labels": {
            "title": "Labels",
            "description": f"Labels with client names, each with its kind: {', '.join(_KINDS)}.",
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": f"^{_LABEL}$"},
            "additionalProperties": {"enum": _KINDS},
            "examples": [{"client_id": "client.id", "app": "application"}],
        },
        "level": flag("Level", "The metric is a gauge, not a counter; read its last value.", default=False),
    },
    required=["metric", "direction"],
)

_PROMETHEUS: Json = object_of(
    "Prometheus",
    "A server with the HTTP API of Prometheus, which holds metrics of Kafka clients.",
    {
        "name": nonempty("Name", "Name of the source.", "main"),
        "url": address(
            "Address of the server, without /api/v1. Mimir and Thanos work as well.", "http://prometheus:9090"
        ),
        **HTTP_MEMBERS,
        "cluster_selector": text(
            "Cluster selector",
            "Label matchers for this cluster's series; empty if you have one cluster.",
            'kafka_cluster="retail"',
            pattern=_MATCHERS,
        ),
        "window": text(
            "Window", "Time window for activity.", "1d", "12h", pattern=r"^[1-9]\d{0,3}[mhdw]$", default="1d"
        ),
        "profiles": {
            "title": "Profiles",
            "description": "Additional metrics.",
            "type": "array",
            "items": {"$ref": "#/$defs/metric_profile"},
        },
    },
    required=["url", "cluster_selector"],
)

_NAMES: Json = {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}

_APPLICATIONS: Json = {
    "type": "object",
    "title": "Applications",
    "description": "Applications with their owners and client names.",
    "propertyNames": {"minLength": 1},
    "additionalProperties": object_of(
        "Application",
        "One application; names are whole ones, or globs where they hold *, ? or [.",
        {
            "owner": nonempty("Owner", "Whom to call.", "team-orders"),
            **{kind: {**_NAMES, "title": kind, "description": f"Names of the kind {kind}."} for kind in _KINDS},
        },
    ),
    "examples": [{"orders-service": {"owner": "team-orders", "client.id": ["orders-*"], "group": ["orders"]}}],
}


def parse_acls(item: Json, context: ParseContext) -> AclSettings:
    """Return the settings of the brokers' rules of access."""
    return AclSettings(
        kafka=parse_kafka(context.document.get("kafka", {}), context),
        super_users=tuple(item.get("super_users", ())),
        allow_everyone=item.get("allow_everyone_if_no_acl_found", False),
    )


def parse_broker_clients(item: Json, context: ParseContext) -> BrokerClientSettings:
    """Return the settings of the clients that brokers know."""
    return BrokerClientSettings(
        kafka=parse_kafka(context.document.get("kafka", {}), context),
        transactions=item.get("transactions", True),
        groups=item.get("groups", True),
        samples=item.get("samples", 3),
    )


def parse_schema_ids(item: Json, context: ParseContext) -> SchemaIdSettings:
    """Return which records may be read for their schema ids."""
    return SchemaIdSettings(
        kafka=parse_kafka(context.document.get("kafka", {}), context),
        topics=tuple(item["topics"]),
        records=item.get("records", 3),
        partitions=item.get("partitions", 12),
        most_topics=item.get("max_topics", 200),
        seconds=item.get("seconds", 60),
    )


def parse_prometheus(item: Json, context: ParseContext) -> PrometheusSettings:
    """Return the settings of a Prometheus server."""
    return PrometheusSettings(
        http=parse_http(item, context),
        name=item.get("name", ""),
        selector=item["cluster_selector"].strip(),
        window=item.get("window", "1d").strip(),
        profiles=tuple(map(_profile, item.get("profiles", ()))),
    )


def _profile(item: Json) -> MetricProfile:
    return MetricProfile(
        name="cluster.json",
        metric=item["metric"],
        direction=Direction(item["direction"]),
        topic=item.get("topic_label", "topic"),
        labels=tuple(item.get("labels", {"client_id": IdentityKind.CLIENT_ID.value}).items()),
        level=item.get("level", False),
    )


def parse_applications(item: Json, _: ParseContext) -> ApplicationSettings:
    """Return the applications; each is also called by its own name."""
    return ApplicationSettings(
        owners={name: members.get("owner", "") for name, members in item.items()},
        identities={
            name: (
                (IdentityKind.APPLICATION.value, name),
                *((kind, pattern) for kind in _KINDS for pattern in members.get(kind, ())),
            )
            for name, members in item.items()
        },
    )


def validate_over_kafka(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield members that are read over the Kafka protocol where it is not used."""
    for path, _ in items:
        if "kafka" not in context.document:
            yield path, "this is read over the Kafka protocol", f"add `kafka`, or leave `{path[0]}` out"


def validate_prometheus(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield servers that are declared twice."""
    return repeated_sources(items, _identity)


def _identity(item: Json) -> tuple[str, str]:
    url, name = valid_address(item.get("url")), item.get("name")
    return ("name", name) if isinstance(name, str) else ("url", url.url if url else "")


def validate_applications(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield names that two applications have."""
    for path, item in items:
        owners: dict[tuple[str, str], str] = {}
        for application, members in item.items():
            for kind in _KINDS if isinstance(members, dict) else ():
                listed = members.get(kind)
                for at, name in enumerate(listed if isinstance(listed, list) else ()):
                    if owners.setdefault((kind, str(name)), application) != application:
                        what = f"the application {owners[kind, str(name)]!r} has this name, too"
                        yield (*path, application, kind, at), what, "a client belongs to one application"


ACL_SECTION = Section(member="acls", schema=_ACLS, parse=parse_acls, validate=validate_over_kafka, over_http=False)

BROKER_CLIENT_SECTION = Section(
    member="kafka_clients",
    schema=_BROKER_CLIENTS,
    parse=parse_broker_clients,
    validate=validate_over_kafka,
    over_http=False,
)

SCHEMA_ID_SECTION = Section(
    member="observe_schema_ids",
    schema=_SCHEMA_IDS,
    parse=parse_schema_ids,
    validate=validate_over_kafka,
    over_http=False,
)

PROMETHEUS_SECTION = Section(
    member="prometheus",
    listing={"title": "Prometheus", "description": "Prometheus servers with client metrics."},
    schema=_PROMETHEUS,
    parse=parse_prometheus,
    validate=validate_prometheus,
    definitions={"metric_profile": _PROFILE},
)

APPLICATIONS_SECTION = Section(
    member="applications",
    schema=_APPLICATIONS,
    parse=parse_applications,
    validate=validate_applications,
    over_http=False,
)
