"""Graphs in Parquet files: opening and writing them. The one place of the library that imports pyarrow."""

from __future__ import annotations

from pathlib import Path

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.targets import Written
from dataflow_generator.query.stored_graph import GeneratedGraph
from scanner_api.files import GraphProgress


def open_files(directory: Path) -> GeneratedGraph:
    """Open the graph in *directory*, or in the graph.parquet in it; raises InputInvalid where there is none."""
    from dataflow_generator.parquet import dataset, reader  # noqa: PLC0415 - pyarrow may be missing

    files = dataset.graph_directory(directory)
    return reader.graph_in_parquet(files, dataset.checked_manifest(files))


def write_files(source: DictionarySource, directory: Path, progress: GraphProgress) -> Written:
    """Write the graph of *source* into *directory*; raises InputInvalid where it cannot be written."""
    from dataflow_generator.parquet import job_batches  # noqa: PLC0415 - as above

    return job_batches.write_graph(source, directory, progress)
