"""`scanner scan --engine`: where the texts of schemas are read, and when Spark starts."""

from contextlib import contextmanager

import pytest

from scanner_api.scanning.run import LARGE, schema_engine
from scanner_api.spark import SparkChoice
from scanner_extractor.schemas.parsing import ParseRequest, parse_in_process
from scanner_model.errors import InputInvalid

ORDER = ParseRequest(
    format="AVRO", text='{"type": "record", "name": "O", "fields": []}', texts={}, tags=(), record=None
)


def test_auto_parses_a_small_registry_in_this_process_without_a_message(
    scanner, scanned, tmp_path, monkeypatch
) -> None:
    """A JVM takes seconds to start; where Java cannot be found, it would be an error."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    result = scanner(*scanned.replay(tmp_path / "d.db"))

    assert result.status == 0
    assert "engine" not in result.err


def test_spark_without_java_sends_no_request(scanner, scanned, tmp_path, monkeypatch) -> None:
    """An hour of asking must not be lost because of what could be known before."""
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    result = scanner(*scanned.replay(tmp_path / "d.db"), "--engine", "spark")

    assert (result.status, result.out) == (2, "")
    assert "Java not found" in result.err
    assert "SOURCE" not in result.err


def test_an_engine_that_is_not_known_is_answered_with_those_that_are(scanner, scanned, tmp_path) -> None:
    """No source gets a request if an option is unusable."""
    result = scanner(*scanned.replay(tmp_path / "d.db"), "--engine", "sparc")

    assert result.status == 2
    assert "spark" in result.err


def test_spark_starts_once_for_all_clusters_and_stops(monkeypatch) -> None:
    """Clusters are read side by side, and a second JVM would take the memory of the first."""
    calls = []

    class Choice(SparkChoice):
        @contextmanager
        def session(self, *, light=False):
            calls.append("start")
            yield
            calls.append("stop")

    with schema_engine(Choice("spark")) as read:
        assert calls == ["start"]
        assert list(read(())) == []
    with schema_engine(Choice("auto")) as read:
        assert list(read((ORDER,))) == list(parse_in_process((ORDER,)))

    assert calls == ["start", "stop"]


def test_auto_chooses_spark_where_it_saves_more_than_it_costs() -> None:
    """The choice is reported with its reason; a session that cannot start is an error as in other commands."""

    class Choice(SparkChoice):
        def session(self, *, light=False):
            raise InputInvalid("Java not found", where="--engine spark", hint="")

    many = (ORDER,) * LARGE
    messages: list[str] = []
    pytest.importorskip("pyspark")

    with schema_engine(Choice("auto"), messages.append) as read, pytest.raises(InputInvalid):
        list(read(many))

    assert f"engine spark: {LARGE} schema texts (Spark from {LARGE})" in messages
