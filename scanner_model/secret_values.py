"""Values that are secret whatever they are called: private keys, tokens, and what nobody would think up as a name."""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"(?:\$\{[\w.-]+:[^{}]*\})+")
_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----|\"private_key\"\s*:")
_TOKEN = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{4,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")
_DRAWN = re.compile(r"[A-Za-z0-9+/_=~-]{20,}")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F-]{32,}")
_KINDS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


def is_reference(value: str) -> bool:
    """Say whether *value* only says where a secret is, as `${file:/run/secrets/db:password}` does."""
    return _REFERENCE.fullmatch(value) is not None


def is_secret_value(value: str) -> bool:
    """Say whether *value* holds a private key or a token: PEM, a service account, a JWT, an access key id."""
    return bool(_KEY.search(value) or _TOKEN.search(value))


def looks_drawn(value: str) -> bool:
    """Say whether *value* looks drawn by lot: long, without dots and spaces, letters of both cases and digits."""
    mixed = _DRAWN.fullmatch(value) and all(kind.search(value) for kind in _KINDS)
    return bool(mixed or _HEXADECIMAL.fullmatch(value))
