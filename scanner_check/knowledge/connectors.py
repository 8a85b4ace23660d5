"""Which changed settings of a connector may change its data, or who reads it."""

from __future__ import annotations

from collections.abc import Mapping

from dataflow_generator.connectors.run_settings import families_of, only_runs
from scanner_model.text import has_placeholder

_JUDGED_ENDS = ("topic", "topics", "topic.regex", "topics.regex")
_JUDGED = frozenset(
    f"{what}.{list_}"
    for what in ("table", "collection", "database", "schema")
    for list_ in ("include.list", "whitelist")
)
"""Settings whose whole effect is in the flows, which are compared; and what others of these end in."""
_HEADERS = frozenset(("InsertHeader", "ExtractChangedRecordState", "ActivateTracingSpan"))
"""Transforms that add a header: a reader that does not know it ignores it."""
_HEARTBEAT = "heartbeat.interval.ms"
_HEARTBEATS = frozenset(("heartbeat.topics.prefix", "topic.heartbeat.prefix"))
"""When Debezium writes heartbeats, never by default, and what their topic is called."""


def changed_settings(before: Mapping[str, str], after: Mapping[str, str], *, is_read: bool) -> list[str]:
    """Return the keys of the settings that differ and may change data, those of Debezium by their newer names.

    *is_read*: the flows of both sides are known, so that a setting whose whole effect is in them is left out, unless
    one of its values is a placeholder.
    """
    old, new = _by_newest_key(before), _by_newest_key(after)
    keys = {key for key, _ in old.items() ^ new.items()}
    stops = {key for key in keys if key.endswith("tasks.max") and "0" in (old.get(key), new.get(key))}
    families = {family for config in (before, after) for family in families_of(config.get("connector.class", ""))}
    kept = {key for key in keys if key in stops or not only_runs(key, families)}
    kept -= _of_headers(old, new)
    if old.get(_HEARTBEAT, "0").strip() == "0":
        kept -= _HEARTBEATS  # nothing reads a topic that nothing wrote
    return sorted(key for key in kept if not (is_read and _is_shown(key, old.get(key, ""), new.get(key, ""))))


def _of_headers(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """Return the keys of new transforms that only add headers, and their list if it has no other change."""
    old, new = ([one.strip() for one in config.get("transforms", "").split(",")] for config in (before, after))
    adds = [
        one for one in new if one not in old and after.get(f"transforms.{one}.type", "").rpartition(".")[2] in _HEADERS
    ]
    is_same = [one for one in new if one and one not in adds] == [one for one in old if one]
    keys = {key for key in after for one in adds if key.startswith(f"transforms.{one}.")}
    return keys | ({"transforms"} if is_same else set())


def _is_shown(key: str, before: str, after: str) -> bool:
    return (key in _JUDGED or key.endswith(_JUDGED_ENDS)) and not (has_placeholder(before) or has_placeholder(after))


def _by_newest_key(config: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a connector by the names that newer versions of Debezium have for them."""
    is_debezium = "io.debezium." in config.get("connector.class", "")
    return {_renamed(key): value for key, value in config.items()} if is_debezium else dict(config)


def _renamed(key: str) -> str:
    if key == "database.server.name":
        return "topic.prefix"
    return key.replace(".whitelist", ".include.list").replace(".blacklist", ".exclude.list")
