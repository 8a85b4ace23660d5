"""Ways to get parts of the lab: Maven, pip, and the source of servers that no package registry has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from places import CACHE, TREE

PATIENCE = 1800
POM = TREE / "pom.xml"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class NotToBeHad(Exception):
    """An artifact that cannot be fetched or built; the rows that need it are absent."""


def copied(name: str, directory: Path) -> None:
    """Copy the jars of the profile *name* into *directory*."""
    maven(name, "dependency:copy-dependencies", f"-DoutputDirectory={directory}", "-DincludeScope=runtime")


def unpacked(name: str, directory: Path) -> None:
    """Unpack the archives of the profile *name* into *directory*."""
    maven(name, "dependency:unpack", f"-DoutputDirectory={directory}")


def maven(name: str, *goal: str) -> None:
    """Run a goal of the profile *name*."""
    run(["mvn", "-B", "-q", "-f", str(POM), "-P", name, f"-Dlab.target={target(f'maven-{name}')}", *goal])


def environment(name: str, directory: Path) -> None:
    """Create a Python environment from the requirements of the same name."""
    venv.create(directory, with_pip=True)
    run([str(directory / "bin" / "pip"), "install", "-q", "-r", str(requirements(name))])


def requirements(name: str) -> Path:
    """Return the file that lists the packages of an environment."""
    return TREE / "requirements" / f"{name}.txt"


def target(name: str) -> Path:
    """Return an empty directory for the build of *name*."""
    directory = CACHE / "target" / name
    shutil.rmtree(directory, ignore_errors=True)
    return directory


def source(repository: str, tag: str, directory: Path, *paths: str) -> Path:
    """Write *paths* (or everything) of a GitHub repository at *tag* into *directory*, and return it.

    SCANNER_LAB_SOURCES names a directory of clones: OWNER+NAME/repo, OWNER/NAME or NAME, bare or not. A repository that
    it does not contain is cloned from GitHub.
    """
    directory.mkdir(parents=True, exist_ok=True)
    archive = directory.parent / f"{directory.name}.tar"
    run(["git", "-C", str(_clone(repository, tag)), "archive", f"--output={archive}", tag, *paths])
    with tarfile.open(archive) as content:
        content.extractall(directory, filter="data")
    archive.unlink()
    return directory


def _clone(repository: str, tag: str) -> Path:
    owner, _, name = repository.partition("/")
    if base := os.environ.get("SCANNER_LAB_SOURCES"):
        for place in (f"{owner}+{name}/repo", repository, f"{repository}.git", name):
            if (Path(base) / place).is_dir():
                return Path(base) / place
    directory = target(f"{owner}-{name}")
    try:
        run(["git", "clone", "-q", "--bare", "--depth=1", f"--branch={tag}",
             f"https://github.com/{repository}", str(directory)])  # fmt: skip
    except NotToBeHad as error:
        raise NotToBeHad(f"{error} (SCANNER_LAB_SOURCES can name a directory of clones)") from error
    return directory


def java_files(*roots: Path) -> list[Path]:
    """Return the Java files below *roots* that declare more than a package; a root may be missing."""
    files = (path for root in roots for path in root.rglob("*.java"))
    return sorted(path for path in files if path.name not in ("package-info.java", "module-info.java"))


def compiled(files: Sequence[Path], classpath: str, directory: Path, *options: str) -> None:
    """Compile *files* into *directory*."""
    directory.mkdir(parents=True, exist_ok=True)
    listing = directory.with_suffix(".files")
    listing.write_text("".join(f"{file}\n" for file in files), "utf-8")
    limits = ("-J-Xmx2g", "-nowarn", "-parameters", "-encoding", "UTF-8")
    run(["javac", *limits, *(options or ("-proc:none",)), "-cp", classpath, "-d", str(directory), f"@{listing}"])


def run(command: Sequence[str], *, directory: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
    """Run *command*; NotToBeHad with its first error."""
    if not shutil.which(command[0]):
        raise NotToBeHad(f"{command[0]} is not installed")
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=directory, env=variables
    )
    if done.returncode:
        lines = _ESCAPES.sub("", done.stdout + done.stderr).strip().splitlines()
        error = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no output")
        raise NotToBeHad(f"{Path(command[0]).name}: {error[:400]}")
