"""Every connector class and every transform, ours and tomorrow's, against whatever configurations hold."""

from __future__ import annotations

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.connectors import CONNECTORS, MANAGED, Config, Connector, find_reader, read_connector
from dataflow_generator.connectors.columns import column_flows
from dataflow_generator.connectors.transforms.model import Record
from dataflow_generator.connectors.transforms.registry import TRANSFORMS, Chain
from dataflow_generator.connectors.transforms.topic_templates import Template

CLASSES = [*CONNECTORS, *MANAGED]
SECRET = "S3cr3t"
SECRETS = {
    "connection.url": f"jdbc:postgresql://me:{SECRET}@h/db?password={SECRET}",
    "connection.uri": f"mongodb://me:{SECRET}@h1,h2/db",
    "mongodb.connection.string": f"mongodb+srv://me:{SECRET}@h1/db",
    "connection.password": SECRET,
    "database.password": SECRET,
    "sasl.jaas.config": f'PlainLoginModule required password="{SECRET}";',
    "bootstrap.servers": f"me:{SECRET}@k:9092",
    "http.api.url": f"https://me:{SECRET}@h/v1?token={SECRET}",
    "http.api.base.url": f"https://me:{SECRET}@h/v1?token={SECRET}",
    "hdfs.url": f"hdfs://me:{SECRET}@nn:8020",
    "redis.hosts": f"redis://me:{SECRET}@r:6379",
    "snowflake.private.key": SECRET,
    "azblob.account.key": SECRET,
    "transforms.a.secret": SECRET,
}
KEYS = st.sampled_from(
    """
    topics topics.regex topic topic.prefix kafka.topic table.include.list table.whitelist table.exclude.list
    query database collection database.names database.dbname database.hostname connection.host connection.url
    topics.dir topic2TableMap snowflake.topic2table.map table.name.format iceberg.tables topic.namespace.map
    topic.regex.list kusto.tables.topics.mapping bootstrap.servers hdfs.url connection.uri http.api.url
    api1.topics topic.delimiter transforms transforms.a.type transforms.a.regex transforms.a.replacement
    transforms.a.field transforms.a.fields transforms.a.predicate transforms.a.topic.format
    transforms.a.timestamp.format transforms.a.renames predicates.p.type predicates.p.pattern s3.bucket.name
    project defaultDataset contactPoints datasets
    """.split()  # noqa: SIM905
)
VALUES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["a", "a,b", "p", ".*", "(", "${topic}", "$1", "a.b", "a:b", "a=b", "true", "{", "TopicNameMatches"]
    ),
    st.none() | st.booleans() | st.integers() | st.lists(st.integers(), max_size=1),
)
NAMES = st.none() | st.lists(st.sampled_from(["a", "a.b", "p.d.t", "outbox.event.x"]), max_size=3).map(tuple)


def read(config: dict[str, object], **known: object):
    return read_connector(Connector(name="c", config=Config.of(config), **known))


@examples(40)
@given(config=st.dictionaries(KEYS, VALUES, max_size=10), active=NAMES, known=NAMES, tables=NAMES)
def test_any_configuration_has_an_answer_and_twice_the_same(config, active, known, tables) -> None:
    """A reader is a pure function of what somebody typed; it has problems, and no exceptions."""
    for class_name in CLASSES:
        given_config = {**config, "connector.class": class_name}
        first = read(given_config, active=active, known=known, tables=tables)

        again = read(dict(reversed(given_config.items())), active=active, known=known, tables=tables)
        assert again == first
        assert list(first.inputs) == sorted(set(first.inputs))
        assert list(first.outputs) == sorted(set(first.outputs))


def test_no_secret_is_in_an_answer() -> None:
    """Datasets, evidence and problems are stored and shown."""
    config = {**SECRETS, "topics": "a", "kafka.topic": "a", "table.whitelist": "t"}

    assert [name for name in CLASSES if SECRET in repr(read({**config, "connector.class": name}))] == []


def test_every_flow_joins_datasets_of_the_connector_and_names_its_evidence() -> None:
    """An edge to a node that is not listed, or without a reason, would be in no graph."""
    config = {"topics": "a,b", "kafka.topic": "a", "topic": "a", "topic.prefix": "p", "table.whitelist": "s.t"}
    read_classes = {name: read({**config, "connector.class": name}, active=("a", "p.s.t")) for name in CLASSES}
    flows = [(name, flow) for name, result in read_classes.items() for flow in result.flows]

    assert [(name, flow) for name, flow in flows if flow.source not in {None, *read_classes[name].inputs}] == []
    assert [(name, flow) for name, flow in flows if flow.target not in {None, *read_classes[name].outputs}] == []
    assert [(name, flow) for name, flow in flows if not flow.because] == []


def test_a_class_is_found_by_its_name_and_managed_ones_in_any_case() -> None:
    """Public configurations write managed names in several ways."""
    managed = [name for name in CLASSES if "." not in name]

    assert [name for name in CLASSES if not find_reader(name)] == []
    assert [name for name in managed if find_reader(name.upper()) != find_reader(name)] == []


@examples(60)
@given(
    settings_of=st.dictionaries(KEYS.map(lambda key: key.removeprefix("transforms.a.")), VALUES, max_size=6),
    topic=st.text(max_size=8),
    columns=st.lists(
        st.lists(st.sampled_from(["a", "b", "after", "[]", "payload"]), max_size=3).map(tuple), max_size=4
    ),
    side=st.sampled_from(["", "$Key", "$Value"]),
)
def test_any_settings_of_a_transform_have_an_answer(settings_of, topic, columns, side) -> None:
    """What cannot be evaluated is unknown, and reported as a problem."""
    steps = {f"transforms.a.{key}": value for key, value in settings_of.items()}
    for class_name in TRANSFORMS:
        chain = Chain.of(Config.of({**steps, "transforms": "a", "transforms.a.type": class_name + side}))

        routes = chain.routes(Template.of(topic), Record.of(columns, [("k",)]))
        assert routes
        assert all(problem.where and problem.what for problem in chain.problems())


@pytest.mark.parametrize("class_name", TRANSFORMS)
def test_columns_only_come_from_columns_that_were_there(class_name) -> None:
    """A transform makes new columns, and invents no origin."""
    config = {"transforms": "a", "transforms.a.type": class_name, "transforms.a.field": "a", "transforms.a.fields": "a"}
    columns = [("a",), ("after", "id"), ("after", "payload"), ("after", "aggregateid")]
    routes = Chain.of(Config.of(config)).routes(Template.of("t"), Record.of(columns, [("k",)]))

    origins = {
        item.origin[1]
        for route in routes
        for item in (route.record.value or ()) + (route.record.key or ())
        if item.origin
    }
    assert origins <= {*columns, ("k",)}


def test_columns_follow_every_flow() -> None:
    """A source's row enters the envelope first; what is unknown is reported."""
    config = {
        "connector.class": "PostgresCdcSource",
        "database.dbname": "d",
        "topic.prefix": "p",
        "table.include.list": "s.t",
        "transforms": "a",
        "transforms.a.type": "ExtractNewRecordState",
    }
    result, unknown = column_flows(Config.of(config), read(config), [("id",)])
    _, untold = column_flows(Config.of(config | {"transforms.a.type": "x.Y"}), read(config), [("id",)])

    assert [(column_flow.origin, column_flow.path, column_flow.side) for column_flow in result] == [
        (("id",), ("id",), "value")
    ]
    assert (unknown, len(untold)) == ((), 1)


ADDRESSES = {"connection.url": "jdbc:postgresql://h/db", "connection.uri": "mongodb://h", "database.hostname": "h"}


@pytest.mark.parametrize("config", [{}, {"topics": "a", "kafka.topic": "a"}, ADDRESSES, {"topic.prefix": "p"}])
@pytest.mark.parametrize("active", [None, (), ("a", "p.s.t")])
def test_an_unknown_end_always_has_a_problem(config, active) -> None:
    """An edge without an end, or no edge at all, says why; only a connector without an external dataset has none."""
    results = {name: read({**config, "connector.class": name}, active=active) for name in CLASSES}
    open_ended = [
        name
        for name, result in results.items()
        if not result.isolated and (not result.flows or any(None in (f.source, f.target) for f in result.flows))
    ]

    assert [name for name in open_ended if not results[name].problems] == []


@examples(40)
@given(config=st.dictionaries(KEYS, VALUES, max_size=10), active=NAMES, known=NAMES, tables=NAMES)
def test_no_configuration_has_an_unknown_end_without_a_problem(config, active, known, tables) -> None:
    """The same for whatever configurations hold."""
    for class_name in CLASSES:
        result = read({**config, "connector.class": class_name}, active=active, known=known, tables=tables)
        unknown = not result.flows or any(None in (flow.source, flow.target) for flow in result.flows)

        assert result.problems or result.isolated or not unknown, class_name


def test_a_topic_that_a_connector_names_is_never_dropped() -> None:
    """Whatever else is missing: a sink reads its topics, and a source that names topics writes them."""
    sinks = {name: read({"connector.class": name, "topics": "a,b"}) for name in CLASSES if "sink" in name.lower()}
    unknown_source = read({"connector.class": "com.acme.NatsSource", "table2.topic": "a", "topic.name": "b"})

    lost = [
        name
        for name, result in sinks.items()
        if not result.isolated and {end.name for end in result.inputs} != {"a", "b"}
    ]
    assert lost == []
    assert [end.name for end in unknown_source.outputs] == ["a", "b"]


def test_known_topics_alone_are_no_reason_to_claim_them() -> None:
    """A topic that exists need not be written by this connector: a pattern without any literal text claims none."""
    config = {"topics": "a", "query": "", "transforms": "r", "transforms.r.type": "RegexRouter"}
    config |= {"topic.prefix": "p", "transforms.r.regex": r"p\.?(.*)", "transforms.r.replacement": "$1"}
    known = tuple(f"unrelated-{number}" for number in range(3))

    claimed = {name: read({**config, "connector.class": name}, known=known).outputs for name in CLASSES}
    assert [name for name, outputs in claimed.items() if {end.name for end in outputs} & {*known}] == []
