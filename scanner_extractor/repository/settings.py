"""Settings of repositories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicFiles:
    """Files that describe topics and their users: the pattern of their paths, and where each member is in them.

    *each* is the JSONPath of the entries of a document. The members hold expressions, and the first with a result
    counts: a JSONPath from the document (`$.name`) or the entry (`@.name`), or a text with such paths in braces. A
    description is of a *topic* with its *readers* and *writers*, or of a *program* with the topics that it *reads* and
    *writes*. *schemas* and *key_schemas* are names of schema files.
    """

    files: str
    each: str = "$"
    topic: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    key_schemas: tuple[str, ...] = ()


SUBJECT = "{subject}"
"""What stands for the subject in the pattern of schema files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySettings:
    """A directory of files as teams keep them in git, in which the files that are read are found by content.

    *pattern* is as it was written, *directory* what it means; a pattern of schema files may have SUBJECT. *kinds* are
    the kinds of files that are read; empty: all. *files* are the patterns of paths in the directory that are read;
    empty: all. *variables* are values for placeholders. *engine* is the SQL engine of statements; empty: it is
    recognised. *topic_files* are descriptions of topics in forms of the user's own, in addition to those that
    `.scanner.yaml` of the directory lists.
    """

    pattern: str
    directory: Path
    name: str = ""
    kinds: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    secret_names: frozenset[str] = frozenset()
    topic_files: tuple[TopicFiles, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the directory moves."""
        return SourceId(f"repository:{self.name or self.pattern}")
