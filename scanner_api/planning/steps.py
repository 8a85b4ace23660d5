"""The steps of each kind of change, in an order in which no reader breaks, and what is done of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from scanner_api.planning.change import Change
from scanner_api.planning.context import KNOWN, Place, PlanContext, Registration, readers, status_of, writers
from scanner_api.planning.model import PlanStep, PlanUse, Status
from scanner_dictionary.queries.subjects import subjects_named
from scanner_dictionary.queries.topic_schemas import SchemaAnswer
from scanner_extractor.evolution.edits import (
    Edited,
    key_schema,
    with_default,
    with_field,
    with_type,
    without_field,
)
from scanner_model.columns import ColumnPath, field_segment, parse_path, path_name
from scanner_model.errors import InputInvalid, NameUnknown


def steps_of(change: Change, context: PlanContext) -> tuple[Place, list[PlanStep]]:
    """Return what changes, and the steps; raises InputInvalid for a change that has none, NameUnknown."""
    if change.verb in ("split", "key"):
        place = context.place(change.node)
        if place.path or not place.cluster:
            raise InputInvalid(f"{change.node} is not a topic", where="CHANGE", hint="name a topic of a cluster")
        return place, list(_new_topics(change, place, context))
    place, new = _column(change, context)
    field = _Field(change, place, new, context)
    steps = {"rename": field.beside, "remove": field.removal, "retype": field.retyped}[change.verb]
    return place, list(steps())


def _column(change: Change, context: PlanContext) -> tuple[Place, ColumnPath]:
    """Return the column that changes, also if the plan has removed it by now, and the path of its new name."""
    name = change.name if change.verb == "retype" else "".join(change.to)
    try:
        place = context.place(change.node)
    except NameUnknown:
        head, dot, _ = change.node.rpartition(".")
        if not name or not dot:
            raise
        try:
            renamed = context.place(f"{head}.{name}")
        except NameUnknown:
            renamed = None
        if renamed is None:
            raise
        return renamed.at((*renamed.path[:-1], *parse_path(change.node.rpartition(".")[2]))), renamed.path
    if not place.path:
        hint = f"name one of its columns, as in '{change.verb} {change.node}.COLUMN'"
        raise InputInvalid(f"{change.node} is not a column", where="CHANGE", hint=hint)
    return place, (*place.path[:-1], field_segment(name)) if name else ()


class _Field:
    """A field that changes, with its schemas and users."""

    def __init__(self, change: Change, place: Place, new: ColumnPath, context: PlanContext) -> None:
        self._change, self._place, self._new, self._context = change, place, new, context
        self._old_name, self._new_name = path_name(place.path[-1:]), path_name(new[-1:])
        schemas = [schema for schema in context.schemas(place) if schema.role == "value"]
        listed = [Registration(context.conn, schema, context.dictionary.shown) for schema in schemas]
        self._schemas = [each for each in listed if {place.path, new} & each.paths]
        assumed = [each.schema.subject for each in self._schemas if each.is_assumed]
        if assumed:
            level = f"BACKWARD, the default of registries, is assumed for {', '.join(assumed)}"
            context.notes.append(f'{level}: scan with `"compatibility": true` to read the levels.')
        self._no_writer = _NO_WRITER if place.cluster else _NO_WRITER_OF_TABLE
        self._uses = context.uses(place)
        self._uses_of_new = context.uses(place.at(new)) if new else {}

    def _has(self, registration: Registration, path: ColumnPath) -> bool:
        return any(column.path == path for column in registration.schema.columns)

    def beside(self) -> Iterator[PlanStep]:
        """Yield the steps of a new field beside the old one, which then goes."""
        old, new = self._old_name, self._new_name
        added = [self._add(each) for each in self._schemas] or [
            self._declared(f"Declare {new} beside {old}", self._new)
        ]
        yield from added
        written = self._written()
        yield PlanStep(
            kind="write",
            title=f"Write both {old} and {new}",
            status=status_of(written),
            why="" if written else self._no_writer,
            uses=written,
        )
        read = tuple(use._replace(status=self._moved(use)) for use in self._every(readers))
        yield PlanStep(
            kind="read",
            title=f"Read {new}, and {old} from records without it",
            status=status_of(read) if read else "unknown",
            why="" if read else _NO_READER,
            uses=read,
        )
        yield self._wait(added, status_of(written))
        yield from self._dropped()

    def removal(self) -> Iterator[PlanStep]:
        """Yield the steps of a field that goes without a successor."""
        read = tuple(use._replace(status="open" if use.use in KNOWN else "unknown") for use in readers(self._uses))
        yield PlanStep(
            kind="read",
            title=f"Stop reading {self._old_name}",
            status=status_of(read) if read else "unknown",
            why="" if read else _NO_READER,
            uses=read,
        )
        for each in self._schemas:
            if each.level.forward and self._has(each, self._place.path):
                given = with_default(each.schema.format, each.text, self._place.path)
                if given.added:
                    yield each.step(given, f"Register {each.schema.subject} with a default for {self._old_name}")
        yield from self._dropped()

    def retyped(self) -> Iterator[PlanStep]:
        """Yield the steps of another type: of the same field if the registry accepts it, else of a new one."""
        if self._change.name:
            yield from self.beside()
            return
        type = self._change.to[0]
        title = f"with {self._old_name} as {type}"
        registered = [
            each.step(
                with_type(each.schema.format, each.text, self._place.path, type),
                f"Register {each.schema.subject} {title}",
            )
            for each in self._schemas
        ]
        for each, step in zip(self._schemas, registered, strict=True):
            if step.rejected:
                hint = f"give the new values their own field: 'retype {self._change.node} → {type} as NEW_NAME'"
                what = f"the registry rejects it at {each.level}: {step.rejected}"
                raise InputInvalid(what, where=step.subject, hint=hint)
        registered = registered or [self._declared(f"Declare {self._old_name} as {type}", ())]
        uses = tuple(use._replace(status="unknown") for use in readers(self._uses))
        read = PlanStep(kind="read", title=f"Read {self._old_name} also as {type}", status="unknown", uses=uses)
        written = tuple(use._replace(status="unknown") for use in writers(self._uses))
        why = "" if written else self._no_writer
        write = PlanStep(
            kind="write", title=f"Write {self._old_name} as {type}", status="unknown", why=why, uses=written
        )
        yield from self._copies()
        forward = any(each.level.forward and not each.level.backward for each in self._schemas)
        yield from (*registered, write, read) if forward else (read, *registered, write)

    def _add(self, each: Registration) -> PlanStep:
        subject, old, new = each.schema.subject, self._old_name, self._new_name
        title = f"Register {subject} with {new} beside {old}"
        if self._has(each, self._new):
            self._check_type(each)
            since = each.since(self._new)
            why = f"version {each.schema.version} has {new}" + (f", since {since}" if since else "")
            return PlanStep(
                kind="register", title=title, owner=each.schema.owner, status="done", subject=subject, why=why
            )
        type = self._change.to[0] if self._change.verb == "retype" else ""
        edited = with_field(each.schema.format, each.text, self._place.path, self._new_name, type)
        if each.level.forward:
            given = with_default(each.schema.format, edited.text, self._place.path)
            edited = Edited(given.text, "\n".join(filter(None, (edited.added, given.added))))
        return each.step(edited, title)

    def _check_type(self, each: Registration) -> None:
        """Raise InputInvalid if the new name is that of another field: a renamed one has the type of the old."""
        types = {column.path: (column.type, column.logical_type) for column in each.schema.columns}
        old, new = types.get(self._place.path), types[self._new]
        if self._change.verb == "rename" and old not in (None, new):
            what = f"{self._place.name} has a field {self._new_name} already, of another type"
            raise InputInvalid(what, where="CHANGE", hint="choose another name")

    def _declared(self, title: str, path: ColumnPath) -> PlanStep:
        """Return the step for what no registry has: its columns are where its writers declare them."""
        is_done = bool(path and self._uses_of_new)
        return PlanStep(
            kind="register",
            title=f"{title} where {self._place.name} is declared",
            owner=self._place.owner,
            status="done" if is_done else "unknown",
            why="no registry has its schema: change the statement, table or class of its writers",
        )

    def _every(self, chosen: object) -> Iterator[PlanUse]:
        of_new = {name: use for name, use in self._uses_of_new.items() if name not in self._uses}
        yield from (writers if chosen is writers else readers)({**self._uses, **of_new})

    def _written(self) -> tuple[PlanUse, ...]:
        """Return the writers; one that is seen to write the new field did its part."""
        new = self._context.named_writers(self._place.at(self._new))
        old = self._context.named_writers(self._place)

        def status(use: PlanUse) -> Status:
            return "done" if use.name in new else "open" if use.name in old else "unknown"

        return tuple(use._replace(status=status(use)) for use in self._every(writers))

    def _moved(self, use: PlanUse) -> Status:
        """Return whether a reader reads the new field; it may read the old one, too, until that is removed."""
        before, after = self._uses.get(use.name), self._uses_of_new.get(use.name)
        if after is not None and after.use in KNOWN:
            return "done"
        return "open" if before is not None and before.use in KNOWN else "unknown"

    def _wait(self, added: Iterable[PlanStep], written: Status) -> PlanStep:
        new = self._new_name
        title = f"Wait until no record lacks {new}"
        kept, settings = self._context.kept(self._place)
        if not self._place.cluster:
            return PlanStep(kind="wait", title=title, status="unknown", why="fill it in for the rows that are there")
        if kept is None:
            return PlanStep(kind="wait", title=title, status="unknown", why=_endless(settings, self._place.name))
        why = f"{self._place.name} keeps a record for up to {kept.days} days (retention.ms, segment.ms)"
        moved = self._context.written_since(self._place.at(self._new)) if written == "done" else ""
        since = max((moved, *(each.since(self._new) for each in self._schemas)))
        if not since or any(step.status != "done" for step in added):
            return PlanStep(kind="wait", title=title, why=f"{why} after the last writer wrote {new}")
        until = datetime.fromisoformat(since.replace("Z", "+00:00")) + kept
        is_over = until < datetime.fromisoformat(self._context.now)
        status: Status = "open" if not is_over else "done" if moved else "unknown"
        after = "" if moved else f", and as long after the last writer wrote {new}"
        return PlanStep(kind="wait", title=title, status=status, why=f"{why}: not before {until.date()}{after}")

    def _copies(self) -> Iterator[PlanStep]:
        """Yield the step for the fields of topics that are called as the column of a table, and change with it."""
        for copy in self._context.captured(self._place):
            yield PlanStep(
                kind="read",
                title=f"Move the readers of {copy}, which changes with the table",
                status="unknown",
                why=f"`scanner plan '{self._change._replace(node=copy)}'` lists them",
            )

    def _dropped(self) -> Iterator[PlanStep]:
        yield from self._copies()
        old = self._old_name
        why = "every reader above has moved" if any(readers(self._uses)) else ""
        both = tuple(
            use
            for use in readers(self._uses)
            if use.use in KNOWN and use.name in self._uses_of_new and self._uses_of_new[use.name].use in KNOWN
        )
        for each in self._schemas:
            title = f"Stop writing {old}, and register {each.schema.subject} without it"
            if not self._has(each, self._place.path):
                why = f"version {each.schema.version} has no {old}"
                yield PlanStep(
                    kind="register",
                    title=title,
                    owner=each.schema.owner,
                    status="done",
                    subject=each.schema.subject,
                    why=why,
                )
            else:
                step = each.step(without_field(each.schema.format, each.text, self._place.path), title)
                yield replace(step, why="only when " + (why or "no reader is left"), uses=both)
        if not self._schemas:
            yield PlanStep(
                kind="delete",
                title=f"Stop writing {old}, and remove it where {self._place.name} is declared",
                owner=self._place.owner,
                status="open" if self._uses else "unknown",
                why="only when " + (why or "no reader is left"),
                uses=both,
            )


_NO_WRITER = "no writer is known: brokers keep no record of producers"
_NO_WRITER_OF_TABLE = "no writer is known: databases do not list what writes a table"
_NO_READER = "no reader is known"


def _endless(settings: Mapping[str, str], topic: str) -> str:
    if "compact" in settings.get("cleanup.policy", ""):
        return f"{topic} is compacted, so the newest record of each key stays: write every key again"
    if settings.get("retention.ms") == "-1":
        return f"{topic} keeps records without end: keep reading both, or copy it into a new topic"
    return (
        f"retention.ms and cleanup.policy of {topic} were not read: the brokers' default applies, 7 days unless changed"
    )


def _new_topics(change: Change, place: Place, context: PlanContext) -> Iterator[PlanStep]:
    """Yield the steps of new topics in place of one: with other keys, or with a part of its records each."""
    old, topics = place.name, change.to if change.verb == "split" else (change.name,)
    names = " and ".join(topics)
    missing = [name for name in topics if not context.has_topic(place, name)]
    _, settings = context.kept(place)
    shown = ", ".join(f"{name}={value}" for name, value in sorted(settings.items()))
    yield PlanStep(
        kind="create",
        title=f"Create {names} as {old} is" + (f": {shown}" if shown else ""),
        owner=place.owner,
        status="open" if missing else "done",
        why=f"missing: {', '.join(missing)}" if missing else "they exist",
    )
    for topic in topics:
        yield from _copied_schemas(change, topic, place, context)
    uses = {name: use._replace(status="open") for name, use in context.uses(place).items()}
    moved = {name: use for topic in topics for name, use in context.uses(place.at((), topic)).items()}
    uses = {name: use._replace(status="done") for name, use in moved.items()} | uses
    written = tuple(writers(uses))
    every = "both" if change.verb == "key" else "the new topic of each record"
    yield PlanStep(
        kind="write",
        title=f"Write {every}" + (f", {old} and {names}" if change.verb == "key" else f", and {old} as before"),
        status=status_of(written),
        why="" if written else _NO_WRITER,
        uses=written,
    )
    read = tuple(readers(uses))
    yield PlanStep(
        kind="read",
        title=f"Read {names} from where {old} was read to",
        status=status_of(read) if read else "unknown",
        why="stop at an offset that both topics have, or skip records by their id" if read else _NO_READER,
        uses=read,
    )
    yield PlanStep(
        kind="delete",
        title=f"Stop writing {old}, and delete it with its subjects",
        owner=place.owner,
        status="open",
        why=f"only when `scanner check --topic {old}` answers yes",
    )


def _copied_schemas(change: Change, topic: str, place: Place, context: PlanContext) -> Iterator[PlanStep]:
    """Yield a step for each subject that is called after the topic; others describe the new topic as they are."""
    for schema in context.schemas(place):
        if not schema.subject.startswith(f"{place.name}-") or (change.verb == "key" and schema.role == "key"):
            continue
        subject = topic + schema.subject.removeprefix(place.name)
        yield _first_version(subject, schema, context, schema.text)
    if change.verb == "key":
        source = _keyed(change, place, context)
        paths = [parse_path(name) for name in change.to]
        name = "".join(word.capitalize() for word in topic.replace("-", ".").replace("_", ".").split(".")) + "Key"
        yield _first_version(f"{topic}-key", source, context, key_schema(source.format, source.text, paths, name))


def _keyed(change: Change, place: Place, context: PlanContext) -> SchemaAnswer:
    """Return the value schema that has the columns of the new key; raises InputInvalid without any."""
    paths = {parse_path(name) for name in change.to}
    for schema in context.schemas(place):
        if schema.role == "value" and paths <= {column.path for column in schema.columns}:
            return schema
    hint = f"`scanner columns --format csv {place.name}` lists them"
    raise InputInvalid(f"no value schema of {place.name} has {', '.join(change.to)}", where="CHANGE", hint=hint)


def _first_version(subject: str, schema: SchemaAnswer, context: PlanContext, text: str) -> PlanStep:
    exists = any(
        not key.gone and key.registry == schema.registry
        for key in subjects_named(context.conn, subject, schema.cluster)
    )
    return PlanStep(
        kind="register",
        title=f"Register {subject}",
        owner=schema.owner,
        status="done" if exists else "open",
        subject=subject,
        format=schema.format,
        schema="" if exists else text,
        why="it exists" if exists else "a first version passes every level",
    )
