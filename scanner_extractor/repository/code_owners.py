"""The owners of files in a CODEOWNERS file, and of the programs, topics and schemas in these files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from scanner_extractor.repository.globs import owned_pattern
from scanner_model.catalogs import Annotation
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.facts import Facts
from scanner_model.linear_patterns import LinearPattern
from scanner_model.manual import DeclaredFlow, ManualSchema
from scanner_model.names import SourceId, TopicName
from scanner_model.owners import CODE_OWNED_PROGRAM, CODE_OWNED_SUBJECT, CODE_OWNED_TOPIC
from scanner_model.streaming_sql import StreamingStatement

CodeOwners = Callable[[str], tuple[str, ...]]
"""Returns the owners of a file by its path; empty if no pattern fits."""

OWNER_FILES = ("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where the file may be, the first that exists."""


_MOST_RULES = 5_000
"""Lines that are followed, the last ones of a file."""


def code_owners(text: str) -> CodeOwners:
    """Return a function from a path to its owners in the text of a CODEOWNERS file: the last pattern that fits."""
    rules: list[tuple[LinearPattern, tuple[str, ...]]] = []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if words and not words[0].startswith(("[", "^[")) and (pattern := owned_pattern(words[0])):
            rules.append((pattern, tuple(words[1:])))
    last_rules = rules[: -_MOST_RULES - 1 : -1]

    @cache
    def owners(path: str) -> tuple[str, ...]:
        return next((names for pattern, names in last_rules if pattern.fits(path)), ())

    return owners


def owned_in_files(
    source: SourceId, declared: Facts, subjects: Mapping[str, Iterable[str]], owners: CodeOwners
) -> Iterator[Annotation]:
    """Yield the owners of programs, connectors, statements and topics in files, and of subjects by their schema's file.

    *subjects* are those of each file. Of several places of one name the first with an owner counts.
    """
    places = [(CODE_OWNED_PROGRAM, flow.job, flow.evidence) for flow in declared.of(DeclaredFlow) if flow.job]
    kinds = {DeclaredKind.TOPIC: CODE_OWNED_TOPIC, DeclaredKind.CONNECTOR: CODE_OWNED_PROGRAM}
    places += [(kinds[each.kind], each.name, each.place) for each in declared.of(Declaration) if each.kind in kinds]
    places += [(CODE_OWNED_PROGRAM, each.name, each.detail) for each in declared.of(StreamingStatement)]
    places += [(CODE_OWNED_TOPIC, schema.topic, schema.location) for schema in declared.of(ManualSchema)]
    places += [(CODE_OWNED_SUBJECT, subject, file) for file, named in subjects.items() for subject in named]
    owned: dict[tuple[str, str], str] = {}
    for kind, name, place in places:
        if (kind, name) not in owned and (found := owners(_file_of(place))):
            owned[kind, name] = ", ".join(found)
    for (kind, name), owner in sorted(owned.items()):
        topic = TopicName(name) if kind == CODE_OWNED_TOPIC else None
        subject = name if kind == CODE_OWNED_SUBJECT else None
        yield Annotation(source=source, name=name, kind=kind, topic=topic, subject=subject, owner=owner)


def _file_of(place: str) -> str:
    """Return the path in *place*, without the line."""
    path, sign, number = place.rpartition(":")
    while sign and number.isdecimal():
        place = path
        path, sign, number = place.rpartition(":")
    return place
