"""Runs a script of the lab with the Python of one of its environments."""

from __future__ import annotations

import subprocess

from places import CACHE, STATE, TREE, log

_PATIENCE = 600


def run(environment: str, script: str, *arguments: str) -> str:
    """Run *script*, its errors into its log, and give what it says; RuntimeError with the log's end where it fails."""
    command = [str(CACHE / environment / "bin" / "python"), str(TREE / script), *arguments]
    file = log(script.removesuffix(".py"))
    with file.open("ab") as errors:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=_PATIENCE, check=False, cwd=STATE
        )
    if done.returncode:
        raise RuntimeError(f"{script}: {file}: {file.read_text('utf-8', 'replace').strip()[-400:]}")
    return done.stdout.strip()
