"""Runs a part of Data.Rentgen with the lab's settings: `rentgen.py tables | consumer | server`; run in `rentgen`."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from datetime import UTC, datetime, timedelta

import credentials
import places

_DATABASE = f"postgres:{{}}@{places.HOST}:{places.POSTGRES}/rentgen"
_BEFORE, _AFTER = timedelta(days=40), timedelta(days=70)


def main(part: str) -> None:
    """Do what *part* says, until it ends."""
    os.environ |= _settings()
    if part == "tables":
        _tables()
        return
    port = {"consumer": places.RENTGEN_CONSUMER, "server": places.RENTGEN}[part]
    listen = ["--host", places.HOST, "--port", str(port)]
    importlib.import_module(f"data_rentgen.{part}.__main__").main("rentgen", listen)


def _settings() -> dict[str, str]:
    """Return the variables that its documentation names; secrets stand in no command line."""
    return {
        "DATA_RENTGEN__DATABASE__URL": f"postgresql+asyncpg://{_DATABASE.format(credentials.password('postgres'))}",
        "DATA_RENTGEN__KAFKA__BOOTSTRAP_SERVERS": json.dumps([places.LINEAGE_BROKER]),
        "DATA_RENTGEN__CONSUMER__AUTO_OFFSET_RESET": "earliest",
        "DATA_RENTGEN__CONSUMER__FETCH_MAX_WAIT_MS": "200",
        # Without it a failure at start shows all variables, passwords too.
        "_TYPER_STANDARD_TRACEBACK": "1",
        "DATA_RENTGEN__LOGGING__PRESET": "plain",
        "DATA_RENTGEN__SERVER__SESSION__SECRET_KEY": credentials.password("rentgen-session"),
        "DATA_RENTGEN__SERVER__STATIC_FILES__ENABLED": "false",
        "DATA_RENTGEN__SERVER__STATIC_FILES__DIRECTORY": str(places.data("rentgen")),
        "DATA_RENTGEN__AUTH__ACCESS_TOKEN__SECRET_KEY": credentials.password("rentgen-token"),
    }


def _tables() -> None:
    """Build its tables, and the partitions of months around now, which events' times fall into."""
    now = datetime.now(UTC)
    importlib.import_module("data_rentgen.db.migrations.__main__").main("rentgen", ["upgrade", "head"])
    months = ["--start", f"{now - _BEFORE:%Y-%m-01}", "--end", f"{now + _AFTER:%Y-%m-01}"]
    asyncio.run(importlib.import_module("data_rentgen.db.scripts.create_partitions").main(months))


if __name__ == "__main__":
    main(sys.argv[1])
