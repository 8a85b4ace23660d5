"""Where manual input meets the registries: it adds what is missing; of a contradiction the registry's side stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scanner_extractor.schemas.definitions import define_text, fingerprint
from scanner_model.catalogs import Annotation
from scanner_model.errors import Problem
from scanner_model.kafka import Topic
from scanner_model.manual import Assignment, ManualSchema
from scanner_model.names import Fingerprint, Role, TopicName
from scanner_model.owners import CODE_OWNED_SUBJECT, CODE_OWNED_TOPIC, OWNED_TOPIC, Owners
from scanner_model.schemas import Association, Confidence, Definition, TopicSchema, columns_text


@dataclass(slots=True)
class Merged:
    """What manual schemas add: definitions, links, and the contradictions found."""

    definitions: dict[Fingerprint, Definition] = field(default_factory=dict)
    topic_schemas: list[TopicSchema] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def owned_topics(owners: Iterable[Annotation], topics: Iterable[Topic]) -> Iterator[Annotation]:
    """Yield the owner of each of *topics*, by name, that one of the patterns of *owners* matches."""
    by_pattern = {annotation.name: annotation for annotation in owners}
    stated = Owners({pattern: annotation.owner for pattern, annotation in by_pattern.items()})
    for name in sorted({topic.name for topic in topics}) if by_pattern else ():
        if pattern := stated.pattern_of(name):
            yield replace(by_pattern[pattern], name=name, kind=OWNED_TOPIC, topic=name)


def owned_by_subject(annotations: Iterable[Annotation], links: Iterable[TopicSchema]) -> Iterator[Annotation]:
    """Yield the owner of each topic, by name, one of whose current subjects has an owner, unless the topic has one."""
    listed = [note for note in annotations if note.kind in (CODE_OWNED_SUBJECT, CODE_OWNED_TOPIC)]
    by_subject = {note.subject: note for note in listed if note.kind == CODE_OWNED_SUBJECT}
    known = {note.topic for note in listed if note.kind == CODE_OWNED_TOPIC}
    for link in sorted(links, key=lambda link: (link.topic, link.role != "value", link.subject)) if by_subject else ():
        if link.current and link.topic not in known and link.subject in by_subject:
            known.add(link.topic)
            yield replace(
                by_subject[link.subject], name=link.topic, kind=CODE_OWNED_TOPIC, topic=link.topic, subject=None
            )


def merge_schemas(
    schemas: Iterable[ManualSchema], bound: Iterable[TopicSchema], definitions: Mapping[Fingerprint, Definition]
) -> Merged:
    """Add each manual schema that no registry fact covers; a contradicting one is reported and left out.

    Covered: the registry has the same subject and version of the topic, or, where the file names no subject, a current
    schema of the same topic and role. The same columns are no contradiction. A subject's newest version is current.
    """
    merged = Merged()
    sides: dict[tuple[TopicName, Role], list[TopicSchema]] = {}
    for link in bound:
        sides.setdefault((link.topic, link.role), []).append(link)
    listed = tuple(schemas)
    newest: dict[tuple[TopicName, Role, str], int] = {}
    for schema in listed:
        side = schema.topic, schema.role, str(schema.subject)
        newest[side] = max(newest.get(side, 0), schema.version or 0)
    for schema in listed:
        is_newest = not schema.subject or (schema.version or 0) == newest[schema.topic, schema.role, schema.subject]
        _merge(schema, is_newest, sides.get((schema.topic, schema.role), []), definitions, merged)
    return merged


def agreeing(
    assignments: Iterable[Assignment], associations: Iterable[Association]
) -> tuple[tuple[Assignment, ...], tuple[Problem, ...]]:
    """Leave out assignments that contradict the registry's own associations of the subject, and report them."""
    topics: dict[str, set[TopicName]] = {}
    for association in associations:
        topics.setdefault(association.subject, set()).add(association.topic)
    agreed, problems = [], []
    for assignment in assignments:
        known = topics.get(assignment.subject)
        if known and assignment.topic not in known:
            what = f"the registry associates {assignment.subject!r} with {', '.join(sorted(known))}"
            what += f", not with {assignment.topic!r}"
            problems.append(Problem(assignment.location, what, "the registry's link stays"))
        else:
            agreed.append(assignment)
    return tuple(agreed), tuple(problems)


def _merge(
    schema: ManualSchema,
    is_newest: bool,
    side: Sequence[TopicSchema],
    definitions: Mapping[Fingerprint, Definition],
    merged: Merged,
) -> None:
    definition = _definition(schema)
    merged.problems += [Problem(f"{schema.location} {p.where}".rstrip(), p.what, p.hint) for p in definition.problems]
    covering = [link for link in side if _covers(link, schema)]
    if not covering:
        merged.definitions[definition.fingerprint] = definition
        is_current = is_newest and not any(link.subject == schema.subject != "" and link.current for link in side)
        merged.topic_schemas.append(_link(schema, definition, is_current))
    elif not any(_have_equal_columns(definition, definitions[link.fingerprint]) for link in covering):
        merged.problems.append(_contradiction(schema, covering[0]))


def _definition(schema: ManualSchema) -> Definition:
    if schema.text:
        return define_text(schema.format, schema.text, dict(schema.references), schema.record or None)
    text = columns_text(schema.columns)
    mark = fingerprint(schema.format, text, {}, (), None)
    return Definition(fingerprint=mark, format=schema.format, text=text, columns=schema.columns)


def _covers(link: TopicSchema, schema: ManualSchema) -> bool:
    if schema.subject:
        return link.subject == schema.subject and schema.version in (None, link.version)
    return link.current


def _have_equal_columns(definition: Definition, other: Definition) -> bool:
    # Types are each format's own words: a CSV list made by hand and an Avro schema can agree in paths only.
    typed = definition.format == other.format
    return _shape(definition, typed) == _shape(other, typed)


def _shape(definition: Definition, typed: bool) -> list[tuple[tuple[str, ...], str]]:
    return sorted((column.path, column.type if typed else "") for column in definition.columns)


def _link(schema: ManualSchema, definition: Definition, is_current: bool) -> TopicSchema:
    return TopicSchema(
        source=schema.source,
        topic=schema.topic,
        role=schema.role,
        fingerprint=definition.fingerprint,
        strategy="manual",
        evidence=schema.location,
        confidence=Confidence.DECLARED,
        subject=schema.subject,
        version=schema.version,
        schema_id=schema.schema_id,
        current=is_current,
    )


def _contradiction(schema: ManualSchema, link: TopicSchema) -> Problem:
    of = f"the {schema.role} of topic {schema.topic!r}"
    what = f"other columns for {of} than the registry's {link.subject or link.strategy!r}"
    return Problem(schema.location, what, "the registry's fact stays; remove the schema here or correct it")
