"""Build what is released, into build/package: `python tools/package.py`.

The wheel and the source distribution are built twice, from two copies of the sources, and compared. Beside them come
`constraints.txt` (the newest versions of everything that is needed, with hashes), and for the base and each extra an
`sbom-NAME.json` (CycloneDX, validated), made of an environment into which just that was installed with these versions.
The last step installs the wheel into empty environments, checking hashes. Nothing of this is committed: it ages.
The exit status is 1 where two builds differ, and that of a failed command otherwise.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tooling import EXTRAS, ROOT, as_options, environment, run, tooling

WORK = ROOT / "build" / "package"
BASE = "base"
SPARK = ("spark", "spark-connect")
"""Extras of several hundred megabytes: their SBOM is made of the resolved versions, without installing them."""

PROGRAMS = ("build>=1.2,<2", "cyclonedx-bom>=6,<8", "uv")


def copy_tree(target: Path) -> Path:
    """Copy the files that Git knows, or would add, to *target*: caches and earlier builds stay behind."""
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    return target


def build(python: Path, output: Path, umask: int) -> dict[str, str]:
    """Build both distributions into *output* from a copy made under *umask*; return the hash of each file."""
    before = os.umask(umask)
    try:
        with TemporaryDirectory() as directory:
            run(python, "-m", "build", "--outdir", output, copy_tree(Path(directory)), stdout=subprocess.DEVNULL)
    finally:
        os.umask(before)
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(output.iterdir())}


def constraints(uv: Path, hashes: dict[str, str]) -> Path:
    """Write constraints.txt: the newest versions for every Python and system, and the built files themselves."""
    file = WORK / "constraints.txt"
    options = ("--quiet", "--universal", "--generate-hashes", "--no-header", "--no-annotate")
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"].lstrip(">=")
    run(uv, "pip", "compile", *options, "--python-version", oldest, *as_options(EXTRAS), "pyproject.toml", "-o", file)
    version = next(iter(hashes)).split("-")[1].removesuffix(".tar.gz")
    own = "".join(f" \\\n    --hash=sha256:{value}" for value in hashes.values())
    file.write_text(f"kafka-lineage-scanner=={version}{own}\n{file.read_text('utf-8')}", encoding="utf-8")
    return file


def boms(programs: Path, wheel: Path, pins: Path) -> Iterator[Path]:
    """Write and validate the SBOM of the base and of each extra, and yield its file."""
    with TemporaryDirectory() as directory:
        plain = Path(directory) / "pins.txt"
        export = ("pip", "compile", "--quiet", "--no-header", "--no-annotate", "--universal")
        run(programs / "uv", *export, *as_options((*EXTRAS, *SPARK)), "-c", pins, "pyproject.toml", "-o", plain)
        for name in (BASE, *EXTRAS):
            python = environment(Path(directory) / name, sys.executable)
            requirement = str(wheel) if name == BASE else f"{wheel}[{name}]"
            run(programs / "uv", "pip", "install", "--quiet", "--python", python, "--constraint", plain, requirement)
            yield write_bom(programs, name, "environment", str(python))
        for name in SPARK:
            resolved = Path(directory) / f"{name}.txt"
            run(programs / "uv", *export, *as_options((name,)), "-c", plain, "pyproject.toml", "-o", resolved)
            yield write_bom(programs, name, "requirements", str(resolved))


def write_bom(programs: Path, name: str, kind: str, source: str) -> Path:
    """Write and validate the SBOM *name* of an environment or of requirements."""
    file = WORK / f"sbom-{name}.json"
    options = ("--sv", "1.6", "--of", "JSON", "--output-reproducible", "--validate", "--pyproject", "pyproject.toml")
    run(programs / "cyclonedx-py", kind, source, *options, "-o", file)
    return file


def install_with_hashes(uv: Path, pins: Path) -> None:
    """Install into empty environments, all with pip and a choice with uv; both refuse a file with another hash."""
    hashed = ("--quiet", "--require-hashes", "--find-links", WORK)
    version = pins.read_text("utf-8").partition(" ")[0].partition("==")[2]
    with TemporaryDirectory() as directory:
        everything, choice = (Path(directory) / name / "bin" / "python" for name in ("pip", "uv"))
        run(sys.executable, "-m", "venv", everything.parents[1])
        run(everything, "-m", "pip", "install", "--disable-pip-version-check", *hashed, "--requirement", pins)
        run(everything.with_name("scanner"), "--version")
        environment(choice.parents[1], sys.executable)
        requirement = f"kafka-lineage-scanner[server]=={version}"
        run(uv, "pip", "install", "--python", choice, *hashed, "--constraint", pins, requirement)
        run(choice.with_name("scanner"), "--version")


def main() -> int:
    """Build, compare, describe and try; the exit status is 1 where the two builds differ."""
    programs = tooling(*PROGRAMS)
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    hashes = build(programs / "python", WORK, 0o022)
    with TemporaryDirectory() as directory:
        again = build(programs / "python", Path(directory), 0o077)
    if hashes != again:
        print(f"two builds differ:\n{hashes}\n{again}", file=sys.stderr)
        return 1
    (WORK / "SHA256SUMS").write_text("".join(f"{value}  {name}\n" for name, value in hashes.items()), "utf-8")
    pins = constraints(programs / "uv", hashes)
    written = list(boms(programs, next(WORK.glob("*.whl")), pins))
    install_with_hashes(programs / "uv", pins)
    for name, value in hashes.items():
        print(f"{value}  {name} (twice, {(WORK / name).stat().st_size:,} bytes)")
    print(f"{len(written)} SBOMs: {', '.join(file.name for file in written)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
