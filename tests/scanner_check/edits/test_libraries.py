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


CATALOG = (
    '[versions]\nconfluent = "%s"\n[libraries]\n'
    'serializer = { module = "io.confluent:kafka-avro-serializer", version%s }\n'
)
POM = (
    "<properties><avro.version>%s</avro.version></properties>\n"
    "<dependency><artifactId>avro</artifactId>\n<version>%s</version></dependency>\n"
)


@pytest.mark.parametrize(
    ("text", "before", "after", "did"),
    [
        (CATALOG, ("6.0.1", ' = "6.2.1"'), ("6.0.1", '.ref = "confluent"'), set()),
        (CATALOG, ("6.0.1", '.ref = "confluent"'), ("7.5.0", '.ref = "confluent"'), {"6.0.1 → 7.5.0"}),
        (POM, ("1.11.0", "1.11.0"), ("1.11.3", "${avro.version}"), set()),
        (POM, ("1.11.0", "${avro.version}"), ("2.0.0", "${avro.version}"), {"1.11.0 → 2.0.0"}),
    ],
)
def test_a_version_by_its_name_is_what_has_the_name(text, before, after, did) -> None:
    """Another version has an effect in whatever line it is."""
    assert {what for _, _, what in library_edits(text % before, text % after)} == did
