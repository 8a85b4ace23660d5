"""What the server reports of scheduled scans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class ScanStatus(Protocol):
    """What runs scheduled scans: `scanner_api.watching.Watch`."""

    def problems(self) -> list[str]:
        """Return why the last scan failed, or why notifications are not delivered; empty for nothing."""

    def counts(self) -> Mapping[str, int]:
        """Return how many scans were stored, were partial and failed."""

    def pending(self) -> int:
        """Return the number of notifications that are not delivered yet."""
