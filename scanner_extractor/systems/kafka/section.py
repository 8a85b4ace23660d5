"""The `kafka`, `acls`, `kafka_clients` and `observe_schema_ids` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scanner_extractor.config.brokers import parse_kafka
from scanner_extractor.config.sections import (
    Items,
    ParseContext,
    Section,
    ValidationContext,
    count,
    flag,
    name_list,
    object_of,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.source_kind import (
    CLUSTER,
    METRICS,
    SCHEMAS,
    BrokerUse,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.kafka.settings import AclSettings, BrokerClientSettings, SchemaIdSettings
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.lazy_names import load
from scanner_model.maturity import live

_BOOTSTRAP = ("bootstrap.servers", "metadata.broker.list")

_KAFKA: Json = {
    "title": "Kafka protocol",
    "description": (
        "Properties of librdkafka. {} connects without encryption; without this member the brokers are not contacted."
    ),
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
    "examples": [
        {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "${KAFKA_USER}",
            "sasl.password": "${KAFKA_PASSWORD}",
        }
    ],
}


def validate_kafka(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield properties that name brokers."""
    for path, item in items:
        for name in _BOOTSTRAP:
            if item.get(name) is not None:
                yield (*path, name), f"{name!r} is in `kafka`", "name the brokers in `brokers` only"


KAFKA_SECTION = Section(member="kafka", schema=_KAFKA, parse=parse_kafka, validate=validate_kafka, over_http=False)


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


def validate_over_kafka(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield members that are read over the Kafka protocol where it is not used."""
    for path, _ in items:
        if "kafka" not in context.document:
            yield path, "this is read over the Kafka protocol", f"add `kafka`, or leave `{path[0]}` out"


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


_ADMIN, _CLIENTS, _IDS = (f"scanner_extractor.systems.kafka.{name}" for name in ("admin", "clients", "schema_ids"))


def _read_acls(settings: AclSettings, connections: Connections, _: Progress) -> Reading:
    document = connections.document(settings.source, load(f"{_ADMIN}:DOCUMENT"), lambda: connections.acls(settings))
    result: Reading = load(f"{_ADMIN}:read_acls")(document, settings)
    return result


def _check_acls(settings: AclSettings, connections: Connections) -> Iterator[Probe]:
    def read() -> str:
        rules = connections.acls(settings)["rules"]
        return "the brokers have no authorizer" if rules is None else f"{len(rules)} rules"

    yield Probe("list rules of access to topics", read)


def _read_broker_clients(settings: BrokerClientSettings, connections: Connections, _: Progress) -> Reading:
    document = connections.document(
        settings.source, load(f"{_CLIENTS}:DOCUMENT"), lambda: connections.clients(settings, connections.now())
    )
    result: Reading = load(f"{_CLIENTS}:read_clients")(document, settings)
    return result


def _check_broker_clients(settings: BrokerClientSettings, connections: Connections) -> Iterable[Probe]:
    once = replace(settings, samples=1)
    probes: Iterable[Probe] = load(f"{_CLIENTS}:client_probes")(lambda: connections.clients(once, connections.now()))
    return probes


def _read_schema_ids(settings: SchemaIdSettings, connections: Connections, progress: Progress) -> Reading:
    document = connections.document(
        settings.source,
        load(f"{_IDS}:DOCUMENT"),
        lambda: connections.schema_ids(settings, progress, connections.now()),
    )
    result: Reading = load(f"{_IDS}:read_schema_ids")(document, settings)
    return result


def _check_schema_ids(settings: SchemaIdSettings, _: Connections) -> Iterable[Probe]:
    probes: Iterable[Probe] = load(f"{_IDS}:schema_id_probes")(settings, load(f"{_IDS}:described_plan"))
    return probes


BROKERS = SourceKind(
    name="kafka",
    phase=CLUSTER,
    section=KAFKA_SECTION,
    settings=KafkaSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_kafka.py")),
    ready=lambda settings: bool(settings.brokers),
    brokers=BrokerUse.LISTED,
    read=lambda settings, connections, progress: connections.kafka(settings, progress),
    check=lambda settings, connections: [
        Probe("read metadata of the brokers", lambda: connections.probe(settings)),
    ],
)

SCHEMA_IDS = SourceKind(
    name="schema_ids",
    phase=SCHEMAS,  # in every mode that reads the registry, whose subjects the ids bind
    section=SCHEMA_ID_SECTION,
    settings=SchemaIdSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_schema_ids.py")),
    ready=lambda settings: bool(settings.kafka.brokers),
    read=_read_schema_ids,
    check=_check_schema_ids,
)

ACLS = SourceKind(
    name="acls",
    phase=METRICS,
    section=ACL_SECTION,
    settings=AclSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_acls.py")),
    ready=lambda settings: bool(settings.kafka.brokers),
    read=_read_acls,
    check=_check_acls,
)

BROKER_CLIENTS = SourceKind(
    name="kafka_clients",
    phase=METRICS,
    section=BROKER_CLIENT_SECTION,
    settings=BrokerClientSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_clients.py")),
    ready=lambda settings: bool(settings.kafka.brokers),
    read=_read_broker_clients,
    check=_check_broker_clients,
)
