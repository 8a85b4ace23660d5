"""The instructions of Dockerfiles."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from scanner_model.documents.json_input import load_text

_ESCAPE = re.compile(r"(?i)(?:#[^\n]*\n)*+#\s*escape\s*=\s*`")
_HEREDOC = re.compile(r"<<-?([\"']?)(\w+)\1")


def is_dockerfile(path: str) -> bool:
    """Return whether a file describes an image, by its name."""
    name = path.rpartition("/")[2]
    return "ockerfile" in name or name.startswith("Containerfile")


class Instruction(NamedTuple):
    """An instruction of a Dockerfile, with lines that continue as one; the text of here-documents follows it."""

    word: str
    text: str
    line: int
    documents: str = ""


def instructions(text: str) -> Iterator[Instruction]:
    """Yield the instructions of a Dockerfile. Source: Dockerfile reference, format, here-documents."""
    mark = "`" if _ESCAPE.match(text) else "\\"
    lines = enumerate(text.splitlines(), 1)
    pending, start = "", 0
    for number, line in lines:
        if line.lstrip().startswith("#") or (not line.strip() and not pending):
            continue
        start = start or number
        pending += line.strip().rstrip(mark) + " "
        if line.rstrip().endswith(mark):
            continue
        word, _, rest = pending.strip().partition(" ")
        documents: list[str] = []
        for _, end in _HEREDOC.findall(rest) if word.upper() in ("RUN", "COPY", "ADD") else ():
            for _, inner in lines:
                if inner.strip() == end:
                    break
                documents.append(inner)
        yield Instruction(word.upper(), " ".join(rest.split()), start, "\n".join(documents))
        pending, start = "", 0


def command_words(text: str) -> list[str]:
    """Return the words of a command, written for a shell or as a list."""
    if text.startswith("["):
        try:
            listed = load_text(text)
        except ValueError:
            listed = None
        if isinstance(listed, list):
            return [str(word) for word in listed]
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
