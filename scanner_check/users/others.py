"""The facts of other repositories and dictionaries that a check uses: who reads and writes there what changes here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from dataflow_generator.stored.dictionary import Dictionary
from scanner_check.inputs.options import CheckOptions
from scanner_check.model import ChangeFinding, Place
from scanner_check.users.hits import Hits
from scanner_check.users.unknowns import Age, graph_findings, source_findings
from scanner_dictionary.engine.open import Connection
from scanner_model.lazy_names import load
from scanner_model.private_files import temporary_directory

CLUSTER = "repository"
"""The cluster of repositories that are read for a check."""
_REPOSITORIES = "scanner_check.users.other_repositories"
_GENERATE = "dataflow_generator.build.store:generate"
"""What reads other repositories and generates their graph is imported if there are any."""


def open_others(options: CheckOptions, stack: ExitStack) -> tuple[Connection, ...]:
    """Open the other dictionaries of a check, and one with its other repositories, until *stack* is closed."""
    dictionaries = [Dictionary(url) for url in options.others]
    if options.beside:
        place = stack.enter_context(temporary_directory()) / "repositories.db"
        read, write = (load(f"{_REPOSITORIES}:{name}_repositories") for name in ("read", "write"))
        dictionaries.append(write(place, read(options)))
        load(_GENERATE)(dictionaries[-1].writing())
    return tuple(stack.enter_context(dictionary.reading()) for dictionary in dictionaries)


def about_others(
    conns: Sequence[Connection], options: CheckOptions, place: Place, age: Age | None
) -> Iterator[ChangeFinding]:
    """Yield what is not known of other dictionaries: stale sources, no graph."""
    for url, conn in zip(options.others, conns, strict=False):
        shown = Dictionary(url).shown
        hits = Hits(conn)
        for found in (*source_findings(conn, None, place, age), *graph_findings(conn, hits, place)):
            yield replace(found, target=f"{found.target} of {shown}", item=f"{shown} {found.item}".rstrip())
