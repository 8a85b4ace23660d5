"""The files of the pages: which scripts each kind of page has, and their text."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

DRAWING = ("requests.js", "systems.js", "parts.js", "compare.js", "evidence.js", "acts.js", "live.js")
"""The scripts of the drawing, after those of the exported page."""

LISTS = ("requests.js", "systems.js", "site.js", "lists.js", "home.js", "topic.js", "change.js", "routes.js")
"""The scripts of the other pages, after those that all pages have."""

STORED = (*LISTS[:-1], "stored.js")
"""Those of pages that need no server."""


@lru_cache
def static_text(name: str) -> str:
    """Return the text of a file of the pages."""
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")
