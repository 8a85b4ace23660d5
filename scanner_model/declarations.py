"""What files declare: topics and connectors as they should run, and what cannot be read of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from scanner_model.facts import Key, Pairs, Value
from scanner_model.names import SourceId

DECLARED = "DECLARED"
"""The state of a connector or statement that a deployment file declares: whether it runs is not known from there."""


class DeclaredKind(StrEnum):
    """What a declaration is of."""

    TOPIC = "topic"
    CONNECTOR = "connector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A topic or connector as a deployment file declares it; what runs is in topic and connector."""

    source: SourceId
    name: Annotated[str, Key("its name")]
    kind: Annotated[DeclaredKind, Key("topic or connector")]
    parent: Annotated[str, Value("the Connect cluster that the file names, may be empty")] = ""
    tool: Annotated[
        str, Value("whose form the document has: strimzi, confluent, jikkou, kafka-gitops, julieops, connect")
    ] = ""
    place: Annotated[str, Value("file and line", long=True)] = ""
    config: Annotated[
        Pairs, Value("JSON object of its settings, sorted; secrets are redacted, placeholders as written", mapping=True)
    ] = ()
    whole: Annotated[bool, Value("a running one has no other settings: the tool adds none by itself")] = True
    partitions: Annotated[int | None, Value("of a topic; empty if left to the cluster")] = None
    replication: Annotated[int | None, Value("of a topic: replication factor; empty if left to the cluster")] = None
    state: Annotated[str, Value("of a connector: running, paused or stopped; empty if left open")] = ""


UNRESOLVED_USE = "unresolved use of Kafka"
"""Kind of an `UnreadFile` that was parsed, but whose calls of a Kafka client have unknown topics."""

UNREAD_HINT = "what it declares is unknown"
"""Hint of the problem that says a file is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFile:
    """A file, or a part of one, that may declare flows and is not read: what it declares is unknown, not nothing."""

    source: SourceId
    name: Annotated[str, Key("its path in the repository", long=True)]
    kind: Annotated[str, Key("what kind of file it is")]
    reason: Annotated[str, Value("why it is not read", long=True)]
