"""Names of datasets: OpenLineage's forms, and nothing secret in them."""

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.connectors.dataset_names import (
    addresses,
    jdbc_dataset,
    located_table,
    object_path,
    table_of,
    web_dataset,
)
from dataflow_generator.connectors.families.warehouses import snowflake_table
from dataflow_generator.connectors.jdbc_urls import jdbc_server, snowflake_account


@pytest.mark.parametrize(
    ("url", "namespace", "name"),
    [
        ("jdbc:postgresql://PG.shop/Sales", "postgres://pg.shop:5432", "Sales.crm.t"),
        ("jdbc:postgresql://u:p@h1,u:p@h2:1/db", "postgres://h1:5432,h2:1", "db.crm.t"),
        ("jdbc:postgresql://u:a/b@h/db", "postgres://h:5432", "db.crm.t"),
        ("jdbc:mysql://h/shop?user=u&password=p", "mysql://h:3306", "crm.t"),
        ("jdbc:mysql+srv:loadbalance://h", "mysql://h:3306", "crm.t"),
        ("jdbc:ch:https://h:8443/db", "clickhouse://h:8443", "crm.t"),
        ("jdbc:sqlserver://h\\inst:1433;databaseName=Db;password=p", "sqlserver://h:1433/inst", "Db.crm.t"),
        ("jdbc:jtds:sqlserver://h:1433/Db;user=u", "sqlserver://h:1433", "Db.crm.t"),
        ("jdbc:oracle:thin:scott/tiger@h:1521:XE", "oracle://h:1521", "XE.crm.t"),
        ("jdbc:oracle:thin:@//h:1522/svc", "oracle://h:1522", "svc.crm.t"),
        ("jdbc:oracle:oci", "oracle://unknown", "crm.t"),
        (
            "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=a)(PORT=1))(ADDRESS=(HOST=b)(PORT=2))"
            "(CONNECT_DATA=(SERVICE_NAME=s)))",
            "oracle://a:1,b:2",
            "s.crm.t",
        ),
        ("jdbc:oracle:thin:@(DESCRIPTION=(PASSWORD=p)", "oracle://unknown", "crm.t"),
        (
            "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(PORT=1522)(HOST=a))(ADDRESS=(HOST=b))(ADDRESS=(HOST=c)(PORT=3)))",
            "oracle://a:1522,b:1521,c:3",
            "crm.t",
        ),
        ("jdbc:mysql://address=(host=a)(port=1)(password=p),address=(host=b)/s", "mysql://a:1,b:3306", "crm.t"),
        ("jdbc:mysql://(host=a,port=1,password=p/p),(host=b)/s", "mysql://(host=a,port=1),(host=b)", "crm.t"),
        ("jdbc:mysql://u:p@[a:1,(host=b,port=2,password=p)]/s?x=y", "mysql://a:1,b:2", "crm.t"),
        ("jdbc:sqlserver://;serverName=a\\I;port=1;databaseName={d;e}", "sqlserver://a:1/I", "d;e.crm.t"),
        ("jdbc:sqlserver://;serverName=fe80::1", "sqlserver://[fe80::1]", "crm.t"),
        ("jdbc:teradata://h/DBS_PORT=1030,DATABASE=s,PASSWORD='a,DATABASE=p'", "teradata://h:1030", "crm.t"),
        ("jdbc:cassandra://a--xn--b.c:9043/k", "cassandra://a:9043,xn--b.c:9043", "k.crm.t"),
        ("jdbc:snowflake://acme-eu.snowflakecomputing.com/?db=D&password=p", "snowflake://acme-eu", "D.crm.t"),
        ("jdbc:snowflake://xy12345.snowflakecomputing.com/?db=D", "snowflake://xy12345.us-west-1.aws", "D.crm.t"),
        ("jdbc:sqlite:/data/x.db?password=p", "file:/data/x.db", "crm.t"),
        ("jdbc:teradata://h/USER=u,PASSWORD=p", "teradata://h:1025", "crm.t"),
        ("jdbc:other://h:user=u;ssl=true", "other://h;ssl=true", "crm.t"),
        ("jdbc:hsql:u:p", "hsql://unknown", "crm.t"),
        ("${file:/x:url}", "jdbc://unknown", "crm.t"),
        ("", "jdbc://unknown", "crm.t"),
    ],
)
def test_a_jdbc_url_names_server_and_database(url, namespace, name) -> None:
    """The form is openlineage-java's, so that events of Spark and Flink meet the same dataset."""
    dataset = jdbc_dataset(url, "crm.t")

    assert (dataset.namespace, dataset.name) == (namespace, name)


@pytest.mark.parametrize(
    ("url", "table", "name"),
    [
        ("jdbc:postgresql://h/db", "t", "db.public.t"),
        ("jdbc:postgresql://h/db?currentSchema=crm,public", "t", "db.crm.t"),
        ("jdbc:postgresql://h/db", '"My Schema"."a.b"', "db.My Schema.a.b"),
        ("jdbc:postgresql://h/db", "other.crm.t", "other.crm.t"),
        ("jdbc:sqlserver://h;databaseName=db", "[t]", "db.dbo.t"),
        ("jdbc:mysql://h/db", "`t`", "db.t"),
        ("jdbc:oracle:thin:@h:1521:XE", "t", "XE.t"),
        ("jdbc:teradata://h/DATABASE=s,TMODE=ANSI", "t", "s.t"),
    ],
)
def test_a_connector_finds_a_table_where_its_server_looks(url, table, name) -> None:
    """`public` and `dbo` are where a bare name leads; a schema of the URL comes first."""
    assert table_of(jdbc_server(url), table).name == name


SECRET = st.text(alphabet=st.characters(codec="ascii", exclude_characters="@,"), min_size=4).map(
    lambda text: f"s3cr{text}t!"
)
URLS = st.sampled_from(
    [
        "jdbc:postgresql://u:{}@h/db",
        "jdbc:mysql://h/db?user=u&password={}",
        "jdbc:sqlserver://h;user=u;password={};x=y",
        "jdbc:oracle:thin:u/{}@h:1521:XE",
        "jdbc:other://h:password={}",
        "mongodb://u:{}@h1,h2/db",
        "https://u:{}@h:1/p",
    ]
)


@examples(100)
@given(url=URLS, secret=SECRET)
def test_no_secret_of_a_url_is_in_a_name(url, secret) -> None:
    """Whatever characters a password has: names are stored and shown."""
    text = url.format(secret)

    assert "s3cr" not in repr((jdbc_dataset(text, "t"), addresses("x", text), web_dataset(text)))


@examples(100)
@given(
    text=st.text(max_size=40), start=st.sampled_from(["", "jdbc:", "jdbc:oracle:thin:@", "jdbc:sqlserver://", "s3://"])
)
def test_any_text_has_a_name(text, start) -> None:
    """A URL is what somebody typed."""
    assert jdbc_dataset(start + text, text).namespace
    assert object_path(start + text).name
    assert addresses("x", start + text).startswith("x://")
    assert snowflake_account(start + text)


@pytest.mark.parametrize(
    ("uri", "namespace", "name"),
    [
        ("s3a://lake/raw/orders/", "s3://lake", "raw/orders"),
        ("s3://KEY:SECRET@lake/raw", "s3://lake", "raw"),
        ("hdfs://nn:8020/raw", "hdfs://nn:8020", "/raw"),
        ("wasbs://c@a/raw", "wasbs://c@a", "raw"),
        ("gs://b", "gs://b", "/"),
        ("/data/x", "file", "/data/x"),
        ("file:/data/x/", "file", "/data/x"),
    ],
)
def test_a_path_is_named_within_its_store(uri, namespace, name) -> None:
    """HDFS and files keep their leading slash; object stores have none."""
    assert (object_path(uri).namespace, object_path(uri).name) == (namespace, name)


def test_a_table_without_catalogue_is_named_by_its_warehouse() -> None:
    """OpenLineage's form for Iceberg, Delta and Hudi."""
    dataset = located_table("s3a://lake/warehouse", "crm.t")

    assert (dataset.namespace, dataset.name) == ("s3://lake/warehouse", "crm.t")


def test_web_addresses_lose_user_and_query() -> None:
    """Both may be keys of somebody."""
    dataset = web_dataset("https://u:p@API.acme.com:8443/v1/in?key=1")

    assert dataset
    assert (dataset.namespace, dataset.name) == ("https://api.acme.com:8443", "/v1/in")


@pytest.mark.parametrize("text", ["", "http://", "https://[", "http://h:99999999/x"])
def test_what_is_no_url_has_no_name(text) -> None:
    """An unknown end is better than a wrong one."""
    assert web_dataset(text) is None


@pytest.mark.parametrize(
    ("url", "account"),
    [
        ("acme-eu.snowflakecomputing.com:443", "acme-eu"),
        ("https://AB12345.eu-central-1.snowflakecomputing.com", "ab12345.eu-central-1.aws"),
        ("ab12345.west-europe.azure", "ab12345.west-europe.azure"),
        ("", "unknown"),
    ],
)
def test_a_snowflake_address_is_an_account(url, account) -> None:
    """An account has several addresses, and one name."""
    assert snowflake_account(url) == account


@pytest.mark.parametrize(
    ("topic", "table"),
    [("orders", "orders"), ("eu.orders", "eu_orders_1042765283"), ("1st-x", "_1st_x_48791485"), ("a", "a_97")],
)
def test_a_topic_that_is_no_identifier_gets_a_table_with_its_hash(topic, table) -> None:
    """Else `a.b` and `a-b` would share a table; the hash is Java's."""
    assert snowflake_table(topic) == table
