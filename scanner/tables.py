"""Rows of an answer: a sequence, a table in notebooks, and a DataFrame of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, overload

import scanner_api

if TYPE_CHECKING:
    import pandas

_SHOWN = 30
"""Rows that a notebook shows; it says how many there are."""

_EMPTY: tuple[Any, ...] = (None, "", (), [], {}, False)


class Table(Sequence[Any]):
    """The rows of an answer, as `scanner_api` returns them; *complete* is False if something may be missing."""

    def __init__(self, rows: Sequence[Any], *, complete: bool = True) -> None:
        self._rows = tuple(rows)
        self.complete = complete

    @overload
    def __getitem__(self, index: int) -> Any: ...  # noqa: ANN401 - a row of any question
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return Table(self._rows[index], complete=self.complete)
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def documents(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries of plain values, as JSON has them."""
        return [dict(scanner_api.document(row)) for row in self._rows]

    def to_frame(self) -> pandas.DataFrame:
        """Return the rows as a DataFrame, with a column for each member; it needs pandas."""
        import pandas  # noqa: PLC0415 - optional

        return pandas.DataFrame(self.documents())

    def __repr__(self) -> str:
        rows = f"{len(self)} row{'' if len(self) == 1 else 's'}"
        return f"<scanner.Table: {rows}{'' if self.complete else ', something may be missing'}>"

    def _repr_html_(self) -> str:
        """Return an HTML table of the first rows, without members that are empty in all of them."""
        documents = self.documents()
        members = dict.fromkeys(name for row in documents for name in row)
        names = [name for name in members if any(row.get(name) not in _EMPTY for row in documents)]
        note = "" if self.complete else " · something may be missing"
        more = f", {_SHOWN} shown" if len(self) > _SHOWN else ""
        body = "".join(f"<tr>{''.join(_cells(row, names))}</tr>" for row in documents[:_SHOWN])
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{len(self)} rows{more}{note}</p>"


def _cells(row: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        value = row.get(name)
        text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value in _EMPTY else str(value)
        yield f"<td>{escape(text)}</td>"
