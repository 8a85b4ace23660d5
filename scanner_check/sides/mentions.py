"""Effects of changed lines that no reader covers: names of topics, and the code of programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.model import ChangeFinding
from scanner_extractor.repository.files import LARGEST, is_candidate, is_left_out
from scanner_extractor.repository.undeclared import TEST, is_program, is_workflow, names_in, names_in_text, why_harmless

__all__ = [
    "TEST",
    "changed_names",
    "changed_programs",
    "is_program",
    "is_script",
    "is_workflow",
    "named_by",
    "names_in",
    "names_in_text",
    "speaks_of_kafka",
    "why_harmless",
]

_OF_KAFKA = re.compile(r"(?i)kafka|avro|ksql|flink|debezium|schema.?registry|topic|producer|consumer|/subjects/")


def is_script(path: str) -> bool:
    """Return whether a file runs commands, by its name."""
    name = path.rpartition("/")[2]
    return name.endswith((".sh", ".bash", ".ps1", ".bat", ".cmd", ".mk")) or name in _SCRIPTS or is_workflow(path)


_SCRIPTS = frozenset(("Makefile", "makefile", "GNUmakefile", "Justfile", "justfile", "Jenkinsfile", "Vagrantfile"))


def changed_names(trees: Trees, names: Collection[str], objects: ObjectReader) -> Iterator[tuple[str, str, int]]:
    """Yield those of *names* that stand more often in the changed files of one commit, each with such a file and line.

    Tests and documentation do not count, nor does SQL, whose flows are compared. What an added program names, or
    Terraform in addition, does not count either: it can only use a topic, or give a right to.
    """
    changed = [path for path in trees.changed if is_candidate(path) and not is_left_out(path)]
    changed = [path for path in changed if not why_harmless(path) and not path.lower().endswith((".sql", ".ksql"))]
    places: dict[str, list[tuple[str, int]]] = {}
    total: Counter[str] = Counter()
    added: Counter[str] = Counter()
    for tree, sign in ((trees.base, -1), (trees.head, 1)):
        listed = [path for path in changed if path in tree]
        objects.expect(tree[path] for path in listed)
        for path in listed:
            for name, lines in names_in(path, objects.read(tree[path]), names).items():
                total[name] += sign * len(lines)
                if path.endswith(".tf") or (path not in trees.base and is_program(path)):
                    added[name] += sign * len(lines)
                places.setdefault(name, []).append((path, lines[0]))
    counted = ((name, count) for name, count in sorted(total.items()) if count and (count < 0 or count != added[name]))
    yield from ((name, *places[name][-1]) for name, _ in counted)


def speaks_of_kafka(trees: Trees, objects: ObjectReader) -> bool:
    """Return whether a changed line of any file has a word of Kafka, whatever its effect is."""
    for path in trees.changed:
        before, after = (
            objects.read(tree[path]) if path in tree and _is_text(path) else b"" for tree in (trees.base, trees.head)
        )
        if max(len(before), len(after)) <= LARGEST and b"\0" not in before[:8192] + after[:8192]:
            lines = set(before.splitlines()) ^ set(after.splitlines())
            if any(_OF_KAFKA.search(line.decode("utf-8", "replace")) for line in lines):
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
