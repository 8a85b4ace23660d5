"""Values that are secret whatever their name: private keys, tokens of known services, random strings."""

from __future__ import annotations

import re

MASK = "********"

_REFERENCE = re.compile(r"(?:\$\{[\w.-]+:[^{}]*\})+")
_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\"private_key\"\s*:")
_TOKEN_FORMS = (
    ("eyJ", r"eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?"),  # JSON web token
    ("AKIA", r"AKIA[0-9A-Z]{16}\b"),  # AWS
    ("ASIA", r"ASIA[0-9A-Z]{16}\b"),
    ("AIza", r"AIza[\w-]{35}"),  # Google
    ("ya29.", r"ya29\.[\w-]{20,}"),
    ("gh", r"gh[pousr]_[A-Za-z0-9]{20,}"),  # GitHub, GitLab
    ("github_pat_", r"github_pat_\w{20,}"),
    ("glpat-", r"glpat-[\w-]{16,}"),
    ("xox", r"xox[abeoprs]-[\w-]{8,}"),  # Slack
    ("hvs.", r"hvs\.[\w-]{20,}"),  # Vault
    ("dapi", r"dapi[0-9a-f]{32}"),  # Databricks
    ("_live_", r"[rs]k_live_\w{10,}"),  # Stripe
    ("SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),  # SendGrid
)
"""A marker and the pattern of each kind of token; each begins at a word boundary."""
_TOKEN_MARKS = tuple(mark for mark, _ in _TOKEN_FORMS)
_TOKEN = re.compile(rf"(?<![\w-])(?:{'|'.join(form for _, form in _TOKEN_FORMS)})")
_RANDOM = re.compile(r"[A-Za-z0-9+/_=~-]{20,}")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F-]{32,}")
_KINDS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


def is_reference(value: str) -> bool:
    """Check whether *value* only says where a secret is, as `${file:/run/secrets/db:password}` does."""
    return _REFERENCE.fullmatch(value) is not None


def is_secret_value(value: str) -> bool:
    """Check whether *value* holds a private key or a token: PEM, a service account, a JWT, an access key id."""
    return bool(_KEY.search(value)) or (_has_mark(value) and bool(_TOKEN.search(value)))


def looks_random(value: str) -> bool:
    """Check whether *value* looks generated: long, without dots and spaces, letters of both cases and digits."""
    mixed = _RANDOM.fullmatch(value) and all(kind.search(value) for kind in _KINDS)
    return bool(mixed or _HEXADECIMAL.fullmatch(value))


def mask_tokens(text: str) -> str:
    """Hide the tokens of known services in *text*."""
    return _TOKEN.sub(MASK, text) if _has_mark(text) else text


def _has_mark(text: str) -> bool:
    return any(mark in text for mark in _TOKEN_MARKS)
