"""The pipelines of docs/how-to/other-ci.md and the lint of the files for CI systems."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from committed_repository import BASE, commit_all, git

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/how-to"
FILE = "orders-value.avsc"
PROGRAMS = Path(sys.executable).parent


def run(*command: str | Path, where: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the programs of this environment; its output has both streams."""
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    given = {**os.environ, "PATH": path, "SCANNER_DICTIONARY": "", **more}
    return subprocess.run(
        command, cwd=where, env=given, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def snippet(page: str, name: str) -> str:
    """Return the code block of a page that begins with the comment *name*."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.search(rf"```\w+\n((?:#|//) \S*{re.escape(name)}.*?)```", text, re.DOTALL)[1]  # type: ignore[index]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a clone in which a branch removes a column that a statement reads."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    for name, text in BASE.items():
        (origin / name).write_text(text, encoding="utf-8")
    commit_all(origin)
    git(tmp_path, "clone", "-q", str(origin), "clone")
    schema = tmp_path / "clone" / FILE
    schema.write_text(schema.read_text(encoding="utf-8").replace("total", "price"), encoding="utf-8")
    commit_all(tmp_path / "clone")
    return tmp_path / "clone"


def azure() -> str:
    steps = yaml.safe_load(snippet("other-ci.md", "azure-pipelines.yml"))["steps"]
    return next(step["script"] for step in steps if "script" in step)


def bitbucket() -> str:
    pipelines = yaml.safe_load(snippet("other-ci.md", "bitbucket-pipelines.yml"))["pipelines"]
    return "\n".join(pipelines["pull-requests"]["**"][0]["step"]["script"])


def jenkins() -> str:
    lines = re.findall(r"^ *sh (['\"])(.*)\1$", snippet("other-ci.md", "Jenkinsfile"), re.MULTILINE)
    return "\n".join(f"({line})" for _, line in lines)


def without_installation(script: str) -> str:
    """Return the lines of a script but those that make an environment and install scanner."""
    return "\n".join(line for line in script.splitlines() if not re.search(r"-m (pip|venv)", line))


def temporary(clone: Path) -> dict[str, str]:
    """Return the variables for directories of the systems; that of Jenkins has an environment with scanner."""
    programs = clone.parent / "workspace@tmp/scanner/bin"
    programs.parent.mkdir(parents=True)
    programs.symlink_to(PROGRAMS)
    return {"AGENT_TEMPDIRECTORY": str(clone), "WORKSPACE_TMP": str(clone.parent / "workspace@tmp")}


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "variables"),
    [
        (azure, {"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main", "SCANNER_FAIL_ON": "breaks"}),
        (azure, {"SYSTEM_PULLREQUEST_TARGETBRANCH": "main", "SCANNER_FAIL_ON": "breaks"}),
        (bitbucket, {"BITBUCKET_PR_DESTINATION_BRANCH": "main"}),
        (jenkins, {"CHANGE_TARGET": "main", "SCANNER_FAIL_ON": "breaks"}),
    ],
    ids=["azure repos", "azure with github", "bitbucket", "jenkins"],
)
def test_a_pipeline_reports_what_it_finds(script: Any, variables: Mapping[str, str], clone: Path) -> None:
    """Only the installation is left out."""
    done = run("bash", "-e", "-c", without_installation(script()), where=clone, **temporary(clone), **variables)
    report = next(file for file in clone.rglob("*check-change.xml"))

    assert done.returncode in (0, 5), done.stdout
    assert FILE in {suite.get("name") for suite in ElementTree.parse(report).iter("testsuite")}
    assert [case for case in ElementTree.parse(report).iter("failure") if "total" in str(case.get("message"))]


@pytest.mark.process
@pytest.mark.parametrize("script", [azure, bitbucket, jenkins])
def test_a_missing_target_branch_is_an_error(script: Any, clone: Path) -> None:
    """A check without a base must not look like one that found nothing."""
    names = ("SYSTEM_PULLREQUEST_TARGETBRANCH", "BITBUCKET_PR_DESTINATION_BRANCH", "CHANGE_TARGET")
    text = without_installation(script())
    done = run("bash", "-e", "-c", text, where=clone, **temporary(clone), **dict.fromkeys(names, "none"))

    assert done.returncode not in (0, 5, 6, 7)


def gitlab() -> str:
    """Return the job of the component as a pipeline has it that sets no input."""
    head, job = (ROOT / "templates/check-change.yml").read_text(encoding="utf-8").split("---\n", 1)
    inputs = yaml.safe_load(head)["spec"]["inputs"]
    return re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda match: inputs[match[1]]["default"], job)


def gitlab_header() -> str:
    return (ROOT / "templates/check-change.yml").read_text(encoding="utf-8").partition("---\n")[0]


@pytest.mark.process
@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("azure-pipelines", lambda: snippet("other-ci.md", "azure-pipelines.yml")),
        ("bitbucket-pipelines", lambda: snippet("other-ci.md", "bitbucket-pipelines.yml")),
        ("gitlab-ci", gitlab),
        ("gitlab-ci", gitlab_header),
        ("github-workflows", lambda: snippet("pull-request.md", "check-change.yml")),
        ("github-actions", lambda: (ROOT / "action.yml").read_text(encoding="utf-8")),
    ],
    ids=["azure", "bitbucket", "gitlab job", "gitlab inputs", "github workflow", "github action"],
)
def test_a_file_is_valid_by_the_schema_of_its_system(schema: str, text: Any, tmp_path: Path) -> None:
    file = tmp_path / "pipeline.yml"
    file.write_text(text(), encoding="utf-8")
    done = run("check-jsonschema", "--regex-variant=nonunicode", "--builtin-schema", f"vendor.{schema}", file)

    assert done.returncode == 0, done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with the action."""
    (tmp_path / ".github/workflows").mkdir(parents=True)
    shutil.copy(ROOT / "action.yml", tmp_path)
    git(tmp_path, "init", "-q")
    return tmp_path


def workflow(repository: Path, action: str) -> Path:
    """Write the workflow of the page, with the place of the action filled in, and return its file."""
    file = repository / ".github/workflows/check-change.yml"
    text = snippet("pull-request.md", "check-change.yml")
    file.write_text(text.replace("OWNER/kafka-lineage-scanner@COMMIT", action), encoding="utf-8")
    return file


@pytest.mark.process
def test_actionlint_accepts_the_workflow(repository: Path) -> None:
    """It also compares the inputs of the workflow with those of the action."""
    program = shutil.which("actionlint", path=f"{ROOT / 'build/tooling/bin'}{os.pathsep}{os.environ['PATH']}")
    if not program:
        pytest.skip("actionlint is not installed: `make lint-deploy` builds it with Go")

    assert run(program, "-no-color", workflow(repository, "./"), where=repository).stdout == ""


@pytest.mark.process
def test_zizmor_finds_nothing_in_action_and_workflow(repository: Path) -> None:
    """Untrusted text in a script, an action that is not pinned, and credentials that stay in the checkout."""
    files = (ROOT / "action.yml", workflow(repository, f"acme/kafka-lineage-scanner@{'0' * 40}"))
    done = run("zizmor", "--offline", "--no-progress", "--color=never", *files)

    assert done.returncode == 0, done.stdout


@pytest.mark.process
@pytest.mark.slow
def test_pre_commit_installs_and_runs_the_hook(clone: Path, tmp_path: Path) -> None:
    """As a user does: pre-commit clones this repository, installs it from there, and runs the hook."""
    source = tmp_path / "source"
    git(tmp_path, "clone", "-q", str(ROOT), str(source))
    command = ("pre-commit", "try-repo", str(source), "scanner-check-change", "--hook-stage", "pre-push", "--verbose")
    done = run(*command, where=clone, PRE_COMMIT_HOME=str(tmp_path / "home"))
    if re.search(r"No matching distribution|NewConnectionError|ConnectTimeout", done.stdout):
        pytest.skip("pip reaches no package index")

    assert done.returncode == 1, done.stdout
    assert "exit code: 5" in done.stdout
    assert "1 service breaks" in done.stdout or "services break" in done.stdout
