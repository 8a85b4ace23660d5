"""Which clients use a topic: as a monitoring system observed it, as rules of access permit it, and who they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from scanner_model.facts import Key, Pairs, Value
from scanner_model.names import SourceId, TopicName

AT_SCAN = "the scan"
"""The window of a use that was seen at the moment of a scan: it says nothing of the time before."""


class Direction(StrEnum):
    """What a client does with a topic."""

    READS = "reads"
    WRITES = "writes"


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
    amount: Annotated[float | None, Value("records or bytes in the window, empty where the source does not count")]
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
    """What decides besides the rules of access: whether brokers check them at all, and what cluster.json says."""

    source: SourceId
    active: Annotated[bool, Value("False: the brokers have no authorizer, everything is permitted")]
    super_users: Annotated[tuple[str, ...], Value("JSON array of the principals that may do everything")] = ()
    allow_everyone: Annotated[bool, Value("a topic without any rule is open to everybody")] = False
