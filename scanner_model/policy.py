"""The policy of a cluster: rules that people set for its topics, schemas and flows, and waivers with a last day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import NamedTuple

FORBIDDEN = "policy-forbidden-flow"
"""The rule that a column with a tag reaches a system where the policy forbids it."""


class ForbiddenFlow(NamedTuple):
    """Columns with *tag* may not get to *systems*: patterns (`*`, `?`) of a dataset's namespace and name.

    The two are joined by a slash, as in `s3://lake/orders`.
    """

    tag: str
    systems: tuple[str, ...]

    def is_broken(self, tag: str, dataset: str) -> bool:
        """Return whether a column of *dataset* may not have *tag*; letter case does not matter."""
        name = dataset.lower()
        return tag.lower() == self.tag.lower() and any(_fits(name, each.lower()) for each in self.systems)


class Waiver(NamedTuple):
    """What breaks *rule* at a place that fits the pattern *where* is let pass until the end of the day *expires*."""

    rule: str
    where: str
    reason: str
    expires: date


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPolicy:
    """The rules of a cluster; an empty or False one asks for nothing.

    *topic_names* are regular expressions; each topic's whole name matches one. *compatibility* is the weakest
    level that a subject may have. *required_tags*: every topic has each of them. *tagged*: a column that is suggested
    to have one of these tags has it.
    """

    topic_owner: bool = False
    field_documentation: bool = False
    topic_names: tuple[str, ...] = ()
    compatibility: str = ""
    required_tags: tuple[str, ...] = ()
    tagged: tuple[str, ...] = ()
    forbidden: tuple[ForbiddenFlow, ...] = ()
    waivers: tuple[Waiver, ...] = ()

    def waiver(self, rule: str, where: str, today: date) -> Waiver | None:
        """Return the waiver of a finding that holds *today*; None if it counts."""
        fitting = (each for each in self.waivers if each.rule == rule and _fits(where, each.where))
        return next((each for each in fitting if each.expires >= today), None)


def _fits(name: str, pattern: str) -> bool:
    """Return whether *name* fits a pattern of `*` and `?`; a bracket is one of a column path, as in `lines.[].sku`."""
    return fnmatchcase(name, pattern.replace("[", "[[]"))
