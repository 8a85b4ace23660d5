"""The report at the end of a scan: how each source responded, what was stored, and what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from scanner_cli import library
from scanner_cli.output.columns import members
from scanner_cli.output.render import table_text
from scanner_cli.usage_errors import Exit
from scanner_model.declarations import UNREAD_HINT
from scanner_model.scan import SourceResult
from scanner_model.text import counted, visible

if TYPE_CHECKING:
    from scanner_api.scanning.clusters import Finding, ScanReport
    from scanner_model.errors import Problem

Json = Any
_SHOWN_PROBLEMS = 20


def scan_status(report: ScanReport) -> Exit:
    """Return the exit status of one scan; a cluster without selected sources is not a failure."""
    if report.is_partial:
        return Exit.PARTIAL if report.stored else Exit.FAILED
    return Exit.DONE


def report_text(report: ScanReport) -> str:
    """Write the report for people."""
    return "".join(_sections(report))


def loss_text(report: ScanReport) -> str:
    """Write what could not be read, and whether the scan was stored; empty where all was read."""
    lines = [_failure(outcome) for outcome in report.outcomes if outcome.status in library.INCOMPLETE]
    return "".join(_line(line) for line in [*lines, f"{report.cluster}: {_end(report)}"] if lines)


def report_document(report: ScanReport) -> dict[str, Json]:
    """Return the report as JSON, as `--report` writes it."""
    return {
        "cluster": report.cluster,
        "scan": report.scan,
        "stored": report.stored,
        "partial": report.is_partial,
        "seconds": round(report.seconds, 3),
        "sources": [_outcome(outcome) | {"unread": sorted(outcome.unread)} for outcome in report.outcomes],
        "counts": members(report.counts),
        "changes": members(report.changes),
        "problems": library.document(report.problems),
        "findings": [_finding(finding) for finding in report.findings],
    }


def _sections(report: ScanReport) -> Iterator[str]:
    yield table_text(
        [_outcome(o) for o in report.outcomes], ("source", "status", "requested", "received", "requests", "seconds")
    )
    lost = (_failure(outcome) for outcome in report.outcomes if outcome.status in library.INCOMPLETE)
    yield from map(_line, chain(lost, _problem_lines(report), _finding_lines(report)))
    yield _line(f"{report.cluster}: {_end(report)}")


def _line(text: str) -> str:
    """Return *text* as one line; line feeds in names are escaped."""
    return f"{visible(text)}\n"


def _end(report: ScanReport) -> str:
    if not report.stored:
        why = "no source could be read" if report.is_partial else "no source of it was selected"
        return f"{why}; nothing was stored, the dictionary is as it was"
    counted = ", ".join(f"{count} {name}" for name, count in report.counts) or "nothing found"
    changed = ", ".join(f"{count} {name}" for name, count in report.changes if count) or "nothing changed"
    return f"scan {report.scan} stored in {report.seconds:.1f} s: {counted}; {changed}"


def _outcome(outcome: SourceResult) -> dict[str, Json]:
    return {
        "source": outcome.source,
        "kind": outcome.kind,
        "status": str(outcome.status),
        "requested": outcome.requested,
        "received": outcome.received,
        "requests": outcome.requests,
        "seconds": round(outcome.seconds, 2),
        "reason": outcome.reason,
        "hint": outcome.hint,
    }


def _failure(outcome: SourceResult) -> str:
    hint = f" ({outcome.hint})" if outcome.hint else ""
    reason = f": {outcome.reason.removeprefix(f'{outcome.source}: ')}" if outcome.reason else ""
    return f"{outcome.status}: {outcome.source}{reason}{hint}"


def _problem_lines(report: ScanReport) -> Iterator[str]:
    """Return a line for each problem, of those that say the same in several places one line.

    Files that are not read are among the findings, one line for each rule.
    """
    problems = [one for one in report.problems if not (report.findings and one.hint == UNREAD_HINT)]
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        alike.setdefault((problem.what, problem.hint), []).append(problem)
    listed = list(alike.values())
    where = f"see `scanner changes --scans {report.scan} --problems`" if report.stored else "see --report"
    for same in listed[:_SHOWN_PROBLEMS]:
        yield f"warning: {same[0]}" + (
            f", and in {counted(len(same) - 1, 'more place')}: {where}" if len(same) > 1 else ""
        )
    if more := sum(map(len, listed[_SHOWN_PROBLEMS:])):
        yield f"and {more} more warnings: {where}"


def _finding(finding: Finding) -> dict[str, Json]:
    members = ("rule", "severity", "where", "what", "hint")
    return {name: str(getattr(finding, name)) for name in members}


def _finding_lines(report: ScanReport) -> Iterator[str]:
    """Return a line for each rule: its first finding, and how many there are."""
    for rule, count in Counter(finding.rule for finding in report.findings).items():
        first = next(finding for finding in report.findings if finding.rule == rule)
        more = f", and {count - 1} more: `scanner validate --rule {rule}`" if count > 1 else ""
        yield f"{first.severity}: {rule}: {first.where}: {first.what}{more}"
