"""A real Spark cluster: a master and two workers, each a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("lab")]


def test_a_job_survives_the_death_of_a_worker() -> None:
    """On a cluster machines go away; what their tasks wrote must neither be missing nor there twice."""
    script = Path(__file__).parents[2] / "benchmarks" / "spark_cluster.py"
    process = subprocess.run([sys.executable, str(script), "300000"], capture_output=True, text=True, timeout=600)

    assert "one of two workers killed" in process.stdout
    assert process.returncode == 0, process.stdout
    assert process.stdout.splitlines()[-1] == "the graph is the one made without Spark"
