"""Test the built distribution on several Pythons, and on the oldest dependencies: `python tools/test_matrix.py`.

Arguments are those of pytest. A row is a Python with the newest allowed dependencies, for each from 3.11 that is found
(in PATH, or installed by pyenv), or the oldest Python with the oldest dependencies. It creates an environment of its
own in build/matrix, installs the wheel there, and runs `scanner --version` and pytest. The exit status is 1 where a row
failed. uv resolves the oldest versions, which takes minutes the first time; it is installed in build/tooling.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tooling import EXTRAS, ROOT, as_options, environment, run, tooling

WORK = ROOT / "build" / "matrix"
SUPPORTED = ("3.11", "3.12", "3.13")
TOOLS = re.compile(r"(pytest|hatchling|httpx|hypothesis|networkx|PyYAML|referencing|responses)\b")
"""Dependencies of the tests that a row needs; those of `make check-static` are not, nor is openapi-spec-validator,
whose old versions do not agree with the others about `referencing`."""
DEFAULT_TESTS = ("-q", "-m", "not spark and not lab and not browser and not postgres and not mariadb", "tests")


@dataclass(frozen=True, slots=True)
class Row:
    """A Python and which versions of the dependencies it gets."""

    version: str
    python: str
    oldest: bool

    @property
    def name(self) -> str:
        """Return the name of the row, which is that of its directory as well."""
        return f"{self.version}-{'oldest' if self.oldest else 'newest'}"


def rows() -> Iterator[Row]:
    """Yield the rows that this machine can run, the oldest dependencies first."""
    pythons = [(version, python) for version in SUPPORTED if (python := find_python(version))]
    for version, python in pythons[:1]:
        yield Row(version, python, oldest=True)
    for version, python in pythons:
        yield Row(version, python, oldest=False)


def find_python(version: str) -> str | None:
    """Return the path of a working Python *version*, or `None` if absent."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    installed = sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)
    for candidate in filter(None, [shutil.which(f"python{version}"), *map(str, installed)]):
        if subprocess.run([candidate, "--version"], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def test(row: Row, uv: Path, wheel: Path, arguments: Sequence[str]) -> None:
    """Install and test one row; raises CalledProcessError where a step fails."""
    python = environment(WORK / row.name, row.python)
    chosen: list[str | Path] = []
    if row.oldest:
        lowest = WORK / "oldest.txt"
        resolution = ("--resolution", "lowest-direct", "--python-version", row.version, "--only-binary", ":all:")
        run(uv, "pip", "compile", "--quiet", *resolution, *as_options(EXTRAS), "pyproject.toml", "-o", lowest)
        chosen = ["--constraint", lowest]
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["test"]
    requirements = [f"{wheel}[{','.join(EXTRAS)}]", *filter(TOOLS.match, tools)]
    run(uv, "pip", "install", "--quiet", "--python", python, *chosen, *requirements)
    run(python.with_name("scanner"), "--version")
    run(python, "-P", "-m", "pytest", "-p", "no:cacheprovider", *arguments)


def main(arguments: Sequence[str]) -> int:
    """Run every row and print one line for each; the exit status is 1 where one failed."""
    programs = tooling("uv", "build")
    shutil.rmtree(WORK / "dist", ignore_errors=True)
    run(programs / "python", "-m", "build", "--wheel", "--outdir", WORK / "dist", stdout=subprocess.DEVNULL)
    wheel = next((WORK / "dist").glob("*.whl"))
    results = dict.fromkeys(rows(), "passed")
    for row in results:
        try:
            test(row, programs / "uv", wheel, arguments or DEFAULT_TESTS)
        except subprocess.CalledProcessError as error:
            results[row] = f"failed: {' '.join(map(str, error.cmd[:4]))} …"
    for row, result in results.items():
        print(f"Python {row.version}, {'oldest' if row.oldest else 'newest'} dependencies: {result}")
    missing = [version for version in SUPPORTED if version not in {row.version for row in results}]
    if missing:
        print(f"not found on this machine: Python {', '.join(missing)}")
    return int(any(result != "passed" for result in results.values()))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
