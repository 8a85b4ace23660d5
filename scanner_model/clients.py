"""Which clients use a topic: as a monitoring system observed it, as rules of access permit it, and who they are.

Rules of access are evaluated as Kafka's authorizer does. Source: StandardAuthorizerData of Apache Kafka, KIP-290. A
super user is allowed; else any matching DENY denies; else any matching ALLOW allows; a resource without any rule takes
the default. Rules match by name, by `*` and by prefix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from typing import Annotated

from scanner_model.facts import Key, Pairs, Value
from scanner_model.names import SourceId, TopicName

AT_SCAN = "the scan"
"""The window of a use that was seen at the moment of a scan: it says nothing of the time before."""


class Direction(StrEnum):
    """What a client does with a topic."""

    READS = "reads"
    WRITES = "writes"

    @property
    def operation(self) -> str:
        """Return Kafka's name of the operation that it needs a right to."""
        return self.name.removesuffix("S")


class IdentityKind(StrEnum):
    """The kinds of names that a client has; they are never mixed."""

    APPLICATION = "application"
    """A label or setting that names the application, such as `spring.application.name`."""
    SERVICE_NAME = "service.name"
    APPLICATION_ID = "application.id"
    GROUP = "group"
    TRANSACTIONAL_ID = "transactional.id"
    CLIENT_ID = "client.id"
    WORKLOAD = "workload"
    """What runs it: namespace and scrape job, as `shop/orders`."""
    PRINCIPAL = "principal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientUse:
    """A use of a topic by a client that a monitoring system observed in a window of time."""

    source: SourceId
    topic: Annotated[TopicName, Key("the topic, as the source names it")]
    direction: Annotated[Direction, Key("reads or writes")]
    identities: Annotated[Pairs, Key("JSON array of (kind, name) pairs, sorted: what the source calls the client")]
    started: Annotated[str, Value("begin of the window, ISO 8601, UTC")]
    ended: Annotated[str, Value("end of the window, ISO 8601, UTC")]
    window: Annotated[str, Value("length of the window, as it was asked for", column="window_length")]
    metric: Annotated[str, Value("the metric that shows the use")]
    amount: Annotated[float | None, Value("records or bytes in the window, empty if the source does not count")]
    sampled: Annotated[bool, Value("whether the source shows a sample: then no use does not mean none")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationIdentity:
    """A name of the clients of an application, as cluster.json maps it."""

    source: SourceId
    application: Annotated[str, Key("the application")]
    kind: Annotated[IdentityKind, Key("what kind of name it is")]
    pattern: Annotated[str, Key("the name; a glob where it holds *, ? or [", long=True)]
    owner: Annotated[str, Value("who is responsible for the application, may be empty", long=True)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AclRule:
    """A rule of access to topics, as the brokers list it; the words are those of Kafka."""

    source: SourceId
    pattern_type: Annotated[str, Key("LITERAL or PREFIXED")]
    name: Annotated[str, Key("the topic, its prefix, or * for every topic")]
    principal: Annotated[str, Key("User:name, or User:* for everybody", long=True)]
    host: Annotated[str, Key("the only address that it is about, or *")]
    operation: Annotated[str, Key("READ, WRITE, ALL, …")]
    permission: Annotated[str, Key("ALLOW or DENY")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AclAuthorizer:
    """Settings that decide together with access rules: whether brokers check them, and those of cluster.json."""

    source: SourceId
    active: Annotated[bool, Value("False: the brokers have no authorizer, everything is permitted")]
    super_users: Annotated[tuple[str, ...], Value("JSON array of the principals that may do everything")] = ()
    allow_everyone: Annotated[bool, Value("a topic without any rule is open to everybody")] = False
    class_name: Annotated[str, Value("the brokers' `authorizer.class.name`, empty if they do not show it")] = ""

    @property
    def decides_by_more(self) -> bool | None:
        """Return whether more than the listed rules decides, such as role bindings; None where that is unknown."""
        return self.class_name not in _BY_RULES if self.class_name and self.active else None


_BY_RULES = frozenset(
    {
        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "kafka.security.authorizer.AclAuthorizer",
        "kafka.security.auth.SimpleAclAuthorizer",
    }
)
"""Kafka's own authorizers, which know rules only. Others may ask RBAC, Ranger, Keycloak or a policy, too."""

EVERYBODY = "User:*"
_ANY = "*"
_ALL = "ALL"
_IMPLYING = {
    "DESCRIBE": frozenset(("READ", "WRITE", "DELETE", "ALTER")),
    "DESCRIBE_CONFIGS": frozenset(("ALTER_CONFIGS",)),
}
"""Operation → those whose right gives it, too; a denial of them does not. Source: Kafka, StandardAuthorizer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permitted:
    """Who may use a topic; *everybody*: also those that no rule names, unless they are in *denied*.

    *conditional* are principals for which a rule of some host decides: allowed from there only, or everywhere else.
    """

    principals: frozenset[str] = frozenset()
    conditional: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    everybody: bool = False

    def allows(self, principal: str) -> bool:
        """Return whether *principal* may use the topic, at least from some host."""
        named = principal in self.principals or principal in self.conditional
        return named or ((self.everybody or EVERYBODY in self.conditional) and principal not in self.denied)

    def allows_everywhere(self, principal: str) -> bool:
        """Return whether *principal* may use the topic from every host."""
        return principal in self.principals or (self.everybody and principal not in self.denied | self.conditional)


_Pairs = frozenset[tuple[str, str]]
"""Principals, each with a host or `*`."""


@dataclass(frozen=True, slots=True)
class _Matched:
    """What the rules of one pattern allow and deny, by principal and host."""

    any_rule: bool = False
    allowed: _Pairs = frozenset()
    denied: _Pairs = frozenset()

    def beside(self, other: _Matched) -> _Matched:
        return _Matched(self.any_rule or other.any_rule, self.allowed | other.allowed, self.denied | other.denied)

    def answers(self) -> dict[str, bool | None]:
        """Return whether each principal of the rules, and everybody else, is allowed; None: from some hosts only."""
        allowed, denied = _hosts(self.allowed), _hosts(self.denied)
        return {
            name: _is_allowed(
                allowed.get(name, set()) | allowed.get(EVERYBODY, set()),
                denied.get(name, set()) | denied.get(EVERYBODY, set()),
            )
            for name in {*allowed, *denied, EVERYBODY}
        }


def _hosts(pairs: _Pairs) -> dict[str, set[str]]:
    hosts: dict[str, set[str]] = {}
    for principal, host in pairs:
        hosts.setdefault(principal, set()).add(host)
    return hosts


def _is_allowed(allowed: set[str], denied: set[str]) -> bool | None:
    if _ANY in denied:
        return False
    if _ANY in allowed:
        return None if denied else True
    return None if allowed - denied else False


@dataclass(slots=True)
class Acls:
    """The rules of one cluster, arranged for look-ups by topic.

    Topics that the same patterns match share their answer, so that it is computed once.
    """

    rules: Iterable[AclRule]
    authorizer: AclAuthorizer
    _listed: dict[tuple[str, str], list[AclRule]] = field(init=False, default_factory=dict)
    _patterns: dict[str, dict[tuple[str, str], _Matched]] = field(init=False, default_factory=dict)
    _lengths: tuple[int, ...] = field(init=False)
    _shared: dict[tuple[str, tuple[tuple[str, str], ...]], Permitted] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Arrange the rules by pattern."""
        for rule in self.rules:
            self._listed.setdefault((rule.pattern_type, rule.name), []).append(rule)
        self._lengths = tuple(sorted({len(name) for kind, name in self._listed if kind == "PREFIXED"}))

    def permitted(self, topic: str, operation: str) -> Permitted:
        """Return who may do *operation*, such as READ, with *topic*; rules of other operations are rules of it, too."""
        if not self.authorizer.active:
            return Permitted(everybody=True)
        if operation not in self._patterns:
            self._patterns[operation] = {name: _matched(rules, operation) for name, rules in self._listed.items()}
        patterns = self._patterns[operation]
        prefixes = (("PREFIXED", topic[:length]) for length in self._lengths if length <= len(topic))
        candidates = (("LITERAL", _ANY), ("LITERAL", topic), *prefixes)
        key = operation, tuple(pattern for pattern in candidates if pattern in patterns)
        if key not in self._shared:
            self._shared[key] = self._decide([patterns[pattern] for pattern in key[1]])
        return self._shared[key]

    def _decide(self, listed: list[_Matched]) -> Permitted:
        matched = reduce(_Matched.beside, listed, _Matched())
        supers = frozenset(self.authorizer.super_users)
        if not matched.any_rule:
            return Permitted(principals=supers, everybody=self.authorizer.allow_everyone)
        answers = matched.answers()
        named = {name for name, host in matched.allowed if host == _ANY} - {EVERYBODY}
        return Permitted(
            principals=frozenset(name for name in named if answers[name]) | supers,
            conditional=frozenset(name for name, answer in answers.items() if answer is None) - supers,
            denied=frozenset(name for name, answer in answers.items() if answer is False) - supers - {EVERYBODY},
            everybody=answers[EVERYBODY] is True,
        )


def _matched(rules: list[AclRule], operation: str) -> _Matched:
    deciding = {"ALLOW": {operation, _ALL} | _IMPLYING.get(operation, frozenset()), "DENY": {operation, _ALL}}
    allowed, denied = (
        frozenset((rule.principal, rule.host) for rule in rules if rule.permission == word and rule.operation in names)
        for word, names in deciding.items()
    )
    return _Matched(bool(rules), allowed, denied)
