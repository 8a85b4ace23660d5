"""What a rule is: its page, the function that finds it, and what follows from its kind."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypedDict, Unpack

from scanner_check.model import Affected, ChangeFinding, Message, Place, Verdict


class _Members(TypedDict, total=False):
    """Further members of a finding, all optional."""

    message: Message
    item: str
    reasons: tuple[Message, ...]
    affected: tuple[Affected, ...]
    owner: str
    tags: tuple[str, ...]
    accepted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: *meaning* is one sentence, *help* the next step, *steps* the way there if it takes several.

    *example_bad* is a change with a finding, *example_good* one without. Pages of docs/rules derive from it. *find* is
    the function that yields its findings, `module:function`. The members after it say what the kind of finding means to
    what handles findings.
    """

    name: str
    meaning: str
    help: str
    example_bad: str
    example_good: str
    find: str
    steps: tuple[str, ...] = ()
    is_harmless: bool = False
    """Nothing that exists can depend on what changed."""
    is_undecided: bool = False
    """It is about a comparison that could not be made; another one of the same thing may decide it."""
    is_unjudged: bool = False
    """What was proposed was not looked at."""
    is_of_column: bool = False
    """It is about a column of a schema or job."""
    is_of_field: bool = False
    """It is about a field that a program writes or expects."""
    is_of_readers: bool = False
    """It is about what readers reject without a registry."""
    answers_column: bool = False
    """It is the registry's or the readers' answer about a column."""
    needs_reader: bool = False
    """It is fine only because no reader is known."""
    moves_with_topic: bool = False
    """It is about columns of a topic, which a renamed topic keeps."""
    lost_topic: int = 0
    """If it is about a topic that goes: how telling it is, 1 the most; 0 for others."""
    new_topic: bool = False
    """It is about a topic that is used or written newly."""

    def found(
        self, verdict: Verdict, place: Place, target: str, *values: Hashable, form: str = "", **more: Unpack[_Members]
    ) -> ChangeFinding:
        """Return a finding; *values* fill the template of the rule, of *form* if it has several.

        *message* replaces it.
        """
        more.setdefault("message", self.message(*values, form=form))
        return ChangeFinding(rule=self.name, verdict=verdict, place=place, target=target, **more)

    def unknown(
        self, place: Place, target: str, *values: Hashable, form: str = "", **more: Unpack[_Members]
    ) -> ChangeFinding:
        """Return a finding of what is not known, as `found` does."""
        return self.found(Verdict.UNKNOWN, place, target, *values, form=form, **more)

    def message(self, *values: Hashable, form: str = "") -> Message:
        """Return a message of the rule; *form* names the template if the rule has several."""
        return Message(f"{self.name} {form}".rstrip(), values)
