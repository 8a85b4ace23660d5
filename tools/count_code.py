"""Count the product: lines of code (with a token that is neither comment nor docstring), modules, record types.

    python tools/count_code.py [ROOT]

A record type is a dataclass, a named tuple or a typed dictionary. Each package is a line, the sum the last.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGES = (
    "scanner_model",
    "scanner_extractor",
    "scanner_programs",
    "manual_input",
    "scanner_dictionary",
    "dataflow_generator",
    "scanner_check",
    "scanner_api",
    "scanner_server",
    "scanner_cli",
    "scanner",
)
_SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_RECORDS = ("NamedTuple", "TypedDict")


class Counts(NamedTuple):
    """The numbers of a module or of several."""

    lines: int = 0
    code: int = 0
    modules: int = 0
    records: int = 0

    def plus(self, other: Counts) -> Counts:
        """Return the sum."""
        return Counts(*(mine + others for mine, others in zip(self, other, strict=True)))


def count(text: str) -> Counts:
    """Count one module; an empty one does not count."""
    tree = ast.parse(text)
    documentation = set(_docstring_lines(tree))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _SILENT:
            code.update(range(token.start[0], token.end[0] + 1))
    records = sum(_is_record(node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return Counts(len(text.splitlines()), len(code - documentation), 1, records)


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of texts that are statements of their own: docstrings, also those of members."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_record(node: ast.ClassDef) -> bool:
    decorators = (ast.unparse(decorator) for decorator in node.decorator_list)
    bases = (ast.unparse(base) for base in node.bases)
    return any("dataclass" in text for text in decorators) or any(text in _RECORDS for text in bases)


def main(root: Path) -> None:
    """Print a line for each package, and their sum."""
    total = Counts()
    print(f"{'package':<20}{'lines':>9}{'code':>9}{'modules':>9}{'records':>9}")
    for package in PACKAGES:
        counts = Counts()
        for file in sorted((root / package).rglob("*.py")):
            counts = counts.plus(count(file.read_text(encoding="utf-8")))
        total = total.plus(counts)
        print(f"{package:<20}" + "".join(f"{number:>9,}" for number in counts))
    print(f"{'all':<20}" + "".join(f"{number:>9,}" for number in total))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
