"""Judge what `scanner check --git` answers for changes of public projects.

    python benchmarks/estate_changes.py CLONES CHANGES.json [NAME…]

CLONES has a directory for each project. CHANGES.json is a list of changes as a pull request makes them:

    {"project": "saga", "name": "saga-topic", "expected": ["payment-service"],
     "edits": [{"file": "saga/a.json", "old": ".request", "new": ".requests"}]}

An edit with `to` moves the file, one without `old` and `new` deletes it, one without `old` writes it. *expected* are
names that the answer must contain, for each affected party; a change without any is harmless. Each change is
committed on a copy of the project in a temporary directory. Nothing is committed of either.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

Json = Any

_UNKNOWN = 7
_HITS = (5, 6)
_SCANNER = Path(sys.executable).with_name("scanner")


class Answer(NamedTuple):
    """What was answered for a change: the word for it, the exit status, and the rules and names of its findings."""

    word: str
    status: int
    rules: tuple[str, ...]
    missing: tuple[str, ...]


def committed(directory: Path) -> None:
    """Commit all that is in *directory*."""
    git = ["git", "-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org"]
    for arguments in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "--allow-empty", "-m", "change"]):
        subprocess.run([*git, *arguments], cwd=directory, check=True, capture_output=True)


def edit(directory: Path, change: Json) -> None:
    """Do one edit; raises ValueError where the old text is not in the file."""
    file = directory / change["file"]
    if "to" in change:
        target = directory / change["to"]
        target.parent.mkdir(parents=True, exist_ok=True)
        file.rename(target)
    elif "old" in change:
        text = file.read_text(encoding="utf-8")
        if change["old"] not in text:
            raise ValueError(f"{change['file']} does not have {change['old']!r}")
        file.write_text(text.replace(change["old"], change["new"], change.get("count", 1)), encoding="utf-8")
    elif "new" in change:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(change["new"], encoding="utf-8")
    else:
        file.unlink()


def answer(clones: Path, change: Json) -> Answer:
    """Commit *change* on a copy of its project, check it, and judge the answer."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / change["project"]
        shutil.copytree(clones / change["project"], directory, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        for before in change.get("before", ()):
            edit(directory, before)
        committed(directory)
        for one in change["edits"]:
            edit(directory, one)
        committed(directory)
        command = [str(_SCANNER), "check-change", "--git", "HEAD~1...HEAD", "--format", "json"]
        ran = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return judged(change.get("expected", []), ran.returncode, json.loads(ran.stdout or "{}"))


def judged(expected: list[str], status: int, report: Json) -> Answer:
    """Return the answer of a *report*, whose exit status is *status*, about a change that hits the *expected* names."""
    counting = [finding for finding in report.get("findings", ()) if finding["verdict"] != "fine"]
    hits = [finding for finding in counting if finding["verdict"] != "unknown"]
    text = json.dumps(hits, ensure_ascii=False).casefold()
    missing = tuple(name for name in expected if name.casefold() not in text)
    rules = tuple(f"{count} {rule}" for rule, count in Counter(finding["rule"] for finding in counting).items())
    if status == _UNKNOWN:
        word = "unknown"
    elif not expected:
        word = "right" if status == 0 else "false alarm"
    elif status == 0:
        word = "FALSE ALL-CLEAR"
    else:
        word = "right" if status in _HITS and not missing else "not named"
    return Answer(word, status, rules, missing)


def main() -> None:
    """Print a line for each change, and how often each answer was given."""
    clones, file, *names = sys.argv[1:]
    counts: Counter[str] = Counter()
    for change in json.loads(Path(file).read_text(encoding="utf-8")):
        if names and change["name"] not in names:
            continue
        found = answer(Path(clones), change)
        counts[found.word] += 1
        missing = f"  without {', '.join(found.missing)}" if found.missing else ""
        print(f"{change['name']:28}{found.word:17}{found.status}  {', '.join(found.rules)}{missing}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()))


if __name__ == "__main__":
    main()
