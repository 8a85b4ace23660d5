"""Where a finding is shown: at a changed line, which a reviewer sees, never at one that stays as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from scanner_check.edits.lines import Hunk, hunks
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.model import ChangeFinding

_WORD = re.compile(r"\w+")


def at_changed_lines(findings: Iterable[ChangeFinding], trees: Trees, objects: ObjectReader) -> Iterator[ChangeFinding]:
    """Yield *findings* with those at an unchanged line of a changed file moved to a changed line of its second text.

    It is one that names what they are about, or of what starts at their place, or the nearest. One about a member, in a
    file that does not change, is moved to the changed line that names the member: a class that is sent from elsewhere.
    """
    known: dict[str, list[Hunk]] = {}

    def changed(path: str) -> list[Hunk]:
        if path not in known:
            known[path] = hunks(*objects.texts(path, trees))
        return known[path]

    for finding in findings:
        path = finding.place.file
        is_in_both = path in trees.base and path in trees.head
        if is_in_both and trees.base[path] == trees.head[path] and finding.item:
            finding = _moved(finding, trees, changed)
        elif is_in_both and finding.place.line and (line := _line(finding, changed(path))) != finding.place.line:
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


def _line(finding: ChangeFinding, changed: list[Hunk]) -> int:
    """Return the line of the place, if it changes, else of the change that it is most likely about."""
    place = finding.place.line
    lines = {number: line for hunk in changed for number, line in _shown(hunk)}
    if place in lines or not lines:
        return place
    names = [name for name in (finding.item.rpartition(".")[2], finding.target.rpartition(" ")[2]) if name]
    named = (number for name in names for number, line in lines.items() if name in line)

    def distance(number: int) -> tuple[bool, int]:
        """Return how far a line is from the place: one that is indented below it belongs to what starts there."""
        line = lines[number]
        is_below = number > place and len(line) - len(line.lstrip()) >= finding.place.column
        return not is_below, abs(number - place)

    return next(named, min(lines, key=distance))


def _shown(hunk: Hunk) -> list[tuple[int, str]]:
    """Return the lines of a change by their number in the second text; removed ones stand where they were."""
    gone = "\n".join(hunk.before)
    if not hunk.after:
        return [(hunk.line_after, gone)]
    return [(number, f"{line}\n{gone}") for number, line in enumerate(hunk.after, hunk.line_after)]
