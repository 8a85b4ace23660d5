"""What the registry answers for a proposed schema, at the level and by the rules of its subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scanner_api.change_check.model import Finding, Verdict
from scanner_api.change_check.schema_sides import (
    DEFAULT_LEVEL,
    Current,
    ProposedSchema,
    SchemaContext,
    StoredSchema,
    finding_of,
)
from scanner_dictionary.queries.subjects import (
    SubjectKey,
)
from scanner_extractor.evolution import Difference, Level, Rules, differences
from scanner_model.columns import ColumnPath, path_name


def registry_findings(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, context: SchemaContext
) -> Iterator[tuple[Finding, ColumnPath]]:
    """Yield what the registry rejects, each with the path of the column; without one, what readers reject."""
    stored = level_of(current.subject)
    if context.level is None and stored is None and (current.subject is None or current.subject.kind == FILES):
        yield from _of_readers(current, olds[-1:], proposed, context)
        return
    level = context.level or stored or DEFAULT_LEVEL
    rules = context.rules(current.subject)
    why = f"{current.name} is {level}{' LENIENT' if rules.lenient else ''}"
    if context.level is None and stored is None:
        why = f"the level of {current.name} is not stored: {DEFAULT_LEVEL} is assumed, a registry's default"
        yield from _beyond_default(current, olds, proposed, rules)
    olds_by_difference: dict[tuple[str, Difference], list[StoredSchema]] = {}
    for old in olds if level.transitive else olds[-1:]:
        for direction, difference in _differences(old, proposed, rules):
            if level.backward if direction == BACKWARD else level.forward:
                olds_by_difference.setdefault((direction, difference), []).append(old)
    yield from _of_older_registries(current, olds if level.transitive else olds[-1:], proposed, (level, rules))
    for (direction, difference), rejecting in olds_by_difference.items():
        reasons = (f"{direction}, {_shown(rejecting)}", why, *whose_rules(current.subject, proposed.definition.format))
        finding = _incompatible(current, proposed, difference, reasons)
        yield finding, difference.path


def level_of(subject: SubjectKey | None) -> Level | None:
    """Return the compatibility level that is stored of *subject*; None where none is, or one that is not known."""
    return None if subject is None else Level.parse(subject.level.partition(" ")[0])


def whose_rules(subject: SubjectKey | None, format: str) -> Iterator[str]:
    """Yield of which registry the rules are, where it matters."""
    if subject is None:
        return
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
) -> Iterator[tuple[Finding, ColumnPath]]:
    """Note what a registry before 8.4 rejects and later ones take, where the version is not known."""
    subject, (level, rules) = current.subject, judged
    if proposed.definition.format != "PROTOBUF" or subject is None or subject.kind != "confluent":
        return
    for old in olds if not subject.registry_version else ():
        taken = {(to, found.rule, found.path) for to, found in _differences(old, proposed, rules)}
        for direction, difference in _differences(old, proposed, replace(rules, before_8_4=True)):
            counts = level.backward if direction == BACKWARD else level.forward
            if counts and difference.certain and (direction, difference.rule, difference.path) not in taken:
                what = f"a registry before 8.4 rejects it: {difference.rule} at {path_name(difference.path)}"
                place = proposed.positions.column(difference.path)
                finding = finding_of("older-registry", Verdict.FINE, current, place, what, why=(_NEWEST_RULES,))
                yield replace(finding, item=path_name(difference.path)), ()
                return


def _of_readers(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, context: SchemaContext
) -> Iterator[tuple[Finding, ColumnPath]]:
    """Yield what readers reject where no registry is known: its rules would say more than is true of them."""
    rules = replace(context.rules(current.subject), lenient=True)
    for old in olds:
        for direction, difference in _differences(old, proposed, rules):
            finding = _incompatible(current, proposed, difference, (direction,))
            if difference.certain:
                rule, verb = _OF_READERS[direction]
                item, place = path_name(difference.path), proposed.positions.column(difference.path)
                what = f"{verb}: {difference.why}{f' ({item})' if item else ''}"
                finding = finding_of(rule, Verdict.IMPACT, current, place, what, why=(difference.rule,))
                finding = replace(finding, item=item)
            yield finding, difference.path


BACKWARD, FORWARD = "new readers of old data", "old readers of new data"


FILES = "files"
"""The kind of the registry that schema files make."""
_OF_READERS = {
    BACKWARD: ("old-data-rejected", "a reader with the new schema rejects data written with the old one"),
    FORWARD: ("new-data-rejected", "a reader with the old schema rejects data written with the new one"),
}
OF_READERS = frozenset(rule for rule, _ in _OF_READERS.values())
"""Rules of what readers reject, of which no registry is asked."""


def _differences(old: StoredSchema, proposed: ProposedSchema, rules: Rules) -> Iterator[tuple[str, Difference]]:
    if old.format != proposed.definition.format:
        return  # another format is a finding of its own
    for direction, reader, writer in ((BACKWARD, proposed.text, old.text), (FORWARD, old.text, proposed.text)):
        for difference in differences(old.format, reader, writer, rules):
            yield direction, difference


def _beyond_default(
    current: Current, olds: Sequence[StoredSchema], proposed: ProposedSchema, rules: Rules
) -> Iterator[tuple[Finding, ColumnPath]]:
    """Report that the answer depends on the level, which is not stored: other levels reject what the default takes."""
    rejecting = [
        old
        for old in olds
        if any(direction == FORWARD or old is not olds[-1] for direction, _ in _differences(old, proposed, rules))
    ]
    if rejecting:
        what = f"a level above {DEFAULT_LEVEL} rejects it ({_shown(rejecting)}), and the subject's level is not stored"
        why = 'state it with --compatibility, or scan with "compatibility": true in cluster.json'
        yield finding_of("level-unknown", Verdict.UNKNOWN, current, proposed.positions.start, what, why=(why,)), ()


def _incompatible(current: Current, proposed: ProposedSchema, difference: Difference, why: tuple[str, ...]) -> Finding:
    place = proposed.positions.column(difference.path)
    item = path_name(difference.path)
    if not difference.certain:
        what = f"{item}: {difference.why}" if item else difference.why
        return replace(finding_of("not-compared", Verdict.UNKNOWN, current, place, what, why=why), item=item)
    what = f"{difference.rule}{f' at {item}' if item else ''}: {difference.why}"
    finding = finding_of("incompatible", Verdict.BREAKS, current, place, what, why=why)
    return replace(finding, item=f"{item} {difference.rule}".strip())


def _shown(olds: Sequence[StoredSchema]) -> str:
    if len(olds) == 1:
        return olds[0].shown
    return f"versions {', '.join(old.shown.removeprefix('version ') for old in olds)}"
