"""Topic names with parts that depend on data: literals, and wildcards with a pattern and sample texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dataflow_generator.connectors.java_regex import JavaRegex, java_regex

# The literal prefix of a pattern, up to a repeated character.
_LITERAL_START = re.compile(r"(?:(?:[\w-]|\\[.\-_$])(?![*?{]))*", re.ASCII)
_UNESCAPED = re.compile(r"\\(.)")
_SPECIAL = re.compile(r"([\\.\[\]{}()*+?^$|])")


@dataclass(frozen=True, slots=True)
class Wildcard:
    """A part that depends on data: a pattern, and matching sample texts; the first occurs in no real name."""

    pattern: str = ".*"
    samples: tuple[str, ...] = ("\ue000", "a.b", "A1_-")


@dataclass(frozen=True, slots=True)
class Template:
    """A name, or a family of names."""

    parts: tuple[str | Wildcard, ...]

    @classmethod
    def of(cls, name: str) -> Template:
        """Build the template of one exact name."""
        return cls((name,))

    @property
    def name(self) -> str | None:
        """Return the name; None for a family."""
        return "".join(map(str, self.parts)) if all(isinstance(part, str) for part in self.parts) else None

    @property
    def pattern(self) -> str:
        """Return the Java regular expression of the family."""
        return "".join(quoted(part) if isinstance(part, str) else part.pattern for part in self.parts)

    def includes(self, name: str) -> bool:
        """Return whether *name* belongs to the family."""
        return self.name == name if self.name is not None else java_regex(self.pattern).matches(name)

    def sample(self, number: int) -> str:
        """Return one name of the family, with sample *number* for every wildcard."""
        return "".join(part if isinstance(part, str) else part.samples[number] for part in self.parts)

    @property
    def wildcards(self) -> tuple[Wildcard, ...]:
        """Return the parts that stand for text that is not known, in order."""
        return tuple(part for part in self.parts if isinstance(part, Wildcard))


def quoted(text: str) -> str:
    """Escape *text* for a regular expression, as people would."""
    return _SPECIAL.sub(r"\\\1", text)


def joined(parts: Iterable[str | Wildcard]) -> Template:
    """Build a template from parts; empty literals are removed, equal neighbours merged."""
    merged: list[str | Wildcard] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, str) and isinstance(last, str):
            merged[-1] = last + part
        elif part and part != last:
            merged.append(part)
    return Template(tuple(merged))


def replaced(template: Template, regex: JavaRegex, replacement: str) -> tuple[Template | None, ...]:
    """Replace in *template* where *regex* matches the whole name, as Kafka's RegexRouter does.

    None stands for unknown names. Raises InputInvalid for a replacement that Java refuses.
    """
    if template.name is not None:
        name = template.name
        return (Template.of(regex.replace_first(name, replacement)),) if regex.matches(name) else (template,)
    samples = range(min(len(wild.samples) for wild in template.wildcards))
    matching = [regex.matches(template.sample(number)) for number in samples]
    if not any(matching):
        return (template,) if _cannot_match(template, regex.pattern) else (template, None)
    result = _read_back(template, regex.replace_first(template.sample(0), replacement))
    agrees = all(
        result.sample(number) == regex.replace_first(template.sample(number), replacement) for number in samples
    )
    return (result,) if all(matching) and agrees else (None,)


def _cannot_match(template: Template, pattern: str) -> bool:
    """Return whether *pattern* cannot match any name of the family, because their prefixes differ."""
    first = template.parts[0]
    start = _UNESCAPED.sub(r"\1", _LITERAL_START.match(pattern)[0]) if "|" not in pattern else ""  # type: ignore[index]
    return isinstance(first, str) and not first.startswith(start) and not start.startswith(first)


def family(pattern: str) -> Template | None:
    """Return the template of a pattern that is a literal followed by `.*`; None for other patterns."""
    start = pattern.removesuffix(".*")
    if start == pattern or not start or not _LITERAL_START.fullmatch(start):
        return None
    return Template((_UNESCAPED.sub(r"\1", start), Wildcard()))


def _read_back(template: Template, name: str) -> Template:
    """Replace the samples of *template* in a replacement's result by its wildcards."""
    by_sample = {wild.samples[0]: wild for wild in template.wildcards}
    marks = re.compile("(" + "|".join(map(re.escape, by_sample)) + ")")
    return joined(by_sample.get(part, part) for part in marks.split(name))
