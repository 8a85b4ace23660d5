"""Dataset identity: resolve names of one dataset (broker addresses, symlinks, partitions, missing schemas) to one name.

Pure: from names to names. An uncertain match comes with its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from dataflow_generator.openlineage.identity.kafka_clusters import KafkaClusters, KafkaNamespaces
from dataflow_generator.openlineage.identity.names import KAFKA, Name, is_file_like, normal, trimmed
from dataflow_generator.openlineage.identity.union_find import UnionFind
from scanner_model.openlineage import DatasetRef, Symlink
from scanner_model.problems import Problem

_DEFAULT_SCHEMAS = {"postgres": "public", "redshift": "public", "sqlserver": "dbo"}
"""The default schema of a server, used for tables that are named without one."""


class ResolvedName(NamedTuple):
    """The display name of a dataset; *why* is the reason of an uncertain match, empty for a certain one."""

    name: Name
    why: str = ""


class DatasetIdentity:
    """Resolves names: *reported* are the datasets of events, *symlinks* their other names, *known* names elsewhere.

    Of equivalent names the display name is that of a Kafka topic, else a catalog table, else the first in order.
    """

    def __init__(
        self,
        reported: Collection[DatasetRef],
        symlinks: Iterable[tuple[DatasetRef, Symlink]] = (),
        *,
        clusters: KafkaClusters | None = None,
        known: Iterable[Name] = (),
    ) -> None:
        spaces = {ref.namespace for ref in reported if _is_kafka(ref.namespace)}
        self._kafka = KafkaNamespaces(spaces, clusters or KafkaClusters())
        self._shown = self._display_names(symlinks)
        self._tables = _by_table({self._certain(*ref).name for ref in map(_pair, reported)} | set(known))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the names that may be equivalent but were not merged."""
        return self._kafka.problems

    def resolve(self, namespace: str, name: str) -> ResolvedName:
        """Return the display name of a dataset."""
        certain = self._certain(namespace, name)
        return self._with_schema(certain.name) or certain

    def _certain(self, namespace: str, name: str) -> ResolvedName:
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

    def _display_names(self, symlinks: Iterable[tuple[DatasetRef, Symlink]]) -> Mapping[Name, Name]:
        groups: UnionFind[Name] = UnionFind()
        tables: set[Name] = set()
        for ref, link in symlinks:
            # Flink reports a table name in Kafka's namespace, which is not a name of the topic.
            if not (_is_kafka(link.namespace) and link.kind == "TABLE"):
                other = self._plain(link.namespace, link.name).name
                groups.join((self._plain(*_pair(ref)).name, other))
                tables |= {other} if link.kind == "TABLE" else set()
        return {name: _display(group, tables) for group in groups.all() for name in group}

    def _with_schema(self, name: Name) -> ResolvedName | None:
        """Return the probable table behind a name without its schema or its database; None where there is none."""
        schema = _DEFAULT_SCHEMAS.get(name.namespace.partition(":")[0])
        if schema is None or name.name.count(".") != 1:
            return None
        database, _, table = name.name.partition(".")
        within = self._tables.get((name.namespace, table), ())
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
