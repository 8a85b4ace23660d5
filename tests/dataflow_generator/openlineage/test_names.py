"""Names of datasets in normal form, and what is one dataset under several names."""

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.analysis.connectivity import UnionFind
from dataflow_generator.jobs.databases.names import TableNames
from dataflow_generator.openlineage.dataset_identity import DatasetIdentity, KafkaClusters
from dataflow_generator.openlineage.names import Name, kafka_addresses, normal, trimmed
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.documents.pattern_limits import TimeLimit
from scanner_model.names import SourceId
from scanner_model.openlineage import DatasetRef, Symlink

RETAIL = "kafka://k-1:9092"
CLUSTERS = KafkaClusters.of(
    {"k-1:9092": RETAIL, "k-2:9092": RETAIL},
    [
        ("lb.example.com:9093", RETAIL),
        ("retail", "kafka://retail"),
        (r"regex:k-\d+\.prod:\d+", RETAIL),
        ("regex:(", "x"),
    ],
)


@pytest.mark.parametrize(
    ("namespace", "name", "expected"),
    [
        ("postgresql://DB", "Shop.public.Orders", ("postgres://db:5432", "Shop.public.Orders")),
        ("jdbc:postgresql://app:pw@db:5433?ssl=true", "a.b.c", ("postgres://db:5433", "a.b.c")),
        ("mysql://a,b:3307", "d.t", ("mysql://a:3306,b:3307", "d.t")),
        ("mssql://H", "d.s.t", ("sqlserver://h:1433", "d.s.t")),
        ("sqlserver://h/INST", "d.s.t", ("sqlserver://h/INST", "d.s.t")),
        ("jdbc:sqlserver://h;databaseName=shop;user=sa", "dbo.t", ("sqlserver://h:1433", "shop.dbo.t")),
        ("jdbc:postgresql://db/shop?user=x", "public.t", ("postgres://db:5432", "shop.public.t")),
        ("postgres://db:5432/shop", "shop.public.t", ("postgres://db:5432", "shop.public.t")),
        ("postgres://db:5432/shop", "other.public.t", ("postgres://db:5432", "other.public.t")),
        ("mysql://db:3306/shop", "t", ("mysql://db:3306", "shop.t")),
        ("mongodb://a,b/shop", "t.x", ("mongodb://a:27017,b:27017", "shop.t.x")),
        ("jdbc:acme", "t", ("acme", "t")),
        ("redshift://c-1.abc.eu-west-1.redshift.amazonaws.com", "d.s.t", ("redshift://c-1.eu-west-1:5439", "d.s.t")),
        ("snowflake://XY1.us-east-1.snowflakecomputing.com", "d.s.t", ("snowflake://xy1.us-east-1.aws", "d.s.t")),
        ("thrift://ms", "d.t", ("hive://ms:9083", "d.t")),
        ("elasticsearch://[::1]", "i", ("elasticsearch://[::1]:9200", "i")),
        ("gcs://b", "/x", ("gs://b", "x")),
        ("BigQuery://", "p.d.t", ("bigquery", "p.d.t")),
        ("file:///", "/a", ("file", "/a")),
        ("file://localhost", "/a", ("file", "/a")),
        ("file://host-1", "/a", ("file://host-1", "/a")),
        ("s3a://lake", "/a/b/", ("s3://lake", "a/b")),
        ("s3://lake", "/", ("s3://lake", "/")),
        ("abfs://box@acct.dfs.core.windows.net", "/x", ("abfss://box@acct.dfs.core.windows.net", "x")),
        ("hdfs://NN:8020", "/a/", ("hdfs://nn:8020", "/a")),
        ("file", "/a/b/", ("file", "/a/b")),
        ("aws:glue:eu-1:12", "table/d/t", ("arn:aws:glue:eu-1:12", "table/d/t")),
        ("s3://lake/warehouse/", "db.t", ("s3://lake/warehouse", "db.t")),
        ("bigquery", "p.d.t", ("bigquery", "p.d.t")),
        ("kafka://SASL_SSL://K-1:9093,k-2", "t", ("kafka://k-1:9093", "t")),
        ("kafka://null:-1", "t", ("kafka://null:-1", "t")),
        ("spanner://p:i", "d.s.t", ("spanner://p:i", "d.s.t")),
        ("", "t", ("", "t")),
    ],
)
def test_names_have_one_normal_form(namespace, name, expected) -> None:
    """Producers write schemes, ports, slashes and users differently."""
    assert normal(namespace, name) == expected


def test_brokers_stand_between_commas_or_semicolons() -> None:
    """Flink writes both; what is no address is left out."""
    assert kafka_addresses("kafka://PLAINTEXT://A:1;b:2, :x") == ("a:1", "b:2")
    assert kafka_addresses("postgres://a:1") == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/day=2024-01-01/hour=3", ("a", "day=2024-01-01/hour=3", False)),
        ("/a/20250721", ("/a", "20250721", True)),
        ("/a/2025-07", ("/a", "2025-07", True)),
        ("/a/2025/07/21/13", ("/a", "2025/07/21/13", True)),
        ("/a/2025/14", ("/a/2025/14", "", False)),
        ("a/2024-01-01T00:00:00Z", ("a", "2024-01-01T00:00:00Z", True)),
        ("a/day=1/20240101", ("a", "day=1/20240101", True)),
        ("day=1", ("day=1", "", False)),
        ("/2025/07", ("/2025/07", "", False)),
    ],
)
def test_partitions_are_taken_off_paths(name, expected) -> None:
    """Each run writes a folder of its own; a date is a guess, a key with a value is not."""
    assert trimmed(name) == expected


@examples(80)
@given(st.text(max_size=30), st.text(max_size=30))
def test_normal_form_of_a_normal_form_is_itself(namespace, name) -> None:
    """Names are compared after one step, in whatever order they arrive."""
    once = normal(namespace, name)

    assert normal(*once) == once


@pytest.mark.no_cover
@pytest.mark.parametrize("scheme", ["", "s3://", "postgres://", "redshift://", "jdbc:postgresql://", "kafka://"])
@pytest.mark.parametrize("piece", ["/", "/ ", "a.", "a@", "2024/01/", "k=v/", "a:1,", "("])
def test_no_name_takes_long(scheme, piece) -> None:
    """Each of these would take minutes where time grows with the square."""
    text = scheme + piece * (100_000 // len(piece))

    assert normal(text, text).namespace is not None
    assert len(trimmed(text).name) <= len(text)


def stitched(*names: tuple[str, str], symlinks=(), known=(), clusters=CLUSTERS) -> DatasetIdentity:
    refs = [DatasetRef(*name) for name in names]
    links = [(DatasetRef(*a), Symlink(namespace=b[0], name=b[1], kind=kind)) for a, b, kind in symlinks]
    return DatasetIdentity(refs, links, clusters=clusters, known=[Name(*item) for item in known])


@pytest.mark.parametrize(
    "namespace",
    [
        "kafka://k-2:9092",
        "kafka://K-2",
        "kafka://SASL_SSL://k-2:9092",
        "kafka://gone:1,k-2:9092",
        "kafka://lb.example.com:9093",
        "kafka://k-77.prod:9999",
    ],
)
def test_a_topic_is_met_through_any_address_of_its_cluster(namespace) -> None:
    """Spark names the first bootstrap server, a load balancer or whatever it was configured with."""
    assert stitched((namespace, "orders")).resolve(namespace, "orders") == (Name(RETAIL, "orders"), "")


def test_a_cluster_without_brokers_is_met_by_its_own_name() -> None:
    """Its canonical namespace has no port, which events that we emit keep."""
    assert stitched().resolve("kafka://retail", "orders").name == Name("kafka://retail", "orders")


def test_lists_that_share_a_broker_are_one_cluster_also_where_we_do_not_know_it() -> None:
    """No scan is needed to join two producers of one cluster."""
    names = stitched(("kafka://b:1,c:1", "t"), ("kafka://c:1,a:1", "t"), ("kafka://d:1", "t"))

    assert {names.resolve(item, "t").name.namespace for item in ("kafka://b:1,c:1", "kafka://a:1")} == {"kafka://a:1"}
    assert names.resolve("kafka://d:1", "t").name.namespace == "kafka://d:1"


def test_a_list_with_one_known_broker_makes_the_others_known() -> None:
    """The scan may list other listeners than the producers use."""
    names = stitched(("kafka://x:1,k-1:9092", "t"), ("kafka://x:1", "t"))

    assert names.resolve("kafka://x:1", "t").name.namespace == RETAIL


def test_the_same_host_with_another_port_is_reported_and_not_joined() -> None:
    """Two clusters may share a machine."""
    names = stitched(("kafka://k-1:9999", "orders"))

    assert names.resolve("kafka://k-1:9999", "orders").name.namespace == "kafka://k-1:9999"
    assert [problem.where for problem in names.problems] == ["OpenLineage namespace kafka://k-1:9999"]


def test_a_table_is_shown_by_its_catalogue_whatever_its_location_is_called() -> None:
    """Spark reports location and name; a connector reports the location alone."""
    table, location = ("hive://m:9083", "db.paid"), ("s3://lake", "paid")
    names = stitched(location, symlinks=[(location, table, "TABLE")])

    assert names.resolve("s3a://lake", "/paid/day=1") == (Name(*table), "")


def test_a_topic_is_shown_as_a_topic_whatever_it_is_called_otherwise() -> None:
    """The installation is Kafka's."""
    names = stitched((RETAIL, "orders"), symlinks=[((RETAIL, "orders"), ("unity", "c.s.orders"), "TABLE")])

    assert names.resolve("unity", "c.s.orders").name == Name(RETAIL, "orders")


def test_a_table_in_kafkas_namespace_is_no_other_name() -> None:
    """Flink writes its catalogue's name under Kafka's namespace."""
    names = stitched((RETAIL, "orders"), symlinks=[((RETAIL, "orders"), (RETAIL, "cat.db.orders"), "TABLE")])

    assert names.resolve(RETAIL, "cat.db.orders").name == Name(RETAIL, "cat.db.orders")


def test_a_date_that_was_taken_off_is_only_likely_a_partition() -> None:
    """A folder may be called 2024 for other reasons."""
    name, why = stitched().resolve("s3://lake", "paid/2024-01-01")

    assert name == ("s3://lake", "paid")
    assert "2024-01-01" in why


@pytest.mark.parametrize("written", ["shop.orders", "public.orders"])
def test_a_table_without_schema_or_database_is_likely_the_one_that_has_them(written) -> None:
    """JDBC readers name what their query names; other sources name the table whole."""
    known = ("postgres://db:5432", "shop.public.orders")
    name, why = stitched(known=[known]).resolve("postgresql://DB", written)

    assert name == known
    assert written in why


@pytest.mark.parametrize("written", ["shop.public.orders", "shop.orders"])
def test_a_table_is_found_at_another_address_of_its_database(written) -> None:
    """Spark reached the server by a name that cluster.json lists as an alias."""
    links = (("postgres://shop-db:5432", "shop.public.orders"),)
    row = TableRow(
        source=SourceId("database:shop"),
        cluster="retail",
        provider="database",
        namespace="postgres://db-1:5432",
        name="shop.public.orders",
        symlinks=links,
    )
    tables = TableNames([row])
    known = {Name(*name) for name in tables.names}
    identity = DatasetIdentity([DatasetRef("postgres://shop-db", written)], known=known, tables=tables)

    assert identity.resolve("postgres://shop-db", written).name == ("postgres://db-1:5432", "shop.public.orders")


def test_a_table_that_two_databases_have_is_not_guessed() -> None:
    """Never guess."""
    known = [("postgres://db:5432", f"{item}.sales.orders") for item in ("shop", "test")]
    other = stitched(known=known).resolve("postgres://db:5432", "sales.orders")

    assert other == (Name("postgres://db:5432", "sales.orders"), "")


@examples(50)
@given(st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=4), max_size=20), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order_of_joining(joins, lots) -> None:
    """Events arrive in any order."""
    shuffled = list(joins)
    lots.shuffle(shuffled)
    first, second = UnionFind(), UnionFind()
    for members in joins:
        first.join(members)
    for members in shuffled:
        second.join(members)

    assert {frozenset(group) for group in first.all()} == {frozenset(group) for group in second.all()}


def test_an_alias_that_takes_too_long_is_a_problem() -> None:
    """Brokers of other clusters stand in events that anybody sends; the namespace stays as it was reported."""
    aliases = [("regex:(a|aa)+:9092", RETAIL)]
    clusters = KafkaClusters.of({}, aliases, TimeLimit(each=0, total=0, least=0))

    stitching = DatasetIdentity([DatasetRef("kafka://aaa-b:9092", "t")], clusters=clusters)

    assert stitching.resolve("kafka://aaa-b:9092", "t").name == Name("kafka://aaa-b:9092", "t")
    assert [(problem.where, "too long" in problem.what) for problem in stitching.problems] == [
        ("alias regex:(a|aa)+:9092", True)
    ]


SCANNED = [("s3://lake", "paid"), ("postgres://h:5432", "shop.orders"), ("kafka://other:9092", "copied")]


@pytest.mark.parametrize("scanned", SCANNED)
@pytest.mark.parametrize("kind", ["TABLE", "LOCATION"])
@pytest.mark.parametrize(
    "forged", [("kafka://k-1:9092", "t"), ("glue://a", "x.y"), ("file", "a"), ("kafka://a:1", "t")]
)
def test_symlink_of_an_event_renames_nothing_that_a_scan_found(scanned, kind, forged) -> None:
    """Any sender of an event could hide a dataset from a policy that is about its name."""
    identity = stitched(scanned, forged, known=SCANNED, symlinks=[(scanned, forged, kind), (forged, scanned, kind)])

    assert identity.resolve(*scanned).name == scanned


@pytest.mark.parametrize("forged", [("kafka://a:1", "t"), ("glue://a", "x.y")])
def test_symlink_of_an_event_renames_no_topic_of_a_scanned_cluster(forged) -> None:
    topic = ("kafka://k-1:9092", "orders")
    identity = stitched(topic, forged, symlinks=[(topic, forged, "LOCATION")])

    assert identity.resolve("kafka://k-2:9092", "orders").name == topic
    assert identity.resolve(*forged).name == topic


@pytest.mark.parametrize("reported", ["shop.public.orders", "evil.shop.orders"])
def test_table_that_an_event_names_more_fully_is_shown_as_the_scanned_one(reported) -> None:
    server = "postgres://h:5432"
    identity = stitched((server, reported), known=[(server, "shop.orders")])

    assert identity.resolve(server, "shop.orders") == ((server, "shop.orders"), "")
    resolved = identity.resolve(server, reported)
    assert resolved.name == (server, "shop.orders")
    assert resolved.why


def test_brokers_of_an_event_rename_no_scanned_cluster() -> None:
    identity = stitched(("kafka://a:1,other:9092", "copied"), known=SCANNED)

    assert identity.resolve("kafka://other:9092", "copied").name == ("kafka://other:9092", "copied")
    assert identity.resolve("kafka://a:1,other:9092", "copied").name == ("kafka://other:9092", "copied")


def test_catalog_renames_a_location_that_a_scan_found() -> None:
    """What a scanned catalog calls it is known for certain."""
    table = Symlink(namespace="glue://a", name="db.paid", kind="TABLE")
    identity = DatasetIdentity(
        [], catalogs=[(DatasetRef("s3://lake", "paid"), table)], known=[Name("s3://lake", "paid")]
    )

    assert identity.resolve("s3://lake", "paid").name == ("glue://a", "db.paid")
