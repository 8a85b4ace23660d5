"""Reports of checks and answers about deletions as JSON values, with the members that docs/json.md documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from scanner_api.change_check.deletion import DeletionAnswer
from scanner_api.change_check.model import ChangeReport, Finding, Verdict

Json = Any


def report_document(report: ChangeReport) -> dict[str, Json]:
    """Return the report as JSON values."""
    return {
        "verdict": str(report.verdict),
        "scans": [{"cluster": cluster, "number": number, "finished": at} for cluster, number, at in report.scans],
        "files": [{"file": file.file, "kind": file.kind, "targets": list(file.targets)} for file in report.files],
        "skipped": [{"file": skipped.file, "why": skipped.why} for skipped in report.skipped],
        "not_examined": [skipped.file for skipped in report.not_examined],
        "concerns_kafka": report.concerns_kafka,
        "scope": report.scope,
        "notes": list(report.notes),
        "findings": [_finding(finding) for finding in ordered(report.findings)],
    }


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with the most serious first, those that do not count last, else in their order."""
    serious = list(Verdict)
    return sorted(findings, key=lambda finding: (not finding.counts, -serious.index(finding.verdict)))


def deletion_document(answer: DeletionAnswer) -> dict[str, Json]:
    """Return whether one thing may be deleted, and why not, as JSON values."""
    return {
        "cluster": answer.cluster,
        "what": answer.what,
        "answer": str(answer.answer),
        "unused_since": answer.unused_since or None,
        "uses": [asdict(use) for use in answer.uses],
    }


def _finding(finding: Finding) -> dict[str, Json]:
    return {
        "rule": finding.rule,
        "verdict": str(finding.verdict),
        "file": finding.place.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "target": finding.target,
        "item": finding.item,
        "what": finding.what,
        "why": list(finding.why),
        "owner": finding.owner,
        "tags": list(finding.tags),
        "accepted": finding.accepted,
        "fingerprint": finding.fingerprint,
        "affected": [
            {
                "kind": affected.kind,
                "namespace": affected.namespace,
                "name": affected.name,
                "path": affected.path,
                "use": affected.use,
                "steps": affected.steps,
                "through": list(affected.through),
                "evidence": list(affected.evidence),
                "owner": affected.owner,
                "tags": list(affected.tags),
                "last_seen": affected.last_seen,
            }
            for affected in finding.affected
        ],
    }
