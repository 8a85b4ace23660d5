"""cluster.json: what the kinds of registries have of their own."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.settings.cluster import OAuthAuth
from scanner_extractor.systems.schema_registry.settings import one_context
from scanner_model.errors import InputInvalid

OAUTH = {"token_url": "https://t", "client_id": "c", "client_secret": "hidden-secret"}


@pytest.fixture
def read(tmp_path):
    """Read a cluster.json with these registries."""

    def reading(*registries):
        document = {"cluster": "c", "brokers": "k", "schema_registries": list(registries)}
        (tmp_path / "cluster.json").write_text(json.dumps(document))
        return read_cluster_file(tmp_path / "cluster.json", {}, ("confluent", "glue")).registries

    return reading


@pytest.fixture
def find(read):
    """List what is wrong with registries as `$.path what`, below the list."""

    def problems(*registries):
        with pytest.raises(InputInvalid) as caught:
            read(*registries)
        return [
            f"{problem.where.partition('schema_registries')[2]} {problem.what}" for problem in caught.value.problems
        ]

    return problems


def test_glue_is_named_by_its_region(read):
    """It has no address that anybody knows by heart."""
    (registry,) = read({"type": "glue", "concurrency": 4, "glue": {"region": "eu-central-1"}})

    assert registry.options == {"glue": {"region": "eu-central-1"}}
    assert (registry.http.url, registry.http.concurrency) == ("https://glue.eu-central-1.amazonaws.com", 4)


def test_every_member_of_glue_arrives(read):
    """Sorted and once, because the order of registries means nothing."""
    written = {"region": "r", "registries": ["b", "a", "b"], "profile": "p", "endpoint_url": "https://vpce.example"}
    (registry,) = read({"type": "glue", "glue": written})

    assert registry.source == "schema_registry:glue:https://vpce.example:p:a,b"
    assert registry.http.url == "https://vpce.example"


@pytest.mark.parametrize(
    ("registry", "expected"),
    [
        ({"type": "confluent"}, ["[0] 'url' is missing"]),
        ({"type": "glue"}, ["[0] 'glue' is missing"]),
        (
            {"type": "confluent", "url": "http://x", "context": "eu:us"},
            ['[0].context "eu:us" has an invalid format'],
        ),
        (
            {"type": "confluent", "url": "http://x/contexts/eu", "context": ".us"},
            ['[0].url "http://x/contexts/eu" is not allowed here'],
        ),
        (
            {"type": "glue", "glue": {"region": "r"}, "context": ".us"},
            ["[0].context 'context' is not for type glue"],
        ),
        ({"url": "http://x"}, ["[0] 'type' is missing"]),
        ({"type": "glue", "glue": {}}, ["[0].glue 'region' is missing"]),
        ({"type": "glue", "glue": 5}, ["[0].glue a number stands where an object is expected"]),
        ({"type": "glue", "glue": {"region": "r"}, "url": "http://x"}, ["[0].url 'url' is not for type glue"]),
        (
            {"type": "confluent", "url": "http://x", "glue": {"region": "r"}},
            ["[0].glue 'glue' is not for type confluent"],
        ),
        (
            {"type": "glue", "glue": {"region": "r", "endpoint_url": "x"}},
            ['[0].glue.endpoint_url "x" is not a web address'],
        ),
    ],
)
def test_member_that_is_wrong_is_named(registry, expected, find):
    """With its place, all at once."""
    assert sorted(find(registry)) == expected


def test_region_may_be_read_once_for_each_account(read, find):
    """A profile is another account; the same one twice would be stored twice."""
    first, second = ({"type": "glue", "glue": {"region": "r", "profile": profile}} for profile in "ab")

    assert len(read(first, second)) == 2
    assert find(first, first) == ["[1] this schema registry is named twice"]


def test_registry_and_identity_pool_of_a_token_are_headers(read):
    """Confluent Cloud knows from them which registry a token is for."""
    oauth = OAUTH | {"logical_cluster": "lsrc-1", "identity_pool": "pool-1"}
    (registry,) = read({"type": "confluent", "url": "https://sr", "auth": {"oauth": oauth}, "headers": {"x": "y"}})

    assert registry.http.headers == {"target-sr-cluster": "lsrc-1", "Confluent-Identity-Pool-Id": "pool-1", "x": "y"}
    assert registry.http.auth == OAuthAuth(**OAUTH)


def test_contexts_of_one_registry_are_sources_of_their_own(read, find):
    """A shared registry may be read for two teams, and each has its own subjects."""
    texts = {"type": "confluent", "url": "http://x"}
    registries = read(texts | {"context": ".eu"}, texts | {"context": ".us"}, texts | {"url": "http://x/contexts/.uk"})

    assert [registry.source for registry in registries] == [
        f"schema_registry:http://x/contexts/.{name}" for name in ("eu", "us", "uk")
    ]
    assert [one_context(registry) for registry in registries] == [".eu", ".us", ".uk"]
    assert find(*[texts | {"context": ".eu"}] * 2) == ["[1].url this schema registry is named twice"]


@pytest.mark.parametrize(
    ("written", "context"),
    [
        ("eu", ".eu"),
        (":.eu:", ".eu"),
        (".%C3%BCber", ".über"),
        (".with%20space", ".with space"),
        (".a%3Fb*c", ".a?b*c"),
        (".", "."),
    ],
)
def test_context_is_known_by_one_name(written, context, read, find):
    """A registry adds the dot, drops colons and decodes, so each way to write it is the same source."""
    in_url = {"type": "confluent", "url": f"http://x/contexts/{written}"}
    in_setting = {"type": "confluent", "url": "http://x", "context": written.strip(":")}
    (first,), (second,) = read(in_url), read(in_setting)

    assert one_context(first) == one_context(second) == context
    assert first.source == second.source == f"schema_registry:http://x/contexts/{context}"
    assert find(in_url, in_setting) == ["[1].url this schema registry is named twice"]


def test_context_may_have_any_characters_but_colons(read):
    """So may those that a registry stores."""
    (setting,) = read({"type": "confluent", "url": "http://x", "context": ".with space/and \u00fc#?"})

    assert one_context(setting) == ".with space/and \u00fc#?"
