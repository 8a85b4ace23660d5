"""What deployment files declare, collected document by document: names checked, secrets masked, placeholders kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from scanner_extractor.job_files import statement_problems
from scanner_model.clients import AclRule
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.errors import Problem
from scanner_model.names import SourceId
from scanner_model.payload import Json
from scanner_model.redaction import NO_EXTRA, ExtraNames, mask_config, mask_statement
from scanner_model.text import has_placeholder

CLASS, TASKS = "connector.class", "tasks.max"

_PLAIN_PLACEHOLDERS = re.compile(r"(?:\$\{[\w./-]+\}|\$\([\w.-]+\)|\{\{[^{}\"']*\}\})+")
_DEFAULT = re.compile(r"(?P<start>\$\{\w+:?[-=])(?P<default>[^{}]*)(?P<end>\})")
_COUNT = re.compile(r"\d{1,9}")
_RENDER = "render the files first: helm template, kubectl kustomize, jikkou prepare"


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a deployment file: *file* as it is named from cluster.json, the *line* it begins on."""

    file: str
    line: int
    value: Json

    def place(self, key: str = "", inside: Json = None) -> str:
        """Return file and line of the document, or of *key* of a mapping *inside* it where its lines are known."""
        lines = getattr(self.value if inside is None else inside, "lines", {})
        first = getattr(self.value, "line", self.line)
        return f"{self.file}:{lines.get(key, first)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredSql:
    """A job whose SQL is in a deployment file; *engine* is whose SQL it is, empty for Flink's."""

    name: str
    statement: str
    place: str
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredUse:
    """A program that a file names as reader or writer (*writes*) of a topic.

    *separate*: the file declares access only, so what the program reads does not reach what it writes.
    """

    job: str
    topic: str
    writes: bool
    description: str
    place: str
    separate: bool = False


@dataclass(slots=True, kw_only=True)
class Collector:
    """Collects what the documents of one source declare; of two objects with one name the first is kept.

    *internal* are topics that a Connect cluster creates for itself, with the place that names each. *config_maps* are
    the shared settings of the file that is read. *schema_files* are subjects, each with the file of its schema as it is
    named there. *rights* are what tools allow, each with its place. *files* are the paths of all that is declared, also
    where another file declares it, too. *others* counts the skipped documents, by reason, *totals* the `files`, the
    `documents` that were parsed, and those of both that `failed`.
    """

    source: SourceId
    secret_names: ExtraNames = NO_EXTRA
    declarations: dict[tuple[DeclaredKind, str], Declaration] = field(default_factory=dict)
    statements: dict[str, DeclaredSql] = field(default_factory=dict)
    uses: dict[tuple[str, str, bool], DeclaredUse] = field(default_factory=dict)
    internal: dict[str, str] = field(default_factory=dict)
    config_maps: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    schema_files: list[tuple[str, str]] = field(default_factory=list)
    rights: dict[AclRule, str] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    others: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)

    def declare(self, declaration: Declaration, settings: Mapping[str, Json]) -> None:
        """Add a topic or connector with its *settings*, as the file has them."""
        self.files.add(path_of(declaration.place))
        if not self._is_name(declaration.name, declaration.kind, declaration.place):
            return
        plain = self._plain_settings(settings, declaration)
        if declaration.kind is DeclaredKind.CONNECTOR and not plain.get(CLASS):
            self.problem(declaration.place, f"the connector {declaration.name!r} has no class", "its flows are unknown")
        config = tuple(sorted(masked_settings(plain, self.secret_names).items()))
        declaration = replace(declaration, config=config)
        known = self.declarations.setdefault((declaration.kind, declaration.name), declaration)
        if known is not declaration and known != replace(declaration, place=known.place):
            what = f"the {declaration.kind} {declaration.name!r} is declared otherwise than at {known.place}"
            hint = "the first is read; name the files of one environment only, and render overlays"
            self.problem(declaration.place, what, hint)

    def add_statement(self, name: str, sql: str, place: str, engine: str = "") -> None:
        """Add the SQL of a job; *engine* is whose SQL it is, empty for Flink's."""
        self.files.add(path_of(place))
        masked = mask_statement(sql, self.secret_names)
        statement = DeclaredSql(name=name, statement=masked, place=place, engine=engine)
        self.problems += statement_problems(f"{self.source} {place}, line ", statement.statement)
        if self._is_name(name, "job", place) and self.statements.setdefault(name, statement) is not statement:
            self.problem(place, f"the job {name!r} is declared at {self.statements[name].place} too", "it is not read")

    def add_use(self, use: DeclaredUse) -> None:
        """Add a reader or writer of a topic."""
        self.files.add(path_of(use.place))
        if use.topic != "*" and self._is_name(use.topic, "topic", use.place) and use.job:
            self.uses.setdefault((use.job, use.topic, use.writes), use)

    def add_internal(self, topic: Json, place: str) -> None:
        """Add a topic of a Connect cluster's own; anything but a name is left out."""
        self.files.add(path_of(place))
        if isinstance(topic, str) and topic and not has_placeholder(topic):
            self.internal.setdefault(topic, place)

    def problem(self, place: str, what: str, hint: str = "") -> None:
        """Add a problem at a place in a file."""
        self.problems.append(Problem(f"{self.source} {place}", what, hint))

    def other(self, reason: str) -> None:
        """Count a skipped document."""
        self.others[reason] += 1

    def _is_name(self, name: str, what: str, place: str) -> bool:
        if not name:
            self.problem(place, f"a {what} has no name", "it is not read")
        elif has_placeholder(name):
            self.problem(place, f"the name of the {what} is a placeholder: {name!r}", _RENDER)
            return False
        return bool(name)

    def _plain_settings(self, settings: Mapping[str, Json], declaration: Declaration) -> dict[str, str]:
        plain = {}
        for key, value in settings.items():
            text = plain_text(value)
            if text is not None:
                plain[key] = text
            elif value is not None:
                what = f"the setting {key!r} of the {declaration.kind} {declaration.name!r} is neither text nor number"
                self.problem(declaration.place, what, "the setting is not read")
        return plain


def path_of(place: str) -> str:
    """Return the path of a place, which may have a line."""
    return place.rpartition(":")[0] if place[-1:].isdigit() and ":" in place else place


def plain_text(value: Json) -> str | None:
    """Return a setting as a worker or broker has it; None where it has no value, or one of another form."""
    match value:
        case str():
            return value
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case list() if value and all(isinstance(item, str | int | float) for item in value):
            return ",".join(filter(None, map(plain_text, value)))
        case _:
            return None


def masked_settings(settings: Mapping[str, str], extra: ExtraNames = NO_EXTRA) -> dict[str, str]:
    """Return *settings* with secrets masked; a placeholder stays, but not the default that it has for a secret."""
    masked = mask_config(settings, extra=extra)
    for key, value in settings.items():
        if _PLAIN_PLACEHOLDERS.fullmatch(value):
            masked[key] = value
        elif _DEFAULT.search(value):
            masked[key] = _DEFAULT.sub(partial(_without_secret, key, extra), value)
    return {key: str(value) for key, value in masked.items()}


def _without_secret(key: str, extra: ExtraNames, match: re.Match[str]) -> str:
    default = mask_config({key: match["default"]}, extra=extra)[key]
    return f"{match['start']}{default}{match['end']}"


def member(value: Json, *path: str) -> Json:
    """Return a member of nested mappings; None if absent."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def mapping(value: Json, *path: str) -> Mapping[str, Json]:
    """Return a member that is a mapping; empty if absent."""
    inside = member(value, *path)
    return inside if isinstance(inside, dict) else {}


def mappings(value: Json, *path: str) -> Iterator[Mapping[str, Json]]:
    """Yield the mappings of a member that is a list."""
    inside = member(value, *path)
    return (item for item in (inside if isinstance(inside, list) else ()) if isinstance(item, dict))


def texts(value: Json, *path: str) -> tuple[str, ...]:
    """Return the texts of a member that is a list."""
    inside = member(value, *path)
    return tuple(text for item in (inside if isinstance(inside, list) else ()) if (text := plain_text(item)))


def text(value: Json, *path: str) -> str:
    """Return a member as a text, numbers too; empty if absent."""
    return plain_text(member(value, *path)) or ""


def count(value: Json) -> int | None:
    """Return a number above zero; None for anything else, such as -1, which leaves it to the cluster."""
    written = plain_text(value) or ""
    return int(written) or None if _COUNT.fullmatch(written) else None
