"""Programs whose code or settings a change touches: what they send before and after, and who reads it."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import join, normpath
from typing import NamedTuple

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.model import GraphDataset
from scanner_check.edits.client_settings import words_of_code
from scanner_check.edits.libraries import is_build_file as is_judged_by_libraries
from scanner_check.edits.settings import setting_edits
from scanner_check.inputs.git import Trees
from scanner_check.knowledge.clients import Meaning, meaning_of
from scanner_check.model import Affected, ChangeFinding, Message, Place, Verdict, few
from scanner_check.rows.flows import OUTPUT_LOST, TOPIC_RENAMED
from scanner_check.rows.programs import (
    CODE_CHANGED,
    RECORD_CONDITION_CHANGED,
    RECORD_FIELD_COMPUTED,
    RECORD_FIELD_REMOVED,
    RECORD_FIELD_RETYPED,
    RECORD_FORMAT_CHANGED,
    RECORD_KEY_CHANGED,
)
from scanner_check.rows.rule import Rule
from scanner_check.sides import mentions
from scanner_check.sides.commit import Commit, files_using, read_by, written_by
from scanner_check.sides.programs import (
    Part,
    Sources,
    file_text,
    files_of,
    functions_in,
    given_brokers,
    is_readable,
    parts_near,
    times_named,
)
from scanner_check.sides.renamed_functions import without_renames
from scanner_check.users.field_users import with_field_users
from scanner_check.users.hits import Hits
from scanner_check.users.others import CLUSTER
from scanner_extractor.repository.applications.aliases import EVERY, resolution
from scanner_extractor.repository.applications.endpoints import Made
from scanner_extractor.repository.applications.modules import Modules, build_name, is_build_file
from scanner_extractor.repository.applications.settings import is_settings_file
from scanner_extractor.repository.languages import language_of
from scanner_extractor.repository.programs import APPLICATION
from scanner_extractor.repository.syntax_trees import grammar_missing
from scanner_extractor.repository.topic_files.forms import DESCRIPTION
from scanner_extractor.repository.topic_files.settings import KIND as TOPIC_FILE
from scanner_extractor.repository.undeclared import is_program, why_harmless
from scanner_model.columns import ColumnPath, parse_path
from scanner_model.declarations import UNRESOLVED_USE, UnreadFile
from scanner_model.errors import ScannerError
from scanner_model.streaming_sql import StreamingStatement
from scanner_programs.compare import Difference, compare
from scanner_programs.endpoints import Endpoints
from scanner_programs.frames.reader import is_job as is_frame_job
from scanner_programs.ir import File

_LISTED = 10
_RECORD = re.compile(r"\"name\"\s*:\s*\"(?:[\w.]+\.)?([A-Z]\w*)\"|\bmessage\s+([A-Z]\w*)")
"""The name of a record of Avro, or of a message of Protobuf."""
_BETWEEN = re.compile(r"[\W_]+")
_PARAMETER = re.compile(r"\bin:\d+\.")
_CLIENT_WORDS = ("kafka",)
"""What names of clients contain in a language whose calls are evaluated only."""
_ANY_WORD = ("",)
_LONGEST_PATH = 200
_NO_BUILD: tuple[tuple[str, ...], str] = ((), "")
_RULES = {
    "removed": RECORD_FIELD_REMOVED,
    "renamed": RECORD_FIELD_REMOVED,
    "retyped": RECORD_FIELD_RETYPED,
    "computed": RECORD_FIELD_COMPUTED,
    "key": RECORD_KEY_CHANGED,
    "format": RECORD_FORMAT_CHANGED,
    "headers": RECORD_FORMAT_CHANGED,
    "keyserializer": RECORD_FORMAT_CHANGED,
    "valueserializer": RECORD_FORMAT_CHANGED,
    "notes": RECORD_FORMAT_CHANGED,
    "condition": RECORD_CONDITION_CHANGED,
    "guard": RECORD_CONDITION_CHANGED,
    "partition": RECORD_KEY_CHANGED,
    "topic": TOPIC_RENAMED,
    "gone": OUTPUT_LOST,
}
"""The rule of each aspect of what is sent; any other is code whose effect is not determined."""


class _Program(NamedTuple):
    """A job of a commit with the source files that its topics are named in."""

    job: CountedJob
    files: frozenset[str]

    @property
    def name(self) -> str:
        return self.job.flows.job.name


class ProgramChanges:
    """Compares what the programs of two commits send."""

    def __init__(self, commits: tuple[Commit, Commit], trees: Trees, hits: Hits, sources: Sources) -> None:
        self._base, self._head = commits
        self._trees, self._hits, self.sources = trees, hits, sources
        self._known_builds: Mapping[str, tuple[tuple[str, ...], str]] = {}
        self.unread: dict[str, str] = {}
        self.read: set[str] = set()
        self.edited: set[str] = set()
        self._redirected: dict[str, set[str]] = {}
        self._known: dict[str, tuple[set[str], list[str], tuple[Endpoints, Endpoints]]] = {}

    def findings(self, known: Sequence[ChangeFinding]) -> Iterator[ChangeFinding]:
        """Yield what the programs that a change touches send otherwise, or what of it is not known.

        What a finding in *known* is about is left out. *unread* has the files whose language has no grammar.
        """
        found: dict[tuple[Hashable, ...], ChangeFinding] = {}
        for module in self._touched():
            for difference in self._differences(module) if not self._is_shown(module) else ():
                finding = self._finding(module, difference)
                if finding is not None and not self._is_known(finding, difference, known):
                    found.setdefault((finding.rule, finding.target, finding.item, finding.message), finding)
        yield from found.values()

    # --- what is compared

    def _touched(self) -> list[str]:
        """Return the modules of programs that changed code or settings are part of."""
        modules: dict[str, None] = {}
        for path in mentions.changed_programs(self._trees):
            if is_judged_by_libraries(path) or self._why_unread(path):
                continue
            self._compare_text(path)
            if path in self.edited:
                modules |= dict.fromkeys(self.programs_using(self.modules.of(path)) or [self.modules.of(path)])
        for path in self._trees.changed:
            sides = [self.sources.text(tree[path]) for tree in (self._trees.base, self._trees.head) if path in tree]
            old, new = (resolution(path, text) for text in sides) if len(sides) == 2 else ({}, {})
            if old != new:
                self._redirected[path] = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
                modules |= dict.fromkeys(self._programs)
            if is_settings_file(path) and not why_harmless(path):
                modules |= dict.fromkeys(self.programs_using(self.modules.of(path)))
        return sorted(modules)

    def _compare_text(self, path: str) -> None:
        """Note whether a source file was read, and whether more of it differs than comments, lines and locals."""
        sides = []
        for tree in (self._trees.base, self._trees.head):
            file = self.sources.file(path, tree[path]) if path in tree else None
            if path in tree and file is None:
                self.unread[path] = "its source code cannot be parsed within the limits"
                return
            sides.append(file_text(file) if file is not None else "")
        self.read.add(path)
        if sides[0] != sides[1]:
            self.edited.add(path)

    def texts_of(self, path: str) -> tuple[File, File] | None:
        """Return the code of a source file in both commits; None if one of them lacks it, or it cannot be parsed."""
        files = [self.sources.file(path, tree[path]) for tree in (self._trees.base, self._trees.head) if path in tree]
        known = [file for file in files if file is not None]
        return (known[0], known[1]) if len(known) == 2 else None

    def only_watches(self, path: str, name: str) -> bool:
        """Return whether a source file names something as often as before, but for what logs, counts or traces."""
        files = self.texts_of(path)
        if files is None or any(one.is_cut for one in files):
            return False
        return times_named(files[0], name) == times_named(files[1], name)

    def _differences(self, module: str) -> list[Difference]:
        parts, paths, (before, after) = self._compared(module)
        listed = files_of(self.sources, (self._trees.base, self._trees.head), paths, self._trees.changed)
        differences = compare(before, after)
        if not any(side.contracts or side.unresolved for side in (before, after)):
            differences = [one for one in differences if one.aspect != "code"]  # the known clients only read
        if before.contracts or before.unresolved:
            differences += self._imports_otherwise(parts, paths)
            differences += self._settings_otherwise(module, (before, after))
        return [*differences, *self._unresolved(module, (before, after), listed)]

    def _compared(self, module: str) -> tuple[set[str], list[str], tuple[Endpoints, Endpoints]]:
        """Return the modules that a program is made of, their files, and what the program of each commit sends."""
        if module not in self._known:
            parts = {module, *self._libraries_of(module)}
            every = dict.fromkeys((*self._trees.base, *self._trees.head))
            paths = [
                path for path in every if is_program(path) and not why_harmless(path) and self.modules.of(path) in parts
            ]
            also = [path for path in paths if path in self._trees.changed or self.modules.of(path) != module]
            before, after = (
                commit.programs.compared(module, self._made, self.modules.names, also)
                for commit in (self._base, self._head)
            )
            self._known[module] = parts, paths, (before, after)
        return self._known[module]

    def _is_shown(self, module: str) -> bool:
        """Return whether programs that a module is linked by show all that it sends, which is a library then.

        Of one that is followed whole, whatever of its libraries may send and is not called is unresolved.
        """
        users = [one for one in self._base.programs.users(module) if one != module and one in self._programs]
        sides = (self._compared(one)[2] for one in users)
        return any(all(side.contracts and not side.unresolved for side in both) for both in sides)

    def _settings_otherwise(self, module: str, both: tuple[Endpoints, Endpoints]) -> Iterator[Difference]:
        """Yield the settings that differ in files of a program, and that may be part of what it sends.

        The value of such a setting is not known where it is used: a program reads it in a way that is not followed.
        """
        named = {_letters(name): name for side in both for name in side.settings}
        topics = tuple(sorted({topic for side in both for one in side.contracts for topic in one.topics}))
        for path in self._trees.changed if named else ():
            if not is_settings_file(path) or why_harmless(path):
                continue
            if module not in self.programs_using(self.modules.of(path)):
                continue
            texts = [
                self.sources.text(tree[path]) if path in tree else "" for tree in (self._trees.base, self._trees.head)
            ]
            for edit in setting_edits(path, *texts) or ():
                if any(name in named for name in _names_of(edit.keys)):
                    shown = ".".join(edit.keys)
                    yield Difference("code", topics, (path, edit.line), False, shown, "", "changed")

    def _imports_otherwise(self, modules: Collection[str], paths: Iterable[str]) -> Iterator[Difference]:
        """Yield the settings that make imports of the first commit mean something else."""
        texts = [self.sources.text(self._trees.base[path]) for path in paths if path in self._trees.base]
        for path, names in sorted(self._redirected.items()):
            imported = re.compile(
                "|".join(rf"[\"'`]{re.escape(name)}[\"'`/]" for name in sorted(names - {EVERY})) or r"\Z."
            )
            is_own = EVERY in names and self.modules.of(path) in modules
            if is_own or any(map(imported.search, texts)):
                shown = few(sorted(names - {EVERY}))
                yield Difference("code", (), (path, 1), False, f"imports {shown}".rstrip(), "", "changed", shown)

    def _unresolved(
        self, module: str, both: tuple[Endpoints, Endpoints], listed: Sequence[str]
    ) -> Iterator[Difference]:
        """Yield the changed code around files that use Kafka without a known endpoint; *listed* are those read."""
        before, after = both
        contracts = (*before.contracts, *after.contracts)
        known = before.clients | after.clients | {path for one in contracts for path in (one.place[0], *one.files)}
        known |= {
            one.detail.rpartition(":")[0]
            for commit in (self._base, self._head)
            for one in commit.reading.of(StreamingStatement)
        }
        own = (path for path in self.applications if path not in known and self.modules.of(path) == module)
        using: dict[str, Collection[str]] = {path: self._client_words(path) for path in own}
        if not (before.clients or after.clients or contracts):
            trees = (self._trees.base, self._trees.head)
            for path, packages in given_brokers(self.sources, trees, listed).items():
                using[path] = {*using.get(path, ()), *packages}
            if self._base.programs.connection(module):
                using = dict.fromkeys(listed, _ANY_WORD)  # the client is in a library that is not known
        using |= dict.fromkeys(self._base.programs.components_named(module), _ANY_WORD)
        changed = dict(self._changed_near(using, listed)) if using else {}
        groups: dict[str, list[Part]] = {}
        for part in changed:
            groups.setdefault(part[0] if self._is_run_alone(module, part[0]) else "", []).append(part)
        for parts in groups.values():
            first = next((part for part in parts if part[0] in using), parts[0])
            names = few([first[1], *dict.fromkeys(name for _, name in parts if name != first[1])])
            yield Difference("code", (), (first[0], changed[first]), False, names, "", "changed", first[1])

    def _is_run_alone(self, module: str, path: str) -> bool:
        """Return whether a file is a job over data frames that no other file of its program names, so may import."""
        if not any(map(is_frame_job, self._texts(path))):
            return False
        named = re.compile(rf"\b{re.escape(PurePosixPath(path).stem)}\b")
        others = (other for other in self._compared(module)[1] if other != path)
        return not any(named.search(text) for other in others for text in self._texts(other))

    def _texts(self, path: str) -> list[str]:
        return [self.sources.text(tree[path]) for tree in (self._trees.base, self._trees.head) if path in tree]

    def _client_words(self, path: str) -> Collection[str]:
        """Return the words that name a client in a file; any statement of a job over frames may change its rows."""
        if any(map(is_frame_job, self._texts(path))):
            return _ANY_WORD
        language = language_of(path)
        return _CLIENT_WORDS if language is None else language.client_words

    def _changed_near(self, using: Mapping[str, Collection[str]], listed: Iterable[str]) -> Iterator[tuple[Part, int]]:
        """Yield the functions and statements that differ around the files *using* a client that is not known.

        Those have the words that name the client. Each part has its line.
        """
        paths = list(dict.fromkeys((*listed, *using)))
        sides = [
            [file for path in paths if path in tree and (file := self.sources.file(path, tree[path]))]
            for tree in (self._trees.base, self._trees.head)
        ]
        edited = [functions_in(file for file in files if file.path in self.edited) for files in sides]
        before, after = without_renames([parts_near(files, using) for files in sides], edited)
        for part in dict.fromkeys((*after, *before)):
            texts = [side[part][0] for side in (before, after) if part in side]
            if part[0] in self.edited and any(texts) and len(set(texts)) + (len(texts) == 1) > 1:
                yield part, (after.get(part) or before[part])[1]

    @cached_property
    def _without_topic(self) -> frozenset[str]:
        """Return the files of both commits that use a Kafka client without a known topic."""
        unread = (file for commit in (self._base, self._head) for file in commit.reading.of(UnreadFile))
        return frozenset(file.name for file in unread if file.kind == UNRESOLVED_USE)

    @cached_property
    def _made(self) -> Made:
        """Return the classes and tables whose objects and rows others may send."""
        tables: dict[str, tuple[str, ...]] = {}
        for job in self._base.jobs:
            topics = tuple(sorted(one.name for one in written_by(job) if one.kind is NodeKind.TOPIC))
            for one in read_by(job):
                if one.kind is not NodeKind.TOPIC and topics:
                    tables[one.name.rpartition(".")[2].lower()] = topics
        return Made(self._records, tables)

    @cached_property
    def _records(self) -> frozenset[str]:
        """Return the names of the classes that the schemas of both commits generate."""
        texts = {text for commit in (self._base, self._head) for listed in commit.schemas.values() for text in listed}
        return frozenset(name or other for text in texts for name, other in _RECORD.findall(text))

    def _libraries_of(self, module: str) -> set[str]:
        """Return the modules with changed code that a program's module uses."""
        changed = {self.modules.of(path) for path in self.edited}
        return {other for other in changed if other != module and module in self.programs_using(other)}

    # --- findings

    def _finding(self, module: str, one: Difference) -> ChangeFinding | None:
        programs = self._programs_of(module, one)
        jobs = [program.job for program in programs]
        named = [name for topic in one.topics if topic for name in self._base.programs.names_of(module, topic)]
        topics = named or sorted({dataset.name for job in jobs for dataset in written_by(job)})
        if not topics and one.aspect in ("client", "setting") and not self._sends(module):
            return None
        if one.aspect in ("setting", "client") and self._is_harmless_setting(one):
            return None
        rule = _RULES.get(one.aspect, CODE_CHANGED) if one.certain else CODE_CHANGED
        of_topic = [job for job in jobs if {dataset.name for dataset in written_by(job)} & {*topics}]
        of_file = [one.job for one in programs if one.files & {*self._trees.head}]
        writers = of_topic or (of_file if topics else [])
        name = few([job.flows.job.name for job in writers]) if writers else self._name(module, one)
        datasets = [self._dataset(topic) for topic in topics]
        path = _path(one.field) if one.field and rule.is_of_field else ()
        affected = self._affected(datasets, path)
        readers = [hit for hit in affected if hit.use not in ("writes", "unknown") or not path]
        is_hit = bool(affected) if rule is not CODE_CHANGED else False
        verdict = Verdict.IMPACT if is_hit and readers else Verdict.UNKNOWN
        read = sorted({dataset.name for job in writers for dataset in read_by(job)})
        reasons = [Message("reached", (*one.place, one.view))] if one.view and one.place[0] else []
        reasons += [Message("before", (_readable(one.before),))] if one.before and rule is not CODE_CHANGED else []
        reasons += [Message("after", (_readable(one.after),))] if one.after and rule is not CODE_CHANGED else []
        reasons += [Message("reads", (tuple(read),))] if read else []
        file, line = one.place if one.place[0] else (next(iter(sorted(self.edited)), ""), 1)
        finding = rule.found(
            verdict,
            Place(file=file, line=max(1, line)),
            f"job {name}" if writers else file,
            message=_message(one, rule, name, tuple(topics)),
            item=one.field if path else (topics[0] if len(topics) == 1 and rule is not CODE_CHANGED else ""),
            reasons=tuple(reasons),
            affected=tuple(affected),
        )
        if path and topics:
            return with_field_users(finding, path, [(CLUSTER, topic) for topic in topics], self._hits)
        return finding

    def _programs_of(self, module: str, one: Difference) -> list[_Program]:
        """Return the programs of a module that a difference may concern: of a job that runs alone, its own."""
        programs = list(self._programs.get(module, ()))
        own = [program for program in programs if one.place[0] in program.files and written_by(program.job)]
        return own if own and one.aspect == "code" and self._is_run_alone(module, one.place[0]) else programs

    def _sends(self, module: str) -> bool:
        """Return whether code of a module uses Kafka without a known topic, and may write."""
        return any(self.modules.of(path) == module for path in self._without_topic)

    def _name(self, module: str, one: Difference) -> str:
        return PurePosixPath(module).name or PurePosixPath(one.place[0]).name

    def _dataset(self, topic: str) -> GraphDataset:
        known = next((one for one in self._base.used if one.name == topic), None)
        return known or self._hits.naming.topic(CLUSTER, topic)

    def _affected(self, datasets: Sequence[GraphDataset], path: ColumnPath) -> list[Affected]:
        found: dict[tuple[str, str, str], Affected] = {}
        for dataset in datasets:
            others = self._with_other_columns(dataset, path) if path else frozenset()
            whole = (hit for hit in self._hits.of(dataset) if others.isdisjoint((hit.name, *hit.through[:1])))
            for hit in (*(self._hits.of(dataset, path) if path else ()), *whole):
                found.setdefault((hit.kind, hit.namespace, hit.name), hit)
        return [hit for hit in found.values() if hit.use != "writes"]

    def _with_other_columns(self, dataset: GraphDataset, path: ColumnPath) -> frozenset[str]:
        """Return the statements that read columns of a topic, all of them known, and not the one at *path*.

        Any other job may pass on whatever a record has.
        """
        found, first = set(), path[0].casefold()
        for job in self._base.jobs:
            read = [flow.source.path for flow in job.flows.columns if flow.source.dataset == dataset]
            is_known = bool(read) and not (job.coverage.unread or job.coverage.unknown_connectors)
            is_statement = "statement" in dict(job.flows.job.attributes)
            if is_known and is_statement and all(own and own[0].casefold() != first for own in read):
                found.add(job.flows.job.name)
        return frozenset(found)

    @staticmethod
    def _is_harmless_setting(one: Difference) -> bool:
        """Return whether a setting of a client does nothing to records, by the references of the clients."""
        return bool(one.field) and meaning_of(words_of_code(one.field)) is Meaning.NOTHING

    def _is_known(self, finding: ChangeFinding, one: Difference, known: Sequence[ChangeFinding]) -> bool:
        """Return whether a finding is about the same already: the field, or the topic that a program leaves."""
        for other in known:
            if not other.counts or other.verdict is Verdict.FINE:
                continue
            if one.aspect in ("removed", "renamed", "retyped") and one.field and _last(other.item) == _last(one.field):
                return True
            if one.aspect in ("topic", "gone", "setting", "client") and (
                other.target == finding.target or finding.item in {other.item, other.target.partition(" ")[2]} - {""}
            ):
                return True
            same = {other.target, other.place.file} & {finding.target, finding.place.file}
            if finding.rule == CODE_CHANGED.name and same:
                return True
        return False

    # --- files

    def _why_unread(self, path: str) -> str:
        """Return why a source file is not read; empty if its grammar is installed."""
        if is_readable(path):
            return ""
        self.unread[path] = (
            "no grammar for its language is installed" if grammar_missing(path) else "its language is not read"
        )
        return self.unread[path]

    @cached_property
    def applications(self) -> Sequence[str]:
        """Return the source files of both commits that use Kafka."""
        listed = (path for commit in (self._base, self._head) for path in commit.reading.files.get(APPLICATION, ()))
        named = {file for programs in self._programs.values() for program in programs for file in program.files}
        named |= self._without_topic
        return tuple(
            path
            for path in dict.fromkeys((*listed, *named))
            if is_program(path) and (language_of(path) or is_readable(path))
        )

    def is_application(self, path: str) -> bool:
        """Return whether a source file uses Kafka."""
        return path in self.applications

    # --- modules

    @cached_property
    def _programs(self) -> Mapping[str, list[_Program]]:
        """Return the programs by the directory of their module; one of both commits is that of the first."""
        programs: dict[str, list[_Program]] = {}
        known: set[str] = set()
        for commit, tree in ((self._base, self._trees.base), (self._head, self._trees.head)):
            for job in commit.jobs:
                places = files_using(job) & tree.keys()
                places -= {path for kind in (DESCRIPTION, TOPIC_FILE) for path in commit.reading.files.get(kind, ())}
                if job.flows.job.key in known or not places:
                    continue
                started = commit.programs.modules.called_as(job.flows.job.name)
                for module in {*(self.modules.of(place) for place in places), *started}:
                    programs.setdefault(module, []).append(_Program(job, places))
            known |= {job.flows.job.key for job in commit.jobs}
        return programs

    @cached_property
    def _with_programs(self) -> frozenset[str]:
        """Return the modules that programs are in, and those that link code which uses Kafka without a known topic."""
        unknown = {self.modules.of(path) for path in self._without_topic}
        linked = (user for one in unknown for user in self._base.programs.users(one) if not _is_above(user, one))
        return frozenset((*self._programs, *unknown, *linked))

    @property
    def module_names(self) -> Collection[str]:
        """Return the directories of the modules that programs are in."""
        return self._programs.keys()

    def programs_of(self, module: str) -> Iterable[CountedJob]:
        """Return the jobs of the programs that a module is part of."""
        return [program.job for user in self.programs_using(module) for program in self._programs.get(user, ())]

    @cached_property
    def build_names(self) -> frozenset[str]:
        """Return the names that the build files of the repository give to what they build."""
        return frozenset(name for names, _ in self._builds().values() for name in names)

    def unresolved_program(self, path: str) -> str:
        """Return the name of the module that a file is part of, if its code uses Kafka and no topic of it is known."""
        module = self.modules.of(path)
        if module in self._programs or not any(self.modules.of(using) == module for using in self.applications):
            return ""
        names = self._builds().get(module, _NO_BUILD)[0]
        return names[0] if names else module.rpartition("/")[2]

    def programs_using(self, module: str) -> list[str]:
        """Return the modules with programs that a module is part of: itself, or those whose build files name it."""
        programs = self._with_programs
        found, latest, builds = {module}, {module}, self._builds()
        while latest and not (found & programs):
            names = [(one, name) for one in latest for name in (one.rpartition("/")[2], *builds.get(one, _NO_BUILD)[0])]
            users = {
                other
                for other, (_, text) in builds.items()
                if any(self._is_named(one, name, other, text) for one, name in names if name)
            }
            # A build file above others lists them, so it is not part of a program.
            above = {other for other in users - programs if any(_is_above(other, one) for one in latest)}
            below = {other for other in users if module and _is_above(module, other)}
            latest = users - found - above - below
            found |= latest
        return sorted(found & programs)

    def _is_named(self, module: str, name: str, folder: str, text: str) -> bool:
        """Return whether a build file of a folder names a module: a path without a variable leads there."""
        for match in re.finditer(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text):
            start, end = _path_before(text, match.start()), _path_behind(text, match.end())
            path = start + name + end
            if "/" not in path or "." in start.strip("./").partition("/")[0]:
                return True  # a name, or a path of an import
            roots = (normpath(join(folder, path)), normpath(path.lstrip("/")))
            if any(f"{one}/".startswith(f"{module}/") for one in roots):
                return True
        return False

    def _builds(self) -> Mapping[str, tuple[tuple[str, ...], str]]:
        """Return the names and the build files of each module, by its directory."""
        if not self._known_builds:
            texts: dict[str, tuple[tuple[str, ...], str]] = {}
            for path, content in self._trees.base.items():
                folder, _, file = path.rpartition("/")
                if is_build_file(file):
                    text = self.sources.objects.text(content)
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


def _letters(name: str) -> str:
    """Return a name as settings are compared, which files, variables and code write otherwise."""
    return _BETWEEN.sub("", name).lower()


def _names_of(keys: Sequence[str]) -> Iterator[str]:
    """Yield what code may call a setting: what its keys end in; of an environment variable, two words or more."""
    for at in range(len(keys)):
        yield _letters("".join(keys[at:]))
    words = keys[-1].split("_") if keys and keys[-1].isupper() else ()
    for at in range(1, len(words) - 1):
        yield _letters("".join(words[at:]))


def _message(one: Difference, rule: Rule, name: str, topics: tuple[str, ...]) -> Message:
    """Return what a difference is."""
    if rule is CODE_CHANGED:
        return rule.message(one.field or one.view or "code", topics)
    match one.aspect:
        case "removed" | "renamed":
            return rule.message(name, one.field, topics, one.after if one.aspect == "renamed" else "")
        case "retyped":
            return rule.message(name, one.field, topics, one.before, one.after)
        case "computed":
            return rule.message(name, one.field, topics)
        case "key" | "partition":
            return rule.message(name, topics, one.aspect)
        case "topic" | "gone":
            return rule.message(name, topics, form="of a program")
    return rule.message(name, topics)


def _readable(text: str) -> str:
    """Return the text of a value without the marks of the parameters that it comes from."""
    return _PARAMETER.sub("", text)


def _path(name: str) -> ColumnPath:
    try:
        return parse_path(name)
    except ScannerError:
        return ()


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _path_before(text: str, at: int) -> str:
    """Return what of a path stands before a place in a text."""
    start = at
    while start > max(0, at - _LONGEST_PATH) and _is_of_path(text[start - 1]):
        start -= 1
    return text[start:at].replace("\\", "/")


def _path_behind(text: str, at: int) -> str:
    """Return what of a path stands behind a place in a text."""
    end = at
    while end < min(len(text), at + _LONGEST_PATH) and _is_of_path(text[end]):
        end += 1
    return text[at:end].replace("\\", "/")


def _is_of_path(letter: str) -> bool:
    return letter.isalnum() or letter in "_./\\-"


def _is_above(directory: str, other: str) -> bool:
    return not directory or other.startswith(f"{directory}/")
