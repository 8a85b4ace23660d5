"""Measure the structure of the product's packages, and fail where it grew: `python tools/house.py [--shrink]`.

`house.json` has the limit of each figure; `--shrink` lowers the limits to the present figures and never raises one.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMITS = Path(__file__).with_name("house.json")
PACKAGES = ("scanner_*", "manual_input", "dataflow_generator", "scanner")
MODULES, LINES = 15, 400

Trees = Mapping[Path, ast.Module]
"""The modules of the product, by path."""


def product() -> Trees:
    """Parse every module of the product."""
    files = [file for package in PACKAGES for file in sorted(ROOT.glob(f"{package}/**/*.py"))]
    return {file.relative_to(ROOT): ast.parse(file.read_bytes()) for file in files}


def measured(trees: Trees) -> dict[str, int]:
    """Return each figure by its name."""
    folders = Counter(path.parent for path in trees if path.name != "__init__.py")
    lengths = [len((ROOT / path).read_text("utf-8").splitlines()) for path in trees]
    return {
        f"folders with more than {MODULES} modules": sum(count > MODULES for count in folders.values()),
        f"modules of more than {LINES} lines": sum(count > LINES for count in lengths),
        "pairs of folders that import each other": len(mutual_imports(trees)),
        "names in strings, module:name": len(late_names(trees)),
        "names of classes that are used twice or more": len(repeated_classes(trees)),
    }


def mutual_imports(trees: Trees) -> list[tuple[str, str]]:
    """Return the pairs of folders that import each other, also inside of functions."""
    folders = {".".join(path.parent.parts) for path in trees}
    imports: dict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        for name in _imported(tree):
            target = name if name in folders else name.rpartition(".")[0]
            if target in folders:
                imports[".".join(path.parent.parts)].add(target)
    return sorted(
        (one, other) for one in imports for other in imports[one] if one < other and one in imports.get(other, ())
    )


def _imported(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def late_names(trees: Trees) -> list[str]:
    """Return the texts that name something of a module of the product, `package.module:name`."""
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in trees}
    texts = (
        node.value
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return sorted({text for text in texts if text.count(":") == 1 and text.partition(":")[0] in modules})


def repeated_classes(trees: Trees) -> list[str]:
    """Return the names that classes of several modules have."""
    names = Counter(
        name for tree in trees.values() for name in {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    )
    return sorted(name for name, count in names.items() if count > 1)


def grown(figures: Mapping[str, int], limits: Mapping[str, int]) -> list[str]:
    """Return what exceeds its limit; what has no limit does."""
    return [name for name, count in figures.items() if count > limits.get(name, -1)]


def main(options: Sequence[str]) -> int:
    """Print the table; 1 if a figure grew."""
    figures, limits = measured(product()), json.loads(LIMITS.read_text("utf-8"))
    if "--shrink" in options:
        limits = {name: min(count, limits.get(name, count)) for name, count in figures.items()}
        LIMITS.write_text(f"{json.dumps(limits, indent=2)}\n", "utf-8")
    for name, count in figures.items():
        print(f"{count:5}  of at most {limits.get(name, 0):5}  {name}")
    found = grown(figures, limits)
    if found:
        print(f"grew: {'; '.join(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
