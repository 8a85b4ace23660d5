"""Read which fields of messages programs use: choose the files, follow the values in them, and name the fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scanner_extractor.repository.applications.fields import csharp, go, java, kotlin, python, typescript
from scanner_extractor.repository.applications.fields.declared import Declared, is_message, schema_classes
from scanner_extractor.repository.applications.fields.following import Follower, Seeds
from scanner_extractor.repository.applications.fields.lowering import Language, read_file
from scanner_extractor.repository.applications.fields.parts import Class, SourceFile
from scanner_extractor.repository.applications.fields.values import KnownValue, Made, Path, TopicUse
from scanner_extractor.repository.syntax_trees import parse_tree, suffix
from scanner_model.clients import Direction
from scanner_model.field_uses import MessageClass

LANGUAGES: Mapping[str, Language] = {
    ".java": java.LANGUAGE,
    ".kt": kotlin.LANGUAGE,
    ".kts": kotlin.LANGUAGE,
    ".cs": csharp.LANGUAGE,
    ".go": go.LANGUAGE,
    ".ts": typescript.LANGUAGE,
    ".tsx": typescript.LANGUAGE,
    ".js": typescript.LANGUAGE,
    ".mjs": typescript.LANGUAGE,
    ".cjs": typescript.LANGUAGE,
    ".jsx": typescript.LANGUAGE,
    ".py": python.LANGUAGE,
}
"""The languages whose field uses are read, by the end of a file's name."""

MOST_OF_MODULE = 400_000
"""Characters of a module up to which all of its files are read; of a larger one, those that share types with Kafka."""
MOST_CHARACTERS = 3_000_000
"""Maximum characters of the files that are read for fields."""
MOST_SCHEMAS = 4_000_000
"""Maximum characters of the schema files that are read for their records."""
MOST_PLACES = 20
_DEEPEST = 6
_DEEPEST_CLASS = 2
_NAME = re.compile(r"[\w$@#:./ -]{1,100}")
"""What may be the name of a field; other texts are keys of maps."""
_TYPE_NAME = re.compile(r"\b[A-Z]\w{2,}\b")


@dataclass(slots=True)
class ProgramUse:
    """A program that uses a topic, with the files and lines where; *bean* is the function that settings bind to it."""

    use: TopicUse
    places: set[tuple[str, int]] = field(default_factory=set)
    module: str = ""
    bean: str = ""
    names: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field that a program uses; an empty path with *whole* set means all fields, else that it is not known which."""

    job: str
    topic: str
    writes: bool
    path: Path
    whole: bool
    places: tuple[str, ...]


@dataclass(slots=True)
class Repository:
    """What a reading of fields needs of the repository: texts, the files read so far, and how others are tried."""

    files: Mapping[str, str]
    sources: Iterable[str]
    module_of: Callable[[str], str]
    refused: Callable[[Mapping[str, str]], Mapping[str, str]]


def read_fields(
    repository: Repository, uses: Iterable[ProgramUse]
) -> tuple[tuple[FoundField, ...], tuple[MessageClass, ...]]:
    """Return the fields that programs use, in a stable order; of what cannot be followed, all fields, not resolved.

    Also return the classes of messages that no schema generates.
    """
    listed = sorted(uses, key=lambda each: each.use)
    if not listed:
        return (), ()
    paths, cut = _chosen(repository, listed)
    files = [_lowered(path, repository.files[path]) for path in paths]
    cut |= {repository.module_of(file.path) for file in files if file.is_cut}
    declared = Declared(repository.module_of)
    for file in files:
        declared.add(file.classes)
    declared.add(_schemas(repository.files))
    seeds = _seeds(listed, files, repository)
    follower = Follower(declared, [each.use for each in listed], seeds, files)
    if not follower.follow():
        cut |= {each.module for each in listed}
    answer = _Answer(follower, listed, cut)
    return tuple(answer.fields()), tuple(answer.classes())


# --- files


def _lowered(path: str, text: str) -> SourceFile:
    return read_file(LANGUAGES[suffix(path)], path, text, parse_tree(path, text))


def _chosen(repository: Repository, uses: Iterable[ProgramUse]) -> tuple[list[str], set[str]]:
    """Return the files to read: those that use topics, and those of their modules that share types with them.

    Also return the modules of files that are not read because of a limit: more fields may be used there.
    """
    modules = {each.module for each in uses}
    first = {path for each in uses for path, _ in each.places if suffix(path) in LANGUAGES}
    by_module: dict[str, list[str]] = {}
    for path in repository.sources:
        if suffix(path) in LANGUAGES and repository.module_of(path) in modules:
            by_module.setdefault(repository.module_of(path), []).append(path)
    chosen = [path for path in sorted(first) if path in repository.files]
    names = {name for path in chosen for name in _TYPE_NAME.findall(repository.files[path])}
    for paths in by_module.values():
        is_small = sum(len(repository.files[path]) for path in paths) <= MOST_OF_MODULE
        chosen += [path for path in paths if path not in first and (is_small or _shares(path, names))]
    return _parsable(chosen, repository)


def _shares(path: str, names: set[str]) -> bool:
    """Return whether a file is named after a type that the files with Kafka calls name, as Java's and C#'s are."""
    return path.rpartition("/")[2].partition(".")[0] in names


def _parsable(paths: Iterable[str], repository: Repository) -> tuple[list[str], set[str]]:
    size, kept, cut = 0, {}, set()
    for path in paths:
        size += len(repository.files[path])
        if size <= MOST_CHARACTERS:
            kept[path] = repository.files[path]
        else:
            cut.add(path)
    cut |= set(repository.refused(kept))
    return [path for path in kept if path not in cut], set(map(repository.module_of, cut))


def _schemas(files: Mapping[str, str]) -> Iterator[Class]:
    size = 0
    for path in sorted(files):
        if path.endswith((".avsc", ".proto")):
            text = files[path]
            size += len(text)
            if size > MOST_SCHEMAS:
                return
            yield from schema_classes(path, text)


def _seeds(uses: list[ProgramUse], files: Iterable[SourceFile], repository: Repository) -> Seeds:
    reads: dict[tuple[str, int], set[int]] = {}
    writes: dict[tuple[str, int], set[int]] = {}
    beans: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for number, each in enumerate(uses):
        for place in each.places:
            (writes if each.use.writes else reads).setdefault(place, set()).add(number)
        for name in filter(None, re.split(r"[|;]", each.bean)):
            beans.setdefault((each.module, name), ([], []))[each.use.writes].append(number)
    of_path = {
        (file.path, name): (tuple(ins), tuple(outs))
        for file in files
        for (module, name), (ins, outs) in beans.items()
        if repository.module_of(file.path) == module
    }
    names = {number: each.names | {each.use.topic} for number, each in enumerate(uses)}
    by_module: dict[str, set[int]] = {}
    for number, each in enumerate(uses):
        if not each.places and not each.bean:
            by_module.setdefault(each.module, set()).add(number)
    settings = {file.path: by_module.get(repository.module_of(file.path), set()) for file in files}
    modules = {file.path: repository.module_of(file.path) for file in files}
    return Seeds(reads, writes, of_path, _programs(uses, files, repository), names, settings, modules)


def _programs(uses: list[ProgramUse], files: Iterable[SourceFile], repository: Repository) -> dict[str, set[int]]:
    """Return the uses of the programs that a file belongs to: its own, else of the files that name its types."""
    by_job: dict[str, set[int]] = {}
    jobs: dict[str, set[str]] = {}
    of_module: dict[str, set[str]] = {}
    for number, each in enumerate(uses):
        by_job.setdefault(each.use.job, set()).add(number)
        of_module.setdefault(each.module, set()).add(each.use.job)
        for path, _ in each.places:
            jobs.setdefault(path, set()).add(each.use.job)
    words = {path: set(_TYPE_NAME.findall(repository.files[path])) for path in jobs if path in repository.files}
    found: dict[str, set[int]] = {}
    for file in files:
        module_jobs = of_module.get(repository.module_of(file.path), set())
        own = jobs.get(file.path) or (module_jobs if len(module_jobs) == 1 else None)
        if own is None:
            names = {each.name for each in file.classes}
            own = {job for path, mentioned in words.items() if names & mentioned for job in jobs[path]}
        found[file.path] = {number for job in own for number in by_job[job]}
    return found


# --- fields


@dataclass(slots=True)
class _Answer:
    """What was followed, as fields; *cut* are modules with files that were not read."""

    follower: Follower
    uses: list[ProgramUse]
    cut: set[str]
    found: dict[tuple[int, Path], set[str]] = field(default_factory=dict)
    whole: dict[int, set[str]] = field(default_factory=dict)

    def fields(self) -> list[FoundField]:
        """Return the fields by program, topic and side."""
        self.found = {key: set(places) for key, places in self.follower.found.items()}
        self.whole = {number: set(places) for number, places in self.follower.whole.items()}
        for number, value in self.follower.sent.items():
            self._add_sent(number, value, (), set())
        self._add_typed()
        self._drop_steps()
        named = {key: places for key, places in self.found.items() if all(map(_NAME.fullmatch, key[1]))}
        rows = [self._row(number, path, places) for (number, path), places in named.items()]
        rows += [self._row(number, (), places, whole=True) for number, places in self.whole.items()]
        known = {number for number, _ in named} | set(self.whole)
        for number in range(len(self.uses)):
            if number not in known or self.uses[number].module in self.cut:
                places = self._places(number)
                rows.append(self._row(number, (), places))
        unique = {(row.job, row.topic, row.writes, row.path, row.whole): row for row in rows}
        return [unique[key] for key in sorted(unique)]

    def classes(self) -> Iterator[MessageClass]:
        """Yield the classes of messages by program, topic and name; not those that schemas generate."""
        for number, found in sorted(self.follower.bound.items()):
            use = self.uses[number].use
            for declared in sorted(found.values(), key=lambda each: (each.name, each.path)):
                if not declared.is_schema:
                    yield MessageClass(
                        program=use.job,
                        topic=use.topic,
                        direction=Direction.WRITES if use.writes else Direction.READS,
                        name=declared.name,
                        place=f"{declared.path}:{declared.line}",
                        fields=dict(self._fields_of(declared, ())),
                    )

    def _fields_of(self, declared: Class, path: Path) -> Iterator[tuple[Path, str]]:
        file = SourceFile(declared.path, declared.package)
        for known in declared.fields.values():
            kind = known.type
            while kind.args:
                kind = kind.args[-1]
            yield (*path, known.wire), kind.name
            inner = self.follower.declared.find(kind.name, file)
            if is_message(inner) and inner is not None and inner is not declared and len(path) < _DEEPEST_CLASS:
                yield from self._fields_of(inner, (*path, known.wire))

    def _row(self, number: int, path: Path, places: Iterable[str], *, whole: bool = False) -> FoundField:
        use = self.uses[number].use
        ordered = sorted(places, key=lambda place: (place.rpartition(":")[0], int(place.rpartition(":")[2] or 0)))
        return FoundField(use.job, use.topic, use.writes, path, whole, tuple(ordered[:MOST_PLACES]))

    def _places(self, number: int) -> set[str]:
        """Return where a program reads or writes a topic."""
        return {f"{path}:{line}" for path, line in self.uses[number].places}

    def _add_sent(self, number: int, value: KnownValue, path: Path, seen: set[int]) -> None:
        """Add the members of the records that a program sends; a message that is forwarded is used as a whole."""
        for inner in value.held():
            if inner.sources and not path:
                for source, below in inner.sources:
                    if not below:
                        for forwarded in (source, number):
                            self.whole.setdefault(forwarded, set()).update(self._places(number))
            self._bind(number, inner, path)
            for made in inner.made - seen:
                record = self.follower.made.get(made)
                if record is not None and len(path) < _DEEPEST:
                    self._add_made(number, record, path, seen | {made})

    def _bind(self, number: int, value: KnownValue, path: Path) -> None:
        for file in self.follower.files:
            if not path and any(file.path == place for place, _ in self.uses[number].places):
                declared = self.follower.declared.find(value.type, file) if value.type else None
                if declared is not None and is_message(declared):
                    self.follower.bound.setdefault(number, {})[id(declared)] = declared

    def _add_made(self, number: int, record: Made, path: Path, seen: set[int]) -> None:
        if record.of is not None and not path:
            self.follower.bound.setdefault(number, {})[id(record.of)] = record.of
        for member, (value, places) in record.members.items():
            self.found.setdefault((number, (*path, member)), set()).update(places)
            if value.made:
                self._add_sent(number, KnownValue(value.type, value.args, made=value.made), (*path, member), seen)
            elif value.args:
                self._add_sent(number, value, (*path, member), seen)
        for made in record.copies - seen:
            if made in self.follower.made:
                self._add_made(number, self.follower.made[made], path, seen | {made})

    def _add_typed(self) -> None:
        """Add the members of values whose class alone is known, if the class is bound to topics."""
        sent = {made for value in self.follower.sent.values() for inner in value.held() for made in inner.made}
        typed = [(file, owner, wire, {place}, writes) for file, owner, wire, place, writes in self.follower.typed]
        for made, record in self.follower.made.items():
            if made not in sent and record.of is not None:
                typed += [(record.file, record.of, wire, places, True) for wire, (_, places) in record.members.items()]
        for file, owner, wire, places, writes in typed:
            for number in self.follower.seeds.files.get(file.path, ()):
                prefix = self._position(number, owner) if self.uses[number].use.writes == writes else None
                if prefix is None:
                    continue
                path = (*prefix, wire) if wire else prefix
                if path:
                    self.found.setdefault((number, path), set()).update(places)
                else:
                    self.whole.setdefault(number, set()).update(places)

    def _position(self, number: int, owner: Class) -> Path | None:
        """Return the path of a class in the messages of a topic; None if it is absent or ambiguous."""
        roots = self.follower.bound.get(number, {})
        if id(owner) in roots:
            return ()
        paths = {path for root in roots.values() for path in self._paths(root, owner, ())}
        return next(iter(paths)) if len(paths) == 1 else None

    def _paths(self, inside: Class, owner: Class, path: Path) -> Iterator[Path]:
        if len(path) >= _DEEPEST:
            return
        file = SourceFile(inside.path, inside.package)
        for known in inside.fields.values():
            kind = known.type
            while kind.args:
                kind = kind.args[-1]
            inner = self.follower.declared.find(kind.name, file)
            if inner is owner:
                yield (*path, known.wire)
            elif inner is not None and inner.fields and inner is not inside:
                yield from self._paths(inner, owner, (*path, known.wire))

    def _drop_steps(self) -> None:
        """Drop a member that is only read on the way to those inside it."""
        below: dict[tuple[int, Path], set[str]] = {}
        for (number, path), places in self.found.items():
            for end in range(1, len(path)):
                below.setdefault((number, path[:end]), set()).update(places)
        for (number, path), places in below.items():
            outer = self.found.get((number, path))
            if outer is not None and not self.uses[number].use.writes and outer <= places:
                del self.found[number, path]
