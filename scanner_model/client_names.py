"""Which application a client belongs to, by its names: what a mapping says, what names mean, and equal names.

Sources of the naming rules: Kafka Streams' ClientUtils and ActiveTaskCreator, Kafka Connect's Worker, KafkaProducer and
ConsumerConfig (default client ids), Flink's TransactionalIdFactory, Spring Kafka's transactionIdPrefix.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import NamedTuple

from scanner_model.clients import ApplicationIdentity, IdentityKind
from scanner_model.linear_patterns import LinearPattern

Identities = Mapping[str, str]
"""What a client is called, by the kind of name."""

_DEFAULT_IDS = re.compile(
    r"(?:producer|consumer|adminclient)-\d+|rdkafka|sarama|confluent-kafka-python|aiokafka-[\d.]+|kafka-python-[\d.]+"
    r"|kafkajs|franz-go|kgo|segmentio|kafka-go.*|node-rdkafka|console-(?:producer|consumer)"
)
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_STREAMS = LinearPattern(rf"(?P<name>.+)-{_UUID}(?:-StreamThread-\d+)?(?:-(?:restore-consumer|consumer|producer|\d+))?")
_CONNECTOR = LinearPattern(r"connector-(?:producer|consumer)-(?P<name>.+)-\d+")
_OF_GROUP = LinearPattern(r"consumer-(?P<name>.+)-\d+")
_OF_TRANSACTION = LinearPattern(r"producer-(?P<name>.+)")
_NUMBERED = LinearPattern(r"(?P<name>.+?)-?\d+(?:-\d+)?")
_SERIES = (IdentityKind.APPLICATION, IdentityKind.SERVICE_NAME, IdentityKind.APPLICATION_ID)
_EQUAL = (IdentityKind.CLIENT_ID, IdentityKind.GROUP, IdentityKind.TRANSACTIONAL_ID)


class Match(NamedTuple):
    """The application of a client, and *by* what: mapping, series, naming rule, equal name, or only its own name.

    *owner* is that of the mapping, empty if absent.
    """

    application: str
    by: str
    owner: str = ""


MAPPING, SERIES, RULE, EQUAL, OWN = "mapping", "one series", "naming rule", "equal name", "own name"


def is_default_id(client_id: str) -> bool:
    """Return whether a library sets this client id where an application sets none: many clients share it."""
    return _DEFAULT_IDS.fullmatch(client_id) is not None


@dataclass(slots=True)
class Applications:
    """Finds the application of a client.

    *mapped* are the identities that cluster.json maps. *known* are the names of applications, connectors and groups
    that other sources report: naming rules other than those of Kafka Streams apply only to these.
    """

    mapped: Iterable[ApplicationIdentity] = ()
    known: Collection[str] = ()
    _exact: dict[tuple[str, str], ApplicationIdentity] = field(init=False, default_factory=dict)
    _globs: list[ApplicationIdentity] = field(init=False, default_factory=list)
    _owners: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Arrange the mapping: whole names are looked up, globs tried in order."""
        for identity in self.mapped:
            self._owners[identity.application] = identity.owner
            if set("*?[") & set(identity.pattern):
                self._globs.append(identity)
            else:
                self._exact.setdefault((identity.kind, identity.pattern), identity)

    def match(self, identities: Identities) -> Match | None:
        """Return the application of a client; None if nothing distinguishes it from others."""
        if mapped := self._mapped(identities):
            return Match(mapped.application, MAPPING, mapped.owner)
        found = self._by_series(identities) or self._by_rule(identities) or _by_own_name(identities, self.known)
        return found and found._replace(owner=self._owners.get(found.application, ""))

    def _mapped(self, identities: Identities) -> ApplicationIdentity | None:
        for kind, name in identities.items():
            if identity := self._exact.get((kind, name)):
                return identity
        fitting = (
            identity
            for identity in self._globs
            if identity.kind in identities and fnmatchcase(identities[identity.kind], identity.pattern)
        )
        return next(fitting, None)

    def _by_series(self, identities: Identities) -> Match | None:
        name = next((identities[kind] for kind in _SERIES if identities.get(kind)), "")
        return Match(name, SERIES) if name else None

    def _by_rule(self, identities: Identities) -> Match | None:
        for kind in (IdentityKind.TRANSACTIONAL_ID, IdentityKind.CLIENT_ID):
            if name := _meant(identities.get(kind, ""), self.known):
                return Match(name, RULE)
        return None


def _meant(name: str, known: Collection[str]) -> str:
    """Return what a client id or transactional id means by the rule that wrote it; empty if none applies."""
    if streams := _STREAMS.group(name, "name"):
        return streams
    for rule in (_CONNECTOR, _OF_GROUP, _OF_TRANSACTION, _NUMBERED):
        if (meant := rule.group(name, "name")) and meant in known:
            return meant
    return ""


def _by_own_name(identities: Identities, known: Collection[str]) -> Match | None:
    """Return the name of the client itself: that of something known, else its first own name, else its workload."""
    names = [identities[kind] for kind in _EQUAL if identities.get(kind) and not is_default_id(identities[kind])]
    equal = next((name for name in names if name in known), "")
    if equal:
        return Match(equal, EQUAL)
    own = names[0] if names else identities.get(IdentityKind.WORKLOAD, "")
    return Match(own, OWN) if own else None
