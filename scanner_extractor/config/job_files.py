"""Sources of cluster.json that are files of jobs: the patterns of their paths."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.sections import Items, ParseContext, ValidationContext
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.sources import FileSettings
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath


def job_files(pattern: str, context: ParseContext, ending: str) -> FileSettings:
    """Return the files that *pattern* means; of a directory those with the *ending*."""
    files = named_files(pattern, context.base, ending)
    return FileSettings(pattern=pattern, base=context.base, files=files, secret_names=context.secret_names)


def file_errors(path: JsonPath, item: Json, ending: str, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield an error if the `path` of an item of any form matches no file."""
    pattern = item.get("path")
    if context.present and isinstance(pattern, str) and not named_files(pattern, context.directory, ending):
        where = (*path, "path")
        yield where, f"{context.shown(where)} matches no file", "the pattern is relative to this file"


def namesake_errors(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield sources that would be one: by name, and without one by address or path."""
    identities: set[str] = set()
    for path, item in items:
        member = next((name for name in ("name", "path", "url") if name in item), "")
        parts = (item.get(member), item.get("environment") if member == "url" else None)
        identity = "/".join(part for part in parts if isinstance(part, str))
        if identity and identity in identities:
            what = f"two sources are called {context.shown((*path, member))}"
            yield (*path, member), what, "this is their identity: give one another `name`"
        identities.add(identity)
