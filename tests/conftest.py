"""How tests run, and the fakes and judges that tests of several packages ask.

Property tests know no clock, because these machines share theirs, and draw the same examples each time in CI.
"""

import cProfile
import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import Connection, Engine, event
from waiting import PATIENCE

settings.register_profile("scanner", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("scanner"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "scanner")
# The profile of `make test` draws a fifth of the examples, except in CI: there no test runs a second time.
settings.register_profile("quick", max_examples=100 if os.environ.get("CI") else 20)

MEMORY = Path("/dev/shm")
ROOM = 2 * 2**30
"""How much of the memory disk must be free; a run writes about a fifth of it. A container's has 64 MiB."""

# A script's background command ignores Ctrl-C, and so would the programs that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class _Statements(dict[tuple[Any, ...], Any]):
    """Compiled statements by the name of their dialect, where SQLAlchemy has the dialect of one engine."""

    def get(self, key: tuple[Any, ...], default: object = None) -> Any:
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: tuple[Any, ...], value: object) -> None:
        super().__setitem__((key[0].name, *key[1:]), value)


_STATEMENTS = _Statements()


@event.listens_for(Engine, "engine_connect")
def _compile_once(connection: Connection) -> None:
    """Share compiled statements among the engines of a worker: half of a small scan was compiling them again.

    Engines of a server may differ in what its version can do.
    """
    if connection.dialect.name == "sqlite":
        connection.execution_options(compiled_cache=_STATEMENTS)


# What is collected lives to the end: to look through it again and again takes a third of the collection's time.
gc.disable()


def pytest_configure() -> None:
    """Keep files in memory where there is room: a dictionary waits for the disk several times a scan."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave what drawn examples reach out of the coverage: it counts what a test names, and costs half the time."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Leave no tracer on where nothing is counted: in a worker, pytest-cov's pause wakes the one that it began with.

    Garbage waits for the end of a test: where it reads what nests as deep as Python allows, there is no room to close
    what an earlier test left, and pytest fails the test that happens to run (Python 3.11 collects as it allocates).
    """
    tracers = sys.gettrace(), threading.gettrace()
    gc.disable()
    try:
        if not item.get_closest_marker("no_cover"):
            return (yield)
        sys.settrace(None)
        threading.settrace(None)
        try:
            return (yield)
        finally:
            sys.settrace(tracers[0])
            threading.settrace(tracers[1])
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Look for garbage from now on, and not among what was collected; among all that lives since then seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


@pytest.fixture(scope="session")
def calls() -> Callable[[Callable[[], object]], Counter[str]]:
    """Return a function that counts the calls, by name, which a piece of work makes: the same on a busy machine."""

    def count(work: Callable[[], object]) -> Counter[str]:
        profile = cProfile.Profile()
        profile.runcall(work)
        counted: Counter[str] = Counter()
        for entry in profile.getstats():
            counted[entry.code if isinstance(entry.code, str) else entry.code.co_name] += entry.callcount
        return counted

    return count


@pytest.fixture(scope="session")
def cloud() -> ModuleType:
    """Load the fake of Confluent Cloud, which is a program and no part of a package."""
    return import_module("cloud_server")


@pytest.fixture(scope="session")
def judge() -> ModuleType:
    """Load the judges of OpenLineage events."""
    return import_module("lineage_specification")


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an empty dictionary, to be copied: to make one takes longer than most of what is done with it."""
    from scanner_dictionary.engine.open import open_dictionary  # not above: a worker's coverage begins after this file

    file = tmp_path_factory.mktemp("empty") / "empty.db"
    open_dictionary(str(file)).dispose()
    return file


@pytest.fixture
def new_dictionary(empty: Path, tmp_path: Path) -> str:
    """Return the place of a new, empty dictionary."""
    return str(shutil.copy(empty, tmp_path / "dictionary.db"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Start a private PostgreSQL server and give the URL of its first database, without the database's name."""
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server program found: install one (Debian: apt install postgresql) to run this")
    # A server refuses to run as root; the user that the package made will do.
    account = {"user": "postgres"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="scanner-postgres-", ignore_cleanup_errors=True) as directory:
        if account:
            shutil.chown(directory, account["user"])
        data, port = Path(directory) / "data", _free_port()
        run = partial(subprocess.run, check=True, capture_output=True, **account)
        run([programs / "initdb", "-D", data, "-U", "scanner", "--auth=trust", "--no-sync", "-E", "UTF8"])
        settings = f"-p {port} -k {directory} -c listen_addresses=127.0.0.1 -c fsync=off"
        run([programs / "pg_ctl", "-D", data, "-o", settings, "-w", "-t", "300", "-l", data / "log", "start"])
        try:
            yield f"postgresql://scanner:hidden-word@127.0.0.1:{port}"
        finally:
            run([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"])


@pytest.fixture
def postgres_url(postgres_server: str, request: pytest.FixtureRequest) -> str:
    """Return the URL of a new, empty database."""
    import psycopg

    name = f"test_{abs(hash(request.node.nodeid))}"
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name}")
    return f"{postgres_server}/{name}"


@pytest.fixture(scope="session")
def run_sql() -> Callable[..., None]:
    """Return a function that runs statements, each by itself, in the database at a URL of SQLAlchemy."""
    from sqlalchemy import create_engine, text

    def run(url: str, *statements: str) -> None:
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in statements:
                connection.execute(text(statement))
        engine.dispose()

    return run


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[str]:
    """Start a private MariaDB server and give the URL of it, without a database."""
    install, server = shutil.which("mariadb-install-db"), shutil.which("mariadbd")
    if install is None or server is None:
        pytest.skip("no MariaDB server program found: install one (Debian: apt install mariadb-server) to run this")
    account = {"user": "mysql"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="scanner-mariadb-", ignore_cleanup_errors=True) as directory:
        if account:
            shutil.chown(directory, account["user"])
        data, port = f"--datadir={directory}/data", _free_port()
        login = ["--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run([install, "--no-defaults", data, *login], check=True, capture_output=True, **account)
        network = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={directory}/socket"]
        # Debezium captures changes from the log.
        log_of_rows = ["--server-id=1", "--log-bin=binlog", "--binlog-format=ROW"]
        cheap = ["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M"]
        with (Path(directory) / "log").open("wb") as log:
            running = subprocess.Popen(
                [server, "--no-defaults", data, *network, *log_of_rows, *cheap], stderr=log, **account
            )
        try:
            _wait_for(port, running)
            yield f"mysql+pymysql://root@127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait(timeout=PATIENCE)


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until a server listens; fail where it ends before."""
    while server.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    pytest.fail(f"the server ended with status {server.returncode}")


def _postgres_programs() -> Path | None:
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    program = shutil.which("initdb") or (known and str(known[0]))
    return Path(program).parent if program else None


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture
def install_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function that installs a package for one test: its name, entry points by group, and modules."""
    site = tmp_path / "site-packages"
    installed: set[str] = set()

    def install(
        name: str, entry_points: Mapping[str, Mapping[str, str]], modules: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        info = site / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        lines = [
            f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for group, rows in entry_points.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        for module, text in modules.items():
            (site / f"{module}.py").write_text(text, encoding="utf-8")
        installed.update(modules)
        monkeypatch.syspath_prepend(str(site))

    yield install
    for module in installed:
        sys.modules.pop(module, None)
