"""The member `options` of a source whose type is a plug-in: validated by the plug-in's own JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scanner_extractor.http.messages import Json
from scanner_extractor.scan.source_types import SourceTypes
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, Shown, error_messages
from scanner_model.plugins import PluginError

OPTIONS: Json = {
    "title": "Options",
    "description": "Settings of a plug-in's type, validated by the plug-in's own JSON Schema.",
    "type": "object",
}
"""The JSON Schema of the member."""


def option_errors(path: JsonPath, item: Json, types: SourceTypes[Any, Any], shown: Shown) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `options` of *item*; a broken plug-in fails when it reads."""
    kind, where = item.get("type"), (*path, "options")
    if not isinstance(kind, str) or kind not in types:
        return
    if types[kind].schema is None:
        if "options" in item:
            yield where, f"'options' is not for type {kind}", "leave it out; only some plug-ins take options"
        return
    try:
        for error in types.option_errors(kind, item.get("options", {})):
            for steps, what, hint in error_messages(error, lambda steps: shown((*where, *steps))):
                yield (*where, *steps) if "options" in item else path, what, hint
    except PluginError as error:
        yield (*path, "type"), error.what, error.hint
