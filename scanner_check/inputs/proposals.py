"""Proposed files: which are checked, and what each of them changes, by options, by path rules, or by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from scanner_check.inputs.input_files import ConnectorFile, connector_file
from scanner_model.errors import InputInvalid, Problem

SCHEMA, SQL, CONNECTOR, DEPLOYMENT, TOPIC = "schema", "sql", "connector", "deployment", "topic"

ENDINGS = {
    **dict.fromkeys((".avsc", ".avro", ".proto", ".json"), SCHEMA),
    **dict.fromkeys((".sql", ".ksql"), SQL),
    ".properties": CONNECTOR,
    **dict.fromkeys((".yaml", ".yml"), DEPLOYMENT),
}
"""Ending (in lower case) → what such a file holds; JSON may be a connector's configuration as well."""

LARGEST = 64 * 1024 * 1024
_PLACEHOLDER = re.compile(r"\{(\w+)\}|\*\*/|\*")
_NAMES = ("subject", "topic", "role", "statement", "connector")
_HINT = "as in --map 'schemas/{subject}.avsc'; placeholders: {subject}, {topic}, {role}, {statement}, {connector}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a file changes: one of a subject, a side of a topic, a statement or a connector; others are empty."""

    subject: str = ""
    topic: str = ""
    role: str = "value"
    statement: str = ""
    connector: str = ""

    @property
    def is_named(self) -> bool:
        """Return whether anything is named."""
        return bool(self.subject or self.topic or self.statement or self.connector)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed file with its *text*; None where the change deletes it. *kind* is schema, sql, connector or topic.

    *references* are texts behind the names that a schema refers to, where the user gave any. A part of a deployment
    file has the *line* it begins on, and its *connector*, or its *name* and as text its SQL. *unread* is what of the
    file could not be read; then nothing else of the proposal counts. *existed*: the base of the change has it, too;
    *base* is the text of a schema there.
    """

    file: str
    text: str | None
    kind: str
    target: Target
    references: Mapping[str, str] = field(default_factory=dict)
    line: int = 1
    connector: ConnectorFile | None = None
    name: str = ""
    unread: tuple[Problem, ...] = ()
    existed: bool = False
    base: str = ""


@dataclass(frozen=True, slots=True)
class PathRule:
    """A pattern of paths with the placeholders that a path gives values to."""

    pattern: re.Pattern[str]

    @classmethod
    def parse(cls, text: str) -> PathRule:
        """Read a rule such as `schemas/{subject}.avsc`; raises InputInvalid where it names nothing that can change."""
        names = [match[1] for match in _PLACEHOLDER.finditer(text) if match[1]]
        wrong = [name for name in names if name not in _NAMES or names.count(name) > 1]
        if wrong or not set(names) - {"role"}:
            what = f"the placeholder {{{wrong[0]}}} is not known" if wrong else "it has no placeholder"
            raise InputInvalid(what, where=f"--map {text!r}", hint=_HINT)
        at, parts = 0, [r"(?:.*?/)??"]
        for match in _PLACEHOLDER.finditer(text):
            parts.append(re.escape(text[at : match.start()]))
            wild = "(?:[^/]+/)*" if match[0] == "**/" else "[^/]*"
            name = ".+" if match[1] == "statement" else "[^/]+"  # statements of scanned files are called by their path
            parts.append(f"(?P<{match[1]}>{name})" if match[1] else wild)
            at = match.end()
        return cls(re.compile("".join([*parts, re.escape(text[at:])])))

    def target(self, file: str) -> Target | None:
        """Return what *file* changes by this rule; None where it is another path."""
        match = self.pattern.fullmatch(PurePath(file).as_posix())
        return Target(**match.groupdict()) if match else None


def target_of(file: str, kind: str, rules: Sequence[PathRule]) -> Target | None:
    """Return what *file* changes: by the first rule that fits, without rules by its name; None where no rule fits.

    The name of a schema's file is its subject. A statement without a name is found by what it writes. A connector needs
    no rule: its name is in its configuration.
    """
    if rules:
        matched = next((target for rule in rules if (target := rule.target(file))), None)
        return Target() if matched is None and kind == CONNECTOR else matched
    name = PurePath(file).name
    stem = name[: -len("".join(PurePath(file).suffixes[-1:]))] if PurePath(file).suffix else name
    return Target(subject=stem) if kind == SCHEMA else Target()


def kind_of(file: str, text: str | None) -> str:
    """Return what a file holds; raises InputInvalid where neither its name nor its text tells it.

    JSON with a `connector.class` is a connector's configuration, other JSON a schema.
    """
    kind = ENDINGS.get(PurePath(file).suffix.lower(), "")
    if kind == SCHEMA and text is not None and PurePath(file).suffix == ".json" and _is_connector(file, text):
        return CONNECTOR
    if not kind:
        hint = f"known endings: {', '.join(ENDINGS)}"
        raise InputInvalid("the ending does not tell whether it is a schema, SQL or a connector", where=file, hint=hint)
    return kind


def _is_connector(file: str, text: str) -> bool:
    if "connector.class" not in text:
        return False
    try:
        return "connector.class" in connector_file(file, text).values
    except InputInvalid:
        return False


def files_below(paths: Iterable[str]) -> Iterator[Path]:
    """Yield the files that *paths* name, of a directory every one with a known ending, by name.

    Raises InputInvalid for a path that does not exist, and for a directory without such a file.
    """
    for name in paths:
        path = Path(name)
        if not path.is_dir():
            yield path
            continue
        inside = sorted(file for file in path.rglob("*") if file.suffix.lower() in ENDINGS and file.is_file())
        if not inside:
            hint = f"known endings: {', '.join(ENDINGS)}"
            raise InputInvalid(
                "the directory holds no schema, SQL, connector or deployment file", where=name, hint=hint
            )
        yield from inside


def text_of_file(path: Path) -> str:
    """Read a proposed file; raises InputInvalid where it cannot be read, is not UTF-8, or is too large."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise InputInvalid(f"cannot be read: {error.strerror}", where=str(path), hint="name a file") from error
    return decoded(raw, str(path))


def decoded(raw: bytes, file: str) -> str:
    """Return the text of *raw*; raises InputInvalid where it is not UTF-8, or too large."""
    if len(raw) > LARGEST:
        raise InputInvalid(f"is larger than {LARGEST // 2**20} MiB", where=file)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=file, hint="save it as UTF-8") from error
