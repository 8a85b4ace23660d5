"""cluster.json: what it may say, and every way in which it can be wrong."""

from __future__ import annotations

import json
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.settings.cluster import BasicAuth, BearerAuth, OAuthAuth, Settings
from scanner_model.errors import InputInvalid

TYPES = ("confluent", "karapace", "apicurio")
LEAST = {"cluster": "retail", "brokers": "Kafka-1, SASL_SSL://kafka-2:9093"}
MEMBERS = (
    ["cluster", "brokers", "kafka", "schema_registries", "ksqldb", "connect", "manual_input", "type", "url", "headers"],
    ["auth", "basic", "oauth", "token_url", "tls", "ca", "naming", "strategies", "subjects", "deleted"],
)


def read(directory: Path, document: object, **environment: str) -> Settings:
    text = document if isinstance(document, str) else json.dumps(document)
    (directory / "cluster.json").write_text(text)
    return read_cluster_file(directory / "cluster.json", environment, TYPES)


def problems(directory: Path, document: object, **environment: str) -> list[str]:
    """List every problem as `$.path what`, and make sure that the message lists them too."""
    with pytest.raises(InputInvalid) as caught:
        read(directory, document, **environment)
    for problem in caught.value.problems:
        assert problem.where.startswith(f"{directory}/cluster.json:1:")
        assert problem.what in str(caught.value)
    return [f"{problem.where.partition(' ')[2]} {problem.what}" for problem in caught.value.problems]


def registry(**members: object) -> dict[str, object]:
    return LEAST | {"schema_registries": [{"type": "confluent", "url": "http://sr:8081"} | members]}


def test_least_file_names_a_cluster_and_its_brokers(tmp_path):
    """Everything else is optional, and the Kafka protocol is not asked unless told."""
    settings = read(tmp_path, LEAST)

    assert (settings.cluster, settings.brokers) == ("retail", ("kafka-1:9092", "kafka-2:9093"))
    assert (settings.kafka, settings.registries, settings.ksqldb, settings.warnings) == (None, (), (), ())


def test_brokers_may_come_from_one_variable_with_commas(tmp_path):
    """`bootstrap.servers` is written so everywhere."""
    settings = read(tmp_path, LEAST | {"brokers": ["a:1", "${MORE}", "A:1"]}, MORE="b:2,c")

    assert settings.brokers == ("a:1", "b:2", "c:9092")


def test_servers_have_names_by_their_namespaces(tmp_path):
    """They are shown instead of addresses; an address with credentials is refused."""
    assert read(tmp_path, LEAST | {"servers": {"postgres://db:1": "warehouse"}}).servers == (
        ("postgres://db:1", "warehouse"),
    )
    for wrong in ("postgres://me:pw@db:1", "db"):
        with pytest.raises(InputInvalid, match="servers") as caught:
            read(tmp_path, LEAST | {"servers": {wrong: "warehouse"}})
        assert "pw" not in str(caught.value)
    assert problems(tmp_path, LEAST | {"servers": {"s3://b": 1}}) == [
        '$.servers["s3://b"] a number stands where text is expected'
    ]


def test_kafka_properties_are_text_for_librdkafka(tmp_path):
    """JSON has numbers and booleans, librdkafka text; a file beside cluster.json is found from anywhere."""
    (tmp_path / "ca.pem").write_text("")
    written = {"a": 1, "b": True, "c": "x", "d": 1.5, "ssl.ca.location": "ca.pem", "ssl.key.location": "probe"}

    kafka = read(tmp_path, LEAST | {"kafka": written}).kafka

    assert dict(kafka.properties) == {
        "a": "1",
        "b": "true",
        "c": "x",
        "d": "1.5",
        "ssl.ca.location": str(tmp_path / "ca.pem"),
        "ssl.key.location": "probe",
    }
    assert kafka.brokers == ("kafka-1:9092", "kafka-2:9093")


def test_kafka_without_properties_is_plain_text(tmp_path):
    """`{}` asks the brokers, no member does not."""
    assert read(tmp_path, LEAST | {"kafka": {}}).kafka is not None


@pytest.mark.parametrize(
    ("auth", "expected"),
    [
        ({"basic": {"user": "u", "password": "${PW}"}}, BasicAuth(user="u", password="s3cret")),
        ({"bearer": {"token": "${PW}"}}, BearerAuth(token="s3cret")),
        (
            {"oauth": {"token_url": "https://id/token", "client_id": "c", "client_secret": "${PW}"}},
            OAuthAuth(token_url="https://id/token", client_id="c", client_secret="s3cret"),
        ),
    ],
)
def test_credentials_are_read_and_not_shown(tmp_path, auth, expected):
    """A settings object ends up in tracebacks and debuggers."""
    settings = read(tmp_path, registry(auth=auth), PW="s3cret")

    assert settings.registries[0].http.auth == expected
    assert "s3cret" not in repr(settings)


def test_every_member_of_a_registry_arrives(tmp_path):
    """One test a member would say no more."""
    for name in ("ca.pem", "me.pem", "me.key"):
        (tmp_path / name).write_text("")
    limits = {"connect_timeout": 1, "read_timeout": 2.5, "requests_per_second": 3, "max_bytes": 4, "concurrency": 5}
    naming = {"strategies": ["topic", "regex:(?P<topic>.+)-v"], "subjects": {"s": ["t", "u"]}}

    (item,) = read(
        tmp_path,
        registry(
            tls={"ca": "ca.pem", "certificate": "me.pem", "key": "me.key", "verify": True},
            headers={"target-sr-cluster": "lsrc-1"},
            naming=naming,
            environment="env-1",
            deleted=False,
            **limits,
        ),
    ).registries

    assert {name: getattr(item.http, name) for name in limits} == limits
    assert (item.http.tls.ca, item.http.tls.key) == (tmp_path / "ca.pem", tmp_path / "me.key")
    assert dict(item.http.headers) == {"target-sr-cluster": "lsrc-1"}
    assert (item.naming.strategies, dict(item.naming.subjects)) == (tuple(naming["strategies"]), {"s": ("t", "u")})
    assert (item.type, item.environment, item.deleted) == ("confluent", "env-1", False)


def test_credentials_in_a_url_move_out_of_it(tmp_path):
    """The URL is the source's identity: it is stored and shown."""
    (item,) = read(tmp_path, registry(url="https://u:p%40w@SR.example/api/")).registries

    assert item.http.url == "https://sr.example/api"
    assert item.http.auth == BasicAuth(user="u", password="p@w")
    assert item.source == "schema_registry:https://sr.example/api"


def test_confluent_cloud_is_queried_no_faster_than_it_allows(tmp_path):
    """Its registries refuse more than 75 reads a second; a file may ask for less."""
    cloud = {"type": "confluent", "url": "https://psrc-1.eu.aws.confluent.cloud"}
    slow = cloud | {"url": "https://psrc-2.eu.aws.confluent.cloud", "requests_per_second": 5}

    settings = read(tmp_path, LEAST | {"schema_registries": [cloud, slow], "ksqldb": [{"url": "http://k"}]})

    assert [item.http.requests_per_second for item in settings.registries] == [70, 5]
    assert settings.ksqldb[0].http.requests_per_second is None


def test_without_naming_no_strategy_is_chosen(tmp_path):
    """Then the kind of registry decides."""
    assert read(tmp_path, registry()).registries[0].naming.strategies == ()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("${A}", "1"),
        ("x${A}y${B}", "x1y"),
        ("${B:-d}", "d"),
        ("${A:-d}", "1"),
        ("${NO:-}", ""),
        ("${NO:-a b:-c}", "a b:-c"),
        ("$$${A}", "$1"),
        ("$${A}", "${A}"),
        ("$A $ ^x$", "$A $ ^x$"),
        ("${S}", "${A}"),
        ("$file:secret", "two\nlines"),
        ("$file:${F}", "two\nlines"),
        ("$$file:secret", "$file:secret"),
    ],
)
def test_text_is_filled_in(tmp_path, written, expected):
    """What a variable holds is not filled in again."""
    (tmp_path / "secret").write_text("two\nlines\n")

    settings = read(tmp_path, registry(environment=written), A="1", B="", S="${A}", F="secret")

    assert settings.registries[0].environment == expected


@given(st.text(max_size=60))
def test_any_text_is_filled_in_or_is_a_problem(tmp_path_factory, text):
    """Names are free, so they hold dollars and braces."""
    directory = tmp_path_factory.mktemp("any")

    with suppress(InputInvalid) if "$" in text else nullcontext():
        environment = read(directory, registry(environment=text)).registries[0].environment
        assert "$" in text or environment == text


def test_every_problem_is_reported_at_once_in_the_order_of_the_file(tmp_path):
    """Nobody wants to mend a file line by line."""
    result = problems(
        tmp_path,
        '{"cluster": "", "brokers": ["a b", "${NO}"], "kafka": {"x": null, "bootstrap.servers": "a"}, '
        '"schema_registries": [{"type": "conflunt", "url": "ftp://x", "read_timeout": 0}, {"type": "karapace"}], '
        '"ksqldb": {}, "manual_input": ["none/*.json", 1], "conect": [], "cluster": "b"}',
    )

    assert result == [
        '$.brokers[0] "a b" is not a broker address',
        "$.brokers[1] the environment has no variable NO",
        "$.kafka.x null stands where text or a number or true or false is expected",
        "$.kafka[\"bootstrap.servers\"] 'bootstrap.servers' is in `kafka`",
        '$.schema_registries[0].type "conflunt": unknown type of schema registry',
        '$.schema_registries[0].url "ftp://x" is not a web address',
        "$.schema_registries[0].read_timeout must be more than 0",
        "$.schema_registries[1] 'url' is missing",
        "$.ksqldb an object stands where a list is expected",
        '$.manual_input[0] "none/*.json" matches no file',
        "$.manual_input[1] a number stands where text is expected",
        "$.conect unknown member 'conect'",
        "$.cluster 'cluster' is written twice",
    ]


@pytest.mark.parametrize(
    ("members", "result"),
    [
        ({"url": "http://sr:99999"}, '$.url "http://sr:99999" is not a web address'),
        ({"url": "sr:8081"}, '$.url "sr:8081" is not a web address'),
        ({"url": ""}, '$.url "" is not a web address'),
        ({"auth": {}}, "$.auth must not be empty"),
        (
            {"auth": {"bearer": {"token": "t"}, "basic": {"user": "u", "password": "p"}}},
            "$.auth must have at most 1 members",
        ),
        ({"auth": {"basic": {"user": "u"}}}, "$.auth.basic 'password' is missing"),
        (
            {"auth": {"oauth": {"token_url": "id", "client_id": "c", "client_secret": "s"}}},
            '$.auth.oauth.token_url "id" is not a web address',
        ),
        ({"tls": {"ca": "no.pem"}}, '$.tls.ca there is no file "no.pem"'),
        ({"headers": {"a": "b\nc"}}, "$.headers.a the value cannot be sent in a header"),
        ({"naming": {"strategies": ["regex:("]}}, "$.naming.strategies[0] naming strategy 'regex:(' is not a reg"),
        ({"naming": {"strategies": ["topik"]}}, "$.naming.strategies[0] no naming strategy is called 'topik'"),
        ({"naming": {"subjects": {"a": "t"}}}, "$.naming.subjects.a text stands where a list is expected"),
        ({"deleted": "yes"}, "$.deleted text stands where true or false is expected"),
        ({"environment": "${"}, "$.environment '${' names no variable"),
        ({"environment": "${a-b}"}, "$.environment '${a-b}' names no variable"),
        ({"environment": "$file:no"}, "$.environment there is no file 'no'"),
        ({"environment": "$file:bytes"}, "$.environment the file 'bytes' cannot be read"),
        ({"environment": "$file:a\0b"}, "$.environment "),
    ],
)
def test_member_of_a_source_that_is_wrong_is_named(tmp_path, members, result):
    """With its JSON path, so that an editor can jump there."""
    (tmp_path / "bytes").write_bytes(b"\xff")

    reported = problems(tmp_path, registry(**members))

    assert reported[0].replace("$.schema_registries[0]", "$").startswith(result)


@pytest.mark.parametrize(
    "members",
    [
        {"url": "${V}"},
        {"type": "${V}"},
        {"naming": {"strategies": ["regex:(${V}"]}},
        {"naming": {"strategies": ["${V}"]}},
        {"headers": {"a": "${V}"}},
        {"tls": {"ca": "${V}"}},
        {"environment": "$file:${V}"},
        {"url": "$file:secret"},
        {"auth": {"oauth": {"token_url": "${V}", "client_id": "c", "client_secret": "s"}}},
    ],
)
def test_value_of_a_variable_or_secret_file_is_never_shown(tmp_path, members):
    """Whatever is wrong with it: the name of the variable is what helps."""
    (tmp_path / "secret").write_text("hunter2 \x01")

    reported = "".join(problems(tmp_path, registry(**members), V="hunter2 \x01"))

    assert "hunter2" not in reported


def test_secret_written_into_the_file_is_not_shown_either(tmp_path):
    """People do; the terminal need not repeat it."""
    reported = problems(
        tmp_path, registry(url="ftp://u:hunter2@x", auth={"basic": {"user": "u", "password": ["hunter2"]}})
    )

    assert "hunter2" not in "".join(reported)


def test_credentials_in_url_and_auth_are_one_too_many(tmp_path):
    """Nobody can know which is meant."""
    reported = problems(tmp_path, registry(url="http://u:p@sr", auth={"bearer": {"token": "t"}}))

    assert reported == ["$.schema_registries[0].auth there are credentials in `url` and in `auth`"]


def test_source_named_twice_is_a_problem(tmp_path):
    """Host case and a final slash make no other source; a ksqlDB at the same address is one."""
    items = [{"type": "confluent", "url": "http://sr:1"}, {"type": "karapace", "url": "http://SR:1/"}]

    reported = problems(tmp_path, LEAST | {"schema_registries": items, "ksqldb": [{"url": "http://sr:1"}]})

    assert reported == ["$.schema_registries[1].url this schema registry is named twice"]


def test_connect_cluster_is_known_by_its_name_or_else_its_address(tmp_path):
    """A name stays when the address changes; a worker that rebalances is queried again."""
    sources = [{"name": "main", "url": "http://u:p@c:8083/"}, {"url": "http://d:8083", "active_topics": False}]

    main, other = read(tmp_path, LEAST | {"connect": sources}).connect

    assert (main.source, main.active_topics, main.http.url) == ("connect:main", True, "http://c:8083")
    assert (other.source, other.active_topics) == ("connect:http://d:8083", False)
    assert main.http.retry_also == {409}


def test_two_connect_clusters_of_one_name_are_refused(tmp_path):
    """Each would make the other's connectors gone."""
    sources = [{"name": "main", "url": "http://c:8083"}, {"name": "main", "url": "http://d:8083"}]

    reported = problems(tmp_path, LEAST | {"connect": sources})

    assert reported == ['$.connect[1].name two sources are called "main"']


def test_manual_input_takes_files_patterns_and_directories(tmp_path):
    """Each file once, sorted, whatever names it."""
    for name in ("a/2.json", "a/1.json", "a/x.txt", "b/deep/3.json", "4.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    patterns = ["b/**/*.json", "a", "a/*.json", "4.json", str(tmp_path / "a" / "*.txt")]

    settings = read(tmp_path, LEAST | {"manual_input": patterns})

    assert [str(path.relative_to(tmp_path)) for path in settings.manual_input] == [
        "4.json",
        "a/1.json",
        "a/2.json",
        "a/x.txt",
        "b/deep/3.json",
    ]


def test_what_is_unwise_is_reported_and_does_no_harm(tmp_path):
    """A gateway that reports nothing, and a certificate that nobody checks, are worth a line."""
    gateway = {"type": "sql-gateway", "url": "http://g:8083"}

    warnings = read(tmp_path, LEAST | {"flink": [gateway]} | registry(tls={"verify": False})).warnings

    assert [warning.what for warning in warnings] == [
        "a SQL Gateway exposes only its own sessions; scanner only checks that it is reachable",
        "the server's certificate is not checked",
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "a list stands where an object is expected"),
        (b"null", "null stands where"),
        (b'{"cluster": 1' + b"1" * 5000 + b"}", "a number is too long"),
    ],
)
def test_file_that_is_no_object_of_json_is_refused(tmp_path, content, says):
    """Without a traceback, with the place."""
    (tmp_path / "cluster.json").write_bytes(content)

    with pytest.raises(InputInvalid) as caught:
        read_cluster_file(tmp_path / "cluster.json", {}, TYPES)

    assert says in caught.value.what
    assert caught.value.where.startswith(str(tmp_path))


@pytest.mark.parametrize("name", ["no.json", ".", "a\0b"])
def test_file_that_cannot_be_opened_is_refused(tmp_path, name):
    """The commonest mistake of all."""
    with pytest.raises(InputInvalid) as caught:
        read_cluster_file(tmp_path / name, {}, TYPES)

    assert "cannot be read" in caught.value.what


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["", "topic", "http://h", "${X}", "$file:x"]),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from([*MEMBERS[0], *MEMBERS[1]]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=15,
    )
)
def test_any_json_is_read_or_refused(tmp_path_factory, document):
    """No form of input ends in a traceback."""
    directory = tmp_path_factory.mktemp("any")

    with suppress(InputInvalid):
        assert read(directory, LEAST | document if isinstance(document, dict) else document).brokers


def test_names_of_secrets_reach_every_source(tmp_path):
    """A setting that only its users know to be a secret is hidden wherever it comes from."""
    sources = {
        "connect": [{"url": "http://c:8083"}],
        "schema_registries": [{"type": "confluent", "url": "http://s:8081"}],
        "ksqldb": [{"url": "http://k:8088"}],
    }
    settings = read(tmp_path, LEAST | sources | {"secret_names": ["Cipher.Seed"]})
    names = frozenset({"cipher.seed"})

    assert settings.secret_names == settings.connect[0].secret_names == names
    assert settings.registries[0].http.secret_names == settings.ksqldb[0].http.secret_names == names
