"""Read applications: the uses of topics in settings and source code, with the name of the program that each is of."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from scanner_extractor.repository.applications.clients import (
    Extractor,
    Found,
    imports_client,
    imports_client_of_rust,
    is_evaluated_only,
    is_mock,
    is_of_kafka,
    mentions_client,
)
from scanner_extractor.repository.applications.code import PACE, ScopeKind, Unit, read_unit
from scanner_extractor.repository.applications.deployments import Deployment, command_of, named_beside
from scanner_extractor.repository.applications.endpoints import (
    KnownEndpoints,
    ProgramEndpoints,
)
from scanner_extractor.repository.applications.field_uses import (
    FieldsReading,
    FoundField,
    ProgramUse,
    TopicUse,
    UsedFields,
    column_path,
)
from scanner_extractor.repository.applications.frames import (
    FrameUses,
    document_of,
    problems_by_file,
    python_tree,
    read_all,
)
from scanner_extractor.repository.applications.generated import GeneratedClasses
from scanner_extractor.repository.applications.hocon import included
from scanner_extractor.repository.applications.index import Index
from scanner_extractor.repository.applications.modules import (
    OUTSIDE,
    Modules,
    ProgramParts,
    Programs,
    read_modules,
    read_program_parts,
)
from scanner_extractor.repository.applications.settings import (
    BINDINGS,
    Setting,
    Settings,
    expand,
    files_named_in,
    is_settings_file,
    read_settings,
)
from scanner_extractor.repository.applications.settings_topics import (
    DEFINITION,
    Declared,
    binding_topic,
    channel_topic,
    declared_topics,
    mentions_topics,
    named_uses,
    names_application,
)
from scanner_extractor.repository.bounded_parsing import Trials
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.languages import BY_ENDING, language_of
from scanner_extractor.repository.languages.language import BINDING, CHANNEL_IN, CHANNEL_OUT, DESTINATION, Access
from scanner_extractor.repository.other_uses import is_other_use
from scanner_extractor.repository.syntax_trees import LARGEST, grammar_missing, helps_tests, is_test, suffix
from scanner_extractor.repository.topic_files.syntaxes import syntax_of
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid, Problem
from scanner_model.linear_patterns import InvalidPattern, LinearPattern
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import SourceId
from scanner_programs.endpoints import Contract, Endpoints, Passed
from scanner_programs.frames.datasets import TOPIC
from scanner_programs.frames.reader import Program, is_job, read_jobs
from scanner_programs.frames.spark import Job
from scanner_programs.frames.values import Dataset
from scanner_programs.received.receives import UNNAMED
from scanner_programs.received.uses import ReadAs, Used

MOST_UNITS = 3_000
"""Maximum source files that are parsed: those that mention a client library, and those that define what they name."""
MOST_CHARACTERS = 12 * 1024 * 1024
"""Maximum characters of the source files that are parsed."""
PATIENCE = 8.0
"""Seconds of processor time to read the trees of all source files, in addition to those of PACE."""
_ROUNDS = 3
_MOST_NAMES = 400
_SHORT = 5
"""Characters of a name that many files call, whatever it means."""
_MOST_LINES = 3
_MOST_DEPLOYMENTS = 20
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_CALLED = re.compile(r"(?:\w\.\w+|\+)$")
_OF_PATTERN = re.compile(r"[*+?()|\[\]\\^$]")
"""What a pattern of names of topics has, and no name."""
_FRAMEWORKS = re.compile(r"(?i)cloud[.:\s]+stream|mp\.messaging|messaging:|default-topic")
_SCRIPTS = frozenset(ending for ending, language in BY_ENDING.items() if language.entry is None)
_DEFAULTED, _UNSET = re.compile(r"\$\{([\w.-]+):([^${}]*)\}"), re.compile(r"\$\{([\w.-]+)\}")
"""Settings in the names of what jobs read and write, with a default and without."""
_FRAME_ENDINGS = (".py", ".scala", ".java", ".kt")
"""Languages whose jobs over frames and tables are evaluated."""
_EXECUTE = frozenset({"execute_sql", "executeSql", "sqlUpdate", "addInsertSql", "add_insert_sql", "executeStatement"})
"""Calls that have a statement of Flink or ksqlDB executed."""

_TABLE_API = {
    **dict.fromkeys(("from", "from_path", "fromPath"), Access.READ),
    **dict.fromkeys(("executeInsert", "execute_insert", "insertInto", "insert_into"), Access.WRITE),
}
"""Calls of Flink's Table API that name a table, and what they do to it."""

_KAFKA_TABLE = re.compile(
    r"\bCREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[`\"]?(?P<name>[\w.]+)[`\"]?\s*\("
    r"(?=[^;]*'connector'\s*=\s*'(?:upsert-)?kafka')[^;]*?'topic'\s*=\s*'(?P<topic>[^';]+)'",
    re.IGNORECASE,
)
_UNKNOWN_CLIENT = (
    "the library {package} is not known: of what it writes, only topics that a call names `topic`, and nothing of what "
    "it reads"
)
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_INHERITED = ("pom.xml", "build.gradle", "build.gradle.kts")
"""Build files whose dependencies the modules below them have, too."""
_JDBC_DATABASE = re.compile(r"jdbc:\w+://[^/]+/([\w$-]+)")
_APPLICATION_ID = re.compile(r"APPLICATION_ID_CONFIG|^application\.id$|applicationIdConfig")


@dataclass(slots=True)
class KnownFiles:
    """What earlier readings of a repository know of its source files, by path and text.

    *parsed* are the parsed files; for a file that is not read, the reason. *defining* says, by a pattern of names too,
    whether a file defines one of them. *parts* are what files say of programs, *endpoints* what
    programs send and receive.
    """

    parsed: dict[tuple[str, str], Unit | str] = field(default_factory=dict)
    defining: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    parts: dict[tuple[str, str], ProgramParts] = field(default_factory=dict)
    endpoints: KnownEndpoints = field(default_factory=KnownEndpoints)

    def defines(self, names: re.Pattern[str], path: str, text: str) -> bool:
        """Return whether a file defines one of *names*."""
        key = (names.pattern, path, text)
        if key not in self.defining:
            self.defining[key] = names.search(text) is not None
        return self.defining[key]

    def parts_of(self, path: str, text: str) -> ProgramParts:
        """Return what a source file says of programs."""
        key = (path, text)
        if key not in self.parts:
            self.parts[key] = read_program_parts(path, text)
        return self.parts[key]


def _no_fields(_: frozenset[str] | None = None) -> FieldsReading:
    return (), ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationsReading:
    """What applications read, write and create.

    *created* are topics that programs create, each with its place. *flows* have one end where a program reads or
    writes a topic, and two where its code passes records on. *aggregates* are the types of the events that programs
    put in an outbox, by the name of its database, where all of a program's are known. *statements* are the SQL texts
    that a file has executed, with its path and the line of the first. *unread* are source files with the reason;
    *unresolved* are files with uses of Kafka whose topic is unknown. *parsed* counts those that were read.
    *read_fields* reads the fields that programs use, which takes as long as everything else: of all programs, or of
    those that files of the given paths may be part of. *settings* are the files of settings of programs with flows,
    each with the topics of its program. *programs* returns what evaluates the programs.
    """

    created: tuple[tuple[str, str], ...] = ()
    flows: tuple[DeclaredFlow, ...] = ()
    aggregates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    statements: tuple[tuple[str, int, str], ...] = ()
    problems: tuple[Problem, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    unresolved: tuple[tuple[str, str], ...] = ()
    read_fields: Callable[[frozenset[str] | None], FieldsReading] = _no_fields
    parsed: int = 0
    settings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    programs: Callable[[], ProgramEndpoints] | None = None

    @property
    def fields(self) -> tuple[FoundField, ...]:
        """Return the fields of messages that programs use; they are read when they are first asked for."""
        return self.read_fields(None)[0]


def _defining(names: Iterable[str], supertypes: Iterable[str], called: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of the files that define *names*, have a class below *supertypes*, or call one of *called*."""
    named, above, calls = (
        "|".join(map(re.escape, sorted(group)[:_MOST_NAMES])) or "(?!)" for group in (names, supertypes, called)
    )
    return re.compile(
        rf"\b(?:class|enum)\s+(?:{named})\b|\b(?:{named})\b\s*(?:[=(:<]|\w+\s*=)"
        rf"|\bextends\s+(?:{above})\b|\bclass\s+\w+[^\n{{]*[(:,]\s*(?:{above})\b|\b(?:{calls})\s*\("
    )


def _table_uses(unit: Unit, extractor: Extractor, topics: Mapping[str, str]) -> Iterator[Found]:
    """Yield the uses of the topics of tables by calls of the Table API."""
    for call, scope in unit.calls if topics else ():
        access = _TABLE_API.get(call.text)
        for value in extractor.resolver.texts(next(iter(call.positional()), None), scope)[:1] if access else ():
            if access and value.text in topics:
                yield Found(access, value._replace(text=topics[value.text]), unit, call.line, streams=True)


def is_application_file(path: str, text: str) -> bool:
    """Return whether a file is the source code of a program that uses Kafka, or configures such a program.

    Tests are none.
    """
    if is_test(path) or helps_tests(path, text):
        return False
    if language_of(path):
        return mentions_client(path, text)
    if is_evaluated_only(path):
        return imports_client_of_rust(text)
    if path.endswith(".json"):
        return '"generators"' in text and '"connections"' in text
    if not is_settings_file(path):
        return False
    is_declaring = mentions_topics(text) and len(text) <= LARGEST
    return _configures_framework(path, text) or (
        is_declaring and declared_topics(read_settings(path, text)) is not None
    )


def _configures_framework(path: str, text: str) -> bool:
    """Return whether settings are those of a framework that connects a program to topics, in one line or nested."""
    if _FRAMEWORKS.search(text) is not None:
        return True
    small = text.casefold() if len(text) <= LARGEST else ""
    is_nested = "cloud" in small and "bindings" in small
    return is_nested and any(one.key.casefold().startswith(BINDINGS) for one in read_settings(path, text))


def read_applications(
    files: Mapping[str, str],
    source: SourceId,
    variables: Callable[[str], Mapping[str, str]] = lambda _: {},
    fitting: Iterable[str] | None = None,
    known: KnownFiles | None = None,
) -> ApplicationsReading:
    """Read the applications of a repository: *files* are its texts by path, *fitting* the paths of those that fit.

    *variables* returns those that hold in the directory of a path. Other files than the fitting ones are read where
    they define what these name: constants, settings, build files and deployments. Paths that start with OUTSIDE are of
    libraries in other repositories: their uses are of the programs that call them. A source file whose grammar is not
    installed is left out, and listed in `unread`. *known* are files that an earlier reading parsed; new ones are added.
    """
    if fitting is None:
        fitting = [path for path, text in files.items() if is_application_file(path, text)]
    reader = _Reader(files=files, source=source, variables_of=variables, fitting=sorted(fitting))
    reader.known = known or KnownFiles()
    reader.used = UsedFields(GeneratedClasses(files))
    reader.read()
    return reader.reading()


@dataclass(slots=True, kw_only=True)
class _Reader:
    files: Mapping[str, str]
    source: SourceId
    variables_of: Callable[[str], Mapping[str, str]]
    fitting: list[str]
    modules: Modules = field(default_factory=Modules)
    programs: Programs = field(default_factory=Programs)
    settings: dict[str, Settings] = field(default_factory=dict)
    declared: dict[str, Declared] = field(default_factory=dict)
    index: Index = field(init=False)
    created: dict[str, str] = field(default_factory=dict)
    flows: dict[tuple[str, str, str], DeclaredFlow] = field(default_factory=dict)
    aggregates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    statements: list[tuple[str, int, str]] = field(default_factory=list)
    problems: dict[tuple[str, str], Problem] = field(default_factory=dict)
    unread: list[tuple[str, str]] = field(default_factory=list)
    unresolved: list[tuple[str, str]] = field(default_factory=list)
    with_unknown: set[str] = field(default_factory=set)
    unset: dict[str, dict[str, int]] = field(default_factory=dict)
    clients_in: dict[str, list[bool]] = field(default_factory=dict)
    channel_code: dict[str, list[str]] = field(default_factory=dict)
    channels: set[tuple[str, str]] = field(default_factory=set)
    application_ids: dict[str, list[tuple[Unit, str]]] = field(default_factory=dict)
    frame_defaults: dict[str, set[str]] = field(default_factory=dict)
    frame_flows: dict[tuple[str, FlowEnd, FlowEnd], DeclaredFlow] = field(default_factory=dict)
    columns: dict[tuple[str, FlowEnd, FlowEnd], DeclaredFlow] = field(default_factory=dict)
    used: UsedFields = field(init=False)
    patterned: list[tuple[str, str, LinearPattern, tuple[str, int], Sequence[str]]] = field(default_factory=list)
    program_settings: dict[str, Settings] = field(default_factory=dict)
    settings_files: list[str] = field(default_factory=list)
    without_topic: dict[str, set[int]] = field(default_factory=dict)
    without_call: set[str] = field(default_factory=set)
    followed: set[tuple[str, int]] = field(default_factory=set)
    on_the_way: set[str] = field(default_factory=set)
    leading: set[tuple[str, int]] = field(default_factory=set)
    evaluated: list[str] = field(default_factory=list)
    of_topologies: set[tuple[str, str]] = field(default_factory=set)
    of_notes: set[tuple[str, str]] = field(default_factory=set)
    program_uses: dict[tuple[TopicUse, str], ProgramUse] = field(default_factory=dict)
    noted_jobs: dict[str, dict[str, None]] = field(default_factory=dict)
    channel_names: set[str] = field(default_factory=set)
    trials: Trials = field(default_factory=Trials)
    known: KnownFiles = field(default_factory=KnownFiles)
    unlisted: dict[str, list[str]] = field(default_factory=dict)
    parsed: dict[str, list[str]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    mentioned: dict[tuple[str, str], bool] = field(default_factory=dict)
    words_in_code: dict[str, bool] = field(default_factory=dict)
    size: int = 0
    chosen: int = 0
    patience: float = PATIENCE

    def read(self) -> None:
        """Read settings, then code, then what both say together."""
        self.index = Index(self.modules.of)
        if not self.fitting and not self._is_deployed():
            return
        self._read_modules()
        found = self._read_code()
        for path in self.index.units:
            self.parsed.setdefault(self.modules.of(path), []).append(path)
        self.channels = {(self.modules.of(use.unit.path), use.value.text) for use in found}
        self.channel_names = {name for _, name in self.channels}
        self._add_settings(found)
        for use in sorted(found, key=lambda use: use.access is Access.WRITE):
            self._add_found(use)
        self._add_declared()
        self._add_generators()
        self._add_frames()
        self._add_endpoints()
        self._note_unresolved()
        self._note_connected()

    def _is_deployed(self) -> bool:
        """Return whether code is here whose deployment may connect it to Kafka, in files that no code names."""
        texts = (self.files[path] for path in self.files if suffix(path) in (".yaml", ".yml"))
        return any(suffix(path) in BY_ENDING for path in self.files) and any(map(is_of_kafka, texts))

    def _read_modules(self) -> None:
        self.modules = read_modules(self.files)
        self.index.module_of = self.modules.of
        self._read_settings()

    def _flows(self) -> Iterator[DeclaredFlow]:
        """Yield the flows; a use that is an end of a flow of the same job is left out."""
        read = {(job, origin) for job, origin, target in self.flows if origin and target}
        written = {(job, target) for job, origin, target in self.flows if origin and target}
        for job, origin, target in sorted(self.flows):
            if (origin and target) or (job, origin or target) not in (read if origin else written):
                yield self.flows[job, origin, target]

    def _frame_flows(self) -> Iterator[DeclaredFlow]:
        """Yield the flows of jobs over data frames, without those that the rest of a program has, too."""
        return (flow for flow in self.frame_flows.values() if not self._is_known(flow))

    def _is_known(self, flow: DeclaredFlow) -> bool:
        is_whole = flow.origin.path is None and flow.target.path is None
        return is_whole and (flow.job, flow.origin.name, flow.target.name) in self.flows

    def reading(self) -> ApplicationsReading:
        """Return what was read, in a stable order."""
        flows = (*self._flows(), *self._frame_flows(), *self.columns.values())
        return ApplicationsReading(
            created=tuple(sorted(self.created.items())),
            flows=flows,
            aggregates=self.aggregates,
            statements=tuple(self.statements),
            problems=tuple(self.problems[key] for key in sorted(self.problems)),
            unread=tuple(sorted(self.unread)),
            unresolved=_by_file((*self.unresolved, *self._unset())),
            read_fields=cache(self._fields),
            parsed=len(self.index.units),
            settings=self._settings_of(flows),
            programs=self._evaluation,
        )

    def _settings_of(self, flows: Iterable[DeclaredFlow]) -> Mapping[str, frozenset[str]]:
        """Return the files with settings of programs, also those that deploy them, each with the topics of these."""
        topics: dict[str, set[str]] = {}
        for flow in flows:
            path = flow.evidence.rpartition(":")[0] or flow.evidence
            topics.setdefault(self.modules.of(path), set()).update((flow.origin.name, flow.target.name))
        placed = {path: {*topics.get(self.modules.of(path), ())} for path in self.settings_files}
        for module, names in topics.items():
            for found in self.modules.deployed(module):
                for path in (found.place.rpartition(":")[0], *found.sources):
                    placed.setdefault(path, set()).update(names)
        return {path: frozenset(names - {""}) for path, names in placed.items() if names}

    def _unset(self) -> Iterator[tuple[str, str]]:
        """Yield the files with topics that are settings without a value, except those that are unresolved anyway."""
        for path, topics in self.unset.items():
            if path not in dict(self.unresolved):
                names = ", ".join(repr(topic) for topic in list(topics)[:_MOST_LINES])
                have = "topic {} has" if len(topics) == 1 else "topics {} have"
                lines = _lines(sorted(set(topics.values())))
                yield path, f"the {have.format(names)} no value (set it with --var): {lines}"

    def _fields(self, of: frozenset[str] | None) -> FieldsReading:
        """Return the fields of messages that the programs use, and the classes of these."""
        return self.used.reading(self.program_uses.values(), None if of is None else self._programs_of(of))

    def _programs_of(self, paths: frozenset[str]) -> frozenset[str]:
        """Return the modules whose programs files may be part of: all where a module has no build file of its own."""
        changed = {self.modules.of(path) for path in paths}
        using = {use.module for use in self.program_uses.values()} | self.used.modules
        if not changed <= using | self.modules.names.keys() - {""}:
            return frozenset(using)
        return frozenset(changed.union(*map(self.modules.users, changed)))

    # --- code

    def _read_code(self) -> list[Found]:
        self._parse(path for path in self.fitting if language_of(path))
        self.evaluated = [path for path in self.fitting if is_evaluated_only(path)]
        self.evaluated = [path for path in self.evaluated if self._is_chosen(path, self.files[path])]
        candidates = self._candidates()
        found: list[Found] = []
        seen: set[str] = set()
        seen_calls: set[str] = set()
        for _ in range(_ROUNDS):
            extractor = Extractor(self.index)
            found = list(extractor.found())
            missing = {name for name in extractor.resolver.missing if len(name) > 2} - seen
            below = extractor.resolver.extended - seen
            called = {name for name in extractor.resolver.called if len(name) > _SHORT} - seen_calls
            seen |= missing | below
            seen_calls |= called
            if not (missing or below or called) or self.size > MOST_CHARACTERS:
                break
            defines = _defining(missing, below, called)
            unparsed = (path for path in candidates if path not in self.tried)
            more = [path for path in unparsed if self.known.defines(defines, path, self.files[path])]
            if not more:
                break
            self._parse(more)
        modules = {self.modules.of(path) for path in self.index.units}
        for path in candidates:
            if (module := self.modules.of(path)) in modules:
                self.unlisted.setdefault(module, []).append(path)
        self._read_unresolved(extractor, found)
        self._read_defaults(extractor)
        self._read_application_ids(extractor)
        self._read_aggregates(extractor)
        return [*found, *self._read_statements(extractor)]

    def _programs_in(self, module: str) -> Programs:
        """Return the programs; the source files of a module are read when the module is first asked for."""
        listed = self.unlisted.pop(module, [])
        for path in listed:
            self.programs.add(path, self.known.parts_of(path, self.files[path]), module)
        if listed:
            self.programs.started[module] = self.files.get(f"{module}/package.json".lstrip("/"), "")
        return self.programs

    def _candidates(self) -> list[str]:
        """Return the source files that may define what others name; none where no file was parsed."""
        if not self.index.units:
            return []
        paths = (path for path in sorted(self.files) if language_of(path) and not is_test(path))
        return [path for path in paths if not helps_tests(path, self.files[path])]

    def _parse(self, paths: Iterable[str]) -> None:
        """Parse files and add them to the index; each is tried once, and one that is not read is noted."""
        texts = {path: self.files[path] for path in paths}
        self.tried.update(texts)
        chosen = {path: text for path, text in texts.items() if self._is_chosen(path, text)}
        known = self.known.parsed
        known |= self._refused(chosen)
        for path, text in chosen.items():
            if (path, text) not in known:
                known[path, text] = self._read_unit(path, text)
            parsed = known[path, text]
            if isinstance(parsed, Unit):
                self.index.add(parsed)
            else:
                self.unread.append((path, parsed))

    def _refused(self, texts: Mapping[str, str]) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield the files that must not be parsed and are not known yet, each with the reason."""
        refused = self.trials.refused(
            {path: text for path, text in texts.items() if (path, text) not in self.known.parsed}
        )
        yield from (((path, texts[path]), reason) for path, reason in refused.items())

    def _is_chosen(self, path: str, text: str) -> bool:
        """Return whether a file is parsed, by its language and size; one that is not is noted."""
        extra = grammar_missing(path)
        if extra:
            self.unread.append((path, f"it needs the extra `{extra}`: pip install 'kafka-lineage-scanner[{extra}]'"))
        elif len(text) > LARGEST:
            self.unread.append((path, "it is larger than what is read of source code"))
        elif self.size > MOST_CHARACTERS or self.chosen >= MOST_UNITS:
            self.unread.append((path, "the source files before it are as much as is read of one repository"))
        else:
            self.size += len(text)
            self.chosen += 1
            return True
        return False

    def _read_unit(self, path: str, text: str) -> Unit | str:
        """Return a parsed file, or why it is not read."""
        if self.patience <= 0:
            return "the source files before it use up the time for reading a repository"
        start = time.thread_time()
        try:
            return read_unit(path, text)
        except InputInvalid as error:
            return error.what
        finally:
            self.patience -= max(0.0, time.thread_time() - start - PACE * len(text))

    def _read_unresolved(self, extractor: Extractor, found: Iterable[Found]) -> None:
        """Read which calls of each file have no resolved topic, and which files import a client and call none."""
        for unit, line in extractor.unresolved:
            self.without_topic.setdefault(unit.path, set()).add(line)
        for path, line in sorted(extractor.unnamed):
            self.unresolved.append((path, f"how many topics of retries there are is not known: line {line}"))
        recognized = {unit.path for use in found for unit in (use.unit, use.value.unit) if unit is not None}
        self.without_call = {
            path
            for path in self.fitting
            if path in self.index.units and path not in recognized and self._imports_client(path)
        }

    def _note_unresolved(self) -> None:
        """Note, for each file, calls without a resolved topic, or an import of a client without a recognized call."""
        led = self.followed | self.leading
        for path in self.fitting:
            lines = self.without_topic.get(path, set()) - {line for other, line in led if other == path}
            if path.startswith(OUTSIDE):
                continue
            if lines:
                self.unresolved.append((path, _unresolved_calls(sorted(lines))))
            elif path in self.without_call - self.on_the_way and not any(other == path for other, _ in self.followed):
                self.unresolved.append((path, "it imports a Kafka client, but no call with a topic is recognized"))

        known = {self.modules.of(path) for path, _ in self.followed}
        for path in self.evaluated:
            if self.modules.of(path) not in known:
                self.unresolved.append((path, "it imports a Kafka client, but no call with a topic is recognized"))

    def _imports_client(self, path: str) -> bool:
        parents = (str(parent).removeprefix(".") for parent in PurePosixPath(path).parents)
        builds = (self.files.get(f"{parent}/go.mod".lstrip("/")) for parent in parents) if path.endswith(".go") else ()
        own = next((match[1] for build in builds if build and (match := _GO_MODULE.search(build))), "")
        return imports_client(path, self.files[path], own)

    def _read_defaults(self, extractor: Extractor) -> None:
        """Add the defaults that code sets for settings: `viper.SetDefault("orders.topic", "orders")`."""
        for path, unit in sorted(self.index.units.items()):
            setters = unit.language.values.default_setters
            for call, scope in unit.calls if setters else ():
                if call.text in setters and len(arguments := call.positional()) == 2:
                    values = extractor.resolver.texts(arguments[1], scope)
                    for key in extractor.resolver.texts(arguments[0], scope)[:1] if values else ():
                        settings = self.settings.setdefault(self.modules.of(path), Settings())
                        settings.add(Setting(key.text, values[0].text, f"{path}:{call.line}", profile=True))

    def _read_application_ids(self, extractor: Extractor) -> None:
        """Read the ids of Kafka Streams applications, which are what their jobs are called."""
        for unit in self.index.units.values():
            for call, scope in unit.calls:
                pairs = [part for part in call.arguments if part.kind == "pair" and _APPLICATION_ID.search(part.text)]
                positional = call.positional()
                value = pairs[0].parts[0] if pairs else None
                keyed = zip(
                    positional[::2], positional[1::2], strict=False
                )  # `put(key, value)`, `Map.of(key, value, …)`
                named = (given for key, given in keyed if _APPLICATION_ID.search(key.text))
                value = next(named, None) if value is None else value
                for found in extractor.resolver.texts(value, scope):
                    owner = found.unit or unit
                    self.application_ids.setdefault(self.modules.of(owner.path), []).append((owner, found.text))

    def _read_statements(self, extractor: Extractor) -> Iterator[Found]:
        """Read the SQL that a program has Flink or ksqlDB execute; a text that depends on the program's run is left.

        Yield the topics whose tables, created by this SQL, the program reads or fills by Flink's Table API.
        """
        for path, unit in sorted(self.index.units.items()):
            texts: dict[str, int] = {}
            for call, scope in unit.calls:
                for value in (
                    extractor.resolver.texts(next(iter(call.positional()), None), scope)[:1]
                    if call.text in _EXECUTE
                    else ()
                ):
                    if "${" not in value.text:
                        texts.setdefault(value.text.strip().rstrip(";"), call.line)
            if texts and not path.startswith(OUTSIDE):
                script = ";\n".join(texts)
                self.statements.append((path, min(texts.values()), script))
                yield from _table_uses(unit, extractor, dict(_KAFKA_TABLE.findall(script)))

    def _read_aggregates(self, extractor: Extractor) -> None:
        """Read what the events of Debezium's outbox return as their aggregate type, by the database of their module."""
        by_module: dict[str, list[list[str]]] = {}
        for function in self.index.functions.get("getAggregateType", ()):
            values = [value.text for part in function.returns for value in extractor.resolver.texts(part, function)]
            by_module.setdefault(self.modules.of(function.unit.path), []).append(values)
        for module, listed in by_module.items():
            urls = map(self._settings(module).find, ("quarkus.datasource.jdbc.url", "spring.datasource.url"))
            match = next((found for url in urls if url and (found := _JDBC_DATABASE.match(url.value))), None)
            if match and all(listed):
                self.aggregates[match[1]] = tuple(sorted({text for values in listed for text in values}))

    # --- settings

    def _read_settings(self) -> None:
        confs = [path for path in sorted(self.files) if path.endswith(".conf") and not is_test(path)]
        confs = [path for path in confs if len(self.files[path]) <= LARGEST]
        code = (path for path in self.files if suffix(path) in BY_ENDING or is_evaluated_only(path))
        named = files_named_in(self.files[path] for path in code)
        below = {name.removesuffix(".conf") for path in confs for name in included(self.files[path])}
        # What a file includes has settings below its own.
        for path in sorted(self.files, key=lambda path: (PurePosixPath(path).stem in below, path)):
            is_own = is_settings_file(path, named) and not path.startswith(OUTSIDE)
            if is_own and not is_test(path) and len(text := self.files[path]) <= LARGEST:
                module = self.settings.setdefault(self.modules.of(path), Settings())
                self.settings_files.append(path)
                file = RepositoryFile(path, text)
                is_of_product = path.endswith(".conf") and (is_other_use(file) or syntax_of(file) is not None)
                listed = list(read_settings(path, text)) if not is_of_product else []
                for setting in listed:
                    module.add(setting)
                declared = declared_topics(listed) if mentions_topics(text) else None
                if declared is not None:
                    self.declared[path] = declared
        for path in confs:
            self._include(path)

    def _include(self, path: str) -> None:
        """Add the settings of the files that a file of HOCON includes, below its own; a file beside it goes first."""
        module = self.settings.get(self.modules.of(path))
        for name in included(self.files[path]) if module is not None else ():
            named = [other for other in self.files if other.rpartition("/")[2] in (name, f"{name}.conf")]
            named = [other for other in named if not is_test(other)]
            near = [other for other in named if other.rpartition("/")[0] == path.rpartition("/")[0]]
            for other in (near or named)[:1] if near or len({self.files[one] for one in named}) == 1 else ():
                for setting in read_settings(other, self.files[other]):
                    if module is not None and module.find(setting.key) is None:
                        module.add(setting)

    def _settings(self, module: str) -> Settings:
        return self.settings.get(module) or self.settings.get("") or Settings()

    def _add_settings(self, found: Iterable[Found]) -> None:
        """Add what the settings of each module name; annotations say what a binding with a name of its own is."""
        inputs: dict[str, dict[str, bool]] = {}
        for use in found:
            if use.value.text.startswith(BINDING):
                name = use.value.text.removeprefix(BINDING)
                inputs.setdefault(self.modules.of(use.unit.path), {})[name] = use.access is Access.READ
        for owner, own in sorted(self.settings.items()):
            users = [] if owner in self.modules.without_kafka else self._users(owner)
            for module, settings in [(user, self._settings(user).over(own)) for user in users] or [(owner, own)]:
                self._add_settings_of(module, settings, inputs.get(owner, {}))

    def _add_settings_of(self, module: str, settings: Settings, inputs: Mapping[str, bool]) -> None:
        if module not in self.modules.without_kafka:
            variables = self.variables_of(f"{module}/")
            for job, environment in self._jobs(module, None, settings):
                has_channel = partial(self._has_channel, module)
                named = list(named_uses(_in_environment(settings, environment), inputs, self._in_code, has_channel))
                topics = [expand(one.topic, environment, settings, variables) for one in named]
                groups: dict[str, list[str]] = {}
                for one, topic in zip(named, topics, strict=True):
                    if topic and one.group and not one.writes:
                        groups.setdefault(one.group, []).append(topic)
                for one, topic in zip(named, topics, strict=True):
                    if topic is None:
                        self._problem(one.place, f"the topic {one.topic!r} has no value", "set it with --var")
                        continue
                    sources = groups.get(one.group, []) if one.writes else []
                    self._note_use(TopicUse(job, topic, one.writes), module)
                    self._add_use(_Use(job, topic, one.writes, one.place, "settings", tuple(sources)))

    def _add_declared(self) -> None:
        """Add the topics that the settings of a program name as input or output, unless its code says what it does."""
        known = {(self.modules.of(use.evidence), use.origin.name, use.target.name) for use in self.flows.values()}
        read = {(module, origin) for module, origin, _ in known}
        written = {(module, target) for module, _, target in known}
        for path, declared in sorted(self.declared.items()):
            module = self.modules.of(path)
            if not declared.streams and self._lacks_client(module):
                self.unresolved.append((path, "it names topics, but nothing of the program uses a Kafka client"))
                continue
            jobs = self._jobs(module, None, self._settings(module))
            names = [(declared.job, jobs[0][1] if len(jobs) == 1 else {})] if declared.job else jobs
            for job, environment in names:
                reads, writes = (
                    [
                        (topic, one.place)
                        for one in listed
                        for topic in self._topics_of(one.value, module, environment, self._settings(module))
                    ]
                    for listed in (declared.reads, declared.writes)
                )
                sources = tuple(topic for topic, _ in reads) if declared.streams else ()
                for topic, place in reads:
                    if (module, topic) not in read:
                        self._add_use(_Use(job, topic, False, place, "settings"))
                for topic, place in writes:
                    if (module, topic) not in written:
                        self._add_use(_Use(job, topic, True, place, "settings", sources))

    def _note_connected(self) -> None:
        """Note what connects a program without a known client to Kafka: its deployment, or a name in its code.

        What code names beside a component of Kafka are topics.
        """
        evaluation = self._evaluation()
        programs = [path for path in self.files if suffix(path) in BY_ENDING] if evaluation.components else []
        for module in sorted({self.modules.of(path) for path in programs}):
            for path, component in evaluation.components_named(module).items():
                self._add_beside(module, path, component)
        for module in sorted(self.modules.names):
            whys = [
                (found.place.rpartition(":")[0] or found.place, f"{variable} connects {found.name} to Kafka")
                for found in self.modules.deployed(module)
                if (variable := next(filter(is_of_kafka, found.environment), ""))
            ]
            for path, variable in evaluation.variables_named(module).items() if not whys else ():
                whys.append((path, f"it names {variable}, a variable of Kafka"))
            if whys and module not in self.with_unknown and self._lacks_client(module):
                self.unresolved += [(path, f"{why}, but no client that is known is in the code") for path, why in whys]

    def _add_beside(self, module: str, path: str, component: str) -> None:
        """Add the topics that a source file names beside a component of Kafka; without one, the file is unresolved."""
        deployed = self.modules.deployed(module)
        service = self._service(module, self._settings(module))
        own = self._programs_in(module).name(path, module, service)
        found = list(named_beside(component, self.files[path]))
        for job in [one.name for one in deployed] or [own]:
            for one in found:
                self._add_use(_Use(job, one.topic, one.writes, f"{path}:{one.line}", f"component {component}"))
        if not found and all(flow.evidence.rpartition(":")[0] != path for flow in self.flows.values()):
            self.unresolved.append((path, f"it names {component}, a component of Kafka, and no topic beside it"))

    def _lacks_client(self, module: str) -> bool:
        """Return whether the code of a module is here, and neither it nor what it is built with uses a client.

        What a build inherits from directories above counts; a house's library that hides a client is not known here.
        """
        if not self.clients_in:
            for path in (path for path in self.files if suffix(path) in BY_ENDING or is_evaluated_only(path)):
                self.clients_in.setdefault(self.modules.of(path), []).append(self._imports_client(path))
        near, waiting = {module}, [module]
        while waiting:
            folder = waiting.pop()
            above = {str(one).removeprefix(".") for one in PurePosixPath(folder).parents if folder}
            inherited = {one for one in above if any(f"{one}/{name}".lstrip("/") in self.files for name in _INHERITED)}
            new = (self.modules.dependencies.get(folder, set()) | inherited) - near
            near |= new
            waiting += new
        known = (folder in self.modules.kafka or any(self.clients_in.get(folder, ())) for folder in near)
        return module in self.clients_in and not any(known)

    # --- uses

    def _add_found(self, found: Found) -> None:
        unit = self._program_unit(found)
        if unit.path.startswith(OUTSIDE):
            return  # a use of the library itself
        for module, settings in self._program_modules(found, unit):
            self._add_found_in(found, unit, module, settings)

    def _program_modules(self, found: Found, unit: Unit) -> list[tuple[str, Settings]]:
        """Return the modules whose programs contain a use, with their settings: of a library, those that have it.

        What a framework finds is in all of them, as classes with annotations, other code in those that name its file.
        """
        module = self.modules.of(unit.path)
        users = [] if found.streams else self._users(module)
        is_managed = any(scope.kind is ScopeKind.CLASS for _, scope, _ in found.unit.annotated)
        if users and not found.declared and not is_managed:
            name = PurePosixPath(unit.path).stem
            users = [user for user in users if self._mentions(user, name)]
        own = self._settings(module)
        return [(user, self._settings(user).over(own)) for user in users] or [(module, own)]

    def _users(self, module: str) -> list[str]:
        """Return the modules whose programs a library is in; none if the module is a program of its own."""
        if module in self.modules.startable or self.modules.deployed(module):
            return []
        return [] if self._programs_in(module).entries.get(module) else self.modules.users(module)

    def _in_code(self, word: str) -> bool:
        """Return whether any source file that is not a test contains a word."""
        if word not in self.words_in_code:
            pattern = re.compile(rf"\b{re.escape(word)}\b")
            paths = (path for path in self.files if language_of(path) and not is_test(path))
            self.words_in_code[word] = any(pattern.search(self.files[path]) for path in paths)
        return self.words_in_code[word]

    def _has_channel(self, module: str, name: str) -> bool:
        """Return whether code of a module, or of what it is built with, has the name of a channel of SmallRye.

        It may have it if none of that code uses the library: then other code does, which is not here.
        """
        if module not in self.channel_code:
            near, waiting = {module}, [module]
            while waiting:
                new = self.modules.dependencies.get(waiting.pop(), set()) - near
                near |= new
                waiting += new
            paths = (path for path in self.files if language_of(path) and not is_test(path))
            texts = [self.files[path] for path in paths if self.modules.of(path) in near]
            uses = any("reactive.messaging" in text for text in texts)
            self.channel_code[module] = texts if uses else []
        texts = self.channel_code[module]
        return not texts or any(f'"{name}"' in text for text in texts)

    def _mentions(self, module: str, name: str) -> bool:
        """Return whether the source files of a module have a name."""
        if (module, name) not in self.mentioned:
            pattern = re.compile(rf"\b{re.escape(name)}\b")
            paths = (path for path in self.files if language_of(path) and not is_test(path))
            listed = (path for path in paths if self.modules.of(path) == module)
            self.mentioned[module, name] = any(pattern.search(self.files[path]) for path in listed)
        return self.mentioned[module, name]

    def _add_found_in(self, found: Found, unit: Unit, module: str, settings: Settings) -> None:
        is_own = module == self.modules.of(unit.path)
        is_callers = unit is not found.unit and found.value.line
        place = f"{unit.path}:{found.value.line}" if is_callers else f"{found.unit.path}:{found.line}"
        if found.access is Access.CREATE:
            for topic in self._topics_of(found.value.text, module, {}, settings):
                self.created.setdefault(topic, place)
            return
        streams = found if found.streams and is_own else None
        for job, environment in self._jobs(module, streams, settings, unit if is_own else None):
            topics = list(self._topics_of(found.value.text, module, environment, settings))
            if not topics and "${" in found.value.text:
                path, _, line = place.rpartition(":")
                self.unset.setdefault(path, {}).setdefault(found.value.text, int(line))
            sources = [
                topic for text in found.sources for topic in self._topics_of(text, module, environment, settings)
            ]
            if not found.streams:  # functions of other programs may have the name of a caller
                sources = [topic for topic in sources if (TopicUse(job, topic, False), module) in self.program_uses]
            for topic in topics:
                writes = found.access is Access.WRITE
                noted = self._note_use(TopicUse(job, topic, writes), module)
                noted.places.add((found.unit.path, found.line))
                noted.places |= {(unit.path, found.value.line)} if is_callers else set()
                self.of_topologies |= {(job, topic)} if found.streams else set()
                self.of_notes |= {(job, topic)} if found.declared else set()
                self._add_use(_Use(job, topic, writes, place, f"code of {unit.path}", tuple(sources)))

    def _note_use(self, use: TopicUse, module: str) -> ProgramUse:
        """Note a use of a topic for the reading of fields."""
        self.noted_jobs.setdefault(module, {})[use.job] = None
        return self.program_uses.setdefault((use, module), ProgramUse(use, module=module))

    def _program_unit(self, found: Found) -> Unit:
        """Return the file whose program uses a topic: the caller's in another module, or with an entry point."""
        caller = found.value.unit
        if caller is None:
            return found.unit
        module = self.modules.of(caller.path)
        entries = self._programs_in(module).entries.get(module, ())
        is_program = not {caller.path, str(PurePosixPath(caller.path).parent)}.isdisjoint(entries)
        if caller.language.entry is None or not is_program:
            is_program = bool(command_of(self.modules.deployed(module), caller.path))
        return caller if is_program or module != self.modules.of(found.unit.path) else found.unit

    def _topics_of(self, text: str, module: str, environment: Mapping[str, str], settings: Settings) -> Iterator[str]:
        kind, mark, name = text.partition("\0")
        if mark:
            resolved = self._bound_topic(kind + mark, name, module, settings)
            if resolved is None:
                return
            text = resolved
        expanded = expand(text, environment, settings, self.variables_of(f"{module}/"))
        yield from (part.strip() for part in (expanded or "").split(",") if _TOPIC.fullmatch(part.strip()))

    def _bound_topic(self, kind: str, name: str, module: str, settings: Settings) -> str | None:
        """Return the topic of a binding or channel; None where it has none."""
        if kind == DESTINATION:
            return binding_topic(name, settings)
        if kind == BINDING:
            return settings_value(settings, name)
        side, other = ("incoming", "outgoing") if kind == CHANNEL_IN else ("outgoing", "incoming")
        topic = channel_topic(name, side, settings)
        if topic is not None or settings.find(f"mp.messaging.{side}.{name}.connector") is not None:
            return topic
        opposite = (module, (CHANNEL_OUT if kind == CHANNEL_IN else CHANNEL_IN) + name)
        is_set = any(True for _ in settings.below(f"mp.messaging.{other}.{name}.".lower()))
        in_memory = opposite in self.channels and not is_set
        return name if module in self.modules.kafka and not in_memory else None

    def _jobs(
        self, module: str, streams: Found | None, settings: Settings, unit: Unit | None = None
    ) -> list[tuple[str, Mapping[str, str]]]:
        """Return the names of the jobs that a file or module runs as, each with its environment."""
        deployed = self.modules.deployed(module)
        if not deployed and unit is not None and unit.path.endswith(".go"):
            deployed = self.modules.called(
                PurePosixPath(unit.path).parent.name
            )  # `go build` calls it after its package
        entries = self._programs_in(module).entries.get(module, [])
        named = [found for found in command_of(deployed, unit.path) if self._is_only(found, module)] if unit else []
        if unit is not None and unit.language.entry is None and not command_of(deployed, unit.path):
            named = self._programs_in(module).run_by(unit.path, module, deployed)
        several = unit is not None and len(entries) > 1 and not named
        deployments: list[Deployment] = [] if several else (named or deployed)[:_MOST_DEPLOYMENTS]
        is_other = unit is not None and not named and any(found.is_own and found.command for found in deployments)
        if is_other or (deployments and not (named or self._is_single(module, unit))):
            deployments = []
        service = self._service(module, settings)
        if deployments:
            return [(found.name, found.environment) for found in deployments]
        environments = [found.environment for found in deployed]
        environment = environments[0] if len(environments) == 1 else {}
        if unit is None:
            return [(service or PurePosixPath(module).name or "application", environment)]
        application = self._application_id(module, unit, environment, settings) if streams is not None else ""
        if application:
            return [(application, environment)]
        users = self._programs_in(module).users(unit.path, module) if suffix(unit.path) in _SCRIPTS else []
        names = {self._programs_in(module).name(path, module, service) for path in users or [unit.path]}
        return [(name, environment) for name in sorted(names)]

    def _is_only(self, deployment: Deployment, module: str) -> bool:
        """Return whether the command of a deployment runs one script; of several, each is a program of its own."""
        scripts = (path for path in self.parsed.get(module, ()) if suffix(path) in _SCRIPTS)
        return sum(bool(command_of([deployment], path)) for path in scripts) <= 1

    def _is_single(self, module: str, unit: Unit | None) -> bool:
        """Return whether a module is one program: what deploys it runs every file of it."""
        if unit is None or unit.language.entry is not None:
            return True
        used = self.parsed.get(module, ())
        alone = {path for path in used if not self._programs_in(module).is_library(path, module)}
        return len(alone) <= 1 or unit.path not in alone

    def _service(self, module: str, settings: Settings) -> str:
        for key in ("spring.application.name", "quarkus.application.name", "micronaut.application.name"):
            setting = settings.find(key)
            name = expand(setting.value, {}, settings, self.variables_of(f"{module}/")) if setting is not None else None
            if name and "@" not in name:
                return name
        return self.modules.name(module)

    def _application_id(self, module: str, unit: Unit, environment: Mapping[str, str], settings: Settings) -> str:
        """Return the id of the Kafka Streams application that a file is part of; empty where that is not known."""
        known = self.application_ids.get(module, [])
        own = {text for other, text in known if other is unit}
        texts = own or (
            {text for _, text in known} if len(self._programs_in(module).entries.get(module, [])) <= 1 else set()
        )
        if not texts:  # frameworks take the id from the settings of the program
            listed = (setting for keyed in settings.known.values() for setting in keyed if not setting.profile)
            texts = {setting.value for setting in listed if names_application(setting.key)}
        if len(texts) != 1:
            return ""
        expanded = expand(texts.pop(), environment, settings, self.variables_of(f"{module}/"))
        return expanded or ""

    def _add_use(self, use: _Use) -> None:
        if not _TOPIC.fullmatch(use.topic) or use.topic in (".", ".."):
            return
        ends = [(source, use.topic) for source in use.sources] if use.writes else []
        ends = ends or [("", use.topic) if use.writes else (use.topic, "")]
        for origin, target in ends:
            flow = DeclaredFlow(
                source=self.source,
                origin=FlowEnd(name=origin),
                target=FlowEnd(name=target),
                job=use.job,
                description=use.description,
                evidence=use.place,
                suggested=True,
            )
            self.flows.setdefault((use.job, origin, target), flow)

    def _problem(self, place: str, what: str, hint: str) -> None:
        self.problems.setdefault((place, what), Problem(f"{self.source} {place}", what, hint))

    # --- endpoints

    def _evaluation(self) -> ProgramEndpoints:
        """Return what evaluates the programs."""
        if not self.fitting and not self.modules.names:
            self._read_modules()
        return ProgramEndpoints(
            files=self.files,
            modules=self.modules,
            users=self._users,
            settings=self._settings,
            expand=lambda text, settings, module: expand(text, {}, settings, self.variables_of(f"{module}/")),
            trials=self.trials,
            known=self.known.endpoints,
        )

    def _add_endpoints(self) -> None:
        """Add what programs send and receive as the model of all languages has it, where the rest does not know it."""
        programs = self._evaluation()
        for module in programs.programs():
            if module not in self.modules.without_kafka:
                found = programs.read(module)
                self.program_settings[module] = programs.settings_of(module)
                self._add_program(module, found)
        self._add_patterned()
        self._drop_libraries()

    def _add_patterned(self) -> None:
        """Add the known topics whose names fit a pattern that a program reads by; of another pattern, note that."""
        known = {*self.created, *(use.topic for use, _ in self.program_uses)}
        for module, text, pattern, place, files in self.patterned:
            listed = [one for one in sorted(known) if pattern.fits(one)]
            for topic in listed:
                for job, name in self._users_of(module, (topic,), files, writes=False):
                    self._add_end(job, name, module, place, place, writes=False)
            if not listed:
                reason = f"no known topic has a name that the pattern {text!r} fits: line {place[1]}"
                self.unresolved.append((place[0], reason))

    def _drop_libraries(self) -> None:
        """Drop what a library seems to do by itself, if a program that has it does it."""
        done = {(module, use.topic, use.writes) for use, module in self.program_uses}
        for use, module in list(self.program_uses):
            if any((user, use.topic, use.writes) in done for user in self._users(module)):
                self.flows.pop((use.job, "", use.topic) if use.writes else (use.job, use.topic, ""), None)
                del self.program_uses[use, module]
                self.used.drop(module, use)

    def _add_program(self, module: str, found: Endpoints) -> None:
        by_names = {use: set(one.places) for (use, own), one in self.program_uses.items() if own == module}
        ends: dict[tuple[str, bool, tuple[str, int]], set[str]] = {}
        unrooted = self._add_sent(module, found.contracts, ends)
        self._add_leading(found)
        for topic, place, files in found.received:
            self._note_pattern(module, topic, place, files)
            for job, name in self._users_of(module, (topic,), files, writes=False):
                ends.setdefault((name, False, place), set()).add(job)
                self._add_end(job, name, module, place, place, writes=False)
        for path, line in found.unnamed:
            if path in self.fitting and (path, line) not in self.followed:
                self.without_topic.setdefault(path, set()).add(line)
        for package, path in found.unknown.items():
            self.with_unknown.add(module)
            if path in self.fitting and not is_mock(path):
                self.unresolved.append((path, _UNKNOWN_CLIENT.format(package=package)))
        self._drop_others(module, by_names, ends, found)
        self._add_fields_read(module, found)
        is_whole = not (found.is_partial or found.unresolved)
        sent = {(job, topic) for (topic, writes, _), jobs in ends.items() if writes and is_whole for job in jobs}
        self._add_all_passed(module, found.passed, sent - unrooted)

    def _note_pattern(self, module: str, topic: str, place: tuple[str, int], files: Sequence[str]) -> None:
        """Note what a program reads by a pattern of names instead of by a name."""
        text = expand(topic, {}, self.program_settings[module], self.variables_of(f"{module}/")) or ""
        if _OF_PATTERN.search(text) and place[0] in self.fitting:
            try:
                self.patterned.append((module, text, LinearPattern(text), place, files))
            except InvalidPattern as error:
                self.unresolved.append((place[0], f"the pattern {text!r} is not valid: {error}: line {place[1]}"))

    def _add_leading(self, found: Endpoints) -> None:
        """Note the calls that only lead to sends with known topics, and the files with clients if all is known."""
        sent = [one for one in found.contracts if not one.inner]
        unknown = {site for one in sent if not one.topics for site in one.sites}
        self.leading |= {site for one in sent for site in one.sites} - unknown
        if (sent or found.received) and not (unknown or found.is_partial or found.unresolved or found.unnamed):
            self.on_the_way |= found.clients

    def _drop_others(
        self,
        module: str,
        by_names: Mapping[TopicUse, set[tuple[str, int]]],
        ends: Mapping[tuple[str, bool, tuple[str, int]], set[str]],
        found: Endpoints,
    ) -> None:
        """Drop uses by names where the evaluation knows more about a call: which program makes it, or what it leads to.

        A call that leads to code of the program does not use a client, whatever its name is, if that code came to one
        of a client. In a function that was evaluated, a client has the topics that the evaluation came to in its file,
        and those that what it came to names as another way. A part of the name of a topic names no topic.
        """
        of_topics = {(topic, writes, job) for (topic, writes, _), jobs in ends.items() for job in jobs}
        reached = {(writes, job) for _, writes, job in of_topics}
        is_whole = not (found.is_partial or found.unresolved)
        for use, places in by_names.items():
            known = [ends[use.topic, use.writes, at] for at in places if (use.topic, use.writes, at) in ends]
            is_others = bool(known) and all(use.job not in jobs for jobs in known)
            is_own_code = bool(places) and places <= found.followed and (use.writes, use.job) in reached
            near = {at[0] for (_, writes, at), jobs in ends.items() if writes == use.writes and use.job in jobs}
            is_known = bool(places) and (use.job, use.topic) not in self.of_topologies | self.of_notes
            is_known &= not any(use.topic in one.topic for one in found.contracts)  # it is one of several
            is_known &= all(at[0] in near and _is_within(at, found.evaluated) for at in places)
            on_the_way = [one for one in found.contracts if not places.isdisjoint(one.sites)] if use.writes else []
            is_part = bool(on_the_way) and all(not one.topics and _is_part(use.topic, one.topic) for one in on_the_way)
            is_part &= bool(places) and all(any(at in one.sites for one in on_the_way) for at in places)
            is_dropped = is_part or (is_whole and (is_others or is_own_code or is_known))
            if is_dropped and (use.topic, use.writes, use.job) not in of_topics:
                for path, line in [one.place for one in on_the_way if is_part]:
                    self.without_topic.setdefault(path, set()).add(line)
                self.program_uses.pop((use, module), None)
                self.used.drop(module, use)
                end = 2 if use.writes else 1
                for key in [key for key in self.flows if key[0] == use.job and key[end] == use.topic]:
                    del self.flows[key]

    def _add_sent(
        self,
        module: str,
        contracts: Iterable[Contract],
        ends: dict[tuple[str, bool, tuple[str, int]], set[str]],
    ) -> set[tuple[str, str]]:
        """Add what a program sends, and which jobs do it where; return those whose record is not known throughout."""
        unrooted: set[tuple[str, str]] = set()
        contracts = tuple(contracts)
        named = {sent.place for sent in contracts if sent.topics or sent.inner}
        named |= {
            place for use, own in self.program_uses if own == module for place in self.program_uses[use, own].places
        }
        for sent in contracts:
            if sent.inner or not (sent.managed or self._is_in(module, sent.files)):
                continue
            is_known = any(path for path, _ in sent.shape.fields) and sent.place[0] not in self.unset
            if is_known and sent.place[0] in self.fitting and sent.place not in named | self.followed:
                self.without_topic.setdefault(sent.place[0], set()).add(sent.place[1])
            at = self._own_site(module, sent.sites)
            if sent.topics:
                self.on_the_way.update(sent.files)
            for job, topic in self._users_of(module, sent.topics, sent.files, writes=True):
                ends.setdefault((topic, True, sent.place), set()).add(job)
                unrooted |= set() if sent.is_rooted else {(job, topic)}
                self._add_end(job, topic, module, sent.place, at, writes=True)
                use = TopicUse(job, topic, True)
                self.used.name_class(use, sent.shape.name.rpartition(".")[2])
                for path, part in sent.shape.fields:
                    if path:
                        self.used.add(module, use, column_path(path.split(".")), (f"{at[0]}:{at[1]}",))
                    elif part.text != "null":  # more than the fields that are known
                        self.used.add(module, use, (), (f"{at[0]}:{at[1]}",), whole=False)
        return unrooted

    def _add_fields_read(self, module: str, found: Endpoints) -> None:
        for used in found.used:
            for use in self._readers_of(module, used):
                self.used.add(module, use, column_path(used.path), (f"{used.place[0]}:{used.place[1]}",))
        for known in found.classes:
            for use in self._readers_of(module, known):
                self.used.add_class(module, use, known)
        if found.is_partial:
            self.used.partial.add(module)

    def _readers_of(self, module: str, one: Used | ReadAs) -> Iterator[TopicUse]:
        """Yield the uses of the topic whose records are read; of an unknown one, those at the place that names it."""
        _, is_unnamed, place = one.topic.partition(UNNAMED)
        if not is_unnamed:
            for job, name in self._users_of(module, (one.topic,), one.files, writes=False):
                yield TopicUse(job, name, False)
            return
        path, _, line = place.rpartition(":")
        for (use, own), noted in self.program_uses.items():
            if own == module and not use.writes and (path, int(line)) in noted.places:
                yield use

    def _add_all_passed(self, module: str, passed: Iterable[Passed], sent: Collection[tuple[str, str]]) -> None:
        """Add what a program passes on; of what it has *sent*, all that comes from records is known."""
        origins: dict[tuple[str, str], set[str]] = {}
        for one in passed:
            files = [path for path, _ in one.sites]
            for job, target in self._users_of(module, one.topics, files, writes=True):
                for _, origin in self._users_of(module, (one.topic,), files, writes=False, job=job):
                    origins.setdefault((job, target), set()).add(origin)
                    self._add_passed(module, (job, origin, target), one, self._own_site(module, one.sites))
        for job, origin, target in list(self.flows):
            # Which records reach a send by what is evaluated goes before what its callers might be by their names.
            is_by_name = (job, target) not in self.of_topologies
            known = origins.get((job, target), () if (job, target) in sent else (origin,))
            if origin and target and is_by_name and origin not in known:
                flow = self.flows.pop((job, origin, target))
                if (job, target) not in origins:
                    self.flows.setdefault((job, "", target), replace(flow, origin=FlowEnd()))
                    self.flows.setdefault((job, origin, ""), replace(flow, target=FlowEnd()))

    def _users_of(
        self, module: str, topics: Iterable[str], files: Sequence[str], *, writes: bool, job: str = ""
    ) -> Iterator[tuple[str, str]]:
        """Yield the jobs of a module that use topics, each with the name that the topic has there.

        What is known of a topic's use says which jobs; otherwise the files from the call outwards do.
        """
        settings = self.program_settings[module]
        channel = CHANNEL_OUT if writes else CHANNEL_IN
        jobs = [known for known in self.noted_jobs.get(module, ()) if job in ("", known)]
        for topic in topics:
            text = f"{channel}{topic}" if f"{channel}{topic}" in self.channel_names else topic
            known = {
                (user, plain)
                for plain in set(self._topics_of(text, module, {}, settings))
                for user in jobs
                if (TopicUse(user, plain, writes), module) in self.program_uses
            }
            own = [path for path in files if self.modules.of(path) == module and path in self.index.units]
            path = self._started_by(module, own)
            started = {name for name, _ in self._jobs(module, None, settings, self.index.units.get(path))}
            if known:
                yield from sorted(one for one in known if one[0] in started) or sorted(known)
                continue
            for name, environment in self._jobs(module, None, settings, self.index.units.get(path)):
                if job in ("", name):
                    yield from ((name, found) for found in self._topics_of(text, module, environment, settings))

    def _started_by(self, module: str, files: Sequence[str]) -> str:
        """Return the file of a program that is started, of those from a call outwards; else that of the call.

        Of a script, that is the outermost.
        """
        entries = self._programs_in(module).entries.get(module, ())
        started = [path for path in files if path in entries or str(PurePosixPath(path).parent) in entries]
        scripts = [path for path in files if suffix(path) in _SCRIPTS][-1:]
        return next(iter((*started, *scripts, *files)), "")

    def _is_in(self, module: str, files: Sequence[str]) -> bool:
        """Return whether files on the way to a call are of a program, or of a library that it names."""
        own = any(self.modules.of(path) == module for path in files)
        return own or any(self._mentions(module, PurePosixPath(path).stem) for path in files)

    def _own_site(self, module: str, sites: Sequence[tuple[str, int]]) -> tuple[str, int]:
        """Return where a program itself has something sent: the last call that leads to it from its own files."""
        return next((site for site in sites if self.modules.of(site[0]) == module), sites[0])

    def _add_end(
        self, job: str, topic: str, module: str, place: tuple[str, int], at: tuple[str, int], *, writes: bool
    ) -> None:
        self.followed.add(place)
        self.unset.pop(place[0], None)
        noted = self._note_use(TopicUse(job, topic, writes), module)
        noted.places.add(place)
        if not place[0].startswith(OUTSIDE):
            self._add_use(_Use(job, topic, writes, f"{at[0]}:{at[1]}", f"code of {at[0]}"))

    def _add_passed(self, module: str, ends: tuple[str, str, str], one: Passed, at: tuple[str, int]) -> None:
        job, origin, target = ends
        place = f"{at[0]}:{at[1]}"
        if one.copied and not one.field and not one.target:
            self.used.add(module, TopicUse(job, target, True), (), (place,))
        if not (one.field and one.target):
            self._add_use(_Use(job, target, True, place, f"code of {at[0]}", (origin,)))
            return
        read, written = column_path(one.field), column_path(one.target.split("."))
        if not self.used.has(module, TopicUse(job, origin, False), read):  # otherwise it is known where it is read
            self.used.add(module, TopicUse(job, origin, False), read, (place,))
        columns = FlowEnd(name=origin, path=read), FlowEnd(name=target, path=written)
        self.columns.setdefault(
            (job, *columns),
            DeclaredFlow(
                source=self.source,
                origin=columns[0],
                target=columns[1],
                job=job,
                description=f"code of {at[0]}",
                evidence=place,
                suggested=True,
                effect="IDENTITY" if one.copied else "TRANSFORMATION",
            ),
        )

    # --- jobs over data frames

    def _add_frames(self) -> None:
        """Add what the jobs of Spark, Flink and Beam do; the files of their modules are read with them."""
        jobs = [path for path in self.fitting if path.endswith(_FRAME_ENDINGS) and is_job(self.files[path])]
        if not jobs:
            return
        modules = {self.modules.of(path) for path in jobs}
        paths = [
            path
            for path in self.files
            if path.endswith(_FRAME_ENDINGS)
            and not is_test(path)
            and (path.endswith(".py") or path in self.index.units or self.modules.of(path) in modules)
        ]
        programs = list(read_jobs(self.files, paths, document_of, self._tree))
        self._note_defaults(program.job for program in programs)
        own = [program for program in programs if not program.path.startswith(OUTSIDE)]
        read = {program.path: list(self._frame_uses(program)) for program in own}
        read_all([uses for listed in read.values() for uses in listed])
        for program in own:
            module = self.modules.of(program.path)
            for uses in read[program.path]:
                self._leave_to_frames(program.path, uses.name, {topic for topic, _, _, _ in uses.fields})
                for flow in uses.flows:  # several files may be one job
                    known = self.frame_flows.setdefault((flow.job, flow.origin, flow.target), flow)
                    if flow.effect and not known.effect:
                        self.frame_flows[flow.job, flow.origin, flow.target] = flow
                for each in uses.field_uses:
                    use = TopicUse(each.job, each.topic, each.writes)
                    self.used.add(module, use, each.path, each.places, whole=each.whole)
            is_assembled = any(text not in self.files[program.path] for text, _ in program.statements.listed)
            if program.statements.is_built or is_assembled:
                self._replace_script(program.path, program.statements.listed)
            for path, problems in problems_by_file(program.job).items():
                self.unresolved += ((path, f"{what}: {_lines(sorted(lines))}") for what, lines in problems.items())

    def _frame_uses(self, program: Program) -> Iterator[FrameUses]:
        """Yield what a job does under the name of each of its deployments, before it is read."""
        module = self.modules.of(program.path)
        for name, environment in self._frame_jobs(program, module):
            resolve = cache(partial(self._resolved_dataset, job=program.job, module=module, environment=environment))
            yield FrameUses(program.job, name, f"code of {program.path}", self.source, resolve)

    def _tree(self, path: str, text: str) -> ast.Module | None:
        """Return a file as a syntax tree of Python; None if it must not be parsed, or is refused."""
        if path not in self.index.units and (grammar_missing(path) or self.trials.refused({path: text})):
            return None
        return python_tree(path, text)

    def _leave_to_frames(self, path: str, job: str, topics: Collection[str]) -> None:
        """Leave out the uses of *topics* that a file's calls show under another name than its job runs as."""
        for (use, module), known in list(self.program_uses.items()):
            if use.topic in topics and use.job != job and {place for place, _ in known.places} == {path}:
                del self.program_uses[use, module]
                self.used.drop(module, use)
        for (owner, origin, target), flow in list(self.flows.items()):
            if owner != job and {origin, target} <= {*topics, ""} and flow.evidence.rpartition(":")[0] == path:
                del self.flows[owner, origin, target]

    def _replace_script(self, path: str, statements: Sequence[tuple[str, str]]) -> None:
        """Replace the statements that a program runs as texts by these with those that its calls make."""
        texts = [self._expanded(text, self.modules.of(path), {}) or text for text, _ in statements]
        kept = [each for each in self.statements if each[0] != path]
        left = [each for known, _, script in self.statements if known == path for each in script.split(";\n")]
        texts += [each for each in left if each not in texts]
        line = min(int(place.rpartition(":")[2]) for _, place in statements)
        self.statements = [*kept, (path, line, ";\n".join(texts))]

    def _frame_jobs(self, program: Program, module: str) -> list[tuple[str, Mapping[str, str]]]:
        """Return the names of a job: of its deployments, else what it calls itself, else of its file."""
        unit = self.index.units.get(program.path)
        if unit is None:
            return [(program.job.name or PurePosixPath(program.path).stem, {})]
        jobs = self._jobs(module, None, self._settings(module), unit)
        named = self._expanded(program.job.name, module, {})
        is_deployed = any(name == deployment.name for name, _ in jobs for deployment in self.modules.deployed(module))
        return jobs if is_deployed or not named else [(named, environment) for _, environment in jobs[:1]]

    def _expanded(self, text: str, module: str, environment: Mapping[str, str]) -> str:
        return expand(text, environment, self._settings(module), self.variables_of(f"{module}/")) or ""

    def _resolved_dataset(
        self, dataset: Dataset, job: Job, module: str, environment: Mapping[str, str]
    ) -> tuple[Dataset, ...]:
        """Return what a dataset is called in a deployment; a table with a setting that has no value keeps its name."""
        is_topic = dataset.namespace == TOPIC and not dataset.name.startswith("regex:")
        texts = tuple(self._expanded(_UNSET.sub(self._defaulted, part), module, environment) for part in dataset)
        if not all(text or not part for text, part in zip(texts, dataset, strict=True)):
            place = job.reads.get(dataset) or next((sink.place for sink in job.sinks if sink.target == dataset), ":1")
            job.problem(place, f"a setting in {dataset.name!r} has no value (set it with --var)")
            return () if is_topic else (dataset,)
        if is_topic:
            topics = self._topics_of(dataset.name, module, environment, self._settings(module))
            return tuple(Dataset(TOPIC, topic) for topic in topics)
        return (Dataset(*texts),)

    def _note_defaults(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            written = (sink.target for sink in job.sinks if sink.target is not None)
            texts = (part for dataset in (*job.reads, *written) for part in dataset)
            for name, default in (found for text in texts for found in _DEFAULTED.findall(text)):
                self.frame_defaults.setdefault(name, set()).add(default)

    def _defaulted(self, match: re.Match[str]) -> str:
        """Return a setting with the default that the other jobs of the repository have for it, if they agree."""
        known = self.frame_defaults.get(match[1], set())
        return f"${{{match[1]}:{next(iter(known))}}}" if len(known) == 1 else match[0]

    # --- generators of test data

    def _add_generators(self) -> None:
        """Add the topics that ShadowTraffic writes, by its configuration."""
        for path in self.fitting:
            document = _json_object(self.files[path]) if path.endswith(".json") else None
            if isinstance(document, dict) and isinstance(document.get("connections"), dict):
                self._add_generator(path, document)

    def _add_generator(self, path: str, document: dict[str, Any]) -> None:
        folder = str(PurePosixPath(path).parent)
        images = (found.name for found in self.modules.deployments if "shadowtraffic" in found.image)
        job = next(images, self._starter(path, folder) or "shadowtraffic")
        for entry in document["generators"] if isinstance(document["generators"], list) else ():
            place, generator = path, entry
            if isinstance(entry, dict) and entry.get("_gen") == "loadJsonFile":
                name = PurePosixPath(str(entry.get("file", ""))).name
                named = [other for other in self.files if PurePosixPath(other).name == name and other != path]
                named = [other for other in named if other.startswith("" if folder == "." else folder)]
                place = min(named, default=path, key=lambda other: ("generators" not in other, other))
                generator = _json_object(self.files[place])
            if isinstance(generator, dict) and isinstance(generator.get("topic"), str):
                self._add_use(_Use(job, generator["topic"], True, f"{place}:1", "generator of ShadowTraffic"))

    def _starter(self, path: str, folder: str) -> str:
        """Return the name of the script that runs ShadowTraffic with a configuration; empty without a single one."""
        parts = [part for part in folder.split("/") if len(part) > 4]
        ranks: dict[str, int] = {}
        for other in self.files:
            content = self.files[other] if suffix(other) in _SCRIPTS else ""
            if "shadowtraffic" in content.lower() and PurePosixPath(path).name in content:
                ranks[other] = sum(part in content for part in parts)
        best = [other for other in ranks if ranks[other] == max(ranks.values())]
        return PurePosixPath(best[0]).stem if len(best) == 1 else ""


def _in_environment(settings: Settings, environment: Mapping[str, str]) -> Settings:
    """Return the settings with the list of functions that a deployment's environment has in its place."""
    value = environment.get(DEFINITION.replace(".", "_").upper())
    if value is None:
        return settings
    return Settings({**settings.known, DEFINITION: [Setting(DEFINITION, value, "")]})


class _Use(NamedTuple):
    job: str
    topic: str
    writes: bool
    place: str
    description: str
    sources: tuple[str, ...] = ()


def settings_value(settings: Settings, binding: str) -> str | None:
    """Return the destination of a binding; None where the settings do not name it."""
    found = settings.find(f"spring.cloud.stream.bindings.{binding}.destination")
    return found.value if found is not None else None


def _by_file(unresolved: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return what is unresolved in each file, as one text."""
    reasons: dict[str, dict[str, None]] = {}
    for path, reason in sorted(unresolved):
        reasons.setdefault(path, {})[reason] = None
    return tuple((path, "; ".join(listed)) for path, listed in reasons.items())


def _is_within(at: tuple[str, int], functions: Iterable[tuple[str, int, int]]) -> bool:
    """Return whether a place is in one of the functions, each with its file, first and last line."""
    return any(path == at[0] and start < at[1] <= end for path, start, end in functions)


def _is_part(name: str, topic: str) -> bool:
    """Return whether a name is one of several parts that code which is not known makes the name of a topic of."""
    before, text, after = topic.partition(f'"{name}"')
    depth = 0
    for at in range(len(before) - 1, -1, -1) if text else ():
        depth += {")": 1, "(": -1}.get(before[at], 0)
        if depth < 0:
            called = _CALLED.search(before[:at])
            return called is not None and not (before[at + 1 :] == "" and after.startswith(")"))
    return False


def _unresolved_calls(lines: list[int]) -> str:
    calls = "1 call" if len(lines) == 1 else f"{len(lines)} calls"
    return f"the topic is not resolved in {calls} of a Kafka client: {_lines(lines)}"


def _lines(lines: list[int]) -> str:
    return f"line {', '.join(map(str, lines[:_MOST_LINES]))}{', …' if len(lines) > _MOST_LINES else ''}"


def _json_object(text: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return load_text(text)
    except (ValueError, RecursionError):
        return None
