"""A comparison of two scans for people: one line for each change, in words, without the copies of a fact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from scanner_dictionary.compatibility.changes import Action, ColumnChange, Judgement, Verdict
from scanner_dictionary.diff.changes import FactAction, FactChange, ScanDiff, SideChange
from scanner_model.columns import path_name
from scanner_model.documents.json_input import load_text
from scanner_model.owners import CODE_OWNED_PROGRAM, CODE_OWNED_SUBJECT, CODE_OWNED_TOPIC, OWNED_TOPIC, OWNER_PATTERN

_LONGEST = 60
"""Characters of a value; a trace or a statement is longer."""

_INTERNAL = frozenset({"definition", "schema_id", "fingerprint"})
"""Attributes that identify a text, and are different whenever it is."""


class Summary(NamedTuple):
    """One change: *what* of a *topic* changed (empty: of none), and *change* in words.

    *breaks* is `readers` if old readers reject new data, `old data` if new readers reject old data, both, or empty.
    """

    topic: str
    what: str
    change: str
    breaks: str


def summaries(changes: ScanDiff) -> tuple[Summary, ...]:
    """Return the changes by topic; those of no topic are last.

    A subject and its versions are left out if a schema of a topic has changed with them.
    """
    registered = {
        (ref.subject, ref.version) for side in changes.sides for ref in (side.before, side.after) if ref and ref.subject
    }
    subjects = {subject for subject, _ in registered}

    def is_covered(fact: FactChange) -> bool:
        last = fact.name[-1]
        if fact.kind == "subject":
            return last in subjects and fact.action in (FactAction.ADDED, FactAction.CHANGED)
        return fact.kind == "subject_version" and (fact.name[-2], last) in registered

    lines = [*map(_side, changes.sides), *(_fact(fact) for fact in changes.facts if not is_covered(fact))]
    return tuple(sorted(lines, key=lambda line: (not line.topic, line.topic)))


def _side(side: SideChange) -> Summary:
    ref = side.after or side.before
    assert ref is not None
    words = ", ".join(_columns(side))
    change = {
        Action.ADDED: f"schema added ({ref.shown})",
        Action.REMOVED: f"schema removed ({ref.shown})",
        Action.CHANGED: words or _replaced(side),
    }[side.action]
    breaks = (_broken("readers", side.forward), _broken("old data", side.backward))
    return Summary(side.topic, side.role, change, ", ".join(filter(None, breaks)))


def _broken(name: str, found: Judgement | None) -> str:
    """Return *name* if it breaks, with a question mark if that is not known; empty if nothing breaks."""
    if found is None or found.verdict is Verdict.COMPATIBLE:
        return ""
    return name if found.verdict is Verdict.BREAKS else f"{name}?"


def _replaced(side: SideChange) -> str:
    """Return why a schema differs whose columns do not: the symbols of an enum, a name, or only its text."""
    found = dict.fromkeys(each.why for each in (side.backward, side.forward) if each and each.why)
    versions = " → ".join(dict.fromkeys(ref.shown for ref in (side.before, side.after) if ref))
    return f"schema replaced ({versions})" + (f": {'; '.join(found)}" if found else "")


def _columns(side: SideChange) -> Iterator[str]:
    """Yield each column's change: `+ price`, `- note`, `total double → long`."""
    for action, mark in ((Action.ADDED, "+ "), (Action.REMOVED, "- ")):
        yield from (f"{mark}{change.column.name}" for change in side.columns if change.action is action)
    yield from (_differing(change) for change in side.columns if change.action is Action.CHANGED)


def _differing(change: ColumnChange) -> str:
    parts = [
        f"{'' if name == 'type' else f'{name} '}{_words(getattr(change.before, name))}"
        f" → {_words(getattr(change.after, name))}"
        for name in change.differs
    ]
    return f"{change.column.name} {', '.join(parts)}"


def in_words(fact: FactChange) -> Summary | None:
    """Return the change of a fact as a sentence; None for a kind whose name says enough."""
    words = _SENTENCES.get(fact.kind)
    return words(fact) if words else None


def _fact(fact: FactChange) -> Summary:
    if (line := in_words(fact)) is not None:
        return line
    name = " ".join(str(part) for part in fact.name[1:] if part not in (None, "", ".")) or str(fact.name[0])
    what = fact.kind.replace("_", " ")
    if fact.kind == "topic":
        return Summary(str(fact.name[-1]), "topic", _attributes(fact), "")
    return Summary("", f"{what} {name}", _attributes(fact), "")


def _topic(fact: FactChange) -> Summary | None:
    """Return that a topic without partitions is known only from what names it; None for another change."""
    partitions = next((each for each in fact.attributes if each.name == "partitions"), None)
    if partitions is None or partitions.after not in (None, "null"):
        return None
    what = f"no longer listed, only named by others; it had {_loaded(partitions.before)} partitions"
    return Summary(str(fact.name[-1]), "topic", what, "")


def _attributes(fact: FactChange) -> str:
    """Return what differs in a fact that both scans have; else what happened to it."""
    shown = [
        f"{each.name.removeprefix('config.')} {_loaded(each.before)} → {_loaded(each.after)}"
        for each in fact.attributes
        if each.name not in _INTERNAL
    ]
    return ", ".join(shown) or str(fact.action)


_VERBS = {
    "ALL": "do everything with",
    "ALTER_CONFIGS": "change the settings of",
    "DESCRIBE_CONFIGS": "read the settings of",
}
"""Operations of Kafka's rules of access whose words are no verb."""


def _access(fact: FactChange) -> Summary:
    """Return a rule of access as a sentence: `User:bi may now read orders`."""
    pattern, name, principal, host, operation, permission = map(str, fact.name[-6:])
    who = "every user" if principal == "User:*" else principal
    where = "" if host == "*" else f" from {host}"
    objects = "every topic" if name == "*" else f"topics {name}*" if pattern == "PREFIXED" else name
    is_gone = fact.action in (FactAction.GONE, FactAction.DELETED)
    does = _VERBS.get(operation) or operation.lower().replace("_", " ")
    modal = {
        ("ALLOW", False): "may now",
        ("ALLOW", True): "is no longer allowed to",
        ("DENY", False): "is now forbidden to",
        ("DENY", True): "is no longer forbidden to",
    }[permission, is_gone]
    topic = name if pattern == "LITERAL" and name != "*" else ""
    return Summary(topic, "access", f"{who} {modal} {does} {objects}{where}", "")


def _reader(fact: FactChange) -> Summary:
    """Return that a consumer group has begun or ended to read a topic."""
    group, topic = map(str, fact.name[-2:])
    is_gone = fact.action in (FactAction.GONE, FactAction.DELETED)
    return Summary(topic, "reader", f"consumer group {group} {'no longer reads' if is_gone else 'now reads'} it", "")


def _annotation(fact: FactChange) -> Summary:
    """Return who owns something as a line about its owner; other annotations of catalogs by their names."""
    kind, name = str(fact.name[-1]), str(fact.name[-2])
    if kind not in _OWNED:
        return Summary("", " ".join(("annotation", *map(str, fact.name[1:]))), _attributes(fact), "")
    topic = name if kind in (OWNED_TOPIC, CODE_OWNED_TOPIC) else ""
    return Summary(topic, "owner" if topic else f"owner of {name}", _attributes(fact), "")


def _manual_flow(fact: FactChange) -> Summary:
    """Return a flow that people wrote as a sentence: `nightly now writes invoices.iban from payments.iban`."""
    _, _, source, source_path, _, target, target_path, job = fact.name
    is_gone = fact.action in (FactAction.GONE, FactAction.DELETED)
    ends = ((source, source_path), (target, target_path))
    first, last = (f"{name}.{path_name(tuple(load_text(str(path))))}" if path else str(name) for name, path in ends)
    verb = "no longer writes" if is_gone else "now writes"
    return Summary("", "manual input", f"{job or 'a job'} {verb} {last} from {first}", "")


_OWNED = frozenset({OWNER_PATTERN, OWNED_TOPIC, CODE_OWNED_PROGRAM, CODE_OWNED_SUBJECT, CODE_OWNED_TOPIC})

_SENTENCES: Mapping[str, Callable[[FactChange], Summary | None]] = {
    "acl_rule": _access,
    "annotation": _annotation,
    "consumer_group_topic": _reader,
    "manual_flow": _manual_flow,
    "topic": _topic,
}
"""Kinds of facts whose names are no names to people → their lines."""


def _loaded(text: str | None) -> str:
    return "-" if text is None else _words(load_text(text))


def _words(value: object) -> str:
    """Return a value for people, at most as long as a line has room for."""
    match value:
        case None | ():
            text = "-"
        case bool():
            text = "yes" if value else "no"
        case tuple() | list():
            text = " | ".join(map(str, value)) or "-"
        case _:
            text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
