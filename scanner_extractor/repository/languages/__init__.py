"""The programming languages that scanner reads: each module here that has a `LANGUAGE` is one."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from scanner_extractor.repository.languages.language import Language
from scanner_extractor.repository.syntax_trees import suffix

_MODULES = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
LANGUAGES: tuple[Language, ...] = tuple(module.LANGUAGE for module in _MODULES if hasattr(module, "LANGUAGE"))
"""The languages, by the names of their modules."""

BY_ENDING: Mapping[str, Language] = {ending: language for language in LANGUAGES for ending in language.grammars}
"""The languages by the ending of a file's name."""

BY_NAME: Mapping[str, Language] = {language.name: language for language in LANGUAGES}


def language_of(path: str) -> Language | None:
    """Return the language of a file by the ending of its name; None for another file."""
    return BY_ENDING.get(suffix(path))
