"""The cluster.json files of a command line, each judged alone and all beside each other; loads no source of theirs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from scanner_extractor.cluster_file import read_cluster_file
from scanner_extractor.registries import registries
from scanner_extractor.settings import Settings
from scanner_model.errors import InputInvalid
from scanner_model.names import ClusterName
from scanner_model.problems import Problem


def read_files(files: Sequence[str], *, replayed: bool = False) -> tuple[list[Settings], list[Problem]]:
    """Read every file, and list what is wrong with any or with all; *replayed*: see `read_clusters`."""
    found: list[Settings] = []
    problems: list[Problem] = []
    for file in files:
        try:
            found.append(read_cluster_file(Path(file), os.environ, tuple(registries()), replayed=replayed))
        except InputInvalid as error:
            problems += error.problems or (Problem(error.where, error.what, error.hint),)
    return found, [*problems, *_repeated(found)]


def _repeated(clusters: Sequence[Settings]) -> Iterator[Problem]:
    first: dict[ClusterName, Path] = {}
    for one in clusters:
        if one.cluster in first:
            what = f"the cluster {one.cluster!r} is in {first[one.cluster]} already"
            yield Problem(str(one.file), what, "name the file once, or give each cluster a name of its own")
        first.setdefault(one.cluster, one.file)
