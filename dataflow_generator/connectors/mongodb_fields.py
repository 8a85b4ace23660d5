"""The post-processors of MongoDB's sink: which fields of a record a chain removes and renames.

Source: `com.mongodb.kafka.connect.sink.processor` of mongo-kafka. A setting of one topic, `topic.override.<topic>.…`,
comes before that of all topics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.java_regex import java_regex
from scanner_model.columns import ColumnPath
from scanner_model.documents.json_input import load_text

_ID = "_id"

Rule = Callable[[ColumnPath], ColumnPath | None]
"""Returns a field's path after a post-processor; None for a removed field. Raises InputInvalid."""


@dataclass(frozen=True, slots=True)
class PostProcessors:
    """The chain of one topic."""

    config: Config
    topic: str

    def path(self, path: ColumnPath) -> ColumnPath | None:
        """Return the path of a value's field in the document; None for a field that the chain removes.

        Raises InputInvalid for a regular expression that is not evaluated.
        """
        for rule in self._rules():
            renamed = rule(path)
            if renamed is None:
                return None
            path = renamed
        return path

    @property
    def because(self) -> str:
        """Return the key of the chain; empty if it is not configured."""
        return self.config.key(f"topic.override.{self.topic}.post.processor.chain", "post.processor.chain")

    def _text(self, key: str) -> str:
        return self.config.text(f"topic.override.{self.topic}.{key}", key)

    def _rules(self) -> Iterator[Rule]:
        rules: Mapping[str, Rule] = {
            "AllowListValueProjector": self._allowed,
            "WhitelistValueProjector": self._allowed,
            "BlockListValueProjector": self._not_blocked,
            "BlacklistValueProjector": self._not_blocked,
            "RenameByMapping": self._mapped,
            "RenameByRegExp": self._matched,
            "RenameByRegex": self._matched,
        }
        for item in self._text("post.processor.chain").split(","):
            rule = rules.get(item.strip().rpartition(".")[2])
            if rule is not None:
                yield rule

    def _projects(self, *kinds: str) -> tuple[str, ...]:
        """Return the fields of the projection; empty for a type that is not one of *kinds*."""
        if self._text("value.projection.type").lower() not in kinds:
            return ()
        return tuple(item.strip() for item in self._text("value.projection.list").split(",") if item.strip())

    def _allowed(self, path: ColumnPath) -> ColumnPath | None:
        names = self._projects("allowlist", "whitelist")
        if not names or path[:1] == (_ID,):
            return path
        # The connector adds the parents of a listed field, but not its children.
        return path if any(_is(name, path) or name.startswith(".".join(path) + ".") for name in names) else None

    def _not_blocked(self, path: ColumnPath) -> ColumnPath | None:
        names = self._projects("blocklist", "blacklist")
        starts = (path[:length] for length in range(1, len(path) + 1))
        blocked = path[:1] != (_ID,) and any(_is(name, start) for start in starts for name in names)
        return None if blocked else path

    def _mapped(self, path: ColumnPath) -> ColumnPath:
        names = {
            str(item.get("oldName", "")): str(item.get("newName", "")) for item in _items(self._text(RENAMER_MAPPING))
        }
        return _renamed(path, lambda full, name: names.get(full, name))

    def _matched(self, path: ColumnPath) -> ColumnPath:
        def name_of(full: str, name: str) -> str:
            for item in _items(self._text(RENAMER_REGEXP)):
                if java_regex(str(item.get("regexp", ""))).matches(full):
                    name = java_regex(str(item.get("pattern", ""))).replace_all(name, str(item.get("replace", "")))
            return name

        return _renamed(path, name_of)


RENAMER_MAPPING, RENAMER_REGEXP = "field.renamer.mapping", "field.renamer.regexp"


def is_list_of_objects(text: str) -> bool:
    """Return whether *text* is a JSON list of objects, as the renamers need it."""
    try:
        value = load_text(text)
    except ValueError:
        return False
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _items(text: str) -> list[dict[str, object]]:
    return load_text(text) if text and is_list_of_objects(text) else []


def _renamed(path: ColumnPath, name_of: Callable[[str, str], str]) -> ColumnPath:
    """Return *path* with each segment renamed; *name_of* gets the original path below `value` and the segment."""
    names = (name_of(".".join(("value", *path[: at + 1])), name) for at, name in enumerate(path))
    return tuple(names)


def _is(pattern: str, path: ColumnPath) -> bool:
    """Return whether a listed name is *path*: `*` stands for one segment, `**` for one or more."""
    text = re.escape(pattern).replace(r"\*\*", ".+").replace(r"\*", r"[^.]+")
    return re.fullmatch(text, ".".join(path)) is not None
