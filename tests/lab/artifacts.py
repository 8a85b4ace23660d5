"""Brings the parts of the servers into the cache, a directory each: from Maven, pip, or built from source."""

from __future__ import annotations

import hashlib
import inspect
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import built
from fetching import POM, NotToBeHad, copied, environment, requirements, unpacked
from places import CACHE

_XML = "{http://maven.apache.org/POM/4.0.0}"
_STAMP = ".complete"


def _asked(name: str) -> bytes:
    """Return what decides the contents of the directory: requirements, the profile with its versions, the build."""
    recipe = ARTIFACTS[name]
    build = b"" if recipe in (copied, unpacked, environment) else inspect.getsource(recipe).encode()
    if requirements(name).is_file():
        return build + requirements(name).read_bytes()
    return build + _profile(name)


def _profile(name: str) -> bytes:
    """Return the profile *name* and the versions that it mentions; empty if there is none."""
    pom = ElementTree.parse(POM).getroot()
    text = b"".join(
        ElementTree.tostring(item) for item in pom.iter(f"{_XML}profile") if item.findtext(f"{_XML}id") == name
    )
    versions = pom.iterfind(f"{_XML}properties/*")
    return text + b"".join(ElementTree.tostring(version) for version in versions if _named(version.tag, text))


def _named(tag: str, text: bytes) -> bool:
    return f"${{{tag.removeprefix(_XML)}}}".encode() in text


ARTIFACTS: Mapping[str, Callable[[str, Path], None]] = {
    "kafka": copied,
    "connect": copied,
    "apicurio": unpacked,
    "clients": environment,
    "plugins": unpacked,
    "h2": copied,
    "flink-jars": copied,
    "flink": environment,
    "spark-jars": copied,
    "spark": environment,
    "rentgen": environment,
    "programs": copied,
    "opentelemetry": environment,
    "datahub": environment,
    "sqllineage": environment,
    "ksqldb": built.ksqldb,
    "schema-registry": built.schema_registry,
    "karapace": built.karapace,
    "axonops": built.axonops,
    "unity": built.unity,
    "iceberg": copied,
    "moto": environment,
}
FOREIGN = ("kafka", "rentgen")
"""What the consumer of lineage events is made of."""
CLIENTS = ("kafka", "programs", "opentelemetry")
"""What the clients with metrics are made of, and their brokers."""
PEERS = ("datahub", "sqllineage")
"""Other programs that the benchmarks run beside ours."""
SYSTEMS = ("kafka", "connect", "ksqldb", "schema-registry", "karapace", "axonops", "unity", "iceberg", "moto")
"""What the other systems are made of."""
INSTALLATION = tuple(
    name for name in ARTIFACTS if name not in ("rentgen", "programs", "opentelemetry", *PEERS, *SYSTEMS[2:])
)


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
