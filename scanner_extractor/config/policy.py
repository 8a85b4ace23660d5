"""The member `policy` of cluster.json: checked, parsed, and read alone, without the variables of the other members."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from importlib.resources import files
from pathlib import Path

import regex

from scanner_extractor.http.messages import Json
from scanner_model.documents.json_positions import parse_with_positions, positioned_problems, schema_error_messages
from scanner_model.documents.pattern_limits import is_too_large
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load
from scanner_model.policy import ClusterPolicy, ForbiddenFlow, Waiver

_MEMBER = "policy"


def read_policy(path: Path) -> ClusterPolicy:
    """Read the policy of a cluster.json; an empty one where it has none.

    Raises InputInvalid if the file cannot be read, and with the place of each mistake in its policy.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InputInvalid(f"cannot be read: {error}", where=str(path), hint="name a cluster.json") from error
    return parse_policy(text, str(path))


def parse_policy(text: str, where: str) -> ClusterPolicy:
    """Parse the policy in the text of a cluster.json; an empty one if it has none.

    Other members are ignored, so that a check of a change needs no password. Raises InputInvalid with the place of each
    mistake in the policy.
    """
    document = parse_with_positions(text, where)
    item = document.value.get(_MEMBER, {}) if isinstance(document.value, dict) else None
    schema = json.loads(files("scanner_extractor.config").joinpath("cluster.schema.json").read_text("utf-8"))
    wanted = {"type": "object", "properties": {_MEMBER: schema["properties"][_MEMBER]}}
    form = list(
        schema_error_messages(load("jsonschema:Draft202012Validator")(wanted).iter_errors(document.value), document)
    )
    errors = form or list(policy_errors(document.value))
    if errors or item is None:
        raise InputInvalid.listing(tuple(positioned_problems(errors, document)))
    return policy_of(item)


def policy_errors(document: Json) -> Iterator[ErrorMessage]:
    """Yield what the JSON Schema cannot express: invalid expressions and days."""
    item = document.get(_MEMBER) if isinstance(document, dict) else None
    if not isinstance(item, dict):
        return
    for index, text in enumerate(_list(item, "topic_names")):
        if isinstance(text, str) and not _is_expression(text):
            yield (_MEMBER, "topic_names", index), f"{text!r} is not a regular expression", "as in [a-z]+(\\.[a-z]+)*"
    for index, waiver in enumerate(_list(item, "waivers")):
        day = waiver.get("expires") if isinstance(waiver, dict) else None
        if isinstance(day, str) and not is_day(day):
            yield (_MEMBER, "waivers", index, "expires"), f"{day!r} is not a date", "as in 2027-01-31"


def policy_of(item: Json) -> ClusterPolicy:
    """Return the policy that a valid member holds."""
    return ClusterPolicy(
        topic_owner=item.get("topic_owner", False),
        field_documentation=item.get("field_documentation", False),
        topic_names=tuple(item.get("topic_names", ())),
        compatibility=item.get("compatibility", ""),
        required_tags=tuple(item.get("required_tags", ())),
        tagged=tuple(item.get("tagged", ())),
        forbidden=tuple(ForbiddenFlow(each["tag"], tuple(each["systems"])) for each in item.get("forbidden", ())),
        waivers=tuple(
            Waiver(each["rule"], each["where"], each["reason"], date.fromisoformat(each["expires"]))
            for each in item.get("waivers", ())
        ),
    )


def _list(item: Json, name: str) -> list[Json]:
    value = item.get(name)
    return value if isinstance(value, list) else []


def _is_expression(text: str) -> bool:
    try:
        regex.compile(text)
    except (regex.error, OverflowError, RecursionError):
        return False
    return not is_too_large(text)


def is_day(text: str) -> bool:
    """Return whether *text* is a date, as in 2026-11-23."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
