"""What the registry answers for a proposed schema, at the level and by the rules of its subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scanner_check.model import ChangeFinding, Message, Verdict, literal
from scanner_check.rows.schemas import (
    INCOMPATIBLE,
    LEVEL_UNKNOWN,
    NEW_DATA_REJECTED,
    NOT_COMPARED,
    OLD_DATA_REJECTED,
    OLDER_REGISTRY,
)
from scanner_check.rules.schemas.schema_sides import (
    DEFAULT_LEVEL,
    Current,
    ProposedSchema,
    SchemaContext,
    StoredSchema,
    stored_version,
)
from scanner_dictionary.queries.subjects import (
    SubjectKey,
    metadata_properties,
    subjects_named,
    versions_of,
)
from scanner_extractor.evolution import Difference, Level, Policy, Rules, differences, invalidities, is_judged
from scanner_extractor.evolution.configured import SubjectConfig, same_but_for_words
from scanner_model.columns import ColumnPath, path_name
from scanner_model.documents.json_input import load_text

Judged = Iterator[tuple[ChangeFinding, ColumnPath]]
"""Findings, each with the path of its column."""


def registry_findings(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, context: SchemaContext
) -> Judged:
    """Yield what the registry rejects, each with the path of the column; without a registry, what readers reject.

    A registry puts the subject of an alias in its place, and of a group compares versions of equal metadata only.
    """
    config = config_of(current.subject)
    if current.subject is not None and config.alias:
        yield from _behind_alias(current, current.subject, proposed, context)
        return
    if current.subject is not None and config.group:
        yield from _in_groups(current, olds, proposed, (context, config))
    else:
        yield from _answer(current, olds, proposed, context)
    reasons = (Message("more rules", ()),)
    for message in _unjudged(current, olds, proposed, context):
        start = proposed.positions.start
        yield NOT_COMPARED.unknown(start, current.shown, message=message, reasons=reasons), ()


def config_of(subject: SubjectKey | None) -> SubjectConfig:
    """Return the stored configuration of a subject; the ordinary one where none is stored."""
    return SubjectConfig.parse(subject.level if subject is not None else "")


def _behind_alias(current: Current, subject: SubjectKey, proposed: ProposedSchema, context: SchemaContext) -> Judged:
    """Judge by the subject that an alias names, as its registry does with every request for the alias."""
    name = config_of(subject).alias
    named = subjects_named(context.conn, name, subject.cluster)
    target = next((row for row in named if row.registry_id == subject.registry_id and not row.gone), None)
    if target is None:
        yield NOT_COMPARED.unknown(proposed.positions.start, current.shown, name, form="alias"), ()
        return
    versions = tuple(version for version in versions_of(context.conn, target) if version.live)
    olds = [stored_version(context.conn, target, version) for version in versions]
    meant = replace(current, subject=target._replace(level=_without_alias(target)), versions=versions)
    reason = Message("alias of", (subject.full_name, target.full_name))
    for finding, path in registry_findings(meant, olds, proposed, context):
        yield replace(finding, reasons=(*finding.reasons, reason)), path


def _without_alias(subject: SubjectKey) -> str:
    return str(replace(config_of(subject), alias=""))


def _in_groups(
    current: Current,
    olds: Sequence[StoredSchema],
    proposed: ProposedSchema,
    judging: tuple[SchemaContext, SubjectConfig],
) -> Judged:
    """Judge against the versions of each group; which group the proposal is of, its file does not tell."""
    context, config = judging
    properties = metadata_properties(context.conn, current.versions)
    groups: dict[str | None, list[StoredSchema]] = {}
    for old in olds:
        number = old.shown.removeprefix("version ")
        groups.setdefault(properties.get(int(number) if number.isdigit() else -1, {}).get(config.group), []).append(old)
    reported = set[tuple[str, str]]()
    for value, members in groups.items():
        for finding, path in _answer(current, members, proposed, context):
            if (finding.rule, finding.item) in reported:
                continue
            reported.add((finding.rule, finding.item))
            yield (_of_group(finding, config.group, value) if finding.verdict is Verdict.BREAKS else finding), path


def _of_group(finding: ChangeFinding, group: str, value: str | None) -> ChangeFinding:
    """Return a rejection that counts only if the proposal is registered with the group's metadata."""
    message = NOT_COMPARED.message(group, value, finding.message, form="group")
    reasons = (*finding.reasons, Message("metadata", (group,)))
    return replace(finding, rule=NOT_COMPARED.name, verdict=Verdict.UNKNOWN, message=message, reasons=reasons)


def unjudged_policy(subject: SubjectKey | None, format: str, override: Policy | None = None) -> str:
    """Return the rules of a subject's policy, or of *override*, that are not judged for *format*; empty if all are."""
    policy = str(override or config_of(subject).policy)
    if is_judged(policy, format):
        return ""
    rules = "those of Flink and Iceberg" if policy == Policy.LOGICAL else "rules of its own"
    return (
        f"the subject's policy is {policy}: the registry also applies {rules}, which are not judged here for {format}"
    )


def _unjudged(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, context: SchemaContext
) -> Iterator[Message]:
    """Yield further rules of the registry that are not judged; nothing if only documentation changes."""
    format = proposed.definition.format
    if _is_documentation(olds, proposed):
        return
    if policy := unjudged_policy(current.subject, format, context.policy):
        yield literal(policy)
    if config_of(current.subject).validate_fields:
        properties = metadata_properties(context.conn, current.versions[-1:])
        if reserved := next(iter(properties.values()), {}).get(_RESERVED, ""):
            yield NOT_COMPARED.message(reserved, form="reserved")


_RESERVED = "confluent:reserved"


def _is_documentation(olds: Sequence[StoredSchema], proposed: ProposedSchema) -> bool:
    return bool(olds) and same_but_for_words(proposed.definition.format, olds[-1].text.text, proposed.text.text)


def _answer(current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, context: SchemaContext) -> Judged:
    stored = level_of(current.subject)
    if context.level is None and stored is None and (current.subject is None or current.subject.kind == FILES):
        yield from _of_readers(current, olds[-1:], proposed, context)
        return
    level = context.level or stored or DEFAULT_LEVEL
    rules = context.rules(current.subject)
    why = Message("level", (current.name, str(level), str(rules.policy or "")))
    if context.level is None and stored is None:
        why = Message("level assumed", (current.name, str(DEFAULT_LEVEL)))
        yield from _beyond_default(current, olds, proposed, rules)
    documentation = rules.logical and _is_documentation(olds, proposed)
    for invalid in invalidities(proposed.definition.format, proposed.text, rules):
        if documentation and not invalid.certain:
            continue  # what was registered keeps its logical types, whatever they are
        yield _incompatible(current, proposed, invalid, (Message("at any level", ()), why)), invalid.path
    olds_by_difference: dict[tuple[str, Difference], list[StoredSchema]] = {}
    for old in olds if level.transitive else olds[-1:]:
        for direction, difference in _differences(old, proposed, rules):
            if documentation and not difference.certain and old is olds[-1]:
                continue
            if level.backward if direction == BACKWARD else level.forward:
                olds_by_difference.setdefault((direction, difference), []).append(old)
    yield from _of_older_registries(current, olds if level.transitive else olds[-1:], proposed, (level, rules))
    for (direction, difference), rejecting in olds_by_difference.items():
        whose = map(literal, whose_rules(current.subject, proposed.definition.format))
        reasons = (Message("direction", (direction, _shown(rejecting))), why, *whose)
        finding = _incompatible(current, proposed, difference, reasons)
        yield finding, difference.path


def level_of(subject: SubjectKey | None) -> Level | None:
    """Return the compatibility level that is stored of *subject*; None where none is, or one that is not known."""
    return None if subject is None else Level.parse(subject.level.partition(" ")[0])


def whose_rules(subject: SubjectKey | None, format: str) -> Iterator[str]:
    """Yield the registry whose rules apply, if it matters."""
    if subject is None:
        return
    if policy := unjudged_policy(subject, format):
        yield policy
    if subject.kind != "confluent":
        yield f"the rules are those of Confluent's registry, from which others ({subject.kind}) differ in details"
    elif format == "PROTOBUF":
        version = subject.registry_version
        yield f"the rules are those of Confluent's registry {version}" if version else _NEWEST_RULES


_NEWEST_RULES = (
    "the registry's version is not known: the rules are those of Confluent's registry 8.4 and later, which differ from "
    "earlier ones in oneofs"
)


def _of_older_registries(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, judged: tuple[Level, Rules]
) -> Iterator[tuple[ChangeFinding, ColumnPath]]:
    """Note what a registry before 8.4 or of another product rejects, where the version is not known."""
    yield from _of_unknown_product(current, olds, proposed)
    subject, (level, rules) = current.subject, judged
    if proposed.definition.format != "PROTOBUF" or subject is None or subject.kind != "confluent":
        return
    for old in olds if not subject.registry_version else ():
        taken = {(to, found.rule, found.path) for to, found in _differences(old, proposed, rules)}
        for direction, difference in _differences(old, proposed, replace(rules, before_8_4=True)):
            counts = level.backward if direction == BACKWARD else level.forward
            if counts and difference.certain and (direction, difference.rule, difference.path) not in taken:
                item, place = path_name(difference.path), proposed.positions.column(difference.path)
                message, reasons = OLDER_REGISTRY.message(difference.rule, item), (literal(_NEWEST_RULES),)
                found = OLDER_REGISTRY.found(
                    Verdict.FINE, place, current.shown, message=message, reasons=reasons, item=item
                )
                yield found, ()
                return


def _of_unknown_product(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema
) -> Iterator[tuple[ChangeFinding, ColumnPath]]:
    """Note a change that Confluent's registry accepts and Redpanda's, which has the same API, rejects."""
    subject = current.subject
    if subject is None or subject.kind != "confluent" or subject.registry_version or not olds:
        return
    texts = (olds[-1].text.text, proposed.text.text)
    if proposed.definition.format == "JSON" and len(set(map(_dialect, texts))) > 1:
        message, reasons = OLDER_REGISTRY.message(form="of a product"), (Message("rules of Confluent", ()),)
        place = proposed.positions.column(())
        yield OLDER_REGISTRY.found(Verdict.FINE, place, current.shown, message=message, reasons=reasons), ()


def _dialect(text: str) -> str:
    try:
        schema = load_text(text)
    except ValueError:
        return ""
    return str(schema.get("$schema", "")) if isinstance(schema, dict) else ""


def _of_readers(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, context: SchemaContext
) -> Iterator[tuple[ChangeFinding, ColumnPath]]:
    """Yield what readers reject where no registry is known: its rules would say more than is true of them."""
    rules = replace(context.rules(current.subject), lenient=True)
    for old in olds:
        for direction, difference in _differences(old, proposed, rules):
            if direction == FORWARD and difference.rule in _ADDITIONS:
                continue
            finding = _incompatible(current, proposed, difference, (literal(direction),))
            if difference.certain:
                rule = _OF_READERS[direction]
                item, place = path_name(difference.path), proposed.positions.column(difference.path)
                # What the new reader cannot read exists already; what the old one cannot read may be written.
                verdict = Verdict.BREAKS if direction == BACKWARD else Verdict.IMPACT
                message, reasons = rule.message(difference.why, item), (literal(difference.rule),)
                finding = rule.found(verdict, place, current.shown, message=message, reasons=reasons, item=item)
            yield finding, difference.path
        strict = differences(old.format, proposed.text, old.text, replace(rules, lenient=False))
        for difference in strict if old.format == proposed.definition.format else ():
            if difference.rule in _CLOSED:
                finding = _incompatible(current, proposed, replace(difference, certain=False), (literal(BACKWARD),))
                yield finding, difference.path


_CLOSED = frozenset({"ADDITIONAL_PROPERTIES_REMOVED", "UNEVALUATED_PROPERTIES_REMOVED"})
"""Differences of a closed content model: written data may have properties that no schema lists."""

_ADDITIONS = frozenset(("MESSAGE_REMOVED", "ONEOF_FIELD_REMOVED"))
"""What old readers of Protobuf lack because the new text adds it: they read no such message, and skip such a member."""

BACKWARD, FORWARD = "new readers of old data", "old readers of new data"


FILES = "files"
"""The kind of the registry that schema files make."""
_OF_READERS = {BACKWARD: OLD_DATA_REJECTED, FORWARD: NEW_DATA_REJECTED}


def _differences(old: StoredSchema, proposed: ProposedSchema, rules: Rules) -> Iterator[tuple[str, Difference]]:
    if old.format != proposed.definition.format:
        return  # another format is a finding of its own
    for direction, reader, writer in ((BACKWARD, proposed.text, old.text), (FORWARD, old.text, proposed.text)):
        for difference in differences(old.format, reader, writer, rules):
            yield direction, difference


def _beyond_default(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, rules: Rules
) -> Iterator[tuple[ChangeFinding, ColumnPath]]:
    """Report that the answer depends on the level, which is not stored: other levels reject what the default takes."""
    rejecting = [
        old
        for old in olds
        if any(direction == FORWARD or old is not olds[-1] for direction, _ in _differences(old, proposed, rules))
    ]
    if rejecting:
        start, reasons = proposed.positions.start, (Message("state the level", ()),)
        yield LEVEL_UNKNOWN.unknown(start, current.shown, str(DEFAULT_LEVEL), _shown(rejecting), reasons=reasons), ()


def _incompatible(
    current: Current, proposed: ProposedSchema, difference: Difference, reasons: tuple[Message, ...]
) -> ChangeFinding:
    place = proposed.positions.column(difference.path)
    item = path_name(difference.path)
    if not difference.certain:
        return NOT_COMPARED.unknown(place, current.shown, item, difference.why, reasons=reasons, item=item)
    message, item = INCOMPATIBLE.message(difference.rule, item, difference.why), f"{item} {difference.rule}".strip()
    return INCOMPATIBLE.found(Verdict.BREAKS, place, current.shown, message=message, reasons=reasons, item=item)


def _shown(olds: Sequence[StoredSchema]) -> str:
    if len(olds) == 1:
        return olds[0].shown
    return f"versions {', '.join(old.shown.removeprefix('version ') for old in olds)}"
