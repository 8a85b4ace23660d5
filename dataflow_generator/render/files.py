"""Write a graph into files, atomically."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dataflow_generator.graph import FlowGraph
from dataflow_generator.render import OUTPUTS, files_of
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory


def write_files(graph: FlowGraph, directory: Path, formats: Iterable[str]) -> tuple[Path, ...]:
    """Write *graph* into *directory*, which is created if missing; `render.files_of` names the files.

    Raises InputInvalid for a format that is not in OUTPUTS, before anything is written.
    """
    names = tuple(dict.fromkeys(formats))
    for name in names:
        if name not in OUTPUTS:
            raise InputInvalid(f"unknown output format {name!r}", where="--format", hint=f"one of {', '.join(OUTPUTS)}")
    make_directory(directory)
    wanted = [(file, output) for name in names for file, output in files_of(name).items()]
    return tuple(_written(output(graph), directory / file) for file, output in wanted)


def _written(pieces: Iterator[str], file: Path) -> Path:
    with atomic_path(file) as part, part.open("w", encoding="utf-8") as out:
        out.writelines(pieces)
    return file
