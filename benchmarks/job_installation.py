"""Made-up jobs between the topics of the made-up installation: connectors, statements of Flink and ksqlDB."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from installation import SEED, topic_name

from scanner_model.columns import Column
from scanner_model.kafka import Connector, ConnectorKind
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, Query, StreamingStatement

CONNECT = SourceId("connect:main")
FLINK = SourceId("flink:https://flink.eu-central-1.aws.confluent.cloud")
KSQL = SourceId("ksqldb:http://ksql:8088")

Fields = Sequence[str]
"""The outermost fields of a topic's value."""


def connectors(count: int) -> Iterator[Connector]:
    """List connectors: change feeds, sinks into databases, lakes and searches, with transforms."""
    for number in range(count):
        name, topic = f"mover-{number}", topic_name(number)
        config = _CONFIGS[number % len(_CONFIGS)](number, topic)
        kind = ConnectorKind.SOURCE if "Postgres" in config["connector.class"] else ConnectorKind.SINK
        yield Connector(
            source=CONNECT,
            name=name,
            kind=kind,
            connector_class=config["connector.class"],
            state="RUNNING",
            config=tuple(sorted(config.items())),
        )


def flink_statements(fields: Sequence[Fields]) -> Iterator[StreamingStatement]:
    """List a statement for each of *fields*, reading its topic and the next, in Confluent Cloud."""
    chance = random.Random(SEED)
    for number, own in enumerate(fields):
        a, b, sink = topic_name(number), topic_name(number + 1), f"derived.flink-{number}"
        shape = _FLINK[number % len(_FLINK)]
        picked = chance.sample(list(own), 6)
        other = fields[(number + 1) % len(fields)]
        text = shape.format(a=a, b=b, sink=sink, c=picked, d=list(other))
        yield StreamingStatement(
            source=FLINK,
            name=f"enrich-{number}",
            statement=text,
            kind="INSERT_INTO",
            compute_pool="lfcp-1",
            catalog_name="prod",
            database_name="bench",
            state="RUNNING",
        )


def ksql(fields: Sequence[Fields]) -> tuple[tuple[KsqlSource, ...], tuple[Query, ...]]:
    """Return a stream over each topic of *fields*, and a query that makes another of it."""
    collections: list[KsqlSource] = []
    queries: list[Query] = []
    for number, own in enumerate(fields):
        names = [name.upper() for name in own]
        collections.append(_stream(f"S{number}", topic_name(number), names))
        collections.append(_stream(f"OUT{number}", f"derived.ksql-{number}", [*names[:5], "N"]))
        listed = ", ".join(f"S.{name} {name}" for name in names[:5])
        text = (
            f"CREATE STREAM OUT{number} WITH (KAFKA_TOPIC='derived.ksql-{number}') AS SELECT {listed},"
            f" CASE WHEN S.{names[6]} IS NULL THEN S.{names[7]} ELSE S.{names[6]} END N\n"
            f"FROM S{number} S WHERE (S.{names[8]} IS NOT NULL) EMIT CHANGES;"
        )
        queries.append(
            Query(
                source=KSQL,
                name=f"CSAS_OUT{number}_{number}",
                kind="PERSISTENT",
                state="RUNNING",
                statement=text,
                sources=(f"S{number}",),
                sinks=(f"OUT{number}",),
                sink_topics=(TopicName(f"derived.ksql-{number}"),),
            )
        )
    return tuple(collections), tuple(queries)


def _stream(name: str, topic: str, fields: Sequence[str]) -> KsqlSource:
    columns = tuple(
        CollectionColumn(column=Column(path=(field,), type="STRING"), role=Role.VALUE)
        for field in dict.fromkeys(fields)
    )
    return KsqlSource(
        source=KSQL,
        name=name,
        kind="STREAM",
        topic=TopicName(topic),
        key_format="KAFKA",
        value_format="AVRO",
        statement="",
        columns=columns,
    )


def _debezium(number: int, _: str) -> dict[str, str]:
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.hostname": f"db-{number % 7}",
        "database.dbname": "shop",
        "topic.prefix": f"cdc-{number}",
        "table.include.list": "public.orders,public.customers",
        "transforms": "unwrap",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    }


def _jdbc(number: int, topic: str) -> dict[str, str]:
    return {
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "connection.url": f"jdbc:postgresql://dw-{number % 3}:5432/warehouse",
        "topics": topic,
        "table.name.format": "landing_${topic}",
        "transforms": "route,mask",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": "shop\\.(.*)\\.v1",
        "transforms.route.replacement": "$1",
        "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
        "transforms.mask.fields": "state",
    }


def _s3(number: int, topic: str) -> dict[str, str]:
    return {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "s3.bucket.name": f"lake-{number % 5}",
        "topics": f"{topic},{topic_name(number + 1)}",
        "topics.dir": "raw",
    }


def _search(_: int, topic: str) -> dict[str, str]:
    return {
        "connector.class": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector",
        "connection.url": "http://es:9200",
        "topics": topic,
    }


_CONFIGS = (_debezium, _jdbc, _s3, _search)

_FLINK = (
    "INSERT INTO `{sink}` SELECT `{c[0]}`, UPPER(CAST(`{c[1]}` AS STRING)) AS who, `{c[2]}` FROM `{a}` "
    "WHERE `{c[3]}` IS NOT NULL",
    "CREATE TABLE `{sink}` AS SELECT l.`{c[0]}`, r.`{d[1]}` AS other, COALESCE(l.`{c[2]}`, l.`{c[4]}`) AS picked\n"
    "FROM `{a}` AS l LEFT JOIN `{b}` AS r ON l.`{c[1]}` = r.`{d[0]}`",
    "INSERT INTO `{sink}` SELECT window_start, `{c[0]}`, COUNT(*) AS n, SUM(CAST(`{c[1]}` AS DOUBLE)) AS total\n"
    "FROM TABLE(TUMBLE(TABLE `{a}`, DESCRIPTOR($rowtime), INTERVAL '5' MINUTES)) GROUP BY window_start, `{c[0]}`",
    "CREATE TABLE `{sink}` AS SELECT * FROM `{a}`",
    "INSERT INTO `{sink}` WITH latest AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY `{c[0]}` ORDER BY `{c[1]}`) AS rn\n"
    "FROM `{a}`) SELECT `{c[0]}`, `{c[2]}`, CASE WHEN `{c[3]}` IS NULL THEN 'x' ELSE 'y' END AS kind FROM latest "
    "WHERE rn = 1",
    "INSERT INTO `{sink}` SELECT `{c[0]}`, `{c[1]}` FROM `{a}` UNION ALL SELECT `{d[0]}`, `{d[2]}` FROM `{b}`",
)
