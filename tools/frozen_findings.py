"""Record the findings of every `scanner check` that a command runs, and compare two such records.

    frozen_findings.py record OUT -- COMMAND …    run COMMAND with a `scanner` that notes what each check finds
    frozen_findings.py diff BEFORE AFTER          print the rows that only one of two records has

A row is a rule, verdict, target, item, file, line and the names hit, without sentences, so that a rewording changes
nothing. A check is known by its arguments and by what it reads: the trees of its commits, or the files it names.
COMMAND finds `scanner` on PATH and in $SCANNER; the real one is $SCANNER, else the one on PATH.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

_REAL, _OUT = "FROZEN_FINDINGS_SCANNER", "FROZEN_FINDINGS_OUT"
_CHECKS = ("check", "check-change")


def main(arguments: Sequence[str]) -> int:
    """Run one of the three ways to call the tool; the third, `shim`, is what `record` puts on PATH."""
    match arguments:
        case ["record", out, "--", *command] if command:
            return _record(Path(out), command)
        case ["diff", before, after]:
            return _diff(Path(before), Path(after))
        case ["shim", *rest]:
            return _shim(rest)
    sys.stderr.write(f"{__doc__}\n")
    return 2


def _record(out: Path, command: Sequence[str]) -> int:
    real = os.environ.get("SCANNER") or shutil.which("scanner")
    if real is None:
        sys.stderr.write("no scanner on PATH\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        shim, rows = Path(folder) / "scanner", Path(folder) / "rows"
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(__file__)} shim "$@"\n')
        shim.chmod(0o755)
        rows.touch()
        path = os.pathsep.join((folder, os.environ.get("PATH", "")))
        environment = {**os.environ, "PATH": path, "SCANNER": str(shim), _REAL: real, _OUT: str(rows)}
        code = subprocess.run(command, env=environment, check=False).returncode
        lines = sorted(set(rows.read_text("utf-8").splitlines()))
    out.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    sys.stderr.write(f"{len(lines)} rows\n")
    return code


def _shim(arguments: Sequence[str]) -> int:
    real = os.environ[_REAL]
    done = subprocess.run([real, *arguments], check=False)
    if arguments and arguments[0] in _CHECKS and "--help" not in arguments:
        again = [real, *_without_format(arguments), "--format", "json"]
        answer = subprocess.run(again, capture_output=True, text=True, check=False, timeout=900)
        with Path(os.environ[_OUT]).open("a", encoding="utf-8") as rows:
            rows.writelines(f"{row}\n" for row in _rows(_key(arguments), answer))
    return done.returncode


def _without_format(arguments: Sequence[str]) -> Iterator[str]:
    rest = iter(arguments)
    for argument in rest:
        if argument in ("--format", "--output", "-o"):
            next(rest, None)
        elif not argument.startswith("--format="):
            yield argument


def _rows(key: str, answer: subprocess.CompletedProcess[str]) -> Iterator[str]:
    try:
        document = json.loads(answer.stdout)
    except ValueError:
        yield json.dumps([key, f"status {answer.returncode}"])
        return
    yield json.dumps([key, f"status {answer.returncode}", document.get("verdict", "")])
    for one in document.get("findings", ()):
        hit = sorted({f"{hit['kind']} {hit['name']} {hit['path']}".strip() for hit in one["affected"]})
        yield json.dumps([key, one["rule"], one["verdict"], one["target"], one["item"], one["file"], one["line"], hit])


def _key(arguments: Sequence[str]) -> str:
    """Return a short name of what a check reads, the same for equal commits and files in any directory."""
    parts: list[str] = []
    for argument in arguments:
        if ".." in argument:
            for end in argument.replace("...", "..").split(".."):
                tree = subprocess.run(
                    ["git", "rev-parse", f"{end or 'HEAD'}^{{tree}}"],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                parts.append(tree.stdout.strip() or end)
        elif Path(argument).is_file() and Path(argument).suffix not in (".db", ""):
            parts.append(hashlib.sha256(Path(argument).read_bytes()).hexdigest())
        else:
            parts.append(Path(argument).name)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _diff(before: Path, after: Path) -> int:
    old, new = (set(file.read_text("utf-8").splitlines()) for file in (before, after))
    for line in sorted(old ^ new):
        sys.stdout.write(f"{'-' if line in old else '+'} {line}\n")
    sys.stdout.write(f"{len(old & new)} rows equal, {len(old - new)} gone, {len(new - old)} new\n")
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
