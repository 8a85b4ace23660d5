"""Engines that ingest from Kafka and are asked in SQL over another product's protocol: their own system tables."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ENGINES"]

ENGINES: Mapping[str, str] = {
    "doris": f"{__name__}.starrocks_doris:DORIS",
    "materialize": f"{__name__}.materialize:MATERIALIZE",
    "risingwave": f"{__name__}.risingwave:RISINGWAVE",
    "starrocks": f"{__name__}.starrocks_doris:STARROCKS",
}
"""`module:attribute` of an engine by SQLAlchemy's name of the dialect; its inspector reads all other products."""
