"""Strategies that a user writes as a regular expression: `regex:PATTERN` with a group `topic`."""

from __future__ import annotations

import regex

from scanner_extractor.naming.candidates import Candidate, Strategy, Subject, proposal
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName, Role
from scanner_model.pattern_limits import TimeLimit, is_too_large

PREFIX = "regex:"

_ROLES = {"": Role.VALUE, "key": Role.KEY, "k": Role.KEY, "value": Role.VALUE, "val": Role.VALUE, "v": Role.VALUE}


def regex_strategy(name: str, limit: TimeLimit | None = None) -> Strategy:
    """Make a strategy of `regex:PATTERN`; the pattern must match the whole subject.

    Group `topic` is required; `role` (key, k, value, val, v in any case; absent: value) and `record` are optional.
    A role that is none of these words is no match. Raises InputInvalid for a pattern that cannot be used, and the
    strategy raises it for a subject on which the pattern takes too long.
    """
    pattern = _compiled(name)
    if "topic" not in pattern.groupindex:
        hint = "write (?P<topic>…) around the topic; (?P<role>…) and (?P<record>…) are optional"
        raise InputInvalid(f"naming strategy {name!r} has no group called topic", hint=hint)
    time_limit = limit or TimeLimit()

    def by_pattern(subject: Subject) -> tuple[Candidate, ...]:
        match = time_limit.run(pattern.fullmatch, subject.name, pattern.pattern)
        groups = match.groupdict(default="") if match else {}
        role = _ROLES.get(groups.get("role", "").lower())
        if not match or role is None:
            return ()
        return proposal(groups["topic"], role, name, RecordName(groups.get("record", "")) or None)

    return by_pattern


def _compiled(name: str) -> regex.Pattern[str]:
    text = name.removeprefix(PREFIX)
    if is_too_large(text):
        raise InputInvalid(f"naming strategy {name!r} repeats too much to be evaluated")
    try:
        return regex.compile(text)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputInvalid(f"naming strategy {name!r} is not a regular expression: {error}") from error
