"""Variables of a repository: what its environment files, compose files and scripts set, and placeholders in its texts.

A file sees the values that are set nearest to it. One that is set to several values at the same distance has none, and
a secret has none either: its placeholder stays. The examples of a program (`.env.example`) hold below its directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.shell import assignments
from scanner_model.redaction import NO_EXTRA, ExtraNames, is_secret_name
from scanner_model.text import has_placeholder

_SETTING_ENDINGS = frozenset((".cfg", ".conf", ".env", ".config", ".delta"))
_SCRIPTS = frozenset((".sh", ".bash", ".zsh"))
_COMPOSE = re.compile(r"^services:\s*$", re.MULTILINE)
_IN_COMPOSE = re.compile(
    r"^[ \t]+(?:-[ \t]+['\"]?)?(?P<name>[A-Z][A-Z0-9_]*)(?:=|:[ \t]+)(?P<value>[^\n]*)", re.MULTILINE
)
_REFERENCE = re.compile(
    r"\$\{(?P<braced>[A-Za-z_]\w*)(?::?-(?P<default>[^{}$]*))?\}"
    r"|(?<![\w\\$])\$(?P<plain>[A-Za-z_]\w*)"
    r"|\{\{\s*(?P<mustache>[A-Za-z_][\w.]*)\s*\}\}"
    r"|(?<![\w?(<])<(?P<angle>[A-Za-z][\w.-]*)>"
)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
_LONGEST = 500
LONGEST_RESOLVED = 1_000
"""Characters of a value whose placeholders are replaced: variables that contain each other multiply."""
MOST_GROWTH = 8 * 1024 * 1024
"""Characters that replaced placeholders may add to all texts of a repository."""
_SETTING, _SCRIPT, _EXAMPLE = range(3)


class _Set(NamedTuple):
    """A value, and the directory of the file that sets it; *rank*: a setting, an example of one, or of a script."""

    directory: str
    value: str
    rank: int


@dataclass(slots=True)
class Variables:
    """The variables of a repository; *given* are those that the user passes, which precede all others."""

    given: Mapping[str, str] = field(default_factory=dict)
    secret_names: ExtraNames = NO_EXTRA
    left: int = MOST_GROWTH
    _values: dict[str, list[_Set]] = field(default_factory=dict)
    _known: dict[tuple[str, str, int], str | None] = field(default_factory=dict)

    def add(self, file: RepositoryFile) -> bool:
        """Add what a file sets, and return whether it is one that does; secrets are left out."""
        self._known.clear()
        name = file.name.lower()
        if name.startswith(".env") or file.ending in _SETTING_ENDINGS or name.endswith(".env.example"):
            pairs: Iterable[tuple[str, str]] = assignments(file.text)
        elif file.ending in _SCRIPTS or file.text.startswith("#!"):
            pairs = (pair for pair in assignments(file.text) if _CONSTANT.fullmatch(pair[0]))
        elif file.ending in (".yml", ".yaml") and _COMPOSE.search(file.text):
            pairs = (
                (match["name"], match["value"].strip(" \t").strip("'\"")) for match in _IN_COMPOSE.finditer(file.text)
            )
        else:
            return False
        is_example = any(word in name for word in ("example", "template", "sample", "dist"))
        rank = _SCRIPT if file.ending in _SCRIPTS else _EXAMPLE if is_example else _SETTING
        for key, value in pairs:
            if value and len(value) <= _LONGEST and not is_secret_name(key, self.secret_names):
                self._values.setdefault(key, []).append(_Set(file.directory, value, rank))
        return True

    def of(self, path: str) -> VariableScope:
        """Return the variables as the file at *path* sees them."""
        return VariableScope(self, path.rpartition("/")[0])

    def value(self, name: str, directory: str, depth: int = 0) -> str | None:
        """Return the value of a variable; None where there is none, several, or one that depends on another such."""
        if name in self.given:
            return self.given[name]
        key = (name, directory, depth)
        if key not in self._known:
            self._known[key] = self._value(name, directory, depth)
        return self._known[key]

    def _value(self, name: str, directory: str, depth: int) -> str | None:
        known = self._values.get(name, ())
        for rank in (_SETTING, _SCRIPT, _EXAMPLE):
            listed = [entry for entry in known if entry.rank == rank]
            if rank == _EXAMPLE:
                listed = [entry for entry in listed if _is_below(directory, entry.directory)]
            if not listed:
                continue
            nearest = max(_shared(entry.directory, directory) for entry in listed)
            values = {entry.value for entry in listed if _shared(entry.directory, directory) == nearest}
            if len(values) != 1:
                return None
            value = self.resolved(values.pop(), directory, depth + 1) if depth < 5 else ""
            is_value = value and len(value) <= LONGEST_RESOLVED and not has_placeholder(value)
            return value if is_value else None
        return None

    def resolved(self, text: str, directory: str, depth: int = 0) -> str:
        """Return *text* with placeholders replaced by their values.

        One without a value stays, and so do all when what they add to the texts of the repository is `MOST_GROWTH`.
        """
        if "$" not in text and "{{" not in text and "<" not in text:
            return text

        def replaced(match: re.Match[str]) -> str:
            name = match["braced"] or match["plain"] or match["mustache"] or match["angle"]
            # A connector's own templates, such as `${topic}`, are in small letters.
            if not _CONSTANT.fullmatch(name) and name not in self.given:
                return match[0]
            value = self.value(name, directory, depth) if self.left > 0 else None
            if value is None:
                return match["default"] or match[0]
            self.left -= max(0, len(value) - len(match[0]))
            return value

        return _REFERENCE.sub(replaced, text)


@dataclass(frozen=True, slots=True)
class VariableScope(Mapping[str, str]):
    """The variables of one directory, as a mapping."""

    variables: Variables
    directory: str

    def __getitem__(self, name: str) -> str:
        value = self.variables.value(name, self.directory)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        names = {**self.variables._values, **self.variables.given}
        return (name for name in names if self.variables.value(name, self.directory) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def resolved(self, text: str) -> str:
        """Return *text* with placeholders replaced by their values; one without a value stays."""
        return self.variables.resolved(text, self.directory)


def _is_below(directory: str, other: str) -> bool:
    return not other or directory == other or directory.startswith(f"{other}/")


def _shared(first: str, second: str) -> int:
    """Return how near two directories are: the number of directories that their paths have in common."""
    count = 0
    for one, other in zip(first.split("/") if first else (), second.split("/") if second else (), strict=False):
        if one != other:
            break
        count += 1
    return count


_OPENING = re.compile(r"\{([{%#])")
_BRACE = re.compile(r"[{}]")


class TemplatePart(NamedTuple):
    """A part of a template: an expression (`{`), a block (`%`) or a remark (`#`), and where it stands."""

    start: int
    end: int
    kind: str
    text: str


def template_parts(content: str) -> Iterator[TemplatePart]:
    """Yield the parts of a template, up to one that does not end; an expression may have braces of its own."""
    at = 0
    while (found := _OPENING.search(content, at)) is not None:
        kind, depth = found[1], 0
        if kind == "{":
            ends = iter(_BRACE.finditer(content, found.start()))
            end = next((one.end() for one in ends if (depth := depth + (1 if one[0] == "{" else -1)) == 0), 0)
        else:
            end = content.find(f"{kind}}}", found.end()) + 2
            end = 0 if end == 1 else end
        if not end:
            return
        yield TemplatePart(found.start(), end, kind, content[found.start() + 2 : end - 2].strip("-").strip())
        at = end
