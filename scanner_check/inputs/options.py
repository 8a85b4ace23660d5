"""What judges a change: `.scanner.yaml`, the policy and the baseline, as the target branch has them between commits.

A pull request cannot excuse itself: its own copies do not count, and each difference is a finding.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scanner_check.inputs.baseline import Accepted, parse_baseline
from scanner_check.inputs.git import Trees, commit_trees, object_reader, target_tree, top_directory
from scanner_check.inputs.proposals import PathRule, decoded, text_of_file
from scanner_check.model import ChangeFinding, Message, Place
from scanner_check.rows.files import SETTINGS_CHANGED
from scanner_extractor.repository.topic_files.settings import MEMBER, TOPIC_FILES_SCHEMA, parse_topic_files
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load
from scanner_model.policy import ClusterPolicy
from scanner_model.usage import USAGE, USAGE_SCHEMA, Usage

if TYPE_CHECKING:
    from datetime import timedelta

    from scanner_extractor.evolution import Level, Policy

Json = Any

FILE = ".scanner.yaml"
"""Name of the settings file, at the top of a repository."""

DEFAULT_BASELINE = ".scanner-baseline.json"
"""Name of the baseline at the top of a repository, unless `baseline` names another one."""

_PARSE_POLICY = "scanner_extractor.config.policy:parse_policy"
_PARSE_YAML = "scanner_extractor.repository.yaml_documents:parse_yaml"
"""What parses settings is imported when there are some."""

_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}}
_TEXT = {"type": "string", "minLength": 1}
SETTINGS_SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": FILE,
    "description": "Settings of `scanner scan` and `scanner check` for a repository.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "map": {**_TEXTS, "description": "Rules that name what a path changes, such as schemas/{subject}.avsc."},
        "fail-on": {
            "enum": ["breaks", "impact", "unknown", "none"],
            "description": "The mildest verdict that fails.",
        },
        "strict": {"enum": [True, False], "description": "Fail for files that scanner does not claim to understand."},
        "max-age": {"type": "string", "pattern": "^[0-9]{1,6}[mhd]$", "description": "Maximum age of each source."},
        "baseline": {**_TEXT, "description": "JSON file of accepted findings, relative to this file."},
        "policy": {**_TEXT, "description": "cluster.json whose `policy` applies, relative to this file."},
        "repositories": {
            **_TEXTS,
            "description": "Directories of other repositories, relative to this file, whose readers a check reports.",
        },
        USAGE: USAGE_SCHEMA,
        MEMBER: TOPIC_FILES_SCHEMA,
    },
}
"""The JSON Schema of the settings file; `scanner config schema --of .scanner.yaml` prints it."""


_REPOSITORY = {"type": "object", "required": ["path"], "properties": {"path": _TEXT}}
_CONFIG_SCHEMA: Json = {"properties": {"repositories": {"type": "array", "items": _REPOSITORY}, USAGE: USAGE_SCHEMA}}
"""What a check uses of a cluster.json in addition to its policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySettings:
    """The members of `.scanner.yaml`; an empty one is not set. Paths are relative to the top of the repository."""

    map: tuple[str, ...] = ()
    fail_on: str = ""
    strict: bool = False
    max_age: str = ""
    baseline: str = ""
    policy: str = ""
    repositories: tuple[str, ...] = ()
    usage: Mapping[str, Json] = field(default_factory=dict)
    topic_files: tuple[Mapping[str, Json], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How a check is done.

    *cluster* limits it to one cluster. *level* and *policy* replace the stored compatibility level and policy of every
    subject. *dialect* is that of SQL files, None guesses it. *max_age* is how long ago each source may have been read.
    *allow_new*: a subject, statement or connector that the dictionary does not have is new, no mistake. *accepted* are
    the entries of a baseline. *rules* say where columns with a tag may not get to. *settings_changes* are the findings
    of `read_judging`: what the change edits of the settings that judge it. *map* are rules for the files of commits.
    *beside* are the directories of other repositories, *others* the URLs of other dictionaries: their users of what
    changes are hit, too. *usage* says which readers do not count. *top* is the top of the repository that is checked.
    """

    cluster: str | None = None
    level: Level | None = None
    policy: Policy | None = None
    dialect: str | None = None
    max_age: timedelta | None = None
    allow_new: bool = False
    accepted: tuple[Accepted, ...] = ()
    rules: ClusterPolicy = ClusterPolicy()
    strict: bool = False
    settings_changes: tuple[ChangeFinding, ...] = ()
    map: tuple[PathRule, ...] = ()
    beside: tuple[Path, ...] = ()
    others: tuple[str, ...] = ()
    usage: Usage = Usage()
    top: Path | None = None


class Judging(NamedTuple):
    """What judges a change: settings, policy and accepted findings, and a finding for each that the change edits."""

    settings: RepositorySettings
    policy: ClusterPolicy
    accepted: tuple[Accepted, ...]
    changes: tuple[ChangeFinding, ...]
    top: Path
    beside: tuple[Path, ...] = ()
    usage: Usage = Usage()


def read_judging(
    commits: str | None = None,
    directory: Path = Path(),
    *,
    policy: Path | None = None,
    baseline: Path | None = None,
    beside: Sequence[Path] = (),
) -> Judging:
    """Return what judges a change of the repository that *directory* is in.

    With *commits*, `BASE..HEAD` or `BASE...HEAD`, files inside the repository are read from BASE, else from the work
    tree. *policy* (a cluster.json) and *baseline* replace those that `.scanner.yaml` names. *beside* are directories of
    other repositories, in addition to those of the settings. Raises InputInvalid if something named is missing or
    invalid, or if git fails.
    """
    files = _Files(commits, directory)
    settings = RepositorySettings()
    if (text := files.text(files.top / FILE, _settings_value)) is not None:
        settings = parse_settings(text, FILE)
    chosen_policy = policy or (files.top / settings.policy if settings.policy else None)
    chosen_baseline = baseline or files.top / (settings.baseline or DEFAULT_BASELINE)
    rules, config = ClusterPolicy(), dict[str, Json]()
    if chosen_policy and (text := files.needed(chosen_policy, _policy_value)) is not None:
        rules, config = load(_PARSE_POLICY)(text, str(chosen_policy)), _config(text, str(chosen_policy))
    read = files.needed if baseline or settings.baseline else files.text
    accepted = read(chosen_baseline, _baseline_value)
    entries = () if accepted is None else parse_baseline(accepted, str(chosen_baseline))
    listed = [*beside, *(files.top / name for name in settings.repositories)]
    listed += [policy.parent / item["path"] for item in config.get("repositories", ())] if policy else []
    usage = Usage.of(settings.usage or config.get(USAGE, {}))
    return Judging(settings, rules, entries, tuple(files.changes), files.top, _others(listed, files.top), usage)


def _config(text: str, where: str) -> dict[str, Json]:
    """Return the members of a cluster.json that a check uses; raises InputInvalid if they are invalid."""
    document = load_text(text)
    for error in load("jsonschema:Draft202012Validator")(_CONFIG_SCHEMA).iter_errors(document):
        raise InputInvalid(error.message, where=f"{where} {'.'.join(map(str, error.path))}")
    return {name: document[name] for name in _CONFIG_SCHEMA["properties"] if name in document}


def _others(directories: Sequence[Path], top: Path) -> tuple[Path, ...]:
    """Return *directories* without the repository itself; raises InputInvalid if one is missing, or around it."""
    own = top.resolve()
    for directory in directories:
        if not directory.is_dir():
            hint = "check the repository out there, or remove it from `repositories`"
            raise InputInvalid("is not a directory", where=f"repositories {directory}", hint=hint)
        if directory.resolve() in own.parents:
            hint = "list the other repositories, not the directory around them"
            raise InputInvalid("contains the repository that is checked", where=f"repositories {directory}", hint=hint)
    return tuple(directory for directory in directories if not directory.resolve().is_relative_to(own))


def parse_settings(text: str, where: str) -> RepositorySettings:
    """Parse the text of a settings file; raises InputInvalid with the place of the first mistake."""
    documents = list(load(_PARSE_YAML)(text))
    if len(documents) > 1:
        raise InputInvalid("several YAML documents", where=where, hint="keep one")
    document = documents[0] if documents else None
    if document is None or (document.value is None and not document.error):
        return RepositorySettings()
    if document.error:
        raise InputInvalid(f"invalid YAML: {document.error}", where=f"{where}:{document.line}")
    value = document.value
    for error in load("jsonschema:Draft202012Validator")(SETTINGS_SCHEMA).iter_errors(value):
        name = str(error.path[0]) if error.path else ""
        lines = getattr(value, "lines", {})
        line = lines.get(name) or next((lines[key] for key in value if key not in SETTINGS_SCHEMA["properties"]), 1)
        hint = f"members are {', '.join(SETTINGS_SCHEMA['properties'])}"
        raise InputInvalid(error.message, where=f"{where}:{line} {name}".rstrip(), hint=hint)
    try:
        parse_topic_files(value.get(MEMBER, []))
    except InputInvalid as error:
        line = value.lines.get(MEMBER, 1)
        raise InputInvalid(error.what, where=f"{where}:{line} {MEMBER}{error.where[1:]}", hint=error.hint) from error
    given: dict[str, Any] = {
        name.replace("-", "_"): tuple(item) if isinstance(item, list) else item for name, item in value.items()
    }
    return RepositorySettings(**given)


class _Files:
    """Reads files that judge a change, and collects a finding for each that the change edits."""

    def __init__(self, commits: str | None, directory: Path) -> None:
        self._commits, self._directory = commits, directory
        self.changes: list[ChangeFinding] = []
        self.top = top_directory(directory) or directory.absolute()

    @cached_property
    def _trees(self) -> Trees | None:
        return None if self._commits is None else commit_trees(self._commits, self._directory)

    @cached_property
    def _target(self) -> tuple[Mapping[str, str], Mapping[str, tuple[str, str]]]:
        """Return the files of the branch that the change is for, which may be newer than the change's own base."""
        return ({}, {}) if self._commits is None else target_tree(self._commits, self._directory)

    def needed(self, file: Path, value: Callable[[str], Json]) -> str | None:
        """Return the text of a file that is named; None if the change adds it. Raises InputInvalid if it is missing."""
        text = self.text(file, value)
        if text is None and not any(finding.item == self._inside(file) for finding in self.changes):
            return text_of_file(file if file.is_absolute() else self._directory / file)
        return text

    def text(self, file: Path, value: Callable[[str], Json]) -> str | None:
        """Return the text of a file that judges, and record whether the change edits its *value*; None if missing."""
        path = self._inside(file)
        if self._trees is None or not path:
            return text_of_file(file) if file.is_file() else None
        files, others = self._target
        if path in others:
            hint = "commit the file itself: what a link leads to is not of the target branch"
            raise InputInvalid(others[path][0], where=path, hint=hint)
        before = self._content(self._trees.base, path)
        after = self._content(self._trees.head, path)
        source = path
        if before is None and after is not None and (source := self._moved_from(path)):
            before = self._content(self._trees.base, source)
        if before != after and not _is_same(before, after, value):
            self.changes.append(_changed(path, before, after))
        return self._content(files, path) or before

    def _inside(self, file: Path) -> str:
        """Return the path of *file* in the repository; empty if it is outside."""
        absolute = Path(os.path.normpath(self._directory.absolute() / file))
        for path in (absolute, absolute.parent.resolve() / absolute.name):
            for top in (self.top, self.top.resolve()):
                if path.is_relative_to(top):
                    return path.relative_to(top).as_posix()
        return ""

    def _content(self, tree: Mapping[str, str], path: str) -> str | None:
        if path not in tree:
            return None
        with object_reader(self._directory) as objects:
            return decoded(objects.read(tree[path]), path)

    def _moved_from(self, path: str) -> str:
        """Return the only file of that name that the change removes; empty if absent."""
        if (trees := self._trees) is None:
            return ""
        name = Path(path).name
        gone = [old for old in trees.changed if Path(old).name == name and old not in trees.head]
        return gone[0] if len(gone) == 1 else ""


def _is_same(before: str | None, after: str | None, value: Callable[[str], Json]) -> bool:
    with suppress(InputInvalid, ValueError):
        return value(before or "") == value(after or "")  # type: ignore[no-any-return]
    return False


def _settings_value(text: str) -> Json:
    return parse_settings(text, FILE)


def _policy_value(text: str) -> Json:
    document = load_text(text or "{}")
    if not isinstance(document, dict):
        raise InputInvalid("the policy is not a JSON object")
    return [document.get(name) for name in ("policy", "personal_data", USAGE, "repositories")]


def _baseline_value(text: str) -> Json:
    return set(parse_baseline(text, "baseline")) if text else set()


def _changed(path: str, before: str | None, after: str | None) -> ChangeFinding:
    did = "new" if before is None else "deleted" if after is None else "changed"
    place = Place(file=path, line=_first_difference(before or "", after or ""))
    reasons = (Message("copy of the base", ()),)
    return SETTINGS_CHANGED.unknown(place, "the check", path, did, item=path, reasons=reasons)


def _first_difference(before: str, after: str) -> int:
    old, new = before.splitlines(), after.splitlines()
    pairs: Iterator[tuple[str, str]] = zip(old, new, strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)))
    return max(1, min(same + 1, len(new)))
