"""Where work is done, in this process or on Spark: the choice, and the session of Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scanner_api.files import Notify, ignore

if TYPE_CHECKING:
    from scanner_api.spark_session import SparkEngine

ENGINES = ("auto", "local", "spark")


@dataclass(frozen=True, slots=True)
class SparkChoice:
    """The requested engine: *wanted* is auto, local or spark.

    *settings* are Spark's (`spark.driver.memory`: `4g`); *remote* is the address of a Spark Connect server, or empty.
    """

    wanted: str = "auto"
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    remote: str = field(default="", repr=False)

    @property
    def is_requested(self) -> bool:
        """Return whether Spark itself was requested or configured."""
        return self.wanted == "spark" or bool(self.remote or self.settings)

    def choose(self, size: int, large: int, what: str, notify: Notify = ignore) -> str:
        """Return `local` or `spark`; for auto by *size*, counted in *what*, and *notify* gets which one and why."""
        if self.wanted != "auto":
            return self.wanted
        if self.remote:
            notify("engine spark: --spark-remote names a server")
            return "spark"
        chosen = "spark" if size >= large else "local"
        notify(f"engine {chosen}: {size} {what} (Spark from {large})")
        return chosen

    @contextmanager
    def session(self, *, light: bool = False) -> Iterator[SparkEngine]:
        """Start Spark for the `with` block; *light*: rows do not pass through Java.

        Raises InputInvalid where PySpark or Java is missing.
        """
        from scanner_api.spark_session import spark_engine  # noqa: PLC0415 - PySpark may be missing

        with spark_engine(self.settings, self.remote, light=light) as engine:
            yield engine
