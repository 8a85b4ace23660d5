"""What is released: two builds give the same bytes, with everything that the program needs and nothing else."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(file.parent.name for file in ROOT.glob("*/__init__.py"))
LARGEST = 3 * 2**20


def build(sources: Path, output: Path) -> dict[str, bytes]:
    """Build both distributions without a network; return the content of each file."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(output)]
    environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    subprocess.run(command, cwd=sources, env=environment, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in sorted(output.iterdir())}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build in a copy of the sources that other people may not read, which holds caches and is from another day."""
    home = tmp_path_factory.mktemp("package")
    tools = ROOT / "tools"
    sys.path.insert(0, str(tools))
    try:
        copy_tree = runpy.run_path(str(tools / "package.py"))["copy_tree"]
    finally:
        sys.path.remove(str(tools))
    first = copy_tree(home / "first")
    second = Path(shutil.copytree(first, home / "second"))
    for path in second.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (1_000_000_000, 1_000_000_000))
    cache = second / "scanner_model" / "__pycache__"
    cache.mkdir()
    (cache / "names.cpython-311.pyc").write_bytes(b"a cache")
    files = build(first, home / "built")

    assert build(second, home / "again") == files
    assert len(files) == 2
    return home / "built"


def test_the_wheel_has_the_packages_and_nothing_else(built: Path) -> None:
    """Data files, the marker for type checkers and the licence are easily forgotten, tests easily included."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    example = ROOT / "examples" / "retail"  # `scanner demo` reads it
    files = (path for path in example.rglob("*") if path.is_file())
    expected |= {f"scanner_cli/example/{path.relative_to(example).as_posix()}" for path in files}
    about = {name.partition("/")[2] for name in names - expected}

    assert names >= expected
    assert about == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert len(PACKAGES) == 11
    assert wheel.stat().st_size <= LARGEST


def test_the_source_distribution_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    """Distributors start from it."""
    (source,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    again = build(tree, tmp_path / "again")

    assert again[wheel.name] == wheel.read_bytes()
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= {path.name for path in tree.iterdir()}
    assert not (tree / "tests").exists()
