"""Members that the JSON Schemas of several kinds of source share: texts, lists of names, how requests are sent."""

from __future__ import annotations

from collections.abc import Mapping

from scanner_extractor.http.messages import Json

HTTP_MEMBERS: Mapping[str, Json] = {
    name: {"$ref": f"#/$defs/http/properties/{name}"}
    for name in (
        "auth",
        "headers",
        "tls",
        "connect_timeout",
        "read_timeout",
        "requests_per_second",
        "max_bytes",
        "concurrency",
    )
}
"""The members of every source that is read over HTTP, except `url`; `parse_http` reads them."""


def text(title: str, description: str, *examples: str, **words: Json) -> Json:
    """Return the JSON Schema of a text; *words* are further keywords."""
    shown = {"examples": list(examples)} if examples else {}
    return {"title": title, "description": description, "type": "string", **words, **shown}


def nonempty(title: str, description: str, *examples: str) -> Json:
    """Return the JSON Schema of a text that is not empty."""
    return text(title, description, *examples, minLength=1)


def address(description: str, *examples: str, **words: Json) -> Json:
    """Return the JSON Schema of the `url` of a source."""
    credentials = "A user and password in it are used for Basic and shown nowhere."
    return text("Address", f"{description} {credentials}", *examples, **words)


def name_list(title: str, description: str, *example: str) -> Json:
    """Return the JSON Schema of a list of names or patterns."""
    items = {"type": "string", "minLength": 1}
    words = {"title": title, "description": description, "type": "array", "minItems": 1, "items": items}
    return words | {"examples": [list(example)]}


def flag(title: str, description: str) -> Json:
    """Return the JSON Schema of what is true unless it is set to false."""
    return {"title": title, "description": description, "type": "boolean", "default": True}
