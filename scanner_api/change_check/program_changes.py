"""Programs whose code a change touches, their own or that of modules which their build files name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath

from scanner_api.change_check import mentions
from scanner_api.change_check.commit import Commit, written_by
from scanner_api.change_check.git import ObjectReader, Trees
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Finding, Place, Verdict
from scanner_extractor.sources.applications.modules import BUILD_FILES, Modules, build_name

_LISTED = 10
_NO_BUILD: tuple[tuple[str, ...], str] = ((), "")


class ProgramChanges:
    """Compares the code of the programs of two commits; *applications* are the changed files that use Kafka."""

    def __init__(
        self, commits: tuple[Commit, Commit], trees: Trees, hits: Hits, applications: Collection[str] = ()
    ) -> None:
        self._base, self._head = commits
        self._applications = applications
        self._lonely: list[str] = []
        self._trees, self._hits = trees, hits
        self._known_builds: Mapping[str, tuple[tuple[str, ...], str]] = {}

    def findings(self, known: Sequence[Finding], objects: ObjectReader) -> Iterator[Finding]:
        """Yield the programs whose code changes and whose topics do not: which columns code uses is not read."""
        about = {word for finding in known if finding.counts for word in (finding.place.file, finding.target)}
        programs = self._programs()
        still = {job.flows.job.key for job in self._head.jobs}
        changed: dict[str, list[str]] = {}
        for path in mentions.changed_programs(self._trees, objects):
            modules = self._using(self._modules.of(path), programs, objects) if path not in about else set()
            if not modules and path in self._applications:
                self._lonely.append(path)
            for key in (key for module in modules for key in programs[module]):
                if key in still or path in self._trees.head or self._stays(key):
                    changed.setdefault(key, []).append(path)
        for job in self._base.jobs:
            name, paths = f"job {job.flows.job.name}", changed.get(job.flows.job.key, [])
            if paths and name not in about:
                what = (
                    f"the code of {job.flows.job.name} is changed, and which columns code reads and writes is not known"
                )
                written = [hit for dataset in sorted(written_by(job)) for hit in self._hits.of(dataset)]
                finding = Finding(
                    rule="code-changed", verdict=Verdict.UNKNOWN, place=Place(file=paths[0]), target=name, what=what
                )
                hit = tuple(hit for hit in dict.fromkeys(written) if hit.use != "writes")
                yield replace(finding, affected=hit, why=tuple(paths[:_LISTED]))

    def lonely(self, known: Sequence[Finding]) -> Iterator[Finding]:
        """Yield the changed files whose code uses Kafka, that are of no program whose topics are known.

        Those that a finding in *known* is about are left out.
        """
        about = {finding.place.file for finding in known if finding.counts}
        for path in self._lonely:
            if path not in about:
                what = "its code uses Kafka and is changed, and no topic that it reads or writes is known"
                place = Place(file=path)
                yield Finding(rule="code-changed", verdict=Verdict.UNKNOWN, place=place, target=path, what=what)

    def _stays(self, key: str) -> bool:
        """Return whether the second commit has a file that a program of the first is written in."""
        jobs = (job for job in self._base.jobs if job.flows.job.key == key)
        return any(
            use.evidence.rpartition(":")[0] in self._trees.head
            for job in jobs
            for use in (*job.flows.reads, *job.flows.writes)
        )

    def _using(self, module: str, programs: Mapping[str, list[str]], objects: ObjectReader) -> set[str]:
        """Return the modules with *programs* that a module is part of: itself, or those whose build files name it."""
        found, latest, builds = {module}, {module}, self._builds(objects)
        while latest and not (found & programs.keys()):
            names = {name for one in latest for name in (one.rpartition("/")[2], *builds.get(one, _NO_BUILD)[0])}
            patterns = [re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])") for name in names if name]
            users = {other for other, (_, text) in builds.items() if any(one.search(text) for one in patterns)}
            # A build file above others lists them, and is no part of a program for that reason.
            above = {other for other in users - programs.keys() if any(_is_above(other, one) for one in latest)}
            latest = users - found - above
            found |= latest
        return found & programs.keys()

    def _builds(self, objects: ObjectReader) -> Mapping[str, tuple[tuple[str, ...], str]]:
        """Return the names and the build files of each module, by its directory."""
        if not self._known_builds:
            texts: dict[str, tuple[tuple[str, ...], str]] = {}
            for path, content in self._trees.base.items():
                folder, _, file = path.rpartition("/")
                if file in BUILD_FILES:
                    text = objects.read(content).decode("utf-8", "replace")
                    name, _ = build_name(PurePosixPath(path), text)
                    names, others = texts.get(folder, ((), ""))
                    texts[folder] = ((*names, *((name,) if name else ())), others + text)
            self._known_builds = {"": ((), ""), **texts}
        return self._known_builds

    def _programs(self) -> Mapping[str, list[str]]:
        """Return the programs of the first commit, keys of their jobs, by the directory of their module."""
        programs: dict[str, list[str]] = {}
        for job in self._base.jobs:
            places = {use.evidence.rpartition(":")[0] for use in (*job.flows.reads, *job.flows.writes)}
            for module in {self._modules.of(place) for place in places if place in self._trees.base}:
                programs.setdefault(module, []).append(job.flows.job.key)
        return programs

    @cached_property
    def _modules(self) -> Modules:
        """Return the modules of both commits, without their names."""
        folders = (path.rpartition("/") for tree in (self._trees.base, self._trees.head) for path in tree)
        return Modules(names={folder: "" for folder, _, name in folders if name in BUILD_FILES})


def _is_above(directory: str, other: str) -> bool:
    return not directory or other.startswith(f"{directory}/")
