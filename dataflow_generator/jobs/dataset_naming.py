"""Dataset naming: resolve clusters, namespaces and names to datasets; any broker of a cluster leads to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from dataflow_generator.graph import NodeKind, kafka_namespace
from dataflow_generator.jobs.model import Dataset
from scanner_model.broker_address import broker_addresses
from scanner_model.errors import InputInvalid

_KAFKA = "kafka://"


class Naming:
    """Resolves names to datasets; *clusters* are names with normalized broker addresses, the first one canonical.

    *shown* maps every other name of a dataset to its display name, as catalogs report them.
    """

    def __init__(
        self,
        clusters: Iterable[tuple[str, tuple[str, ...]]],
        shown: Mapping[tuple[str, str], tuple[str, str]] = MappingProxyType({}),
    ) -> None:
        self._shown = shown
        self._clusters: dict[str, str] = {}
        self._brokers: dict[str, str] = {}
        for name, brokers in clusters:
            self._clusters[name] = kafka_namespace(name, brokers)
            for address in brokers:
                self._brokers.setdefault(address, self._clusters[name])

    @property
    def clusters(self) -> Mapping[str, str]:
        """Return the canonical namespace of each cluster by cluster name."""
        return self._clusters

    @property
    def shown(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """Return the display name of a dataset by each of its other names."""
        return self._shown

    def topic(self, cluster: str, name: str) -> Dataset:
        """Return a topic of *cluster*."""
        return Dataset(NodeKind.TOPIC, self._clusters[cluster], name)

    def dataset(self, namespace: str, name: str) -> Dataset:
        """Return a dataset: a topic where *namespace* is Kafka's, with the canonical namespace of a known cluster."""
        if not namespace.startswith(_KAFKA):
            return Dataset(NodeKind.DATASET, *self._shown.get((namespace, name), (namespace, name)))
        return Dataset(NodeKind.TOPIC, self._canonical(namespace), name)

    def _canonical(self, namespace: str) -> str:
        try:
            addresses = broker_addresses(namespace.removeprefix(_KAFKA))
        except InputInvalid:
            return namespace
        return next((self._brokers[address] for address in addresses if address in self._brokers), namespace)
