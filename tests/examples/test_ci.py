"""The check in pipelines: the action of GitHub against a fake of its API, the component of GitLab, pre-commit."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from committed_repository import BASE, SCHEMA, commit_all, new_repository
from github_api import BOT, PullRequest
from loopback import answering, on_loopback

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "ci" / "github_action.py"
FILE = "orders-value.avsc"
LESS = json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:1]}, indent=2)
MARKER = "<!-- scanner check-change -->"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Commit a schema with its readers, then one that lacks a field."""
    home = new_repository(tmp_path / "repository")
    (home / FILE).write_text(LESS, encoding="utf-8")
    commit_all(home)
    return home


@pytest.fixture
def pull() -> PullRequest:
    """Return a pull request with a comment that only looks like the action's, and one of another bot."""
    pull = PullRequest()
    pull.add(f"{MARKER}\nquoted by a person", "mallory")
    pull.add("coverage 93 %")
    return pull


Step = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def step(repository: Path, pull: PullRequest, tmp_path: Path) -> Iterator[Step]:
    """Return a function that runs the step of the action as a runner does."""
    event = tmp_path / "event.json"
    with on_loopback(answering(pull.answer)) as address:

        def run(**more: str) -> subprocess.CompletedProcess[str]:
            head = subprocess.run(
                ["git", "rev-list", "--max-parents=0", "HEAD"],
                cwd=repository,
                check=True,
                capture_output=True,
                text=True,
            )
            event.write_text(json.dumps({"pull_request": {"number": 7, "base": {"sha": head.stdout.strip()}}}))
            given = {
                **{name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")},
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_API_URL": address,
                "GITHUB_EVENT_PATH": str(event),
                "GITHUB_REPOSITORY": "acme/shop",
                "GITHUB_TOKEN": "t0ken",
                "RUNNER_TEMP": str(tmp_path),
            }
            return subprocess.run(
                [sys.executable, str(SCRIPT)],
                cwd=repository,
                env={**os.environ, **given, **more},
                capture_output=True,
                text=True,
                check=False,
            )

        yield run


@pytest.mark.process
def test_the_comment_is_created_updated_and_resolved(step: Step, repository: Path, pull: PullRequest) -> None:
    """Impact is a comment, and red only if asked for; comments of others stay as they are."""
    others = [dict(comment) for comment in pull.comments]
    done = step()

    assert (done.returncode, "comment: created" in done.stdout) == (0, True)
    own = pull.comments[2]
    assert own["body"].startswith(f"{MARKER}\n### ")
    assert "services are affected: CSAS" in own["body"].splitlines()[1]
    assert f"file={FILE},line=" in done.stdout
    assert step(FAIL_ON="impact").returncode == 6
    assert len(pull.comments) == 3

    (repository / "sink.json").unlink()
    commit_all(repository)
    assert "comment: updated" in step().stdout
    for name, text in BASE.items():
        (repository / name).write_text(text, encoding="utf-8")
    commit_all(repository)
    assert "comment: resolved" in step().stdout
    assert own["body"].startswith(f"{MARKER}\n### Resolved")
    assert pull.comments[:2] == others
    assert len(pull.comments) == 3


@pytest.mark.process
def test_a_change_without_findings_gets_no_comment(step: Step, repository: Path, pull: PullRequest) -> None:
    for name, text in {**BASE, "README.md": "two"}.items():
        (repository / name).write_text(text, encoding="utf-8")
    commit_all(repository)

    assert (step().returncode, len(pull.comments)) == (0, 2)


@pytest.mark.process
def test_the_label_lets_a_change_pass(step: Step, pull: PullRequest) -> None:
    """Findings are still shown; an error of the check is not excused."""
    pull.labels = [*(f"label {number}" for number in range(120)), "scanner: accepted"]
    done = step(FAIL_ON="impact")

    assert (done.returncode, "lets this change pass" in done.stdout) == (0, True)
    assert step(BASE="nosuch").returncode == 2


@pytest.mark.process
def test_a_fork_that_may_not_comment_is_checked(step: Step, pull: PullRequest, tmp_path: Path) -> None:
    pull.is_fork = True
    done = step(FAIL_ON="impact")

    assert done.returncode == 6
    assert "::notice title=no comment::" in done.stdout
    assert "t0ken" not in done.stdout + done.stderr
    assert MARKER in (tmp_path / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")


def test_the_comment_is_found_on_a_later_page(pull: PullRequest) -> None:
    """A long discussion has several pages; a person's token has a person's comment."""
    pull.login = "deployer"
    for number in range(250):
        pull.add(f"comment {number}", "alice")
    own = pull.add(f"{MARKER}\nold", "deployer")
    pull.add(f"{MARKER}\nof another workflow", BOT)
    github = runpy.run_path(str(SCRIPT))["GitHub"]
    with on_loopback(answering(pull.answer)) as address:
        assert github(address, "t", "acme/shop", 7).comment(f"{MARKER}\nnew", counts=True) == "updated"
        assert github(address, "t", "acme/shop", 7).comment(f"{MARKER}\nnew", counts=True) == "unchanged"

    assert own["body"] == f"{MARKER}\nnew"
    assert pull.comments[-1]["body"] == f"{MARKER}\nof another workflow"


def loaded(name: str) -> list[Any]:
    return list(yaml.safe_load_all((ROOT / name).read_text(encoding="utf-8")))


def test_the_action_is_pinned_and_no_input_becomes_code() -> None:
    """A tag can be moved to other code, and an input could run commands: inputs are variables only."""
    (action,) = loaded("action.yml")
    for part in action["runs"]["steps"]:
        assert "${{" not in part.get("run", "")
        assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", part.get("uses", f"a/b@{'0' * 40}"))
    variables = {name for part in action["runs"]["steps"] for name in part.get("env", ())}
    read = set(re.findall(r'env(?:\.get\(|\[)"(\w+)"', SCRIPT.read_text(encoding="utf-8")))
    assert read & {"BASE", "SCANNER_DICTIONARY", "GITHUB_TOKEN"} <= variables


@pytest.mark.process
def test_the_component_of_gitlab(repository: Path) -> None:
    """Both reports that the job keeps are written, and the label lets the change pass."""
    head, job = loaded("templates/check-change.yml")
    job = job["check-change"]
    inputs = set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", (ROOT / "templates/check-change.yml").read_text()))
    assert inputs == set(head["spec"]["inputs"])
    script = "\n".join(line for line in job["script"] if "-m pip" not in line)
    base = subprocess.run(["git", "rev-parse", "HEAD~1"], cwd=repository, check=True, capture_output=True, text=True)
    given = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SCANNER_DICTIONARY": "/nonexistent/dictionary.db",
        "SCANNER_FAIL_ON": "impact",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base.stdout.strip(),
    }
    shell = [shutil.which("bash") or "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    for labels, status in (("bug", 6), ("bug,scanner: accepted", 0)):
        variables = {**os.environ, **given, "CI_MERGE_REQUEST_LABELS": labels}
        done = subprocess.run(shell, cwd=repository, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
    reports = job["artifacts"]["reports"]
    assert {issue["location"]["path"] for issue in json.loads((repository / reports["codequality"]).read_text())} == {
        FILE
    }
    assert (repository / reports["junit"]).stat().st_size


@pytest.mark.process
def test_the_hook_of_pre_commit(repository: Path) -> None:
    """The entry runs with its arguments; only the commits differ here."""
    ((hook,),) = loaded(".pre-commit-hooks.yaml")
    command = [*hook["entry"].split(), *hook["args"]]
    command = [part.replace("origin/HEAD", "HEAD~1") for part in command]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=repository, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, "column-removed" in done.stdout) == (0, True)


def test_the_example_for_a_runner_with_scanner_reads_nothing_of_the_checkout(repository: Path, tmp_path: Path) -> None:
    """A dictionary or a report that the pull request brings changes nothing."""
    action = yaml.safe_load((ROOT / "examples/ci/check-change/action.yml").read_text("utf-8"))
    (step,) = action["runs"]["steps"]
    outputs = tmp_path / "outputs"
    defaults = {"RULES": "", "BASELINE": "", "SCANNER_DICTIONARY": "", "MAX_AGE": "24h", "FAIL_ON": "impact"}
    places = {"RUNNER_TEMP": tmp_path, "GITHUB_STEP_SUMMARY": tmp_path / "summary.md", "GITHUB_OUTPUT": outputs}
    (repository / "scanner.sarif").write_text("forged", encoding="utf-8")
    (repository / "dictionary.db").write_text("forged", encoding="utf-8")

    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            **defaults,
            **{name: str(place) for name, place in places.items()},
            "BASE": "HEAD~1",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    written = dict(line.split("=", 1) for line in outputs.read_text("utf-8").splitlines())
    assert done.returncode == 6, done.stderr
    assert "forged" not in Path(written["sarif"]).read_text("utf-8")
    assert "total" in (tmp_path / "summary.md").read_text("utf-8")
