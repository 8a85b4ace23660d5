"""Sample payloads: JSON messages in files, one or more in each, as lines of one text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn

from scanner_model.errors import InputInvalid
from scanner_model.json_input import TooLarge, check_size

_SPACE = " \t\r\n"


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(word)


# Numbers stay text here: they are only looked at, and Python converts no very long ones.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)


def sample_lines(text: str) -> Iterator[str]:
    """Give each JSON document of *text* on a line of its own, as it was written.

    One document, or several one after the other (NDJSON). A list is one message that is a list. Raises InputInvalid
    whose `where` is line and column of what is not JSON.
    """
    try:
        check_size(text.encode("utf-8", "surrogatepass"))
    except TooLarge as error:
        raise InputInvalid(f"too large to be read: {error}", where="1:1") from error
    at = _skipped(text, 0)
    while at < len(text):
        end = _end(text, at)
        # Outside strings a line end is only space, and inside them JSON has none.
        yield text[at:end].replace("\r", " ").replace("\n", " ")
        at = _skipped(text, end)


def _end(text: str, at: int) -> int:
    try:
        return _DECODER.raw_decode(text, at)[1]
    except json.JSONDecodeError as error:
        raise InputInvalid(f"not JSON: {error.msg}", where=f"{error.lineno}:{error.colno}") from error
    except ValueError as error:
        raise InputInvalid(f"not JSON: {error} is no number of JSON", where=_place(text, at)) from error
    except RecursionError as error:
        raise InputInvalid("nested too deeply to be read", where=_place(text, at)) from error


def _place(text: str, at: int) -> str:
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
