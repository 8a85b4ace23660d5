"""Records that a library defines in code for programs of other repositories, which alone send or read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scanner_check.inputs.git import Trees
from scanner_check.model import ChangeFinding, Place
from scanner_check.rows.files import NOT_JUDGED
from scanner_check.rules.flows.program_changes import ProgramChanges
from scanner_check.sides.programs import Sources
from scanner_extractor.repository.undeclared import is_program, why_harmless
from scanner_programs.ir import Class, File

_FORMAT = "avro"
"""What names of libraries contain that write objects as records whose schema is that of their class."""


def library_records(programs: ProgramChanges, trees: Trees, sources: Sources) -> Iterator[ChangeFinding]:
    """Yield the members that classes of changed files lose, or that get another type, if others may send the classes.

    That is so if their module writes objects as Avro. What a program of the repository sends of them is compared
    instead.
    """
    edited = sorted(programs.edited & programs.read)
    before, after = (
        {path: _members(sources.file(path, tree[path])) for path in edited if path in tree}
        for tree in (trees.base, trees.head)
    )
    still = {key for members in after.values() for key in members}  # a class may move to another file
    classes = {name for name, _ in still}
    known: dict[str, bool] = {}
    for path, members in before.items():
        lost = {key: line for key, line in members.items() if key not in still}
        module = programs.modules.of(path)
        if lost and module not in known:
            known[module] = not programs.programs_using(module) and _writes_records(module, programs, trees, sources)
        if lost and known[module]:
            shown = (f"{name}.{member.partition(':')[0]}" if name in classes else name for name, member in lost)
            place = Place(file=path, line=min(lost.values()))
            yield NOT_JUDGED.unknown(place, path, tuple(dict.fromkeys(shown)), form="records of a library")


def _writes_records(module: str, programs: ProgramChanges, trees: Trees, sources: Sources) -> bool:
    """Return whether a module imports a library that writes records, but for its tests."""
    own = [
        path
        for path in trees.base
        if is_program(path) and not why_harmless(path) and programs.modules.of(path) == module
    ]
    # Most files do not have the word: they are neither kept nor parsed.
    named = [path for path in own if _FORMAT.encode() in sources.objects.read(trees.base[path]).lower()]
    files = (sources.file(path, trees.base[path]) for path in named)
    return any(
        _FORMAT in name.lower() and not name.startswith(".") and not _is_own(name, own)
        for file in files
        if file is not None
        for name in (*file.imports.values(), *file.wildcards)
    )


def _is_own(name: str, paths: list[str]) -> bool:
    """Return whether an import is one of the module's own files."""
    folder = name.replace("::", ".").replace("/", ".").partition(".")[0]
    return any(folder in path.split("/")[:-1] for path in paths)


def _members(file: File | None) -> Mapping[tuple[str, str], int]:
    """Return the members of the classes of a file that hold values: class, and name with type, each with its line."""
    found: dict[tuple[str, str], int] = {}
    waiting: list[tuple[str, Class]] = [("", one) for one in file.classes] if file is not None else []
    while waiting:
        above, cls = waiting.pop()
        name = f"{above}.{cls.name}" if above else cls.name
        waiting += [(name, one) for one in cls.classes]
        for one in cls.fields:
            if not one.static:
                found[name, f"{one.name}: {one.type}"] = one.line or cls.line
        for function in cls.functions:
            for parameter in function.parameters:
                if parameter.keeps:
                    found[name, f"{parameter.name}: {parameter.type}"] = function.line or cls.line
    return found
