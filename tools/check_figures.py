"""Print the figures of the change check: its size, its rules, what one check loads and how long a large one takes.

    check_figures.py [COMMIT]    the work tree's figures, beside those of a commit

Sizes and rules are counted in the source text. The figures of a run are measured here and now: modules of the program
that a check executes, how often it parses a proposed schema as JSON, and the processor time in a repository of 20,000
files.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PLACES = ("scanner_check", "scanner_api/change_check")
"""Where the check is, now and formerly."""
_TEXTS = ("what", "why")
_SCHEMA = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}, {"name": "n", "type": "int"}]}
_PROGRAM = """
import json, sys
texts = {}
plain = json.loads
def loads(text, *rest, **options):
    key = text.decode() if isinstance(text, bytes) else text
    texts[key] = texts.get(key, 0) + 1
    return plain(text, *rest, **options)
json.loads = loads
from scanner_cli.main import run
run(sys.argv[1:])
def is_executed(module):  # a module whose import is deferred has another class until then
    return object.__getattribute__(module, "__class__").__name__ == "module"
prefixes = ("scanner_", "dataflow_generator", "manual_input")
names = [name for name, module in sys.modules.items() if name.startswith(prefixes) and is_executed(module)]
parsed = [count for text, count in texts.items() if '"fields"' in text]
print(json.dumps([len(names), max(parsed, default=0)]), file=sys.stderr)
"""


def main(commit: str | None) -> None:
    """Print a line for each figure; *commit* adds the figures of that commit's source."""
    names = {_keyword(node, "name") for text in _texts_of(ROOT).values() for node in ast.walk(ast.parse(text))} - {""}
    now, before = {**_counted(ROOT, names), **_measured(ROOT)}, dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        if commit:
            before = {**_counted(extracted(commit, Path(folder)), names), **_measured(Path(folder))}
    print(f"{'':<70}{commit or '':>14}{'now':>14}")
    for name, value in now.items():
        print(f"{name:<70}{before.get(name, ''):>14}{value:>14}")


# --- counted in the source


def extracted(commit: str, folder: Path, root: Path = ROOT) -> Path:
    """Write the source of a commit to a directory, and return that; a commit that is not there ends the program."""
    named = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}"]
    found = subprocess.run(named, cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    if not found:
        raise SystemExit(f"error: {root} has no commit {commit!r}; fetch it, or name another one")
    archive = subprocess.run(["git", "archive", found], cwd=root, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder


def _texts_of(root: Path) -> dict[str, str]:
    place = next(place for place in _PLACES if (root / place).is_dir())
    return {str(file.relative_to(root / place)): file.read_text("utf-8") for file in (root / place).rglob("*.py")}


def _counted(root: Path, names: set[str]) -> dict[str, str]:
    texts = _texts_of(root)
    trees = {path: ast.parse(text) for path, text in texts.items()}
    rules = [node for tree in trees.values() for node in ast.walk(tree) if _is_row(node, names)]
    outside = {path: tree for path, tree in trees.items() if not any(_is_row(node, names) for node in ast.walk(tree))}
    folders: dict[str, int] = {}
    for path, text in texts.items():
        folders[path.rpartition("/")[0]] = folders.get(path.rpartition("/")[0], 0) + bool(text.count("\n") > 1)
    literals = [one for path, tree in outside.items() if path != "report.py" for one in _literals(tree) if one in names]
    return {
        "modules": str(sum(folders.values())),
        "modules in the largest folder": str(max(folders.values())),
        "lines": f"{sum(text.count(chr(10)) for text in texts.values()):,}",
        "regular expressions": str(sum(len(re.findall(r"\bre\.compile\(", text)) for text in texts.values())),
        "rules": str(len(rules)),
        "rules with the function that finds them": str(sum(bool(_keyword(row, "find")) for row in rules)),
        "names of rules in other modules": str(len(literals)),
        "lists of names of rules": str(sum(_is_list_of(node, names) for t in outside.values() for node in ast.walk(t))),
        "texts of findings that are read by something else than the report": str(
            sum(_reads_text(node) for path, tree in trees.items() if path != "report.py" for node in ast.walk(tree))
        ),
    }


def _is_row(node: ast.AST, names: set[str]) -> bool:
    """Return whether a node is the row of a rule: a call of `Rule`, formerly a tuple of its texts."""
    if isinstance(node, ast.Tuple) and len(node.elts) > 4 and isinstance(node.elts[0], ast.Constant):
        return node.elts[0].value in names
    return bool(_keyword(node, "name"))


def _keyword(node: ast.AST, name: str) -> str:
    """Return a text that a row is called with; empty for any other node."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "Rule":
        return ""
    values = (one.value for one in node.keywords if one.arg == name)
    return next((str(one.value) for one in values if isinstance(one, ast.Constant)), "")


def _literals(tree: ast.AST) -> Iterator[str]:
    yield from (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def _is_list_of(node: ast.AST, names: set[str]) -> bool:
    """Return whether a display has two names of rules or more, and nothing else."""
    if not isinstance(node, ast.Tuple | ast.List | ast.Set):
        return False
    values = [one.value for one in node.elts if isinstance(one, ast.Constant)]
    return len(values) > 1 and len(values) == len(node.elts) and {*values} <= names


def _reads_text(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load) or node.attr not in _TEXTS:
        return False
    return isinstance(node.value, ast.Name) and node.value.id in ("finding", "found", "one", "other")


# --- measured


def _measured(root: Path) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(
            folder, {"orders-value.avsc": json.dumps(_SCHEMA), "topics.sh": "kafka-topics --create --topic orders\n"}
        )
        _git(folder, "init", "-q")
        _commit(folder)
        changed = json.dumps({**_SCHEMA, "fields": _SCHEMA["fields"][:1]})
        _write(folder, {"orders-value.avsc": changed})
        _commit(folder)
        url = str(folder / "d.db")
        _run((root, folder), "scan", ".", "--dictionary", url)
        file = _run((root, folder), "check", "orders-value.avsc", "--dictionary", url)
        commits = _run((root, folder), "check", "--git", "HEAD~1...HEAD")
        beside = _run((root, folder), "check", "--git", "HEAD~1...HEAD", "--dictionary", url)
        return {
            "modules executed: one schema": str(file[0]),
            "modules executed: two commits": str(commits[0]),
            "modules executed: two commits beside a dictionary": str(beside[0]),
            "times that a proposed schema is parsed by json.loads": str(max(file[1], beside[1])),
            "processor seconds in a repository of 20,000 files": f"{_large(root, folder / 'large'):.1f}",
        }


def _run(places: tuple[Path, Path], *arguments: str) -> tuple[int, int]:
    """Run the code of one directory in another; return its executed modules and how often it parsed one text."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=places[1],
        env={**os.environ, "PYTHONPATH": str(places[0])},
        capture_output=True,
        text=True,
        check=False,
    )
    modules, parsed = json.loads(done.stderr.splitlines()[-1])
    return modules, parsed


def _large(root: Path, folder: Path) -> float:
    """Return the processor time of a check of one changed file in a repository of 20,000."""
    files = {f"docs/{at // 500}/{at}.md": f"page {at}\n" for at in range(8_000)}
    files |= {f"src/m{at // 400}/f{at}.py": f"def f{at}():\n    return {at}\n" for at in range(8_000)}
    files |= {f"deploy/{at // 200}/{at}.yaml": f"name: service-{at}\nport: {at}\n" for at in range(4_000)}
    _write(folder, {**files, "orders-value.avsc": json.dumps(_SCHEMA), "a/requirements.txt": "kafka-python\n"})
    _git(folder, "init", "-q")
    _commit(folder)
    _write(folder, {"orders-value.avsc": json.dumps({**_SCHEMA, "fields": _SCHEMA["fields"][:1]})})
    _commit(folder)
    before = os.times()
    _run((root, folder), "check", "--git", "HEAD~1...HEAD")
    after = os.times()
    return (after.children_user + after.children_system) - (before.children_user + before.children_system)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _commit(folder: Path) -> None:
    _git(folder, "add", "-A")
    _git(folder, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "x")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("commit", nargs="?", help="print the figures of this commit as well")
    main(parser.parse_args().commit)
