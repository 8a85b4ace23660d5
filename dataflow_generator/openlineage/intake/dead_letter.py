"""The dead-letter file: rejected events as redacted lines of JSON, with the reasons."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from dataflow_generator.openlineage.redaction import canonical, clean_facet, parsed
from scanner_model.errors import InputInvalid
from scanner_model.private_files import open_private
from scanner_model.problems import Problem
from scanner_model.redaction import mask_text

Json = Any

_LONGEST = 1 << 20
"""The largest number of characters stored of a text that is not JSON."""


def rejection(where: str, text: str, problems: Sequence[Problem]) -> str:
    """Return a rejected text as one line of JSON: its location, the problems, and the event or the text."""
    listed = [{"where": problem.where, "what": problem.what, "hint": problem.hint} for problem in problems]
    return canonical({"where": where, "problems": listed} | _redacted(text))


class RejectedFile:
    """A file to which rejected texts are appended; it is created with the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._out: TextIO | None = None

    def __enter__(self) -> Self:
        """Return itself; the file is opened later."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Flush to disk and close."""
        if self._out is not None:
            self.sync()
            self._out.close()
            self._out = None

    def add(self, line: str) -> None:
        """Add *line*; raises InputInvalid where the file cannot be written."""
        try:
            if self._out is None:
                descriptor = open_private(self.path, os.O_WRONLY | os.O_APPEND)
                self._out = os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")
            self._out.write(f"{line}\n")
        except OSError as error:
            what = f"cannot be written: {error.strerror or error}"
            raise InputInvalid(what, where=str(self.path), hint="choose another file with --rejected") from error

    def sync(self) -> None:
        """Flush to disk."""
        if self._out is not None:
            self._out.flush()
            os.fsync(self._out.fileno())


def _redacted(text: str) -> dict[str, Json]:
    try:
        value = parsed(text)
        return {"event": _clean(value)}
    except (ValueError, RecursionError):
        return {"text": mask_text(text[:_LONGEST])}


def _clean(value: Json) -> Json:
    """Return a JSON value with secrets redacted, as in the facets of an event, at any depth."""
    if isinstance(value, dict):
        members = ((key, value[key]) for key in value)
        return {
            key: {name: clean_facet(name, facet) for name, facet in item.items()}
            if key in ("facets", "inputFacets", "outputFacets") and isinstance(item, dict)
            else _clean(item)
            for key, item in members
        }
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return mask_text(value) if isinstance(value, str) else value
