"""`scanner explain connector`: what we read from one connector's configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from scanner_cli.show import Format, format_option, show
from scanner_cli.telling import say
from scanner_model.redaction import mask_config

if TYPE_CHECKING:
    from dataflow_generator.connectors import Connector, ConnectorFlows
    from dataflow_generator.connectors.columns import ColumnFlow


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

    FILE is what Connect's REST API takes or answers, a bare configuration, or a .properties file. A topic that data
    choose, or that a pattern matches, is found among the topics named; what cannot be told is a problem, not a guess.

    \b
    Examples:
      scanner explain connector orders-to-lake.json
      scanner explain connector shop-cdc.properties --broker kafka-1:9092 --topic cdc.customers --topic cdc.orders
      scanner explain connector shop-cdc.json --column id --column name
      curl -s http://connect:8083/connectors/shop-cdc | scanner explain connector - --format json
    """
    from dataflow_generator.connectors import read_connector
    from scanner_cli.connector_documents import SHOWN, connector_document, flow_rows

    told = _connector(file, topics, tables, broker)
    flows = read_connector(told)
    followed = _columns(told, flows, columns)
    show(flow_rows(flows), SHOWN, style, document=connector_document(flows, followed))
    if style == Format.TABLE:
        _more(flows, followed)


def _connector(file: str, topics: Sequence[str], tables: Sequence[str], broker: str | None) -> Connector:
    from dataflow_generator.connectors import Config, Connector, Direction
    from dataflow_generator.connectors.flows import DEFAULT_NAMESPACE
    from scanner_cli.connector_files import connector_file
    from scanner_cli.schema_files import schema_text
    from scanner_model.brokers import broker_addresses

    given = connector_file(file, schema_text(file, "configuration"))
    directions = {str(one): one for one in (Direction.SOURCE, Direction.SINK)}
    return Connector(
        name=given.name,
        config=Config.of(mask_config(given.values)),
        direction=directions.get(given.type.lower()),
        active=tuple(dict.fromkeys(topics)) or None,
        known=tuple(sorted(set(topics))) or None,
        tables=tuple(dict.fromkeys(tables)) or None,
        namespace=f"kafka://{broker_addresses(broker)[0]}" if broker else DEFAULT_NAMESPACE,
    )


def _columns(told: Connector, flows: ConnectorFlows, columns: Sequence[str]) -> tuple[ColumnFlow, ...]:
    if not columns and flows.row is None:
        return ()
    from dataflow_generator.connectors.columns import column_flows
    from dataflow_generator.connectors.java_regex import pattern_problems
    from scanner_model.paths import parse_path

    with pattern_problems() as unevaluated:
        found, unknown = column_flows(told.config, flows, [parse_path(name) for name in columns])
    reported = {each.what for each in flows.problems}
    for problem in unevaluated.values():
        if problem.what not in reported:
            say(f"warning: {problem}")
    for flow in unknown:
        say(f"warning: {flow.because or 'transforms'}: which columns come out cannot be told")
    return found


def _more(flows: ConnectorFlows, followed: tuple[ColumnFlow, ...]) -> None:
    from scanner_cli.connector_documents import COLUMNS_SHOWN, column_rows

    if followed:
        click.echo()
        show(column_rows(followed), COLUMNS_SHOWN, Format.TABLE)
    for problem in flows.problems:
        say(f"warning: {problem}")
