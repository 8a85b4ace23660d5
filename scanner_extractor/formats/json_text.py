"""Parse untrusted JSON text: bounded nesting, only storable strings."""

from __future__ import annotations

import json
import re

from scanner_model.documents.json_input import TooLarge, check_depth
from scanner_model.errors import InputInvalid

DEEPEST_JSON = 800
"""Maximum nesting of arrays and objects, which every supported Python reads; 200 records inside each other need 800."""

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair, which no UTF-8 file or dictionary could hold."""

REPLACEMENT = "\ufffd"


def read_json(text: str) -> object:
    """Read one JSON document; half a surrogate pair is read as U+FFFD, because no file or dictionary could hold it.

    Raises InputInvalid, with line and column, where *text* is not JSON or nests deeper than DEEPEST_JSON.
    """
    text = _storable(text.removeprefix("\ufeff"))
    try:
        value = json.loads(text)
        check_depth(value, DEEPEST_JSON)
    except (RecursionError, TooLarge) as error:
        raise InputInvalid(f"nested too deeply to be read: more than {DEEPEST_JSON} levels") from error
    except json.JSONDecodeError as error:
        where = f"{error.lineno}:{error.colno}"
        raise InputInvalid(f"not JSON: {error.msg}", where=where) from error
    except ValueError as error:
        # An integer of more digits than Python agrees to read.
        raise InputInvalid("a number has more digits than can be read") from error
    return value


def _storable(text: str) -> str:
    text = text if text.isascii() else SURROGATE.sub(REPLACEMENT, text)
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda match: "\\ufffd" if match["lone"] else match[0], text)
