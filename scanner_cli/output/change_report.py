"""The report of a check as JSON, and the texts that all of its formats share."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from scanner_check.model import Affected, ChangeFinding, ChangeReport, Place
from scanner_cli import library
from scanner_cli.output.render import json_text

Json = Any

MOST_SHOWN = 20
"""Affected things that a comment lists for one finding; JSON has all."""

_PLURALS = {
    "job": "jobs",
    "consumer-group": "groups",
    "topic": "topics",
    "dataset": "tables",
    "catalog-table": "tables",
    "column": "columns",
}


def report_json(report: ChangeReport) -> str:
    """Return the whole report; docs/json.md documents its members."""
    return json_text(library.report_document(report)) + "\n"


def summary(report: ChangeReport) -> str:
    """Return one line: the verdict and what it covers, the findings of each verdict, and the age of the dictionary."""
    counts = Counter(str(finding.verdict) for finding in report.findings if finding.counts)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    accepted = sum(bool(finding.accepted) for finding in report.findings)
    scans = ", ".join(f"{cluster} scan {number} of {at}" for cluster, number, at in report.scans)
    files = f"{report.verdict}: {report.scope}"
    parts = [files, listed, f"{accepted} accepted" if accepted else ""]
    return f"{'; '.join(filter(None, parts))} ({scans or 'no dictionary'})"


def message(finding: ChangeFinding) -> str:
    """Return a finding in one line."""
    hit = hits(finding)
    owners = sorted({affected.owner for affected in finding.affected if affected.owner} | ({finding.owner} - {""}))
    parts = [
        f"{finding.target}: {finding.what}",
        *finding.why,
        f"hits {hit}" if hit else "",
        f"owners: {', '.join(owners)}" if owners else "",
        *_marks(finding),
    ]
    return "; ".join(filter(None, parts))


def hits(finding: ChangeFinding) -> str:
    """Count who is hit, by kind."""
    counts = Counter(_PLURALS.get(affected.kind, affected.kind) for affected in finding.affected)
    return ", ".join(
        f"{counts[name]} {name if counts[name] > 1 else name.removesuffix('s')}"
        for name in dict.fromkeys(_PLURALS.values())
        if counts[name]
    )


def where(place: Place) -> str:
    """Return a place as `file:line:column`; empty for a finding about the dictionary."""
    return f"{place.file}:{place.line}:{place.column}" if place.file else ""


def place_in_files(finding: ChangeFinding, report: ChangeReport) -> Place:
    """Return the place of a finding; one about the dictionary stands at the start of the first file."""
    if finding.place.file or not report.files:
        return finding.place
    return Place(file=report.files[0].file)


def relative(file: str) -> str:
    """Return a path as repositories write it: with slashes, and relative to the working directory where it is below."""
    path, home = Path(file), Path.cwd()
    return (path.relative_to(home) if path.is_relative_to(home) else path).as_posix()


def affected_text(affected: Affected) -> str:
    """Return who is hit and how, in one line."""
    through = f" through {', '.join(affected.through)}" if affected.through else ""
    use = "may use it" if affected.use == "unknown" else affected.use
    return f"{affected.kind} {affected.shown}: {use}{through}"


def _marks(finding: ChangeFinding) -> list[str]:
    tags = [f"tags: {', '.join(finding.tags)}"] if finding.tags else []
    return [*tags, f"accepted: {finding.accepted}"] if finding.accepted else tags
