"""Engines that ingest from Kafka and are asked in SQL over another product's protocol: their own system tables."""

from __future__ import annotations

from collections.abc import Mapping

from scanner_extractor.sources.databases.engines.materialize import MATERIALIZE
from scanner_extractor.sources.databases.engines.risingwave import RISINGWAVE
from scanner_extractor.sources.databases.engines.session import Engine
from scanner_extractor.sources.databases.engines.starrocks_doris import DORIS, STARROCKS

__all__ = ["ENGINES"]

ENGINES: Mapping[str, Engine] = {
    "doris": DORIS,
    "materialize": MATERIALIZE,
    "risingwave": RISINGWAVE,
    "starrocks": STARROCKS,
}
"""By SQLAlchemy's name of the dialect; SQLAlchemy's inspector reads all other products."""
