"""Build files are known by their names; what counts of them are the libraries that decide how records are written."""

from __future__ import annotations

import pytest

from scanner_check.edits.libraries import is_build_file, library_edits


@pytest.mark.parametrize(
    ("path", "is_build"),
    [
        ("buildSrc/src/main/kotlin/default/dependencies.kt", True),
        ("shop/buildSrc/src/main/groovy/shop.conventions.groovy", True),
        ("src/main/kotlin/buildSrc.kt", False),
        ("src/main/kotlin/dependencies.kt", False),
    ],
)
def test_code_in_the_directory_of_a_build_of_gradle_is_no_program(path: str, is_build: bool) -> None:
    assert is_build_file(path) is is_build


def test_a_library_in_code_of_a_build_is_found() -> None:
    before = 'object Kafka {\n  val avro = "org.apache.avro:avro:1.11.0"\n  val streams = "kafka-streams"\n}\n'
    after = 'object Kafka {\n  val avro = "org.apache.avro:avro:2.0.0"\n}\n'

    assert {did for _, _, did in library_edits(before, after)} == {"1.11.0 → 2.0.0", "removed"}
