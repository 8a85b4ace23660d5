"""Change the product in one place at a time, and count the changes that tests notice: `python tools/mutants.py`.

A mutant is a changed comparison, condition, constant, text or return value, or a statement left out, on a line that a
test executes; the same seed draws the same. All tests are run once, to record which execute which line. A mutant is
then tested by those that execute its line and those of its mirror directory: first the ones of `make test`, then the
others, which only `make test-all` runs. All of it happens in a copy below build/mutants, where results are kept: the
same command continues a run that was stopped, `--fresh` begins again.

The file is a plug-in of pytest as well (`-p mutants`), which records tests, or collects all once and runs those of a
mutant in a fork of its process, where the code of the function is replaced; programs that a test starts read the file.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "mutants"
TREE, SOURCES = WORK / "tree", WORK / "sources"
RECORD, RESULTS = WORK / "tests.ndjson", WORK / "results.ndjson"
_MUTANTS = "SCANNER_MUTANTS"
"""The variable that names a file of mutants to test."""

_RECORD = "SCANNER_MUTANTS_RECORD"
"""The variable that names a file to which tests are added with their outcome, their seconds, and who runs them."""

COSTLY = set(re.findall(r"^COSTLY = (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[0].split(" or "))
_GROUP = re.compile(r"@[\w-]+$")
"""What pytest-xdist adds to the name of a test in a group."""

_FLIPPED: Mapping[type[ast.AST], str] = {
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_CANDIDATES = 2
"""Places to draw for a mutant; those that no test executes are left out."""


# --- the plug-in


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Test the mutants that are named instead of running each test once."""
    if _MUTANTS not in os.environ:
        return None
    mutants = [Mutant(**row) for row in map(json.loads, Path(os.environ[_MUTANTS]).read_text("utf-8").splitlines())]
    examine(session, mutants)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Record a test when it has ended."""
    report: Any = yield
    if _RECORD in os.environ and (report.when == "call" or report.outcome != "passed"):
        names = {marker.name for marker in item.iter_markers()}
        row = {
            "test": _GROUP.sub("", item.nodeid),
            "passed": report.outcome == "passed",
            "seconds": round(report.duration, 3),
            "quick": "smoke" in names or not names & COSTLY,
        }
        with Path(os.environ[_RECORD]).open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")
    return report


# --- mutants


@dataclass(frozen=True, slots=True)
class Mutant:
    """A text between two offsets of a *file* that is replaced; *first* and *last* are the lines of its statement."""

    file: str
    first: int
    last: int
    start: int
    end: int
    operator: str
    replacement: str

    @property
    def name(self) -> str:
        """Return what tells it from other mutants."""
        return f"{self.file}:{self.first}:{self.start}:{self.operator}"


def mutants_of(file: str, text: str) -> Iterator[Mutant]:
    """Yield every mutant of a module that lies in a function; documentation and annotations are left alone."""
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def mutant(statement: ast.stmt, node: Any, operator: str, replacement: str) -> Mutant:  # noqa: ANN401 - has a place
        start, end = lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset
        block = getattr(statement, "body", None)
        last = block[0].lineno - 1 if block else statement.end_lineno or 0
        return Mutant(file, statement.lineno, max(last, statement.lineno), start, end, operator, replacement)

    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in _statements(function.body):
                yield from (mutant(statement, *change) for change in _changes(statement))


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements of a function and its blocks, without those of functions and classes in it."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        yield statement
        blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        blocks += [each.body for name in ("handlers", "cases") for each in getattr(statement, name, [])]
        for block in blocks:
            yield from _statements(block)


def _changes(statement: ast.stmt) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield the nodes of a statement that are changed, with the operator and the new text."""
    if isinstance(statement, ast.Expr):
        if isinstance(statement.value, ast.Constant):
            return  # documentation
        if isinstance(statement.value, ast.Call):
            yield statement, "statement", "pass"
    if isinstance(statement, ast.Return) and statement.value and ast.unparse(statement.value) != "None":
        yield statement.value, "return", "None"
    for node in _expressions(statement):
        if isinstance(node, ast.Compare):
            yield node, "comparison", _flipped(node)
        elif isinstance(node, ast.BoolOp):
            word = " or " if isinstance(node.op, ast.And) else " and "
            yield node, "condition", "(" + word.join(f"({ast.unparse(value)})" for value in node.values) + ")"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, "condition", f"({ast.unparse(node.operand)})"
        elif isinstance(node, ast.Constant):
            yield from _changed_constant(node)


def _flipped(node: ast.Compare) -> str:
    """Return a comparison whose first operator means the opposite."""
    operands = [f"({ast.unparse(operand)})" for operand in (node.left, *node.comparators)]
    changed = f"{operands[0]} {_FLIPPED[type(node.ops[0])]} {operands[1]}"
    rest = ast.unparse(ast.Compare(ast.Name("_"), node.ops[1:], node.comparators[1:]))[1:] if node.ops[1:] else ""
    return f"({changed}{rest})"


def _changed_constant(node: ast.Constant) -> Iterator[tuple[ast.AST, str, str]]:
    if isinstance(node.value, bool):
        yield node, "condition", str(not node.value)
    elif isinstance(node.value, int):
        yield node, "constant", f"({node.value + 1})"
    elif isinstance(node.value, str):
        yield node, "text", repr(node.value + "~")


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions of a statement itself: not of its blocks, of annotations, patterns or texts with fields."""
    left = {"body", "orelse", "finalbody", "handlers", "cases", "annotation", "returns", "type_comment"}
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue  # its parts have no places of their own before Python 3.12
        if node is not statement:
            yield node
        blocks = left if node is statement else {"annotation"}
        for name, value in ast.iter_fields(node):
            if name not in blocks:
                waiting += [
                    each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)
                ]


def draw_mutants(seed: int, count: int) -> list[Mutant]:
    """Draw places in the product, each line at most once."""
    every = [
        mutant
        for package in sorted(file.parent for file in ROOT.glob("*/__init__.py"))
        for file in sorted(package.rglob("*.py"))
        if "migrations" not in file.parts
        for mutant in mutants_of(str(file.relative_to(ROOT)), file.read_text("utf-8"))
    ]
    random.Random(seed).shuffle(every)
    return list({(each.file, each.first): each for each in every}.values())[:count]


# --- running tests


def run_pytest(*arguments: str, **variables: str) -> int:
    """Run pytest in the copy; return its exit status."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mutants", "-p", "no:cacheprovider", *arguments]
    paths = os.pathsep.join((str(TREE), str(ROOT / "tools")))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "CI": "1", **variables}
    with (WORK / "pytest.log").open("wb") as log:
        return subprocess.run(command, cwd=TREE, env=environment, stdout=log, stderr=log, check=False).returncode


def record(candidates: Iterable[Mutant], options: Sequence[str]) -> None:
    """Run all tests on a copy of the sources, and record which test executes which line of the drawn modules."""
    shutil.rmtree(WORK, ignore_errors=True)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        for copy in (TREE / name, SOURCES / name) if (ROOT / name).is_file() else ():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy)
    included = "\n  ".join(sorted({str(TREE / mutant.file) for mutant in candidates}))
    settings = f"[run]\nparallel = true\ndata_file = {WORK}/coverage\ninclude =\n  {included}\n"
    (WORK / "coveragerc").write_text(settings, encoding="utf-8")
    coverage = ["--cov", f"--cov-config={WORK}/coveragerc", "--cov-context=test", "--cov-report="]
    print("recording which test executes which line", flush=True)
    status = run_pytest(*coverage, *options, **{_RECORD: str(RECORD)})
    if not RECORD.exists():
        raise SystemExit(f"no test ended (pytest's status {status}): see {WORK / 'pytest.log'}")


def recorded() -> tuple[dict[str, dict[str, Any]], Any]:
    """Return the tests that passed, by name, and the lines that they executed."""
    from coverage import CoverageData

    rows = map(json.loads, RECORD.read_text("utf-8").splitlines())
    tests = {row["test"]: row for row in rows if row["passed"]}
    data = CoverageData(str(WORK / "coverage"))
    data.read()
    return tests, data


def reaching(mutant: Mutant, data: Any) -> set[str]:  # noqa: ANN401 - coverage's data
    """Return the names of the tests that execute the statement of *mutant*."""
    contexts: dict[int, list[str]] = data.contexts_by_lineno(str(TREE / mutant.file))
    lines = range(mutant.first, mutant.last + 1)
    names = (context.rpartition("|")[0] for line in lines for context in contexts.get(line, ()))
    return {_GROUP.sub("", name) for name in names if name}


def mirror(mutant: Mutant, tests: Iterable[str]) -> set[str]:
    """Return the names of the tests in the mirror directory of the module of *mutant*."""
    directory = f"tests/{Path(mutant.file).parent.as_posix()}/"
    return {name for name in tests if name.startswith(directory)}


def examine(session: pytest.Session, mutants: Iterable[Mutant]) -> None:
    """Test each of *mutants*, and add who notices it to the results: `make test`, `make test-all` only, or neither."""
    tests, data = recorded()
    items = {item.nodeid: item for item in session.items}
    for mutant in mutants:
        near = mirror(mutant, tests)
        names = (reaching(mutant, data) | near) & tests.keys() & items.keys()
        ordered = sorted(names, key=lambda name: (name not in near, tests[name]["seconds"]))
        by, test = "neither", ""
        for command, quick in (("make test", True), ("make test-all", False)):
            chosen = [items[name] for name in ordered if tests[name]["quick"] is quick]
            seconds = sum(tests[item.nodeid]["seconds"] for item in chosen)
            if not test and (test := failing_test(session, mutant, chosen, seconds=120 + 10 * seconds)):
                by = command
        with RESULTS.open("a", encoding="utf-8") as out:
            row = {**asdict(mutant), "name": mutant.name, "tests": len(names), "noticed_by": by, "test": test}
            out.write(json.dumps(row) + "\n")


def failing_test(session: pytest.Session, mutant: Mutant, items: Sequence[pytest.Item], seconds: float) -> str:
    """Return the first of *items* that fails with *mutant*, or does not end in *seconds*; empty where none does."""
    if not items:
        return ""
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one directory for all forks
    file, before = TREE / mutant.file, (SOURCES / mutant.file).read_bytes()
    file.write_bytes(before[: mutant.start] + mutant.replacement.encode() + before[mutant.end :])
    running = TREE / "running"
    try:
        child = os.fork()
        if child == 0:
            _run_in_fork(session, file, items, running)
        failed = _status(child, time.monotonic() + seconds) != 0
        return running.read_text("utf-8") if failed else ""
    finally:
        file.write_bytes(before)


def _run_in_fork(session: pytest.Session, file: Path, items: Sequence[pytest.Item], running: Path) -> NoReturn:
    """Run *items* until one fails, with its name in *running*; end the process with status 1 where one does."""
    status = 1
    try:
        os.setpgid(0, 0)
        gc.unfreeze()  # what was imported for the collection was frozen
        replace_code(file)
        for item, following in zip(items, [*items[1:], None], strict=True):
            running.write_text(item.nodeid, encoding="utf-8")
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break
        status = int(session.testsfailed > 0)
    finally:
        os._exit(status)


def _status(child: int, end: float) -> int:
    """Wait for a fork; it is killed, with what it has started, where it runs longer than *end*."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() > end:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1] or 1
        time.sleep(0.02)


def replace_code(file: Path) -> None:
    """Load the code that the file of an imported module has now into its functions."""
    waiting = [compile(file.read_bytes(), str(file), "exec", dont_inherit=True)]
    codes = {}
    while waiting:
        code = waiting.pop()
        codes[code.co_qualname, code.co_firstlineno] = code
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(file):
            code = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
            if code is not None and code.co_freevars == function.__code__.co_freevars:
                function.__code__ = code


def summary(results: Sequence[Mapping[str, Any]]) -> str:
    """Write how many mutants were noticed by whom, by operator, and list those that `make test` misses."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in results:
        counts[row["operator"]][row["noticed_by"]] += 1
        counts["all"][row["noticed_by"]] += 1
    lines = [f"{'operator':12} {'mutants':>8} {'make test':>10} {'make test-all':>14}"]
    for operator, by in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0])):
        quick, whole = by["make test"], by["make test"] + by["make test-all"]
        lines.append(f"{operator:12} {sum(by.values()):8} {quick:10} {whole:14}")
    whole = counts["all"]["make test"] + counts["all"]["make test-all"]
    lines.append(f"make test notices {counts['all']['make test']} of the {whole} that make test-all notices")
    lines += [f"{row['noticed_by']}: {row['name']}" for row in results if row["noticed_by"] != "make test"]
    return "\n".join(lines)


def main() -> None:
    """Draw mutants, test each, and print who notices how many."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--fresh", action="store_true", help="copy the sources and record the tests again")
    parser.add_argument("pytest", nargs="*", help="options of the run that records, after --: -n 2, or -m 'not spark'")
    chosen = parser.parse_args()
    candidates = draw_mutants(chosen.seed, _CANDIDATES * chosen.mutants)
    if chosen.fresh or not RECORD.exists():
        record(candidates, chosen.pytest)
    tests, data = recorded()
    done = {row["name"] for row in results()}
    executed = [mutant for mutant in candidates if reaching(mutant, data) & tests.keys()][: chosen.mutants]
    rows = [json.dumps(asdict(mutant)) for mutant in executed if mutant.name not in done]
    if rows:
        (WORK / "chosen.ndjson").write_text("\n".join(rows), encoding="utf-8")
        print(f"testing {len(rows)} mutants: {RESULTS}", flush=True)
        shutil.copytree(SOURCES, TREE, dirs_exist_ok=True)  # a run that was stopped may have left a mutant
        run_pytest(**{_MUTANTS: str(WORK / "chosen.ndjson")})
    names = {mutant.name for mutant in executed}
    print(summary([row for row in results() if row["name"] in names]))


def results() -> list[dict[str, Any]]:
    """Return what is known of mutants that were tested."""
    return list(map(json.loads, RESULTS.read_text("utf-8").splitlines())) if RESULTS.exists() else []


if __name__ == "__main__":
    main()
