"""Where a finding about a whole file is shown: at the changed line that names what it is about, else at the first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from scanner_check.edits.lines import Hunk, hunks
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.model import ChangeFinding
from scanner_extractor.repository.files import LARGEST

_WORD = re.compile(r"\w+")


def at_changed_lines(findings: Iterable[ChangeFinding], trees: Trees, objects: ObjectReader) -> Iterator[ChangeFinding]:
    """Yield *findings* with those at the start of a changed file moved to a changed line of its second text.

    One about a member, in a file that does not change, is moved to the changed line that names the member: a class that
    is sent from elsewhere.
    """
    known: dict[str, list[Hunk]] = {}

    def changed(path: str) -> list[Hunk]:
        if path not in known:
            known[path] = _hunks(path, trees, objects)
        return known[path]

    for finding in findings:
        path = finding.place.file
        is_in_both = path in trees.base and path in trees.head
        if is_in_both and trees.base[path] == trees.head[path] and finding.item:
            finding = _moved(finding, trees, changed)
        elif finding.place.line == 1 and is_in_both and (line := _line(finding, changed(path))):
            finding = replace(finding, place=replace(finding.place, line=line, column=1))
        yield finding


def _moved(finding: ChangeFinding, trees: Trees, changed: Callable[[str], list[Hunk]]) -> ChangeFinding:
    """Return a finding at the first changed line of its language that has the name of its member, if there is one."""
    ending = PurePosixPath(finding.place.file).suffix
    name = finding.item.rpartition(".")[2].removesuffix("[]")
    for path in trees.changed:
        if path.endswith(ending) and path in trees.base and path in trees.head:
            for hunk in changed(path):
                lines = [*enumerate(hunk.after, hunk.line_after), *((hunk.line_after, line) for line in hunk.before)]
                at = next((number for number, line in lines if name in _WORD.findall(line)), 0)
                if at:
                    return replace(finding, place=replace(finding.place, file=path, line=at, column=1))
    return finding


def _hunks(path: str, trees: Trees, objects: ObjectReader) -> list[Hunk]:
    before, after = objects.read(trees.base[path]), objects.read(trees.head[path])
    if max(len(before), len(after)) > LARGEST or b"\0" in before[:8192] + after[:8192]:
        return []
    return hunks(before.decode("utf-8-sig", "replace"), after.decode("utf-8-sig", "replace"))


def _line(finding: ChangeFinding, changed: list[Hunk]) -> int:
    """Return the line of the first change that has the name of the finding's item; 0 without a changed line."""
    names = [name for name in (finding.item.rpartition(".")[2], finding.target.rpartition(" ")[2]) if name]
    for name in names:
        for hunk in changed:
            for number, line in enumerate(hunk.after, hunk.line_after):
                if name in line:
                    return number
            if any(name in line for line in hunk.before):
                return hunk.line_after
    return changed[0].line_after if changed else 0
