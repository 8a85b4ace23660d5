"""Terraform configurations and applications of a repository: their readers, and where what they find is put."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from scanner_extractor.repository.applications.field_uses import FoundField
from scanner_extractor.repository.applications.modules import is_build_file
from scanner_extractor.repository.applications.reader import (
    ApplicationsReading,
    is_application_file,
    read_applications,
)
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.files import Entry, RepositoryFile, UnreadText, text_of
from scanner_extractor.repository.libraries import library_files
from scanner_extractor.repository.sql_files import add_sql
from scanner_extractor.repository.statements import DATABASE, engine_of, moves_data, statements_of
from scanner_extractor.systems.terraform.reader import is_terraform_file, read_terraform
from scanner_model.clients import Direction
from scanner_model.declarations import UNRESOLVED_USE
from scanner_model.field_uses import FieldExtent, FieldUse, MessageClass
from scanner_model.names import SourceId, TopicName

TERRAFORM, APPLICATION = "Terraform", "application"


def is_terraform(file: RepositoryFile) -> bool:
    """Check whether a file is part of a Terraform configuration."""
    return is_terraform_file(file.path)


def is_application(file: RepositoryFile) -> bool:
    """Check whether a file is, or configures, a program that uses Kafka."""
    return is_application_file(file.path, file.text)


def read_terraform_files(files: Sequence[RepositoryFile], context: Context) -> None:
    """Read what Terraform declares; a schema in a file is read with the other schema files, as of its subject."""
    if not files:
        return
    reading = read_terraform(_Texts(files, context), context.source, context.variables.given)
    for declaration, settings in reading.declarations:
        context.collector.declare(declaration, settings)
    for statement in reading.statements:
        context.collector.add_statement(statement.name, statement.statement, statement.place, statement.engine)
    context.stated |= reading.statement_files
    context.add_subjects(reading.schema_files, "")
    context.versions += reading.schemas
    context.levels |= reading.levels
    context.flows += reading.flows
    context.collector.problems += reading.problems
    for path, reason in reading.unread:
        context.leave(path, TERRAFORM, reason)


def read_application_files(files: Sequence[RepositoryFile], context: Context) -> None:
    """Read what applications read, write and create."""
    texts = _Texts(files, context)
    texts.add(_libraries(texts, context))
    fitting = [file.path for file in files]
    fitting += [path for path in texts.libraries if is_application_file(path, texts[path])]
    reading = read_applications(texts, context.source, context.variables.of, fitting, context.sources)
    context.programs = reading.programs
    if not fitting:
        return
    for topic, place in reading.created:
        context.topic(topic, place, tool=APPLICATION)
    context.flows += reading.flows
    context.program_settings.update(reading.settings)
    context.field_uses = lambda: tuple(_field_use(found, context.source) for found in reading.fields)
    context.changed_fields = lambda paths: _changed_fields(reading, paths, context.source)
    context.aggregates |= reading.aggregates
    for path, line, text in reading.statements:
        statements = statements_of(text)
        if moves_data(statements) and engine_of(statements) != DATABASE:
            add_sql(statements, f"{path}:{line}", context)
    context.collector.problems += reading.problems
    for path, reason in reading.unread:
        context.leave(path, APPLICATION, reason)
    for path, reason in reading.unresolved:
        context.leave(path, UNRESOLVED_USE, reason)


def _libraries(texts: Mapping[str, str], context: Context) -> Iterable[Entry]:
    """Return the files of libraries in other repositories that the build files of this one name."""
    builds = "\n".join(texts[path] for path in texts if is_build_file(path)) if context.beside else ""
    try:
        return tuple(library_files(context.beside, builds))
    except OSError as error:
        context.leave(str(error.filename), "directory", error.strerror or str(error))
        return ()


def _changed_fields(
    reading: ApplicationsReading, paths: frozenset[str], source: SourceId
) -> tuple[tuple[FieldUse, ...], tuple[MessageClass, ...]]:
    found, classes = reading.read_fields(paths)
    return tuple(_field_use(each, source) for each in found), classes


def _field_use(found: FoundField, source: SourceId) -> FieldUse:
    extent = FieldExtent.FIELD if found.path else FieldExtent.ALL if found.whole else FieldExtent.UNRESOLVED
    return FieldUse(
        source=source,
        program=found.job,
        topic=TopicName(found.topic),
        direction=Direction.WRITES if found.writes else Direction.READS,
        extent=extent,
        path=found.path,
        places=found.places,
    )


class _Texts(Mapping[str, str]):
    """The texts of a repository by path: those of *files* are known, others are read when they are looked up.

    One without a text is empty.
    """

    def __init__(self, files: Sequence[RepositoryFile], context: Context) -> None:
        self._known = {file.path: file.text for file in files}
        self._context = context
        self._libraries: dict[str, Entry] = {}

    @property
    def libraries(self) -> Iterable[str]:
        """Return the paths of the files of other repositories."""
        return self._libraries

    def add(self, libraries: Iterable[Entry]) -> None:
        """Add files of other repositories; each is read once."""
        self._libraries = {entry.path: entry for entry in libraries}

    def __getitem__(self, path: str) -> str:
        if path in self._known:
            return self._known[path]
        if path in self._libraries:
            return self._known.setdefault(path, _text(self._libraries[path]))
        if path not in self._context.entries:
            raise KeyError(path)
        return self._context.text(path) or ""

    def __iter__(self) -> Iterator[str]:
        return chain(self._context.entries, self._libraries)

    def __len__(self) -> int:
        return len(self._context.entries) + len(self._libraries)


def _text(entry: Entry) -> str:
    try:
        return text_of(entry).text
    except UnreadText:
        return ""
