"""`${NAME}` and `$file:` in the texts of a JSON document, filled in from an environment and from files handed in."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scanner_extractor.http.messages import Json
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath


def named_files(pattern: str, base: Path, ending: str) -> tuple[Path, ...]:
    """List the files that *pattern* means, sorted: a file, those of a directory with *ending*, or what it matches."""
    try:
        if (base / pattern).is_dir():
            return tuple(sorted((base / pattern).glob(ending)))
        if (base / pattern).is_file():
            return (base / pattern,)
        paths = (base / name for name in glob.glob(pattern, root_dir=base, recursive=True))  # noqa: PTH207  takes absolute ones too
        return tuple(sorted(path for path in paths if path.is_file()))
    except (OSError, ValueError):  # a name that no file can have
        return ()


FILE_MARK = "$file:"

_VARIABLE = re.compile(r"\$\$|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|\$\{[^}]*\}?")
_LARGEST_SECRET = 1024 * 1024


@dataclass(slots=True)
class Filled:
    """A document with its texts filled in; a text that could not be stays as it is written, with an error."""

    value: Json = None
    errors: list[ErrorMessage] = field(default_factory=list)


def filled(document: Json, environment: Mapping[str, str], directory: Path) -> Filled:
    """Fill in *document*; files are relative to *directory*. No error message shows a value that was filled in."""
    result = Filled()
    result.value = _Filling(environment, directory, result.errors).value(document, ())
    return result


@dataclass(frozen=True, slots=True)
class _Filling:
    environment: Mapping[str, str]
    directory: Path
    errors: list[ErrorMessage]

    def value(self, value: Json, path: JsonPath) -> Json:
        """Fill in every text in *value*; names of members stay."""
        match value:
            case dict():
                return {key: self.value(item, (*path, key)) for key, item in value.items()}
            case list():
                return [self.value(item, (*path, index)) for index, item in enumerate(value)]
            case str():
                return self._text(value, path)
            case _:
                return value

    def _text(self, text: str, path: JsonPath) -> str:
        before = len(self.errors)
        interpolated = _VARIABLE.sub(lambda match: self._variable(match, path), text)
        if text.startswith(FILE_MARK) and len(self.errors) == before:
            return self._file(interpolated.removeprefix(FILE_MARK), text, path)
        return interpolated

    def _variable(self, match: re.Match[str], path: JsonPath) -> str:
        name, default = match["name"], match["default"]
        if match[0] == "$$":
            return "$"
        if name is None:
            return self._add_error(
                path, f"{match[0]!r} names no variable", "write ${NAME}, or $$ for a dollar sign", match[0]
            )
        value = self.environment.get(name)
        if default is not None:
            return value or default
        if value is None:
            hint = f"set it, or write ${{{name}:-default}}"
            return self._add_error(path, f"the environment has no variable {name}", hint, match[0])
        return value

    def _file(self, name: str, written: str, path: JsonPath) -> str:
        """Return the text of a file without its last line break."""
        try:
            file = self.directory / name
            if not file.is_file():
                return self._add_error(path, f"there is no file {written.removeprefix(FILE_MARK)!r}", "", written)
            with file.open("rb") as opened:
                content = opened.read(_LARGEST_SECRET + 1)
            if len(content) <= _LARGEST_SECRET:
                return content.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except (OSError, ValueError):  # no right to read it, not UTF-8, or a name that no file can have
            pass
        what = f"the file {written.removeprefix(FILE_MARK)!r} cannot be read"
        return self._add_error(path, what, "is it readable, UTF-8 and smaller than 1 MiB?", written)

    def _add_error(self, path: JsonPath, what: str, hint: str, instead: str) -> str:
        self.errors.append((path, what, hint))
        return instead
