"""A dictionary made of its Parquet export."""

import pytest
from sqlalchemy import create_engine

from scanner_dictionary.export import export_parquet, restore_parquet
from scanner_model.errors import InputInvalid


def test_a_restored_dictionary_is_the_exported_one(sample, store, dictionary, contents, table_rows, tmp_path) -> None:
    """Row by row: whoever asks the copy must get the same answers."""
    store(sample.orders())
    with dictionary.connect() as conn:
        export_parquet(conn, tmp_path / "tables")
    restore_parquet(tmp_path / "tables", tmp_path / "copy.db")

    assert table_rows(create_engine(f"sqlite:///{tmp_path / 'copy.db'}")) == contents()


def test_a_directory_of_something_else_is_refused(tmp_path) -> None:
    """A graph in Parquet files is no dictionary."""
    with pytest.raises(InputInvalid, match="is missing"):
        restore_parquet(tmp_path, tmp_path / "copy.db")

    assert not (tmp_path / "copy.db").exists()


def test_an_export_of_another_revision_is_refused(sample, store, dictionary, tmp_path) -> None:
    """Tables differ from revision to revision."""
    import pyarrow.parquet as parquet

    store(sample.orders())
    with dictionary.connect() as conn:
        export_parquet(conn, tmp_path / "tables")
    for file in (tmp_path / "tables").iterdir():
        parquet.write_table(parquet.read_table(file).replace_schema_metadata({"revision": "0001"}), file)

    with pytest.raises(InputInvalid, match="revision 0001"):
        restore_parquet(tmp_path / "tables", tmp_path / "copy.db")
