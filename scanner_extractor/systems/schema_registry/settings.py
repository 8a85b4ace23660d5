"""The one context that is read of a Confluent registry: that of the member `context`, or of the address."""

from __future__ import annotations

import re
from urllib.parse import unquote

from scanner_extractor.config.sections import object_of, text
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import RegistrySettings

_IN_URL = r"/contexts/([^/?#]+)/?$"

CONFLUENT_SCHEMA: Json = object_of(
    "Confluent",
    "A Confluent registry.",
    {
        "context": text(
            "Context", "Read only this context, for example .eu, or . for the default one.", ".eu", pattern="^[^:]+$"
        )
    },
) | {
    "dependentSchemas": {
        "context": {
            "properties": {
                "url": {"not": {"pattern": _IN_URL}, "description": "keep one of the contexts in `url` and `context`"}
            }
        }
    }
}
"""The JSON Schema of the settings that only this type has."""


def one_context(settings: RegistrySettings) -> str:
    """Return the only context that is read; empty: every one."""
    if settings.type != "confluent":
        return ""
    return _normalised(settings.options.get("context", "")) or _in_url(settings.http.url)


def context_address(options: Json, url: str) -> str:
    """Return the address of the one context that is read, whichever member has it; that of the registry for none."""
    name = _normalised(options.get("context", "")) or _in_url(url)
    return f"{re.sub(_IN_URL, '', url)}/contexts/{name}" if name else url


def _in_url(url: str) -> str:
    match = re.search(_IN_URL, url)
    return _normalised(match[1]) if match else ""


def _normalised(written: str) -> str:
    """Return a context as its registry names it, with its dot: `eu`, `:.eu:` and `%2Eeu` are `.eu`.

    Empty for none. Source: QualifiedSubject.normalizeContext of Confluent's registry.
    """
    name = unquote(written).removeprefix(":").removesuffix(":")
    return name if name.startswith(".") or not name else f".{name}"
