"""What differs between two texts of SQL statements, beyond layout, comments and further columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from dataflow_generator.sql.comparison import CLAUSES_OF_COLUMNS, changed_clauses, difference, same_statement
from dataflow_generator.sql.lexer import guess_dialect
from scanner_extractor.repository.statements import statements_of
from scanner_extractor.repository.syntax_trees import words
from scanner_model.errors import InputInvalid

_DECLARES = re.compile(r"(?i)(?:CREATE|INSERT|EXECUTE|BEGIN|END|WITH|SELECT|SHOW|DESCRIBE|PRINT|LIST|USE|COMMIT)\b")
_ADDS_COLUMN = re.compile(r"(?i)ALTER\s+TABLE\b(?!.*\b(?:DROP|RENAME|CHANGE|MODIFY|ALTER\s+COLUMN|TYPE)\b).*\bADD\b.*")
_NO_DATA = re.compile(
    r"(?i)INSERT\b.*\bVALUES\b.*|(?:GRANT|COMMENT\s+ON|CREATE\s+(?:UNIQUE\s+)?(?:INDEX|USER|ROLE|EXTENSION|SEQUENCE))\b.*"
)
_CONNECTOR = re.compile(r"(?i)CREATE\s+(?:SINK|SOURCE)\s+CONNECTOR\b")
"""A statement whose settings are compared as those of any connector."""
_TOKEN = re.compile(r"'(?:[^']|'')*'|[\w.`\"]+|\S")
_NO_COLUMN = words(
    "WHERE HAVING WINDOW JOIN ON DISTINCT UNION LIMIT WITH BY EMIT PARTITION FROM KEY PRIMARY"
    " SELECT INSERT CREATE WATERMARK GRACE RETENTION FETCH OFFSET TABLESAMPLE FOR PIVOT UNPIVOT EXCEPT INTERSECT"
)
"""Words that a further column of a list does not have."""
_POSITIONAL = re.compile(r"(?i)(?:\b|_)(?:format|encode)\W{1,6}(?:csv|raw|delimited|kafka)\b")
"""An option of a table for a format that has values by their position: of Flink, ksqlDB or RisingWave."""
_STRUCTURED = words("STRUCT ROW ARRAY MAP MULTISET")


def codes_of(text: str) -> list[str]:
    """Return the statements of a text that move or describe data, each as its words."""
    return [code for code, _, _ in placed_codes(text)]


def placed_codes(text: str) -> list[tuple[str, int, int]]:
    """Return the statements as `codes_of` does, each with its first and last line."""
    ends = ((one, one.line + one.code.count("\n")) for one in statements_of(text))
    codes = ((code_of(one.code), one.line, last) for one, last in ends)
    return [one for one in codes if not _NO_DATA.fullmatch(one[0]) and not _CONNECTOR.match(one[0])]


def code_of(statement: str) -> str:
    """Return a statement as its words, so that layout does not count."""
    return " ".join(_TOKEN.findall(statement))


def changed_codes(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """Return the statements, as `codes_of` has them, that are gone, differ, or do something new.

    A statement that moves, or that only gets further columns, and one that only declares or reads are left out.
    """
    gone, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    kept = {code for code in gone for other in new if _is_same(code, other)}
    kept |= {other for other in new for code in gone if _is_same(code, other)}
    changed = {code for code in gone if not any(_only_adds_columns(code, other) for other in new)} - kept
    return changed | ({code for code in new if not _DECLARES.match(code) and not _ADDS_COLUMN.fullmatch(code)} - kept)


def starts_alike(code: str, other: str) -> bool:
    """Return whether two statements create, or fill, the same thing."""
    return code.split()[:3] == other.split()[:3]


def names_table(code: str, tables: Collection[tuple[str, ...]]) -> bool:
    """Return whether a statement names one of some tables, each the parts of its name, or what that is in.

    A name with fewer parts may be of any table that ends in it; texts of other statements count, too.
    """
    names = [tuple(name.split(".")) for name in _PARTS.findall(_DOT.sub(".", _QUOTES.sub("", code.casefold())))]
    if any(name[-1] in table[:-1] for name in names for table in tables) and _WHOLE.search(code):
        return True
    return any(
        all(one == other for one, other in zip(name[end::-1], table[::-1], strict=False))
        for name in names
        for table in tables
        for end in range(len(name))
    )


_QUOTES = re.compile(r"[\[\]`\"']")
_DOT = re.compile(r"\s{0,20}\.\s{0,20}")
_PARTS = re.compile(r"[\w$-]+(?:\.[\w$-]+)*")
_WHOLE = re.compile(r"(?i)\b(?:SCHEMA|DATABASE|CATALOG)\b")


def only_renames(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether the statements that differ do so by other names of tables and columns alone, each throughout.

    That each name still means what it did, the flows show. The name of a function is not one of these.
    """
    gone, new = ([code for code in one if code not in other] for one, other in ((before, after), (after, before)))
    if len(gone) != len(new):
        return False
    names: dict[str, str] = {}
    for old, other in zip(gone, new, strict=True):
        words, others = old.split(" "), other.split(" ")
        if len(words) != len(others):
            return False
        for at, (word, now) in enumerate(zip(words, others, strict=True)):
            is_called = words[at + 1 : at + 2] == ["("] and words[at - 1 : at] != ["TABLE"]
            are_names = _NAME.fullmatch(word) and _NAME.fullmatch(now) and not is_called
            if names.setdefault(word, now) != now or not (word == now or are_names):
                return False
    return len(set(names.values())) == len(names)


_NAME = re.compile(r"[A-Za-z_`\"][\w.`\"]*")


def decides_rows(code: str, others: Iterable[str]) -> bool:
    """Return whether a statement differs from the one of *others* that is like it in more than its columns.

    Which rows there are, and what they are grouped by, no flow between columns shows.
    """
    alike = [other for other in others if starts_alike(code, other)]
    if len(alike) != 1:
        return False
    try:
        return not changed_clauses(code, alike[0], guess_dialect(code)) <= CLAUSES_OF_COLUMNS
    except InputInvalid:
        return False


def clauses(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """Return the clauses in which the changed statements differ from those that are most like them."""
    gone, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    return {clause for code in gone for clause in _clauses(code, new)}


def _clauses(code: str, new: Collection[str]) -> list[str]:
    """Return the clauses in which a statement differs from the new one that is most like it."""
    alike = [other for other in new if starts_alike(code, other)]
    found = _difference(code, alike[0]) if len(alike) == 1 else ""
    return [found] if found else []


def _is_same(before: str, after: str) -> bool:
    """Return whether two statements differ only in the case of words that the dialect does not tell apart."""
    if before.casefold() != after.casefold():
        return False
    try:
        return same_statement(before, after, guess_dialect(after))
    except InputInvalid:
        return False


def _only_adds_columns(before: str, after: str) -> bool:
    """Return whether a statement has what it had, and further columns in lists: what they come from, the flows show.

    In a format without names, each further column is a value that the records have to have.
    """
    if _POSITIONAL.search(after):
        return False
    old, new = (_items(_TOKEN.findall(text)) for text in (before, after))
    left = iter(new)
    is_longer = all(item in left for item in old)
    added = Counter(new) - Counter(old)
    return is_longer and all(_NO_COLUMN.isdisjoint(word.upper() for word in item) for item in added)


def _items(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a statement as the items of its lists of columns, and what is between these.

    The fields of a type such as `STRUCT<id INT, name STRING>` are a list inside an item.
    """
    found: list[tuple[str, ...]] = []
    item: list[str] = []
    calls, types, is_list, is_start = 0, 0, False, True  # *calls*: parentheses of the arguments of a call or a type
    for at, piece in enumerate(tokens):
        word = piece.upper()
        is_first = piece == "(" and is_start
        is_inner = piece == "(" and [one.upper() for one in tokens[at + 1 : at + 2]] == ["SELECT"]
        is_type = piece == "<" and at > 0 and tokens[at - 1].upper() in _STRUCTURED
        is_start = is_start and piece != "(" and word != "SELECT"
        begins = not calls and (is_first or is_type or word == "SELECT")
        closes_type = piece == ">" and types > 0 and not calls
        ends = not calls and is_list and (word == "FROM" or piece == ")" or closes_type)
        calls += (piece == "(" and not is_first and not is_inner) - (piece == ")" and calls > 0)
        types += is_type - closes_type
        if begins or ends or (is_list and piece == "," and not calls):
            found.append(tuple(item))
            found += [(piece,)] if piece != "," else []
            item, is_list = [], begins or (is_list and (not ends or closes_type))
        else:
            item.append(piece)
    return [one for one in (*found, tuple(item)) if one]


def _difference(before: str, after: str) -> str:
    """Return the clauses in which two statements differ; empty if they cannot be read, or are the same."""
    dialect = guess_dialect(after)
    try:
        return difference(before, after, dialect)
    except InputInvalid:
        return ""
