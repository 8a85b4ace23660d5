"""Texts of PostgreSQL that sqlglot does not parse, with the same lineage in words that it does."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"(?i)\bE'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\$(\w*)\$.*?\$\1\$", re.DOTALL)
_OPERATOR = re.compile(r'("(?:[^"]|"")*")|([-+*/<>=~!@#%^&|`?]+)')
_KNOWN = frozenset(
    ("+", "-", "*", "/", "%", "^", "=", "<>", "!=", "<", ">", "<=", ">=", "||", "~", "!~", "~*", "!~*", "~~", "!~~")
) | {"~~*", "!~~*", "->", "->>", "#>", "#>>", "@>", "<@", "?", "?|", "?&", "@@", "@?", "&&", "&", "|", "#", "<<", ">>"}
_NAME = r'(?:"(?:[^"]|"")*"|\w+)'
_NAMES = rf"{_NAME}(?:\s*,\s*{_NAME})*"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form, re.IGNORECASE), instead)
    for form, instead in (
        (rf"(\bUSING\s*\({_NAMES}\))\s+AS\s+{_NAME}", r"\1"),
        (rf"\)\s*SEARCH\s+(?:DEPTH|BREADTH)\s+FIRST\s+BY\s+{_NAMES}\s+SET\s+{_NAME}", ")"),
        (rf"\)\s*CYCLE\s+{_NAMES}\s+SET\s+{_NAME}(?:\s+TO\s+\S+\s+DEFAULT\s+\S+)?\s+USING\s+{_NAME}", ")"),
        (r"(\bORDER\s+BY\b[^()]*?)\s+USING\s+[-+*/<>=~!@#%^&|`?]+", r"\1"),
        (r"\(\s*(?:LATERAL\s+)?unnest\s*\(", '("unnest"('),
        (r"(::\s*[\w.]+)(?:\[\])+", r"\1"),
        (r"\bCOLLATION\s+FOR\s*\(", "pg_collation_for("),
        (r"\bXMLPARSE\s*\(\s*(?:CONTENT|DOCUMENT)\b", "xml_parse("),
        (r"\s(?:STRIP|PRESERVE)\s+WHITESPACE\s*\)", ")"),
        (r"\bXMLSERIALIZE\s*\(\s*(?:CONTENT|DOCUMENT)\b", "CAST("),
        (rf"\bXMLPI\s*\(\s*NAME\s+{_NAME}", "xml_pi('0'"),
        (r"\bVERSION\s+NO\s+VALUE\b|\bSTANDALONE\s+(?:YES|NO\s+VALUE|NO)\b", "'0'"),
    )
)
_XML = re.compile(r"\bXMLTABLE\s*\(", re.IGNORECASE)
_ALIAS = re.compile(
    rf"\s+(?:AS\s+)?(?!(?:ON|JOIN|LEFT|RIGHT|FULL|INNER|CROSS|WHERE|GROUP|ORDER)\b){_NAME}", re.IGNORECASE
)


def rewritten(text: str) -> str:
    """Return a query of PostgreSQL without what sqlglot does not parse; constants are replaced, columns are not.

    The columns that SEARCH and CYCLE add, and the names that USING gives to a join, are not defined in the result.
    """
    plain = _LITERAL.sub("'0'", text)
    for form, instead in _FORMS:
        plain = form.sub(instead, plain)
    return _OPERATOR.sub(lambda found: found[1] or _operator(found[2], plain[: found.start()]), _without_xml(plain))


def _operator(sign: str, before: str) -> str:
    """Return an operator that is known, where another one has operands on both sides; nothing before a single one."""
    if sign in _KNOWN:
        return sign
    return " || " if re.search(r"[\w\")\]']\s*$", before) else " "


def _without_xml(text: str) -> str:
    """Return a text whose XMLTABLE are functions of the columns that they read."""
    found = _XML.search(text)
    while found:
        end = _end(text, found.end())
        arguments = re.split(r"(?i)\bCOLUMNS\b", text[found.end() : end])[0]
        call = f"xml_table({re.sub(r'(?i)PASSING(?: BY (?:REF|VALUE))?', ',', arguments)})"
        alias = "" if _ALIAS.match(text, end + 1) else ' "xmltable"'
        text = f"{text[: found.start()]}{call}{alias}{text[end + 1 :]}"
        found = _XML.search(text)
    return text


def _end(text: str, start: int) -> int:
    """Return the place of the bracket that closes the one before *start*."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    return len(text)
