"""The files for CI systems: their commands, run in a repository with the bundled example."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from scanner_cli.main import COMMANDS, run

ROOT = Path(__file__).parents[2]
CI, RETAIL = ROOT / "examples" / "ci", ROOT / "examples" / "retail"
FILE = "schemas/orders-value.avsc"
QUERY = """SELECT schema_definition.schema_text FROM schema_definition
JOIN subject_version v ON v.definition_id = schema_definition.id JOIN subject ON subject.id = v.subject_id
WHERE subject.name = 'orders-value' ORDER BY v.version DESC"""


def loaded(name: str) -> Any:
    return yaml.safe_load((CI / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scan the example, and generate its graph."""
    file = tmp_path_factory.mktemp("retail") / "dictionary.db"
    replay = ("--config", str(RETAIL / "cluster.json"), "--replay", str(RETAIL / "capture"), "--quiet")
    assert run(["extract", *replay, "--dictionary", str(file)]) == 0
    assert run(["dataflow", "--dictionary", str(file)]) == 0
    return file


@pytest.fixture
def repository(dictionary: Path, tmp_path: Path) -> Path:
    """Commit the current schema of `orders`, then one without two of its fields and with a new one."""
    home = tmp_path / "repository"
    (home / "schemas").mkdir(parents=True)
    with sqlite3.connect(dictionary) as conn:
        schema = json.loads(conn.execute(QUERY).fetchone()[0])
    git(home, "init", "-q")
    commit(home, schema)
    schema["fields"] = [field for field in schema["fields"] if field["name"] != "placed_at"]
    customer = next(field for field in schema["fields"] if field["name"] == "customer")["type"]
    customer["fields"] = [field for field in customer["fields"] if field["name"] != "email"]
    schema["fields"].append({"name": "note", "type": "string"})
    commit(home, schema)
    return home


def git(home: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments]
    subprocess.run(command, cwd=home, check=True, capture_output=True)


def commit(home: Path, schema: Any) -> None:
    (home / FILE).write_text(json.dumps(schema, indent=2), encoding="utf-8")
    git(home, "add", "-A")
    git(home, "commit", "-q", "-m", "x")


def shell(script: str, home: Path, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run *script* as a runner does, with this installation's `scanner`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [shutil.which("bash") or "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=home, env={**os.environ, "PATH": path, **more}, capture_output=True, text=True, check=False
    )


def check(dictionary: Path, repository: Path, tmp_path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the step of the composite action."""
    action = loaded("check-change/action.yml")
    (step,) = action["runs"]["steps"]
    given = {
        "SCANNER_DICTIONARY": str(dictionary),
        "RULES": "schemas/{subject}.avsc\nflink/{statement}.sql\n",
        "BASE": "HEAD~1",
        "BASELINE": "",
        "FAIL_ON": action["inputs"]["fail-on"]["default"],
        "MAX_AGE": action["inputs"]["max-age"]["default"],
    }
    assert set(given) == set(step["env"])
    runner = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    return shell(step["run"], repository, {**given, "RUNNER_TEMP": str(tmp_path), **runner, **more})


def outputs(tmp_path: Path) -> dict[str, Path]:
    file = tmp_path / "GITHUB_OUTPUT"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {name: Path(value) for name, _, value in (line.partition("=") for line in lines)}


@pytest.mark.process
def test_composite_action(dictionary: Path, repository: Path, tmp_path: Path) -> None:
    """Annotations on stdout, the summary of the step, a SARIF file, and the status of the check."""
    done = check(dictionary, repository, tmp_path)

    assert done.returncode == 5
    lines = done.stdout.splitlines()
    assert sum(line.startswith(f"::error file={FILE},line=") for line in lines) == 3
    assert "customer.email" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
    reports = outputs(tmp_path)
    assert json.loads(reports["sarif"].read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert set(reports) == set(loaded("check-change/action.yml")["outputs"])
    assert not any(file.is_relative_to(repository) for file in reports.values())


@pytest.mark.process
def test_composite_action_without_inputs(repository: Path, dictionary: Path, tmp_path: Path) -> None:
    """Both commits are compared; a dictionary in the checkout is not read."""
    shutil.copy(dictionary, repository / "dictionary.db")
    done = check(dictionary, repository, tmp_path, SCANNER_DICTIONARY="", RULES="")

    assert done.returncode == 5
    assert f"::error file={FILE},line=" in done.stdout
    assert "orders-to-dr" not in done.stdout


@pytest.mark.process
def test_files_of_a_pull_request_are_no_part_of_the_check(dictionary: Path, repository: Path, tmp_path: Path) -> None:
    """A log that SQLite would read beside the dictionary, and a report that is there before the check."""
    inside = repository / "dictionary.db"
    shutil.copy(dictionary, tmp_path / "forged.db")
    with closing(sqlite3.connect(tmp_path / "forged.db")) as forged:
        forged.executescript("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; DELETE FROM flow_edge;")
        shutil.copy(tmp_path / "forged.db-wal", repository / "dictionary.db-wal")
        shutil.copy(tmp_path / "forged.db", inside)
    (repository / "scanner.sarif").write_text("forged", encoding="utf-8")

    assert "job orders-to-dr" in check(inside, repository, tmp_path).stdout
    (tmp_path / "GITHUB_OUTPUT").unlink()
    assert check(inside, repository, tmp_path, BASE="nosuch").returncode == 2
    assert outputs(tmp_path) == {}


def test_actions_of_others_are_pinned() -> None:
    """A tag can be moved to other code."""
    steps = loaded("github-workflow.yml")["jobs"]["check-change"]["steps"]
    used = [step["uses"] for step in steps if not step.get("uses", "./").startswith("./")]

    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", action) for action in used)


def test_no_input_of_the_action_becomes_code() -> None:
    """A branch or a path rule must not be able to run commands: inputs reach the script as variables only."""
    (step,) = loaded("check-change/action.yml")["runs"]["steps"]

    assert "${{" not in step["run"]


def test_workflow_uses_inputs_that_the_action_has() -> None:
    """An unknown input is only a warning on GitHub."""
    inputs = loaded("check-change/action.yml")["inputs"]
    steps = loaded("github-workflow.yml")["jobs"]["check-change"]["steps"]
    (used,) = (step["with"] for step in steps if step.get("uses", "").endswith("/check-change"))

    assert set(used) <= set(inputs)
    assert {name for name, one in inputs.items() if one.get("required")} <= set(used)


@pytest.mark.process
def test_gitlab_job(dictionary: Path, repository: Path) -> None:
    """Both reports that the job keeps are written."""
    job = loaded("gitlab-ci.yml")["check-change"]
    (script,) = (line for line in job["script"] if "scanner check-change" in line)
    base = subprocess.run(["git", "rev-parse", "HEAD~1"], cwd=repository, check=True, capture_output=True, text=True)
    given = {"SCANNER_DICTIONARY": str(dictionary), "CI_MERGE_REQUEST_DIFF_BASE_SHA": base.stdout.strip()}
    done = shell(script, repository, given)

    assert done.returncode == 5
    reports = job["artifacts"]["reports"]
    assert {issue["location"]["path"] for issue in json.loads((repository / reports["codequality"]).read_text())} == {
        FILE
    }
    assert (repository / reports["junit"]).stat().st_size


@pytest.mark.process
def test_pre_commit_hook(dictionary: Path, repository: Path) -> None:
    """The hook gets the names of changed files, which its pattern chooses."""
    (hook,) = loaded("pre-commit-config.yaml")["repos"][0]["hooks"]
    done = shell(f"{hook['entry']} {FILE}", repository, {"SCANNER_DICTIONARY": str(dictionary)})

    assert (done.returncode, "column-removed" in done.stdout) == (5, True)
    assert {"check-change", "may-delete"} <= set(COMMANDS)
