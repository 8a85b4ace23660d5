"""Secrets that stand in words around them: options of commands, statements about users, keys in PEM."""

from __future__ import annotations

import re
from typing import Any

from scanner_model.secrets import MASK, is_secret_name

Json = Any

_MAY_BE = re.compile(
    r"(?i)PRIVATE KEY|identified\s{1,9}by|(?:password|secret|token)\s{1,9}'|(?<!-)--?[A-Za-z][\w.-]{0,60}\s"
    r"|-u\s|--user\s|\bmysql"
)
"""What a text without any such secret rarely has. No pattern here takes more than linear time for any text."""
_PEM = re.compile(r"(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?")
_OF_USERS = re.compile(r"(?i)(?P<key>\b(?:PASSWORD|IDENTIFIED\s{1,9}BY|SECRET|TOKEN)\s{1,9})'(?:[^']|'')*'")
_OPTION = re.compile(
    r"(?P<key>(?<![\w-])--?(?P<name>[A-Za-z][\w.-]{0,80})\s{1,9})(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"|&;-][^\s'\"|&;]*)"
)
_LOGIN = re.compile(r"(?P<key>(?<![\w-])(?:-u|--user)\s{1,9}['\"]?[^\s:'\"]{1,100}:)[^\s'\"]+")
_MYSQL = re.compile(r"(?P<key>\bmysql\w{0,9}\b[^\n;|&]{0,200}?\s-p)[^\s'\"]+")


def may_be_spoken(text: str) -> bool:
    """Say whether *text*, JSON perhaps, may hold such a secret."""
    return bool(_MAY_BE.search(text))


def without_spoken(value: Json) -> Json:
    """Give JSON without such secrets."""
    match value:
        case dict():
            return {key: without_spoken(each) for key, each in value.items()}
        case list():
            return [without_spoken(each) for each in value]
        case str():
            return _without(value)
        case _:
            return value


def _without(text: str) -> str:
    text = _PEM.sub(rf"\1{MASK}", text)
    text = _OF_USERS.sub(rf"\g<key>'{MASK}'", text)
    text = _OPTION.sub(lambda match: match["key"] + MASK if is_secret_name(match["name"]) else match[0], text)
    text = _LOGIN.sub(rf"\g<key>{MASK}", text)
    return _MYSQL.sub(rf"\g<key>{MASK}", text) if " -p" in text else text
