"""The `acls`, `kafka_clients` and `observe_schema_ids` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator

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
from scanner_extractor.systems.kafka.settings import AclSettings, BrokerClientSettings, SchemaIdSettings
from scanner_model.documents.schema_errors import ErrorMessage

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
