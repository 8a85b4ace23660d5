"""The configuration of a subject that decides what its registry accepts, and its form in one word list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from scanner_model.documents.json_input import load_shared

STRICT = "STRICT"
_DOCUMENTATION = frozenset({"doc", "description", "title", "$comment", "examples"})
_COMMENTS = re.compile(r'("(?:\\.|[^"\\\n])*+"?|/\*(?:[^*]|\*(?!/))*+\Z)|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectConfig:
    """The configuration of a subject: *level* and *policy* in the registry's words; an empty policy is STRICT.

    *group*: only versions with the same value of this metadata property are compared. *alias*: the registry puts this
    subject in its place. *validate_fields*: reserved fields are checked as well.
    """

    level: str = ""
    policy: str = ""
    group: str = ""
    alias: str = ""
    validate_fields: bool = False

    @classmethod
    def parse(cls, words: str) -> SubjectConfig:
        """Parse what `str` wrote: `FULL LOGICAL group=major alias=orders-value validateFields`."""
        level, *rest = words.split() or [""]
        named = dict(word.split("=", 1) for word in rest if "=" in word)
        flags = [word for word in rest if "=" not in word]
        return cls(
            level=level,
            policy=next((flag for flag in flags if flag != "validateFields"), ""),
            group=unquote(named.get("group", "")),
            alias=unquote(named.get("alias", "")),
            validate_fields="validateFields" in flags,
        )

    def __str__(self) -> str:
        """Return the words, the level first; what is ordinary is left out."""
        words = (
            self.level,
            self.policy if self.policy != STRICT else "",
            f"group={quote(self.group, safe='')}" if self.group else "",
            f"alias={quote(self.alias, safe='')}" if self.alias else "",
            "validateFields" if self.validate_fields else "",
        )
        return " ".join(filter(None, words))


def same_but_for_words(format: str, first: str, second: str) -> bool:
    """Return whether two schemas differ in documentation only, which no rule of any policy reads."""
    if format == "PROTOBUF":
        return _without_comments(first) == _without_comments(second)
    try:
        return bool(_without_words(load_shared(first)) == _without_words(load_shared(second)))
    except (ValueError, RecursionError):
        return False


def _without_comments(text: str) -> str:
    return " ".join(_COMMENTS.sub(lambda match: match[1] or " ", text).split())


def _without_words(value: object) -> object:
    """Return a schema without documentation; a property that is called `doc` or `title` stays."""
    if isinstance(value, dict):
        return {
            key: item if key in _NAMES else _without_words(item)
            for key, item in value.items()
            if not (key in _DOCUMENTATION and isinstance(item, str | list))
        }
    return [_without_words(item) for item in value] if isinstance(value, list) else value


_NAMES = frozenset({"default", "const", "enum", "symbols"})
"""Members whose content is data, and no schema."""
