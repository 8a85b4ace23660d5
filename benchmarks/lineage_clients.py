"""Many clients that post OpenLineage events to a listener, some broken and some repeated, until each has its answer."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import Empty, Queue

_PATIENCE = 60.0


@dataclass(slots=True)
class Posted:
    """What the clients were answered: events acknowledged by their id, counts of statuses, times of answers."""

    acknowledged: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    lost_connections: int = 0
    turned_away: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def post(port: int, texts: Sequence[tuple[str, bytes]], *, clients: int, posted: Posted) -> None:
    """Post every text, each (id, body) again until it is answered with 2xx or 4xx; come back when all are."""
    waiting: Queue[tuple[str, bytes]] = Queue()
    for text in texts:
        waiting.put(text)
    threads = [threading.Thread(target=_client, args=(port, waiting, posted)) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _client(port: int, waiting: Queue[tuple[str, bytes]], posted: Posted) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while True:
        try:
            name, body = waiting.get_nowait()
        except Empty:
            connection.close()
            return
        end = time.monotonic() + _PATIENCE
        while (status := _answer(connection, body, posted)) in (0, 503) and time.monotonic() < end:
            with posted.lock:
                posted.turned_away += status == 503
            time.sleep(0.05)
        with posted.lock:
            posted.statuses[status] += 1
            if status == 201:
                posted.acknowledged[name] += 1


def _answer(connection: http.client.HTTPConnection, body: bytes, posted: Posted) -> int:
    """Return the status, 0 where the connection was lost."""
    try:
        connection.request("POST", "/api/v1/lineage", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
    except (OSError, http.client.HTTPException):
        connection.close()
        with posted.lock:
            posted.lost_connections += 1
        return 0
    return response.status


def spoiled(event: bytes) -> bytes:
    """Break an event: without its producer it is invalid."""
    document = json.loads(event)
    del document["producer"]
    return json.dumps(document).encode()
