"""Answers that processes of a server import: they hang, work without end, or fail."""

from __future__ import annotations

import os
import time

from scanner_model.errors import InputInvalid, Problem


def quick(dictionary: object, **arguments: object) -> dict[str, object]:
    return {"pid": os.getpid(), **arguments}


def hang(dictionary: object) -> None:
    """As a query that a frozen server of a database does not answer."""
    time.sleep(600)


def spin(dictionary: object) -> None:
    """As a check whose work grows with the square of a schema; it never lets go of the processor."""
    while True:
        pass


def refuse(dictionary: object) -> None:
    raise InputInvalid.listing([Problem("a", "is wrong", "mend it"), Problem("b", "is wrong")])


def fail(dictionary: object) -> None:
    raise ValueError("a mistake of ours")


def die(dictionary: object) -> None:
    os._exit(1)
