"""The table of naming strategies, ours and plug-ins', and which of them each kind of registry uses by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import entry_points

from scanner_extractor.naming import strategies
from scanner_extractor.naming.candidates import Strategy
from scanner_extractor.naming.strategies import PREFIX, regex_strategy
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid

ENTRY_POINTS = "scanner.naming_strategies"

STRATEGIES: Mapping[str, Strategy] = {
    "topic": strategies.by_topic,
    "topic-record": strategies.by_topic_and_record,
    "record": strategies.by_record,
    "simple-topic-id": strategies.by_simple_topic,
    "hortonworks": strategies.by_hortonworks,
    "apicurio-record": strategies.by_group_and_record,
    "apicurio-topic-record": strategies.by_group_topic_and_record,
    "apicurio-qualified-record": strategies.by_qualified_record,
    "associated": strategies.by_association,
}

_CONFLUENT = ("topic", "topic-record", "record", "simple-topic-id")

DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "confluent": ("associated", *_CONFLUENT),
    "karapace": _CONFLUENT,
    "apicurio": ("topic", "apicurio-topic-record", "apicurio-record", "apicurio-qualified-record", "simple-topic-id"),
    "cloudera": ("hortonworks",),
    "glue": ("simple-topic-id",),
}
"""The strategies that a registry kind's own serialisers offer, the likeliest first."""


def strategies_in_force(names: Sequence[str], kind: str) -> tuple[Strategy, ...]:
    """Return the strategies called *names* in their order; without names, those of the registry kind.

    Raises InputInvalid for a name that nobody registered and for a pattern that cannot be used.
    """
    return tuple(map(_strategy, names or default_names(kind)))


def default_names(kind: str) -> tuple[str, ...]:
    """Name the strategies of a registry kind; a kind of a plug-in is taken for one that speaks Confluent's API."""
    return DEFAULTS.get(kind, _CONFLUENT)


@lru_cache(maxsize=256)
def _strategy(name: str) -> Strategy:
    if name.startswith(PREFIX):
        return regex_strategy(name)
    known = STRATEGIES.get(name) or _plug_in(name)
    if known is None:
        hint = closest_match(name, list(STRATEGIES)) or f"known here: {', '.join(STRATEGIES)}, regex:PATTERN"
        raise InputInvalid(f"no naming strategy is called {name!r}", hint=hint)
    return known


def _plug_in(name: str) -> Strategy | None:
    for point in entry_points(group=ENTRY_POINTS, name=name):
        try:
            strategy: Strategy = point.load()
        except (ImportError, AttributeError) as error:
            raise InputInvalid(f"naming strategy {name!r} cannot be loaded: {error}", where=point.value) from error
        return strategy
    return None
