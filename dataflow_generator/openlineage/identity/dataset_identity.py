"""What of several sources is one dataset: brokers' addresses, other names (symlinks), partitions, missing schemas.

Pure: from names to names. A join that is only likely says what it rests on.
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
"""Where a server looks for a table that is named without its schema."""


class Joined(NamedTuple):
    """The name that a dataset is shown under; *why* is empty where nobody doubts it, else what the join rests on."""

    name: Name
    why: str = ""


class DatasetIdentity:
    """Joins names: *told* are the datasets of events, *symlinks* their other names, *known* the names of other sources.

    Of joined names a Kafka topic is shown, else the table of a catalogue, else the first in order.
    """

    def __init__(
        self,
        told: Collection[DatasetRef],
        symlinks: Iterable[tuple[DatasetRef, Symlink]] = (),
        *,
        clusters: KafkaClusters | None = None,
        known: Iterable[Name] = (),
    ) -> None:
        spaces = {ref.namespace for ref in told if _is_kafka(ref.namespace)}
        self._kafka = KafkaNamespaces(spaces, clusters or KafkaClusters())
        self._shown = self._joined(symlinks)
        self._tables = _by_table({self._same(*ref).name for ref in map(_pair, told)} | set(known))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """List what may be one and was not joined."""
        return self._kafka.problems

    def join(self, namespace: str, name: str) -> Joined:
        """Return the name under which a dataset is shown."""
        found = self._same(namespace, name)
        if likely := self._with_schema(found.name):
            return likely
        return found

    def _same(self, namespace: str, name: str) -> Joined:
        """Join by what names say for sure, and leave partitions out."""
        plain = self._plain(namespace, name)
        return plain._replace(name=self._shown.get(plain.name, plain.name))

    def _plain(self, namespace: str, name: str) -> Joined:
        if _is_kafka(namespace):
            return Joined(Name(self._kafka.canonical(namespace), name))
        found = normal(namespace, name)
        if not is_file_like(found.namespace):
            return Joined(found)
        cut = trimmed(found.name)
        why = f"{cut.partitions!r} looks like the date of a partition" if cut.guessed else ""
        return Joined(found._replace(name=cut.name), why)

    def _joined(self, symlinks: Iterable[tuple[DatasetRef, Symlink]]) -> Mapping[Name, Name]:
        groups: UnionFind[Name] = UnionFind()
        tables: set[Name] = set()
        for ref, link in symlinks:
            # Flink names a table in Kafka's namespace: no dataset of Kafka is called so.
            if not (_is_kafka(link.namespace) and link.kind == "TABLE"):
                other = self._plain(link.namespace, link.name).name
                groups.join((self._plain(*_pair(ref)).name, other))
                tables |= {other} if link.kind == "TABLE" else set()
        return {name: _display(group, tables) for group in groups.all() for name in group}

    def _with_schema(self, name: Name) -> Joined | None:
        """Find the table that a name without its schema, or without its database, is likely to mean."""
        schema = _DEFAULT_SCHEMAS.get(name.namespace.partition(":")[0])
        if schema is None or name.name.count(".") != 1:
            return None
        database, _, table = name.name.partition(".")
        within = self._tables.get((name.namespace, table), ())
        for other in within:
            if other.name == f"{database}.{schema}.{table}":
                return Joined(other, f"{name.name!r} names no schema, and {schema!r} is where such a server looks")
        ending = [other for other in within if other.name.endswith(f".{name.name}")]
        if len(ending) == 1:
            return Joined(ending[0], f"{name.name!r} names no database, and only one of that server has such a table")
        return None


def _by_table(names: Iterable[Name]) -> Mapping[tuple[str, str], list[Name]]:
    """List the tables that are named with database and schema, by namespace and the table's own name."""
    found: dict[tuple[str, str], list[Name]] = {}
    for name in sorted(names):
        if name.name.count(".") == 2:
            found.setdefault((name.namespace, name.name.rpartition(".")[2]), []).append(name)
    return found


def _display(group: list[Name], tables: Collection[Name]) -> Name:
    return min(group, key=lambda name: (not _is_kafka(name.namespace), name not in tables, name))


def _is_kafka(namespace: str) -> bool:
    return namespace[: len(KAFKA)].lower() == KAFKA


def _pair(ref: DatasetRef) -> tuple[str, str]:
    return ref.namespace, ref.name
