"""Texts that are no events, kept aside with the reasons: a line of JSON each, without secrets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from dataflow_generator.openlineage.door import canonical, clean_facet, parsed
from scanner_model.errors import InputInvalid
from scanner_model.private_files import open_private
from scanner_model.problems import Problem
from scanner_model.redaction import mask_text

Json = Any

_LONGEST = 1 << 20
"""Characters of a text that are kept of what is not even JSON."""


def rejection(where: str, text: str, problems: Sequence[Problem]) -> str:
    """Write a refused text as one line of JSON: where it stood, why it was refused, and its event or its text."""
    told = [{"where": each.where, "what": each.what, "hint": each.hint} for each in problems]
    return canonical({"where": where, "problems": told} | _kept(text))


class RejectedFile:
    """A file that refused texts are added to; it is made when the first one is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._out: TextIO | None = None

    def __enter__(self) -> Self:
        """Open nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is buffered to the disk."""
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
            raise InputInvalid(what, where=str(self.path), hint="name another file with --rejected") from error

    def sync(self) -> None:
        """Have the disk keep what was added."""
        if self._out is not None:
            self._out.flush()
            os.fsync(self._out.fileno())


def _kept(text: str) -> dict[str, Json]:
    try:
        value = parsed(text)
        return {"event": _cleaned(value)}
    except (ValueError, RecursionError):
        return {"text": mask_text(text[:_LONGEST])}


def _cleaned(value: Json) -> Json:
    """Take secrets out as of the facets of an event, wherever they stand in what is none."""
    if isinstance(value, dict):
        members = ((key, value[key]) for key in value)
        return {
            key: {name: clean_facet(name, facet) for name, facet in item.items()}
            if key in ("facets", "inputFacets", "outputFacets") and isinstance(item, dict)
            else _cleaned(item)
            for key, item in members
        }
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return mask_text(value) if isinstance(value, str) else value
