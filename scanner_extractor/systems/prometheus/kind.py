"""The kind of source of Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanner_extractor.source_kind import (
    METRICS,
    http_kind,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.prometheus.section import PROMETHEUS_SECTION
from scanner_extractor.systems.prometheus.settings import PrometheusSettings
from scanner_model.lazy_names import deferred
from scanner_model.maturity import live

if TYPE_CHECKING:
    pass


_CLIENT = "scanner_extractor.systems.prometheus.client"

PROMETHEUS = http_kind(
    "prometheus",
    METRICS,
    PROMETHEUS_SECTION,
    PrometheusSettings,
    SourceType(
        read=deferred(f"{_CLIENT}:read_prometheus"),
        check=deferred(f"{_CLIENT}:prometheus_probes"),
        proofs=(live("Prometheus", "2.42", "tests/lab/test_lab_clients.py"),),
    ),
)
