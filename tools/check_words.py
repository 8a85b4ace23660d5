"""Check the wording of code and pages: `python tools/check_words.py`.

Private words fail the check; docs/glossary.md has the terms to use. Stilted constructions ("is no X") fail it if a file
contains more of them than `allowed_constructions.json` allows. `--shrink` lowers that list to the present counts and
never raises it.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GLOSSARY = "docs/glossary.md"
ALLOWED = Path(__file__).with_name("allowed_constructions.json")
"""Number of constructions that each older file still contains, by path."""
CODE = ("scanner_*", "manual_input", "dataflow_generator", "benchmarks", "examples", "docs", "tools")
"""Directories that are checked; tests are not."""
SUFFIXES = frozenset({".py", ".md", ".json", ".html", ".css", ".js", ".sh", ".toml", ".proto", ".sql"})
NOT_OURS = re.compile(r"(^|/)(capture|data|node_modules|[^/]*\.egg-info)/|^tools/check_words\.py$")
"""Recorded responses of servers, and the patterns themselves."""

IDENTIFIERS: Mapping[str, frozenset[str]] = {
    word: frozenset(forms.split())
    for word, forms in {
        "told": "told tell tells untold teller",
        "asked": "asked ask asks unasked",
        "said": "said say says unsaid",
        "anew": "anew unrenewable",
        "veil": "veil veils veiled unveiled",
        "hush": "hush hushed",
        "crew": "crew crews",
        "around": "around",
        "circle": "circle circles",
        "complaint": "complaint complaints complain",
        "dark": "dark",
        "door": "door doors",
        "estate": "estate estates",
        "spoken": "spoken unspoken",
        "drawn": "drawn undrawn",
        "trouble": "trouble troubles",
        "nobody": "nobody somebody",
        "here": "here",
        "there": "there",
        "made_of": "madeof",
    }.items()
}
"""Words that no name in Python code has as a part: `told`, `told_columns`, `ToldGraph`."""

FIRST_WORDS = re.compile(r"(Give|Tell|Say|Ask|Hold)s?\b")
"""First words of a docstring: Return, Read, Report, Query, Store and so on are what is meant."""

PHRASES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "is told": r"\b(is|are|was|were|been|be|being|as|what|nothing|not|never) told\b",
        "anew": r"\banew\b",
        "veil": r"\b(un)?veil(s|ed)?\b",
        "hush": r"\bhush(ed|es)?\b",
        "crew": r"\bcrews?\b",
        "stands above": r"\b(stands?|stood|standing) above\b",
        "bears on": r"\b(bears?|bore) on\b",
        "hangs together": r"\bhangs? together\b",
        "made of what": r"\bmade of what\b|\bwhat (it|they|that|each) (is|are|was|were) made of\b",
        "nobody tells": r"\b(nobody|no one|none) (tells?|told|says?|said|asks?|asked|describes?|listens?|is called)\b",
        "nobody's": r"\bnobody's\b",
        "is no more": r"\b(is|are|was|were) no more\b(?! than)",
        "gives itself away": r"\b(gives?|gave) (it|them|him)?sel(f|ves) away\b",
        "by lot": r"\bby lot\b",
        "entangled": r"\bentangled\b",
        "door": r"\b(the|front|another|one|back) door\b",
        "the house": r"\bthe house\b",
        "estate": r"(?<![\w/.])estates?\b(?![./=(\]])",
        "archaic": r"\b(whence|thence|thereof|therein|whereof|wherein|hitherto|forthwith|whither)\b",
        "sees to": r"\b(sees|seen) to it\b",
        "freed of": r"\bfreed of\b",
    }.items()
}
"""Phrases that no text has: comments, docstrings, messages, pages."""

CONSTRUCTIONS: Mapping[str, re.Pattern[str]] = {
    "is no X": re.compile(r"(?<!there )\bis no (?!longer\b)[a-z]", re.IGNORECASE),
    "is none": re.compile(r"\b(is|are) none\b"),
    "nobody, somebody": re.compile(r"\b(nobody|somebody)\b", re.IGNORECASE),
    "of which": re.compile(r"\bof which\b", re.IGNORECASE),
    "stands in": re.compile(r"\bstands? in\b", re.IGNORECASE),
    "besides": re.compile(r"\bbesides\b", re.IGNORECASE),
    "that there is": re.compile(r"\bthat there is\b", re.IGNORECASE),
}
"""Constructions to replace by plain ones: "unknown type", not "is no type"; "no matches", not "there are none"."""


@dataclass(frozen=True, order=True, slots=True)
class Occurrence:
    """A word at a line of a file; *path* is relative to the project."""

    path: str
    line: int
    pattern: str
    text: str


def occurrences(path: str, text: str) -> Iterator[Occurrence]:
    """Yield the words of one file in the order of its lines, the names and docstrings of Python code first."""
    if path.endswith(".py"):
        yield from sorted(_in_code(path, text))
    for number, line in enumerate(text.splitlines(), start=1):
        yield from (Occurrence(path, number, name, line.strip()) for name, at in PHRASES.items() if at.search(line))


def _in_code(path: str, text: str) -> Iterator[Occurrence]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            docstring = ast.get_docstring(node) or ""
            if FIRST_WORDS.match(docstring):
                line = node.body[0].lineno
                yield Occurrence(path, line, "docstring", docstring.splitlines()[0])
        for name in _names(node):
            for word in sorted(_words_of(name)):
                yield Occurrence(path, getattr(node, "lineno", 1), f"name {word}", name)


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names that *node* defines; a use of a name has its definition elsewhere."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Name(ctx=ast.Store()):
            yield node.id
        case ast.Attribute(ctx=ast.Store()):
            yield node.attr
        case ast.arg():
            yield node.arg


def _words_of(name: str) -> set[str]:
    parts = {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    parts.add(name.replace("_", "").lower())
    return {word for word, forms in IDENTIFIERS.items() if parts & forms}


def checked_files(root: Path) -> list[Path]:
    """Return the files whose words are checked, by name."""
    listed = [file for file in root.iterdir() if file.suffix == ".md" or file.name in ("Makefile", "pyproject.toml")]
    for pattern in CODE:
        for directory in root.glob(pattern):
            listed += [file for file in directory.rglob("*") if file.suffix in SUFFIXES and file.is_file()]
    return sorted(file for file in listed if not NOT_OURS.search(file.relative_to(root).as_posix()))


def all_occurrences(root: Path) -> list[Occurrence]:
    """Return every occurrence in the project at *root*, by file and line."""
    return [
        occurrence
        for file in checked_files(root)
        for occurrence in occurrences(file.relative_to(root).as_posix(), file.read_text("utf-8"))
    ]


def constructions(path: str, text: str) -> list[Occurrence]:
    """Return the stilted constructions of one file, by line."""
    return [
        Occurrence(path, number, name, line.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        for name, pattern in CONSTRUCTIONS.items()
        for _ in pattern.finditer(line)
    ]


def all_constructions(root: Path) -> dict[str, list[Occurrence]]:
    """Return the constructions of the project at *root*, by file; files without any are left out."""
    files = {file.relative_to(root).as_posix(): file.read_text("utf-8") for file in checked_files(root)}
    return {path: present for path, text in files.items() if (present := constructions(path, text))}


def unexpected(present: Mapping[str, list[Occurrence]], allowed: Mapping[str, int]) -> list[Occurrence]:
    """Return the constructions of the files that contain more than *allowed*."""
    exceeding = (items for path, items in sorted(present.items()) if len(items) > allowed.get(path, 0))
    return [occurrence for items in exceeding for occurrence in items]


def shrunk(allowed: Mapping[str, int], present: Mapping[str, list[Occurrence]]) -> dict[str, int]:
    """Return *allowed* lowered to the present counts, without files that need no allowance."""
    lowered = {path: min(count, len(present.get(path, ()))) for path, count in sorted(allowed.items())}
    return {path: count for path, count in lowered.items() if count}


def main(arguments: Sequence[str] = ()) -> int:
    """Print the occurrences; the exit status is 1 if there are any."""
    private, present = all_occurrences(ROOT), all_constructions(ROOT)
    allowed = json.loads(ALLOWED.read_text("utf-8"))
    if "--shrink" in arguments:
        allowed = shrunk(allowed, present)
        ALLOWED.write_text(json.dumps(allowed, indent=1) + "\n", "utf-8")
    added = unexpected(present, allowed)
    for occurrence in private + added:
        print(f"{occurrence.path}:{occurrence.line}: {occurrence.pattern}: {occurrence.text[:100]}")
    print(f"{len(private)} private words" + (f"; {GLOSSARY} has the terms to use" if private else ""), file=sys.stderr)
    count = sum(map(len, present.values()))
    print(f"{count} constructions, {sum(allowed.values())} allowed", file=sys.stderr)
    return int(bool(private or added))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
