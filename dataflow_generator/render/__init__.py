"""OUTPUTS: the output formats of a flow graph; one function per format, each ordered and byte-stable.

A new format is a module here with one function, and one line in OUTPUTS: `scanner dataflow --format` and `scanner
export --format` offer it, `-o` guesses it from `.NAME`, and the suite of tests/conformance/test_outputs.py checks it.
Only where its files are called otherwise than `graph.NAME` it has a line in SUFFIXES (other file extensions) or
FILES (several files, or another name).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from dataflow_generator.graph import FlowGraph
from dataflow_generator.render.data import csv_edges, csv_nodes, json_lines
from dataflow_generator.render.diagrams import dot_lines, mermaid_lines
from dataflow_generator.render.graphml import graphml_lines
from dataflow_generator.render.page import page_lines
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory

__all__ = ["FILES", "OUTPUTS", "SUFFIXES", "Output", "files_of", "format_of"]


Output = Callable[[FlowGraph], Iterator[str]]
"""Writes a graph as pieces of text, to be concatenated."""

OUTPUTS: Mapping[str, Output] = {
    "json": json_lines,
    "csv": csv_edges,
    "graphml": graphml_lines,
    "dot": dot_lines,
    "mermaid": mermaid_lines,
    "html": page_lines,
}

SUFFIXES: Mapping[str, str] = {".gv": "dot", ".mmd": "mermaid", ".htm": "html"}
"""File extensions, besides each format's own name, that select a format."""

FILES: Mapping[str, Mapping[str, Output]] = {"csv": {"nodes.csv": csv_nodes, "edges.csv": csv_edges}}
"""The files that a format writes into a directory, where that is not `graph.NAME` alone."""


def files_of(name: str) -> Mapping[str, Output]:
    """Return the files that format *name* writes into a directory, by name."""
    return FILES.get(name) or {f"graph.{name}": OUTPUTS[name]}


def format_of(suffix: str) -> str | None:
    """Return the format of a file extension (with its dot); None where there is none."""
    ending = suffix.lower()
    return SUFFIXES.get(ending) or (ending[1:] if ending[1:] in OUTPUTS else None)


def write_files(graph: FlowGraph, directory: Path, formats: Iterable[str]) -> tuple[Path, ...]:
    """Write *graph* into *directory*, which is created if missing; `render.files_of` names the files.

    Raises InputInvalid for a format that is not in OUTPUTS, before anything is written.
    """
    names = tuple(dict.fromkeys(formats))
    for name in names:
        if name not in OUTPUTS:
            raise InputInvalid(f"unknown output format {name!r}", where="--format", hint=f"one of {', '.join(OUTPUTS)}")
    make_directory(directory)
    files = [(file, output) for name in names for file, output in files_of(name).items()]
    return tuple(_written(output(graph), directory / file) for file, output in files)


def _written(pieces: Iterator[str], file: Path) -> Path:
    with atomic_path(file) as part, part.open("w", encoding="utf-8") as out:
        out.writelines(pieces)
    return file
