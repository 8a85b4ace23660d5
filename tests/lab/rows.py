"""The types of the lab's rows: a server that runs, and a step that is done once."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import requests
from places import HOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A process: *prepare* writes its files, *command* starts it, *ready* reports when it answers."""

    name: str
    port: int | None
    command: Callable[[], Sequence[str]]
    ready: Callable[[], bool]
    prepare: Callable[[], None] = lambda: None
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    patience: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something put into the servers; safe to do again. What it returns is shown."""

    name: str
    run: Callable[[], str]
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def listens(port: int) -> bool:
    """Return whether somebody accepts connections on *port* of this machine."""
    with socket.socket() as connection:
        connection.settimeout(1)
        return connection.connect_ex((HOST, port)) == 0


def answers(url: str) -> bool:
    """Return whether *url* is answered with success."""
    try:
        return requests.get(url, timeout=2).ok
    except requests.RequestException:
        return False
