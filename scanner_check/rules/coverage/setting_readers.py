"""Which programs read a setting in their code, in a file that sends or receives records or is used by one that does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from dataflow_generator.jobs.kinds import CountedJob
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.knowledge.names import words_of
from scanner_check.rules.flows.program_changes import ProgramChanges
from scanner_check.sides.mentions import is_program, why_harmless

_MOST_FILES = 4_000
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class SettingReaders:
    """Looks settings up in the code of the programs that use Kafka, at the second commit."""

    def __init__(self, programs: ProgramChanges, trees: Trees, objects: ObjectReader) -> None:
        self._programs, self._trees, self._objects = programs, trees, objects

    def jobs_reading(self, keys: Sequence[str], owners: Sequence[CountedJob]) -> tuple[CountedJob, ...] | None:
        """Return the programs whose code reads a setting where it matters; None if no code does.

        The result is empty if code that uses Kafka reads it and no topic of the program is known. *owners* are the
        programs that the setting is of, whichever file of theirs reads it.
        """
        reading = [path for path, text in self._texts.items() if _reads(text, keys)]
        related = [path for path in reading if path in self._related]
        if not related:
            return None
        jobs = {
            job.flows.job.name: job
            for path in related
            for job in self._programs.programs_of(self._programs.modules.of(path))
        }
        own = {job.flows.job.name for job in owners}
        chosen = [job for name, job in jobs.items() if not own or name in own]
        return tuple(chosen or owners)

    def in_code(self, word: str) -> bool:
        """Return whether the code of a module with programs that use Kafka contains a word."""
        return any(_has_word(text, word) for text in self._texts.values())

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """Return the source files of the modules with programs that use Kafka, by path."""
        modules = {self._programs.modules.of(path) for path in self._programs.applications}
        paths = [
            path
            for path in self._trees.head
            if is_program(path) and not why_harmless(path) and self._programs.modules.of(path) in modules
        ][:_MOST_FILES]
        self._objects.expect(self._trees.head[path] for path in paths)
        return {path: self._objects.read(self._trees.head[path]).decode("utf-8", "replace") for path in paths}

    @cached_property
    def _related(self) -> frozenset[str]:
        """Return the files that use Kafka, and those that name one of them or are named by one, by their class."""
        using = [path for path in self._programs.applications if path in self._texts]
        words = {path: frozenset(_WORD.findall(self._texts[path])) for path in self._texts}
        stems = {path: PurePosixPath(path).stem for path in self._texts}
        named = {word for path in using for word in words[path]}
        own = {stems[path] for path in using}
        near = (path for path in self._texts if stems[path] in named or not own.isdisjoint(words[path]))
        return frozenset((*using, *near))


def _reads(text: str, keys: Sequence[str]) -> bool:
    """Return whether a text of code names a setting: by its whole name, or by the members that it is bound to."""
    if not keys:
        return False
    return any(_has_word(text, name) for name in _whole_names(keys)) or _is_bound(text, keys)


def _whole_names(keys: Sequence[str]) -> Iterator[str]:
    """Yield the forms in which code names a setting as one text."""
    plain = ".".join(keys)
    if len(keys) > 1:
        yield plain
        yield ":".join(keys)
    if len(keys) > 2:
        yield ".".join(keys[-2:])
    own = words_of(keys[-1])
    if len(own) > 1 and keys[-1].isupper():
        yield keys[-1]
    if len(keys) > 1:
        yield "_".join(words_of(plain)).upper()


def _is_bound(text: str, keys: Sequence[str]) -> bool:
    """Return whether a text has the last key as a member, and the key before it as a prefix or a class."""
    own = words_of(keys[-1])
    if not own or not any(_has_word(text, form) for form in _forms(own)):
        return False
    if len(keys) == 1:
        return len(own) > 1
    outer = words_of(keys[-2])
    if len(own) == 1:  # a common word: its prefix has to be named as such
        return bool(outer) and any(f'{form}"' in text for form in _forms(outer))
    return bool(outer) and any(form in text for form in _forms(outer))


def _forms(own: Sequence[str]) -> Iterable[str]:
    title = "".join(word.title() for word in own)
    camel = own[0] + title[len(own[0]) :]
    return dict.fromkeys((camel, title, "_".join(own), "-".join(own)))


def _has_word(text: str, name: str) -> bool:
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not _is_part(text[start - 1 : start]) and not _is_part(text[end : end + 1]):
            return True
        start = text.find(name, end)
    return False


def _is_part(sign: str) -> bool:
    return bool(sign) and (sign.isalnum() or sign in "_-")
