"""What a plan is for: the text of a change, such as `rename orders.total → gross_amount`."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, cast, get_args

from scanner_model.errors import InputInvalid

Verb = Literal["rename", "remove", "retype", "split", "key"]

EXAMPLES = (
    "rename orders.total → gross_amount",
    "remove orders.total",
    "retype orders.total → string as total_text",
    "split orders → orders.eu, orders.us",
    "key orders → customer.id as orders-by-customer",
)
"""A change of each verb."""

_ARROW = re.compile(r"→|=>|->|\s(?:to|into)\s")
_AS = re.compile(r"\sas\s+(\S+)\s*$")
_VERBS = get_args(Verb)


class Change(NamedTuple):
    """A change of *node*, a column or a topic.

    *to* is the new name, the new type, the new topics, or the columns of the new key. *name* is the new field of a
    retype, empty for the same one, or the topic with the new key.
    """

    verb: Verb
    node: str
    to: tuple[str, ...] = ()
    name: str = ""

    def __str__(self) -> str:
        """Return the change as it is written."""
        to = f" → {', '.join(self.to)}" if self.to else ""
        return f"{self.verb} {self.node}{to}" + (f" as {self.name}" if self.name else "")


def parse_change(text: str) -> Change:
    """Parse a change; raises InputInvalid, with an example of its verb, for another text."""
    verb, _, rest = text.strip().partition(" ")
    if verb == "change" and rest.startswith("key "):
        verb, _, rest = rest.partition(" ")
    if verb not in _VERBS:
        raise InputInvalid(f"{verb!r} is not a change", where="CHANGE", hint=f"one of: {'; '.join(EXAMPLES)}")
    named = _AS.search(rest) if verb in ("retype", "key") else None
    node, *right = _ARROW.split(rest[: named.start()] if named else rest, maxsplit=1)
    to = (
        (right[0].strip(),)
        if right and verb == "retype"
        else tuple(re.split(r"[,\s]+", right[0].strip()) if right else ())
    )
    change = Change(cast("Verb", verb), node.strip(), tuple(filter(None, to)), named[1] if named else "")
    if problem := _problem(change):
        example = EXAMPLES[_VERBS.index(verb)]
        raise InputInvalid(problem, where=f"CHANGE {text!r}", hint=f"as in '{example}'")
    return change


def _problem(change: Change) -> str:
    if not change.node or " " in change.node:
        return "exactly one topic or column changes"
    match change.verb:
        case "remove":
            return "a removal has no target" if change.to else ""
        case "rename":
            return "" if len(change.to) == 1 else "a rename has one new name"
        case "retype":
            return "" if change.to else "the new type is missing"
        case "split":
            return "" if len(set(change.to)) > 1 else "a split has at least two new topics"
        case "key":
            columns = "" if change.to else "the columns of the new key are missing"
            return columns or ("" if change.name else "the topic with the new key is missing")
