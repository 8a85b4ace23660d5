"""Edits of Dockerfiles: what an image that is built from the second text has or runs that the first one's does not.

Variables are replaced with their defaults, paths are those below the working directory, and stages that nothing is
copied from do not count. What is left of an instruction is compared, not its wording.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_check.edits.dockerfiles import Instruction, command_words, instructions
from scanner_check.edits.documents import Document, read_documents
from scanner_check.edits.libraries import is_build_file
from scanner_check.edits.settings import Setting
from scanner_extractor.repository.syntax_trees import words

START = "CMD"
"""What the image runs: its entry point with the arguments of its command."""
_VARIABLES = ("ENV", "ARG")
_ABOUT = words("LABEL MAINTAINER EXPOSE HEALTHCHECK STOPSIGNAL USER VOLUME")
"""Instructions that change neither files nor what is run. Source: Dockerfile reference."""
_FLAG = re.compile(r"--(?P<name>[a-z-]+)(?:=(?P<value>\S+))?\s*")
_FROM_STAGE = re.compile(r"(?:^|,)from=([^,\s]+)")
_NAME = re.compile(r"\$(?:\{(?P<braced>\w+)(?::?[-+](?P<default>[^{}]*))?\}|(?P<plain>\w+))")
_VERSION = re.compile(r"(?<=[-_=@:/v])v?\d+(?:\.\d+)+(?:[-.](?:SNAPSHOT|RELEASE|Final|GA|rc\d*|alpha\d*|beta\d*)\b)?")
_SETS_VARIABLE = re.compile(r"\w+=")
_OPERATORS = frozenset(("&&", "||", ";", "|", "&", "(", ")", ";;", "\n"))
_REDIRECTIONS = frozenset((">", ">>", "<", "<<", "<<<", ">&", "&>"))
_STARTS = words("sudo exec time command env if then else do ! {")
"""Words before the name of a command."""
_OF_SYSTEM = words(
    "apt-get apt apt-key apt-mark dpkg apk yum dnf microdnf zypper pacman chown chgrp chmod mkdir useradd groupadd"
    " adduser addgroup usermod groupmod passwd id locale-gen update-ca-certificates update-alternatives ldconfig"
    " set cd export unset test [ [[ true : echo printf fi done esac } pwd ls whoami sleep corepack"
)
"""Commands for packages of the system, users, permissions and directories: none changes a file of a program."""
_COPYING = words("cp install ln")
"""Commands whose last word is what they write."""
_INSTALLERS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(words("npm yarn pnpm"), words("ci install i")),
    **dict.fromkeys(words("pip pip3 poetry pipenv uv bundle composer"), words("install sync")),
    **dict.fromkeys(("go",), words("mod download")),
    **dict.fromkeys(("dotnet",), words("restore")),
    **dict.fromkeys(("cargo",), words("fetch")),
    **dict.fromkeys(words("mvn mvnw"), words("dependency:go-offline dependency:resolve")),
    **dict.fromkeys(words("gradle gradlew"), words("dependencies")),
}
"""Tools that install what files of the repository list, with the words that ask for it: those files are compared."""
_LISTS = re.compile(r"(?:[\w./-]*/)?(?:requirements[\w.-]*\.txt|constraints[\w.-]*\.txt|pip|setuptools|wheel)")
_JVM_MEMORY = re.compile(r"-(?:X(?:m[sxn]|ss)\w+|XX:\S+)")
"""Options of a JVM that set memory and collectors."""


class _Entry(NamedTuple):
    """What an instruction does to an image, in words that do not depend on how it is written."""

    kind: str
    text: str
    line: int


class _Stage(NamedTuple):
    base: str
    name: str
    line: int
    instructions: list[Instruction]


def image_edits(path: str, before: str, after: str, is_target: Callable[[str], bool]) -> list[Setting]:
    """Return what differs in the image that a Dockerfile describes; *is_target*: a stage is built under its name."""
    both = [list(_stages(text)) for text in (before, after)]
    names = [{stage.name for stage in stages} for stages in both]
    old, new = ([*_image(stages, is_target, names[0] & names[1])] for stages in both)
    document = next(iter(read_documents(path, after) or ()), Document(()))
    edits: list[Setting] = []
    gone, come = _only_in(old, new), _only_in(new, old)
    for kind in dict.fromkeys(entry.kind for entry in (*come, *gone)):
        was, now = ([entry for entry in left if entry.kind == kind] for left in (gone, come))
        for at in range(max(len(was), len(now))):
            one, other = (left[at] if at < len(left) else None for left in (was, now))
            line = other.line if other else min(one.line if one else 1, after.count("\n") + 1)
            key = tuple(kind.split(" "))
            edits.append(Setting(key, one and one.text, other and other.text, line, document, not before, not after))
    if not edits and (moved := _moved(old, new)):
        edits.append(Setting((moved[1].kind,), moved[0].text, moved[1].text, moved[1].line, document))
    return edits


def copied_sources(text: str) -> frozenset[str]:
    """Return what a Dockerfile copies from the repository, as it names them."""
    found: set[str] = set()
    for one in instructions(text):
        if one.word in ("COPY", "ADD") and "--from=" not in one.text:
            found |= {source for source in _copied(one.text)[1] if "://" not in source}
    return frozenset(found)


def _only_in(entries: Sequence[_Entry], others: Sequence[_Entry]) -> list[_Entry]:
    left = Counter((one.kind, one.text) for one in entries)
    left.subtract((one.kind, one.text) for one in others)
    only = []
    for one in entries:
        if left[one.kind, one.text] > 0:
            left[one.kind, one.text] -= 1
            only.append(one)
    return only


def _moved(old: Sequence[_Entry], new: Sequence[_Entry]) -> tuple[_Entry, _Entry] | None:
    """Return the first entries that have another order; a later file replaces an earlier one of its name."""
    ordered = ([one for one in entries if one.kind in ("COPY", "RUN")] for entries in (old, new))
    pairs = ((one, other) for one, other in zip(*ordered, strict=False) if one[:2] != other[:2])
    return next(pairs, None)


# --- what an image is made of


def _image(stages: Sequence[_Stage], is_target: Callable[[str], bool], shared: Collection[str]) -> Iterator[_Entry]:
    """Yield what an image is made of; stages are known by the names that both texts have, others by their order."""
    wanted = _reached(stages, [len(stages) - 1, *(at for at, one in enumerate(stages) if is_target(one.name))])
    others = [stages[at].name for at in sorted(wanted) if stages[at].name not in shared]
    known = {name: name if name in shared else f"stage {others.index(name)}" for name in (*shared, *others)}
    known |= {str(at): known[one.name] for at, one in enumerate(stages) if at in wanted}
    for at in sorted(wanted):
        yield from _StageFiles(stages[at], known).entries()
    yield from _start(stages)


def _stages(text: str) -> Iterator[_Stage]:
    """Yield the stages, with variables replaced by their defaults."""
    given: dict[str, str] = {}
    stage: _Stage | None = None
    variables: dict[str, str] = {}
    for number, one in enumerate(instructions(text)):
        if one.word in _VARIABLES:
            values = _assigned(one.text, variables)
            variables |= {name: value for name, value in values.items() if value or name not in variables}
            if stage is None:
                given |= values
        one = one._replace(text=_filled(one.text, variables))
        if one.word == "FROM":
            if stage:
                yield stage
            parts = _FLAG.sub("", one.text).split()
            name = parts[2].lower() if len(parts) > 2 else f"#{number}"
            stage, variables = _Stage((parts or [""])[0], name, one.line, []), dict(given)
        elif stage:
            stage.instructions.append(one)
    yield stage or _Stage("", "", 1, [])


def _assigned(text: str, variables: Mapping[str, str]) -> dict[str, str]:
    listed = [(name, value) for word in command_words(text) for name, is_set, value in [word.partition("=")] if is_set]
    if not listed:  # `ENV name value`, `ARG name`
        name, _, value = text.partition(" ")
        listed = [(name, value)]
    return {name: _filled(value.strip("\"'"), variables) for name, value in listed}


def _filled(text: str, variables: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match["braced"] or match["plain"]
        return variables.get(name) or match["default"] or match[0]

    return _NAME.sub(value, text)


def _reached(stages: Sequence[_Stage], waiting: list[int]) -> frozenset[int]:
    """Return the stages that others are built on or copy from."""
    found: set[int] = set()
    while waiting:
        at = waiting.pop()
        if at in found:
            continue
        found.add(at)
        used = {stages[at].base.lower()}
        for one in stages[at].instructions:
            used |= {name.lower() for flag in _flags(one.text).values() for name in _FROM_STAGE.findall(flag)}
            used |= {_flags(one.text).get("from", "").lower()}
        waiting += [other for other in range(at) if {stages[other].name, str(other)} & used]
    return frozenset(found)


def _flags(text: str) -> dict[str, str]:
    return _split_flags(text)[0]


def _split_flags(text: str) -> tuple[dict[str, str], str]:
    """Return the flags that an instruction begins with, and the rest of it."""
    found: dict[str, str] = {}
    while match := _FLAG.match(text):
        found[match["name"]] = match["value"] or ""
        text = text[match.end() :]
    return found, text


def _unversioned(text: str) -> str:
    """Return a text with a star for each version in the names of files and packages, as for tags of images."""
    return _VERSION.sub("*", text)


def _untagged(image: str) -> str:
    name, _, rest = image.partition("@")[0].rpartition(":")
    return image.partition("@")[0] if not name or "/" in rest else name


def _start(stages: Sequence[_Stage]) -> Iterator[_Entry]:
    """Yield what the last stage runs, from the stages that it is built on; the name of an image that decides it."""
    entry = command = None
    stage, folder = stages[-1], ""
    for _ in stages:
        for one in stage.instructions:
            folder = posixpath.join(folder, one.text) if one.word == "WORKDIR" else folder
        last = {one.word: one for one in stage.instructions if one.word in ("CMD", "ENTRYPOINT")}
        command = command or (None if entry else last.get("CMD"))
        entry = entry or last.get("ENTRYPOINT")
        base = next((one for at, one in enumerate(stages) if stage.base.lower() in (one.name, str(at))), None)
        if base is None or base is stage:
            break
        stage = base
    listed = [word for one in (entry, command) if one for word in command_words(one.text)]
    listed = [word for word in listed if word not in ("exec", "sh", "-c", "/bin/sh") and not _JVM_MEMORY.match(word)]
    shown = " ".join(_inside(word, folder) for part in listed for word in part.split() if word != "exec")
    last_one = entry or command
    if last_one:
        yield _Entry(START, _unversioned(shown), (command or last_one).line)
    elif stage.base:
        yield _Entry("FROM", _untagged(stage.base), stage.line)


def _inside(word: str, folder: str) -> str:
    """Return a path as it is called in the working directory; any other word as it is."""
    if folder.strip("/") and word.startswith(f"{folder.rstrip('/')}/"):
        word = word[len(folder.rstrip("/")) + 1 :]
    return word.removeprefix("./") or "."


def _copied(text: str) -> tuple[str, list[str], str]:
    """Return the stage, the sources and the target of an instruction that copies."""
    flags, rest = _split_flags(text)
    listed = command_words(rest)
    return flags.get("from", ""), listed[:-1], listed[-1] if listed else ""


class _StageFiles:
    """What the instructions of one stage do to its files."""

    def __init__(self, stage: _Stage, stages: Mapping[str, str]) -> None:
        self._stage, self._stages = stage, stages
        self._folder = ""
        self._own: set[str] = set()
        """Directories that hold files of the program."""

    def entries(self) -> Iterator[_Entry]:
        copies: list[tuple[_Entry, str, list[str], str]] = []
        others: list[_Entry] = []
        for one in self._stage.instructions:
            inner = one
            while inner.word == "ONBUILD":
                word, _, rest = inner.text.partition(" ")
                inner = Instruction(word.upper(), rest, one.line, one.documents)
            match inner.word:
                case "WORKDIR":
                    self._folder = posixpath.join(self._folder, inner.text)
                    self._own.add(self._folder)
                case "COPY" | "ADD":
                    copies.append(self._copy(inner))
                    others.append(copies[-1][0])
                case "RUN":
                    others += self._commands(inner)
                case "ENV" | "ARG":
                    others += [
                        _Entry(f"ENV {name}", value, one.line) for name, value in _assigned(inner.text, {}).items()
                    ]
                case "SHELL":
                    others.append(_Entry("SHELL", " ".join(command_words(inner.text)), one.line))
                case word if word not in (*_ABOUT, "CMD", "ENTRYPOINT"):
                    others.append(_Entry(word, inner.text, one.line))
        covered = {
            entry
            for entry, origin, sources, target in copies
            if (not origin and all(map(is_build_file, sources))) or self._is_covered(origin, sources, target, copies)
        }
        yield from (entry for entry in others if entry not in covered)

    def _copy(self, one: Instruction) -> tuple[_Entry, str, list[str], str]:
        origin, sources, target = _copied(one.text)
        origin = self._stages.get(origin.lower(), _untagged(origin))
        whole = posixpath.join(self._folder, target)
        self._own.add(whole.rstrip("/") or "/")
        target = _inside(whole if whole.startswith("/") else target, self._folder).rstrip("/") or "."
        target = "." if posixpath.normpath(whole) == posixpath.normpath(self._folder or "/") else target
        sources = sorted(_inside(source, "").rstrip("/") or "." for source in sources)
        text = _unversioned(" ".join((*([f"from {origin}"] if origin else []), *sources, "→", target))) + one.documents
        return _Entry("COPY", text, one.line), origin, sources, target

    @staticmethod
    def _is_covered(
        origin: str, sources: Sequence[str], target: str, copies: Iterable[tuple[_Entry, str, list[str], str]]
    ) -> bool:
        """Return whether files are copied again with the directory around them, as for layers that are cached."""
        wide = {to for _, other, whole, to in copies if other == origin and whole == ["."]}
        if sources == ["."] or not sources:
            return False
        are_files = all("." in posixpath.basename(one).strip(".") for one in sources)
        return any(
            (to == target and are_files) or all(posixpath.normpath(f"{to}/{one}") == target for one in sources)
            for to in wide
        )

    # --- commands

    def _commands(self, one: Instruction) -> Iterator[_Entry]:
        """Yield the commands that may change the program; all of an instruction that cannot be parsed."""
        flags, text = _split_flags(one.text)
        text = " ".join(command_words(text)[2:]) if re.match(r"\[\s*\"[\w/]*sh\"\s*,\s*\"-\w*c\"", text) else text
        if one.documents:
            opening = text.split("<<")[0].strip()
            text = one.documents if not opening or opening.endswith("sh") else text
        bound = [value for name, value in flags.items() if name == "mount" and "bind" in value]
        try:
            listed = [*_split(text)]
        except ValueError:
            listed = [[text]]
        for command in listed:
            if self._matters(command):
                shown = " ".join(_inside(word, self._folder) for word in command)
                documents = one.documents if text != one.documents else ""
                yield _Entry("RUN", " ".join((*bound, _unversioned(shown), documents)).strip(), one.line)

    def _matters(self, command: Sequence[str]) -> bool:
        """Return whether a command may change what the program is or reads."""
        written = [command[at + 1] for at, word in enumerate(command[:-1]) if word in (">", ">>")]
        if any(self._is_own(path) for path in written):
            return True
        command = command[: next((at for at, word in enumerate(command) if word in _REDIRECTIONS), len(command))]
        while command and (command[0] in _STARTS or _SETS_VARIABLE.match(command[0])):
            command = command[1:]
        if not command:
            return False
        tool, rest = posixpath.basename(command[0]), command[1:]
        if tool in ("python", "python3") and rest[:2] == ["-m", "pip"]:
            tool, rest = "pip", rest[2:]
        if tool in _OF_SYSTEM:
            return False
        plain = [word for word in rest if not word.startswith("-")]
        if tool in _INSTALLERS and plain and plain[0] in _INSTALLERS[tool]:
            return not all(word in _INSTALLERS[tool] or _LISTS.fullmatch(word) for word in plain)
        paths = [word for word in plain if "://" not in word and not _is_expression(word)]
        paths = [word.partition("=")[2] or word for word in paths][-1 if tool in _COPYING else 0 :]
        is_url = any("://" in word for word in plain)
        is_elsewhere = any(word.startswith("/") for word in paths) or (is_url and not self._folder)
        return not is_elsewhere or any(map(self._is_own, paths))

    def _is_own(self, path: str) -> bool:
        """Return whether a path is, holds or lies in a directory of the program's files."""
        if not path.startswith("/"):
            return bool(self._folder or self._own) and ("/" in path or "." in path or "*" in path)
        plain = path.rstrip("/*") or "/"
        return any(
            plain == own or plain.startswith(f"{own.rstrip('/')}/") or own.startswith(f"{plain}/")
            for own in self._areas()
        )

    def _areas(self) -> Collection[str]:
        return {one for one in self._own if one.startswith("/") and one != "/"}


def _is_expression(word: str) -> bool:
    """Return whether a word is an expression of sed, which looks like a path: `s/a/b/`, `y|a|b|`."""
    return word[:1] in ("s", "y") and len(word) > 1 and not word[1].isalnum() and word.count(word[1]) > 2


def _split(text: str) -> Iterator[list[str]]:
    """Yield the commands of a script, with their redirections; raises ValueError."""
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    command: list[str] = []
    for word in lexer:
        if word in _OPERATORS:
            if command:
                yield command
            command = []
        else:
            command.append(word)
    if command:
        yield command
