"""The report of a check as Markdown, for a comment of a pull request or the summary of a step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scanner_check.model import ChangeFinding, ChangeReport, Verdict
from scanner_cli import library
from scanner_cli.output.change_answer import MOST, advice, contacts, counted, diagram, entry, headline, page
from scanner_cli.output.change_report import MOST_SHOWN, hits, summary, where
from scanner_model.markdown import code, inert, inert_html
from scanner_model.text import visible

MARKER = "<!-- scanner check-change -->"
"""The first line, by which a workflow finds its own comment again."""

LONGEST = 65_000
"""Characters of a comment; GitHub takes 65,536."""

_SIGNS = {Verdict.BREAKS: "❌", Verdict.IMPACT: "⚠️", Verdict.UNKNOWN: "❔", Verdict.FINE: "✅"}
_HEAD = "| | where | what | hits |\n|---|---|---|---|\n"


_OWNER = re.compile(r"@[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:/[A-Za-z0-9._-]{1,100})?")


def report_markdown(report: ChangeReport, *, mention: bool = False) -> str:
    """Return the answer and at most ten findings, and the rest folded; cut if it is too long for a comment.

    *mention*: owners of CODEOWNERS that are asked are mentioned; no other text mentions or links anything.
    """
    text = ""
    for part in _parts(report, mention):
        if len(text) + len(part) > LONGEST:
            return f"{text}\n… and more: the comment would be too long; `--format json` lists all.\n"
        text += part
    return text


def _parts(report: ChangeReport, mention: bool) -> Iterator[str]:
    yield f"{MARKER}\n### {_SIGNS[report.verdict]} {_sentence(headline(report))}\n\n"
    for word, text in (("Ask", contacts(report)), ("Do", advice(report))):
        if text:
            shown = _sentence(text)
            for owner in _mentioned(report) if mention and word == "Ask" else ():
                shown = shown.replace(code(owner), owner)
            yield f"**{word}:** {shown}\n\n"
    findings = counted(report)
    rest = [*findings[MOST:], *(finding for finding in library.ordered(report.findings) if not finding.counts)]
    if findings:
        yield _HEAD + "".join(map(_row, findings[:MOST])) + "\n"
    if rest:
        yield from _folded(f"{len(rest)} more findings" if findings else f"{len(rest)} findings", _HEAD, rest)
    if picture := diagram(report):
        yield f"```mermaid\n{picture}```\n\n"
    yield from (_section(finding) for finding in findings if finding.affected)
    if findings:
        entries = ",\n".join(entry(finding) for finding in findings[:MOST])
        yield "<details><summary>Accept</summary>\n\nAdd to the baseline, in a change of its own:\n\n"
        yield f"```json\n{entries}\n```\n\n</details>\n"
    yield f"\n{inert(summary(report))}\n"
    yield from (f"\n> {inert(note)}\n" for note in report.notes)
    if report.skipped:
        yield f"\n<details><summary>{len(report.skipped)} files were not checked</summary>\n\n"
        yield from (f"* {code(skipped.file)}: {inert(skipped.why)}\n" for skipped in report.skipped)
        yield "\n</details>\n"


def _mentioned(report: ChangeReport) -> set[str]:
    """Return the owners in CODEOWNERS that are people or teams of the platform."""
    return {owner for names in report.code_owners.values() for owner in names if _OWNER.fullmatch(owner)}


def _folded(title: str, head: str, findings: Sequence[ChangeFinding]) -> Iterator[str]:
    """Yield a folded table in parts, so that a long one is cut between rows."""
    yield f"<details><summary>{title}</summary>\n\n{head}"
    yield from map(_row, findings)
    yield "\n</details>\n\n"


def _row(finding: ChangeFinding) -> str:
    sign = "☑️" if finding.accepted else _SIGNS[finding.verdict]
    place = code(where(finding.place)) if finding.place.file else ""
    reasons = "".join(f"<br>{inert(why)}" for why in finding.why)
    tags = "".join(f" {code(tag)}" for tag in finding.tags)
    accepted = f"<br>accepted: {inert(finding.accepted)}" if finding.accepted else ""
    what = f"{_rule(finding.rule)} {code(finding.target)}: {inert(finding.what)}{tags}{reasons}{accepted}"
    return f"| {sign} | {place} | {what} | {inert(hits(finding))} |\n"


def _rule(rule: str) -> str:
    """Return a rule as a link to its page, if its address is known."""
    address = page(rule)
    return f"[`{rule}`]({address})" if "://" in address else f"`{rule}`"


def _section(finding: ChangeFinding) -> str:
    rows = "".join(
        f"| {code(hit.shown)} | {hit.kind} | {hit.use} | {_listed(hit.through)} | {_listed((hit.owner,))} | "
        f"{_listed(hit.tags)} | {inert('; '.join(hit.evidence))} |\n"
        for hit in finding.affected[:MOST_SHOWN]
    )
    more = len(finding.affected) - MOST_SHOWN
    rest = f"\n… and {more} more.\n" if more > 0 else ""
    title = f"{inert_html(finding.what)}: {inert_html(hits(finding))}"
    head = "| affected | kind | use | through | owner | tags | evidence |\n|---|---|---|---|---|---|---|\n"
    return f"<details><summary>{title}</summary>\n\n{head}{rows}{rest}\n</details>\n"


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(code(word) for word in words if word)


def _sentence(text: str) -> str:
    """Return a sentence in which names between backticks are code."""
    parts = visible(text).split("`")
    if len(parts) % 2 == 0:
        return inert(text)
    return "".join(code(part) if at % 2 else inert(part) for at, part in enumerate(parts))
