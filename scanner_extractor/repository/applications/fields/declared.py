"""The message types that a repository declares: classes of its source code, and records of its schema files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from scanner_extractor.formats.avro.names import definitions, listed, worded
from scanner_extractor.formats.limits import read_json
from scanner_extractor.formats.protobuf.declarations import Label, Message
from scanner_extractor.formats.protobuf.parser import parse_proto
from scanner_extractor.repository.applications.fields.parts import Class, Field, SourceFile, Type
from scanner_extractor.repository.syntax_trees import words
from scanner_model.errors import InputInvalid

LARGEST_SCHEMA = 512 * 1024
"""Maximum characters of a schema file that is read for its records."""
COLLECTIONS = words(
    """[] List list ArrayList Array Set Collection Iterable Iterator Stream Optional Seq Vector Queue PriorityQueue
    IEnumerable ICollection IList IReadOnlyList IReadOnlyCollection RepeatedField map Map HashMap Dictionary dict Dict
    Sequence MutableList MutableMap Promise Future Task ValueTask CompletableFuture Mono Flux Uni Multi Flow Deque
    KStream KTable GlobalKTable KGroupedStream KGroupedTable DataStream SingleOutputStreamOperator Windowed Message
    KeyValue Record FixedKeyRecord ConsumerRecord ConsumerRecords ProducerRecord ConsumeResult Supplier
    KeyValueStore ReadOnlyKeyValueStore BlockingQueue LinkedBlockingQueue ValueAndTimestamp tuple Tuple"""
)
"""Types that contain others: the last type argument is their content."""
_PREFIX = re.compile(r"^(?:get|is|has|set|with|Get|Set|With|Has|clear)(?=[A-Z_])")
_SUFFIX = re.compile(r"(?:List|Map|Value|Bytes|OrNull|OrBuilder|Builder)$")


_ACCESSORS = re.compile(
    r"^(?:get|set|is|has|with|add|Get|Set|to|from|as|of|builder|new|put)(?=[A-Z_]|$)|^(?:equals|hashCode|toString|compareTo|"
    r"copy|build|clone|__\w+__|constructor|ToString|Equals|GetHashCode)$"
)
_SERVICE = re.compile(
    r"(?:Service|Processor|Controller|Configuration|Config|Repository|Client|Manager|Factory|Handler|Listener|Consumer|"
    r"Producer|Impl|Application|Transformer|Enricher|Serde|Serializer|Deserializer|Function|Settings|Properties)$"
)


def is_message(declared: Class | None) -> bool:
    """Return whether a class may be a message: it has fields, and its methods are accessors."""
    if declared is None or not declared.fields:
        return False
    if declared.is_schema:
        return True
    own = {name for name in declared.functions if not _ACCESSORS.match(name)} - set(declared.fields)
    above = (kind.name for kind in declared.supertypes)
    is_service = any(_SERVICE.search(name) for name in (declared.name, *above))
    return not (own and is_service) and len(own) <= len(declared.fields)


def plain(name: str) -> str:
    """Return a name as members of generated code are compared: without letter case and underscores."""
    return name.replace("_", "").replace("-", "").lower()


@dataclass(slots=True)
class Declared:
    """The message types of a repository by name."""

    module_of: Callable[[str], str]
    classes: dict[str, list[Class]] = field(default_factory=dict)

    def add(self, classes: Iterable[Class]) -> None:
        """Add classes; those without a name are left out."""
        for declared in classes:
            if declared.name:
                self.classes.setdefault(declared.name, []).append(declared)

    def find(self, name: str, file: SourceFile) -> Class | None:
        """Return the class that a name means in a file: imported, of the same package, else the nearest; else None."""
        imported = file.imports.get(name)
        candidates = [each for each in self.classes.get(name, ()) if self._is_visible(each, file, imported)]
        if not candidates:
            return None
        return max(
            candidates,
            key=lambda each: (
                each.path == file.path,
                imported is not None and imported == f"{each.package}.{each.name}",
                bool(each.fields),
                each.package == file.package,
                _common(each.path, file.path),
            ),
        )

    def _is_visible(self, declared: Class, file: SourceFile, imported: str | None) -> bool:
        """Return whether a file may mean a class of another module: imported, of its package, or the only one."""
        if declared.path.endswith(".avsc") and imported is not None:
            return imported == f"{declared.package}.{declared.name}"  # Avro's namespace is the package of the class
        if declared.is_schema or self.module_of(declared.path) == self.module_of(file.path):
            return True
        if declared.package:
            return imported == f"{declared.package}.{declared.name}" or declared.package == file.package
        return len(self.classes[declared.name]) == 1

    def above(self, declared: Class, file: SourceFile) -> Iterator[Class]:
        """Yield a class and those that it extends."""
        queue: list[Class] = [declared]
        seen: set[int] = set()
        while queue and len(seen) < 20:
            current = queue.pop(0)
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield current
            found = (self.find(each.name, file) for each in current.supertypes if each.name != current.name)
            queue += [each for each in found if each is not None]

    def field(self, declared: Class, accessor: str, file: SourceFile) -> Field | None:
        """Return the field that a member or a getter, setter or builder method means; None for any other."""
        for current in self.above(declared, file):
            if accessor in current.fields:
                return current.fields[accessor]
            by_plain = {plain(member): each for member, each in current.fields.items()}
            short = _PREFIX.sub("", accessor)
            names = (accessor, short, _SUFFIX.sub("", short)) if declared.is_schema else (accessor, short)
            for name in names:
                if name and plain(name) in by_plain:
                    return by_plain[plain(name)]
        return None


def _common(first: str, second: str) -> int:
    count = 0
    for left, right in zip(first.split("/"), second.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def schema_classes(path: str, text: str) -> list[Class]:
    """Return the records of an Avro or Protobuf schema file as the classes that are generated from them."""
    if len(text) > LARGEST_SCHEMA:
        return []
    return _avro(path, text) if path.endswith(".avsc") else list(_protobuf(path, text))


def _avro(path: str, text: str) -> list[Class]:
    try:
        records = list(definitions(read_json(text)))
    except InputInvalid:
        return []
    found = []
    for record in records:
        package, _, name = record.name.rpartition(".")
        if record.definition.get("type") in ("record", "error"):
            declared = Class(name, path, package=package, is_schema=True)
            for entry in listed(record.definition, "fields"):
                if isinstance(entry, dict) and (label := worded(entry, "name")):
                    declared.fields[label] = Field(label, _avro_type(entry.get("type")))
            found.append(declared)
    return found


def _avro_type(schema: object, depth: int = 0) -> Type:
    if isinstance(schema, str):
        return Type(schema.rpartition(".")[2])
    if isinstance(schema, list):
        branches = [_avro_type(branch, depth + 1) for branch in schema if branch != "null"]
        return branches[0] if len(branches) == 1 else Type()
    if not isinstance(schema, dict) or depth > 20:
        return Type()
    word = schema.get("type")
    if word in ("array", "map"):
        return Type("[]", (_avro_type(schema.get("items" if word == "array" else "values"), depth + 1),))
    return Type(worded(schema, "name").rpartition(".")[2]) if word in ("record", "error") else Type(str(word))


def _protobuf(path: str, text: str) -> Iterator[Class]:
    parsed = parse_proto(text)
    queue = list(parsed.types)
    while queue:
        message = queue.pop(0)
        if isinstance(message, Message):
            declared = Class(message.name, path, package=parsed.package, is_schema=True)
            for entry in message.fields:
                inner = Type(entry.type.rpartition(".")[2])
                is_list = entry.label in (Label.REPEATED, Label.MAP)
                declared.fields[entry.name] = Field(entry.name, Type("[]", (inner,)) if is_list else inner)
            queue += message.types
            yield declared
