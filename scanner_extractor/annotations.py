"""Whose connector a stream catalog speaks of: its names have the Connect cluster's id, and tell no Kafka cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scanner_model.catalogs import Annotation
from scanner_model.connect import Connector


def of_own_connectors(annotations: Iterable[Annotation], connectors: Iterable[Connector]) -> Iterator[Annotation]:
    """Give *annotations*, those of connectors with the name that this cluster's own connector of that id has.

    One whose id no connector of this cluster has is about another cluster's connector, perhaps a namesake: it names
    none. Where no managed connector was read, nothing tells, and the catalog's name stays.
    """
    names = {each.managed_id: each.name for each in connectors if each.managed_id}
    for each in annotations:
        identity = next((part for part in each.name.split(":") if part.startswith("lcc-")), "")
        if each.connector is not None and names and identity:
            yield replace(each, connector=names.get(identity))
        else:
            yield each
