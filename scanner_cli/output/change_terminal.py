"""The report of a check for a terminal, as compilers print diagnostics: place, message, marked source line, help."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from scanner_check.model import ChangeFinding, ChangeReport, Verdict
from scanner_check.rows.table import RULES
from scanner_cli.output.change_answer import MOST, acceptance, advice, contacts, counted, headline, others
from scanner_cli.output.change_report import affected_text, hits, where
from scanner_cli.output.terminal import has_colours, terminal_width
from scanner_model.text import visible

_DEFAULT_WIDTH = 100
_SHOWN_HITS = 5
_LEVELS = {Verdict.BREAKS: ("error", "31"), Verdict.IMPACT: ("warning", "33"), Verdict.UNKNOWN: ("unknown", "35")}
_BOLD, _BLUE = "1", "34"


def report_terminal(report: ChangeReport) -> str:
    """Return the answer, then at most ten findings that count; `--format json` has all of them."""
    return "\n".join(_Screen(report, terminal_width() or _DEFAULT_WIDTH, colours=has_colours()).lines()) + "\n"


class _Screen:
    def __init__(self, report: ChangeReport, width: int, *, colours: bool) -> None:
        self._report, self._width, self._colours = report, max(40, width), colours

    def lines(self) -> Iterator[str]:
        report = self._report
        yield from self._wrapped(self._painted(visible(headline(report)), _BOLD))
        for word, text in (("ask", contacts(report)), ("do", advice(report))):
            if text:
                yield from self._wrapped(f"{word}: {visible(text)}", "     ")
        findings = counted(report)
        for finding in findings[:MOST]:
            yield ""
            yield from self._finding(finding)
        for finding in report.findings:
            if finding.accepted:
                text = f"accepted[{finding.rule}]: {finding.target}: {finding.what} (accepted: {finding.accepted})"
                yield from ["", *self._wrapped(visible(text), "  ")]
        for skipped in report.skipped[:MOST]:
            yield from self._wrapped(visible(f"not checked: {skipped.file}: {skipped.why}"), "  ")
        if len(report.skipped) > MOST:
            yield f"not checked: {len(report.skipped) - MOST} more files"
        tail = [f"{len(findings) - MOST} more findings"] if len(findings) > MOST else []
        tail += filter(None, [others(report)])
        if tail:
            yield ""
            yield from self._wrapped(f"{'; '.join(tail)} (--format json lists all)")

    def _finding(self, finding: ChangeFinding) -> Iterator[str]:
        level, colour = _LEVELS[finding.verdict]
        title = self._painted(f"{level}[{finding.rule}]", f"{_BOLD};{colour}")
        tags = f" [{', '.join(finding.tags)}]" if finding.tags else ""
        yield from self._wrapped(f"{title}: {visible(f'{finding.target}: {finding.what}{tags}')}", "  ")
        line = self._report.lines.get(finding.place, "")
        margin = " " * len(str(finding.place.line)) if line else " "
        if finding.place.file:
            yield f"{margin}{self._painted('-->', _BLUE)} {visible(where(finding.place))}"
        if line:
            yield from self._source(finding, line, margin)
        for why in finding.why:
            yield from self._note(margin, "note", why)
        if finding.affected:
            yield from self._note(margin, "hits", hits(finding))
        for hit in finding.affected[:_SHOWN_HITS]:
            place = f" at {hit.place}" if hit.place else ""
            owner = f", owner {hit.owner}" if hit.owner else ""
            yield from self._note(margin, "  ", f"{affected_text(hit)}{place}{owner}")
        if len(finding.affected) > _SHOWN_HITS:
            yield from self._note(margin, "  ", f"and {len(finding.affected) - _SHOWN_HITS} more")
        yield from self._note(margin, "help", f"{RULES[finding.rule].help}; see `scanner explain rule {finding.rule}`")
        yield from self._note(margin, "accept", acceptance(finding))

    def _source(self, finding: ChangeFinding, line: str, margin: str) -> Iterator[str]:
        """Yield the source line, cut around the column that is marked."""
        bar = self._painted("|", _BLUE)
        room = max(20, self._width - len(margin) - 4)
        text = visible(line.expandtabs(1))
        at = min(max(finding.place.column - 1, len(line) - len(line.lstrip())), max(len(text) - 1, 0))
        start = max(0, min(at - room // 2, len(text) - room))
        yield f"{margin} {bar}"
        yield f"{self._painted(str(finding.place.line), _BLUE)} {bar} {text[start : start + room]}"
        length = len(finding.item.rpartition(".")[2]) if text.startswith(finding.item.rpartition(".")[2], at) else 1
        mark = "^" * max(1, min(length, room - (at - start)))
        yield f"{margin} {bar} {' ' * (at - start)}{self._painted(mark, _LEVELS[finding.verdict][1])}"

    def _note(self, margin: str, word: str, text: str) -> Iterator[str]:
        start = f"{margin} = {word}: " if word.strip() else f"{margin}     "
        yield from self._wrapped(f"{start}{visible(text)}", " " * len(start))

    def _wrapped(self, text: str, indent: str = "") -> list[str]:
        return textwrap.wrap(
            text, self._width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]

    def _painted(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours else text
