"""OUTPUTS: how a flow graph is written; one function a format, each ordered and byte-stable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from dataflow_generator.graph import FlowGraph
from dataflow_generator.render.dot import dot_lines
from dataflow_generator.render.json_text import json_lines
from dataflow_generator.render.mermaid import mermaid_lines

Output = Callable[[FlowGraph], Iterator[str]]
"""Write a graph as pieces of text that are joined without anything between them."""

OUTPUTS: Mapping[str, Output] = {"json": json_lines, "dot": dot_lines, "mermaid": mermaid_lines}

__all__ = ["OUTPUTS", "Output"]
