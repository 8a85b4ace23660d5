"""The engines that parse the texts of schemas: this process or Spark's tasks, one session for all clusters."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from scanner_api.callbacks import Notify, ignore
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
    from scanner_api.graph.engines import SparkChoice

LARGE = 300_000
"""Texts from which `--engine auto` chooses Spark: two processors then save twice what starting a JVM costs."""

_SIZE = 4_000_000
"""Characters that a task reads: nearly half a second of work."""


@contextmanager
def schema_engine(choice: SparkChoice, notify: Notify = ignore) -> Iterator[ParseTexts]:
    """Return a parser of schema texts that uses the engine of *choice*; it may be called from many threads.

    Spark starts at once where it is requested; for auto when it is first needed.
    """
    with ExitStack() as stack:
        parser = _Parser(choice, stack, notify)
        if choice.is_requested:
            parser.session()
        yield parser


class _Parser:
    def __init__(self, choice: SparkChoice, stack: ExitStack, notify: Notify) -> None:
        self._choice = choice
        self._stack = stack
        self._notify = notify
        self._lock = threading.Lock()
        self._session: Any = None

    def __call__(self, requests: Sequence[ParseRequest]) -> Iterable[ParsedSchema]:
        on_spark = requests and self._engine(len(requests)) == "spark"
        return self._on_spark(requests) if on_spark else parse_in_process(requests)

    def _engine(self, texts: int) -> str:
        # A small scan reports no engine, and a large one without PySpark goes on.
        if not self._choice.is_requested and (texts < LARGE or importlib.util.find_spec("pyspark") is None):
            return "local"
        return self._choice.choose(texts, LARGE, "schema texts", self._notify)

    def session(self) -> Any:  # noqa: ANN401 - Spark's own
        """Start Spark, once."""
        with self._lock:
            if self._session is None:
                self._session = self._stack.enter_context(self._choice.session(light=True))
            return self._session

    def _on_spark(self, requests: Sequence[ParseRequest]) -> Iterator[ParsedSchema]:
        from dataflow_generator.spark.map_bytes import map_bytes

        for bundle in map_bytes(self.session(), parse_bundle, request_bundles(requests, _SIZE)):
            yield from unpack_bundle(bundle)
