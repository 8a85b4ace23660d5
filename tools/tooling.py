"""What the tools share: the project's root, commands with an echo, and environments to build and install in."""

from __future__ import annotations

import shutil
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = (
    "postgres",
    "mysql",
    "parquet",
    "aws",
    "google",
    "openlineage",
    "protoc",
    "server",
    "code",
    "terraform",
    "lsp",
)
"""Extras whose libraries have wheels: all but those of Spark."""


def run(*command: str | Path, **options: object) -> None:
    """Run a command at the project's root; raises CalledProcessError where it fails."""
    print("+", *command, flush=True)
    subprocess.run(command, cwd=ROOT, check=True, **options)  # type: ignore[call-overload]


def environment(directory: Path, python: str | Path) -> Path:
    """Create an empty virtual environment, replacing an earlier one, and return its Python."""
    shutil.rmtree(directory, ignore_errors=True)
    run(python, "-m", "venv", "--without-pip", directory)
    return directory / "bin" / "python"


def tooling(*packages: str) -> Path:
    """Return the directory of the programs of *packages*, installed below build/ at the first call."""
    directory = ROOT / "build" / "tooling"
    if not (directory / "bin" / "pip").exists():
        venv.create(directory, with_pip=True, clear=True)
    programs = directory / "bin"
    run(programs / "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return programs


def as_options(extras: tuple[str, ...]) -> list[str]:
    """Return the options of `uv pip compile` that choose *extras*."""
    return [option for extra in extras for option in ("--extra", extra)]
