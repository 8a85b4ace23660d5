"""Sixteen clients of a server in a process of their own: each sends its next request when the last is answered.

Reads JSON from standard input: `port`, `paths`, `clients`; prints the seconds of each request, in no order, and of all
together. A response that is not 200 ends it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator

_HEAD = "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: identity\r\n\r\n"


async def main() -> None:
    """Send every path once."""
    values = json.load(sys.stdin)
    rest = iter(values["paths"])
    seconds: list[float] = []
    started = time.perf_counter()
    await asyncio.gather(*(_client(values["port"], rest, seconds) for _ in range(values["clients"])))
    json.dump({"wall": time.perf_counter() - started, "seconds": seconds}, sys.stdout)


async def _client(port: int, paths: Iterator[str], seconds: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for path in paths:
        started = time.perf_counter()
        writer.write(_HEAD.format(path=path).encode())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        body = await reader.readexactly(length)
        seconds.append(time.perf_counter() - started)
        if not head.startswith(b"http/1.1 200"):
            raise SystemExit(f"{path}: {head.splitlines()[0].decode()} {body[:500].decode()}")
    writer.close()


if __name__ == "__main__":
    asyncio.run(main())
