"""Options that locate a graph: in the dictionary or in Parquet files."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import GraphSource
from scanner_cli.console import echo_err
from scanner_cli.options import dictionary_option, directory_option

Command = TypeVar("Command", bound=Callable[..., Any])


def graph_options(command: Command) -> Callable[..., Any]:
    """Add the options that locate the graph to a command, as its argument *source*."""

    @wraps(command)
    def with_source(*, dictionary: Dictionary, directory: Path | None, **others: object) -> object:
        return command(source=GraphSource(dictionary, directory, echo_err), **others)

    text = "Read the graph from Parquet files that `scanner dataflow --format parquet --output DIR` wrote instead."
    return dictionary_option(directory_option("--graph", text, "directory")(with_source))
