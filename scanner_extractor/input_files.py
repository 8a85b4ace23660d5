"""Which files a pattern of cluster.json means."""

from __future__ import annotations

import glob
from pathlib import Path


def named_files(pattern: str, base: Path, ending: str) -> tuple[Path, ...]:
    """List the files that *pattern* means, sorted: a file, those of a directory with *ending*, or what it matches."""
    try:
        if (base / pattern).is_dir():
            return tuple(sorted((base / pattern).glob(ending)))
        if (base / pattern).is_file():
            return (base / pattern,)
        found = (base / name for name in glob.glob(pattern, root_dir=base, recursive=True))  # noqa: PTH207  takes absolute ones too
        return tuple(sorted(path for path in found if path.is_file()))
    except (OSError, ValueError):  # a name that no file can have
        return ()
