"""Bytes to bytes in Spark's tasks."""

import base64
import binascii

import pytest

from dataflow_generator.spark.session import map_bytes, translate_spark_errors
from scanner_model.errors import ScannerError

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


def test_results_come_in_the_order_of_the_pieces(spark) -> None:
    """Readings are put beside what they were read from, wave after wave."""
    pieces = [bytes([at]) * (1 + at % 3 * 1000) for at in range(40)]

    assert list(map_bytes(spark, base64.b16encode, iter(pieces))) == list(map(base64.b16encode, pieces))
    assert list(map_bytes(spark, base64.b16encode, ())) == []


def test_what_a_task_cannot_do_is_reported(spark, tmp_path) -> None:
    """A half of a result would look like a whole one."""
    with pytest.raises(ScannerError, match="Spark failed"), translate_spark_errors("spark.log"):
        list(map_bytes(spark, binascii.unhexlify, [b"00", b"x"]))
