"""Strategies that a user writes as a regular expression: `regex:PATTERN` with a group `topic`."""

from __future__ import annotations

import re

from scanner_extractor.naming.candidates import Candidate, Strategy, Subject, proposal
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName, Role

PREFIX = "regex:"

_ROLES = {"": Role.VALUE, "key": Role.KEY, "k": Role.KEY, "value": Role.VALUE, "val": Role.VALUE, "v": Role.VALUE}


def regex_strategy(name: str) -> Strategy:
    """Make a strategy of `regex:PATTERN`; the pattern must match the whole subject.

    Group `topic` is required; `role` (key, k, value, val, v in any case; absent: value) and `record` are optional.
    A role that is none of these words is no match. Raises InputInvalid for a pattern that cannot be used.
    """
    pattern = _compiled(name)

    def by_pattern(subject: Subject) -> tuple[Candidate, ...]:
        match = pattern.fullmatch(subject.name)
        groups = match.groupdict(default="") if match else {}
        role = _ROLES.get(groups.get("role", "").lower())
        if not match or role is None:
            return ()
        return proposal(groups["topic"], role, name, RecordName(groups.get("record", "")) or None)

    return by_pattern


def _compiled(name: str) -> re.Pattern[str]:
    text = name.removeprefix(PREFIX)
    try:
        pattern = re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputInvalid(f"naming strategy {name!r} is not a regular expression: {error}") from error
    if "topic" not in pattern.groupindex:
        hint = "write (?P<topic>…) around the topic; (?P<role>…) and (?P<record>…) are optional"
        raise InputInvalid(f"naming strategy {name!r} has no group called topic", hint=hint)
    return pattern
