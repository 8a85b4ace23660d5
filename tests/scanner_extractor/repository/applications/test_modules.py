"""What is found in texts of build files and programs, however they are damaged."""

from __future__ import annotations

import pytest

from scanner_extractor.formats.protobuf import tokens
from scanner_extractor.repository.applications import modules, reader, settings_topics
from scanner_extractor.repository.languages import BY_ENDING


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (modules._IMPORTS, "\n" * 200_000),
        (modules._PARENT, "<!--" * 50_000),
        (modules._PARENT, "<parent>" * 50_000),
        (BY_ENDING[".scala"].entry, "extends with " * 20_000),
        (reader._FRAMEWORKS, "cloud:" + "\n" * 200_000),
        (settings_topics._FUNCTIONAL, "|" * 200_000),
        (tokens._BLOCK_MARKS, "/" + "*" * 200_000 + " "),
    ],
)
def test_the_time_of_a_pattern_grows_with_the_text(pattern, text) -> None:
    """With its square, each of these takes minutes: the test does not end."""
    assert sum(1 for _ in pattern.finditer(text)) <= 1


def test_the_parent_and_comments_of_a_build_file_name_nothing() -> None:
    """A comment that does not end goes on to the end of the file."""
    text = (
        "<parent><artifactId>p</artifactId></parent><!-- <artifactId>c</artifactId> --><artifactId>a</artifactId><!-- b"
    )
    assert modules._PARENT.sub("", text) == "<artifactId>a</artifactId>"
