"""Score which fields programs use against what was read by hand in public repositories.

    python benchmarks/field_uses.py --clones DIR [--repository NAME] [--misses]

DIR has a clone of each repository of tests/data/field_uses/truth.csv, as OWNER+NAME or OWNER+NAME/repo, with the commit
that the file names. Recall is the share of the uses in the file that scanner finds at the same line. Precision is the
share of the fields found, for the programs, topics and sides in the file, that the file has; a field that only leads to
one inside it is not counted.
"""

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import sys
import tarfile
import time
from collections import defaultdict
from pathlib import Path

from scanner_extractor.repository.applications.reader import read_applications
from scanner_model.names import SourceId

TRUTH = Path(__file__).resolve().parent.parent / "tests/data/field_uses/truth.csv"
LARGEST = 1_000_000

Key = tuple[str, str, str, str]
"""Program, topic, side, field."""


def texts(clone: Path, commit: str) -> dict[str, str]:
    """Return the text files of a commit by path."""
    git = clone / "repo" if (clone / "repo").exists() else clone
    archive = subprocess.run(["git", "-C", str(git), "archive", commit], capture_output=True, check=True)
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        for member in files:
            content = files.extractfile(member) if member.isfile() and member.size <= LARGEST else None
            try:
                found[member.name] = content.read().decode() if content else ""
            except UnicodeDecodeError:
                continue
    return found


def found_uses(files: dict[str, str]) -> dict[Key, set[str]]:
    """Return the fields that scanner finds, each with its places; `*` is all fields."""
    uses: dict[Key, set[str]] = {}
    for use in read_applications(files, SourceId("benchmark")).fields:
        if use.path or use.whole:
            name = ".".join(use.path) or "*"
            uses[use.job, use.topic, "writes" if use.writes else "reads", name] = set(use.places)
    return uses


def score(truth: dict[Key, set[str]], found: dict[Key, set[str]], *, show: bool) -> tuple[int, int, int, int]:
    """Return the uses found, those in the truth, those found of the same programs, and the wrong ones among these."""
    hit = {key for key, places in truth.items() if places & found.get(key, set())}
    groups = {key[:3] for key in truth}
    leading: set[Key] = set()
    for program, topic, side, name in truth:
        parts = name.split(".")
        leading |= {(program, topic, side, ".".join(parts[:end])) for end in range(1, len(parts))}
    judged = {key for key in found if key[:3] in groups and key[3] != "*" and (key in truth or key not in leading)}
    wrong = judged - set(truth)
    if show:
        for key in sorted(set(truth) - hit):
            print("  missed", *key, *sorted(truth[key]), "| found at", *sorted(found.get(key, ())))
        for key in sorted(wrong):
            print("  wrong ", *key, *sorted(found[key])[:3])
    return len(hit), len(truth), len(judged), len(wrong)


def main() -> int:
    """Score every repository and print recall and precision."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--repository", default="")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    truths: dict[tuple[str, str], dict[Key, set[str]]] = defaultdict(lambda: defaultdict(set))
    with TRUTH.open(newline="") as lines:
        for row in csv.DictReader(lines):
            key = (row["program"], row["topic"], row["side"], row["field"])
            truths[row["repository"], row["commit"]][key].add(row["place"])
    totals = [0, 0, 0, 0]
    for (repository, commit), truth in truths.items():
        if options.repository not in repository:
            continue
        files = texts(options.clones / repository.replace("/", "+"), commit)
        start = time.perf_counter()
        found = found_uses(files)
        seconds = time.perf_counter() - start
        scores = score(truth, found, show=options.misses)
        totals = [total + one for total, one in zip(totals, scores, strict=True)]
        hit, uses, judged, wrong = scores
        print(f"{repository}: {hit} of {uses} uses, {wrong} of {judged} wrong, {seconds:.1f} s")
    hit, uses, judged, wrong = totals
    right = judged - wrong
    print(
        f"recall {hit / max(uses, 1):.1%} ({hit} of {uses}), "
        f"precision {right / max(judged, 1):.1%} ({right} of {judged})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
