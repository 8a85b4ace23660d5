"""Columns from end to end of a connector: both ends known, or only one, through transforms and into tables."""

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.connectors import CONNECTORS, Config, Connector, Direction, read_connector
from dataflow_generator.connectors.column_mapping import ColumnMapping, map_columns
from dataflow_generator.connectors.transforms.registry import TRANSFORMS
from scanner_model.columns import parse_path, path_name

KAFKA = "org.apache.kafka.connect.transforms."
POSTGRES_CDC = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db",
    "database.dbname": "shop",
    "topic.prefix": "cdc",
    "table.include.list": "inventory.customers",
}
ENVELOPE = "before before.id before.email after after.id after.email source source.ts_ms op @key.id"
UNWRAP = {"transforms": "u", "transforms.u.type": "io.debezium.transforms.ExtractNewRecordState"}
JDBC = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://dw/warehouse",
    "topics": "t",
}


def steps(**transforms: dict[str, str]) -> dict[str, str]:
    members = {f"transforms.{name}.{key}": text for name, step in transforms.items() for key, text in step.items()}
    return {"transforms": ",".join(transforms), **members}


def followed(config: dict[str, str], source: str = "", target: str = "", at: int = 0) -> ColumnMapping:
    read = Config.of(config)
    direction = Direction.SINK if "Sink" in config["connector.class"] else Direction.SOURCE
    flows = read_connector(Connector(name="c", config=read, direction=direction))
    ends = tuple(tuple(parse_path(name) for name in side.split()) for side in (source, target))
    return map_columns(read, flows, flows.flows[at], ends)


def pairs(column_mapping: ColumnMapping) -> dict[str, set[str]]:
    """Return the columns of the target with those that they are made of; `~` marks a computed one, `#` a masked one."""
    members: dict[str, set[str]] = {}
    for column in column_mapping.columns:
        mark = "#" if column.masked else "~" * column.changed
        members.setdefault(path_name(column.target), set()).add(path_name(column.source) + mark)
    return members


def test_a_change_feed_has_its_rows_before_and_after_the_change() -> None:
    """The table is reported by its topic alone; what the connector adds is of no column."""
    assert pairs(followed(POSTGRES_CDC, target=ENVELOPE)) == {
        "before.id": {"id"},
        "before.email": {"email"},
        "after.id": {"id"},
        "after.email": {"email"},
        "@key.id": {"id"},
    }


def test_an_unwrapped_change_feed_has_the_row_itself() -> None:
    """ExtractNewRecordState takes the row out of the envelope, and metadata that it adds are no columns."""
    config = POSTGRES_CDC | UNWRAP | {"transforms.u.add.fields": "op,source.ts_ms"}
    column_mapping = followed(config, target="id email __op __source_ts_ms @key.id")

    assert pairs(column_mapping) == {"id": {"id"}, "email": {"email"}, "@key.id": {"id"}}
    assert {column.because for column in column_mapping.columns} == {"transforms.u", ""}
    assert column_mapping.complete


def test_the_mark_of_a_deleted_row_is_no_column_of_the_table() -> None:
    """A topic has `__deleted` because of the transform alone."""
    config = POSTGRES_CDC | UNWRAP | {"transforms.u.delete.handling.mode": "rewrite"}

    assert pairs(followed(config, target="id __deleted")) == {"id": {"id"}}


def test_columns_of_a_table_that_is_described_flow_where_the_topic_has_them() -> None:
    """Both ends are known: what the topic has no more does not flow."""
    assert pairs(followed(POSTGRES_CDC | UNWRAP, source="id email born", target="id email")) == {
        "id": {"id"},
        "email": {"email"},
    }


@pytest.mark.parametrize(
    ("key", "reported"),
    [
        ("column.exclude.list", {}),
        ("column.mask.with.8.chars", {"email": {"email#"}}),
        ("column.mask.hash.SHA-256.with.salt.x", {"email": {"email#"}}),
        ("column.truncate.to.2.chars", {"email": {"email~"}}),
    ],
)
def test_a_change_feed_leaves_columns_out_or_hides_their_values(key, reported) -> None:
    """What is masked, also by a hash, depends on the column and shows nothing of it."""
    result = followed(POSTGRES_CDC | UNWRAP | {key: r"inventory\.customers\.e.*"}, source="email")

    assert pairs(result) == reported


@pytest.mark.parametrize(
    ("transforms", "topic", "reported"),
    [
        ({"r": {"type": f"{KAFKA}ReplaceField$Value", "renames": "a:b"}}, "b c", {"b": {"a"}, "c": {"c"}}),
        ({"h": {"type": f"{KAFKA}HoistField$Value", "field": "row"}}, "row row.a", {"row.a": {"a"}}),
        ({"i": {"type": f"{KAFKA}InsertField$Value", "static.field": "env"}}, "a env", {"a": {"a"}}),
        ({"c": {"type": f"{KAFKA}Cast$Value", "spec": "a:string"}}, "a b", {"a": {"a~"}, "b": {"b"}}),
        ({"m": {"type": f"{KAFKA}MaskField$Value", "fields": "a"}}, "a b", {"a": {"a#"}, "b": {"b"}}),
        (
            {
                "k": {"type": f"{KAFKA}ValueToKey", "fields": "id"},
                "e": {"type": f"{KAFKA}ExtractField$Key", "field": "id"},
            },
            "id a @key",
            {"id": {"id"}, "a": {"a"}, "@key": {"id"}},
        ),
        ({"e": {"type": f"{KAFKA}ExtractField$Value", "field": "doc"}}, "a b", {"a": {"doc.a"}, "b": {"doc.b"}}),
        ({"h": {"type": f"{KAFKA}HoistField$Key", "field": "k"}}, "a", {"a": {"a"}}),
        ({"e": {"type": f"{KAFKA}ExtractField$Key", "field": "k"}}, "a", {"a": {"a"}}),
        ({"f": {"type": f"{KAFKA}Flatten$Key"}}, "a.b c", {"a.b": {"a.b"}, "c": {"c"}}),
        ({"r": {"type": f"{KAFKA}ReplaceField$Key", "renames": "a:b"}}, "b", {"b": {"b"}}),
        (
            {
                "p": {"type": f"{KAFKA}ReplaceField$Value", "renames": "a:b", "predicate": "other"},
                "x": {"type": f"{KAFKA}Cast$Value", "spec": "b:string"},
            },
            "b",
            {"b": {"b~"}},
        ),
    ],
    ids=[
        *("renamed", "hoisted", "inserted", "cast", "masked", "key-of-value", "extracted", "key-hoisted"),
        *("key-extracted", "key-flattened", "key-renamed", "not-applied"),
    ],
)
def test_a_table_that_was_not_described_has_what_its_topic_was_made_of(transforms, topic, reported) -> None:
    """Transforms are read backwards, and then forwards to see that it is true."""
    source = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "connection.url": "jdbc:postgresql://db/shop",
        "table.whitelist": "t",
        "topic.prefix": "p-",
        "predicates.other.type": f"{KAFKA}predicates.TopicNameMatches",
        "predicates.other.pattern": "another",
    }
    result = pairs(followed(source | steps(**transforms), target=topic))

    assert {target: origins for target, origins in result.items() if target != "row"} == reported


def test_a_flattened_envelope_leads_back_to_the_row() -> None:
    """`after_id` is the row's `id`, and `op` is no column of a table."""
    flat = steps(f={"type": f"{KAFKA}Flatten$Value", "delimiter": "_"})

    assert pairs(followed(POSTGRES_CDC | flat, target="after_id before_id op")) == {
        "after_id": {"id"},
        "before_id": {"id"},
    }


def test_fields_of_the_key_in_the_value_lead_back_to_the_key() -> None:
    """Aiven's KeyToValue: of a change feed, the key's column is the table's all the same."""
    copied = steps(k={"type": "io.aiven.kafka.connect.transforms.KeyToValue", "key.fields": "id:customer"})

    assert pairs(followed(POSTGRES_CDC | copied, target="customer after.email @key.id")) == {
        "customer": {"id"},
        "after.email": {"email"},
        "@key.id": {"id"},
    }


def test_documents_as_text_report_no_columns() -> None:
    """Debezium's MongoDB connector writes before and after as one JSON text each."""
    documents = {
        "connector.class": "io.debezium.connector.mongodb.MongoDbConnector",
        "mongodb.connection.string": "mongodb://m",
        "topic.prefix": "cdc",
        "collection.include.list": "shop.orders",
    }
    column_mapping = followed(documents, target="before after op")

    assert not column_mapping.complete
    assert not column_mapping.columns


def test_an_outbox_leads_back_to_its_payload() -> None:
    """The payload is the message; the aggregate's id is its key."""
    outbox = steps(o={"type": "io.debezium.transforms.outbox.EventRouter"})
    result = pairs(followed(POSTGRES_CDC | outbox, target="total @key"))

    assert result["total"] == {"payload.total~"} or result["total"] == {"payload.total"}
    assert result["@key"] == {"aggregateid"}


def test_a_mirror_copies_whole_records_key_and_value_apart() -> None:
    """A key `id` is another column than a value `id`."""
    mirror = {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "topics": "orders",
        "source.cluster.alias": "eu",
    }

    assert pairs(followed(mirror, source="@key.id id total")) == {
        "@key.id": {"@key.id"},
        "id": {"id"},
        "total": {"total"},
    }
    assert pairs(followed(mirror, target="id")) == {"id": {"id"}}


@pytest.mark.parametrize(
    ("config", "reported"),
    [
        ({}, {"id": {"id"}, "email": {"email"}, "address": {"address"}}),
        ({"pk.mode": "record_key"}, {"id": {"@key.id"}, "email": {"email"}, "address": {"address"}}),
        ({"pk.mode": "record_key", "fields.whitelist": "email"}, {"id": {"@key.id"}, "email": {"email"}}),
        ({"fields.whitelist": "email"}, {"email": {"email"}}),
    ],
)
def test_a_table_gets_the_outermost_fields_and_the_key_where_it_is_requested(config, reported) -> None:
    """A table's columns hold no others."""
    assert pairs(followed(JDBC | config, source="@key.id id email address address.city")) == reported


def test_a_plain_key_gets_the_name_that_the_configuration_gives_it() -> None:
    """The key is one value; `pk.fields` names its column."""
    column_mapping = followed(JDBC | {"pk.mode": "record_key", "pk.fields": "customer_id"}, source="@key email")

    assert pairs(column_mapping) == {"customer_id": {"@key"}, "email": {"email"}}
    assert (
        next(column.because for column in column_mapping.columns if column.source == ("@key",)) == "pk.mode, pk.fields"
    )


@pytest.mark.parametrize(
    ("url", "quoted", "name"),
    [
        ("jdbc:postgresql://dw/w", "always", "Email"),
        ("jdbc:postgresql://dw/w", "never", "email"),
        ("jdbc:oracle:thin:@//dw/w", "never", "EMAIL"),
        ("jdbc:mysql://dw/w", "never", "Email"),
    ],
)
def test_a_database_folds_names_that_are_not_quoted(url, quoted, name) -> None:
    """PostgreSQL to lower case, Oracle to upper case."""
    config = JDBC | {"connection.url": url, "quote.sql.identifiers": quoted}

    assert pairs(followed(config, source="Email")) == {name: {"Email"}}


def test_debezium_s_own_sink_takes_the_envelope_apart() -> None:
    """It needs no ExtractNewRecordState."""
    sink = {
        "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
        "connection.url": "jdbc:postgresql://dw/warehouse",
        "topics": "t",
        "primary.key.mode": "record_key",
        "field.exclude.list": "t:note",
    }
    result = pairs(followed(sink, source=f"{ENVELOPE} after.note after.Name"))

    assert result == {"id": {"@key.id"}, "email": {"after.email"}, "name": {"after.Name"}}


@pytest.mark.parametrize(
    ("schematization", "reported"),
    [
        ("true", {"ID": {"id"}, "ADDRESS.city": {"address.city"}, "RECORD_METADATA.key": {"@key"}}),
        (
            "false",
            {
                "RECORD_CONTENT.id": {"id"},
                "RECORD_CONTENT.address.city": {"address.city"},
                "RECORD_METADATA.key": {"@key"},
            },
        ),
    ],
)
def test_snowflake_has_columns_in_upper_case_or_one_for_all(schematization, reported) -> None:
    """Without schema detection a table has two columns."""
    snowflake = {
        "connector.class": "com.snowflake.kafka.connector.SnowflakeSinkConnector",
        "snowflake.url.name": "acme.snowflakecomputing.com",
        "snowflake.database.name": "DB",
        "topics": "t",
        "snowflake.enable.schematization": schematization,
    }

    assert pairs(followed(snowflake, source="@key id address.city")) == reported


def test_bigquery_mends_names_and_keeps_the_key_apart() -> None:
    """Only where the configuration says so."""
    bigquery = {
        "connector.class": "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector",
        "project": "p",
        "defaultDataset": "d",
        "topics": "t",
        "sanitizeFieldNames": "true",
        "kafkaKeyFieldName": "kafka_key",
    }

    assert pairs(followed(bigquery, source="@key.id order-id 1st")) == {
        "kafka_key.id": {"@key.id"},
        "order_id": {"order-id"},
        "_1st": {"1st"},
    }


def test_cassandra_s_mapping_names_each_column() -> None:
    """A function such as now() is made of no column."""
    cassandra = {
        "connector.class": "com.datastax.oss.kafka.sink.CassandraSinkConnector",
        "contactPoints": "c1",
        "topics": "t",
        "topic.t.shop.by_id.mapping": "id=key.id, mail=value.email, at=now(), whole=value.address",
    }

    assert pairs(followed(cassandra, source="@key.id email address address.city")) == {
        "id": {"@key.id"},
        "mail": {"email"},
        "whole": {"address"},
        "whole.city": {"address.city"},
    }


@pytest.mark.parametrize(
    ("config", "reported"),
    [
        ({"document.id.strategy": "com.x.FullKeyStrategy"}, {"_id.id": {"@key.id"}, "after": {"after"}}),
        ({"change.data.capture.handler": "com.x.debezium.rdbms.postgres.PostgresHandler"}, {"id": {"after.id"}}),
    ],
)
def test_documents_of_mongodb_take_key_or_row_where_the_configuration_reports_it(config, reported) -> None:
    """A handler of change events writes the row after the change."""
    mongodb = {
        "connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
        "connection.uri": "mongodb://m",
        "topics": "t",
    }
    result = pairs(followed(mongodb | config, source="@key.id after after.id op"))

    assert reported.items() <= result.items()


def test_a_search_index_has_the_key_as_its_id() -> None:
    """Unless it is ignored."""
    search = {
        "connector.class": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector",
        "connection.url": "http://es:9200",
        "topics": "t",
    }

    assert pairs(followed(search, source="@key a")) == {"_id": {"@key"}, "a": {"a"}}
    assert pairs(followed(search | {"key.ignore": "true"}, source="@key a")) == {"a": {"a"}}


def test_a_change_stream_of_mongodb_has_documents_inside() -> None:
    """The topic shows whether the event is reported whole."""
    stream = {
        "connector.class": "com.mongodb.kafka.connect.MongoSourceConnector",
        "connection.uri": "mongodb://m",
        "database": "d",
        "collection": "c",
    }

    assert pairs(followed(stream, target="operationType fullDocument fullDocument.id")) == {"fullDocument.id": {"id"}}
    assert pairs(followed(stream, target="id")) == {"id": {"id"}}


def test_the_envelope_of_connect_s_json_is_looked_through() -> None:
    """Transforms and tables see the payload; the message has it inside."""
    topic = "@key.schema @key.payload @key.payload.id schema payload payload.id payload.email"

    assert pairs(followed(JDBC | {"pk.mode": "record_key"}, source=topic)) == {
        "id": {"@key.payload.id"},
        "email": {"payload.email"},
    }
    assert pairs(followed(POSTGRES_CDC | UNWRAP, target=topic)) == {
        "payload.id": {"id"},
        "payload.email": {"email"},
        "@key.payload.id": {"id"},
    }


def test_a_mirror_copies_an_envelope_as_it_is() -> None:
    """It sees bytes."""
    mirror = {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector", "topics": "t"}

    assert pairs(followed(mirror, source="schema payload payload.id")) == {
        "schema": {"schema"},
        "payload": {"payload"},
        "payload.id": {"payload.id"},
    }


def test_a_line_of_a_file_is_one_value() -> None:
    """Hoisted, it is the one field."""
    file = {"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector", "file": "/l", "topic": "t"}
    hoist = steps(h={"type": f"{KAFKA}HoistField$Value", "field": "line"})

    assert pairs(followed(file | hoist)) == {"line": {""}}


def test_a_name_that_differs_in_case_only_is_matched() -> None:
    """It is not what the connector writes, and may be what the schema means."""
    (mapped_column,) = followed(POSTGRES_CDC | UNWRAP, source="EMAIL", target="email").columns

    assert (mapped_column.source, mapped_column.target, mapped_column.alike) == (("EMAIL",), ("email",), True)


@pytest.mark.parametrize(
    "config",
    [
        JDBC | steps(x={"type": "com.acme.Scramble"}),
        JDBC | steps(x={"type": f"{KAFKA}HoistField$Value"}),
        POSTGRES_CDC | steps(x={"type": "io.debezium.connector.mongodb.transforms.ExtractNewDocumentState"}),
    ],
)
def test_what_a_transform_does_that_is_unknown_costs_the_columns(config) -> None:
    """Nothing is guessed."""
    result = followed(config, source="a", target="a")

    assert not result.complete
    assert not result.columns


def test_a_table_that_a_catalog_describes_has_what_it_has() -> None:
    """Names are the catalog's; a field that the table has no column for does not land."""
    column_mapping = followed(JDBC, source="id Email note", target="id EMAIL")

    assert pairs(column_mapping) == {"id": {"id"}, "EMAIL": {"Email"}}
    assert [column.alike for column in column_mapping.columns] == [False, True]


ANY_PATH = st.sampled_from(
    [("a",), ("a", "b"), ("after",), ("after", "id"), ("op",), ("@key",), ("@key", "id"), ("payload", "a")]
)
ANY_STEP = st.fixed_dictionaries(
    {"type": st.sampled_from([*TRANSFORMS, "com.acme.X"])},
    optional={
        key: st.sampled_from(["", "a", "a:b", "a,b", "(", ".", "V2", "`"])
        for key in ("renames", "exclude", "field", "fields", "delimiter", "spec", "add.fields", "key.fields", "regex")
    },
)


@given(
    st.sampled_from([*CONNECTORS, "com.acme.Y"]),
    st.lists(ANY_STEP, max_size=3),
    st.tuples(st.lists(ANY_PATH, max_size=4), st.lists(ANY_PATH, max_size=4)),
)
@examples(120)
def test_no_configuration_breaks_what_follows_columns(class_name, transforms, ends) -> None:
    """Whatever people, or a server that was tampered with, wrote there."""
    reported = {
        "connector.class": class_name,
        "topics": "t",
        "topic.prefix": "p",
        "table.include.list": "s.t",
        "file": "f",
    }
    config = Config.of(reported | steps(**{f"t{number}": step for number, step in enumerate(transforms)}))
    flows = read_connector(Connector(name="c", config=config))

    assert all(isinstance(map_columns(config, flows, flow, ends), ColumnMapping) for flow in flows.flows)
