"""How a dataset is shown: its namespace and name as one address."""

import pytest

from scanner_model.names import dataset_address


@pytest.mark.parametrize(
    ("dataset", "shown"),
    [
        ("file//tmp/a.txt", "file:///tmp/a.txt"),
        ("hdfs://node:8020//tmp/a.txt", "hdfs://node:8020/tmp/a.txt"),
        ("s3://bucket/year=2026/a.parquet", "s3://bucket/year=2026/a.parquet"),
        ("postgres://db:5432/shop.public.orders", "postgres://db:5432/shop.public.orders"),
        ("lab/shop.public.orders", "lab/shop.public.orders"),
    ],
)
def test_a_file_has_one_slash_before_its_path(dataset, shown) -> None:
    """OpenLineage keeps the slash of an absolute path in the name."""
    assert dataset_address(dataset) == shown
