"""The answer of a check in three sentences: what breaks for whom, whom to ask, what to do; and what each part says."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from scanner_check.model import Affected, ChangeFinding, ChangeReport, Verdict, few
from scanner_check.rows.schemas import INCOMPATIBLE
from scanner_check.rows.table import RULES
from scanner_cli import library

MOST = 10
"""Findings that a comment or a terminal shows, and hits in a diagram; the rest is folded."""

_SENTENCE = 3
_NODES = ("dataset", "catalog-table")
_PRODUCTS = {
    "postgres": "PostgreSQL",
    "postgresql": "PostgreSQL",
    "mysql": "MySQL",
    "sqlserver": "SQL Server",
    "oracle": "Oracle",
    "s3": "S3",
    "gs": "Google Cloud Storage",
    "bigquery": "BigQuery",
    "snowflake": "Snowflake",
    "mongodb": "MongoDB",
    "elasticsearch": "Elasticsearch",
    "file": "file",
}


def counted(report: ChangeReport) -> list[ChangeFinding]:
    """Return the findings that count, the most serious first, of one verdict those that hit most first."""
    findings = [finding for finding in library.ordered(report.findings) if finding.counts]
    rank = {verdict: at for at, verdict in enumerate(reversed(Verdict))}
    return sorted(findings, key=lambda finding: (rank[finding.verdict], -len(finding.affected)))


def others(report: ChangeReport) -> str:
    """Return how many findings of each rule do not count; may be empty."""
    rules = Counter(finding.rule for finding in report.findings if not finding.counts)
    listed = ", ".join(f"{rule} {count}" for rule, count in sorted(rules.items()))
    return f"{sum(rules.values())} without impact or accepted: {listed}" if rules else ""


def headline(report: ChangeReport) -> str:
    """Return what the change does, as a colleague would say it."""
    findings = counted(report)
    if not findings:
        accepted = sum(bool(finding.accepted) for finding in report.findings)
        scope = f"{report.scope}{f'; {accepted} accepted' if accepted else ''}."
        return f"No impact found: {scope}" if scope[0].islower() or scope[0].isdigit() else scope
    first = findings[0]
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    if first.verdict is Verdict.UNKNOWN:
        readers = _listed(_names(first.readers), " (read by", ")")
        return f"Unknown: {_what(first)}{readers}{_at(first)}{more}."
    serious = [finding for finding in findings if finding.verdict is not Verdict.UNKNOWN]
    rejected = next((finding for finding in serious if finding.rule == INCOMPATIBLE.name), None)
    prefix = f"The registry rejects {rejected.target.removeprefix('subject ')}" if rejected else ""
    services = _services(serious, breaks=first.verdict is Verdict.BREAKS and not rejected)
    if services:
        return f"{f'{prefix}; ' if prefix else ''}{services}."
    return f"{prefix}: {rejected.what}{more}." if rejected else f"{_what(first)}{more}."


def _services(findings: Sequence[ChangeFinding], *, breaks: bool) -> str:
    """Return how many jobs and groups use what changes, and how the nearest do; empty without one."""
    uses: dict[str, str] = {}
    for finding in findings:
        for hit in finding.readers:
            uses.setdefault(hit.name, _use(hit, finding))
    count = len(uses)
    if not count:
        return ""
    one, several = (
        ("1 service breaks", "services break") if breaks else ("1 service is affected", "services are affected")
    )
    listed = [*list(uses.values())[:_SENTENCE], *([f"and {count - _SENTENCE} more"] if count > _SENTENCE else [])]
    return f"{one if count == 1 else f'{count} {several}'}: {', '.join(listed)}"


def _use(hit: Affected, finding: ChangeFinding) -> str:
    """Return what a job or group does with the changed column: where it reads it, or where it writes it to."""
    item = f"`{finding.item}`" if finding.item else finding.target
    if finding.target == f"job {finding.item}":
        item = f"what {item} writes"
    place = f" ({hit.place.rpartition('/')[2]})" if hit.place else ""
    if hit.use == "unknown":
        return f"{hit.name} may read {item}{place}"
    outside = (other for other in finding.affected if other.kind in (*_NODES, "column"))
    targets = [other for other in outside if other.through[-1:] == (hit.name,)]
    written = next((other for other in targets if other.path), next(iter(targets), None))
    if written is None:
        return f"{hit.name} reads {item}{place}"
    product = _PRODUCTS.get(written.namespace.partition(":")[0], "")
    return f"{hit.name} writes {item} to {f'{product} ' if product else ''}`{written.shown}`{place}"


def _what(finding: ChangeFinding) -> str:
    if finding.target in ("the change", "the check", ""):
        return finding.what
    return f"{few(finding.target.split(', '))}: {finding.what}"


def _at(finding: ChangeFinding) -> str:
    """Return where the change is, unless the finding's target is that file."""
    file, line = finding.place.file, finding.place.line
    if not file or finding.target == file:
        return ""
    return f", at {file.rpartition('/')[2]}:{line}"


def contacts(report: ChangeReport) -> str:
    """Return whom to ask: the owners of what is hit, of the topic, and of the files; empty if none is known."""
    owners: dict[str, str] = {}
    for finding in counted(report)[:MOST]:
        for hit in finding.affected:
            if hit.owner:
                owners.setdefault(hit.owner, f"owner of {hit.name}")
        if finding.owner:
            owners.setdefault(finding.owner, f"owner of {finding.target}")
        for file in (finding.place.file, *(hit.place.rpartition(":")[0] for hit in finding.affected)):
            for owner in report.code_owners.get(file, ()):
                owners.setdefault(owner, f"CODEOWNERS of {file}")
    return ", ".join(f"{owner} ({why})" for owner, why in list(owners.items())[:MOST])


def advice(report: ChangeReport) -> str:
    """Return what to do about the most serious finding; empty without one."""
    findings = counted(report)
    return RULES[findings[0].rule].help if findings else ""


def page(rule: str) -> str:
    """Return the address of a rule's page: below SCANNER_DOCS_URL if it is set, else its path in the documentation."""
    base = os.environ.get("SCANNER_DOCS_URL", "")
    return (
        f"{base.rstrip('/')}/rules/{rule}.md" if base.startswith(("https://", "http://")) else f"docs/rules/{rule}.md"
    )


def acceptance(finding: ChangeFinding) -> str:
    """Return the command that accepts a finding; reason and day are left to the user."""
    return f"scanner check --accept {finding.fingerprint} --reason 'REASON' --until YYYY-MM-DD"


def entry(finding: ChangeFinding) -> str:
    """Return the entry of a baseline that accepts a finding."""
    return f'{{"fingerprint": "{finding.fingerprint}", "reason": "REASON", "expires": "YYYY-MM-DD"}}'


def diagram(report: ChangeReport) -> str:
    """Return a Mermaid flowchart from the change to the nearest hits of the worst finding; empty without hits."""
    finding = next((finding for finding in counted(report) if finding.affected), None)
    if finding is None:
        return ""
    has_item = finding.target.endswith(f" {finding.item}")
    start = finding.target if has_item else f"{finding.target} {finding.item}".strip()
    nearest = sorted(finding.affected, key=lambda hit: hit.steps)[:MOST]
    return "\n".join(["flowchart LR", f"  c{_label(start)}", *_edges(nearest)]) + "\n"


def _edges(hits: Sequence[Affected]) -> Iterator[str]:
    nodes = {hit.name: f"n{at}" for at, hit in enumerate(hits) if not hit.path}
    for at, hit in enumerate(hits):
        before = next((nodes[job] for job in reversed(hit.through) if job in nodes), "c")
        yield f"  {before} -->|{hit.use}| n{at}{_label(f'{hit.kind} {hit.shown}')}"


def _label(text: str) -> str:
    """Return a node's label: names are text, not markup of Mermaid or HTML."""
    escaped = "".join(char if char.isalnum() or char in " -_./:" else f"#{ord(char)};" for char in text[:_LABEL])
    return f'["{escaped}"]'


_LABEL = 80


def _names(hits: Iterable[Affected]) -> list[str]:
    return list(dict.fromkeys(hit.name for hit in hits))


def _listed(names: Sequence[str], before: str, after: str) -> str:
    more = f" and {len(names) - _SENTENCE} more" if len(names) > _SENTENCE else ""
    return f"{before} {', '.join(names[:_SENTENCE])}{more}{after}" if names else ""
