"""Recipes for CI systems run nothing that a pull request brings along in its checkout."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from committed_repository import new_repository
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
MODULES = (
    *("venv.py", "venv/__init__.py", "pip.py", "pip/__init__.py", "pip/__main__.py", "logging.py", "sysconfig.py"),
    *("types.py", "subprocess.py", "json/__init__.py", "sitecustomize.py", "usercustomize.py", "scanner_cli.py"),
    *("scanner_cli/__init__.py", "scanner_api.py", "regex.py", "yaml/__init__.py", "bin/python", "bin/scanner"),
)
"""What Python or a shell would run in place of its own, if it looked for it in the checkout."""
SETTINGS = {
    "pip.conf": "[global]\nindex-url = http://127.0.0.1:9/simple\n",
    "setup.cfg": "[easy_install]\nindex_url = http://127.0.0.1:9/simple\n",
    "pyvenv.cfg": "home = .\n",
    "evil.egg-info/entry_points.txt": "[scanner.catalogs]\nevil = evil:CATALOG\n",
    "evil-1.dist-info/entry_points.txt": "[scanner.catalogs]\nevil = evil:CATALOG\n",
    "evil-1.dist-info/METADATA": "Name: evil\nVersion: 1\n",
}


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """Return a file that exists after any module of the checkout ran."""
    return tmp_path / "ran"


@pytest.fixture
def checkout(tmp_path: Path, marker: Path) -> Path:
    """Return a checkout with hostile modules and settings."""
    home = new_repository(tmp_path / "checkout")
    for name in (*MODULES, "evil.py"):
        (home / name).parent.mkdir(exist_ok=True)
        is_shell = name.startswith("bin/")
        code = f"#!/bin/sh\ntouch {marker}\n" if is_shell else f"open({str(marker)!r}, 'w').close()\n"
        (home / name).write_text(code, encoding="utf-8")
        (home / name).chmod(0o755)
    for name, text in SETTINGS.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    return home


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return a directory with a Python for which `pip install` only starts pip."""
    place = tmp_path / "programs"
    place.mkdir()
    for name in ("python", "python3"):
        (place / name).write_text(
            "#!/bin/bash\nargs=()\n"
            'for a in "$@"; do [ "$a" = install ] && { args+=(--version); break; }; args+=("$a"); done\n'
            f'exec {sys.executable} "${{args[@]}}"\n',
            encoding="utf-8",
        )
        (place / name).chmod(0o755)
    (place / "scanner").symlink_to(PROGRAMS / "scanner")
    (place / "pip").write_text(f"#!/bin/bash\nexec {sys.executable} -c 'import pip'\n", encoding="utf-8")
    (place / "pip").chmod(0o755)
    return place


def run(script: str, where: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a script as a system for CI does, in the checkout; its output has both streams."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=where,
        env={**os.environ, "SCANNER_DICTIONARY": "", **more},
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def snippet(name: str) -> str:
    """Return the pipeline *name* of docs/how-to/other-ci.md."""
    text = (ROOT / "docs/how-to/other-ci.md").read_text(encoding="utf-8")
    return re.search(rf"```\w+\n((?:#|//) \S*{re.escape(name)}.*?)```", text, re.DOTALL)[1]  # type: ignore[index]


def azure() -> str:
    steps = yaml.safe_load(snippet("azure-pipelines.yml"))["steps"]
    return next(str(step["script"]) for step in steps if "script" in step)


def bitbucket() -> str:
    pipelines = yaml.safe_load(snippet("bitbucket-pipelines.yml"))["pipelines"]
    return "\n".join(pipelines["pull-requests"]["**"][0]["step"]["script"])


def jenkins() -> str:
    lines = re.findall(r"^ *sh (['\"])(.*)\1$", snippet("Jenkinsfile"), re.MULTILINE)
    return "\n".join(f"({line})" for _, line in lines)


def gitlab() -> str:
    text = (ROOT / "templates/check-change.yml").read_text(encoding="utf-8").split("---\n", 1)[1]
    return "\n".join(yaml.safe_load(text)["check-change"]["script"])


def hook() -> str:
    ((entry,),) = [yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))]
    return f"{entry['entry']} {' '.join(entry['args'])}"


def example() -> str:
    action = yaml.safe_load((ROOT / "examples/ci/check-change/action.yml").read_text(encoding="utf-8"))
    return str(action["runs"]["steps"][0]["run"])


@pytest.mark.process
@pytest.mark.parametrize("script", [azure, bitbucket, jenkins, gitlab, hook, example])
def test_a_recipe_runs_no_module_of_the_checkout(
    script: Callable[[], str], checkout: Path, programs: Path, marker: Path, tmp_path: Path
) -> None:
    variables = dict.fromkeys(("RULES", "BASELINE", "CHANGE_TARGET", "SYSTEM_PULLREQUEST_TARGETBRANCH"), "")
    done = run(
        script(),
        checkout,
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
        **variables,
        BASE="HEAD",
        FAIL_ON="breaks",
        MAX_AGE="24h",
        BITBUCKET_PR_DESTINATION_BRANCH="main",
        **dict.fromkeys(("AGENT_TEMPDIRECTORY", "RUNNER_TEMP", "WORKSPACE_TMP"), str(tmp_path)),
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
    )

    assert not marker.exists(), done.stdout


@pytest.mark.parametrize("script", [azure, bitbucket, gitlab])
def test_a_recipe_loads_no_module_of_the_home_directory(script: Callable[[], str], tmp_path: Path) -> None:
    """Some runners use the checkout as home directory; Jenkins starts the program in an environment, which has none."""
    place, output = tmp_path / "programs", tmp_path / "variable"
    place.mkdir()
    for name, text in {
        "python": "cat >/dev/null",
        "git": "true",
        "scanner": f"echo $PYTHONNOUSERSITE >{output}",
    }.items():
        (place / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (place / name).chmod(0o755)
    more = {"PYTHONNOUSERSITE": "1"} if script is azure and 'PYTHONNOUSERSITE: "1"' in snippet("azure") else {}
    run(script(), tmp_path, PATH=f"{place}{os.pathsep}{os.environ['PATH']}", **more)

    assert output.read_text(encoding="utf-8") == "1\n"


@pytest.mark.parametrize("script", [azure, bitbucket, jenkins, gitlab])
def test_a_recipe_installs_the_versions_that_a_file_lists(script: Callable[[], str]) -> None:
    """Else a release of any dependency could run code in the pipeline."""
    (line,) = [line for line in script().splitlines() if " install " in line]

    assert '--constraint "$SCANNER_VERSIONS"' in line


def steps() -> list[dict[str, Any]]:
    return list(yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"])


@pytest.mark.process
def test_the_action_installs_without_the_checkout(checkout: Path, programs: Path, marker: Path, tmp_path: Path) -> None:
    """The lines run in the working directory that the step declares; pip installs nothing here."""
    step = next(step for step in steps() if "install" in step.get("run", ""))
    where = step.get("working-directory", str(checkout)).replace("${{ runner.temp }}", str(tmp_path))
    text = re.sub(r" install --quiet.*", " --version", step["run"].replace("\\\n", " "))
    done = run(text, Path(where), RUNNER_TEMP=str(tmp_path), PYTHON=str(programs / "python"), ACTION=str(ROOT))

    assert done.returncode == 0, done.stdout
    assert not marker.exists()
    assert "--isolated" in text
    assert "/ci/constraints.txt" in step["run"]


@pytest.mark.process
def test_the_check_of_the_action_imports_nothing_of_the_checkout(checkout: Path, marker: Path, tmp_path: Path) -> None:
    step = next(step for step in steps() if step.get("id") == "check")
    (tmp_path / "scanner-venv").mkdir()
    (tmp_path / "scanner-venv/bin").symlink_to(PROGRAMS)
    python = f"PYTHONPATH={checkout}"
    done = run(
        f"export {python}; {step['run']}",
        checkout,
        RUNNER_TEMP=str(tmp_path),
        ACTION=str(ROOT),
        BASE="HEAD",
        FAIL_ON="",
    )

    assert done.returncode == 0, done.stdout
    assert not marker.exists()


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "reports"),
    [
        (bitbucket, ("test-results/check-change.xml", "test-results/other.xml")),
        (jenkins, ("check-change.xml",)),
        (gitlab, ("check-change.xml", "code-quality.json")),
    ],
)
def test_a_report_of_the_checkout_is_not_shown(
    script: Callable[[], str], reports: tuple[str, ...], checkout: Path, programs: Path, tmp_path: Path
) -> None:
    """The system shows what it finds there, also if a command fails before the check writes a report."""
    for name in reports:
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text("forged", encoding="utf-8")
    missing = dict.fromkeys(
        ("CHANGE_TARGET", "BITBUCKET_PR_DESTINATION_BRANCH", "CI_MERGE_REQUEST_DIFF_BASE_SHA"), "none"
    )
    done = run(
        script(),
        checkout,
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
        WORKSPACE_TMP=str(tmp_path),
        **missing,
    )

    assert done.returncode != 0
    assert [name for name in reports if (checkout / name).exists()] == [], done.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    "name",
    [
        *("dictionary.db", "./dictionary.db", "schemas/../dictionary.db", "sqlite:///dictionary.db"),
        *("sqlite+pysqlite:///dictionary.db", "SQLITE:///dictionary.db", "{}/../checkout/dictionary.db"),
        *(
            "/{}/dictionary.db",
            "{}/./dictionary.db",
            "/proc/self/cwd/dictionary.db",
            "sqlite:///{}//dictionary.db?mode=ro",
        ),
    ],
)
@pytest.mark.parametrize("script", [gitlab, example])
def test_a_dictionary_in_the_checkout_is_rejected(
    script: Callable[[], str], name: str, checkout: Path, programs: Path, tmp_path: Path
) -> None:
    """The pull request could bring one that knows no readers."""
    (checkout / "dictionary.db").write_bytes(b"")
    done = run(
        script(),
        checkout,
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
        RUNNER_TEMP=str(tmp_path),
        SCANNER_DICTIONARY=name.format(checkout),
        BASE="HEAD",
        **dict.fromkeys(("RULES", "BASELINE"), ""),
    )

    assert (done.returncode, "the input dictionary" in done.stdout) == (2, True), done.stdout


def test_the_action_rejects_a_dictionary_in_the_checkout(tmp_path: Path) -> None:
    """Also one behind a link that the pull request brings."""
    is_inside = runpy.run_path(str(ROOT / "ci/github_action.py"))["_is_inside"]
    checkout, outside = tmp_path / "checkout", tmp_path / "outside"
    checkout.mkdir()
    outside.mkdir()
    (checkout / "link").symlink_to(outside)

    assert is_inside(str(checkout / "a.db"), checkout)
    assert is_inside(f"sqlite:///{checkout}/a.db?mode=ro", checkout)
    assert is_inside(str(checkout / "link/a.db"), checkout)
    assert is_inside(f"SQLITE+pysqlite:///{checkout}/a.db", checkout)
    assert not is_inside(str(outside / "a.db"), checkout)
    assert not is_inside("postgresql://db.example/scanner", checkout)


def test_constraints_name_every_library_that_the_action_installs() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [Requirement(text) for text in (*project["dependencies"], *extras["code"], *extras["terraform"])]
    lines = (ROOT / "ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.lower().split("==") for line in lines if "==" in line)

    for requirement in needed:
        assert requirement.specifier.contains(pinned[re.sub(r"[-_.]+", "-", requirement.name).lower()]), (
            requirement.name
        )
