"""The limit of a scan: ask a registry for everything, sixteen requests at once, and throw it away. `floor.py URL`."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import requests


def main(url: str) -> None:
    """Query in bulk where the registry can, else subject by subject."""
    session = requests.Session()
    adapter = requests.adapters.HTTPAdapter(pool_maxsize=16)
    session.mount("http://", adapter)
    offset = 0
    while True:
        params: dict[str, str | int] = {"subjectPrefix": ":*:", "limit": 1000, "offset": offset}
        answer = session.get(f"{url}/schemas", params=params)
        rows = answer.json() if answer.ok else None
        if not rows:
            break
        offset += len(rows)
    if offset:
        return
    subjects = session.get(f"{url}/subjects").json()

    def newest(subject: str) -> None:
        session.get(f"{url}/subjects/{quote(subject, safe='')}/versions/latest").json()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(newest, subjects))


if __name__ == "__main__":
    main(sys.argv[1])
