"""How a server is set up."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from scanner_model.errors import InputInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Address, access and limits of a server.

    *token* is what clients must send as `Authorization: Bearer` (or as the password of HTTP Basic), empty for none;
    an address that is not loopback needs one. *hosts* are names of this machine, beside `localhost` and addresses,
    that clients may use without a token, *variable* is the environment's variable that messages name.
    *certificate* and *key* are PEM files, both or none. *threads* is how many requests read the dictionary at once, few
    because Python runs one of them at a time; *waiting* more may wait, and each is answered within *seconds*, which is
    also the limit of one query. *heavy*, *heavy_waiting* and *heavy_seconds* are the same for requests that may take
    seconds, each in a process; where *heavy* is 0 they are like others. With *warm*, one is started with the server.
    *connections* is how many clients may be connected: beyond, the one that has been idle longest is closed. *idle* is
    how many seconds one may be idle. *body* is the largest body of a request of the API in bytes, *cache* bounds the
    bytes of kept answers, *budget* the tokens of an MCP answer.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    token: str = field(default="", repr=False)
    variable: str = "SCANNER_TOKEN"
    hosts: frozenset[str] = frozenset()
    certificate: Path | None = None
    key: Path | None = None
    threads: int = 2
    waiting: int = 512
    seconds: float = 30.0
    heavy: int = 2
    heavy_waiting: int = 32
    heavy_seconds: float = 60.0
    warm: bool = False
    connections: int = 1_000
    idle: float = 60.0
    body: int = 1024 * 1024
    cache: int = 32 * 1024 * 1024
    budget: int = 1_500

    def __post_init__(self) -> None:
        """Refuse an address that others reach without a token."""
        if not self.token and not is_loopback(self.host):
            hint = f"set {self.variable}, or name --token-file"
            what = "refusing to bind a non-loopback address without a token"
            raise InputInvalid(what, where=f"--host {self.host}", hint=hint)
        if (self.certificate is None) != (self.key is None):
            raise InputInvalid("TLS needs both files", where="--tls-cert, --tls-key", hint="name both")

    def at(self, port: int) -> str:
        """Return the address of the server at *port* for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches *host*."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class ScanStatus(Protocol):
    """What runs scheduled scans: `scanner_api.watching.Watch`."""

    def problems(self) -> list[str]:
        """Return why the last scan failed, or why notifications are not delivered; empty for nothing."""

    def counts(self) -> Mapping[str, int]:
        """Return how many scans were stored, were partial and failed."""

    def pending(self) -> int:
        """Return the number of notifications that are not delivered yet."""
