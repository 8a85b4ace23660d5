"""Try source texts in a process with limits of time and memory, so that a text ends that process and not scanner.

The library that parses cannot be interrupted, and a text of some kilobytes can take gigabytes. The process parses each
text once and reports only its cost. scanner then parses the accepted texts itself, since trees cannot be passed on;
that takes the same memory again, and a tenth of the time of reading a tree.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from scanner_extractor.repository import parsing_process
from scanner_extractor.repository.parsing_process import READY, START
from scanner_extractor.repository.syntax_trees import grammar_of

MEMORY = 400 * 1024 * 1024
"""Bytes of address space of the process: a text of two million characters takes about half of it."""
SLOWEST = 0.5
"""Seconds of processor time to parse one text, in addition to those of PACE."""
PATIENCE = 3.0
"""Seconds of processor time to parse the texts of one repository, in addition to those of PACE."""
PACE = 2e-6
"""Seconds per character: ten times what ordinary code takes."""
MOST_NODES = 400_000
"""Maximum nodes of one text."""
MOST_NODES_TOGETHER = 4_000_000
"""Maximum nodes of the texts of one repository."""
_WAIT = 60.0
"""Seconds to wait for the process, in addition to ten times its processor time: others may need the processor."""

_NOSTART = "the process that parses source files cannot be started"
TOO_SLOW = "parsing it takes too much time"
TOO_LARGE = "parsing it takes too much memory"
TOO_MANY = f"it has more than {MOST_NODES} parts"
SPENT = "the source files before it use up the time for parsing a repository"
FULL = f"the source files of the repository have more than {MOST_NODES_TOGETHER} parts"


@dataclass(slots=True)
class Trials:
    """The limits of one repository, and how much of them its texts have used so far."""

    patience: float = PATIENCE
    nodes: int = 0
    python: str = sys.executable

    def refused(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the reason for each text, by path, that must not be parsed."""
        refused: dict[str, str] = {}
        left = list(texts.items())
        while left and self.patience > 0:
            done, reason = self._run(left)
            for (path, text), (seconds, nodes) in zip(left, done, strict=False):
                self._charge(seconds - PACE * len(text))
                if nodes > MOST_NODES:
                    refused[path] = TOO_MANY
                elif self.nodes + nodes > MOST_NODES_TOGETHER:
                    refused[path] = FULL
                else:
                    self.nodes += nodes
            left = left[len(done) :]
            if left:
                refused[left.pop(0)[0]] = reason
                self._charge((SLOWEST if reason == TOO_SLOW else 0) + START)
        return refused | {path: SPENT for path, _ in left}

    def _charge(self, seconds: float) -> None:
        self.patience -= max(0.0, seconds)

    def _run(self, texts: list[tuple[str, str]]) -> tuple[list[tuple[float, int]], str]:
        """Try texts until one ends the process; return the seconds and nodes of those before it, and why it ended."""
        frames = b"".join(_frame(path, text) for path, text in texts)
        # The modules are found as here, and never in the working directory, which may be the repository.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        limits = (str(MEMORY), str(SLOWEST), str(self.patience), str(PACE))
        wait = _WAIT + 10 * (self.patience + PACE * len(frames))
        try:
            process = subprocess.run(  # noqa: S603 - a list, no shell
                [self.python, "-S", "-P", "-m", parsing_process.__name__, *limits],
                input=frames,
                env=environment,
                capture_output=True,
                timeout=wait,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            return _costs(error.stdout or b""), TOO_SLOW
        except OSError as error:
            return [], f"{_NOSTART}: {error.strerror or error}"
        if not process.stdout.startswith(READY):
            return [], _NOSTART
        return _costs(process.stdout), TOO_SLOW if process.returncode == -signal.SIGPROF else TOO_LARGE


def _frame(path: str, text: str) -> bytes:
    content, grammar = text.encode("utf-8", "replace"), grammar_of(path)
    named = f"{grammar.module} {grammar.function}" if grammar else "unknown unknown"
    return f"{named} {len(text)} {len(content)}\n".encode() + content


def _costs(answer: bytes) -> list[tuple[float, int]]:
    """Return the seconds and nodes that the process reports of each text; an unfinished line is left out."""
    lines = (line.split() for line in answer.removeprefix(READY).split(b"\n")[:-1])
    return [(float(seconds), int(nodes)) for seconds, nodes in lines]
