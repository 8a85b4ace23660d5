"""The tags in SQL texts of Metabase: `{{variable}}`, `{{snippet: name}}`, `{{#12-question}}`, `[[optional]]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from scanner_model.payload import Json

_TAG = re.compile(r"\{\{(?P<tag>[^{}]{1,500})\}\}|\[\[|\]\]")
_BEFORE = re.compile(r"(?P<word>\b(?:from|join|into|table|update)\s{1,20}|[\w\"`\]]\.[\"`\[]?|\w)\Z", re.IGNORECASE)
_DEEPEST = 10


class TableTag(Exception):
    """Raised for a tag that may name a table; the text is the tag."""


def with_tags(
    query: str, tags: Mapping[str, Json], snippets: Mapping[str, str], card: Callable[[str], str], depth: int = 0
) -> str:
    """Return a query with values for its tags, the text of its snippets, and the query of each question.

    A field filter becomes a condition on its column. *card* returns the query of a question in parentheses. Raises
    TableTag for a variable in the place of a table.
    """

    def value(match: re.Match[str]) -> str:
        name = (match["tag"] or "").strip()
        declared = tags.get(name)
        tag = declared if isinstance(declared, dict) else {}
        if not name:
            return " "
        if name.startswith("snippet:"):
            text = snippets.get(name.partition(":")[2].strip())
            if text is None or depth > _DEEPEST:
                raise TableTag(name)
            return with_tags(text, tags, snippets, card, depth + 1)
        if isinstance(of := tag.get("card-id"), str) or name.startswith("#"):
            return card(of if isinstance(of, str) else name)
        if _BEFORE.search(query[max(match.start() - 40, 0) : match.start()]):
            raise TableTag(name)
        column = _column(tag.get("dimension"))
        if not column:
            return "1"
        return f'"{column}"' if tag.get("type") == "temporal-unit" else f'("{column}" IS NOT NULL)'

    return _TAG.sub(value, query)


def _column(dimension: Json) -> str:
    """Return the column of the field that a tag filters by; empty for none."""
    if not isinstance(dimension, list):
        return ""
    texts = [part for part in dimension if isinstance(part, str)]
    if len(texts) > 3 and texts[0] != "field":
        return texts[3].replace('"', "")
    return next((found for part in dimension if (found := _column(part))), "")
