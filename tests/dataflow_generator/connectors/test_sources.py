"""Sources by class: which datasets they read, and the topic of each, with the topics in use as the last word."""

import pytest

from dataflow_generator.connectors import Config, Connector, ConnectorFlows, Direction, Shape, read_connector

POSTGRES = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "PG",
    "database.dbname": "shop",
    "topic.prefix": "p",
}
JDBC = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
    "connection.url": "jdbc:postgresql://h/db",
    "topic.prefix": "j-",
}
MONGO = {"connector.class": "MongoSourceConnector", "connection.uri": "mongodb://u:p@m:27017/?x=1"}
MIRROR = {
    "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
    "source.cluster.alias": "eu",
    "source.cluster.bootstrap.servers": "e:1",
    "target.cluster.bootstrap.servers": "t:1",
}
ORACLE_CDC = {
    "connector.class": "io.confluent.connect.oracle.cdc.OracleCdcSourceConnector",
    "oracle.server": "O",
    "oracle.sid": "ORCL",
}
OUTBOX = {"transforms": "o", "transforms.o.type": "io.debezium.transforms.outbox.EventRouter"}


def router(regex: str, replacement: str) -> dict[str, str]:
    return {
        "transforms": "r",
        "transforms.r.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.r.regex": regex,
        "transforms.r.replacement": replacement,
    }


def read(config: dict[str, str], **known: tuple[str, ...]) -> ConnectorFlows:
    return read_connector(Connector(name="c", config=Config.of(config), **known))


def edges(flows: ConnectorFlows) -> list[tuple[str, str]]:
    return [(_shown(flow.source), flow.target.name if flow.target else "?") for flow in flows.flows]


def _shown(dataset) -> str:
    return f"{dataset.namespace} {dataset.name}" if dataset else "?"


def names(config: dict[str, str], **known: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the edges without namespaces."""
    return [(source.rpartition(" ")[2], target) for source, target in edges(read(config, **known))]


@pytest.mark.parametrize(
    ("config", "edge"),
    [
        (JDBC | {"table.whitelist": "crm.users"}, ("postgres://h:5432 db.crm.users", "j-users")),
        (JDBC | {"table.include.list": '"My Schema"."T"'}, ("postgres://h:5432 db.My Schema.T", "j-T")),
        (JDBC | {"query": "SELECT 1"}, ("?", "j-")),
        (
            JDBC
            | {"connection.url": "jdbc:snowflake://o-a.snowflakecomputing.com/?db=D&schema=S", "table.whitelist": "T"},
            ("snowflake://o-a D.S.T", "j-T"),
        ),
        (
            {"connector.class": "SnowflakeSource", "table.whitelist": "D.S.T", "topic.prefix": "x_"},
            ("snowflake://unknown D.S.T", "x_D.S.T"),
        ),
        (
            {
                "connector.class": "MySqlSource",
                "connection.host": "h",
                "db.name": "d",
                "table.whitelist": "t",
                "topic.prefix": "x_",
            },
            ("mysql://h:3306 d.t", "x_t"),
        ),
        (POSTGRES | {"table.include.list": "public.users"}, ("postgres://pg:5432 shop.public.users", "p.public.users")),
        (
            POSTGRES | {"table.include.list": r"public\.users"},
            ("postgres://pg:5432 shop.public.users", "p.public.users"),
        ),
        (POSTGRES | {"table.include.list": "public.a/b"}, ("postgres://pg:5432 shop.public.a/b", "p.public.a_b")),
        (
            {
                "connector.class": "MySqlCdcSourceV2",
                "database.hostname": "m",
                "topic.prefix": "p",
                "table.include.list": "d.t",
            },
            ("mysql://m:3306 d.t", "p.d.t"),
        ),
        (
            {
                "connector.class": "SqlServerCdcSource",
                "database.hostname": "m",
                "database.server.name": "s",
                "database.names": "d1",
                "table.include.list": "dbo.t",
            },
            ("sqlserver://m:1433 d1.dbo.t", "s.d1.dbo.t"),
        ),
        (
            {
                "connector.class": "io.debezium.connector.oracle.OracleConnector",
                "database.hostname": "o",
                "database.dbname": "CDB",
                "database.pdb.name": "PDB",
                "topic.prefix": "p",
                "table.include.list": "S.T$1",
            },
            ("oracle://o:1521 PDB.S.T$1", "p.S.T_1"),
        ),
        (
            {
                "connector.class": "io.debezium.connector.mongodb.MongoDbConnector",
                "mongodb.hosts": "rs0/m:27017",
                "topic.prefix": "p",
                "collection.include.list": "d.c",
            },
            ("mongodb://m:27017 d.c", "p.d.c"),
        ),
        (MONGO | {"database": "d", "collection": "c"}, ("mongodb://m:27017 d.c", "d.c")),
        (
            MONGO
            | {"database": "d", "collection": "c", "topic.prefix": "p", "topic.suffix": "s", "topic.separator": "-"},
            ("mongodb://m:27017 d.c", "p-d-c-s"),
        ),
        (
            MONGO | {"database": "d", "collection": "c", "topic.namespace.map": '{"d.c": "x"}'},
            ("mongodb://m:27017 d.c", "x"),
        ),
        (
            MONGO | {"database": "d", "collection": "c", "topic.namespace.map": '{"d": "x"}'},
            ("mongodb://m:27017 d.c", "x.c"),
        ),
        (MIRROR | {"topics": "a"}, ("kafka://e:1 a", "eu.a")),
        (MIRROR | {"topics": "a", "replication.policy.separator": "_"}, ("kafka://e:1 a", "eu_a")),
        (
            MIRROR
            | {"topics": "a", "replication.policy.class": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"},
            ("kafka://e:1 a", "a"),
        ),
        (
            {
                "connector.class": "io.confluent.connect.replicator.ReplicatorSourceConnector",
                "src.kafka.bootstrap.servers": "s:1",
                "topic.whitelist": "a",
                "topic.rename.format": "${topic}.copy",
            },
            ("kafka://s:1 a", "a.copy"),
        ),
        (
            {
                "connector.class": "HttpSourceV2",
                "http.api.base.url": "https://h",
                "api1.http.api.path": "/x",
                "api1.topics": "t",
            },
            ("https://h /x", "t"),
        ),
        ({"connector.class": "DatagenSource", "kafka.topic": "t"}, ("?", "t")),
        ({"connector.class": "FileStreamSourceConnector", "file": "/x", "topic": "t"}, ("file /x", "t")),
        (
            {
                "connector.class": "KinesisSource",
                "kinesis.stream": "s",
                "kinesis.region": "eu-west-1",
                "kafka.topic": "t",
            },
            ("kinesis://kinesis.eu-west-1.amazonaws.com s", "t"),
        ),
        (
            {
                "connector.class": "KinesisSource",
                "kinesis.stream": "s",
                "kinesis.region": "EU_WEST_1",
                "kafka.topic": "t",
            },
            ("kinesis://kinesis.eu-west-1.amazonaws.com s", "t"),
        ),
        (
            {"connector.class": "SqsSource", "sqs.url": "https://sqs.eu-west-1.amazonaws.com/12/q", "kafka.topic": "t"},
            ("sqs://sqs.eu-west-1.amazonaws.com 12/q", "t"),
        ),
        (
            {
                "connector.class": "PubSubSource",
                "gcp.pubsub.project.id": "p",
                "gcp.pubsub.subscription.id": "s",
                "kafka.topic": "t",
            },
            ("pubsub subscription:p:s", "t"),
        ),
        (
            {
                "connector.class": "SalesforceCdcSource",
                "salesforce.instance": "https://login.acme.com",
                "salesforce.cdc.name": "A",
                "kafka.topic": "t",
            },
            ("salesforce://login.acme.com A", "t"),
        ),
        (
            {
                "connector.class": "CosmosDbSource",
                "connect.cosmos.connection.endpoint": "https://x.y",
                "connect.cosmos.databasename": "d",
                "connect.cosmos.containers.topicmap": "t#c",
            },
            ("azurecosmos://x.y/dbs/d colls/c", "t"),
        ),
        (
            {"connector.class": "S3Source", "s3.bucket.name": "b", "topic.regex.list": r"t:.*\.json"},
            ("s3://b topics", "t"),
        ),
        (
            POSTGRES | {"table.include.list": "public[.]users"},
            ("postgres://pg:5432 shop.public.users", "p.public.users"),
        ),
        (ORACLE_CDC | {"table.inclusion.regex": "ORCL[.]HR[.]EMP"}, ("oracle://o:1521 ORCL.HR.EMP", "ORCL.HR.EMP")),
        (
            ORACLE_CDC
            | {
                "oracle.pdb.name": "P",
                "table.inclusion.regex": "P.HR.E",
                "table.topic.name.template": "x-${tableName}",
            },
            ("oracle://o:1521 P.HR.E", "x-E"),
        ),
        (
            ORACLE_CDC
            | {"table.inclusion.regex": "ORCL.HR.*", "table.topic.name.template": "${databaseName}-${tableName}"},
            ("oracle://o:1521 regex:ORCL.HR.*", "regex:ORCL-.*"),
        ),
        (
            {"connector.class": "SftpSource", "sftp.host": "F", "input.path": "/in", "kafka.topic": "t"},
            ("sftp://f:22 /in", "t"),
        ),
        ({"connector.class": "com.acme.OwnSource", "kafka.topic": "t"}, ("?", "t")),
    ],
)
def test_a_source_writes_each_dataset_to_the_topic_of_its_class(config, edge) -> None:
    """Prefixes, separators and maps as the connector's documentation says."""
    flows = read(config)

    assert flows.direction is Direction.SOURCE
    assert edges(flows) == [edge]


def test_one_table_in_two_databases_is_two_inputs() -> None:
    """SQL Server's topics name the database."""
    config = POSTGRES | {
        "connector.class": "SqlServerCdcSourceV2",
        "database.names": "a,b",
        "table.include.list": "dbo.t",
    }

    assert names(config) == [("a.dbo.t", "p.a.dbo.t"), ("b.dbo.t", "p.b.dbo.t")]


def test_older_sql_server_topics_are_known_by_those_in_use() -> None:
    """Before Debezium 2 the database stands in no topic."""
    config = POSTGRES | {"connector.class": "SqlServerCdcSource", "table.include.list": "dbo.t"}

    assert names(config, active=("p.dbo.t",)) == [("shop.dbo.t", "p.dbo.t")]


def test_a_routed_table_goes_to_the_routed_topic() -> None:
    """The prefix and the table make the name that the router sees."""
    config = POSTGRES | {"table.include.list": "public.a,crm.b"} | router(r"p\.public\.(.*)", "cdc.$1")

    assert names(config) == [("shop.crm.b", "p.crm.b"), ("shop.public.a", "cdc.a")]


def test_patterns_of_tables_are_resolved_by_tables_or_topics() -> None:
    """Whole names, in any case, without what is excluded."""
    config = POSTGRES | {"table.include.list": "public.T_.*", "table.exclude.list": ".*_tmp"}
    resolved = [("shop.public.t_a", "p.public.t_a")]

    assert names(config, tables=("public.t_a", "public.t_tmp", "public.u")) == resolved
    assert names(config, active=("p.public.t_a", "p.public.u_x")) == resolved
    assert names(config) == [(r"regex:shop\.public.T_.*", r"regex:p\.public.T_.*")]


def test_alternatives_of_names_are_names() -> None:
    """A group of literals needs no table to be resolved."""
    config = POSTGRES | {"table.include.list": r"crm\.(a|b)"}

    assert names(config) == [("shop.crm.a", "p.crm.a"), ("shop.crm.b", "p.crm.b")]


def test_without_a_list_tables_come_from_the_topics_in_use() -> None:
    """Bookkeeping topics are no tables."""
    active = ("p", "p.transaction", "__debezium-heartbeat.p", "p.public.a")

    assert names(POSTGRES, active=active) == [("shop.public.a", "p.public.a")]
    assert names(POSTGRES) == [("?", r"regex:p\..*")]
    assert names(POSTGRES, known=active) == [("?", "p.public.a"), ("?", "p.transaction")][:1]


def test_schemas_that_are_listed_are_patterns_of_tables() -> None:
    """Which tables a schema has is not in the configuration."""
    assert names(POSTGRES | {"schema.include.list": "crm"}) == [(r"regex:shop\.crm\..*", r"regex:p\.crm\..*")]


def test_tables_that_nobody_lists_may_be_more_than_those_that_are_known() -> None:
    """A topic that has the form of a table's, and is of none that is known, keeps the pattern beside the tables."""
    config = POSTGRES | {"schema.include.list": "crm"}
    table, pattern = ("shop.crm.a", "p.crm.a"), r"regex:shop\.crm\..*"

    assert names(config, tables=("crm.a",), known=("p.crm.a", "p.crm.b")) == [(pattern, "p.crm.b"), table]
    assert names(config, tables=("crm.a",), known=("p.crm.a", "p.hr.b", "p.transaction")) == [table]
    excluded = config | {"table.exclude.list": "crm.b"}
    assert names(excluded, tables=("crm.a", "crm.b"), known=("p.crm.a", "p.crm.b")) == [table]
    assert names(config | {"table.include.list": "crm.a"}, known=("p.crm.a", "p.crm.b")) == [table]


def test_debezium_wraps_rows_and_has_topics_of_its_own() -> None:
    """Whoever maps columns has to know of the envelope."""
    flows = read(POSTGRES | {"table.include.list": "a.b", "schema.history.internal.kafka.topic": "hist"})

    assert flows.shape is Shape.ENVELOPE
    assert {(side_topic.dataset.name, side_topic.role) for side_topic in flows.side_topics} == {
        ("hist", "schema-history"),
        ("p", "schema-changes"),
        ("p.transaction", "transactions"),
        ("__debezium-heartbeat.p", "heartbeats"),
    }


def test_an_outbox_writes_the_family_that_is_in_use() -> None:
    """Not the topic that the table's name would give."""
    config = POSTGRES | {"table.include.list": "public.outbox"} | OUTBOX

    assert names(config, active=("outbox.event.a", "p.public.outbox")) == [("shop.public.outbox", "outbox.event.a")]
    assert names(config) == [("shop.public.outbox", r"regex:outbox\.event\..*")]


def test_what_was_seen_outranks_the_configuration_for_one_dataset() -> None:
    """And for several it is reported that they contradict each other."""
    jdbc = JDBC | {"table.whitelist": "a"}

    assert names(jdbc, active=("other",)) == [("db.public.a", "other")]
    assert "is in use, but" in read(JDBC | {"table.whitelist": "a,b"}, active=("other",)).problems[0].what


def test_a_topic_from_data_is_one_of_those_in_use() -> None:
    """Without them it is unknown, which is reported."""
    step = {"transforms": "e", "transforms.e.type": "io.confluent.connect.transforms.ExtractTopic$Value"}
    config = JDBC | {"table.whitelist": "a"} | step

    assert names(config, active=("x", "y")) == [("db.public.a", "x"), ("db.public.a", "y")]
    assert names(config, known=("x", "y")) == [("db.public.a", "?")]
    assert "depend on data" in read(config).problems[0].what


def test_all_tables_of_a_jdbc_source_are_found_by_the_prefix() -> None:
    """The schema may be reported once for all."""
    assert names(JDBC | {"schema.pattern": "crm"}, active=("j-a",)) == [("db.crm.a", "j-a")]
    assert names(JDBC) == [("?", "regex:j-.*")]
    assert names(JDBC | {"table.include.list": "crm.t_.*"}) == [(r"regex:db\.crm.t_.*", "regex:j-.*")]


def test_a_whole_database_of_mongodb_is_found_by_the_topics_in_use() -> None:
    """Prefix, database and suffix stand around the collection."""
    config = MONGO | {"database": "d", "topic.prefix": "p"}

    assert names(config, active=("p.d.c", "p.x.c")) == [("d.c", "p.d.c")]
    assert names(config) == [("d", r"regex:p\.d\..*")]


def test_mirrored_patterns_are_resolved_by_the_copies() -> None:
    """Without them source and copy are patterns; MirrorMaker's own topics are none of them."""
    config = MIRROR | {"topics": "or.*"}

    assert names(config, active=("eu.orders", "eu.heartbeats")) == [("orders", "eu.orders")]
    assert names(config) == [("regex:or.*", r"regex:eu\.or.*")]


@pytest.mark.parametrize(
    ("part", "settings", "written"),
    [
        ("Source", {}, {"mm2-offset-syncs.us.internal": "e:1", "eu.heartbeats": "u:1"}),
        (
            "Source",
            {"offset-syncs.topic.location": "target", "replication.policy.separator": "_"},
            {"mm2-offset-syncs_eu_internal": "u:1", "eu_heartbeats": "u:1"},
        ),
        ("Checkpoint", {}, {"eu.checkpoints.internal": "u:1"}),
        ("Checkpoint", {"replication.policy.separator": "-"}, {"eu-checkpoints-internal": "u:1"}),
        (
            "Checkpoint",
            {"replication.policy.separator": "-", "replication.policy.internal.topic.separator.enabled": "false"},
            {"eu.checkpoints.internal": "u:1"},
        ),
        ("Heartbeat", {}, {"heartbeats": "u:1"}),
    ],
)
def test_each_part_of_mirrormaker_has_the_topics_that_it_writes_itself(part, settings, written) -> None:
    """Strimzi gives all parts the pattern of the topics; only the source copies any."""
    config = settings | {
        "connector.class": f"org.apache.kafka.connect.mirror.Mirror{part}Connector",
        "source.cluster.alias": "eu",
        "target.cluster.alias": "us",
        "source.cluster.bootstrap.servers": "e:1",
        "target.cluster.bootstrap.servers": "u:1",
        "topics": "orders,payments",
    }
    flows = read(config)

    assert {side.dataset.name: side.dataset.namespace for side in flows.side_topics} == {
        name: f"kafka://{address}" for name, address in written.items()
    }
    assert len(flows.flows) == (2 if part == "Source" else 0)
    assert flows.problems == ()


@pytest.mark.parametrize(
    ("pattern", "why"), [(r"(o)\1.*", "not evaluated"), ("([a-z]|[a-z][a-z])+$", "takes too long")]
)
def test_a_pattern_that_cannot_be_evaluated_is_reported_and_once(pattern, why) -> None:
    """Copies that it leaves out would be shown as if nothing were the matter."""
    copies = tuple(f"eu.{'a' * 60}.{number}" for number in range(3))
    flows = read(MIRROR | {"topics": "a.*", "topics.exclude": pattern}, active=copies)

    assert len(flows.flows) == 3
    (problem,) = flows.problems
    assert (problem.where, why in problem.what) == ("patterns", True)


def test_bookkeeping_connectors_move_no_data() -> None:
    """Heartbeats are no lineage."""
    flows = read(MIRROR | {"connector.class": "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector"})

    assert (flows.flows, bool(flows.side_topics)) == ((), True)


def test_restored_topics_come_from_their_folders() -> None:
    """An S3 source that restores writes each folder to the topic of its name."""
    config = {"connector.class": "S3Source", "s3.bucket.name": "b"}

    assert names(config, active=("a",)) == [("topics/a", "a")]
    assert read(config).inputs[0].name == "topics"


def test_spanner_tables_are_found_by_the_prefix() -> None:
    """A change stream lists its tables nowhere in the configuration."""
    config = {
        "connector.class": "io.debezium.connector.spanner.SpannerConnector",
        "gcp.spanner.project.id": "p",
        "gcp.spanner.instance.id": "i",
        "gcp.spanner.database.id": "d",
        "topic.prefix": "x",
    }

    assert edges(read(config, active=("x.t",))) == [("spanner://p:i d.t", "x.t")]
    assert edges(read(config)) == [("?", r"regex:x\..*")]


@pytest.mark.parametrize("text", ["{", "[]", '{"d": 1}', "[" * 5000])
def test_a_broken_map_of_topics_is_left_out(text) -> None:
    """The names are then those that MongoDB gives by itself."""
    flows = read(MONGO | {"database": "d", "collection": "c", "topic.namespace.map": text})

    assert [output.name for output in flows.outputs] == ["d.c"]


def test_an_oracle_table_is_found_by_its_topic() -> None:
    """The topic is the table's whole name; a table that is left out has none of them."""
    config = ORACLE_CDC | {"table.inclusion.regex": "ORCL.HR.*", "table.exclusion.regex": ".*TMP"}
    flows = read(config, active=("ORCL.HR.EMP", "ORCL.HR.TMP", "c-ORCL-redo-log"))

    assert edges(flows) == [("oracle://o:1521 ORCL.HR.EMP", "ORCL.HR.EMP")]
    assert [(side_topic.dataset.name, side_topic.role) for side_topic in flows.side_topics] == [
        ("c-ORCL-redo-log", "redo-log")
    ]


def test_oracle_without_a_template_writes_its_redo_log_only() -> None:
    """An empty template is a setting, and not one that is missing."""
    config = ORACLE_CDC | {"table.inclusion.regex": "ORCL.HR.EMP", "table.topic.name.template": ""}

    assert edges(read(config)) == []


@pytest.mark.parametrize(
    ("name", "reported", "shape"),
    [
        ("PostgresCdcSource", {}, Shape.ROW),
        ("PostgresCdcSource", {"after.state.only": "false"}, Shape.ENVELOPE),
        ("PostgresCdcSourceV2", {}, Shape.ENVELOPE),
        ("PostgresCdcSourceV2", {"after.state.only": "true"}, Shape.ROW),
        (POSTGRES["connector.class"], {"after.state.only": "true"}, Shape.ENVELOPE),
    ],
)
def test_the_service_takes_rows_out_of_their_envelope(name: str, reported: dict[str, str], shape: Shape) -> None:
    """Only Confluent's service knows `after.state.only`, and its first versions do so unasked."""
    config = POSTGRES | reported | {"connector.class": name, "table.include.list": "public.users"}

    assert read(config).shape is shape


MAPPED = MONGO | {"topic.prefix": "p", "topic.namespace.map": '{"d": "x", "d.c": "own"}'}


def test_mapped_collections_are_found_by_their_topics() -> None:
    """What the map names needs no topic in use; the rest of a mapped database is reported by them."""
    assert names(MAPPED, active=("p.own", "p.x.e", "p.y")) == [("d.c", "p.own"), ("d.e", "p.x.e")]


def test_databases_that_are_not_mapped_keep_their_names() -> None:
    """Without a database everything is watched; between two names stands the separator."""
    config = MONGO | {"topic.prefix": "p", "topic.separator": "-"}

    assert names(config, active=("p-d-c.1", "p-lonely", "p-!-x")) == [("d.c.1", "p-d-c.1")]


def test_a_mapped_database_of_which_no_topic_is_seen_stays_a_pattern() -> None:
    """Nothing is lost because nobody looked: the collection that is named, and all others."""
    config = MAPPED | {"database": "d"}

    assert names(config) == [("d", r"regex:p\.x\..*"), ("d.c", "p.own")]


@pytest.mark.parametrize(
    ("reported", "seen"),
    [
        ({"database.include.list": "inv"}, {"inv.a"}),
        ({"database.exclude.list": "in.*"}, {"crm.b"}),
        ({"database.include.list": "INV,crm", "table.exclude.list": "crm.b"}, {"inv.a"}),
        ({}, {"inv.a", "crm.b"}),
    ],
)
def test_topics_in_use_report_tables_of_the_databases_that_are_captured(
    reported: dict[str, str], seen: set[str]
) -> None:
    """Another connector may write topics with the same prefix."""
    config = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "database.hostname": "m",
        "topic.prefix": "p",
    }

    assert {source for source, _ in names(config | reported, active=("p.inv.a", "p.crm.b"))} == seen


@pytest.mark.parametrize(
    ("reported", "captured"),
    [
        ({"schema.include.list": "a,b", "schema.exclude.list": "b"}, {"shop.a.t"}),
        ({"schema.include.list": "[ab]", "table.include.list": ".*\\.t"}, {"shop.a.t", "shop.b.t"}),
        ({"schema.blacklist": "a|c"}, {"shop.b.t"}),
        ({"schema.include.list": "none", "table.include.list": "a.t"}, set()),
    ],
)
def test_a_table_is_captured_where_its_own_list_and_its_schemas_let_it_through(reported, captured) -> None:
    """Both kinds of lists count at once."""
    result = names(POSTGRES | reported, tables=("a.t", "b.t", "c.t"))

    assert {source for source, _ in result} == captured


def test_tables_of_a_keyspace_are_captured() -> None:
    """Vitess names one keyspace, and has no list of others."""
    config = {
        "connector.class": "io.debezium.connector.vitess.VitessConnector",
        "database.hostname": "v",
        "vitess.keyspace": "shop",
        "topic.prefix": "p",
        "table.include.list": "shop.t",
    }

    assert names(config) == [("shop.t", "p.shop.t")]


@pytest.mark.parametrize("pattern", ["crm\\.us.*", "us.*", "db\\.crm\\.us.*", "(?:x|crm)[.]u[s]er.*"])
def test_a_pattern_of_tables_is_resolved_by_the_topics_in_use(pattern: str) -> None:
    """A topic holds the table's bare name; the pattern may write its schema and database before it."""
    config = JDBC | {"connection.url": "jdbc:postgresql://h/db?currentSchema=crm", "table.include.list": pattern}

    assert names(config, active=("j-users", "j-orders")) == [("db.crm.users", "j-users")]


def test_names_that_a_lineage_transform_receives_are_a_sources_too() -> None:
    """What a generator makes has no other name."""
    config = {
        "connector.class": "DatagenSource",
        "kafka.topic": "t",
        "transforms": "ol",
        "transforms.ol.type": "io.factorhouse.smt.OpenLineageLifecycleSmt",
        "transforms.ol.dataset.namespace": "gen://a",
        "transforms.ol.dataset.names": "orders",
    }

    assert edges(read(config)) == [("gen://a orders", "t")]


@pytest.mark.parametrize(("pattern", "topics"), [("web.${entityName}", ("web.a", "web.b")), ("all", ("all", "all"))])
def test_each_entity_of_a_service_has_its_endpoint(pattern: str, topics: tuple[str, str]) -> None:
    """Confluent's HTTP source writes the entity's name into its URL, and into its topic where that asks for it."""
    config = {
        "connector.class": "HttpSource",
        "url": "https://h/v1/${entityName}?since=${offset}",
        "entity.names": "a, b",
        "topic.name.pattern": pattern,
    }

    assert edges(read(config)) == [("https://h /v1/a", topics[0]), ("https://h /v1/b", topics[1])]


@pytest.mark.parametrize(
    ("config", "flows"),
    [
        (
            {
                "connector.class": "JiraSource",
                "jira.url": "https://j",
                "jira.resources": "issues, users",
                "topic.name.pattern": "jira-${resourceName}",
            },
            [("jira://j issues", "jira-issues"), ("jira://j users", "jira-users")],
        ),
        (
            {"connector.class": "ZendeskSource", "zendesk.url": "https://z", "zendesk.tables": "tickets"},
            [("zendesk://z tickets", "tickets")],
        ),
        (
            {
                "connector.class": "GithubSource",
                "github.repositories": "a/b,c/d",
                "github.resources": "commits",
                "topic.name.pattern": "gh-${entityName}",
            },
            [("https://api.github.com a/b", "gh-commits"), ("https://api.github.com c/d", "gh-commits")],
        ),
        (
            {"connector.class": "RabbitMQSource", "rabbitmq.host": "r", "rabbitmq.queue": "p,q", "kafka.topic": "t"},
            [("rabbitmq://r:5672 p", "t"), ("rabbitmq://r:5672 q", "t")],
        ),
        (
            {
                "connector.class": "com.ibm.eventstreams.connect.mqsource.MQSourceConnector",
                "mq.connection.name.list": "m(1414)",
                "mq.queue": "DEV.Q",
                "topic": "t",
            },
            [("ibmmq://m:1414 DEV.Q", "t")],
        ),
    ],
)
def test_a_service_that_lists_what_is_read_has_a_dataset_for_each(config, flows) -> None:
    """A list is no name; `topic.name.pattern` gives each resource its topic, by itself where it is not reported."""
    assert edges(read(config)) == flows


def test_tables_without_a_topic_go_to_the_topics_that_end_with_their_names() -> None:
    """Not each table to every topic that the connector uses."""
    config = {"connector.class": "DynamoDbCdcSource", "dynamodb.table.includelist": "users,orders"}

    assert names(config, active=("x-orders", "x-users")) == [("orders", "x-orders"), ("users", "x-users")]


def test_debezium_without_a_table_list_writes_topics_of_its_prefix_only() -> None:
    """Its tables are unknown, which it says; without the prefix, no topic can be recognized."""
    known = ("orders", "p", "p.public.a", "payments")
    stripped = POSTGRES | router(r"p\.(.*)", "$1")

    assert names(POSTGRES, known=known) == [("?", "p.public.a")]
    assert "table.include.list is not set" in read(POSTGRES, known=known).problems[0].what
    assert names(stripped, known=known) == []
    assert {"depend on data" in problem.what for problem in read(stripped, known=known).problems} == {True, False}
    outbox = POSTGRES | {"table.include.list": "public.outbox", **OUTBOX}
    outbox |= {"transforms.o.route.topic.replacement": "${routedByValue}"}
    assert names(outbox, known=known) == [("shop.public.outbox", "?")]


def test_a_jdbc_source_without_a_list_claims_no_tables_by_topics_that_only_exist() -> None:
    """Another connector may write a topic with this prefix."""
    assert names(JDBC, known=("j-a", "other")) == [("?", "j-a")]
    assert "no list of tables is set" in read(JDBC).problems[0].what
    assert names({key: value for key, value in JDBC.items() if key != "topic.prefix"}, known=("a", "b")) == []


@pytest.mark.parametrize(
    ("config", "edge"),
    [
        (
            {"connector.class": "InfluxDB2Source", "influxdb.bucket": "b", "topic.prefix": "i_"},
            ("influxdb://f:8086 b", "i_b"),
        ),
        (
            {"connector.class": "InfluxdbSource", "influxdb.db": "d", "topic.prefix": "i_", "topic.mapper": "series"},
            ("influxdb://f:8086 d", "regex:i_.*"),
        ),
        (
            {"connector.class": "CouchbaseSource", "connection.bucket": "b", "topic.name": "t"},
            ("couchbase://c b", "t"),
        ),
        (
            {"connector.class": "CouchbaseSource", "couchbase.bucket": "b", "couchbase.collections": "s.c"},
            ("couchbase://c b", "b.s.c"),
        ),
        ({"connector.class": "CouchbaseSource", "couchbase.bucket": "b"}, ("couchbase://c b", r"regex:b\..*")),
        (
            {"connector.class": "KuduSource", "kudu.database": "d", "table.whitelist": "t", "topic.prefix": "k-"},
            ("impala://kudu:21050 d.t", "k-t"),
        ),
        (
            {"connector.class": "FtpsSource", "ftps.host": "f", "ftps.input.path": "/in", "kafka.topic": "t"},
            ("ftps://f:990 /in", "t"),
        ),
        (
            {"connector.class": "FilePulseSource", "aws.s3.bucket.name": "b", "topic": "t"},
            ("s3://b /", "t"),
        ),
        (
            {"connector.class": "FilePulseSource", "fs.scan.directory.path": "/in", "topic": "t"},
            ("file /in", "t"),
        ),
        (
            {"connector.class": "ServiceNowSourceV2", "table1.name": "incident", "table1.topic": "t"},
            ("servicenow://s incident", "t"),
        ),
    ],
)
def test_settings_of_services(config: dict[str, str], edge: tuple[str, str]) -> None:
    """Each by the keys that its own versions document."""
    servers = {
        "influxdb.url": "http://f:8086",
        "connection.cluster_address": "c",
        "impala.server": "kudu",
        "impala.port": "21050",
        "servicenow.url": "https://s/",
    }

    assert edges(read(servers | config)) == [edge]
    assert read(servers | config).problems == ()


def test_topics_of_a_connector_for_its_own_purposes_are_named_as_such() -> None:
    """They carry no data of a table, whatever the class."""
    own = {
        "tasks.file.status.storage.topic": "status",
        "state.topic.name": "state",
        "schema.history.internal.kafka.topic": "history",
        "signal.kafka.topic": "signals",
        "heartbeat.topic.name": "beats",
        "errors.deadletterqueue.topic.name": "dead",
    }
    flows = read({"connector.class": "com.acme.Source", "kafka.topic": "data", **own})

    assert {topic.dataset.name: topic.role for topic in flows.side_topics} == {
        "status": "file-status",
        "state": "state",
        "history": "schema-history",
        "signals": "signals",
        "beats": "heartbeats",
        "dead": "dead-letter",
    }
    assert [end.name for end in flows.outputs] == ["data"]


def test_a_system_without_an_address_has_half_a_name_and_a_problem() -> None:
    """The dataset is kept, so that its topic is not alone."""
    flows = read({"connector.class": "ServiceNowSource", "servicenow.table": "incident", "kafka.topic": "t"})

    assert edges(flows) == [("servicenow://unknown incident", "t")]
    assert "address of the servicenow server" in flows.problems[0].what
