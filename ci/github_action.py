"""The step of action.yml: checks a pull request, and keeps one comment on it current.

A comment appears only if a finding counts. It is found by its marker and author, updated, and marked as resolved when
nothing counts any more; comments of others stay. Problems with comments never change the exit status.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Json = Any

MARKER = "<!-- scanner check-change -->"
LABEL = "scanner: accepted"
"""The label that lets a pull request pass in spite of its findings."""

VERDICTS = (5, 6, 7)
"""Exit statuses of findings; others are errors, which no label excuses."""

_PAGE, _MOST_PAGES, _SECONDS = 100, 100, 30
_ACTIONS_BOT = "github-actions[bot]"


class GitHub:
    """The parts of GitHub's REST API that a comment needs, for one pull request."""

    def __init__(self, api: str, token: str, repository: str, number: int) -> None:
        self._api, self._token = api.rstrip("/"), token
        self._repository, self._issue = f"/repos/{repository}", f"/repos/{repository}/issues/{number}"

    def labels(self) -> list[str]:
        """Return the labels that the pull request has now."""
        return [label["name"] for label in self._listed(f"{self._issue}/labels")]

    def comment(self, text: str, *, counts: bool) -> str:
        """Write *text* as the comment, if it *counts* or replaces an earlier one; return what was done."""
        login = self._login()
        listed = self._listed(f"{self._issue}/comments")
        own = next((entry for entry in listed if _is_own(entry, login)), None)
        if own is None:
            return self._send("POST", f"{self._issue}/comments", text, "created") if counts else "none"
        if own["body"] == text:
            return "unchanged"
        done = "updated" if counts else "resolved"
        return self._send("PATCH", f"{self._repository}/issues/comments/{own['id']}", text, done)

    def _login(self) -> str:
        """Return whose token it is; the token of a workflow may not ask, and is that of the actions' bot."""
        try:
            return str(self._request("GET", "/user")["login"])
        except urllib.error.HTTPError:
            return _ACTIONS_BOT

    def _send(self, method: str, path: str, text: str, done: str) -> str:
        self._request(method, path, {"body": text})
        return done

    def _listed(self, path: str) -> Iterator[Json]:
        for number in range(1, _MOST_PAGES + 1):
            entries = self._request("GET", f"{path}?per_page={_PAGE}&page={number}")
            yield from entries
            if len(entries) < _PAGE:
                return

    def _request(self, method: str, path: str, body: Json = None) -> Json:
        content = None if body is None else json.dumps(body).encode()
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        request = urllib.request.Request(self._api + path, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return json.load(answer)


def _is_own(comment: Json, login: str) -> bool:
    author = (comment.get("user") or {}).get("login")
    return author == login and str(comment.get("body", "")).startswith(MARKER)


def main(env: Mapping[str, str]) -> int:
    """Check the pull request of the event, write reports and the comment, and return the exit status of the step."""
    event = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text("utf-8")) if env.get("GITHUB_EVENT_PATH") else {}
    pull = event.get("pull_request") or {}
    work = Path(tempfile.mkdtemp(prefix="check-change.", dir=env["RUNNER_TEMP"]))
    status = _check(env, env.get("BASE") or (pull.get("base") or {}).get("sha", ""), work)
    report = work / "scanner.json"
    if not report.exists():
        return status
    text = (work / "scanner.md").read_text("utf-8")
    _append(env, "GITHUB_STEP_SUMMARY", text)
    _append(env, "GITHUB_OUTPUT", f"sarif={work / 'scanner.sarif'}\nmarkdown={work / 'scanner.md'}\n")
    labels = [label["name"] for label in pull.get("labels", ())]
    if pull and env.get("GITHUB_TOKEN"):
        counts = json.loads(report.read_text("utf-8"))["verdict"] != "fine"
        github = GitHub(env["GITHUB_API_URL"], env["GITHUB_TOKEN"], env["GITHUB_REPOSITORY"], pull["number"])
        try:
            labels = github.labels()
            print(f"comment: {github.comment(text if counts else _resolved(text), counts=counts)}")
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"::notice title=no comment::GitHub did not accept the comment: {_line(error)}")
    if status in VERDICTS and LABEL in labels:
        print(f"::notice title=accepted::the label '{LABEL}' lets this change pass")
        return 0
    return status


def _check(env: Mapping[str, str], base: str, work: Path) -> int:
    """Run the check, and return its exit status; whatever it reads and writes is outside of the checkout."""
    if not base:
        print("::error::scanner: not a pull request: set the input `base`")
        return 2
    dictionary = env.get("SCANNER_DICTIONARY") or str(work / "none.db")
    if _is_inside(dictionary, Path.cwd()):
        print("::error::scanner: the input `dictionary` is in the checkout, which the pull request controls")
        return 2
    if Path(dictionary).is_file():  # SQLite would read a log beside it
        dictionary = shutil.copy(dictionary, work / "dictionary.db")
    more = [
        part for name in ("fail-on", "max-age") if (value := env.get(_variable(name))) for part in (f"--{name}", value)
    ]
    more += ["--mention"] if env.get("MENTION") == "true" else []
    written = [f"--write={style}={work / name}" for style, name in _REPORTS.items()]
    scanner = str(Path(sys.executable).with_name("scanner"))
    command = [scanner, "check-change", "--git", f"{base}...HEAD", "--format", "github-actions", *written, *more]
    safe = {
        name: value for name, value in env.items() if name != "GITHUB_TOKEN" and not name.startswith(("PYTHON", "PIP_"))
    }
    variables = {**safe, "SCANNER_DICTIONARY": str(dictionary), "SCANNER_FAIL_ON": "breaks"}
    return subprocess.run(command, env=variables, check=False).returncode


def _is_inside(dictionary: str, checkout: Path) -> bool:
    """Check whether a dictionary is a file in *checkout*, also by a link in it."""
    scheme, sign, rest = dictionary.partition("?")[0].partition("://")
    if sign and scheme.lower().startswith("postgres"):
        return False
    name = rest.removeprefix("/") if sign else scheme  # sqlite:////absolute, sqlite:///relative, in any spelling
    file = Path(os.path.abspath(name))  # noqa: PTH100 - a link in the checkout counts, so links are not followed here
    places = (file, file.resolve())
    return any(place.is_relative_to(top) for place in places for top in (checkout, checkout.resolve()))


_REPORTS = {"json": "scanner.json", "markdown": "scanner.md", "sarif": "scanner.sarif"}


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


def _resolved(text: str) -> str:
    """Return the comment that replaces one whose findings are gone: its first lines."""
    title = next((line.removeprefix("### ") for line in text.splitlines() if line.startswith("### ")), "")
    return f"{MARKER}\n### Resolved\n\n{title}\n"


def _append(env: Mapping[str, str], name: str, text: str) -> None:
    if env.get(name):
        with Path(env[name]).open("a", encoding="utf-8") as file:
            file.write(text)


def _line(error: Exception) -> str:
    return " ".join(str(error).split()).replace("%", "%25")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main(os.environ))
