"""The `personal_data` of cluster.json: what people decided on suggested tags, read as facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scanner_extractor.config.policy import is_day
from scanner_extractor.config.sections import Items, ParseContext, Section, ValidationContext, nonempty
from scanner_extractor.http.messages import Json
from scanner_extractor.results import FactsResult
from scanner_model.columns import parse_path
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.errors import InputInvalid
from scanner_model.names import SourceId
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.tag_decisions import Decision, TagDecision

_SOURCE = SourceId("personal_data:cluster.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataSettings:
    """The decisions that cluster.json has."""

    decisions: tuple[TagDecision, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return _SOURCE


_SCHEMA: Json = {
    "title": "Personal data",
    "description": "What people decided on tags that names, types and documentation suggest.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "decisions": {
            "title": "Decisions",
            "description": "Each accepts or rejects one tag of one column.",
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
                        "description": "An accepted tag counts as declared, a rejected one is not suggested again.",
                        "enum": [each.value for each in Decision],
                    },
                    "by": nonempty("By", "Who decided.", "ann"),
                    "on": nonempty("On", "The day of the decision.", "2026-11-23"),
                    "reason": nonempty("Reason", "Why.", "the account of a company"),
                },
            },
        }
    },
}


def parse_personal_data(item: Json, _: ParseContext) -> PersonalDataSettings:
    """Return the decisions."""
    return PersonalDataSettings(
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
        )
    )


def validate_personal_data(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield days that are none, columns that are no paths, and tags of a column that are decided twice."""
    for path, item in items:
        decided: set[tuple[str, ...]] = set()
        listed = item.get("decisions") if isinstance(item, dict) else None
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            if not isinstance(each, dict):
                continue
            place = (*path, "decisions", index)
            day, column = each.get("on"), each.get("column")
            if isinstance(day, str) and not is_day(day):
                yield (*place, "on"), f"{day!r} is no date", "as in 2026-11-23"
            if isinstance(column, str) and not _is_path(column):
                yield (*place, "column"), f"{column!r} is no column path", "as `scanner pii` shows it"
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


def read_personal_data(settings: PersonalDataSettings) -> FactsResult:
    """Return the decisions as facts."""
    count = len(settings.decisions)
    return FactsResult(
        outcome=SourceResult(
            source=settings.source, kind="personal_data", status=SourceStatus.READ, received=count, requested=count
        ),
        facts={"tag_decisions": settings.decisions},
    )


PERSONAL_DATA_SECTION = Section(
    member="personal_data",
    schema=_SCHEMA,
    parse=parse_personal_data,
    validate=validate_personal_data,
    over_http=False,
)
