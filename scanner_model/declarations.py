"""What deployment files declare: topics and connectors as they should run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_model.names import SourceId

DECLARED = "DECLARED"
"""The state of a connector or statement that a deployment file declares: whether it runs is not known from there."""


class DeclaredKind(StrEnum):
    """What a declaration is of."""

    TOPIC = "topic"
    CONNECTOR = "connector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A topic or connector as a deployment file declares it.

    *parent* is the Connect cluster of a connector as the file names it, empty where it does not. *tool* is whose form
    the document has, *place* its file and line. *config* is sorted (key, value) pairs, secrets masked, placeholders as
    written. *whole* says that a running object has no other settings: what the tool adds by itself is not in the file.
    *partitions* and *replication* are those of a topic, None where left to the cluster. *state* is running, paused or
    stopped, empty where the file leaves it open.
    """

    source: SourceId
    kind: DeclaredKind
    name: str
    parent: str = ""
    tool: str = ""
    place: str = ""
    config: tuple[tuple[str, str], ...] = ()
    whole: bool = True
    partitions: int | None = None
    replication: int | None = None
    state: str = ""
