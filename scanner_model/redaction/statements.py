"""Masking of SQL: secret properties and options, `SET` values, users' passwords, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from scanner_model.redaction.names import (
    NO_EXTRA,
    ExtraNames,
    is_doubtful_setting,
    is_harmless_setting,
    is_plain_value,
    is_secret_name,
    words,
)
from scanner_model.redaction.places import Place, place_of
from scanner_model.redaction.texts import mask_text, mask_users
from scanner_model.redaction.urls import mask_url
from scanner_model.redaction.values import MASK, is_reference, is_secret_value, looks_random

_COMMENT = r"--[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|(?m:^)[ \t]*#[^\n]*"
_OTHERS = rf"|(?P<comment>{_COMMENT})|`(?P<quoted>[^`]*)`?|(?P<word>[\w$]+(?:[.-](?!-)[\w$]+)*)|(?P<sign>[=<>!:|]+|\S)"
_STANDARD = re.compile(rf"'(?P<text>(?:[^']|'')*+)(?P<close>'?)|\"(?P<double>[^\"]*+)\"{_OTHERS}")
_ESCAPED_TEXT = r"'(?P<text>(?:[^'\\]|''|\\.|\\\n)*+)(?P<close>'?)"
_BACKSLASHES = re.compile(rf"{_ESCAPED_TEXT}|\"(?P<double>(?:[^\"\\]|\\.|\\\n)*+)(?P<end>\"?){_OTHERS}")
_WITHOUT_DOUBLE = re.compile(rf"{_ESCAPED_TEXT}|(?P<double>(?!)){_OTHERS}")
"""Tokens where a backslash escapes a quote, as in MySQL and Spark."""
_SET = re.compile(r"(?im)^(?P<key>[ \t]*SET[ \t]+(?P<name>[\w.-]+)[ \t]*=[ \t]*)(?P<value>[^\s;'\"]+)")
_COMPARED = frozenset({"=", "==", "<>", "!=", "<=>", "=>", ":=", ":", "VALUE"})
"""What stands between a name and its value."""
_ENDS_IN_NAME = re.compile(r"(?<![\w.-])(?P<name>[\w.-]+)[\"']?[ \t]{0,9}[=:][ \t]{0,9}(?:[A-Za-z]{1,20} )?[\"']?$")
_LONGEST_END = 80
_PLAIN_NAME = re.compile(r"[$\w.:-]+")
_CIPHER = re.compile(
    r"(?i)(?:(?:aes|sha|md|bf|3?des|cbc|ecb|gcm|ofb|ctr|hex|base|utf|pkcs|hmac|padding|default|none|algo|cipher)"
    r"[-_/:=\d]*+)++"
)
_CONVERTS = re.compile(r"unhex|from_hex|decode|convert.*|cast|(?:un|from_)?base64|to_binary|to_utf8|sha.*|md5|digest|")
"""Functions that only convert a key, and plain brackets."""
_NO_PAIRS = frozenset({"in", "any", "all", "some", "array", "translate", "coalesce", "ifnull", "nvl", "nullif"})

_LITERAL_ENDS = frozenset(
    {"map", "mapping", "tables", "renames", "fields", "columns", "topics", "list", "regex", "pattern", "replacement"}
)
"""Settings with names of topics, tables and columns, perhaps `password`; `a=b` maps one to another there."""
SQL_ENDS = frozenset({"query", "sql", "statement", "statements"})
_RANDOM_WORDS = frozenset(
    {"key", "keys", "auth", "pass", "sas", "cred", "creds", "hash", "salt", "cookie", "session", "license", "pat"}
)
"""Words of a setting's name under which a value that looks generated is a secret."""
_HARMLESS_ENDS = frozenset({"url", "uri", "endpoint", "location", "path", "file", "class", "fields", "columns"})


def mask_statement(sql: str, extra: ExtraNames = NO_EXTRA) -> str:
    """Hide the secrets in *sql*; everything else stays byte for byte.

    They are strings under a secret name, as in `WITH ('sasl.password' = '…')`, `json_object('password', '…')` or
    `token IN ('…')`; options whose value is one whatever they are called; keys of functions that encrypt; what `SET`
    sets without quotes; passwords of users; and in every other string and comment what `mask_text` hides.
    """

    def named(match: re.Match[str]) -> str:
        return match[0] if not is_secret_name(match["name"], extra) else f"{match['key']}{MASK}"

    return _Strings(extra).masked(mask_url(_SET.sub(named, mask_users(sql)), extra))


def _tokens(sql: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of *sql*; a backslash escapes a quote where every string is closed then."""
    has_escapes = "\\'" in sql and all(token["close"] != "" for token in _escaped(sql))
    return _escaped(sql) if has_escapes else _STANDARD.finditer(sql)


def _escaped(sql: str) -> Iterator[re.Match[str]]:
    """Yield tokens where a backslash escapes a quote; if a `"` is not closed, no later one is, and all are signs."""
    for token in _BACKSLASHES.finditer(sql):
        if token["double"] is not None and not token["end"]:
            yield from _WITHOUT_DOUBLE.finditer(sql, token.start())
            return
        yield token


@dataclass(slots=True)
class _Strings:
    """Masks the strings and comments of a statement, each by what stands before it.

    *name* is the name or string before the current token, *sign* what stands between both; *is_string*: the name is
    a string. *lists* has for each open bracket what stands before it, and the name whose values it lists (`IN`).
    *creates*: the statement is `CREATE SECRET … AS '…'`.
    """

    extra: ExtraNames
    name: str = ""
    sign: str = ""
    is_string: bool = False
    creates: bool = False
    lists: list[tuple[str, str]] = field(default_factory=list)

    def masked(self, sql: str) -> str:
        parts: list[str] = []
        at = 0
        for token in _tokens(sql):
            shown = self._next(token)
            if shown != token[0]:
                parts += sql[at : token.start()], shown
                at = token.end()
        return "".join([*parts, sql[at:]])

    def _next(self, token: re.Match[str]) -> str:
        kind = token.lastgroup
        if kind == "comment":
            return self._comment(token[0])
        if kind in ("text", "close", "double"):
            return self._string(token)
        if kind == "sign":
            self._add_sign(token[0])
        else:
            self._add_word(token[kind or "word"])
        return token[0]

    def _add_word(self, word: str) -> None:
        upper = word.upper()
        if upper in ("IN", "NOT") or (upper == "VALUE" and self.is_string):
            self.sign = upper
        elif upper in ("ANY", "ALL", "SOME") and self.sign in _COMPARED:
            self.sign = "IN"
        elif self.sign == "::":  # a type, whose name may have two words
            self.sign = "::" if upper in ("CHARACTER", "DOUBLE", "BIT") else ")"
        else:
            self.creates |= upper == "SECRET" and self.name.upper() == "CREATE"
            self._add_name(word, is_string=False)
            if upper == "SELECT" and self.lists:
                self.lists[-1] = ("", "")

    def _add_name(self, name: str, *, is_string: bool) -> None:
        self.name, self.sign, self.is_string = name, "", is_string

    def _add_sign(self, sign: str) -> None:
        if sign in "([":
            self.lists.append(self._opened())
            self._add_name("", is_string=False)
        elif sign in ")]":
            if self.lists:
                self.lists.pop()
            self.sign = ")"
        elif sign == "," and self.sign:
            self._add_name("", is_string=False)
        elif sign != ".":
            self.sign = sign
            self.creates &= sign != ";"

    def _opened(self) -> tuple[str, str]:
        """Return what the bracket that opens here belongs to."""
        if self.sign == "IN" or self.sign in _COMPARED:
            return "in", self.name
        function = self.name.lower()
        outer, listed = self.lists[-1] if self.lists else ("", "")
        inherits = (listed and function in ("", "array")) or (_takes_key(outer) and _CONVERTS.fullmatch(function))
        return (outer, listed) if inherits else (function, "")

    def _comment(self, text: str) -> str:
        body = text.removesuffix("*/").rstrip() if text.startswith("/*") else text
        return mask_text(body, self.extra) + text[len(body) :]

    def _string(self, token: re.Match[str]) -> str:
        """Return a string with its secrets hidden; double-quoted text may be a name as well."""
        mark = token[0][0]
        written = token["text"] if mark == "'" else token["double"]
        escaped = "\\'" if "\\'" in written and token.re is not _STANDARD else "''"
        text = written.replace(escaped, "'")
        is_hidden = mark == "'" and text and self._is_value_of_secret(text)
        if is_hidden:
            shown = MASK
        elif self.is_string and self.sign == "=":
            shown = self._option(self.name, text)
        else:
            shown = mask_text(text, self.extra)
        self._add_name(text, is_string=mark == "'")
        end = mark if token["close"] != "" else ""
        return token[0] if shown == text else mark + shown.replace("'", escaped) + end

    def _is_value_of_secret(self, text: str) -> bool:
        function, listed = self.lists[-1] if self.lists else ("", "")
        if _takes_key(function):
            return not _CIPHER.fullmatch(text)
        if listed:
            return is_secret_name(listed, self.extra)
        if self.creates and self.name.upper() in ("AS", "VALUE"):
            return True
        if self.is_string and self.sign in ("||", ",", "+"):
            start = _ENDS_IN_NAME.search(self.name[-_LONGEST_END:])
            if start and is_secret_name(start["name"], self.extra):
                return True
        if self.sign == ",":
            is_pair = self.is_string and function and not _has_no_pairs(function)
            return bool(is_pair and _PLAIN_NAME.fullmatch(self.name) and is_secret_name(self.name, self.extra))
        is_named = self.sign in _COMPARED or (not self.sign and not self.is_string)
        return is_named and not is_reference(text) and is_secret_name(self.name, self.extra)

    def _option(self, name: str, value: str) -> str:
        if is_reference(value):
            return value
        if is_secret_setting(name, value, self.extra):
            return MASK if value else ""
        if SQL_ENDS & set(words(name)[-1:]):
            return mask_statement(value, self.extra)
        return value if names_columns(name) else mask_text(value, self.extra)


def is_secret_setting(name: str, value: str, extra: ExtraNames = NO_EXTRA) -> bool:
    """Check whether the *value* of a setting or option is a secret: by its place, its name, or by what it is."""
    place = place_of(name)
    if place is Place.SECRET or is_secret_value(value):
        return True
    if place is Place.OTHER or is_harmless_setting(name):
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


def _takes_key(function: str) -> bool:
    """Check whether *function*, in lower case, takes a key: its strings are hidden, except for a `_CIPHER`."""
    parts = function.split("_")
    return (
        function == "crypt"
        or function.startswith(("pgp_sym_", "aes_", "des_"))
        or not {"encrypt", "decrypt", "hmac"}.isdisjoint(parts)
    )


def _has_no_pairs(function: str) -> bool:
    """Check whether the arguments of *function*, in lower case, are not pairs of a name and its value."""
    return (
        function in _NO_PAIRS
        or function.endswith("replace")
        or function.startswith("concat")
        or "extract" in function
        or (function.startswith("json_") and ("path" in function or "exists" in function))
    )
