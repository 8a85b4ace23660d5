"""The lab's processes, without the lab: what a power cut leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PARENT = """import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
open("child", "w").write(f"{child.pid}\\n")
time.sleep(60)
"""
STORY = f"""import os, pathlib, sys, time
import processes
from places import STATE
processes.start("server", [sys.executable, "-c", {PARENT!r}], {{}})
child = STATE / "child"
while not child.is_file() or not child.read_text().endswith("\\n"):
    time.sleep(0.01)
processes.kill("server")
print(processes.running("server"), processes._born(int(child.read_text())))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="the lab asks Linux about its processes")
def test_a_server_that_is_killed_leaves_no_process_of_another_group(tmp_path) -> None:
    """PostgreSQL's helpers lead groups of their own; a new server cannot start beside them."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "SCANNER_LAB_STATE": str(tmp_path / "state")}
    command = [sys.executable, "-c", STORY]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)

    assert output.stdout.split() == ["False", "-1"]
