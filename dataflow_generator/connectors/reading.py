"""One connector in, its flows out: finds the reader, and says what no reader knows."""

from __future__ import annotations

from dataclasses import replace

from dataflow_generator.connectors.flows import Connector, ConnectorFlows
from dataflow_generator.connectors.generic import generic
from dataflow_generator.connectors.java_regex import pattern_problems
from dataflow_generator.connectors.table import reader_of
from dataflow_generator.connectors.told_names import with_told_names
from scanner_model.errors import InputInvalid
from scanner_model.problems import Problem

_NOT_KNOWN = "is a class that we do not know: only its topics are told, its other end is not"


def read_connector(connector: Connector) -> ConnectorFlows:
    """Read the flows of *connector* from its configuration; a class that nobody knows keeps its topics."""
    try:
        reader = reader_of(connector.class_name)
        problem = None if reader else _unknown(connector)
    except InputInvalid as error:
        reader, problem = None, Problem("connector.class", error.what, error.hint)
    with pattern_problems() as unevaluated:
        flows = with_told_names(connector, (reader or generic)(connector))
    reported = {each.what for each in flows.problems}
    more = tuple(each for each in unevaluated.values() if each.what not in reported)
    return replace(flows, problems=(*((problem,) if problem else ()), *flows.problems, *more))


def _unknown(connector: Connector) -> Problem:
    name = connector.class_name
    return Problem("connector.class", f"{name!r} {_NOT_KNOWN}" if name else "is not told: only its topics are known")
