"""A Spark cluster of a master and two workers on this machine; one worker is killed during a generation.

`python benchmarks/spark_cluster.py [COLUMNS]` says what it did; status 1 where the graph is not as without Spark.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from measure import scanner
from spark_rows import installation

_DEPLOY = "org.apache.spark.deploy"
_PATIENCE = 120
_LAST = 30
"""Lines that are shown of what a failed job said."""


def main(columns: int) -> int:
    """Build the graph of so many columns on the cluster, killing a worker once tasks have written something."""
    file = installation(columns)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        generate(file, directory / "local", "--engine", "local").wait()
        with cluster(directory) as (master, workers):
            settings = (f"spark.master={master}", "spark.driver.host=127.0.0.1", "spark.executor.memory=1g")
            arguments = [f"--spark-conf={setting}" for setting in settings]
            job = generate(file, directory / "spark", "--engine", "spark", *arguments)
            pattern = "spark/.scanner-*/new/nodes/kind=column/.schemas-*"
            wait_for(lambda: job.poll() is not None or any(directory.glob(pattern)))
            written = len(list(directory.glob(pattern)))
            os.killpg(workers[1].pid, signal.SIGKILL)
            print(f"one of two workers killed while {written} files were being written", flush=True)
            status = job.wait()
        print(f"the job ended with status {status}")
        if status:
            print("\n".join((directory / "spark.err").read_text("utf-8", "replace").splitlines()[-_LAST:]))
        same = status == 0 and rows(directory / "local") == rows(directory / "spark")
        left = [str(file.name) for file in (directory / "spark").rglob(".*") if file.is_file()]
        print(f"files that the killed worker had begun and left: {left}")
        print("the graph is the one made without Spark" if same else "the graphs differ")
        return 0 if same else 1


def generate(file: Path, directory: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the generation of the dictionary in *file* into *directory*."""
    command = [scanner(), "dataflow", "--format", "parquet", "--dictionary", str(file), "--output", str(directory)]
    with directory.with_suffix(".err").open("wb") as log:
        return subprocess.Popen([*command, *arguments], stderr=log, stdout=subprocess.DEVNULL)


def rows(directory: Path) -> list[object]:
    """Read the graph in *directory* in its order."""
    from pyarrow import dataset

    order = [("rank", "ascending"), ("place", "ascending")]
    parts = (dataset.dataset(directory / "graph.parquet" / name, partitioning="hive") for name in ("nodes", "edges"))
    tables = (part.to_table().sort_by(order) for part in parts)
    return [table.select(sorted(table.column_names)).to_pydict() for table in tables]


@contextmanager
def cluster(directory: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a master and two workers of one processor each; give the master's address and the workers."""
    port = _free_port()
    master = f"spark://127.0.0.1:{port}"
    options = ["--host", "127.0.0.1", "--webui-port", str(_free_port())]
    started = [_start(directory, "master", f"{_DEPLOY}.master.Master", *options, "--port", str(port))]
    wait_for(lambda: _answers(port))
    try:
        for name in ("one", "other"):
            size = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir", str(directory / name)]
            web = ["--webui-port", str(_free_port())]
            started.append(_start(directory, name, f"{_DEPLOY}.worker.Worker", *size, *web, master))
        wait_for(lambda: (directory / "master.log").read_text().count("Registering worker") == 2)
        yield master, started[1:]
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(happened: object) -> None:
    """Wait until *happened* says so; raises TimeoutError after two minutes."""
    deadline = time.monotonic() + _PATIENCE
    while not happened():  # type: ignore[operator]
        if time.monotonic() > deadline:
            raise TimeoutError("the cluster did not come up, or the job did not begin to write")
        time.sleep(0.1)


def _start(directory: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    with (directory / f"{name}.log").open("wb") as log:
        return subprocess.Popen([str(program), *arguments], stdout=log, stderr=log, start_new_session=True)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:] or ["300_000"])[0].replace("_", ""))))
