"""Dataset identity: resolve names of one dataset (broker addresses, symlinks, partitions, missing schemas) to one name.

Pure: from names to names. An uncertain match comes with its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import regex

from dataflow_generator.analysis.connectivity import UnionFind
from dataflow_generator.connectors.dataset_names import DEFAULT_SCHEMAS
from dataflow_generator.jobs.databases.names import TableNames
from dataflow_generator.openlineage.names import (
    KAFKA,
    Name,
    is_file_like,
    kafka_addresses,
    normal,
    normal_namespace,
    trimmed,
)
from scanner_model.documents.pattern_limits import TimeLimit, TookTooLong, is_too_large
from scanner_model.errors import Problem
from scanner_model.openlineage import DatasetRef, Symlink

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

    @property
    def namespaces(self) -> frozenset[str]:
        """Return the canonical namespaces."""
        return frozenset((*self.brokers.values(), *self.words.values(), *(space for _, space in self.patterns)))

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
            if name := self.brokers.get(address) or self.words.get(address) or self.words.get(host):
                return name
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

    Two broker lists that share an address belong to one cluster. *scanned* namespaces keep their names.
    """

    def __init__(self, namespaces: Iterable[str], clusters: KafkaClusters, scanned: Collection[str] = ()) -> None:
        listed = sorted(set(namespaces))
        self._scanned = {normal_namespace(namespace) for namespace in scanned}
        groups: UnionFind[str] = UnionFind()
        for namespace in listed:
            groups.join(kafka_addresses(namespace))
        self._clusters = clusters
        self._shared: dict[str, str] = {}
        for group in groups.all():
            cluster = next(filter(None, (clusters.find(KAFKA + address) for address in sorted(group))), None)
            kept = [KAFKA + address for address in group if KAFKA + address in self._scanned]
            self._shared |= dict.fromkeys(group, cluster or min(kept, default=KAFKA + min(group)))
        unknown = [unmatched for unmatched in listed if self.canonical(unmatched) not in set(clusters.brokers.values())]
        alike = (problem for unmatched in unknown for problem in clusters.alike(unmatched))
        self.problems = (*alike, *clusters.slow.values())

    def canonical(self, namespace: str) -> str:
        """Return the namespace of the cluster; one without an address is only normalized."""
        canonical = self._clusters.find(namespace)
        if canonical is None and normal_namespace(namespace) not in self._scanned:
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


"""The default schema of a server, used for tables that are named without one."""


class ResolvedName(NamedTuple):
    """The display name of a dataset; *why* is the reason of an uncertain match, empty for a certain one."""

    name: Name
    why: str = ""


class DatasetIdentity:
    """Resolves names: *reported* are the datasets of events, *symlinks* their other names.

    *known* are the names that scans found, *catalogs* the symlinks of scanned catalogs: an event never renames them.
    *tables* finds those of databases by other addresses and in another case.

    Of equivalent names the display name is one that a scan found, else that of a Kafka topic, else a catalog table,
    else the first in order.
    """

    def __init__(
        self,
        reported: Collection[DatasetRef],
        symlinks: Iterable[tuple[DatasetRef, Symlink]] = (),
        *,
        catalogs: Iterable[tuple[DatasetRef, Symlink]] = (),
        clusters: KafkaClusters | None = None,
        known: Collection[Name] = (),
        tables: TableNames | None = None,
    ) -> None:
        self._databases = tables or TableNames()
        self._clusters = clusters or KafkaClusters()
        spaces = {ref.namespace for ref in reported if _is_kafka(ref.namespace)}
        scanned_spaces = {name.namespace for name in known if _is_kafka(name.namespace)}
        self._kafka = KafkaNamespaces(spaces, self._clusters, scanned_spaces)
        self._scanned: set[Name] = set()
        self._shown: dict[Name, Name] = {}
        self._shown = self._groups(catalogs)
        self._scanned = {self._plain(*name).name for name in known} | {*self._shown, *self._shown.values()}
        self._shown |= self._groups(symlinks)
        found = {self._resolve_exactly(*name).name for name in known}
        self._tables_of_scans = _by_table(found)
        self._tables = _by_table({self._resolve_exactly(*ref).name for ref in map(_pair, reported)} | found)
        self._kept = self._kept_names()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the names that may be equivalent but were not merged."""
        return self._kafka.problems

    def resolve(self, namespace: str, name: str) -> ResolvedName:
        """Return the display name of a dataset."""
        certain = self._resolve_exactly(namespace, name)
        table = None if _is_kafka(namespace) else self._databases.find(*certain.name)
        certain = certain._replace(name=Name(*table)) if table else certain
        if self._is_scanned(certain.name):
            return self._with_schema(certain.name, self._tables_of_scans) or certain
        probable = self._with_schema(certain.name, self._tables) or certain
        return self._kept.get(probable.name, probable)

    def _is_scanned(self, name: Name) -> bool:
        return name in self._scanned or name.namespace in self._clusters.namespaces

    def _kept_names(self) -> Mapping[Name, ResolvedName]:
        """Return the names that scans found by what events call the same table with its schema or database."""
        kept: dict[Name, ResolvedName] = {}
        for name in sorted(self._scanned):
            probable = self._with_schema(name, self._tables)
            if probable and not self._is_scanned(probable.name):
                kept.setdefault(probable.name, probable._replace(name=name))
        return kept

    def _resolve_exactly(self, namespace: str, name: str) -> ResolvedName:
        """Resolve by certain rules only, without partitions."""
        plain = self._plain(namespace, name)
        return plain._replace(name=self._shown.get(plain.name, plain.name))

    def _plain(self, namespace: str, name: str) -> ResolvedName:
        if _is_kafka(namespace):
            return ResolvedName(Name(self._kafka.canonical(namespace), name))
        normalized = normal(namespace, name)
        if not is_file_like(normalized.namespace):
            return ResolvedName(normalized)
        cut = trimmed(normalized.name)
        why = f"{cut.partitions!r} looks like the date of a partition" if cut.guessed else ""
        return ResolvedName(normalized._replace(name=cut.name), why)

    def _groups(self, symlinks: Iterable[tuple[DatasetRef, Symlink]]) -> dict[Name, Name]:
        """Return the display names of equivalent names; one that a scan found is its own."""
        groups: UnionFind[Name] = UnionFind()
        tables: set[Name] = set()
        for ref, link in symlinks:
            # Flink reports a table name in Kafka's namespace, which is not a name of the topic.
            if not (_is_kafka(link.namespace) and link.kind == "TABLE"):
                other = self._resolve_exactly(link.namespace, link.name).name
                groups.join((self._resolve_exactly(*_pair(ref)).name, other))
                tables |= {other} if link.kind == "TABLE" else set()
        shown: dict[Name, Name] = {}
        for group in groups.all():
            scanned = [name for name in group if self._is_scanned(name)]
            display = _display(scanned or list(group), tables)
            shown |= {name: name if name in scanned else display for name in group}
        return shown

    def _with_schema(self, name: Name, tables: Mapping[tuple[str, str], list[Name]]) -> ResolvedName | None:
        """Return the probable table behind a name without its schema or its database; None if absent."""
        schema = DEFAULT_SCHEMAS.get(name.namespace.partition(":")[0])
        if schema is None or name.name.count(".") != 1:
            return None
        database, _, table = name.name.partition(".")
        within = tables.get((name.namespace, table), ())
        for other in within:
            if other.name == f"{database}.{schema}.{table}":
                return ResolvedName(
                    other, f"{name.name!r} names no schema, and {schema!r} is the default schema of such a server"
                )
        ending = [other for other in within if other.name.endswith(f".{name.name}")]
        if len(ending) == 1:
            return ResolvedName(
                ending[0], f"{name.name!r} names no database, and only one of that server has such a table"
            )
        return None


def _by_table(names: Iterable[Name]) -> Mapping[tuple[str, str], list[Name]]:
    """Return the tables with database and schema by namespace and unqualified name."""
    tables: dict[tuple[str, str], list[Name]] = {}
    for name in sorted(names):
        if name.name.count(".") == 2:
            tables.setdefault((name.namespace, name.name.rpartition(".")[2]), []).append(name)
    return tables


def _display(group: list[Name], tables: Collection[Name]) -> Name:
    return min(group, key=lambda name: (not _is_kafka(name.namespace), name not in tables, name))


def _is_kafka(namespace: str) -> bool:
    return namespace[: len(KAFKA)].lower() == KAFKA


def _pair(ref: DatasetRef) -> tuple[str, str]:
    return ref.namespace, ref.name
