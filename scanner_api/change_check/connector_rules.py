"""Which changed settings of a connector may change its data, or who reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scanner_model.text import has_placeholder

_OF_RUN = (
    r"tasks\.?max|[\w.]*(?:(?:timeout|interval|backoff|delay)\.(?:ms|sec(?:ond)?s?)|retries|attempts)|(?:flush|batch|buffer|fetch|queue)\.(?:(?:max|min|size|count|bytes|records|memory|linger|ms)[\w.]*|[\w.]*(?:size|bytes|ms))"
    r"|[\w.]*(?:user|username|password|secret|token|credentials?)|(?:[\w.]*\.)?(?:ssl|sasl|security)\.[\w.]*"
    r"|(?:database\.history|schema\.history\.internal)\.[\w.]*|(?:errors\.log|heartbeat|logging|management)\.[\w.]*"
)
_HARMLESS = re.compile(rf"(?i)(?!transforms|predicates)(?:{_OF_RUN}|max\.[\w.]*|name)")
"""A setting of a connector that says how it runs, not which data there are, nor their form."""
_JUDGED = re.compile(r"[\w.]*topics?(?:\.regex)?|(?:table|collection|database|schema)\.(?:include\.list|whitelist)")
"""A setting whose whole effect is in the flows, which are compared."""


def changed_settings(before: Mapping[str, str], after: Mapping[str, str], *, is_read: bool) -> list[str]:
    """Return the keys of the settings that differ and may change data, those of Debezium by their newer names.

    *is_read*: the flows of both sides are known, so that a setting whose whole effect is in them is left out, unless
    one of its values is a placeholder.
    """
    old, new = _by_newest_key(before), _by_newest_key(after)
    keys = {key for key, _ in old.items() ^ new.items()}
    stops = {key for key in keys if key.endswith("tasks.max") and "0" in (old.get(key), new.get(key))}
    kept = {key for key in keys if key in stops or not _HARMLESS.fullmatch(key)}
    return sorted(key for key in kept if not (is_read and _is_shown(key, old.get(key, ""), new.get(key, ""))))


def _is_shown(key: str, before: str, after: str) -> bool:
    return _JUDGED.fullmatch(key) is not None and not (has_placeholder(before) or has_placeholder(after))


def _by_newest_key(config: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a connector by the names that newer versions of Debezium have for them."""
    is_debezium = "io.debezium." in config.get("connector.class", "")
    return {_renamed(key): value for key, value in config.items()} if is_debezium else dict(config)


def _renamed(key: str) -> str:
    if key == "database.server.name":
        return "topic.prefix"
    return key.replace(".whitelist", ".include.list").replace(".blacklist", ".exclude.list")
