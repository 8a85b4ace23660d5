"""Programs whose code a change touches: which definitions differ, and whether they reach a record or a topic."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from dataflow_generator.jobs.kinds import CountedJob
from scanner_api.change_check import mentions
from scanner_api.change_check.code_reach import Edit, Reach, edits_of
from scanner_api.change_check.commit import Commit, read_by, written_by
from scanner_api.change_check.git import ObjectReader, Trees
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import ChangeFinding, Verdict, few
from scanner_extractor.repository.applications.definitions import SourceFile, read_definitions
from scanner_extractor.repository.applications.modules import Modules, build_name, is_build_file
from scanner_extractor.repository.bounded_parsing import Trials
from scanner_extractor.repository.languages import language_of
from scanner_extractor.repository.programs import APPLICATION
from scanner_extractor.repository.syntax_trees import LARGEST, grammar_missing, suffix
from scanner_extractor.repository.topic_files.forms import DESCRIPTION
from scanner_extractor.repository.topic_files.settings import KIND as TOPIC_FILE
from scanner_model.declarations import UNRESOLVED_USE, UnreadFile

_CLIENT = re.compile(
    r"(?im)^[ \t]*(?:(?:import|from|using)\b[^\n]*?|(?:[\w.]+[ \t]+)?\"[\w./-]*?|[^\n]{0,200}?\brequire\(.[\w./@-]*?)"
    r"(?:kafka|sarama|franz-go|faust|cloud\.stream|reactive\.messaging|apache\.avro|fastavro|flink)"
)
"""An import of a client library."""
_PACKAGE = re.compile(r"\s*(?:import|from)\s+(?P<name>\w+)")
_KEY = re.compile(r"(?i)[\"'`][\w.-]*(?:topic|schema)[\w.-]*[\"'`]")
"""A text in code that names a topic, a schema or the setting of one."""
_RECORD = re.compile(r"\"name\"\s*:\s*\"(?:[\w.]+\.)?([A-Z]\w*)\"|\bmessage\s+([A-Z]\w*)")
"""The name of a record of Avro, or of a message of Protobuf."""
_LISTED = 10
_NO_BUILD: tuple[tuple[str, ...], str] = ((), "")


class _Program(NamedTuple):
    """A job of a commit with the source files that its topics are named in."""

    job: CountedJob
    files: frozenset[str]

    @property
    def name(self) -> str:
        return self.job.flows.job.name


class ProgramChanges:
    """Compares the code of the programs of two commits."""

    def __init__(self, commits: tuple[Commit, Commit], trees: Trees, hits: Hits, objects: ObjectReader) -> None:
        self._base, self._head = commits
        self._trees, self._hits, self._objects = trees, hits, objects
        self._known_builds: Mapping[str, tuple[tuple[str, ...], str]] = {}
        self._files: dict[tuple[str, str], SourceFile | None] = {}
        self._tried: set[tuple[str, str]] = set()
        self._trials = Trials()
        self.unread: dict[str, str] = {}
        self.read: set[str] = set()
        self.edited: set[str] = set()

    def findings(self, known: Sequence[ChangeFinding]) -> Iterator[ChangeFinding]:
        """Yield the programs whose changed code reaches a record, and the files that cannot be compared.

        Those that a finding in *known* is about are left out. *unread* has the files whose language has no grammar.
        """
        about = {finding.target for finding in known if finding.counts}
        by_module: dict[str, list[Edit]] = {}
        changed = [path for path in mentions.changed_programs(self._trees) if not self._why_unread(path)]
        self._try((path, tree.get(path, "")) for path in changed for tree in (self._trees.base, self._trees.head))
        for path in changed:
            by_module.setdefault(self.modules.of(path), []).extend(self._edits(path))
        reached: dict[str, tuple[_Program, list[Edit]]] = {}
        for module, edits in sorted(by_module.items()):
            yield from self._reached(module, edits, reached)
        groups: dict[tuple[Edit, ...], list[CountedJob]] = {}
        for name, (program, edits) in sorted(reached.items()):
            if f"job {name}" not in about:
                groups.setdefault(tuple(dict.fromkeys(edits)), []).append(program.job)
        for edited, jobs in groups.items():
            yield self._finding(jobs, edited)

    def _reached(
        self, module: str, edits: Sequence[Edit], reached: dict[str, tuple[_Program, list[Edit]]]
    ) -> Iterator[ChangeFinding]:
        """Add the programs that edits of a module reach; yield what is of none whose topics are known."""
        users = self.programs_using(module) if edits else []
        of_kafka = [path for path in self.applications if self.modules.of(path) in {module, *users}]
        reach = Reach(of_kafka, self._source, self._texts(module), self._expect, self._lines, self._records)
        programs = [program for user in users for program in self._programs[user]]
        lonely: list[Edit] = []
        reaching = dict(reach.of(edits))
        settings = {edit: frozenset[str]() for edit in edits if edit not in reaching and self._is_setting(edit)}
        for edit, files in (reaching | settings).items():
            owners = [program for program in programs if program.files & files] or programs
            for program in owners:
                reached.setdefault(program.name, (program, []))[1].append(edit)
            if edit.is_further_field or any(written_by(program.job) for program in owners):
                continue
            unnamed = files & self._unresolved if programs else files
            if (edit in settings and not programs) or reach.may_write(unnamed):
                lonely.append(edit)
        if lonely:
            yield _of_files(lonely, _topics(edits) or _keys(lonely))

    def _is_setting(self, edit: Edit) -> bool:
        """Return whether an edit changes the key of a topic or schema in a file that mentions a Kafka client."""
        mentioning = {*self._base.reading.files.get(APPLICATION, ()), *self._head.reading.files.get(APPLICATION, ())}
        return edit.path in mentioning and bool(_keys((edit,)))

    def _finding(self, jobs: Sequence[CountedJob], edits: Sequence[Edit]) -> ChangeFinding:
        """Return the finding of programs with the same edits, fine if they write nothing or only get further fields."""
        writers = [job for job in jobs if written_by(job)]
        names = ", ".join(job.flows.job.name for job in (writers or jobs))
        written = sorted({dataset for job in jobs for dataset in written_by(job)})
        read = sorted({dataset.name for job in jobs for dataset in read_by(job)})
        users = (hit for dataset in written for hit in self._hits.of(dataset))
        affected = tuple(hit for hit in dict.fromkeys(users) if hit.use != "writes")
        topics = ", ".join(dataset.name for dataset in written)
        others = [edit for edit in edits if not edit.is_further_field] or list(edits)
        shown = few(tuple(dict.fromkeys(edit.shown for edit in others)))
        records = f"the records in {few([dataset.name for dataset in written])}"
        if not written:
            effect, verdict = "no topic is written", Verdict.FINE
        elif all(edit.is_further_field for edit in edits):
            effect, verdict = f"{records} only get further fields", Verdict.FINE
        else:
            effect, verdict = f"the effect on {records} is not determined", Verdict.UNKNOWN
        named = _topics(edits)
        why = [f"{edit.place.file}:{edit.place.line} {edit.shown}" for edit in others[:_LISTED]]
        why += [f"it reads {', '.join(read)}"] if read else []
        why += [f"it writes {topics}"] if topics else []
        why += [f"the changed code names {', '.join(named[:_LISTED])}"] if named else []
        return ChangeFinding(
            rule="code-changed",
            verdict=verdict,
            place=others[0].place,
            target=f"job {names}",
            what=f"{shown}; {effect}",
            why=tuple(dict.fromkeys(why)),
            affected=affected,
        )

    # --- files

    def _why_unread(self, path: str) -> str:
        """Return why a source file is not read; empty if its grammar is installed."""
        if language_of(path) is None:
            self.unread[path] = "its language is not read"
        elif grammar_missing(path):
            self.unread[path] = "no grammar for its language is installed"
        return self.unread.get(path, "")

    def _edits(self, path: str) -> list[Edit]:
        before, after = (self._source(path, tree) for tree in (self._trees.base, self._trees.head))
        if before is None or after is None:
            self.unread[path] = "its source code cannot be parsed within the limits"
            return []
        self.read.add(path)
        edits = list(edits_of(path, before, after))
        self.edited |= {path} if edits else set()
        return edits

    def _source(self, path: str, tree: Mapping[str, str] | None = None) -> SourceFile | None:
        """Return a source file of the second commit, else of the first; empty if it is in neither, None if unread."""
        if tree is None:
            tree = self._trees.head if path in self._trees.head else self._trees.base
        name = tree.get(path, "")
        self._try([(path, name)])
        if (path, name) not in self._files:
            text = self._objects.read(name).decode("utf-8", "replace") if name else ""
            self._files[path, name] = read_definitions(path, text) if text else SourceFile()
        return self._files[path, name]

    def _try(self, wanted: Iterable[tuple[str, str]]) -> None:
        """Find the files that must not be parsed, by path and object; those that use Kafka were tried already."""
        texts: dict[str, str] = {}
        for path, name in dict.fromkeys(wanted):
            is_known = (path, name) in self._tried or not name or path in self.applications
            self._tried.add((path, name))
            if any(path in commit.unread for commit in (self._base, self._head)):
                self._files[path, name] = None
            elif not is_known:
                content = self._objects.read(name)
                texts[f"{name}/{path}"] = content.decode("utf-8", "replace") if len(content) <= LARGEST else ""
                self._files |= {} if len(content) <= LARGEST else {(path, name): None}
        for key in self._trials.refused({key: text for key, text in texts.items() if text}):
            name, _, path = key.partition("/")
            self._files[path, name] = None

    def _expect(self, paths: Iterable[str]) -> None:
        """Try the files that are read next together."""
        self._try((path, self._trees.head.get(path, "")) for path in paths)

    def _texts(self, module: str) -> Mapping[str, str]:
        """Return the source files of a module at the second commit, by path, without tests; read when asked."""
        paths = [
            path
            for path in self._trees.head
            if language_of(path) and mentions.is_program(path) and self.modules.of(path) == module
        ]
        return _Texts([path for path in paths if not mentions.why_harmless(path)], self._trees.head, self._objects)

    @cached_property
    def applications(self) -> Sequence[str]:
        """Return the source files of both commits that use Kafka."""
        listed = (path for commit in (self._base, self._head) for path in commit.reading.files.get(APPLICATION, ()))
        named = {file for programs in self._programs.values() for program in programs for file in program.files}
        named |= self._unresolved
        return tuple(
            path
            for path in dict.fromkeys(listed)
            if mentions.is_program(path) and language_of(path) and (path in named or self._imports_client(path))
        )

    @cached_property
    def _unresolved(self) -> frozenset[str]:
        """Return the files of both commits that use a Kafka client without a known topic."""
        unread = (file for commit in (self._base, self._head) for file in commit.reading.of(UnreadFile))
        return frozenset(file.name for file in unread if file.kind == UNRESOLVED_USE)

    def _imports_client(self, path: str) -> bool:
        """Return whether a source file imports what reads or writes records, or is part of the platform for that."""
        tree = self._trees.head if path in self._trees.head else self._trees.base
        text = self._objects.read(tree[path]).decode("utf-8", "replace")
        if suffix(path) != ".py":
            return _CLIENT.search(text) is not None
        imported = (_PACKAGE.match(match[0]) for match in _CLIENT.finditer(text))
        return any(found is not None and found["name"] not in self._folders for found in imported)

    @cached_property
    def _folders(self) -> frozenset[str]:
        """Return the names of the directories of the repository, which packages of its own are called by."""
        return frozenset(part for path in self._trees.head for part in path.split("/")[:-1])

    def is_application(self, path: str) -> bool:
        """Return whether a source file uses Kafka."""
        return path in self.applications

    @cached_property
    def _lines(self) -> Mapping[str, set[int]]:
        """Return the lines of the source files that name the topics of programs."""
        lines: dict[str, set[int]] = {}
        for commit in (self._base, self._head):
            for job in commit.jobs:
                for use in (*job.flows.reads, *job.flows.writes):
                    path, _, line = use.evidence.rpartition(":")
                    if line.isdigit():
                        lines.setdefault(path, set()).add(int(line))
        return lines

    @cached_property
    def _records(self) -> frozenset[str]:
        """Return the names of the classes that the schemas of both commits generate."""
        texts = {text for commit in (self._base, self._head) for listed in commit.schemas.values() for text in listed}
        return frozenset(name or other for text in texts for name, other in _RECORD.findall(text))

    # --- modules

    @cached_property
    def _programs(self) -> Mapping[str, list[_Program]]:
        """Return the programs by the directory of their module; one of both commits is that of the first."""
        programs: dict[str, list[_Program]] = {}
        known: set[str] = set()
        for commit, tree in ((self._base, self._trees.base), (self._head, self._trees.head)):
            for job in commit.jobs:
                uses = (*job.flows.reads, *job.flows.writes)
                places = frozenset(use.evidence.rpartition(":")[0] for use in uses) & tree.keys()
                places -= {path for kind in (DESCRIPTION, TOPIC_FILE) for path in commit.reading.files.get(kind, ())}
                if job.flows.job.key in known or not places:
                    continue
                for module in {self.modules.of(place) for place in places}:
                    programs.setdefault(module, []).append(_Program(job, places))
            known |= {job.flows.job.key for job in commit.jobs}
        return programs

    @property
    def module_names(self) -> Collection[str]:
        """Return the directories of the modules that programs are in."""
        return self._programs.keys()

    def programs_of(self, module: str) -> Iterable[CountedJob]:
        """Return the jobs of the programs that a module is part of."""
        return [program.job for user in self.programs_using(module) for program in self._programs[user]]

    def programs_using(self, module: str) -> list[str]:
        """Return the modules with programs that a module is part of: itself, or those whose build files name it."""
        programs = self._programs
        found, latest, builds = {module}, {module}, self._builds()
        while latest and not (found & programs.keys()):
            names = {name for one in latest for name in (one.rpartition("/")[2], *builds.get(one, _NO_BUILD)[0])}
            patterns = [re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])") for name in names if name]
            users = {other for other, (_, text) in builds.items() if any(one.search(text) for one in patterns)}
            # A build file above others lists them, so it is not part of a program.
            above = {other for other in users - programs.keys() if any(_is_above(other, one) for one in latest)}
            below = {other for other in users if module and _is_above(module, other)}
            latest = users - found - above - below
            found |= latest
        return sorted(found & programs.keys())

    def _builds(self) -> Mapping[str, tuple[tuple[str, ...], str]]:
        """Return the names and the build files of each module, by its directory."""
        if not self._known_builds:
            texts: dict[str, tuple[tuple[str, ...], str]] = {}
            for path, content in self._trees.base.items():
                folder, _, file = path.rpartition("/")
                if is_build_file(file):
                    text = self._objects.read(content).decode("utf-8", "replace")
                    name, _ = build_name(PurePosixPath(path), text)
                    names, others = texts.get(folder, ((), ""))
                    texts[folder] = ((*names, *((name,) if name else ())), others + text)
            self._known_builds = {"": ((), ""), **texts}
        return self._known_builds

    @cached_property
    def modules(self) -> Modules:
        """Return the modules of both commits, without their names."""
        folders = (path.rpartition("/") for tree in (self._trees.base, self._trees.head) for path in tree)
        return Modules(names={folder: "" for folder, _, name in folders if is_build_file(name)})


class _Texts(Mapping[str, str]):
    """The texts of files by path, read when they are looked up."""

    def __init__(self, paths: Collection[str], tree: Mapping[str, str], objects: ObjectReader) -> None:
        self._paths, self._tree, self._objects = paths, tree, objects

    def __getitem__(self, path: str) -> str:
        return self._objects.read(self._tree[path]).decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        self._objects.expect(self._tree[path] for path in self._paths)
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _topics(edits: Iterable[Edit]) -> list[str]:
    return sorted({name for edit in edits for name in edit.topics})


def _keys(edits: Iterable[Edit]) -> list[str]:
    """Return the texts that name topics, schemas or settings of these, and that only one side has."""
    return sorted({text.strip("\"'`") for edit in edits for text in edit.changed if _KEY.fullmatch(text)})


def _of_files(edits: Sequence[Edit], named: Sequence[str]) -> ChangeFinding:
    """Return the finding of code that uses Kafka in programs without known topics."""
    shown = few(tuple(dict.fromkeys(edit.shown for edit in edits)))
    why = [f"{edit.place.file}:{edit.place.line} {edit.shown}" for edit in edits[:_LISTED]]
    why += [f"the changed code names {', '.join(named[:_LISTED])}"] if named else []
    return ChangeFinding(
        rule="code-changed",
        verdict=Verdict.UNKNOWN,
        place=edits[0].place,
        target=edits[0].path,
        what=f"code that uses Kafka: {shown}; scanner resolves no topic that it writes",
        why=tuple(why),
    )


def _is_above(directory: str, other: str) -> bool:
    return not directory or other.startswith(f"{directory}/")
