"""From Apicurio's versions and texts to schema versions: numbers for its labels, groups as contexts, states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scanner_extractor.exchange import Json
from scanner_extractor.naming.subjects import artifact_place, artifact_reference
from scanner_extractor.references import LATEST
from scanner_extractor.registries.apicurio_reader import Artifact, Content, Described, Found, Place, Pointer
from scanner_extractor.registries.gathered import Gathered, key_of, lost
from scanner_extractor.registries.rows import Row, details
from scanner_model.errors import NotFound, ScannerError
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import Reference, SchemaVersion, qualified_subject

Numbers = Mapping[tuple[str, SubjectName, str], int]
"""The number of each version, by context, subject and label."""

UNKNOWN = 0
"""The number in a reference to a version that is not there; no version has it."""

_ORDINARY = "ENABLED"
_DISABLED = "DISABLED"
_NO_TEXT = NotFound("the registry gives no text for it", status=404)


def assemble(
    source: SourceId,
    founds: Sequence[Found],
    contents: Mapping[int, Content | ScannerError],
    artifacts: Mapping[Place, Described],
) -> Gathered:
    """Put versions and texts together; a version whose text could not be read is reported."""
    numbers = numbered(founds)
    rows: list[Row] = []
    errors: list[tuple[str, ScannerError]] = []
    for found in founds:
        content = contents.get(found.content_id, _NO_TEXT)
        if isinstance(content, ScannerError):
            errors.append((qualified_subject(*found.artifact.place), content))
        else:
            rows.append(Row(version=_version(source, found, content, numbers, artifacts)))
    return Gathered(rows={key_of(row.version): row for row in rows}) + lost(source, errors)


def numbered(founds: Iterable[Found]) -> Numbers:
    """Number the versions of each artifact.

    A label is any text. One that is a number, greater than those before it, is that number, as Apicurio labels
    versions itself; any other is the number after the one before it, in the order of registration.
    """
    numbers: dict[tuple[str, SubjectName, str], int] = {}
    last: dict[Place, int] = {}
    for found in sorted(founds, key=lambda found: found.global_id):
        place = found.artifact.place
        before = last.get(place, 0)
        own = _number(found.label)
        last[place] = own if own > before else before + 1
        numbers[*place, found.label] = last[place]
    return numbers


def _version(
    source: SourceId, found: Found, content: Content, numbers: Numbers, artifacts: Mapping[Place, Described]
) -> SchemaVersion:
    context, subject = found.artifact.place
    number = numbers[context, subject, found.label]
    return SchemaVersion(
        source=source,
        context=context,
        subject=subject,
        version=number,
        schema_id=str(found.content_id),
        format=found.artifact.format,
        text=content.text,
        references=tuple(_references(content.pointers, context, numbers)),
        metadata=details(
            globalId=found.global_id,
            version="" if found.label == str(number) else found.label,
            artifact=_told(artifacts.get((context, subject), Described())),
            **_told(found.described),
        ),
        # Apicurio's compatible API deletes a version softly by disabling it.
        deleted=found.state == _DISABLED,
        state="" if found.state == _ORDINARY else found.state,
    )


def _references(pointers: Iterable[Pointer], context: str, numbers: Numbers) -> Iterator[Reference]:
    for pointer in pointers:
        own, artifact = artifact_place(pointer.group, pointer.artifact)
        number = numbers.get((own, SubjectName(artifact), pointer.label), _number(pointer.label) or UNKNOWN)
        yield Reference(
            name=pointer.name,
            subject=SubjectName(artifact_reference(pointer.group, pointer.artifact, context)),
            version=number if pointer.label else LATEST,
        )


def _told(described: Described) -> dict[str, Json]:
    told = {
        "name": described.name,
        "description": described.description,
        "owner": described.owner,
        "labels": dict(described.labels),
    }
    return {name: value for name, value in told.items() if value}


def _number(label: str) -> int:
    """Give the number that a label is written as; 0 where it is none, or larger than a dictionary holds."""
    return int(label) if label.isascii() and label.isdecimal() and len(label) < 10 and label[0] != "0" else 0


def described(artifacts: Iterable[Artifact]) -> Mapping[Place, Described]:
    """Give what is written beside each artifact."""
    return {artifact.place: artifact.described for artifact in artifacts}
