"""Brings what the servers are made of into the cache, through Maven and pip; one row a directory of the cache."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from places import CACHE, TREE

_PATIENCE = 900
_POM = TREE / "pom.xml"
_XML = "{http://maven.apache.org/POM/4.0.0}"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_STAMP = ".complete"


class NotToBeHad(Exception):
    """An artifact that Maven or pip could not bring; the rows that need it are left out."""


def _copied(name: str, directory: Path) -> None:
    _maven(name, "dependency:copy-dependencies", f"-DoutputDirectory={directory}", "-DincludeScope=runtime")


def _unpacked(name: str, directory: Path) -> None:
    _maven(name, "dependency:unpack", f"-DoutputDirectory={directory}")


def _maven(name: str, *goal: str) -> None:
    target = CACHE / "target" / name
    shutil.rmtree(target, ignore_errors=True)
    if not shutil.which("mvn"):
        raise NotToBeHad("mvn is not installed")
    _run(["mvn", "-B", "-q", "-f", str(_POM), "-P", name, f"-Dlab.target={target}", *goal])


def _environment(name: str, directory: Path) -> None:
    venv.create(directory, with_pip=True)
    _run([str(directory / "bin" / "pip"), "install", "-q", "-r", str(_requirements(name))])


def _requirements(name: str) -> Path:
    return TREE / "requirements" / f"{name}.txt"


def _asked(name: str) -> bytes:
    """Return what decides the contents of the directory: its requirements, or the profile and the versions it names."""
    if ARTIFACTS[name] is _environment:
        return _requirements(name).read_bytes()
    pom = ElementTree.parse(_POM).getroot()
    (profile,) = (item for item in pom.iter(f"{_XML}profile") if item.findtext(f"{_XML}id") == name)
    text = ElementTree.tostring(profile)
    versions = pom.iterfind(f"{_XML}properties/*")
    return text + b"".join(ElementTree.tostring(version) for version in versions if _named(version.tag, text))


def _named(tag: str, text: bytes) -> bool:
    return f"${{{tag.removeprefix(_XML)}}}".encode() in text


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode:
        lines = _ESCAPES.sub("", done.stdout + done.stderr).strip().splitlines()
        raise NotToBeHad(next((line for line in lines if "ERROR" in line), lines[-1] if lines else "no output")[:400])


ARTIFACTS: Mapping[str, Callable[[str, Path], None]] = {
    "kafka": _copied,
    "connect": _copied,
    "apicurio": _unpacked,
    "clients": _environment,
    "plugins": _unpacked,
    "h2": _copied,
    "flink-jars": _copied,
    "flink": _environment,
    "spark-jars": _copied,
    "spark": _environment,
    "rentgen": _environment,
    "programs": _copied,
    "opentelemetry": _environment,
    "datahub": _environment,
    "sqllineage": _environment,
}
FOREIGN = ("kafka", "rentgen")
"""What the consumer of lineage events is made of."""
CLIENTS = ("kafka", "programs", "opentelemetry")
"""What the clients with metrics are made of, and their brokers."""
PEERS = ("datahub", "sqllineage")
"""Other programs that the benchmarks run beside ours."""
INSTALLATION = tuple(name for name in ARTIFACTS if name not in ("rentgen", "programs", "opentelemetry", *PEERS))


def bring(names: Collection[str]) -> Mapping[str, str]:
    """Bring the artifacts that are not in the cache yet; give the reason for each that cannot be had, by its name."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        reasons = dict(zip(names, pool.map(_bring, names), strict=True))
    return {name: reason for name, reason in reasons.items() if reason}


def _bring(name: str) -> str:
    directory = CACHE / name
    stamp = directory / _STAMP
    wanted = hashlib.sha256(_asked(name)).hexdigest()
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return ""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    sys.stderr.write(f"lab: fetching {name}\n")
    try:
        ARTIFACTS[name](name, directory)
    except (NotToBeHad, subprocess.TimeoutExpired, OSError) as error:
        return str(error)
    stamp.write_text(wanted, "utf-8")
    return ""
