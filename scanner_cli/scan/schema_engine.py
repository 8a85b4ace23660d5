"""The engines that read the texts of schemas: here, or in Spark's tasks; one session for all clusters of a command."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from scanner_extractor.schemas.parsing import (
    ParseRequest,
    ParseTexts,
    parse_bundle,
    parse_in_process,
    request_bundles,
    unpack_bundle,
)
from scanner_model.columns import ParsedSchema

if TYPE_CHECKING:
    from scanner_cli.graph.engines import SparkChoice

LARGE = 300_000
"""Texts from which `--engine auto` chooses Spark: two processors save then what starting a JVM costs, twice."""

_SIZE = 4_000_000
"""Characters that a task reads: nearly half a second of work."""


@contextmanager
def schema_engine(choice: SparkChoice) -> Iterator[ParseTexts]:
    """Return what reads schema texts by the engine of *choice*, safe to call from many threads.

    Spark starts before anybody is asked where it is wanted; of `auto` it starts when it is first needed.
    """
    with ExitStack() as stack:
        reading = _Reading(choice, stack)
        if choice.asked:
            reading.session()
        yield reading


class _Reading:
    def __init__(self, choice: SparkChoice, stack: ExitStack) -> None:
        self._choice = choice
        self._stack = stack
        self._lock = threading.Lock()
        self._session: Any = None

    def __call__(self, unread: Sequence[ParseRequest]) -> Iterable[ParsedSchema]:
        return self._on_spark(unread) if unread and self._engine(len(unread)) == "spark" else parse_in_process(unread)

    def _engine(self, texts: int) -> str:
        # A small scan says nothing of engines, and a large one without PySpark goes on.
        if not self._choice.asked and (texts < LARGE or importlib.util.find_spec("pyspark") is None):
            return "local"
        return self._choice.choose(texts, LARGE, "schema texts")

    def session(self) -> Any:  # noqa: ANN401 - Spark's own
        """Start Spark, once."""
        with self._lock:
            if self._session is None:
                self._session = self._stack.enter_context(self._choice.session(light=True))
            return self._session

    def _on_spark(self, unread: Sequence[ParseRequest]) -> Iterator[ParsedSchema]:
        from dataflow_generator.spark.map_bytes import map_bytes

        for bundle in map_bytes(self.session(), parse_bundle, request_bundles(unread, _SIZE)):
            yield from unpack_bundle(bundle)
