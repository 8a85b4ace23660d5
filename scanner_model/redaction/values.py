"""Values that are secrets by their form, and masking of known values wherever a text quotes them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import quote

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
    ("gl", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|ffct|oas)-[\w-]{16,}"),
    ("ATBB", r"ATBB[A-Za-z0-9]{20,}"),  # Atlassian
    ("ATATT3", r"ATATT3[\w=-]{20,}"),
    ("xox", r"xox[abeoprs]-[\w-]{8,}"),  # Slack
    ("xapp-", r"xapp-\d-[\w-]{16,}"),
    ("hv", r"hv[sbr]\.[\w-]{20,}"),  # Vault
    (".atlasv1.", r"\w{14}\.atlasv1\.[\w-]{30,}"),  # Terraform
    ("npm_", r"npm_[A-Za-z0-9]{20,}"),  # registries of packages and images
    ("pypi-", r"pypi-AgE[\w-]{20,}"),
    ("dckr_", r"dckr_[a-z]{3}_[\w-]{20,}"),
    ("rubygems_", r"rubygems_[0-9a-f]{32,}"),
    ("oy2", r"oy2[a-z0-9]{43}\b"),
    ("cio", r"cio[A-Za-z0-9]{32}\b"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20,}"),  # clouds
    ("Q~", r"[\w.~-]{3}\dQ~[\w.~-]{30,}"),
    ("do", r"do[opr]_v1_[0-9a-f]{40,}"),
    ("cflt", r"cflt[A-Za-z0-9+/]{40,}"),
    ("pscale_", r"pscale_(?:pw|tkn|oauth)_[\w.=-]{20,}"),
    ("dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{20,}"),
    ("sk-", r"sk-(?:[a-z]+\d*-)*[\w-]{32,}"),  # services
    ("hf_", r"hf_[A-Za-z]{30,}"),
    ("shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}"),
    ("gl", r"gl(?:sa|c)_[\w+/=]{20,}"),
    ("NRAK-", r"NRAK-[A-Z0-9]{20,}"),
    ("sntry", r"sntry[su]_[\w+/=-]{20,}"),
    (":AA", r"\d{8,10}:AA[\w-]{30,}"),
    ("lin_api_", r"lin_api_\w{30,}"),
    ("ntn_", r"ntn_\w{30,}"),
    ("PMAK-", r"PMAK-[0-9a-f]{20,}-[0-9a-f]{30,}"),
    ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("SK", r"SK[0-9a-f]{32}\b"),
    ("key-", r"key-[0-9a-f]{32}\b"),
    ("dapi", r"dapi[0-9a-f]{32}"),  # Databricks
    ("_live_", r"[rs]k_live_\w{10,}"),  # Stripe
    ("SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),  # SendGrid
    ("sq0", r"sq0[a-z]{3}-[\w-]{22,}"),  # Square
    ("HRKU-", r"HRKU-[\w-]{30,}"),
    ("pul-", r"pul-[0-9a-f]{40}\b"),
    ("pat", r"pat(?:-(?:na|eu|ap)\d-[0-9a-f-]{36}|[A-Za-z0-9]{14}\.[0-9a-f]{64})"),  # HubSpot, Airtable
    ("EAA", r"EAA[A-Za-z0-9]{100,}"),
    ("v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
)
"""A marker and the pattern of each kind of token; each begins at a word boundary."""
_TOKEN_MARKS = tuple(mark for mark, _ in _TOKEN_FORMS)
_TOKEN = re.compile(rf"(?<![\w-])(?:{'|'.join(form for _, form in _TOKEN_FORMS)})")
_PREFIXED = re.compile(r"(?<![\w-])[A-Za-z]{2,8}_(?:[A-Za-z0-9]{2,24}_)?(?P<rest>[A-Za-z0-9]{36,200})(?![\w-])")
"""What most services issue now: their name and a generated word. Names with a hash are shorter, or have dashes."""
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
    if "_" in text:
        text = _PREFIXED.sub(lambda match: MASK if _is_generated(match["rest"]) else match[0], text)
    return _TOKEN.sub(MASK, text) if _has_mark(text) else text


def _is_generated(word: str) -> bool:
    """Check whether a long word has letters and digits, of both cases or hexadecimal."""
    has_digits, has_letters = any(char.isdigit() for char in word), any(char.isalpha() for char in word)
    return has_digits and has_letters and looks_random(word)


def _has_mark(text: str) -> bool:
    return any(map(text.__contains__, _TOKEN_MARKS))


SHORTEST = 4
"""Minimum length of a searched value: shorter ones occur in any text."""
_LONGEST_NAME = 8


def is_distinctive(secret: str) -> bool:
    """Check whether *secret* is unlike any name: a password `orders` would hide the topic everywhere."""
    return len(secret) >= _LONGEST_NAME and not (secret.isalpha() and secret[1:].islower())


def hide_values(body: bytes, secrets: Iterable[str]) -> bytes:
    """Return *body* with each of a few *secrets* hidden, in the forms that JSON and URLs give them."""
    forms = {form.encode() for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)}
    for form in sorted(forms, key=lambda text: (-len(text), text)):
        if form in body:
            body = body.replace(form, MASK.encode())
    return body


class KnownSecrets:
    """A set of values that is looked for in one pass over a text, whose cost does not grow with their number."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._lengths: dict[str, tuple[int, ...]] = {}
        self.add(values)

    def add(self, values: Iterable[str]) -> None:
        """Add *values*, and what they look like in JSON and in a URL."""
        new = {form for value in values if len(value) >= SHORTEST and value != MASK for form in _forms(value)}
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for value in new - self._values:
            lengths[value[:SHORTEST]].add(len(value))
        for start, new_lengths in lengths.items():
            self._lengths[start] = tuple(sorted(new_lengths | set(self._lengths.get(start, ())), reverse=True))
        self._values |= new

    def __bool__(self) -> bool:
        return bool(self._values)

    def hide(self, text: str) -> str:
        """Return *text* with every known value hidden, the longest at each place."""
        starts = self._lengths
        if not starts:
            return text
        parts: list[str] = []
        at = 0
        for begin in [i for i in range(len(text) - SHORTEST + 1) if text[i : i + SHORTEST] in starts]:
            if begin >= at and (length := self._length_at(text, begin)):
                parts += text[at:begin], MASK
                at = begin + length
        return "".join([*parts, text[at:]]) if parts else text

    def _length_at(self, text: str, begin: int) -> int:
        lengths = self._lengths[text[begin : begin + SHORTEST]]
        return next((length for length in lengths if text[begin : begin + length] in self._values), 0)


def _forms(value: str) -> Iterator[str]:
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield quote(value, safe="")
