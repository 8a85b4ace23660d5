"""What rules need of a schema text that no column shows: objects of a JSON text, however deep."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def objects(text: str) -> Iterator[dict[str, Any]]:
    """List every JSON object in *text*, in document order; none where the text is not JSON."""
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
