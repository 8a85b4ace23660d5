"""A Spark session without output on the terminal: started, its tasks' progress reported, functions mapped in them."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dataflow_generator.build.coverage import ProgressCallback, silent
from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.plugins import require
from scanner_model.redaction import mask_url
from scanner_model.threads import run_ordered

Work = Callable[[bytes], bytes]

_WAVE = 16
"""The number of pieces in one Spark job, which bounds the memory of the driver and the effect of a slow piece."""

_AHEAD = 3
"""Waves that run or wait to be read, so that processors wait neither for the last piece of one nor for the reader."""

_PIECES = "place long, piece binary"


def map_bytes(spark: SparkSession, work: Work, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the result of *work*, which can be pickled, for each of *pieces*, in order; each piece is a task.

    Pieces and results go through the driver in waves, so that no shared directory is needed.
    """
    rest = iter(pieces)
    waves = iter(lambda: list(islice(rest, _WAVE)), [])
    yield from chain.from_iterable(run_ordered((partial(_run_wave, spark, work, wave) for wave in waves), _AHEAD))


def _run_wave(spark: SparkSession, work: Work, wave: Sequence[bytes]) -> list[bytes]:
    def run_batches(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            numbers, outputs = batch.column(0), [work(piece.as_py()) for piece in batch.column(1)]
            yield pa.RecordBatch.from_arrays([numbers, pa.array(outputs, pa.binary())], ["place", "piece"])

    sent = pa.table({"place": range(len(wave)), "piece": pa.array(wave, pa.binary())})
    # By place, so that a task has one piece: a schema as large as a thousand others keeps none of them waiting.
    spread = spark.createDataFrame(sent).repartitionByRange(len(wave), "place")
    results = spread.mapInArrow(run_batches, _PIECES).toArrow().sort_by("place")
    return [piece.as_py() for piece in results.column("piece")]


TASKS = "Spark tasks"
_EVERY = 0.5
"""Seconds between two reports."""


@contextmanager
def report_tasks(spark: SparkSession, report: ProgressCallback) -> Iterator[None]:
    """Report, while the block runs, how many tasks of all started stages are done."""
    if report is silent:
        yield
    elif type(spark).__module__.startswith("pyspark.sql.connect"):
        with _reported_by_server(spark, StageProgress(report)):
            yield
    else:
        with _reported_by_driver(spark, StageProgress(report)):
            yield


class StageProgress:
    """Sums the tasks of all observed stages, and reports them."""

    def __init__(self, report: ProgressCallback) -> None:
        self._report = report
        self._stages: dict[int, tuple[int, int]] = {}

    def poll(self, tracker: Any) -> None:  # noqa: ANN401 - PySpark's own
        """Query the running stages of this driver."""
        infos = ((stage, tracker.getStageInfo(stage)) for stage in tracker.getActiveStageIds())
        self._update({stage: (info.numCompletedTasks, info.numTasks) for stage, info in infos if info is not None})

    def on_update(self, stages: Iterable[Any] | None, **_: object) -> None:
        """Handle a progress message of a Spark Connect server."""
        self._update({stage.stage_id: (stage.num_completed_tasks, stage.num_tasks) for stage in stages or ()})

    def _update(self, now: dict[int, tuple[int, int]]) -> None:
        # A stage that is no longer listed has ended.
        ended = {stage: (count, count) for stage, (_, count) in self._stages.items() if stage not in now}
        self._stages |= ended | now
        if self._stages:
            self._report(TASKS, *map(sum, zip(*self._stages.values(), strict=True)))


@contextmanager
def _reported_by_driver(spark: SparkSession, progress: StageProgress) -> Iterator[None]:
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_EVERY):
            progress.poll(spark.sparkContext.statusTracker())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


@contextmanager
def _reported_by_server(spark: Any, progress: StageProgress) -> Iterator[None]:  # noqa: ANN401 - a handler has no type here
    spark.registerProgressHandler(progress.on_update)
    try:
        yield
    finally:
        spark.removeProgressHandler(progress.on_update)


try:
    from py4j.protocol import Py4JError
except ImportError:  # PySpark's client for Spark Connect has no JVM gateway
    _SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException,)
else:
    _SPARK_ERRORS = (PySparkException, Py4JError)


PACKAGES = ("dataflow_generator", "scanner_dictionary", "scanner_extractor", "scanner_model", "scanner_programs")
"""Our packages that tasks import; libraries must be installed where they run: pyarrow, the schema parsers."""

_MOMENT = (1980, 1, 1, 0, 0, 0)


def build_archive(directory: Path) -> Path:
    """Write our packages as `scanner.zip` into *directory*, reproducibly, and return its path."""
    archive = directory / "scanner.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name, file in _files():
            out.writestr(zipfile.ZipInfo(name, _MOMENT), file.read_bytes())
    return archive


def _files() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            root = Path(location)
            for file in sorted(root.rglob("*")):
                if file.is_file() and file.suffix != ".pyc":
                    yield f"{package}/{file.relative_to(root).as_posix()}", file


JAVA = 17
"""The oldest Java that Spark 4 runs on (Spark documentation, "Downloading")."""

PYSPARK = 4
"""The oldest PySpark that accepts and returns Arrow tables (its release notes, 4.0)."""

_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""The variable in which spark-submit passes the port of its JVM."""

_REMOTE = "SPARK_REMOTE"
"""The variable from which PySpark reads the address of a Spark Connect server."""

_STANDALONE = "spark://"
"""The scheme of a standalone master, or of several with commas between."""

_CONNECT_TIMEOUT = 5.0
"""Seconds that a master may take to accept a connection."""

_ANSWER_TIMEOUT = 10.0
"""Seconds that a master may take to answer a request; a busy one takes a fraction of a second."""

_RPC_REQUEST, _RPC_ANSWERS = 3, (4, 5)
"""Types of messages of Spark's RPC: a request; a response, and a failure."""

_PROBE, _FRAME = b"scanner", 9
"""The content of a request that no endpoint understands; the bytes of an answer up to its type."""

_STOPPED, _EXITED = "No active SparkContext", "JAVA_GATEWAY_EXITED"
"""Spark's errors after the driver stopped, or its program ended, for another reason, which only its log contains."""

_UNCAUGHT = 'Exception in thread "main" '

_BY_GRPC = "details = "
"""The prefix of the cause in errors of an unavailable server."""

_NAME = "scanner dataflow"

_SQL = {
    "spark.sql.shuffle.partitions": "4",
    # A task writes nodes and edges of a few kinds; it need not sort them first.
    "spark.sql.maxConcurrentOutputFileWriters": "32",
}

_LOOPBACK = dict.fromkeys(("spark.driver.host", "spark.driver.bindAddress"), "127.0.0.1")
"""Where Spark listens if it runs on this machine only; by default it takes an address that other machines reach."""

_LIGHT_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""It halves the JVM time for a million columns, where optimizing compilation does not pay off."""

_LOG4J = """rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""


@contextlib.contextmanager
def spark_session(settings: Mapping[str, str], *, remote: str = "", light: bool = False) -> Iterator[SparkSession]:
    """Start Spark with *settings* (Spark's own property names) and stop it afterwards.

    Without a `spark.master` it runs on the processors of this machine; with *remote* (`sc://host:port`) in that Spark
    Connect server; *light*: rows do not pass through Java. Other machines receive our code. Raises InputInvalid
    where PySpark or Java is missing or too old, ScannerError where Spark fails.
    """
    _check_pyspark("spark-connect" if remote else "spark")
    if not remote:
        _need_java(os.environ)
        _check_master(settings)
    with _log_file() as log, translate_spark_errors(masked_address(remote) or str(log), log):
        with _errors_in(log):
            session = _connect(remote) if remote else _start({**(_light_options() if light else {}), **settings}, log)
        try:
            if remote:
                change_settings(session, settings)
            _add_code(session, remote, log.parent)
            yield session
        finally:
            session.stop()


def change_settings(session: SparkSession, settings: Mapping[str, str]) -> None:
    """Apply user settings; raises InputInvalid for settings that the server refuses or ignores."""
    hint = "other than session settings are set when the server is started"
    for name, value in settings.items():
        where = f"--spark-conf {name}"
        if name == "spark.master":
            raise InputInvalid("the server has its own master", where=where, hint="leave it out")
        try:
            session.conf.set(name, value)
        except PySparkException as error:
            message = str(error).splitlines()[0].partition(" SQLSTATE")[0]
            raise InputInvalid(f"refused by the server: {message}", where=where, hint=hint) from error


def masked_address(remote: str) -> str:
    """Return the address *remote* without its parameters, which may contain a token."""
    return mask_url(remote.partition(";")[0]).rstrip("/")


def _check_master(settings: Mapping[str, str]) -> None:
    """Raise ScannerError if no host of a `spark://` address answers as a master: Spark itself tries for a minute."""
    master = settings.get("spark.master", "")
    if not master.startswith(_STANDALONE):
        return
    reason = ""
    for address in master.removeprefix(_STANDALONE).split(","):
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT) as connection:
                if _is_encrypted(settings) or _speaks_spark(connection):
                    return
            reason = f"{address} accepts connections and does not answer as a Spark master"
        except (ValueError, OverflowError):
            reason = f"{address!r} has no valid port"
        except OSError as error:
            reason = error.strerror or str(error)
    hint = "check host and port (7077 by default, not that of the web page), or use --engine local"
    raise ScannerError(f"Spark's master does not answer: {reason}", where=mask_url(master), hint=hint)


def _is_encrypted(settings: Mapping[str, str]) -> bool:
    return any(settings.get(name, "").lower() == "true" for name in ("spark.ssl.rpc.enabled", "spark.ssl.enabled"))


def _speaks_spark(connection: socket.socket) -> bool:
    """Return whether the server answers a request of Spark's RPC, which it does not understand, with an RPC message.

    A frame has its length, a type and a number (Spark, common/network-common, MessageEncoder and RpcRequest). A master
    answers a failure, also if it needs a secret that this request lacks.
    """
    message = struct.pack(">BQI", _RPC_REQUEST, 1, len(_PROBE)) + _PROBE
    connection.settimeout(_ANSWER_TIMEOUT)
    connection.sendall(struct.pack(">Q", 8 + len(message)) + message)
    answer = b""
    try:
        while len(answer) < _FRAME and (piece := connection.recv(_FRAME - len(answer))):
            answer += piece
    except OSError:
        return False
    return len(answer) == _FRAME and answer[8] in _RPC_ANSWERS


@contextlib.contextmanager
def translate_spark_errors(location: str, log: Path | None = None) -> Iterator[None]:
    """Raise ScannerError with one line for an error of Spark or of a task; *location* (a log or server) has details.

    If Spark stopped, the line is the reason in *log*.
    """
    try:
        yield
    except _SPARK_ERRORS as error:
        reason = _reason(error)
        if log is not None and any(words in reason for words in (_STOPPED, _EXITED)):
            reason = log_reason(log) or reason
        raise ScannerError(f"Spark failed: {reason}", where=location, hint="or use --engine local") from error


def log_reason(log: Path) -> str:
    """Return the message of the last error in a log of Spark, or of the exception that ended it; empty without any."""
    text = log.read_text("utf-8", "replace") if log.is_file() else ""
    parts = (line.partition(mark) for line in text.splitlines() for mark in (" ERROR ", _UNCAUGHT))
    errors = (error for _, mark, error in parts if mark)
    messages = [error.partition(": ")[2].strip() for error in errors]
    return next((message for message in reversed(messages) if message and _STOPPED not in message), "")


def _reason(error: Exception) -> str:
    """Return the line with the cause: the last line of the message of a task or Spark, without Spark's error codes."""
    lines = [line.strip() for line in str(error).partition("\nJVM stacktrace:")[0].splitlines()]
    for line in lines:
        if line.startswith(_BY_GRPC):
            return line.removeprefix(_BY_GRPC).strip('"')
    texts = [line for line in lines if line and not line.startswith(("SQLSTATE", "at ", "File ", "Driver stacktrace"))]
    return texts[-1].partition(" SQLSTATE")[0] if texts else type(error).__name__


def _connect(remote: str) -> SparkSession:
    what = "the packages that PySpark needs for Spark Connect are not installed"
    client = require("dataflow_generator.spark.connect", what, extra="spark-connect", where="--spark-remote")
    session: SparkSession = client.connect(_NAME, _SQL, remote)
    return session


def _add_code(session: SparkSession, remote: str, directory: Path) -> None:
    if remote:
        session.addArtifacts(str(build_archive(directory)), pyfile=True)
    elif not str(session.sparkContext.master).startswith("local"):
        session.sparkContext.addPyFile(str(build_archive(directory)))


def _check_pyspark(extra: str) -> None:
    if int(pyspark.__version__.partition(".")[0]) < PYSPARK:
        what = f"PySpark {pyspark.__version__} is too old: {PYSPARK}.0 is needed"
        raise InputInvalid(what, where="--engine spark", hint=f"pip install 'kafka-lineage-scanner[{extra}]'")


def _light_options() -> dict[str, str]:
    return {f"spark.{role}.defaultJavaOptions": _LIGHT_JAVA for role in ("driver", "executor")}


def _start(settings: Mapping[str, str], log: Path) -> SparkSession:
    if _REMOTE in os.environ:
        what = f"{_REMOTE} names a Spark Connect server, which PySpark would take instead"
        raise InputInvalid(what, where="--engine spark", hint=f"name it with --spark-remote, or unset {_REMOTE}")
    properties = log.with_suffix(".log4j2.properties")
    properties.write_text(_LOG4J.format(file=log.resolve()), encoding="utf-8")
    defaults = {
        "spark.master": "local[*]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={properties.resolve().as_uri()}",
        **_SQL,
    }
    builder = SparkSession.builder.appName(_NAME)
    if _SUBMITTED in os.environ:
        del defaults["spark.master"]  # set by spark-submit
    elif settings.get("spark.master", "local").startswith("local"):
        defaults |= _LOOPBACK
    for name, value in {**defaults, **settings}.items():
        builder = builder.config(name, value)
    # Without it the workers would be the system's python3, which does not know scanner.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return builder.getOrCreate()


@contextlib.contextmanager
def _log_file() -> Iterator[Path]:
    """Yield the path of the session's log, in a private directory.

    It is removed with the directory, unless the session failed and Spark logged anything.
    """
    log = Path(tempfile.mkdtemp(prefix="scanner-spark-")) / "spark.log"
    failed = True
    try:
        yield log
        failed = False
    finally:
        if not (failed and log.exists() and log.stat().st_size):
            shutil.rmtree(log.parent, ignore_errors=True)


@contextlib.contextmanager
def _errors_in(log: Path) -> Iterator[None]:
    """Redirect the stderr of processes started in the block to *log*: the JVM and gRPC log there."""
    sys.stderr.flush()
    terminal = os.dup(2)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)


def _need_java(environment: Mapping[str, str]) -> None:
    home = environment.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if not java or not Path(java).exists():
        hint = f"install Java {JAVA} or newer, or set JAVA_HOME; or use --engine local"
        raise InputInvalid("Java not found", where="--engine spark", hint=hint)
    # The program is the user's own Java, found as any Java program finds it.
    version = java_version(subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr)  # noqa: S603
    if version is not None and version < JAVA:
        hint = f"install Java {JAVA} or newer and set JAVA_HOME"
        raise InputInvalid(f"Java {version} is too old for Spark", where=java, hint=hint)


def java_version(output: str) -> int | None:
    """Parse the major version from the output of `java -version`; None where it is unknown."""
    _, quote, rest = output.partition('version "')
    number = rest.removeprefix("1.").split(".")[0].split('"')[0].split("-")[0]
    return int(number) if quote and number.isdigit() else None
