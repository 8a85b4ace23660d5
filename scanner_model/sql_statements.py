"""Which statements of a file of SQL are read for lineage, by their first words: the others are reported.

Statements of Flink and ksqlDB are read; what moves no data is ignored, and anything else is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NO_DATA = _words(
    "SHOW LIST DESC DESCRIBE EXPLAIN SET UNSET RESET PRINT TERMINATE PAUSE RESUME ASSERT RUN LOAD UNLOAD ADD REMOVE"
    " ANALYZE CALL TRUNCATE DELETE UPDATE COMPILE PLAN STOP HELP QUIT EXIT CLEAR COMMIT GRANT REVOKE"
)
"""First words of statements that move no data from topic to topic."""
NO_DATA_OBJECTS = _words("FUNCTION CATALOG DATABASE MODEL CONNECTION AGENT TOOL SECRET JAR SYSTEM")
"""Objects of CREATE, DROP and ALTER without data flow."""
MODIFIERS = ("OR", "REPLACE", "ALTER", "TEMPORARY", "SYSTEM", "SOURCE", "MATERIALIZED")

_READ = _words(
    "CREATE REPLACE DROP ALTER INSERT USE DEFINE UNDEFINE EXECUTE STATEMENT BEGIN END SELECT WITH VALUES TABLE ("
)
_COLLECTIONS = ("TABLE", "STREAM", "VIEW", "TYPE")
_CONNECTOR = "a connector that ksqlDB creates is not read from here: name its Connect cluster in `connect`"
_ENGINE = "statements of RisingWave and Materialize are not read from files: name the server in `databases`"
_MOST_WORDS = 8
# A backslash at the end of a line continues a command in the command line of ksqlDB.
_TOKEN = re.compile(
    r"\s+|--[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|\\[ \t]*(?:\r?\n|\Z)|(?P<text>'[^']*+'?|`[^`]*+`?|\"[^\"]*+\"?)"
    r"|(?P<end>;)|(?P<word>\w+|\()|."
)


class UnreadStatement(NamedTuple):
    """A statement that is not read: its first *line*, its first words (*opening*), and *why*."""

    line: int
    opening: str
    why: str


def unread_statements(sql: str) -> Iterator[UnreadStatement]:
    """Yield the statements of *sql* that are not read for lineage, in order."""
    words: list[str] = []  # as they are written
    start, is_opening = 0, True
    for token in [*_TOKEN.finditer(sql), None]:
        if token is None or token["end"]:
            if why := unread_reason([word.upper() for word in words]):
                yield UnreadStatement(sql.count("\n", 0, start) + 1, " ".join(words[:3]), why)
            words, is_opening = [], True
        elif token.lastgroup:
            start = start if words or not is_opening else token.start()
            is_opening = is_opening and bool(token["word"]) and len(words) < _MOST_WORDS
            words += [token[0]] if is_opening else []


def unread_reason(words: Sequence[str]) -> str:
    """Return why a statement that begins with *words*, in capitals, is not read; empty if absent."""
    if not words or words[0] in NO_DATA:
        return ""
    if words[0] not in _READ:
        return "unknown statement of Flink or ksqlDB"
    return _unread_object(words[1:]) if words[0] == "CREATE" else ""


def _unread_object(words: Sequence[str]) -> str:
    """Return why what CREATE makes is not read."""
    number = next((number for number, word in enumerate(words) if word not in MODIFIERS), len(words))
    modifiers, what = words[:number], words[number] if number < len(words) else ""
    if what == "CONNECTOR" or list(words[number : number + 2]) == ["SINK", "CONNECTOR"]:
        return _CONNECTOR
    if (what == "VIEW" and "MATERIALIZED" in modifiers) or what == "SINK":
        return _ENGINE
    if what in _COLLECTIONS or what in NO_DATA_OBJECTS or (what == "" and "SYSTEM" in modifiers):
        return ""
    return _ENGINE if "SOURCE" in modifiers else "it creates nothing that is known in Flink or ksqlDB"
