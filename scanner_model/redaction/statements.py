"""Masking of SQL: secret properties and options, `SET` values, users' passwords, comments."""

from __future__ import annotations

import re

from scanner_model.redaction.names import (
    NO_EXTRA,
    ExtraNames,
    is_doubtful_setting,
    is_harmless_setting,
    is_plain_value,
    is_secret_name,
    words,
)
from scanner_model.redaction.texts import mask_text, mask_users
from scanner_model.redaction.urls import mask_url
from scanner_model.redaction.values import MASK, is_reference, is_secret_value, looks_random

_NAME = r"(?<![\w.-])(?P<name>[\w.-]+)"
_PROPERTY = re.compile(rf"(?P<key>(?P<q>['\"`]?){_NAME}(?P=q)\s*=\s*)'(?:[^']|'')*+'")
_OPTION = re.compile(rf"(?P<key>'{_NAME}'\s*=\s*)(?P<mark>['\"])(?P<value>(?:(?!(?P=mark)).|''|\n)*+)(?P=mark)")
_SET = re.compile(rf"(?im)^(?P<key>[ \t]*SET[ \t]+{_NAME}[ \t]*=[ \t]*)(?P<value>[^\s;'\"]+)")
_USER = re.compile(r"(?i)(?P<key>\b(?:PASSWORD|SECRET|TOKEN)['\"]?\s{1,9})'(?:[^']|'')*+'")
_LITERAL = re.compile(r"'(?:[^']|'')*+'?|`[^`]*`?|--[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|(?m:^)[ \t]*#[^\n]*")
"""A string, a quoted name or a comment: `--` in a string begins none, and a quote in a comment neither."""

_LITERAL_ENDS = frozenset(
    {"map", "mapping", "tables", "renames", "fields", "columns", "topics", "list", "regex", "pattern", "replacement"}
)
"""What names topics, tables and columns, one of which may be called `password`; `a=b` maps one to another there."""
SQL_ENDS = frozenset({"query", "sql", "statement", "statements"})
_RANDOM_WORDS = frozenset(
    {"key", "keys", "auth", "pass", "sas", "cred", "creds", "hash", "salt", "cookie", "session", "license", "pat"}
)
"""Words of a setting's name under which a value that looks generated is a secret."""
_HARMLESS_ENDS = frozenset({"url", "uri", "endpoint", "location", "path", "file", "class", "fields", "columns"})


def mask_statement(sql: str, extra: ExtraNames = NO_EXTRA) -> str:
    """Hide the secrets in *sql*; everything else stays byte for byte.

    They are quoted values of secret properties, as in `WITH ('sasl.password' = '…')`; options whose value is one
    whatever they are called; what `SET` sets without quotes; passwords of users; and what looks like one in a comment.
    """

    def named(match: re.Match[str]) -> str:
        return match[0] if not is_secret_name(match["name"], extra) else f"{match['key']}{_quoted_mask(match)}"

    def comment(match: re.Match[str]) -> str:
        text = match[0]
        if text[0] in "'`":
            return mask_text(text, extra) if _is_connection(match) else text
        body = text.removesuffix("*/").rstrip() if text.startswith("/*") else text
        return mask_text(body, extra) + text[len(body) :]

    text = _PROPERTY.sub(named, _LITERAL.sub(comment, sql))
    text = _OPTION.sub(lambda match: _option(match, extra), text)
    text = _USER.sub(rf"\g<key>'{MASK}'", mask_users(text))
    return mask_url(_SET.sub(named, text), extra)


def _is_connection(literal: re.Match[str]) -> bool:
    """Check whether a string lists parameters of a connection (`dblink('host=h password=x', …)`); no option's value."""
    text, start = literal[0], literal.start()
    return (
        text[0] == "'" and text.count("=") > 1 and not literal.string[max(start - 9, 0) : start].rstrip().endswith("=")
    )


def is_secret_setting(name: str, value: str, extra: ExtraNames = NO_EXTRA) -> bool:
    """Check whether the *value* of a setting or option is a secret: by its name, in doubt too, or by what it is."""
    if is_secret_value(value):
        return True
    if is_harmless_setting(name):
        return False
    if is_secret_name(name, extra):
        return True
    if is_doubtful_setting(name, extra) and not is_plain_value(value):
        return True
    parts = words(name)
    return bool(_RANDOM_WORDS & set(parts)) and parts[-1] not in _HARMLESS_ENDS and looks_random(value)


def names_columns(name: str) -> bool:
    """Check whether a setting's value maps or lists topics, tables and columns."""
    return bool(_LITERAL_ENDS & set(words(name)[-1:])) or is_harmless_setting(name)


def _quoted_mask(match: re.Match[str]) -> str:
    return f"'{MASK}'" if "value" not in match.re.groupindex else MASK


def _option(match: re.Match[str], extra: ExtraNames) -> str:
    name, value = match["name"], match["value"]
    if is_reference(value):
        return match[0]
    if is_secret_setting(name, value, extra):
        shown = MASK if value else ""
    elif names_columns(name) or SQL_ENDS & set(words(name)[-1:]):
        shown = value
    else:
        shown = mask_text(value, extra)
    return f"{match['key']}{match['mark']}{shown}{match['mark']}"
