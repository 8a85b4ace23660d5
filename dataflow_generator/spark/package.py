"""Our packages as one archive, so that the executors of a cluster run the same code without an installation."""

from __future__ import annotations

import importlib.util
import zipfile
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("dataflow_generator", "scanner_dictionary", "scanner_extractor", "scanner_model")
"""What tasks import of ours; libraries must be installed where they run: pyarrow, those that read schema texts."""

_MOMENT = (1980, 1, 1, 0, 0, 0)


def packed(directory: Path) -> Path:
    """Write `scanner.zip` into *directory*; same code, same bytes."""
    archive = directory / "scanner.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name, file in _files():
            out.writestr(zipfile.ZipInfo(name, _MOMENT), file.read_bytes())
    return archive


def _files() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            root = Path(place)
            for file in sorted(root.rglob("*")):
                if file.is_file() and file.suffix != ".pyc":
                    yield f"{package}/{file.relative_to(root).as_posix()}", file
