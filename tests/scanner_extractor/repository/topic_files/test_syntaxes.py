"""Settings in other syntaxes than YAML and JSON become documents; what cannot be parsed is an error with its line."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.topic_files.syntaxes import syntax_of

XML = '<routes>\n  <route><from uri="kafka:orders"/></route>\n</routes>\n'


def documents_of(path: str, text: str) -> list[object]:
    parse = syntax_of(RepositoryFile(path, text))
    assert parse is not None
    return [parsed.error or parsed.value for parsed in parse(text)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.toml", '[sinks.a]\ntopic = "orders"\n', {"sinks": {"a": {"topic": "orders"}}}),
        ("a.conf", '[[inputs.kafka]]\n  topics = ["orders"]\n', {"inputs": {"kafka": [{"topics": ["orders"]}]}}),
        ("a.conf", 'input {\n  kafka { topics => ["orders"] }\n}\n', {"input": [{"kafka": [{"topics": ["orders"]}]}]}),
        (
            "a.conf",
            "[OUTPUT]\n    Name kafka\n    Topics orders\n",
            {"OUTPUT": [{"Name": "kafka", "Topics": "orders"}]},
        ),
        ("a.conf", 'action(type="omkafka" topic="orders")\n', {"action": [{"type": "omkafka", "topic": "orders"}]}),
        (
            "a.alloy",
            'loki.source.kafka "x" {\n  topics = ["orders"]\n}\n',
            {"loki.source.kafka": [{"topics": ["orders"]}]},
        ),
        ("a.xml", XML, {"routes": [{"route": [{"from": [{"uri": "kafka:orders"}]}]}]}),
    ],
    ids=["toml", "toml in conf", "blocks", "sections", "objects", "components", "xml"],
)
def test_a_file_of_settings_is_one_document(path: str, text: str, expected: object) -> None:
    assert documents_of(path, text) == [expected]


def test_each_line_of_json_has_one_document_or_several() -> None:
    assert documents_of("a.jsonl", '{"id": 1}\n\n  "key" {"id": 2}  \n[3]\n') == [{"id": 1}, "key", {"id": 2}, [3]]


def test_the_first_line_that_is_no_json_is_said_and_the_others_are_read() -> None:
    first, second, last = documents_of("a.ndjson", '{"id": 1}\nkey {"id": 2}\nother {}\n{"id": 3}\n')
    assert (first, last) == ({"id": 1}, {"id": 3})
    assert str(second).startswith("it is not JSON: ")


@pytest.mark.parametrize(
    ("path", "text", "error"),
    [
        ("a.toml", "[sinks\n", "invalid TOML"),
        ("a.xml", XML.replace("</routes>", ""), "invalid XML"),
        ("a.xml", '<!DOCTYPE a [<!ENTITY b "c">]>\n' + XML, "it declares entities"),
        (
            "a.xml",
            XML.replace("<routes>", "<routes>" + "<a>" * 60).replace("</routes>", "</a>" * 60 + "</routes>"),
            "too deeply",
        ),
    ],
    ids=["toml", "xml", "entities", "depth"],
)
def test_what_cannot_be_parsed_is_an_error(path: str, text: str, error: str) -> None:
    (found,) = documents_of(path, text)
    assert error in str(found)


@pytest.mark.parametrize("path", ["a.yaml", "a.json", "a.conf", "a.xml"])
def test_other_files_have_no_syntax_of_their_own(path: str) -> None:
    assert syntax_of(RepositoryFile(path, "topic: orders\n")) is None
