"""What a secret looks like, and how it is hidden in URLs, texts and JSON before anybody sees or stores them."""

from __future__ import annotations

import re
from itertools import pairwise

from scanner_extractor.exchange import Json

MASK = "********"

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECRET_WORDS = frozenset(
    {"password", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "credential", "credentials", "jaas"}
    | {"authorization", "signature", "sig", "apikey", "accesskey", "privatekey", "accountkey"}
)
_SECRET_ENDINGS = ("password", "passwd", "passphrase", "secret", "apikey", "token")
_SECRET_PAIRS = frozenset({"api key", "access key", "private key", "account key", "shared key", "sas key", "user info"})
_TOKEN_WORDS = frozenset({"token", "tokens"})
_HARMLESS_TOKENS = frozenset({"page", "next", "continuation"})
_HARMLESS_ENDS = frozenset(
    {"url", "uri", "endpoint", "location", "path", "file", "source", "type", "class", "provider", "algorithm"}
    | {"interval", "ms"}
)

# Every pattern starts where a word starts and bounds what it runs over, so that no text takes more than linear time.
_USER_INFO = re.compile(
    r"(?<![\w+.-])(?P<scheme>[\w+.-]+://)"
    r"(?:[^/\s'\"@?#]*|[^/\s'\"@?#:]*:(?!\d+[/?#])[^\s'\"@]{0,500})@"
)
_QUERY = re.compile(r"(?P<key>[?&;][^=&;#?\s'\"]+=)(?P<value>[^&;#\s'\"]+)")
_BEARER = re.compile(r"\b(?P<scheme>(?i:Basic|Bearer)\s+)(?=\S*[\d=])[A-Za-z0-9+/=._~-]{8,}")
_NAME = r"(?<![\w.-])(?P<name>[\w.-]+)"
_QUOTED = re.compile(
    rf"""(?P<key>\\?(?P<q>["'`]?){_NAME}\\?(?P=q)\s*[=:]\s*)"""
    r"""(?:'(?:[^']|'')*'|\\"(?:[^"\\]|\\[^"])*\\"|"(?:[^"\\]|\\.)*")"""
)
_PLAIN = re.compile(rf"(?P<key>{_NAME}=)(?P<value>[^\s'\"&;,)}}\]]+)")
_STATEMENT = re.compile(rf"(?P<key>(?P<q>['\"`]?){_NAME}(?P=q)\s*=\s*)'(?:[^']|'')*'")

SCHEMA_MEMBERS = frozenset({"schema", "schemaText", "SchemaDefinition", "content"})
"""Members whose text is a schema: a field *named* password is no secret, so it stays byte for byte."""
STATEMENT_MEMBERS = frozenset({"statement", "statementText", "queryString", "ksql", "sql"})
"""Members whose text is SQL, where only a quoted value can be a secret: `ON a.token=b.token` is a join."""


def is_secret_name(name: str) -> bool:
    """Say whether a value under *name* (a JSON key, a property, a query parameter) is to be hidden."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or words[-1] in _HARMLESS_ENDS:
        return False
    pairs = {f"{first} {second}" for first, second in pairwise(words)}
    if _SECRET_WORDS & set(words) or pairs & _SECRET_PAIRS:
        return True
    return not _HARMLESS_TOKENS & set(words) and (
        bool(_TOKEN_WORDS & set(words)) or any(word.endswith(_SECRET_ENDINGS) for word in words)
    )


def mask_url(url: str) -> str:
    """Give *url* without user and password, and with its secret query parameters hidden."""
    return _QUERY.sub(_hide_parameter, _USER_INFO.sub(r"\g<scheme>", url))


def mask_text(text: str) -> str:
    """Hide what looks like a secret in a message or a property text; anything else stays as it is."""
    text = mask_url(text)
    for pattern in (_QUOTED, _PLAIN):
        text = pattern.sub(_hide_named, text)
    return _BEARER.sub(rf"\g<scheme>{MASK}", text)


def mask_statement(sql: str) -> str:
    """Hide the quoted values of secret properties in *sql*, such as those of `WITH ('sasl.password' = '…')`."""
    return mask_url(_STATEMENT.sub(_hide_named, sql))


def mask_json(value: Json) -> Json:
    """Give a copy of *value* with its secrets hidden: under a secret key, in a name/value pair, inside a text.

    Schema texts stay byte for byte. A secret key hides text and numbers only, because an object under a key such as
    `password` is a schema's description of that field.
    """
    if isinstance(value, dict):
        hidden = _is_secret_pair(value)
        return {key: _masked(key, item, hidden and key == "value") for key, item in value.items()}
    if isinstance(value, list):
        return [mask_json(item) for item in value]
    return mask_text(value) if isinstance(value, str) else value


def _masked(key: str, value: Json, hidden: bool) -> Json:
    if not isinstance(value, str):
        secret = (hidden or is_secret_name(key)) and isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if secret else mask_json(value)
    if key in SCHEMA_MEMBERS:
        return value
    if hidden or is_secret_name(key):
        return MASK if value else value
    return mask_statement(value) if key in STATEMENT_MEMBERS else mask_text(value)


def _is_secret_pair(value: dict[str, Json]) -> bool:
    return "value" in value and any(
        isinstance(name := value.get(member), str) and is_secret_name(name) for member in ("name", "key")
    )


def _hide_parameter(match: re.Match[str]) -> str:
    return match["key"] + (MASK if is_secret_name(match["key"]) else match["value"])


def _hide_named(match: re.Match[str]) -> str:
    if not is_secret_name(match["name"]):
        return match[0]
    groups = match.groupdict()
    if groups.get("value") is not None:
        return match["key"] + MASK
    value = match[0][len(match["key"]) :]
    quote = value[:2] if value.startswith("\\") else value[0]
    return f"{match['key']}{quote}{MASK}{quote}"
