"""Resolve Kafka namespaces to clusters, by broker addresses in any form, aliases and patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import regex

from dataflow_generator.openlineage.identity.names import KAFKA, kafka_addresses, normal_namespace
from dataflow_generator.openlineage.identity.union_find import UnionFind
from scanner_model.pattern_limits import TimeLimit, TookTooLong, is_too_large
from scanner_model.problems import Problem

PATTERN = "regex:"
"""Prefix of a cluster alias that is a regular expression over `host:port`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaClusters:
    """The known clusters: canonical namespaces by broker address, and by aliases.

    *words* are hosts, `host:port` or names, in lower case; *patterns* match `host:port`, the first match counts.
    *slow* has a problem for each pattern that exceeded the time limit on an address.
    """

    brokers: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    patterns: tuple[tuple[regex.Pattern[str], str], ...] = ()
    limit: TimeLimit = field(default_factory=TimeLimit, compare=False)
    slow: dict[str, Problem] = field(default_factory=dict, compare=False)

    @classmethod
    def of(
        cls, brokers: Mapping[str, str], aliases: Iterable[tuple[str, str]], limit: TimeLimit | None = None
    ) -> KafkaClusters:
        """Build them from broker addresses and (alias, namespace) pairs; invalid patterns are left out."""
        words: dict[str, str] = {}
        patterns: list[tuple[regex.Pattern[str], str]] = []
        for alias, namespace in aliases:
            if alias.startswith(PATTERN):
                patterns += _compiled(alias.removeprefix(PATTERN), namespace)
            else:
                words.setdefault(alias.lower(), namespace)
        return cls(brokers=brokers, words=words, patterns=tuple(patterns), limit=limit or TimeLimit())

    def find(self, namespace: str) -> str | None:
        """Return the canonical namespace of the cluster that *namespace* refers to; None for an unknown cluster."""
        addresses = kafka_addresses(namespace)
        for address in addresses:
            host = address.rpartition(":")[0]
            if found := self.brokers.get(address) or self.words.get(address) or self.words.get(host):
                return found
        return next((space for pattern, space in self.patterns if self._fits(pattern, addresses)), None)

    def _fits(self, pattern: regex.Pattern[str], addresses: Iterable[str]) -> bool:
        try:
            return any(self.limit.run(pattern.fullmatch, address, pattern.pattern) for address in addresses)
        except TookTooLong as error:
            where = f"alias {PATTERN}{pattern.pattern}"
            self.slow.setdefault(where, Problem(where, error.what, error.hint))
            return False

    def alike(self, namespace: str) -> Iterator[Problem]:
        """Yield problems for an unknown cluster that has the host of a known broker with another port."""
        hosts = {address.rpartition(":")[0]: address for address in sorted(self.brokers, reverse=True)}
        for address in kafka_addresses(namespace):
            if known := hosts.get(address.rpartition(":")[0]):
                what = f"may be the cluster of {known}: same host, different port; not merged"
                hint = f"if it is, add the alias {address} to the cluster"
                yield Problem(f"OpenLineage namespace {namespace}", what, hint)


class KafkaNamespaces:
    """Maps each Kafka namespace in events to the canonical namespace of its cluster, known or not.

    Two broker lists that share an address belong to one cluster.
    """

    def __init__(self, namespaces: Iterable[str], clusters: KafkaClusters) -> None:
        listed = sorted(set(namespaces))
        groups: UnionFind[str] = UnionFind()
        for namespace in listed:
            groups.join(kafka_addresses(namespace))
        self._clusters = clusters
        self._shared: dict[str, str] = {}
        for group in groups.all():
            found = next(filter(None, (clusters.find(KAFKA + address) for address in sorted(group))), None)
            self._shared |= dict.fromkeys(group, found or KAFKA + min(group))
        unknown = [unmatched for unmatched in listed if self.canonical(unmatched) not in set(clusters.brokers.values())]
        alike = (problem for unmatched in unknown for problem in clusters.alike(unmatched))
        self.problems = (*alike, *clusters.slow.values())

    def canonical(self, namespace: str) -> str:
        """Return the namespace of the cluster; one without an address is only normalized."""
        canonical = self._clusters.find(namespace)
        if canonical is None:
            shared = (self._shared[address] for address in kafka_addresses(namespace) if address in self._shared)
            canonical = next(shared, None)
        return canonical or normal_namespace(namespace)


def _compiled(pattern: str, namespace: str) -> Iterator[tuple[regex.Pattern[str], str]]:
    if is_too_large(pattern):
        return
    try:
        yield regex.compile(pattern), namespace
    except (regex.error, OverflowError, RecursionError):
        return
