"""Check the subjects of commits, `area: imperative` in at most 72 characters: `python tools/check_subjects.py [SINCE]`.

Without SINCE, the commits since this check exists.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 72
_SUBJECT = re.compile(r"[^\s:][^:]*: \S")


def faults(subjects: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with each of *subjects* that is too long or has no area."""
    for subject in subjects:
        if len(subject) > LONGEST:
            yield f"{len(subject)} characters, {LONGEST} are allowed: {subject}"
        elif not _SUBJECT.match(subject):
            yield f"has no area (`area: imperative`): {subject}"


def main(since: str | None = None) -> int:
    """Print the faults of the commits after *since*; 1 if there are any."""
    since = since or _git("log", "--format=%H", "--diff-filter=A", "--", str(Path(__file__))).strip()
    if not since:
        print("skipped: the subjects of commits (no history here has this check)")
        return 0
    subjects = _git("log", "--no-merges", "--format=%s", f"{since}..HEAD").splitlines()
    found = list(faults(subjects))
    print("\n".join([*found, f"{len(subjects)} subjects of commits, {len(found)} faults"]))
    return 1 if found else 0


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout if not done.returncode else ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
