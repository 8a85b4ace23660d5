"""Rights that a change takes: which principal may no longer do what with a topic, by the rules of both commits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from dataflow_generator.graph import NodeKind
from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.rows.flows import RIGHT_LOST
from scanner_check.sides.commit import Commit
from scanner_check.users.hits import Hits
from scanner_model.clients import EVERYBODY, AclAuthorizer, AclRule, Acls, Permitted

_EVERY = "*"
_OTHER = "\0"
"""Stands for a name that no file has, below a prefix."""


class _Lost(NamedTuple):
    """What a principal may no longer do with a topic; *is_kept*: still from some hosts."""

    principal: str
    name: str
    is_kept: bool


def rules_shown(commits: tuple[Commit, Commit]) -> set[tuple[str, str]]:
    """Return the topics of the rules that only one commit has, each with the file: what they allow is compared."""
    base, head = (commit.reading.rights for commit in commits)
    both = {**base, **head}
    return {(rule.name, both[rule].rpartition(":")[0]) for rule in base.keys() ^ head.keys()}


def lost_rights(commits: tuple[Commit, Commit], hits: Hits) -> Iterator[ChangeFinding]:
    """Yield what principals may no longer do, one finding for each principal and what the rules are about.

    It is an impact where a program of that name uses the topic; else no known program loses anything.
    """
    base, head = (commit.reading.rights for commit in commits)
    if base.keys() == head.keys():
        return
    lost: dict[_Lost, list[str]] = {}
    authorizer = AclAuthorizer(source=next(iter({**base, **head})).source, active=True)
    sides = [Acls(rules, authorizer) for rules in (base, head)]
    for name in _names((*base, *head), frozenset.union(*(commit.names for commit in commits))):
        for operation in sorted({rule.operation for rule in (*base, *head)}):
            before, after = (acls.permitted(name, operation) for acls in sides)
            for principal in _less(before, after):
                lost.setdefault(_Lost(principal, name, after.allows(principal)), []).append(operation)
    used = {dataset.name: dataset for dataset in commits[0].used if dataset.kind is NodeKind.TOPIC}
    for (principal, name, is_kept), operations in _widest(lost).items():
        words = tuple(dict.fromkeys(word.replace("_", " ").title().replace(" ", "") for word in operations))
        hit = hits.of(used[name]) if name in used else ()
        users = tuple(one for one in hit if one.name == principal.partition(":")[2])
        place = _place(principal, name, base, head)
        yield RIGHT_LOST.found(
            Verdict.IMPACT if users else Verdict.UNKNOWN,
            place,
            f"topic {name}" if name in used else place.file,
            principal,
            words,
            name.removesuffix(_OTHER),
            name.endswith(_OTHER),
            is_kept,
            item=principal,
            affected=users,
        )


def _names(rules: Iterable[AclRule], known: frozenset[str]) -> list[str]:
    """Return the topics that the answers of rules may differ on, and one for all others of each prefix."""
    prefixes = {rule.name for rule in rules if rule.pattern_type == "PREFIXED"}
    literal = {rule.name for rule in rules} - prefixes - {_EVERY}
    below = {name for name in known if name.startswith(tuple(prefixes))}
    every = {_OTHER} if any(rule.name == _EVERY for rule in rules) else set()
    return sorted(literal | below | every | {prefix + _OTHER for prefix in prefixes})


def _less(before: Permitted, after: Permitted) -> list[str]:
    """Return the principals that may do less: nothing any more, or from some hosts only."""
    named = before.principals | before.conditional | after.denied | after.conditional
    return sorted(
        name
        for name in named | ({EVERYBODY} if before.everybody else set())
        if before.allows(name) > after.allows(name) or before.allows_everywhere(name) > after.allows_everywhere(name)
    )


def _fits(rule: AclRule, name: str) -> bool:
    return name.startswith(rule.name) if rule.pattern_type == "PREFIXED" else rule.name in (name, _EVERY)


def _widest(lost: Mapping[_Lost, list[str]]) -> dict[_Lost, list[str]]:
    """Return what is lost without the topics of a prefix that is lost as a whole."""
    found: dict[_Lost, list[str]] = {}
    for one, operations in lost.items():
        wider = [
            other.name
            for other in lost
            if other._replace(name=one.name) == one
            and other.name.endswith(_OTHER)
            and one.name.startswith(other.name[:-1])
        ]
        name = min((wide for wide in wider if wide != one.name), key=len, default=one.name)
        found.setdefault(one._replace(name=name), []).extend(operations)
    return found


def _place(principal: str, name: str, base: Mapping[AclRule, str], head: Mapping[AclRule, str]) -> Place:
    """Return the place of a rule that only one commit has, and that decides: one of the principal first."""
    changed = [
        (rule, place) for one, other in ((head, base), (base, head)) for rule, place in one.items() if rule not in other
    ]
    own = [pair for pair in changed if pair[0].principal in (principal, EVERYBODY) and _fits(pair[0], name)]
    file, _, line = (own or changed)[0][1].rpartition(":")
    return Place(file=file, line=int(line))
