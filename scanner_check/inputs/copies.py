"""Files that a change adds as copies of what it changes: the old text elsewhere stands for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scanner_check.inputs.git import ObjectReader, Trees

_ALIKE = 0.8
_KEPT = 0.5
_MOST_COMPARED = 400


def copied_files(trees: Trees, objects: ObjectReader) -> Mapping[str, str]:
    """Return the added files that hold the former text of a changed file, or nearly, each with the path of that.

    Text that moves is not copied: its former file is gone, or keeps only what the new one lacks.
    """
    changed = [path for path in trees.changed if path in trees.base and path in trees.head][:_MOST_COMPARED]
    now = {trees.head[path] for path in changed}  # a version of its own, beside the file that has the newest
    added = [path for path in trees.changed if path not in trees.base and trees.head[path] not in now][:_MOST_COMPARED]
    if not changed or not added:
        return {}
    former = {path: _lines(trees.base[path], objects) for path in changed}
    kept = {path: former[path] & _lines(trees.head[path], objects) for path in changed}
    sizes = {path: lines.total() for path, lines in former.items()}
    copies: dict[str, str] = {}
    for path in added:
        lines = _lines(trees.head[path], objects)
        size = lines.total()
        alike = ((origin, old) for origin, old in former.items() if _ALIKE * size <= sizes[origin] <= size / _ALIKE)
        for origin, old in alike:
            is_whole = _share(kept[origin], lines) >= _KEPT or len(old) == 1
            if is_whole and min(_share(old, lines), _share(lines, old)) >= _ALIKE:
                copies[path] = origin
                break
    return copies


def _lines(name: str, objects: ObjectReader) -> Counter[str]:
    """Return the lines of a file without blanks, and how often each is there; of one line, that is its whole text."""
    lines = ("".join(line.split()) for line in objects.text(name).splitlines())
    return Counter(line for line in lines if line)


def _share(lines: Counter[str], others: Counter[str]) -> float:
    """Return which part of *lines* is among *others*, from 0 to 1."""
    return (lines & others).total() / lines.total() if lines else 0.0
