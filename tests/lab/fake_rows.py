"""What no registry of packages has: a fake of ksqlDB's REST API on loopback. It is no server of ksqlDB's makers."""

from __future__ import annotations

import sys

import places
from places import HOST, TREE
from rows import Server, answers

ROWS = (
    Server(
        name="fake-ksqldb",
        port=places.KSQLDB,
        command=lambda: [
            sys.executable,
            str(TREE.parent / "fakes" / "ksqldb_server.py"),
            "--port",
            str(places.KSQLDB),
        ],
        ready=lambda: answers(f"http://{HOST}:{places.KSQLDB}/info"),
    ),
)
