"""What a secret looks like, and how it is hidden in URLs, texts and JSON before anybody sees or stores them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from scanner_model.secret_values import is_reference, is_secret_value, looks_drawn

Json = Any

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

_TELLING_WORDS = frozenset(
    {"key", "keys", "auth", "pass", "sas", "cred", "creds", "hash", "salt", "cookie", "session", "license", "pat"}
)
"""Words of a setting's name under which a value that looks drawn by lot is a secret."""
_LITERAL_ENDS = frozenset({"map", "mapping", "tables", "renames", "fields", "columns", "topics"})
"""What names topics, tables and columns, one of which may be called `password`; `a=b` maps one to another there."""
_SQL_ENDS = frozenset({"query", "sql", "statement", "statements"})

# Every pattern starts where a word starts and bounds what it runs over, so that no text takes more than linear time.
# What stands before the @ of Azure's storage is a container.
_USER_INFO = re.compile(
    r"(?<![\w+.-])(?!(?:abfss?|wasbs?)://[\w$-]{1,63}@)(?P<scheme>[\w+.-]+://)"
    r"(?:[^/\s'\"@?#]*|[^/\s'\"@?#:]*:(?!\d+[/?#])[^\s'\"@]{0,500})@"
)
_QUERY = re.compile(r"(?P<key>[?&;][^=&;#?\s'\"]+=)(?P<value>[^&;#\s'\"]+)")
_SIGN = re.compile(r"[=:\s]")
"""Without one of these, none of the patterns of `mask_text` fits; most texts are names."""
_BEARER = re.compile(r"\b(?P<scheme>(?i:Basic|Bearer)\s+)(?=\S*[\d=])[A-Za-z0-9+/=._~-]{8,}")
_ORACLE_LOGIN = re.compile(r"(?P<scheme>\bjdbc:oracle:\w{1,20}:)[^@/\s]{1,200}/[^@\s]{0,200}@")
_HEADER = re.compile(r"(?P<key>(?<![\w.-])(?P<name>[\w.-]+)\s*:\s*)(?P<value>(?:(?:Basic|Bearer)\s+)?[^\s,;|'\"]+)")
_ALIAS = re.compile(r"(?:transforms|predicates)\.[^.]+\.")
_NAME = r"(?<![\w.-])(?P<name>[\w.-]+)"
_QUOTED = re.compile(
    rf"""(?P<key>\\?(?P<q>["'`]?){_NAME}\\?(?P=q)\s*[=:]\s*)"""
    r"""(?:'(?:[^']|'')*'|\\"(?:[^"\\]|\\[^"])*\\"|"(?:[^"\\]|\\.)*")"""
)
_PLAIN = re.compile(rf"(?P<key>{_NAME}=)(?P<value>[^\s'\"&;,)}}\]]+)")
_STATEMENT = re.compile(rf"(?P<key>(?P<q>['\"`]?){_NAME}(?P=q)\s*=\s*)'(?:[^']|'')*'")
_OPTION = re.compile(rf"(?P<key>'{_NAME}'\s*=\s*)'(?P<value>(?:[^']|'')*+)'")
_SET = re.compile(rf"(?im)^(?P<key>[ \t]*SET[ \t]+{_NAME}[ \t]*=[ \t]*)(?P<value>[^\s;'\"]+)")
_LITERAL = re.compile(r"'(?:[^']|'')*+'?|`[^`]*`?|--[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
"""A string, a quoted name or a comment: `--` in a string begins none, and a quote in a comment neither."""

SCHEMA_MEMBERS = frozenset({"schema", "schemaText", "SchemaDefinition", "content"})
"""Members whose text is a schema: a field *named* password is no secret, so it stays byte for byte."""
STATEMENT_MEMBERS = frozenset(
    {"statement", "statementText", "queryString", "ksql", "sql", "creation_statement", "query"}
)
"""Members whose text is SQL, where only a quoted value can be a secret: `ON a.token=b.token` is a join."""


@lru_cache(maxsize=4096)
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
    if not _SIGN.search(text):
        return text
    text = mask_url(text)
    for pattern in (_QUOTED, _PLAIN):
        text = pattern.sub(_hide_named, text)
    return _BEARER.sub(rf"\g<scheme>{MASK}", text)


def mask_statement(sql: str) -> str:
    """Hide the secrets in *sql*; everything else stays byte for byte.

    They are quoted values of secret properties, as in `WITH ('sasl.password' = '…')`; options whose value is one
    whatever they are called; what `SET` sets without quotes; and what looks like one in a comment.
    """
    hidden = _STATEMENT.sub(_hide_named, _LITERAL.sub(_hide_in_comment, sql))
    return mask_url(_SET.sub(_hide_named, _OPTION.sub(_hide_option, hidden)))


def mask_config(config: Mapping[str, Json], passwords: frozenset[str] = frozenset()) -> dict[str, Json]:
    """Give the configuration of a connector with its secrets hidden.

    By name, by what the value is, and where it is one of *passwords*, which the plug-ins themselves declare. A
    reference to a secret (`${file:…}`) is none. Names of topics, tables and columns stay, whatever they are called.
    """
    return {key: _setting(key, value, key in passwords) for key, value in config.items()}


def mask_json(value: Json) -> Json:
    """Return a copy of *value* with its secrets hidden: under a secret key, in a name/value pair, inside a text.

    Schema texts stay byte for byte; a connector's configuration is judged as such. A secret key hides text and numbers
    only, because an object under a key such as `password` is a schema's description of that field. Properties that a
    list `sensitive` beside them names are hidden too.
    """
    if isinstance(value, dict):
        if isinstance(value.get("connector.class"), str):
            return mask_config(value)
        hidden = _is_secret_pair(value)
        listed = mask_sensitive(value)
        return {key: _masked(key, item, hidden and key == "value") for key, item in listed.items()}
    if isinstance(value, list):
        return [mask_json(item) for item in value]
    return mask_text(value) if isinstance(value, str) else value


def mask_sensitive(metadata: Mapping[str, Json]) -> dict[str, Json]:
    """Return the metadata of a schema with the values masked of those `properties` that its list `sensitive` names."""
    named, properties = metadata.get("sensitive"), metadata.get("properties")
    if not isinstance(named, list) or not isinstance(properties, dict):
        return dict(metadata)
    return {**metadata, "properties": {name: MASK if name in named else value for name, value in properties.items()}}


def _masked(key: str, value: Json, hidden: bool) -> Json:
    if not isinstance(value, str):
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if plain and (hidden or is_secret_name(key)) else mask_json(value)
    if key in SCHEMA_MEMBERS:
        return value
    if hidden or is_secret_name(key):
        return MASK if value else value
    return mask_statement(value) if key in STATEMENT_MEMBERS else mask_text(value)


def _setting(key: str, value: Json, declared: bool) -> Json:
    name = _ALIAS.sub("", key, count=1)  # an alias is the user's own word
    if not isinstance(value, str):
        return _masked(name, value, declared)
    if not value or is_reference(value):
        return value
    if declared or is_secret_name(name) or _is_secret(name, value):
        return MASK
    words = [word.lower() for word in _WORDS.findall(name)]
    last = words[-1] if words else ""
    if last in _LITERAL_ENDS:
        return value
    if last in _SQL_ENDS:
        return mask_statement(value)
    text = _ORACLE_LOGIN.sub(r"\g<scheme>@", mask_text(value))
    return _HEADER.sub(_hide_named, text) if "headers" in words else text


def _is_secret(name: str, value: str) -> bool:
    """Say whether *value* gives itself away: as a key or a token, or as drawn by lot under a name that tells."""
    words = [word.lower() for word in _WORDS.findall(name)]
    telling = bool(_TELLING_WORDS & set(words)) and words[-1] not in _HARMLESS_ENDS
    return is_secret_value(value) or (telling and looks_drawn(value))


def _is_secret_pair(value: dict[str, Json]) -> bool:
    return "value" in value and any(
        isinstance(name := value.get(member), str) and is_secret_name(name) for member in ("name", "key", "config")
    )


def _hide_parameter(match: re.Match[str]) -> str:
    return match["key"] + (MASK if is_secret_name(match["key"]) else match["value"])


def _hide_option(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    if is_reference(value):
        return match[0]
    return f"{match['key']}'{MASK if _is_secret(name, value) else _option(name, value)}'"


def _option(name: str, value: str) -> str:
    """Hide what is secret inside the value of an option, such as the password in an address."""
    words = _WORDS.findall(name)
    last = words[-1].lower() if words else ""
    return value if last in _LITERAL_ENDS | _SQL_ENDS else mask_text(value)


def _hide_in_comment(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith(("'", "`")) else mask_text(match[0])


def _hide_named(match: re.Match[str]) -> str:
    if not is_secret_name(match["name"]):
        return match[0]
    groups = match.groupdict()
    if groups.get("value") is not None:
        return match["key"] + MASK
    value = match[0][len(match["key"]) :]
    quote = value[:2] if value.startswith("\\") else value[0]
    return f"{match['key']}{quote}{MASK}{quote}"
