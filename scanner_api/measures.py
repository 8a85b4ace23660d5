"""Figures of a dictionary for monitoring."""

from __future__ import annotations

from typing import NamedTuple

from scanner_api.dictionary import Dictionary
from scanner_dictionary.queries.state import (
    ClusterMeasures,
    SourceMeasures,
    cluster_measures,
    source_measures,
)


class Measures(NamedTuple):
    """The figures of the clusters and of the sources, in the order of their names."""

    clusters: tuple[ClusterMeasures, ...]
    sources: tuple[SourceMeasures, ...]


def measures(dictionary: Dictionary) -> Measures:
    """Return the figures as the newest scans left them."""
    with dictionary.reading() as conn:
        return Measures(cluster_measures(conn), source_measures(conn))
