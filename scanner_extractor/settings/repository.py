"""Settings of a repository of files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scanner_model.names import SourceId

SUBJECT = "{subject}"
"""What stands for the subject in the pattern of schema files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySettings:
    """A directory of files as teams keep them in git, in which the files that are read are found by content.

    *pattern* is as it was written, *directory* what it means; a pattern of schema files may have SUBJECT. *kinds* are
    the kinds of files that are read; empty: all. *files* are the patterns of paths in the directory that are read;
    empty: all. *variables* are values for placeholders. *engine* is the SQL engine of statements; empty: it is
    recognised.
    """

    pattern: str
    directory: Path
    name: str = ""
    kinds: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    secret_names: frozenset[str] = frozenset()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the directory moves."""
        return SourceId(f"repository:{self.name or self.pattern}")
