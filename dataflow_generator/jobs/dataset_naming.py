"""From clusters and names to datasets: any broker address of a cluster leads to the same topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from dataflow_generator.graph import NodeKind, kafka_namespace
from dataflow_generator.jobs.model import Dataset
from scanner_model.broker_address import broker_addresses
from scanner_model.errors import InputInvalid

_KAFKA = "kafka://"


class Naming:
    """Names datasets; *clusters* are names with their brokers' addresses in normal form, the first one canonical.

    *shown* gives the namespace and name that a dataset with several is shown under, as catalogs tell it.
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
        """Return each cluster's canonical namespace by its name."""
        return self._clusters

    @property
    def shown(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """Return the name that a dataset is shown under by each of its others."""
        return self._shown

    def topic(self, cluster: str, name: str) -> Dataset:
        """Name a topic of *cluster*."""
        return Dataset(NodeKind.TOPIC, self._clusters[cluster], name)

    def dataset(self, namespace: str, name: str) -> Dataset:
        """Name a dataset: a topic where *namespace* is Kafka's, in the canonical one of a cluster that we know."""
        if not namespace.startswith(_KAFKA):
            return Dataset(NodeKind.DATASET, *self._shown.get((namespace, name), (namespace, name)))
        return Dataset(NodeKind.TOPIC, self._canonical(namespace), name)

    def _canonical(self, namespace: str) -> str:
        try:
            addresses = broker_addresses(namespace.removeprefix(_KAFKA))
        except InputInvalid:
            return namespace
        return next((self._brokers[address] for address in addresses if address in self._brokers), namespace)
