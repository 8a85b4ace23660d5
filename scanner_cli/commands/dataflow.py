"""`scanner dataflow`: generate the graph, into the dictionary and as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli.options import dictionary_option
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.graph import FlowGraph

_SMALL = 2_000_000


@click.command()
@dictionary_option
@click.option(
    "--engine",
    type=click.Choice(["auto", "local", "spark"]),
    default="auto",
    show_default=True,
    help="Where to generate; auto goes by the number of columns.",
)
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Write the graph as files too."
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    default=("json", "dot"),
    show_default=True,
    metavar="NAME",
    help="Which files; may be repeated.",
)
@click.option(
    "--spark-conf", "conf", multiple=True, metavar="NAME=VALUE", help="A setting of Spark, as spark-submit takes it."
)
def dataflow(url: str, engine: str, output: Path | None, formats: Sequence[str], conf: Sequence[str]) -> None:
    """Generate the data flow graph of what the dictionary holds.

    The graph replaces the one generated before. Every engine gives the same bytes.

    \b
    Examples:
      scanner dataflow
      scanner dataflow --output flow
      scanner dataflow --engine spark --spark-conf spark.driver.memory=4g --output flow
    """
    from dataflow_generator.generation import generate, generate_on_spark
    from dataflow_generator.render import OUTPUTS

    for name in formats:
        if name not in OUTPUTS:
            raise InputInvalid(f"no output format {name!r}", where="--format", hint=f"one of {', '.join(OUTPUTS)}")
