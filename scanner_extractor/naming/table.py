"""The table of naming strategies, ours and plug-ins, and which of them each type of registry uses by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from scanner_extractor.naming import strategies
from scanner_extractor.naming.candidates import Candidate, Strategy, Subject
from scanner_extractor.naming.strategies import PREFIX, regex_strategy
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid
from scanner_model.plugins import NAMING_STRATEGIES, Plugin, plugins

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
"""The strategies that the serialisers of a registry type offer, the most common first."""


def strategies_in_force(names: Sequence[str], kind: str) -> tuple[Strategy, ...]:
    """Return the strategies called *names* in their order; without names, those of the registry type *kind*.

    Raises InputInvalid for an unknown name and for a pattern that cannot be used. A plug-in is loaded when it is
    called, and raises PluginError then where it cannot be.
    """
    return tuple(map(_strategy, names or default_names(kind)))


def default_names(kind: str) -> tuple[str, ...]:
    """Return the strategies of a registry type; a plug-in's type has those of Confluent's."""
    return DEFAULTS.get(kind, _CONFLUENT)


def _strategy(name: str) -> Strategy:
    if name.startswith(PREFIX):
        return _regex(name)
    if name in STRATEGIES:
        return STRATEGIES[name]
    others = plugins(NAMING_STRATEGIES)
    if name not in others:
        known = (*STRATEGIES, *others)
        hint = closest_match(name, known) or f"known: {', '.join(known)}, regex:PATTERN"
        raise InputInvalid(f"no naming strategy is called {name!r}", hint=hint)
    return _plugged_in(others[name])


_regex = lru_cache(maxsize=256)(regex_strategy)


@lru_cache(maxsize=256)
def _plugged_in(plugin: Plugin) -> Strategy:
    """Return the strategy of a plug-in; one that cannot be loaded, or fails, raises PluginError where it is called."""
    read = plugin.load_or_raise_later()

    def strategy(subject: Subject) -> tuple[Candidate, ...]:
        candidates = read(subject)
        if isinstance(candidates, tuple) and all(isinstance(candidate, Candidate) for candidate in candidates):
            return candidates
        raise plugin.error(f"returned {type(candidates).__name__}, which is not a tuple of Candidate")

    return strategy
