"""The `personal_data` of cluster.json: what people decided on suggested tags, and rules of their own, as facts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.policy import is_day
from scanner_extractor.config.sections import Items, ParseContext, Section, ValidationContext, nonempty
from scanner_extractor.http.messages import Json
from scanner_extractor.results import Reading, answered
from scanner_model.columns import parse_path
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath
from scanner_model.errors import InputInvalid
from scanner_model.names import SourceId
from scanner_model.tag_decisions import Decision, TagDecision, TagRuleFile
from scanner_model.tag_rules import rule_document

_SOURCE = SourceId("personal_data:cluster.json")
_LARGEST = 1 << 20
"""Bytes of a file of rules, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataSettings:
    """The decisions that cluster.json has, and the files of rules that it names."""

    decisions: tuple[TagDecision, ...] = ()
    rules: tuple[TagRuleFile, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return _SOURCE


_SCHEMA: Json = {
    "title": "Personal data",
    "description": "Rules that suggest tags, and your decisions on suggestions.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "rules": {
            "title": "Rules",
            "description": "Rule files (TOML), applied before the built-in rules.",
            "type": "array",
            "items": nonempty("Files", "A path relative to this file, or a pattern.", "rules/*.toml"),
        },
        "decisions": {
            "title": "Decisions",
            "description": "Decisions, each accepting or rejecting one tag of one column.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["dataset", "column", "tag", "decision", "by", "on"],
                "additionalProperties": False,
                "properties": {
                    "dataset": nonempty("Dataset", "The topic, or namespace/name of another dataset.", "payments"),
                    "column": nonempty("Column", "Its path with dots; of a key behind `@key.`.", "customer.email"),
                    "tag": nonempty("Tag", "The tag.", "PII"),
                    "decision": {
                        "title": "Decision",
                        "description": "An accepted tag counts as declared; a rejected one is not suggested again.",
                        "enum": [each.value for each in Decision],
                    },
                    "by": nonempty("By", "Who decided.", "ann"),
                    "on": nonempty("On", "The day of the decision.", "2026-11-23"),
                    "reason": nonempty("Reason", "Why.", "the account of a company"),
                },
            },
        },
    },
}


def parse_personal_data(item: Json, context: ParseContext) -> PersonalDataSettings:
    """Return the decisions, and the rules of files."""
    files = {path: None for pattern in item.get("rules", ()) for path in _rule_files(pattern, context.base)}
    return PersonalDataSettings(
        rules=tuple(
            TagRuleFile(source=_SOURCE, name=os.path.relpath(path, context.base), rules=_read_rules(path))
            for path in files
        ),
        decisions=tuple(
            TagDecision(
                source=_SOURCE,
                dataset=each["dataset"],
                column_name=each["column"],
                tag=each["tag"],
                decision=Decision(each["decision"]),
                decided_by=each["by"],
                decided_on=each["on"],
                reason=each.get("reason", ""),
            )
            for each in item.get("decisions", ())
        ),
    )


def _rule_files(pattern: str, base: Path) -> tuple[Path, ...]:
    return named_files(pattern, base, "*.toml")


def _read_rules(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputInvalid(f"cannot be read: {error}", where=str(path), hint="name a TOML file in UTF-8") from error
    if len(content) > _LARGEST:
        raise InputInvalid(f"is larger than {_LARGEST} bytes", where=str(path), hint="write several files")
    return rule_document(text, str(path))


def _rule_errors(path: JsonPath, patterns: Json, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield patterns without a file, and files that hold no rules."""
    for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        place, files = (*path, index), _rule_files(str(pattern), context.directory)
        if not files:
            yield place, f"{context.shown(place)} matches no file", "the pattern is relative to this file"
        for file in files:
            try:
                _read_rules(file)
            except InputInvalid as error:
                yield place, f"{error.where}: {error.what}", error.hint


def validate_personal_data(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield files without rules, invalid days and column paths, and tags that are decided twice."""
    for path, item in items:
        yield from _rule_errors((*path, "rules"), item.get("rules") if isinstance(item, dict) else None, context)
        decided: set[tuple[str, ...]] = set()
        listed = item.get("decisions") if isinstance(item, dict) else None
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            if not isinstance(each, dict):
                continue
            place = (*path, "decisions", index)
            day, column = each.get("on"), each.get("column")
            if isinstance(day, str) and not is_day(day):
                yield (*place, "on"), f"{day!r} is not a date", "as in 2026-11-23"
            if isinstance(column, str) and not _is_path(column):
                yield (*place, "column"), f"{column!r} is not a column path", "as `scanner columns --tag PII` shows it"
            about = tuple(str(each.get(name)) for name in ("dataset", "column", "tag"))
            if about in decided:
                yield place, f"the tag {about[2]!r} of {about[1]} is decided twice", "keep one of them"
            decided.add(about)


def _is_path(column: str) -> bool:
    try:
        parse_path(column)
    except InputInvalid:
        return False
    return True


def read_personal_data(settings: PersonalDataSettings) -> Reading:
    """Return the decisions and rules as facts."""
    facts = (*settings.decisions, *settings.rules)
    return Reading(
        outcome=answered(settings.source, "personal_data", len(facts)),
        facts=facts,
    )


PERSONAL_DATA_SECTION = Section(
    member="personal_data",
    schema=_SCHEMA,
    parse=parse_personal_data,
    validate=validate_personal_data,
    over_http=False,
)
