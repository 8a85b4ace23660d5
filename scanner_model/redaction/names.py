"""Names of settings, JSON members, options and parameters whose values are secret."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

ExtraNames = frozenset[str]
"""Names that a user adds, lower case; each also matches at the end of a longer dotted name."""

NO_EXTRA: ExtraNames = frozenset()

_TOPIC_WORDS = frozenset(("topic", "stream", "channel", "queue", "event", "destination"))
_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")
_SECRET_WORDS = frozenset(
    {
        "password",
        "passwords",
        "passwd",
        "passphrase",
        "passcode",
        "pwd",
        "pw",
        "secret",
        "secrets",
        "credential",
        "credentials",
    }
    | {
        "clave",
        "geheim",
        "codeword",
        "jaas",
        "authorization",
        "signature",
        "sig",
        "apikey",
        "accesskey",
        "privatekey",
        "accountkey",
        "secretkey",
    }
    | {"cred", "creds", "cookie", "hmac", "otp", "passwort", "kennwort", "motdepasse", "contrasena"}
    | {"contraseña", "senha", "parola", "wachtwoord", "lösenord", "losenord", "hasło", "haslo", "пароль"}
)
_SECRET_ENDINGS = ("password", "passwd", "passphrase", "passwort", "kennwort", "secret", "apikey", "token", "pwd", "pw")
_PASS_ENDINGS = re.compile(
    r"(?:db|user|ssh|ftp|smtp|ldap|bind|root|admin|my|pg|http|proxy|key|trust|auth|login|ssl|mail)pass"
)
_NO_PASS = frozenset({"single", "two", "multi", "one", "first", "second", "high", "low", "band", "by", "boarding"})
_KEY_KINDS = frozenset(
    {"api", "access", "private", "account", "shared", "sas", "auth", "encryption", "encrypt", "cipher", "crypto"}
    | {"master", "signing", "secret", "hmac", "aes", "rsa", "license", "symmetric", "subscription", "authentication"}
    | {"decryption", "ssh", "session", "jwt", "admin", "write", "ingest", "integration", "app", "client", "server"}
)
_SECRET_PAIRS = frozenset({"user info", "pass phrase", "pass word", "pass wd"}) | {
    f"{kind} {key}" for kind in _KEY_KINDS for key in ("key", "keys")
}
_JOINED_KEY = re.compile(rf"(?:{'|'.join(sorted(_KEY_KINDS))})keys?")
_TOKEN_WORDS = frozenset({"token", "tokens"})
_HARMLESS_TOKENS = frozenset({"page", "next", "continuation", "max", "min", "count", "limit"})
_HARMLESS_ENDS = frozenset(
    {"url", "uri", "endpoint", "location", "path", "file", "source", "type", "class", "provider", "algorithm"}
    | {"interval", "ms", "arn"}
)

_DOUBTFUL_WORDS = frozenset({"auth", "sas", "pat", "salt", "session", "license", "pin", "bearer"})
_HARMLESS_SETTING_ENDS = _HARMLESS_ENDS | frozenset(
    {"mode", "method", "mechanism", "enabled", "enable", "realm", "user", "username", "scope", "scopes", "database"}
    | {"host", "hostname", "port", "timeout", "retries", "version", "name", "id", "strategy", "policy", "protocol"}
    | {"role", "server", "audience", "issuer", "grant", "principal", "domain", "required", "seconds", "size", "count"}
    | {"format", "fields", "columns", "topics", "tables", "map", "mapping", "list", "regex", "index", "prefix", "topic"}
    | {
        "field",
        "column",
        "table",
        "db",
        "schema",
        "converter",
        "separator",
        "delimiter",
        "placement",
        "alias",
        "renames",
    }
)
_HARMLESS_KEYS = frozenset(
    {"primary", "partition", "message", "record", "row", "document", "foreign", "sort", "routing", "shard", "object"}
    | {"natural", "business", "surrogate", "composite", "unique", "index", "map", "group", "order", "ignore", "include"}
    | {"null", "delete", "tombstone", "range", "dedup", "deduplication", "merge", "upsert", "update", "join"}
    | {"lookup", "field", "fields", "column", "topic", "event", "redis", "item", "cluster", "clustering", "source"}
    | {"distribution", "target", "kafka", "avro", "json", "schema", "value", "struct", "from", "to", "by", "as"}
    | {
        "with",
        "for",
        "of",
        "convert",
        "extract",
        "envelope",
        "id",
        "name",
        "default",
        "path",
        "doc",
        "entity",
        "bucket",
    }
    | {"property", "attribute", "tag", "label", "metric", "use", "insert", "create", "exclude", "sharding", "pk", "s"}
)
_HARMLESS_NAMES = re.compile(r"(?:column\.(?:mask|truncate|propagate)|topics?|iceberg\.table|neo4j\.[a-z.]*topic)\..*")
_SECRET_AFTER_ALL = re.compile(
    r".*[._-](?:pw|pwd|passwort|kennwort|passwd|pass|password|secret|token|key|credentials?)"
)
"""Settings that name columns, or hold a user's own word in their name (a topic may be called `password-resets`)."""
_PLAIN_VALUES = re.compile(
    r"(?i)true|false|yes|no|on|off|none|null|\d{1,3}|basic|bearer|oauth2?|digest|kerberos|ssl|tls|plain|plaintext"
    r"|scram[\w-]*|iam|ntlm|default|enabled|disabled|required|optional|sasl|any|record_key|record_value|kafka"
)
"""Values that are no secret, under a name that only may be one."""


@lru_cache(maxsize=8192)
def words(name: str) -> tuple[str, ...]:
    """Return the words of *name* in lower case: `clientSecret` and `client.secret` are the same two."""
    return tuple(word.lower() for word in _WORDS.findall(name[:1000]))


@lru_cache(maxsize=8192)
def is_secret_name(name: str, extra: ExtraNames = NO_EXTRA) -> bool:
    """Check whether a value under *name* (a JSON key, a property, a query parameter) is hidden wherever it stands."""
    if extra and _is_extra(name, extra):
        return True
    parts = words(name)
    if not parts or parts[-1] in _HARMLESS_ENDS:
        return False
    pairs = {f"{first} {second}" for first, second in pairwise(parts)}
    if _SECRET_WORDS & set(parts) or pairs & _SECRET_PAIRS or _ends_in_pass(parts):
        return True
    if any(_JOINED_KEY.fullmatch(word) or word.startswith("passw") for word in parts):
        return True
    return not _HARMLESS_TOKENS & set(parts) and (
        bool(_TOKEN_WORDS & set(parts)) or any(word.endswith(_SECRET_ENDINGS) for word in parts)
    )


@lru_cache(maxsize=8192)
def is_secret_variable(name: str) -> bool:
    """Check whether a variable of a program holds a secret by its name; one about topics names a topic instead."""
    return is_secret_name(name) and not _TOPIC_WORDS & {word.removesuffix("s") for word in words(name)}


@lru_cache(maxsize=8192)
def is_doubtful_setting(name: str, extra: ExtraNames = NO_EXTRA) -> bool:
    """Check whether the setting or option *name* of a program is hidden in doubt: `http.auth`, `broker.key`."""
    if is_secret_name(name, extra):
        return True
    parts = words(name)
    if len(parts) < 2 and not _DOUBTFUL_WORDS & set(parts):
        return False
    if parts[-1] in ("key", "keys"):
        return parts[-2] not in _HARMLESS_KEYS
    return bool(_DOUBTFUL_WORDS & set(parts)) and parts[-1] not in _HARMLESS_SETTING_ENDS


@lru_cache(maxsize=8192)
def is_harmless_setting(name: str) -> bool:
    """Check whether a setting is known to name columns, topics or tables, whatever words it contains."""
    lower = name.lower()
    return bool(_HARMLESS_NAMES.fullmatch(lower)) and not _SECRET_AFTER_ALL.fullmatch(lower)


def is_plain_value(value: str) -> bool:
    """Check whether *value* is a switch, a small number or a kind of login, which no doubtful name makes a secret."""
    return len(value) <= 20 and _PLAIN_VALUES.fullmatch(value.strip()) is not None


def _ends_in_pass(parts: tuple[str, ...]) -> bool:
    if parts[-1] == "pass":
        return len(parts) < 2 or parts[-2] not in _NO_PASS
    return any(_PASS_ENDINGS.fullmatch(word) for word in parts)


def _is_extra(name: str, extra: ExtraNames) -> bool:
    lower = name.lower().strip("-")
    return lower in extra or any(lower.endswith(f".{suffix}") for suffix in extra)


HINTS = (
    *("pass", "pwd", "pw", "secret", "token", "key", "cred", "jaas", "auth", "sig", "cookie", "hmac", "otp", "info"),
    *(
        "kennwort",
        "clave",
        "geheim",
        "codeword",
        "contrase",
        "senha",
        "parola",
        "wachtwoord",
        "lösenord",
        "losenord",
        "hasło",
        "haslo",
        "пароль",
    ),
)
"""Parts of secret names: a text without any of them contains no secret name."""
