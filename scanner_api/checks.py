"""Testing the connections and permissions that a scan needs; nothing is changed and nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scanner_api.files import ScanProgress, no_scan_progress
from scanner_api.scanning.clusters import read_clusters
from scanner_extractor.probes import CheckResult, State
from scanner_extractor.scan.checks import check as check_settings
from scanner_extractor.sources.kafka.admin import probe
from scanner_model.names import ClusterName, SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionCheck:
    """One attempt on one source: *tried* names it, *detail* is what was found, or why nothing was.

    *state* is ok, refused, unreachable or unexpected. *hint* is the next step, empty where there is none.
    """

    cluster: ClusterName
    source: SourceId
    tried: str
    state: str
    detail: str
    hint: str

    @property
    def is_ok(self) -> bool:
        """Return whether the attempt succeeded."""
        return self.state == State.OK


def check(
    config_files: Sequence[str | Path], *, progress: ScanProgress = no_scan_progress
) -> tuple[ConnectionCheck, ...]:
    """Try every source of *config_files* (cluster.json each) and every installed plug-in; change nothing.

    The result has the order of the files, and in each the order of a scan. What fails is a result, not an exception;
    raises InputInvalid for a file.

    >>> [result.source for result in check(["cluster.json"]) if not result.is_ok]
    """
    checks: list[ConnectionCheck] = []
    for settings in read_clusters([str(file) for file in config_files]):
        step = SourceId(f"checking {settings.cluster}")
        progress(step, 0, None)
        for number, result in enumerate(check_settings(settings, probe=probe), 1):
            progress(step, number, None)
            checks.append(_of_cluster(settings.cluster, result))
    return tuple(checks)


def _of_cluster(cluster: ClusterName, result: CheckResult) -> ConnectionCheck:
    return ConnectionCheck(
        cluster=cluster,
        source=result.source,
        tried=result.tried,
        state=str(result.state),
        detail=result.detail,
        hint=result.hint,
    )
