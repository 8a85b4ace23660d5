"""What a change does in lines of which nothing is read: names of topics, and the code of programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from scanner_api.change_check.git import ObjectReader, Trees
from scanner_api.change_check.model import Finding
from scanner_extractor.repository.files import LARGEST, is_candidate, is_left_out
from scanner_extractor.sources.applications.reader import is_test
from scanner_extractor.sources.syntax_trees import words

_DOCUMENTS = words(".adoc .asciidoc .gif .ico .jpeg .jpg .license .markdown .md .mdx .pdf .png .rst .svg .webp")
_BY_NAME = re.compile(r"(?:LICENSE|NOTICE|AUTHORS|CODEOWNERS|CONTRIBUTORS|\.gitignore|\.gitattributes|\.editorconfig)")
_CODE = words(".cs .go .groovy .java .js .jsx .kt .kts .mjs .cjs .php .py .rb .rs .scala .ts .tsx .vue .tf .hcl")
_PROGRAMS = _CODE - words(".tf .hcl .vue")
_NO_CODE = re.compile(
    r"//|#(?![\w\[!])|/\*|\*(?:[\s/]|$)|import\b|from\s+\S+\s+import\b|using\s[\w.=\s]+;$|package\s|[(){}\[\];,]*$"
)
"""A line that is a comment, names another file, or has brackets only; `*p = 1` and `#[topic("a")]` are code."""
_QUOTED = re.compile(r"[\"'`]([A-Za-z0-9._-]{2,249})[\"'`]")
_WORD = re.compile(r"[A-Za-z0-9._-]{2,249}")


def why_harmless(path: str) -> str:
    """Return why the file at *path* declares nothing, whatever its content; empty where it may."""
    file = PurePosixPath(path)
    if file.suffix.lower() in _DOCUMENTS or _BY_NAME.fullmatch(file.name):
        return "it is documentation"
    return "it is a test" if is_test(path) else ""


def is_program(path: str) -> bool:
    """Return whether the file at *path* is source code, by its ending."""
    return PurePosixPath(path).suffix.lower() in _PROGRAMS


def changed_names(trees: Trees, names: Collection[str], objects: ObjectReader) -> Iterator[tuple[str, str]]:
    """Yield those of *names* that stand more often in the changed files of one commit, each with such a file."""
    changed = [path for path in trees.changed if is_candidate(path) and not is_left_out(path)]
    changed = [path for path in changed if not why_harmless(path)]
    files: dict[str, str] = {}
    total: Counter[str] = Counter()
    for tree, sign in ((trees.base, 1), (trees.head, -1)):
        listed = [path for path in changed if path in tree]
        objects.expect(tree[path] for path in listed)
        for path in listed:
            for name, count in _names_in(path, objects.read(tree[path]), names).items():
                total[name] += sign * count
                files[name] = path
    yield from ((name, files[name]) for name, count in sorted(total.items()) if count)


def changed_programs(trees: Trees, objects: ObjectReader) -> Iterator[str]:
    """Yield the source files whose lines of code differ, in any order; comments and imports do not count."""
    changed = [path for path in trees.changed if is_program(path)]
    changed = [path for path in changed if not is_left_out(path) and not why_harmless(path)]
    for tree in (trees.base, trees.head):
        objects.expect(tree[path] for path in changed if path in tree)
    for path in changed:
        before, after = (
            _code_of(objects.read(tree[path])) if path in tree else None for tree in (trees.base, trees.head)
        )
        if before != after:
            yield path


def _code_of(content: bytes) -> Counter[str]:
    """Return how often each line of code stands in a file; a file that is too large is one line."""
    text = content.decode("utf-8", "replace")
    if len(content) > LARGEST:
        return Counter([text])
    return Counter(line for line in map(str.strip, text.splitlines()) if not _NO_CODE.match(line))


def words_of(finding: Finding) -> Iterator[str]:
    """Yield the words of a finding, and the names of what it hits."""
    for text in (finding.item, finding.target, finding.what, *finding.why):
        yield from _WORD.findall(text)
    yield from (hit.name for hit in finding.affected)


def _names_in(path: str, content: bytes, names: Collection[str]) -> Counter[str]:
    """Return how often each of *names* stands in a file: as a word, in a program between quotation marks."""
    if len(content) > LARGEST or b"\0" in content[:8192]:
        return Counter()
    word = _QUOTED if PurePosixPath(path).suffix.lower() in _CODE else _WORD
    return Counter(name for name in word.findall(content.decode("utf-8", "replace")) if name in names)
