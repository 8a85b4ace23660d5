"""`scanner config`: the JSON Schema of cluster.json, for editors."""

from __future__ import annotations

import click

from scanner_api.configuration import cluster_schema
from scanner_cli.lazy_group import Group
from scanner_model.text import visible_json


@click.group(cls=Group)
def config() -> None:
    """Describe cluster.json.

    \b
    Example:
      scanner config schema > cluster.schema.json
    """


@config.command()
def schema() -> None:
    """Print the JSON Schema of cluster.json.

    \b
    Example, so that an editor completes the file:
      scanner config schema > cluster.schema.json
      # and in cluster.json: "$schema": "cluster.schema.json"
    """
    click.echo(visible_json(cluster_schema()))
