"""Settings of repositories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicFiles:
    """A form of files that describe topics, schemas, connectors, jobs or rights.

    *files* is the pattern of their paths, *when* are values that a document (`$.kind`) or an entry (`@.type`) has.
    *each* is the JSONPath of the entries of a document. The other members hold expressions, and the first with a result
    counts: a JSONPath from the document (`$.name`) or the entry (`@.name`), or a text with such paths in braces.
    A description is of one or several of these: a *topic* with its *readers* and *writers*; a *program* with the topics
    that it *reads* and *writes*; a *subject* with its *schema* or *schema_file*; a *connector* with its *settings*; a
    *job* with its *sql*; a *principal* with its *permission* for *operations* on a *topic* from a *host*, where
    *pattern* may be PREFIXED. An entry with a text of *absent* is to be removed, and is left out. *schemas* and
    *key_schemas* are names of schema files of a topic. *text* is a name that another object has for a *schema*, in its
    *schema_in*.
    """

    files: str = ""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    each: str = "$"
    absent: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    replication: tuple[str, ...] = ()
    config: tuple[str, ...] = ()
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
    subject: tuple[str, ...] = ()
    schema: tuple[str, ...] = ()
    schema_file: tuple[str, ...] = ()
    schema_in: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    version: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    compatibility: tuple[str, ...] = ()
    connector: tuple[str, ...] = ()
    connector_class: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    job: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()
    principal: tuple[str, ...] = ()
    pattern: tuple[str, ...] = ()
    permission: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()


SUBJECT = "{subject}"
"""What stands for the subject in the pattern of schema files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySettings:
    """A directory of files as teams keep them in git, in which the files that are read are found by content.

    *pattern* is as it was written, *directory* what it means; a pattern of schema files may have SUBJECT. *kinds* are
    the kinds of files that are read; empty: all. *files* are the patterns of paths in the directory that are read;
    empty: all. *variables* are values for placeholders. *engine* is the SQL engine of statements; empty: it is
    recognised. *topic_files* are descriptions of topics in forms of the user's own, in addition to those that
    `.scanner.yaml` of the directory lists. *beside* are the directories of the cluster's other repositories: places
    then start with the name of the repository, and libraries in the others are followed.
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
    beside: tuple[Path, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the directory moves."""
        return SourceId(f"repository:{self.name or self.pattern}")
