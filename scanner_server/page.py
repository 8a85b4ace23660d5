"""The page."""

from __future__ import annotations

from starlette.routing import BaseRoute


def page_routes() -> list[BaseRoute]:
    """Return the routes of the page."""
    return []
