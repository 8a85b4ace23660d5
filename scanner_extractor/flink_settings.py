"""From the `flink` and `streams` of a cluster.json that was judged valid to frozen settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from scanner_extractor.exchange import Json
from scanner_extractor.input_files import named_files
from scanner_extractor.settings import HttpSettings
from scanner_extractor.settings_flink import (
    CONFLUENT,
    SQL_FILES,
    FileSettings,
    FlinkSettings,
    SqlFilesSettings,
    StreamsSettings,
)

SQL_ENDING, TOPOLOGY_ENDING = "*.sql", "*.txt"
"""Which files of a directory are meant."""

_REGIONAL = re.compile(r"https?://flink[^./]*\.(?P<region>[^./]+)\.(?P<cloud>aws|azure|gcp)\.")
_WORDS = ("name", "organization", "environment")


def flink_settings(
    items: list[Json], base: Path, http: Callable[[Json], HttpSettings]
) -> tuple[tuple[FlinkSettings, ...], tuple[SqlFilesSettings, ...]]:
    """Make the settings of Flink's servers and of its files; *http* makes those of an item with `url`."""
    servers = (_server(item, http(item)) for item in items if item["type"] != SQL_FILES)
    return tuple(servers), tuple(_sql_files(item, base) for item in items if item["type"] == SQL_FILES)


def streams_settings(items: list[Json], base: Path) -> tuple[StreamsSettings, ...]:
    """Make the settings of Kafka Streams topologies."""
    return tuple(
        StreamsSettings(files=_files(item["path"], base, TOPOLOGY_ENDING), name=item.get("name", "")) for item in items
    )


def _server(item: Json, http: HttpSettings) -> FlinkSettings:
    words = {name: item.get(name, "") for name in _WORDS}
    region = item.get("region") or (_region(http.url) if item["type"] == CONFLUENT else "")
    return FlinkSettings(type=item["type"], http=http, region=region, **words)


def _region(url: str) -> str:
    """Give cloud and region from the host that Confluent Cloud has in each; empty for another host."""
    named = _REGIONAL.match(url)
    return f"{named['cloud']}.{named['region']}" if named else ""


def _sql_files(item: Json, base: Path) -> SqlFilesSettings:
    words = {name: item.get(name, "") for name in ("name", "catalog", "database")}
    return SqlFilesSettings(files=_files(item["path"], base, SQL_ENDING), **words)


def _files(pattern: str, base: Path, ending: str) -> FileSettings:
    return FileSettings(pattern=pattern, base=base, files=named_files(pattern, base, ending))
