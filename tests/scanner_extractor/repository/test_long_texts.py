"""Whatever a file of a few megabytes holds, whether it is read is known at once."""

from __future__ import annotations

import re

import pytest

from scanner_check.inputs import input_files
from scanner_extractor.repository import (
    connectors,
    contracts,
    kinds,
    schemas,
    sql_files,
    statements,
    undeclared,
    variables,
)
from scanner_extractor.repository.topic_files import syntaxes

SPACES = " " * 300_000
LINES = "\n" * 300_000
PATTERNS = {
    "property": (connectors._PROPERTY, f"a={SPACES}x", 1),
    "contract": (contracts._IS_CONTRACT, LINES, 0),
    "asyncapi": (contracts._IS_ASYNCAPI, LINES, 0),
    "deployment": (kinds._DEPLOYED, "topics:\n" * 40_000, 0),
    "message": (schemas._TYPE, f"message{SPACES}x", 0),
    "comments": (schemas._COMMENT, "/*" * 150_000, 50_000),
    "package": (schemas._PACKAGE, LINES, 0),
    "import": (schemas._IMPORT, LINES, 0),
    "subjects": (schemas._MAVEN, "<subjects>" * 40_000, 0),
    "subject": (schemas._MEMBER, f"<a>{SPACES}", 0),
    "sql": (sql_files._LIKELY, LINES, 0),
    "insert": (statements._MOVING, f"INSERT INTO {SPACES}", 0),
    "compose": (variables._IN_COMPOSE, f"  A={SPACES}x", 1),
    "topic": (undeclared._TOPIC_MEMBER, f"topic{SPACES}x", 0),
    "topic's line": (undeclared._TOPIC_MEMBER, "topics:\n" * 40_000, 0),
    "blocks": (syntaxes._TOKEN, 'a "' + '\\"' * 150_000, 2),
    "protobuf": (input_files._PROTO, LINES, 0),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_takes_time_that_grows_with_the_text(name: str) -> None:
    pattern, text, count = PATTERNS[name]
    assert len(re.findall(pattern, text)) == count


def test_what_a_pattern_finds_stays() -> None:
    assert connectors._PROPERTY.findall("a = b c \n d: \ne=f") == [("a", "b c"), ("d", ""), ("e", "f")]
    assert kinds._DEPLOYED.search("x: 1\ntopics:\n  - name: a\n    partitions: 3")
    assert not kinds._DEPLOYED.search("x: 1\npartitions: 3\ntopics:\n")
    block = schemas._MAVEN.search("<subjects>\n <a-value> x.avsc </a-value>\n</subjects>")
    assert block
    assert list(schemas._maven(block[0])) == [("a-value", "x.avsc")]
    assert statements._MOVING.match("INSERT INTO\n a (b) SELECT")
    assert contracts._IS_ASYNCAPI.search('{\n  "asyncapi": "3.0.0"')
