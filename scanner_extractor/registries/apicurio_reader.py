"""From the JSON of Apicurio's core API (v3, v2, and the entities of an export) to what it tells of versions."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.exchange import Json
from scanner_extractor.naming.subjects import artifact_place
from scanner_extractor.registries.rows import BadRow, RowError, bad_row, items, member, needed_number, needed_text, text
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import qualified_subject

Place = tuple[str, SubjectName]
Labels = tuple[tuple[str, str | None], ...]

DRAFT = "DRAFT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What people wrote beside an artifact or a version; empty where they did not."""

    name: str = ""
    description: str = ""
    owner: str = ""
    labels: Labels = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """An artifact as it is listed; *group* as the server writes it, empty for the default one."""

    group: str
    name: str
    format: str
    described: Described

    @property
    def place(self) -> Place:
        """Give where its versions stand: context and subject."""
        context, subject = artifact_place(self.group, self.name)
        return context, SubjectName(subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A version as it is listed, without its text; *label* is the text that Apicurio takes for a version."""

    artifact: Artifact
    label: str
    global_id: int
    content_id: int
    state: str
    described: Described


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A reference as Apicurio writes it; an empty *label* means the newest version."""

    name: str
    group: str
    artifact: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A text and what it refers to; versions that share it share its id."""

    text: str
    pointers: tuple[Pointer, ...] = ()


def read_artifact(payload: Json) -> Artifact:
    """Read one entry of `/search/artifacts`; raises RowError."""
    name = text(payload, "artifactId") or needed_text(payload, "id", "artifact id")
    kind = (text(payload, "artifactType") or text(payload, "type")).upper()
    return Artifact(group=text(payload, "groupId"), name=name, format=kind, described=_described(payload))


def read_found(payload: Json, source: SourceId, artifact: Artifact | None = None) -> Found | BadRow:
    """Read one version; *artifact* stands in for what a list of one artifact's versions does not say."""
    try:
        own = artifact or read_artifact(payload)
        if not own.format:
            raise RowError("it has no artifact type")
        return Found(
            artifact=own,
            label=needed_text(payload, "version", "version"),
            global_id=needed_number(payload, "globalId", "globalId"),
            content_id=needed_number(payload, "contentId", "contentId"),
            state=text(payload, "state").upper(),
            described=_described(payload),
        )
    except RowError as wrong:
        known = qualified_subject(*artifact.place) if artifact else ""
        name = known or text(payload, "artifactId") or text(payload, "id")
        return bad_row(source, name, wrong, payload)


def read_content(body: bytes, references: Json) -> Content:
    """Read a text and its references; raises PayloadUnexpected for a text that is not UTF-8, or other references."""
    try:
        return Content(text=body.decode("utf-8"), pointers=tuple(map(_pointer, references or [])))
    except UnicodeDecodeError as error:
        raise PayloadUnexpected("its text is not UTF-8") from error
    except (RowError, TypeError) as error:
        raise PayloadUnexpected(f"its references cannot be read: {error}") from error


def page(payload: Json, name: str) -> tuple[list[Json], int]:
    """Read a page's entries and how many there are in all; raises PayloadUnexpected."""
    count = member(payload, "count")
    if not isinstance(count, int) or not isinstance(member(payload, name), list):
        hint = "is this Apicurio's API? check `url` and `type`"
        raise PayloadUnexpected(f"the answer is not a page of {name}", hint=hint)
    return items(payload, name), count


def _described(payload: Json) -> Described:
    return Described(
        name=text(payload, "name"),
        description=text(payload, "description"),
        owner=text(payload, "owner") or text(payload, "createdBy"),
        labels=_labels(payload),
    )


def _labels(payload: Json) -> Labels:
    """Read labels; in v2 they were `properties`, and `labels` a list of words, which became labels without a value."""
    told: dict[str, str | None] = {word: None for word in items(payload, "labels") if isinstance(word, str)}
    for name in ("labels", "properties"):
        pairs = member(payload, name)
        for key, value in pairs.items() if isinstance(pairs, dict) else ():
            told[key] = value if isinstance(value, str) else None
    return tuple(sorted(told.items()))


def _pointer(payload: Json) -> Pointer:
    return Pointer(
        name=needed_text(payload, "name", "name"),
        group=text(payload, "groupId"),
        artifact=needed_text(payload, "artifactId", "artifact id"),
        label=text(payload, "version"),
    )
