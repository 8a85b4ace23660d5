"""The pages for browsers: the data flow at `/`, one topic at `/topic`; both are fed by the API."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from scanner_api.page import live_page, live_script, live_style

_HTML, _CSS, _JS = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"


def page_routes() -> list[BaseRoute]:
    """Return the routes of the pages and of their parts."""
    return [Route(path, _file(text, media)) for path, (text, media) in _FILES.items()]


@lru_cache
def _static(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")


_FILES: Mapping[str, tuple[Callable[[], str], str]] = {
    "/": (lambda: live_page("/static/page.css", "/static/page.js"), _HTML),
    "/topic": (lambda: _static("topic.html"), _HTML),
    "/static/page.css": (lambda: live_style() + _static("live.css"), _CSS),
    "/static/page.js": (lambda: live_script(_static("live.js")), _JS),
    "/static/topic.js": (lambda: _static("topic.js"), _JS),
}
"""Path → the text of a file and its type."""


def _file(text: Callable[[], str], media: str) -> Callable[[Request], Response]:
    content = text().encode()
    headers = {"etag": f'"{hashlib.sha256(content).hexdigest()[:24]}"', "cache-control": "no-cache"}

    def respond(request: Request) -> Response:
        if headers["etag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=media)

    return respond
