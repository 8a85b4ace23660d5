"""One change judged against several environments: where it may go, and the report of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from scanner_check.model import ChangeReport
from scanner_cli import library
from scanner_cli.output.change_answer import headline
from scanner_cli.output.change_markdown import MARKER, report_markdown
from scanner_cli.output.change_terminal import report_terminal
from scanner_cli.output.render import json_text
from scanner_model.redaction.urls import mask_url
from scanner_model.text import visible

Reports = Mapping[str, ChangeReport]


def _decision(reports: Reports, allowed: Collection[str]) -> str:
    lists = {
        "May go to": [_name(name) for name in reports if name in allowed],
        "Not to": [f"{_name(name)} ({report.verdict})" for name, report in reports.items() if name not in allowed],
    }
    return "; ".join(f"{word} {', '.join(names)}" for word, names in lists.items() if names)


def _name(name: str) -> str:
    return visible(mask_url(name))


def _table(reports: Reports, allowed: Collection[str]) -> str:
    parts = [f"\n{_name(name)}: {report.verdict}\n{report_terminal(report)}" for name, report in reports.items()]
    return "".join([f"{_decision(reports, allowed)}\n", *parts])


def _markdown(reports: Reports, allowed: Collection[str]) -> str:
    parts = [
        f"\n## `{_name(name)}`\n\n{report_markdown(report).removeprefix(MARKER)}" for name, report in reports.items()
    ]
    return "".join([f"{MARKER}\n**{_decision(reports, allowed)}**\n", *parts])


def _json(reports: Reports, allowed: Collection[str]) -> str:
    listed = [
        {
            "dictionary": _name(name),
            "may_go": name in allowed,
            "answer": headline(report),
            **library.report_document(report),
        }
        for name, report in reports.items()
    ]
    return json_text({"environments": listed}) + "\n"


ENVIRONMENTS: Mapping[str, Callable[[Reports, Collection[str]], str]] = {
    "table": _table,
    "json": _json,
    "markdown": _markdown,
}
"""Format → the function that writes the reports of several environments; the second argument are those allowed."""
