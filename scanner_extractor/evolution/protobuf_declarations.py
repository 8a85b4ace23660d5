"""Changes of Protobuf that no column shows: services, reserved numbers, extensions, JSON names, other messages.

The columns of a schema are those of its first message. What uses another message of the file is seldom known.

Source: protobuf.dev, "Updating A Message Type" and "Reserved Fields". What uses them (gRPC, JSON, other files) is
nothing that scanner reads, so that a change has an unknown effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scanner_extractor.evolution.differences import Difference, SchemaText, undecided
from scanner_extractor.formats.protobuf.declarations import (
    Declared,
    Enum,
    Field,
    Message,
    ProtoFile,
    Ranges,
    Service,
    declared,
)
from scanner_extractor.formats.protobuf.files import MAIN
from scanner_extractor.formats.protobuf.parser import parse_proto


def uncompared(reader: SchemaText, writer: SchemaText) -> Iterator[Difference]:
    """Yield the declarations of the writer's text that the reader's changes or lacks. Nothing is raised."""
    old, new = parse_proto(writer.text), parse_proto(reader.text)
    yield from _services(old.services, new.services)
    types = {declaration.name: declaration for declaration in declared(MAIN, new)}
    of_columns = _of_columns(old)
    for before in declared(MAIN, old):
        after = types.get(before.name)
        if before.name not in of_columns and isinstance(before.body, Message):
            yield from _message(before, after.body if after is not None else None)
        if after is not None and type(after.body) is type(before.body):
            yield from _type(before, after)


def _services(old: tuple[Service, ...], new: tuple[Service, ...]) -> Iterator[Difference]:
    kept = {service.name: dict(service.calls) for service in new}
    for service in old:
        if service.name not in kept:
            yield undecided(f"the service {service.name} is removed, and its callers are not known")
            continue
        for name, signature in service.calls:
            now = kept[service.name].get(name)
            if now != signature:
                what = "is removed" if now is None else f"was {signature} and is {now}"
                yield undecided(f"the call {service.name}.{name} {what}, and its callers are not known")


def first_message(text: str) -> str:
    """Return the full name of the first message of a text; empty without any."""
    return next((one.name for one in declared(MAIN, parse_proto(text)) if isinstance(one.body, Message)), "")


def _of_columns(file: ProtoFile) -> frozenset[str]:
    """Return the full names of the first message of a file and of what it contains: their fields are columns."""
    types = {declaration.name: declaration for declaration in declared(MAIN, file)}
    messages = [name for name, declaration in types.items() if isinstance(declaration.body, Message)]
    reached, queue = set(messages[:1]), messages[:1]
    while queue:
        name = queue.pop()
        body = types[name].body
        written = [field.type for field in body.fields] if isinstance(body, Message) else []
        ends = tuple(f".{each.lstrip('.')}" for each in written)
        found = {other for other in types if f".{other}".endswith(ends)} - reached if ends else set[str]()
        reached |= found
        queue += found
    return frozenset(reached)


def _message(before: Declared, after: Message | Enum | None) -> Iterator[Difference]:
    """Yield the fields that a message without columns loses, or has under another name."""
    if not isinstance(before.body, Message):
        return
    if not isinstance(after, Message):
        yield undecided(f"the message {before.name} is removed, and its users are not known")
        return
    now = {field.number: field.name for field in after.fields}
    for field in before.body.fields:
        if now.get(field.number) != field.name:
            what = f"is {now[field.number]} now" if field.number in now else "is removed"
            yield undecided(f"{before.name}.{field.name} {what}, and the users of that message are not known")


def _type(before: Declared, after: Declared) -> Iterator[Difference]:
    if isinstance(before.body, Enum) and isinstance(after.body, Enum):
        used = {int(number, 0): name for name, number in after.body.values if _is_number(number)}
        yield from _reserved(before, before.body.reserved, after.body.reserved, used)
    elif isinstance(before.body, Message) and isinstance(after.body, Message):
        used = {field.number: field.name for field in after.body.fields}
        yield from _reserved(before, before.body.reserved, after.body.reserved, used)
        yield from _lost(before, "no longer leaves to extensions", before.body.extensions, after.body.extensions)
        yield from _json_names(before, before.body.fields, after.body.fields)
        yield from _rules(before, before.body.fields, after.body.fields)


def _is_number(text: str) -> bool:
    try:
        int(text, 0)
    except ValueError:
        return False
    return True


def _reserved(before: Declared, old: Ranges, new: Ranges, used: Mapping[int, str]) -> Iterator[Difference]:
    names = set(used.values())
    taken = [f"{name} = {number}" for number, name in used.items() if old.has(number)]
    taken += [name for name in old.names if name in names]
    if taken:
        what = f"{before.name} uses what was reserved ({', '.join(taken)}): old data may hold something else there"
        yield undecided(what)
    else:
        yield from _lost(before, "no longer reserves", old, new)


def _lost(before: Declared, what: str, old: Ranges, new: Ranges) -> Iterator[Difference]:
    spans = [_shown(span) for span in old.numbers if not _covers(new, span)]
    names = [name for name in old.names if name not in new.names]
    if spans or names:
        yield undecided(f"{before.name} {what} {', '.join((*spans, *names))}")


def _covers(ranges: Ranges, span: tuple[int, int]) -> bool:
    """Return whether every number of *span* is listed, perhaps by ranges that follow each other."""
    following = span[0]
    for first, last in sorted(ranges.numbers):
        if first <= following <= last:
            following = last + 1
    return following > span[1]


def _shown(span: tuple[int, int]) -> str:
    return str(span[0]) if span[0] == span[1] else f"{span[0]} to {span[1]}"


def _rules(before: Declared, old: tuple[Field, ...], new: tuple[Field, ...]) -> Iterator[Difference]:
    """Yield the fields with rules of validation that are added or changed; to remove one rejects nothing."""
    known = {field.number: field for field in new}
    for field in old:
        added = set(known[field.number].rules) - {*field.rules} if field.number in known else ()
        if added:
            names = ", ".join(sorted({rule.partition(" ")[0] for rule in added}))
            yield undecided(f"{before.name}.{field.name} has other rules ({names}), which may reject what was written")


def _json_names(before: Declared, old: tuple[Field, ...], new: tuple[Field, ...]) -> Iterator[Difference]:
    known = {field.number: field for field in new}
    for field in old:
        now = known.get(field.number)
        if now is not None and now.name == field.name and now.json_name != field.json_name:
            names = f"was {field.json_name or 'derived'} and is {now.json_name or 'derived'}"
            yield undecided(f"the JSON name of {before.name}.{field.name} {names}: readers of JSON miss it")
