"""`scanner explain connector`: the datasets and flows of one connector's configuration."""

from __future__ import annotations

from collections.abc import Sequence

import click

from dataflow_generator.connectors import Connector, ConnectorFlows
from dataflow_generator.connectors import read_connector as flows_of
from dataflow_generator.connectors.columns import ColumnFlow, column_flows
from dataflow_generator.connectors.java_regex import pattern_problems
from scanner_api.input_files import connector_file
from scanner_api.parsing import connector_of
from scanner_cli.console import echo_err
from scanner_cli.input_files import read_text
from scanner_cli.output.connectors import (
    COLUMNS_SHOWN,
    SHOWN,
    column_rows,
    connector_document,
    flow_rows,
)
from scanner_cli.output.render import Format, format_option, show
from scanner_model.column_path import parse_path


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="A topic that the connector uses; repeatable.")
@click.option("--table", "tables", multiple=True, metavar="NAME", help="A table of its database; repeatable.")
@click.option("--column", "columns", multiple=True, metavar="PATH", help="A column of what it reads; repeatable.")
@click.option("--broker", metavar="HOST:PORT", help="A broker of the worker's cluster; else localhost:9092.")
@format_option()
def connector(
    file: str, topics: Sequence[str], tables: Sequence[str], columns: Sequence[str], broker: str | None, style: str
) -> None:
    """Show datasets and flows of a connector's configuration (`-` for standard input).

    FILE is a request or response body of Connect's REST API, a bare configuration, or a .properties file. Topics that
    data or a pattern select are looked up among the topics named; what remains unknown is a problem, not a guess.

    \b
    Examples:
      scanner explain connector orders-to-lake.json
      scanner explain connector shop-cdc.properties --broker kafka-1:9092 --topic cdc.customers --topic cdc.orders
      scanner explain connector shop-cdc.json --column id --column name
      curl -s http://connect:8083/connectors/shop-cdc | scanner explain connector - --format json
    """
    given = connector_file(file, read_text(file, "configuration"))
    built = connector_of(
        given.values, name=given.name, direction=given.type, topics=topics, tables=tables, broker=broker
    )
    flows = flows_of(built)
    mapped = _columns(built, flows, columns)
    show(flow_rows(flows), SHOWN, style, document=connector_document(flows, mapped))
    if style == Format.TABLE:
        _show_details(flows, mapped)


def _columns(connector: Connector, flows: ConnectorFlows, columns: Sequence[str]) -> tuple[ColumnFlow, ...]:
    if not columns and flows.row is None:
        return ()
    with pattern_problems() as unevaluated:
        mapped, unknown = column_flows(connector.config, flows, [parse_path(name) for name in columns])
    reported = {problem.what for problem in flows.problems}
    for problem in unevaluated.values():
        if problem.what not in reported:
            echo_err(f"warning: {problem}")
    for flow in unknown:
        echo_err(f"warning: {flow.because or 'transforms'}: the output columns are unknown")
    return mapped


def _show_details(flows: ConnectorFlows, mapped: tuple[ColumnFlow, ...]) -> None:
    if mapped:
        click.echo()
        show(column_rows(mapped), COLUMNS_SHOWN, Format.TABLE)
    for problem in flows.problems:
        echo_err(f"warning: {problem}")
