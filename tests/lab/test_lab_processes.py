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


_LOOPBACK = {"0100007F", f"{0:024}01000000", f"{0:016}FFFF00000100007F"}
"""127.0.0.1, ::1 and ::ffff:127.0.0.1, as Linux writes them."""
_LISTENING = "0A"


def test_every_server_of_the_lab_listens_on_loopback_only(lab) -> None:
    """They have no passwords, or known ones; Unity Catalog and Apicurio listen on all addresses by default."""
    lines = [line for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text("utf-8").splitlines()]
    sockets = [line.split()[1:4] for line in lines if ":" in line]
    addresses = [local.split(":") for local, _, state in sockets if state == _LISTENING]
    of_lab = {(int(port, 16), address) for address, port in addresses if 29_000 <= int(port, 16) < 30_000}

    assert of_lab
    assert not [port for port, address in sorted(of_lab) if address not in _LOOPBACK]
