"""Which of very many names may be near a wrong one: chosen in Arrow batches, without a Python object for each name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scanner_dictionary.queries.resolve import pairs_of

_KEPT = 200
"""Names that `nearest` may choose from, of which it compares sixty letter by letter."""

_ALIKE = 10
"""How many nodes of one name are thought of, in one batch: topics of several clusters."""

_BEST = [("shared", "descending"), ("length", "ascending"), ("text", "descending")]
"""The order in which `nearest` prefers names."""


def likely(batches: Iterable[Any], name: str) -> Iterator[Any]:
    """Return one table of those rows of *batches*, of `name` and `path`, that share most pairs of letters with *name*.

    Rows of the same name and path are there once. Nothing where there are no rows.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    pairs, kept, least = pairs_of(name), None, 0
    for batch in batches:
        found = _near(batch, pairs, least)
        if found.num_rows:
            kept = _best(found if kept is None else pa.concat_tables([kept, found]))
            least = pc.min(kept["shared"]).as_py() if kept.num_rows == _KEPT else 0
    if kept is not None:
        yield kept.select(["name", "path"])


def _near(batch: Any, pairs: frozenset[str], least: int) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the rows that share at least so many pairs, how many they share, and how they are written."""
    import pyarrow as pa
    import pyarrow.compute as pc

    path = pc.binary_join(batch.column("path"), ".")
    rows = pa.table({"name": batch.column("name"), "path": batch.column("path")})
    rows = rows.append_column("shared", _shared(batch.column("name"), path, pairs))
    enough = pc.greater_equal(rows["shared"], least)
    rows = rows.filter(enough)
    text = pc.binary_join_element_wise(rows["name"], path.filter(enough), ".", null_handling="skip")
    return rows.append_column("text", text).append_column("length", pc.utf8_length(text))


def _shared(names: Any, paths: Any, pairs: frozenset[str]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Count the pairs in each name with its path; each different name is looked at once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    inner = pc.is_valid(paths)
    name, path = pc.dictionary_encode(names), pc.dictionary_encode(paths)
    heads, ends = pc.utf8_lower(name.dictionary), pc.binary_join_element_wise("", pc.utf8_lower(path.dictionary), ".")
    count = pa.repeat(0, len(names))
    for pair in sorted(pairs):
        if len(pair) == 1:  # what somebody wrote is one letter
            found = pc.and_not(pc.equal(heads, pair).take(name.indices), inner)
        else:
            found = pc.match_substring(heads, pair).take(name.indices)
            found = pc.or_(found, pc.fill_null(pc.match_substring(ends, pair).take(path.indices), False))
            if pair[1] == ".":
                found = pc.or_(found, pc.and_(pc.ends_with(heads, pair[0]).take(name.indices), inner))
        count = pc.add(count, found.cast(pa.int64()))
    return count


def _best(rows: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = rows.take(pc.select_k_unstable(rows, k=min(_KEPT * _ALIKE, rows.num_rows), sort_keys=_BEST))
    numbered = rows.select(["text"]).append_column("at", pa.array(range(rows.num_rows)))
    first = numbered.group_by("text").aggregate([("at", "min")])["at_min"]
    return rows.take(first.take(pc.sort_indices(first)[:_KEPT]))
