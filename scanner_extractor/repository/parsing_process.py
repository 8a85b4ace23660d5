"""The process that tries source texts for `bounded_parsing`: it parses each once, and reports the cost.

It imports nothing of scanner: it is started for each repository, and starting it takes longer than parsing most texts.
"""

from __future__ import annotations

import resource
import signal
import sys
import time
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

READY = b"ready\n"
START = 0.2
"""Seconds that another process costs; a text has at least as many."""


def main(memory: int, slowest: float, patience: float, pace: float, requests: BinaryIO, answers: BinaryIO) -> None:
    """Parse the texts of *requests* and report the cost of each; the first that exceeds a limit ends the process.

    *memory* is in bytes. A text has *slowest* seconds of processor time, all have *patience* seconds together, in
    addition to *pace* seconds per character. A request is a line with the module and the function of its grammar,
    and the characters and bytes of the text that follows. An answer is a line with seconds and nodes.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    library = import_module("tree_sitter")
    answers.write(READY)
    while header := requests.readline().split():
        module, function, characters, size = header
        text, usual = requests.read(int(size)), pace * int(characters)
        answers.flush()
        language = library.Language(getattr(import_module(module.decode()), function.decode())())
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, max(START, min(slowest, patience)) + usual)
        nodes = library.Parser(language).parse(text).root_node.descendant_count
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds = time.process_time() - start
        patience -= max(0.0, seconds - usual)
        answers.write(b"%f %d\n" % (seconds, nodes))
    answers.flush()


if __name__ == "__main__":
    _memory, _slowest, _patience, _pace = map(float, sys.argv[1:])
    main(int(_memory), _slowest, _patience, _pace, sys.stdin.buffer, sys.stdout.buffer)
