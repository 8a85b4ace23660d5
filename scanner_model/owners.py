"""Who owns what, by patterns of names that people state."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType

OWNER_PATTERN, OWNED_TOPIC = "owner_pattern", "owned_topic"
"""The kinds of annotations of manual input: one whose name is a pattern, and a topic that one matches."""

CODE_OWNED_PROGRAM, CODE_OWNED_TOPIC, CODE_OWNED_SUBJECT = (
    "code_owned_program",
    "code_owned_topic",
    "code_owned_subject",
)
"""The kinds of annotations of what is in files that CODEOWNERS of a repository has owners for."""


class Owners:
    """Find the owner of a name among owners by pattern: a pattern is a whole name, or a glob.

    A whole name takes precedence over globs, a longer glob over a shorter one. What no pattern matches has the owner
    of its *files*, by whole name; a statement of a script, as `jobs.sql:2`, that of the script.
    """

    def __init__(self, owners: Mapping[str, str], files: Mapping[str, str] = MappingProxyType({})) -> None:
        self._owners, self._files = owners, files
        globs = (pattern for pattern in owners if not frozenset("*?[").isdisjoint(pattern))
        self._globs = sorted(globs, key=lambda pattern: (-len(pattern), pattern))

    def pattern_of(self, name: str) -> str:
        """Return the pattern that decides the owner of *name*; empty if none matches."""
        if name in self._owners:
            return name
        return next((pattern for pattern in self._globs if fnmatchcase(name, pattern)), "")

    def of(self, name: str) -> str:
        """Return the owner of *name*; empty if no pattern matches."""
        owner = self._owners.get(self.pattern_of(name)) or self._files.get(name, "")
        script, _, number = name.rpartition(":")
        return owner or (self._files.get(script, "") if number.isdigit() else "")
