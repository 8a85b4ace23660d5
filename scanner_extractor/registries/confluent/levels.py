"""The compatibility level of each subject (`GET /config/{subject}`), and the registry's version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.registries.confluent.client import ConfluentClient
from scanner_extractor.registries.result import RegistryContent, Row, levels_failed
from scanner_model.errors import ScannerError
from scanner_model.schemas import qualified_subject


def add_levels(client: ConfluentClient, gathered: RegistryContent, pool: WorkerPool) -> RegistryContent:
    """Add the level that holds for each live subject: its own, else the registry's; then the registry's version.

    A level that cannot be read stays unknown; the first failure is reported with how many there are. A version that
    cannot be read is not reported: registries before 7.0, and those of others, have none.
    """
    names = {qualified_subject(row.version.context, row.version.subject) for row in gathered.rows.values()}
    subjects = sorted(names)
    answers = dict(zip(subjects, map_concurrently(subjects, client.compatibility, pool=pool), strict=True))
    failures = [answer for answer in answers.values() if isinstance(answer, ScannerError)]
    levels = {subject: answer for subject, answer in answers.items() if isinstance(answer, str)}
    rows = {key: _with_level(row, levels) for key, row in gathered.rows.items()}
    problems = (levels_failed(client.origin.source, failures[0], len(failures)),) if failures else ()
    problems = (*gathered.problems, *problems)
    return replace(gathered, rows=rows, problems=problems, server_version=_server_version(client))


def _server_version(client: ConfluentClient) -> str:
    if client.origin.kind != "confluent":
        return ""
    try:
        return client.server_version()
    except ScannerError:
        return ""


def _with_level(row: Row, levels: Mapping[str, str]) -> Row:
    level = levels.get(qualified_subject(row.version.context, row.version.subject), "")
    return replace(row, version=replace(row.version, compatibility=level))
