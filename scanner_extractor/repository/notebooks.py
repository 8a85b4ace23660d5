"""Notebooks as programs: their code cells, each line where the notebook has it, are read as a file of their language.

Source: Jupyter, "The Notebook file format" (nbformat 4): `cells`, `cell_type`, `source`, `language_info`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scanner_extractor.repository.files import Entry, UnreadText, text_of
from scanner_model.documents.json_positions import parse_with_positions
from scanner_model.errors import InputInvalid
from scanner_programs.frames.bundles import magic_cell

ENDING = ".ipynb"
_ENDINGS = {"python": ".py", "scala": ".scala", "kotlin": ".kts", "java": ".java"}
_MAGIC = re.compile(r"\s*[%!?]")
_SPARK = re.compile(r"\bspark\b|\bpyspark\b")


def with_notebooks(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield *entries*, each notebook as the program of its code cells; one of another language as it is."""
    for entry in entries:
        code = _code(entry) if entry.path.endswith(ENDING) else None
        yield entry if code is None else code


def named_as_notebook(text: str) -> str:
    """Return a path or place in the program of a notebook as one in the notebook."""
    return _PROGRAM.sub(ENDING, text)


_PROGRAM = re.compile(rf"{re.escape(ENDING)}(?:{'|'.join(map(re.escape, _ENDINGS.values()))})(?=$|:)")


def code_of(path: str, text: str) -> tuple[str, str] | None:
    """Return the ending and the text of the program in a notebook; None for a language that is not read."""
    try:
        parsed = parse_with_positions(text, path)
        language = _language(parsed.value)
        is_spark = language == "python" and _SPARK.search(text) is not None
        lines = dict(_lines(parsed.value, parsed.positions, is_spark=is_spark))
    except (InputInvalid, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    code = "\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1))
    return (_ENDINGS[language], code) if language in _ENDINGS else None


def _code(entry: Entry) -> Entry | None:
    try:
        found = code_of(entry.path, text_of(entry).text)
    except UnreadText:
        return None
    if found is None:
        return None
    ending, code = found
    return Entry(f"{entry.path}{ending}", code.encode, entry.identity)


def _language(notebook: Any) -> str:  # noqa: ANN401 - a value of JSON
    metadata = notebook.get("metadata", {})
    about = metadata.get("language_info", {}).get("name") or metadata.get("kernelspec", {}).get("language")
    return str(about or "python").lower()


def _lines(notebook: Any, positions: Any, *, is_spark: bool) -> Iterator[tuple[int, str]]:  # noqa: ANN401
    """Yield the lines of code with their numbers: of each text of a cell, the line that the notebook has it on.

    With *is_spark*, a cell of SQL is a call of Spark. Where several lines of code are on one, each has one behind it.
    """
    number = 0
    for at, cell in enumerate(notebook["cells"]):
        source = cell["source"] if cell.get("cell_type") == "code" else []
        listed = source if isinstance(source, list) else source.splitlines()
        if is_spark and (made := magic_cell([line.rstrip("\n") for line in listed])) is not None:
            listed = made
        if any(line.startswith("%%") for line in listed[:1]):
            continue  # the cell is in another language
        for index, line in enumerate(listed):
            place = positions.get(("cells", at, "source", index)) or positions.get(("cells", at, "source"))
            number = max(number + 1, place[0] if place else 1)
            yield number, "" if _MAGIC.match(line) else line.rstrip("\n")
