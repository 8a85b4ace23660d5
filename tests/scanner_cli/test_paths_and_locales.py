"""Paths with spaces, quotes and any script, long ones, and locales whose encoding is not UTF-8."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

PROGRAM = """
import sys
from itertools import groupby
from scanner_cli.console import configure_utf8
from scanner_cli.main import run
configure_utf8()
for end, line in groupby(sys.argv[1:], lambda word: word == ";"):
    if not end:
        print("status", int(run(list(line))), flush=True)
"""
"""Runs several command lines, each before a `;`, in one process, which has its own locale from its start."""

ODD = "Ünï çödé 注文 d'or & $HOME %20#1?a=b"
"""A directory's name with what shells, URLs and encodings could mistake."""

NO_UTF8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def run_lines(lines: list[list[str]], home: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run command lines in *home*, whose paths reach the program as bytes, as from a shell."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    words = [word for line in lines for word in (*line, ";")]
    program = [sys.executable, "-c", PROGRAM, *words]
    return subprocess.run(program, cwd=home, env=environment | variables, capture_output=True)


def installation(home: Path, cluster: str, file: str) -> None:
    """Write manual input, and the cluster.json that names it."""
    schema = {"format": "CSV", "columns": [{"name": "größe", "type": "string"}]}
    topics = [{"name": "orders", "schemas": [schema]}]
    (home / file).write_text(json.dumps({"version": 1, "cluster": cluster, "topics": topics}), encoding="utf-8")
    document = {"cluster": cluster, "brokers": ["b:9092"], "manual_input": [file]}
    (home / "cluster 1.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def workflow(directory: str) -> list[list[str]]:
    """Return a scan, its replay, its graph, questions, exports and a copy, all in *directory*."""
    config, dictionary, capture = (
        f"{directory}/cluster 1.json",
        f"{directory}/wörterbuch 1.db",
        f"{directory}/äu fnahme",
    )
    at = ["--dictionary", dictionary]
    return [
        ["extract", "--config", config, *at, "--capture", capture, "--report", f"{directory}/bericht ü.json"],
        ["extract", "--config", config, "--dictionary", f"{directory}/zwei ü.db", "--replay", capture],
        ["dataflow", *at, "--output", f"{directory}/fluß"],
        ["query", "--broker", "b", "--topic", "orders", "--format", "json", *at],
        ["dictionary", "export", "--format", "h2", "-o", f"{directory}/skript ü.sql", *at],
        ["dictionary", "copy", dictionary, f"{directory}/kopie ü.db"],
        ["export", "--dictionary", f"{directory}/kopie ü.db", "-o", f"{directory}/fluß.html"],
    ]


WRITTEN = [
    "wörterbuch 1.db",
    "äu fnahme",
    "bericht ü.json",
    "zwei ü.db",
    "fluß",
    "skript ü.sql",
    "kopie ü.db",
    "fluß.html",
]


def statuses(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    return [line.removeprefix("status ") for line in done.stdout.decode().splitlines() if line.startswith("status ")]


@pytest.mark.parametrize("directory", [ODD, "long/" + "/".join(["n" * 100] * 3)], ids=["odd", "long"])
def test_every_file_may_have_any_name(directory, tmp_path) -> None:
    """A user's home, a mounted share, a build directory: none of them is ours to choose."""
    home = tmp_path / directory
    home.mkdir(parents=True)
    installation(home, "räksmörgås", "manuel é.json")
    done = run_lines(workflow(str(home)), tmp_path, {"LC_ALL": "C.UTF-8"})

    assert statuses(done) == ["0"] * 7, done.stderr.decode()
    assert [name for name in WRITTEN if not (home / name).exists()] == []
    assert "größe" in done.stdout.decode()
    assert "manuel é.json" in done.stderr.decode()


@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, NO_UTF8], ids=["C", "ASCII"])
def test_paths_work_where_the_locale_knows_ascii_only(variables, tmp_path) -> None:
    """A timer or a container without a locale; Python takes UTF-8 then, unless it was switched off."""
    home = tmp_path / ODD
    home.mkdir()
    installation(home, "räksmörgås", "manual.json")
    done = run_lines(workflow(str(home)), tmp_path, variables)

    assert statuses(done) == ["0"] * 7, done.stderr.decode()
    assert [name for name in WRITTEN if not (home / name).exists()] == []
    assert "größe" in done.stdout.decode()


def test_a_file_that_an_ascii_locale_cannot_name_is_reported(tmp_path) -> None:
    """With UTF-8 switched off Python cannot find it; the message leads to the line of cluster.json."""
    installation(tmp_path, "shop", "manuel é.json")
    done = run_lines([["extract", "--config", "cluster 1.json", "--dictionary", "d.db"]], tmp_path, NO_UTF8)

    assert statuses(done) == ["2"]
    assert "$.manual_input[0]" in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


@pytest.fixture(scope="module")
def latin1(tmp_path_factory) -> dict[str, str]:
    """Build a Latin-1 locale, which few systems still have installed."""
    directory = tmp_path_factory.mktemp("locale")
    program = shutil.which("localedef")
    if program:
        name = str(directory / "en_US.ISO-8859-1")
        subprocess.run([program, "-i", "en_US", "-f", "ISO-8859-1", name], capture_output=True)
    if not any(directory.iterdir()):
        pytest.skip("localedef, or its sources, are not installed (Debian: locales)")
    return {"LOCPATH": str(directory), "LC_ALL": "en_US.ISO-8859-1", "PYTHONUTF8": "0"}


def test_file_names_of_a_latin1_system_work(latin1, tmp_path) -> None:
    """File names are bytes in the locale's encoding; contents and output are UTF-8 all the same."""
    installation(tmp_path, "räksmörgås", "manuel é.json")
    (tmp_path / "manuel é.json").rename(tmp_path / os.fsdecode(b"manuel \xe9.json"))
    lines = [[word.encode("latin-1") for word in line] for line in workflow(".")]
    done = run_lines(lines, tmp_path, latin1)

    assert statuses(done) == ["0"] * 7, done.stderr.decode()
    assert {name.encode("latin-1") for name in WRITTEN} <= {os.fsencode(path.name) for path in tmp_path.iterdir()}
    assert "größe" in done.stdout.decode()
    assert "manuel é.json" in done.stderr.decode()
