"""What the readers of a repository share: its files, its variables, and where they put what they find."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.connectors import FoundConnector, connectors_in
from scanner_extractor.repository.declared import Collector, DeclaredUse, masked_settings, plain_text
from scanner_extractor.repository.files import Entry, RepositoryFile, UnreadText, text_of
from scanner_extractor.repository.globs import glob_expression, glob_pattern
from scanner_extractor.repository.settings import SUBJECT
from scanner_extractor.repository.statements import SqlStatement
from scanner_extractor.repository.syntax_trees import grammar_of
from scanner_extractor.repository.variables import Variables
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable
from scanner_model.clients import AclRule, Direction
from scanner_model.columns import parse_path
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.errors import InputInvalid
from scanner_model.field_uses import FieldExtent, FieldUse, MessageClass
from scanner_model.linear_patterns import LinearPattern
from scanner_model.manual import DeclaredFlow, ManualSchema
from scanner_model.names import SourceId, TopicName
from scanner_model.schemas import SchemaVersion
from scanner_model.text import has_placeholder

if TYPE_CHECKING:
    from scanner_extractor.repository.applications.endpoints import ProgramEndpoints
    from scanner_extractor.repository.applications.reader import KnownFiles

_LEADING = re.compile(r"^(?:(?:\$\{?\w+\}?|\$\([^)]*\)|\.{1,2})/+)+|^/+")
_ARGUMENT = re.compile(r"\$(?:\{\d+\}|\d|[@*])")
_TOPIC_SETTINGS = ("topics", "topic", "kafka.topic")
"""Settings of connectors of any class that name topics."""
_LONGEST_PATTERN, _MOST_LISTED = 200, 500
MOST_KEPT = 128 * 1024 * 1024
"""Characters of source files that are kept for another reading."""
CONNECT, SHELL, STATEMENT = "connect", "shell", "statement"
"""Whose form a declaration has: a topic of a statement has to be there already."""


class EmbeddedSchema(NamedTuple):
    """An Avro schema in the text of a program."""

    file: RepositoryFile
    value: Mapping[str, Any]


class InlineSchema(NamedTuple):
    """A schema inside a document, as a text or as a value; *file* is the one that has its text.

    *subject*, *format* and *version* are empty where the document does not have them; *references* are pairs of the
    name that the text uses and the subject.
    """

    file: RepositoryFile
    value: Any
    place: str
    subject: str = ""
    format: str = ""
    version: int = 0
    references: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Texts:
    """Texts of source files that several readings of a repository share; files without an identity are not kept."""

    size: int = 0
    _known: dict[str, str] = field(default_factory=dict)

    def of(self, entry: Entry) -> str | None:
        """Return the text of a file; None if it is not kept."""
        return self._known.get(entry.identity)

    def keep(self, entry: Entry, text: str) -> str:
        """Keep the text of a source file, up to MOST_KEPT characters together; return *text*."""
        if entry.identity and grammar_of(entry.path) and self.size + len(text) <= MOST_KEPT:
            self.size += len(text)
            self._known[entry.identity] = text
        return text


@dataclass(slots=True, kw_only=True)
class Context:
    """The files of a repository by path, and what is read from them.

    *connector_names* are names that scripts register the configurations of files under, *subjects* those that build
    files register schemas under, by path; *pattern* is that of the files, which may have the subject. *levels* are
    compatibility levels by subject, of all others under the empty name. *schema_files* are the subjects of each schema
    file, by path. *unread* are reasons by path and kind.
    *sources* are what earlier readings know of source files (None: nothing), *texts* the texts of those, by identity.
    *beside* are the directories of other repositories, whose libraries its programs may use.
    *aggregates* are the types of events in the outbox of a database, by its name, *stated* the paths of files that
    Terraform has as statements. *field_uses* reads the fields that programs use, *changed_fields* those of the
    programs that files may be part of, with the classes of their messages; *declared_uses* are fields that files
    declare. *embedded* are the schemas in source code, *inline* those in documents, and *named_texts* texts by the name
    that other documents have for them. *rights* are rules of access that files declare, *migrations* the
    statements of migrations that are not SQL, by path. *chart_names* are the namespaces and names of charts
    so far, each with the last number of charts of that name, *chart_files* their files. *program_settings* are the
    files of settings of the programs that have flows, each with the topics of its program. *programs* returns what
    evaluates programs; None before source code is read.
    """

    source: SourceId
    variables: Variables
    collector: Collector
    entries: Mapping[str, Entry]
    engine: str = ""
    pattern: str = ""
    sources: KnownFiles | None = None
    texts: Texts = field(default_factory=Texts)
    beside: tuple[Path, ...] = ()
    versions: list[SchemaVersion] = field(default_factory=list)
    tables: list[CatalogTable] = field(default_factory=list)
    links: list[CatalogLink] = field(default_factory=list)
    table_files: dict[str, None] = field(default_factory=dict)
    flows: list[DeclaredFlow] = field(default_factory=list)
    aggregates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    schemas: list[ManualSchema] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    stated: set[str] = field(default_factory=set)
    embedded: list[EmbeddedSchema] = field(default_factory=list)
    inline: list[InlineSchema] = field(default_factory=list)
    named_texts: dict[str, tuple[RepositoryFile, str, str]] = field(default_factory=dict)
    rights: dict[AclRule, str] = field(default_factory=dict)
    migrations: list[tuple[str, list[SqlStatement]]] = field(default_factory=list)
    connector_names: dict[str, str] = field(default_factory=dict)
    subjects: dict[str, tuple[str, ...]] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    schema_files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unread: dict[tuple[str, str], str] = field(default_factory=dict)
    field_uses: Callable[[], tuple[FieldUse, ...]] = tuple
    changed_fields: Callable[[frozenset[str]], tuple[tuple[FieldUse, ...], tuple[MessageClass, ...]]] = lambda _: (
        (),
        (),
    )
    programs: Callable[[], ProgramEndpoints] | None = None
    declared_uses: list[FieldUse] = field(default_factory=list)
    program_settings: dict[str, frozenset[str]] = field(default_factory=dict)
    chart_names: dict[tuple[str, str], int] = field(default_factory=dict)
    chart_files: dict[str, None] = field(default_factory=dict)

    def find_file(self, directory: str) -> Callable[[str], str | None]:
        """Return a function from a name in a file of *directory* to the text of the file that it names, or None."""

        def find(name: str) -> str | None:
            path = self.path_of(name, directory)
            return self.text(path) if path else None

        return find

    def files_like(self, directory: str) -> Callable[[str], Sequence[str]]:
        """Return a function from a pattern in a file of *directory* to the paths of the files that fit it."""

        def listed(pattern: str) -> Sequence[str]:
            plain = _LEADING.sub("", pattern.strip())
            compiled = glob_pattern(plain) if "$" not in plain and len(plain) <= _LONGEST_PATTERN else None
            below = [(path, path.removeprefix(f"{directory}/") if directory else path) for path in self.entries]
            fitting = (path for path, name in below if compiled and (compiled.fits(name) or compiled.fits(path)))
            return sorted(fitting)[:_MOST_LISTED]

        return listed

    def path_of(self, name: str, directory: str) -> str:
        """Return the path of the file that is named *name* in *directory*; empty where there is none, or several."""
        plain = _LEADING.sub("", name.strip())
        if not plain or "$" in plain or len(plain) > 500:
            return ""
        place = directory
        while True:
            path = f"{place}/{plain}" if place else plain
            if path in self.entries:
                return path
            if not place:
                break
            place = place.rpartition("/")[0]
        if "/" in plain and "/" not in (inside := plain.partition("/")[2]) and inside in self.entries:
            return inside
        base = plain.rpartition("/")[2]
        alike = [path for path in self.by_name.get(base, ()) if path == plain or path.endswith("/" + plain)]
        alike = alike or list(self.by_name.get(base, ()))
        return alike[0] if len(alike) == 1 else ""

    @property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """Return the paths of files by their names without directories."""
        if not self._by_name:
            for path in self.entries:
                name = path.rpartition("/")[2]
                self._by_name[name] = (*self._by_name.get(name, ()), path)
        return self._by_name

    _by_name: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def text(self, path: str) -> str | None:
        """Return the text of a file; None where it has none."""
        entry = self.entries[path]
        if (known := self.texts.of(entry)) is not None:
            return known
        try:
            return self.texts.keep(entry, text_of(entry).text)
        except UnreadText:
            return None

    def add_subjects(self, pairs: Iterable[tuple[str, str]], directory: str) -> None:
        """Keep subjects by the paths of their schema files, each as a file of *directory* names it."""
        for subject, name in pairs:
            if path := self.path_of(name, directory):
                self.subjects[path] = tuple(dict.fromkeys((*self.subjects.get(path, ()), subject)))

    def subject_in(self, path: str) -> str:
        """Return the subject that the pattern of the files has in a path; empty where it has none."""
        before, mark, behind = self.pattern.partition(SUBJECT)
        expression = f"{glob_expression(before)}(?P<subject>[^/]+){glob_expression(behind)}"
        return LinearPattern(expression).group(path, "subject") if mark else ""

    def topic_names(self) -> set[str]:
        """Return the topics that any file names so far: declared, an end of a flow, or in a connector's settings."""
        declared = self.collector.declarations.values()
        ends = (end.name for flow in self.flows for end in (flow.origin, flow.target) if not end.namespace)
        listed = (
            name.strip()
            for entry in declared
            if entry.kind is DeclaredKind.CONNECTOR
            for key, value in entry.config
            if key in _TOPIC_SETTINGS
            for name in value.split(",")
        )
        topics = (entry.name for entry in declared if entry.kind is DeclaredKind.TOPIC)
        return {name for name in (*topics, *ends, *listed) if is_topic_name(name)}

    def connector(self, name: str, config: Mapping[str, Any], place: str) -> None:
        """Add a connector as its configuration declares it."""
        if _ARGUMENT.search(name):
            what = f"the name of the connector depends on an argument of the script: {name!r}"
            return self.collector.problem(place, what, "it is read where another script calls this one")
        directory = place.rpartition(":")[0].rpartition("/")[0]
        settings = {
            key: self.variables.resolved(value, directory) if isinstance(value, str) else value
            for key, value in config.items()
        }
        name = self._own_name(self.variables.resolved(name, directory), directory, settings)
        declaration = Declaration(
            source=self.source,
            kind=DeclaredKind.CONNECTOR,
            name=name,
            tool=CONNECT,
            place=place,
        )
        return self.collector.declare(declaration, settings)

    def _own_name(self, name: str, directory: str, settings: Mapping[str, Any]) -> str:
        """Return the name of a connector: with its directory where a file of another one declares a namesake.

        Two directories are two projects, each with a Connect cluster of its own, unless both have the same settings.
        """
        known = self.collector.declarations.get((DeclaredKind.CONNECTOR, name))
        if known is None or known.place.rpartition(":")[0].rpartition("/")[0] == directory:
            return name
        plain = {key: text for key, value in settings.items() if (text := plain_text(value)) is not None}
        if dict(known.config) == masked_settings(plain, self.collector.secret_names):
            return name
        return f"{name} ({directory or '.'})"

    def topic(
        self,
        name: str,
        place: str,
        partitions: int | None = None,
        *,
        tool: str = SHELL,
        replication: int | None = None,
        config: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Add a topic that a file declares, creates, or names; anything but a name is left out."""
        if is_topic_name(name):
            declaration = Declaration(
                source=self.source,
                kind=DeclaredKind.TOPIC,
                name=name,
                tool=tool,
                place=place,
                partitions=partitions,
                replication=replication,
                whole=False,
            )
            self.collector.declare(declaration, config)

    def level(self, subject: str) -> str:
        """Return the compatibility level of a subject, or of the whole registry; empty where no file has one."""
        return self.levels.get(subject) or self.levels.get("", "")

    def use(self, job: str, topic: str, *, writes: bool, description: str, place: str, separate: bool = False) -> None:
        """Add a program that reads or writes a topic; anything but the name of one is left out.

        *separate*: see `DeclaredUse`.
        """
        if is_topic_name(topic) and job and not has_placeholder(job):
            use = DeclaredUse(
                job=job, topic=topic, writes=writes, description=description, place=place, separate=separate
            )
            self.collector.add_use(use)

    def fields(self, program: str, topic: str, names: Iterable[str], place: str, *, writes: bool = False) -> None:
        """Add the fields of a topic's messages that a program uses, as a file declares; a name is a path: `a.b`."""
        for name in names if is_topic_name(topic) and program else ():
            try:
                path = parse_path(name)
            except InputInvalid as error:
                self.leave(place.rpartition(":")[0] or place, "field", f"{name!r}: {error.what}")
                continue
            use = FieldUse(
                source=self.source,
                program=program,
                topic=TopicName(topic),
                direction=Direction.WRITES if writes else Direction.READS,
                extent=FieldExtent.FIELD,
                path=path,
                places=(place,),
            )
            self.declared_uses.append(use)

    def connectors_in(self, text: str, path: str) -> Iterator[FoundConnector]:
        """Yield the connectors in a text of the file at *path*; of one that cannot be read that is said."""
        try:
            yield from connectors_in(text)
        except UnreadText as error:
            self.leave(path, "connector", str(error))

    def leave(self, file: RepositoryFile | str, kind: str, reason: str) -> None:
        """Add a file that may declare flows and is not read."""
        self.unread.setdefault((file if isinstance(file, str) else file.path, kind), reason)
