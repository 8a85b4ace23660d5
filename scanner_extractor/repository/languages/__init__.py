"""The programming languages that scanner reads: each module here that has a `LANGUAGE` is one."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from scanner_extractor.repository.languages.language import Language
from scanner_extractor.repository.syntax_trees import suffix
from scanner_model.maturity import experimental

_MODULES = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
LANGUAGES: tuple[Language, ...] = tuple(module.LANGUAGE for module in _MODULES if hasattr(module, "LANGUAGE"))
"""The languages, by the names of their modules."""

BY_ENDING: Mapping[str, Language] = {ending: language for language in LANGUAGES for ending in language.grammars}
"""The languages by the ending of a file's name."""

BY_NAME: Mapping[str, Language] = {language.name: language for language in LANGUAGES}


def language_of(path: str) -> Language | None:
    """Return the language of a file by the ending of its name; None for another file."""
    return BY_ENDING.get(suffix(path))


def experimental_languages(paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the languages of *paths* whose reading was never compared with public programs, each with the reason."""
    for language in LANGUAGES:
        reason = experimental((language.proof,))
        if reason and any(language_of(path) is language for path in paths):
            yield language.name, reason
