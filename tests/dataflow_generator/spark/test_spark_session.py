"""What a session needs, and what it sends to the machines of a cluster."""

import subprocess
import sys

import pytest

from dataflow_generator.source import DictionarySource
from dataflow_generator.spark.frames import tasks
from dataflow_generator.spark.package import PACKAGES, packed
from dataflow_generator.spark.session import java_version, told_by_spark
from scanner_model.errors import ScannerError


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21-ea"', 21),
        ("?", None),
    ],
)
def test_the_version_of_java_is_read_as_it_is_said(said, version) -> None:
    """Java 8 calls itself 1.8."""
    assert java_version(said) == version


def test_the_archive_is_all_that_a_task_needs_of_ours(tmp_path) -> None:
    """Executors have no installation of scanner."""
    archive = packed(tmp_path)
    code = "import sys; sys.path[:0] = sys.argv[1:]; import dataflow_generator.spark.reading as it; print(it.__file__)"
    said = subprocess.run(
        [sys.executable, "-c", code, str(archive)], capture_output=True, text=True, check=True, cwd=tmp_path
    )

    assert said.stdout.startswith(str(archive))


def test_the_same_code_is_the_same_archive(tmp_path) -> None:
    """No moment of the day is in it."""
    (tmp_path / "other").mkdir()

    assert packed(tmp_path).read_bytes() == packed(tmp_path / "other").read_bytes()
    assert "scanner_extractor" not in PACKAGES


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_what_a_task_could_not_do_is_said_in_one_line(spark, tmp_path) -> None:
    """Not a code of Spark's, and no traceback."""
    source = DictionarySource(str(tmp_path / "nowhere.db"))

    with pytest.raises(ScannerError, match=r"nowhere\.db") as failed, told_by_spark(tmp_path / "log"):
        tasks(spark, 1, lambda _: source.cells((1, 2)), "a long").collect()
    assert "SQLSTATE" not in str(failed.value)
