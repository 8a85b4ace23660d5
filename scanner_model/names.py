"""`NewType` names, one for each kind of name; only naming strategies parse them."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

ClusterName = NewType("ClusterName", str)
TopicName = NewType("TopicName", str)
SubjectName = NewType("SubjectName", str)
RecordName = NewType("RecordName", str)

SourceId = NewType("SourceId", str)
"""Source of a fact: `<kind>:<url or name>`, as in `schema_registry:https://sr:8081`; stable between scans."""

Fingerprint = NewType("Fingerprint", str)
"""Identity of a schema definition: format, text, what its references resolved to, and the record read from it."""


class Role(StrEnum):
    """The side of a Kafka message that a schema describes."""

    KEY = "key"
    VALUE = "value"
