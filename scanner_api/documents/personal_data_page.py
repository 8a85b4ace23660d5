"""The report of who may read personal data as one page to sign, or as CSV."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TypeVar

from scanner_api.files import write_text
from scanner_api.questions.personal_data_report import PersonalDataAccess, PersonalDataReport
from scanner_model.errors import InputInvalid
from scanner_model.text import csv_row, visible

_STYLE = (
    "body{font:14px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b}"
    "h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:1.6rem}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid #ddd}"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}small{color:#555;font-weight:400}table{table-layout:fixed}"
    "td,h3{overflow-wrap:anywhere}.first{border-left:4px solid #b00020;padding:.5rem .8rem;background:#fdecee}"
    ".unknown{color:#b00020}.sign{display:flex;flex-wrap:wrap;gap:3rem;margin-top:3rem}"
    ".sign span{border-top:1px solid #555;"
    "padding-top:.3rem;min-width:14rem}@media print{body{margin:0;max-width:none}h2{break-after:avoid}"
    "tr{break-inside:avoid}}"
)
_Row = TypeVar("_Row")
_Key = TypeVar("_Key", bound=Hashable)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_personal_data_report(report: PersonalDataReport, file: Path) -> None:
    """Write *report* into the private *file*, as its ending says: .html or .csv; raises InputInvalid for another."""
    writers = {".html": html_lines, ".csv": csv_lines}
    writer = writers.get(file.suffix.lower())
    if writer is None:
        hint = (
            "name a .html file, and print it to PDF" if file.suffix.lower() == ".pdf" else "name a .html or .csv file"
        )
        raise InputInvalid(
            f"no format of the report has the ending {file.suffix!r}", where=f"--output {file}", hint=hint
        )
    write_text(file, "".join(writer(report)))


def csv_lines(report: PersonalDataReport) -> Iterator[str]:
    """Yield the report as CSV: rows without a column for what is unknown, columns to decide on, then each access."""
    yield csv_row(PersonalDataAccess._fields)
    empty = dict.fromkeys(PersonalDataAccess._fields, "")
    for text in report.unknown:
        yield csv_row((empty | {"tag": report.tag, "access": "unknown", "how": text}).values())
    for column in report.undecided:
        shown = column._asdict() | {"found": "suggested", "access": "unknown", "how": column.why}
        yield csv_row(shown.get(name, "") for name in PersonalDataAccess._fields)
    for row in report.access:
        yield csv_row("yes" if cell is True else cell or "" for cell in row)


def html_lines(report: PersonalDataReport) -> Iterator[str]:
    """Yield the report as one HTML page, without scripts and links: what is unknown comes first."""
    title = f"Who may read {report.tag} data"
    yield "<!doctype html>\n<html lang=en><meta charset=utf-8>"
    yield "<meta name=viewport content='width=device-width,initial-scale=1'>"
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f"<title>{_text(title)}</title><style>{_STYLE}</style>\n<h1>{_text(title)}</h1>\n"
    finished = f"{report.finished[:16].replace('T', ' ')} UTC" if report.finished else "at an unknown time"
    yield f"<p>As of scan {report.scan}, finished {_text(finished)}.</p>\n"
    if not report.rules_read:
        first = "Rules of access were not read for every cluster: others may be able to read, too."
        yield f"<p class=first><strong>{_text(first)}</strong></p>\n"
    yield "<h2>What cannot be known</h2>\n<ul>"
    yield from (f"<li>{_text(text)}</li>\n" for text in report.unknown)
    yield "</ul>\n<h2>Who may read</h2>\n"
    yield from _access(report.access)
    if report.undecided:
        yield "<h2>Look personal, and not decided</h2>\n"
        yield "<p>Who may read these columns is not listed above.</p>\n"
        undecided = ((each.dataset, each.column, each.owner, each.why) for each in report.undecided)
        yield from _table(("dataset", "column", "owner", "why"), undecided)
    yield "<h2>Decisions that name a missing column</h2>\n"
    yield from _table(("cluster", "where", "what"), ((f.cluster, f.where, f.what) for f in report.findings))
    yield "<h2>Sources</h2>\n"
    sources = ((s.cluster, s.source, s.kind, s.reason or "read") for s in report.sources)
    yield from _table(("cluster", "source", "kind", "state"), sources)
    yield "<p class=sign><span>Name</span><span>Date</span><span>Signature</span></p>\n</html>\n"


def _access(rows: Sequence[PersonalDataAccess]) -> Iterator[str]:
    """Yield a table for each dataset: its columns that the same may read in the same way are one row."""
    if not rows:
        yield "<p>None.</p>\n"
    for (cluster, dataset, owner, outside), same in _grouped(rows, _dataset).items():
        where = " · ".join(filter(None, (cluster, owner, "outside of Kafka" if outside else "")))
        yield f"<h3>{_text(dataset)} <small>{_text(where)}</small></h3>\n"
        columns = _grouped(same, lambda row: (row.column, row.origin))
        alike = _grouped(columns.items(), lambda column: tuple(sorted({_who(row) for row in column[1]})))
        yield "<table><tr><th>column<th>who<th>how it is known</tr>\n"
        for reads, named in alike.items():
            listed = list(_listed(reads))
            first = "<br>".join(_named(column, origin) for (column, origin), _ in named)
            for number, (who, how) in enumerate(listed):
                start = f"<td rowspan={len(listed)}>{first}" if not number else ""
                yield f"<tr>{start}{_cell(who)}{_cell(how)}</tr>\n"
        yield "</table>\n"


def _dataset(row: PersonalDataAccess) -> tuple[str, str, str, bool]:
    return row.cluster, row.dataset, row.owner, row.outside


def _who(row: PersonalDataAccess) -> tuple[str, str, str]:
    return row.access, row.how, row.principal


def _listed(reads: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    """Yield who may read in one way, and how that is known."""
    for (access, how), same in _grouped(reads, lambda read: read[:2]).items():
        who = ", ".join(principal for _, _, principal in same)
        yield f"{access}: {who}" if who else access, how


def _named(column: str, origin: str) -> str:
    return f"{_text(column)} <small>copy of {_text(origin)}</small>" if origin else _text(column)


def _grouped(rows: Iterable[_Row], key: Callable[[_Row], _Key]) -> dict[_Key, list[_Row]]:
    """Return rows by their key, in the order of the first of each."""
    found: dict[_Key, list[_Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _table(header: Iterable[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    lines = [f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows]
    if not lines:
        yield "<p>None.</p>\n"
        return
    yield f"<table><tr>{''.join(f'<th>{_text(name)}</th>' for name in header)}</tr>\n"
    yield from lines
    yield "</table>\n"


def _cell(text: str) -> str:
    return f"<td{' class=unknown' if text == 'unknown' else ''}>{_text(text)}</td>"


def _text(text: str) -> str:
    return escape(visible(text))
