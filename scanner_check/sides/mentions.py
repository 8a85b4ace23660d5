"""Effects of changed lines that no reader covers: names of topics, and the code of programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.model import ChangeFinding
from scanner_extractor.repository.files import is_candidate, is_left_out
from scanner_extractor.repository.undeclared import is_page, is_program, is_workflow, names_in, why_harmless

_OF_KAFKA = re.compile(r"(?i)kafka|avro|ksql|flink|debezium|schema.?registry|topic|producer|consumer|/subjects/")


def is_script(path: str) -> bool:
    """Return whether a file runs commands, by its name."""
    name = path.rpartition("/")[2]
    is_other = name.endswith((".ps1", ".bat", ".cmd")) or name in ("Jenkinsfile", "Vagrantfile")
    return is_shell(path) or is_other or is_workflow(path)


def is_shell(path: str) -> bool:
    """Return whether a file runs commands of a shell of Unix, by its name."""
    name = path.rpartition("/")[2]
    return name.endswith((".sh", ".bash", ".mk")) or name.lower() in ("makefile", "gnumakefile", "justfile")


_Key = TypeVar("_Key")


class _Mention(NamedTuple):
    """A line that has a name: its file, the name, its text and its number."""

    path: str
    name: str
    text: str
    line: int


def changed_names(trees: Trees, names: Collection[str], objects: ObjectReader) -> Iterator[tuple[str, str, int]]:
    """Yield those of *names* that more or fewer lines of a changed file contain than before, with file and line.

    A line that leaves one file for another is the same one with another place. Tests, documentation and pages do not
    count, nor does SQL, whose flows are compared. What an added program names, or Terraform in addition, does not count
    either: it can only use a topic, or give a right to.
    """
    changed = [path for path in trees.changed if is_candidate(path) and not is_left_out(path)]
    changed = [path for path in changed if not (why_harmless(path) or is_page(path))]
    changed = [path for path in changed if not path.lower().endswith((".sql", ".ksql"))]
    before, after = (list(_mentions(tree, changed, names, objects)) for tree in (trees.base, trees.head))
    gone, come = _only(before, after), _only(after, before)
    left, taken = (Counter((one.name, one.text) for one in side) for side in (gone, come))
    gone, come = _without_moved(gone, left & taken), _without_moved(come, left & taken)
    come = [one for one in come if not (one.path.endswith(".tf") or _is_new_program(one.path, trees))]
    by_file: dict[tuple[str, str], tuple[list[_Mention], list[_Mention]]] = {}
    for side, listed in enumerate((gone, come)):
        for one in listed:
            by_file.setdefault((one.name, one.path), ([], []))[side].append(one)
    for (name, path), (old, new) in sorted(by_file.items()):
        if len(old) != len(new):
            yield name, path, (new or old)[0].line


def _mentions(
    tree: Mapping[str, str], paths: Iterable[str], names: Collection[str], objects: ObjectReader
) -> Iterator[_Mention]:
    listed = [path for path in paths if path in tree]
    objects.expect(tree[path] for path in listed)
    for path in listed:
        content = objects.read(tree[path])
        if named := names_in(path, content, names):
            lines = content.decode("utf-8", "replace").splitlines()
            yield from (_Mention(path, name, lines[at - 1].strip(), at) for name, own in named.items() for at in own)


def _only(mentions: Iterable[_Mention], others: Iterable[_Mention]) -> list[_Mention]:
    """Return *mentions* without those that the same file has on the other side."""
    rest = Counter((one.path, one.name, one.text) for one in others)
    return [one for one in mentions if not _taken(rest, (one.path, one.name, one.text))]


def _without_moved(mentions: Iterable[_Mention], moved: Counter[tuple[str, str]]) -> list[_Mention]:
    """Return *mentions* without the lines that moved from one file to another."""
    rest = Counter(moved)
    return [one for one in mentions if not _taken(rest, (one.name, one.text))]


def _taken(rest: Counter[_Key], key: _Key) -> bool:
    """Take a key from the *rest*; return whether it was there."""
    rest[key] -= 1
    return rest[key] >= 0


def _is_new_program(path: str, trees: Trees) -> bool:
    return path not in trees.base and is_program(path)


def speaks_of_kafka(trees: Trees, objects: ObjectReader) -> bool:
    """Return whether a changed line of any file has a word of Kafka, whatever its effect is."""
    for path in trees.changed:
        before, after = objects.texts(path, trees) if _is_text(path) else ("", "")
        if any(map(_OF_KAFKA.search, {*before.splitlines()} ^ {*after.splitlines()})):
            return True
    return False


def _is_text(path: str) -> bool:
    return is_candidate(path) or PurePosixPath(path).suffix.lower() in (".md", ".adoc", ".rst")


def changed_programs(trees: Trees) -> Iterator[str]:
    """Yield the changed source files, without tests and vendored ones."""
    for path in trees.changed:
        if is_program(path) and not is_left_out(path) and not why_harmless(path):
            yield path


def named_by(finding: ChangeFinding) -> frozenset[str]:
    """Return the names that a finding is about: of its target and item, and of the dataset of a column."""
    target = finding.target.partition(" ")[2]
    item = finding.item
    return frozenset((target, item, item.rpartition(".")[0], item.partition(".")[0]))
