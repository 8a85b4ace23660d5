"""Which programs name a setting or a file in their code, where it sends or receives records or is used by such code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import PurePosixPath

from dataflow_generator.jobs.kinds import CountedJob
from scanner_check.edits.client_settings import reader_values
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.knowledge.names import words_of
from scanner_check.rules.flows.program_changes import ProgramChanges
from scanner_extractor.repository.undeclared import is_program, why_harmless

_MOST_FILES = 4_000
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TEXT = re.compile(r"[\"'`]([^\"'`\s]{1,120})[\"'`]")
"""A text of code without a space."""
_ABOVE = re.compile(r"(?:\.{1,2}/)+")
"""The directory of the code, and those around it."""
_PLACEHOLDER = re.compile(r"\$?\{[^{}/]*\}|%\w|\*+")


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

    def jobs_loading(self, path: str) -> tuple[CountedJob, ...] | None:
        """Return the programs whose code names a file in a text, where it matters; None if no such code does.

        The name of a directory stands for its files, and a placeholder for any part of a name.
        """
        naming = [own for own, names in self._named_files.items() if any(_is_name_of(name, path) for name in names)]
        if not naming:
            return None
        jobs = [job for own in naming for job in self._programs.programs_of(self._programs.modules.of(own))]
        return tuple({job.flows.job.name: job for job in jobs}.values())

    def decides_reads(self, keys: Sequence[str]) -> bool:
        """Return whether code gives a setting to what decides how it reads, such as the name of its group."""
        return any(_has_word(value, name) for value in self._reader_values for name in _whole_names(keys))

    def takes(self, name: str) -> bool:
        """Return whether code gives a value of this name in code to what decides how it reads."""
        return any(_has_word(value, name) for value in self._reader_values)

    @cached_property
    def _reader_values(self) -> tuple[str, ...]:
        files = (self._programs.texts_of(path) for path in self._programs.applications)
        return tuple(value for both in files if both for value in reader_values(both[1]))

    def is_named(self, keys: Sequence[str]) -> bool:
        """Return whether the code of a module with programs that use Kafka names a setting."""
        return any(_reads(text, keys) for text in self._texts.values())

    @cached_property
    def _named_files(self) -> Mapping[str, frozenset[str]]:
        """Return the files and directories that code about Kafka has in its texts, by the path of the code."""
        found = {path: frozenset(filter(_is_file, _TEXT.findall(self._texts[path]))) for path in sorted(self._related)}
        return {path: names for path, names in found.items() if names}

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
        return {path: self._objects.text(self._trees.head[path]) for path in paths}

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


def _is_file(text: str) -> bool:
    """Return whether a text may be the path of a file, by its ending, or of a directory, by its slash."""
    path = PurePosixPath(text.rpartition(":")[2])
    return (text.endswith("/") and len(path.name) > 1) or len(path.suffix) > 1


def _is_name_of(name: str, path: str) -> bool:
    """Return whether a text of code is the end of the path of a file, or of its directory."""
    parts, own = _ABOVE.sub("", name.rpartition(":")[2]).removeprefix(".").strip("/").split("/"), path.split("/")
    if name.endswith("/"):
        own = own[:-1]
    return (
        len(parts) <= len(own)
        and any(not _PLACEHOLDER.search(part) for part in parts)
        and all(
            part == other or (_PLACEHOLDER.search(part) and fnmatchcase(other, _PLACEHOLDER.sub("*", part)))
            for part, other in zip(reversed(parts), reversed(own), strict=False)
        )
    )


def _reads(text: str, keys: Sequence[str]) -> bool:
    """Return whether a text of code names a setting: by its whole name, or by the members that it is bound to."""
    keys = _members(keys)
    if not keys:
        return False
    if any(_has_word(text, name) for name in _whole_names(keys)) or _is_bound(text, keys):
        return True
    is_variable = len(keys) == 1 and keys[0].isupper() and keys[0].isalnum()
    return is_variable and any(form in text for form in (f'"{keys[0]}"', f"'{keys[0]}'", f"env.{keys[0]}"))


def _members(keys: Sequence[str]) -> Sequence[str]:
    """Return the members of a setting; a file of properties has them as one text with dots."""
    return [part for key in keys for part in key.split(".") if part]


def _whole_names(keys: Sequence[str]) -> Iterator[str]:
    """Yield the forms in which code names a setting as one text."""
    keys = _members(keys)
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
