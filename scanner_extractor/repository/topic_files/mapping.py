"""Read documents as the rows of a table of forms describe them: each entry gives topics, schemas, jobs or rights."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import InlineSchema
from scanner_extractor.repository.declared import CLASS, count, plain_text
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.settings import TopicFiles
from scanner_extractor.repository.topic_files.expressions import Entry, Found, matches, text_of_value
from scanner_extractor.repository.topic_files.syntaxes import syntax_of
from scanner_extractor.repository.yaml_documents import Parsed, parse_yaml
from scanner_model.catalogs import Annotation
from scanner_model.clients import AclRule
from scanner_model.documents.json_input import load_text
from scanner_model.names import TopicName
from scanner_model.payload import Json
from scanner_model.redaction import mask_text
from scanner_model.text import has_placeholder

if TYPE_CHECKING:
    from scanner_extractor.repository.context import Context

_BRACES = re.compile(r"(?<!\{)\{\{++\s*+([\w.-]++)\s*+\}\}+")
"""A placeholder of Handlebars or Helm, which is not YAML unless it is quoted."""
_BETWEEN = re.compile(r"[\s,]+")
_ABSENT = frozenset(("true", "absent", "yes"))
_ALLOWED = {
    "READ": ("READ",),
    "WRITE": ("WRITE",),
    "READWRITE": ("READ", "WRITE"),
    "CONSUMER": ("READ",),
    "PRODUCER": ("WRITE",),
    "DESCRIBECONFIGS": ("DESCRIBE_CONFIGS",),
    "ALTERCONFIGS": ("ALTER_CONFIGS",),
    "IDEMPOTENTWRITE": ("IDEMPOTENT_WRITE",),
    "CLUSTERACTION": ("CLUSTER_ACTION",),
    "ALL": ("ALL",),
    "*": ("ALL",),
    "ADMIN": ("ALL",),
    "OWNER": ("ALL",),
    "RESOURCEOWNER": ("ALL",),
    "DEVELOPERREAD": ("READ",),
    "DEVELOPERWRITE": ("WRITE",),
}
"""Words for the operations of a right, as the tools that give rights have them."""


def documents(file: RepositoryFile, context: Context, kind: str) -> Iterator[Parsed]:
    """Yield the documents of a file with its placeholders replaced; one that is not read is left as a *kind*."""
    text = context.variables.resolved(file.text, file.directory)
    for parsed in parsed_documents(file, text):
        if not parsed.error:
            yield parsed
        elif file.ending == ".json":
            yield from _json(file, text, context, kind)
        else:
            context.leave(file, kind, f"line {parsed.line}: {parsed.error}")


def parsed_documents(file: RepositoryFile, text: str) -> Iterator[Parsed]:
    """Yield the documents of a *text* in the syntax of its file: by default YAML, with placeholders."""
    parse = syntax_of(file)
    yield from parse(text) if parse is not None else parse_yaml(without_braces(text))


def without_braces(text: str) -> str:
    """Return *text* with placeholders that YAML can have."""
    return _BRACES.sub(r"${\1}", text)


def _json(file: RepositoryFile, text: str, context: Context, kind: str) -> Iterator[Parsed]:
    """Yield the document of a JSON file that is not YAML too, for example because of tabs; its lines are unknown."""
    try:
        yield Parsed(1, load_text(text))
    except (ValueError, RecursionError) as error:
        context.leave(file, kind, f"invalid JSON: {error}")


def fits(values: Mapping[str, tuple[str, ...]], root: str, value: Json) -> bool:
    """Check whether a document (*root* is `$`) or an entry (`@`) has the *values* of a form."""
    return all(
        any(_fits(match.value, pattern) for match in matches("$" + path[1:], value) for pattern in patterns)
        for path, patterns in values.items()
        if path.startswith(root)
    )


def _fits(value: Json, pattern: str) -> bool:
    """Check a value against a pattern: stars stand for any characters; a single one for any value but null."""
    if pattern == "*":
        return value is not None
    text = text_of_value(value)
    if text is None:
        return False
    first, *rest = pattern.split("*")
    if not rest:
        return text == first
    if not text.startswith(first) or not text.endswith(rest[-1]):
        return False
    at = len(first)
    for part in rest[:-1]:
        at = text.find(part, at) + len(part)
        if at < len(part):
            return False
    return at <= len(text) - len(rest[-1])


def entries_of(file: RepositoryFile, parsed: Parsed, form: TopicFiles) -> Iterator[Entry]:
    """Yield the entries of a document that have the values of a form."""
    for match in matches(form.each, parsed.value):
        if fits(form.when, "@", match.value):
            yield Entry(file, parsed.value, match, match.line or parsed.line)


def add_entries(file: RepositoryFile, parsed: Parsed, form: TopicFiles, context: Context, tool: str) -> int:
    """Add what the entries of a document describe; return how many facts were found, or left out on purpose."""
    total = 0
    for entry in entries_of(file, parsed, form):
        is_absent = any(plain_text(found.value) in _ABSENT for found in entry.values(form.absent))
        total += 1 if is_absent else sum(add(entry, form, context, tool) for add in _READERS)
    if total:
        context.collector.files.add(file.path)
    return total


def _add_topics(entry: Entry, form: TopicFiles, context: Context, tool: str) -> int:
    """Add the topics of an entry with their users, owner and schemas; those of a right are only named."""
    names = _topics(entry, form.topic, context) if not form.principal else []
    for name, line in names:
        _declare(entry, form, Found(name, line), context, tool)
        _annotate(entry, form, name, context, tool)
        for side, expressions in (("value", form.schemas), ("key", form.key_schemas)):
            found = entry.found(expressions)
            context.add_subjects([(f"{name}-{side}", schema.text) for schema in found], entry.file.directory)
        for expressions, writes in ((form.readers, False), (form.writers, True)):
            for job in entry.found(expressions):
                _use(entry, job.text, Found(name, job.line), writes, context, tool)
    return len(names)


def _declare(entry: Entry, form: TopicFiles, topic: Found, context: Context, tool: str) -> None:
    context.topic(
        topic.text,
        f"{entry.file.path}:{topic.line}",
        count(entry.first(form.partitions)),
        tool=tool,
        replication=count(entry.first(form.replication)),
        config=_settings(entry, form.config),
    )


def _settings(entry: Entry, expressions: tuple[str, ...]) -> Mapping[str, Json]:
    """Return a mapping of settings, of all that an expression leads to."""
    merged: dict[str, Json] = {}
    for match in entry.values(expressions):
        merged |= match.value if isinstance(match.value, dict) else {}
    return merged


def _add_program(entry: Entry, form: TopicFiles, context: Context, tool: str) -> int:
    """Add the topics that the program of an entry reads and writes."""
    total = 0
    for job in entry.found(form.program):
        for expressions, writes in ((form.reads, False), (form.writes, True)):
            for topic in _topics(entry, expressions, context):
                _use(entry, job.text, topic, writes, context, tool)
                total += 1
    return total


def _add_schema(entry: Entry, form: TopicFiles, context: Context, _: str) -> int:
    """Add the schema of an entry, which is in it, in another object, or in a file; and the level of its subject."""
    subject = entry.first(form.subject)
    if level := entry.first(form.compatibility):
        context.levels[subject] = level.upper()
    if subject and (files := entry.found(form.schema_file)):
        named = [(subject, found.text.rpartition("://")[2]) for found in files]
        context.add_subjects(named, entry.file.directory)
        for _, name in named:
            if not context.path_of(name, entry.file.directory):
                context.leave(entry.file, "schema", f"line {entry.line}: the schema {name} of {subject} is not there")
        return len(files)
    listed = [(entry.file, match.value, f"{entry.file.path}:{match.line}") for match in entry.values(form.schema)]
    listed += [context.named_texts[name] for name in _names(entry, form.schema_in) if name in context.named_texts]
    if form.text:
        context.named_texts |= {entry.first(form.text): text for text in listed if isinstance(text[1], str)}
        return 1
    references = tuple(
        (str(match.value.get("name")), str(match.value.get("subject") or match.value.get("name")))
        for match in entry.values(form.references)
        if isinstance(match.value, dict)
    )
    version = count(entry.first(form.version)) or 0
    context.inline += [
        InlineSchema(file, value, place, subject, entry.first(form.format), version, references)
        for file, value, place in listed
        if value
    ]
    return len(listed) or (1 if level else 0)


def _names(entry: Entry, expressions: tuple[str, ...]) -> Iterator[str]:
    return (found.text for found in entry.found(expressions))


def _add_connector(entry: Entry, form: TopicFiles, context: Context, _: str) -> int:
    names = entry.found(form.connector)
    for name, line in names[:1]:
        settings = dict(_settings(entry, form.settings))
        if kind := entry.first(form.connector_class):
            settings.setdefault(CLASS, kind)
        context.connector(name, settings, f"{entry.file.path}:{line}")
    return len(names[:1])


def _add_job(entry: Entry, form: TopicFiles, context: Context, _: str) -> int:
    names, texts = entry.found(form.job)[:1], entry.found(form.sql)
    for name, _line in names if texts else ():
        place = f"{entry.file.path}:{texts[0].line}"
        context.collector.add_statement(name, ";\n".join(text.text.rstrip().rstrip(";") for text in texts), place)
    return len(names) if texts else 0


def _add_rights(entry: Entry, form: TopicFiles, context: Context, _: str) -> int:
    """Add what principals may do with a topic, or with topics of a prefix."""
    kind = entry.first(form.pattern).upper() or "LITERAL"
    pattern = "PREFIXED" if kind.startswith("PREFIX") else kind
    if pattern not in ("LITERAL", "PREFIXED"):
        context.leave(entry.file, "right", f"line {entry.line}: names that match a pattern of type {pattern}")
        return 1
    permission = "DENY" if entry.first(form.permission).upper() == "DENY" else "ALLOW"
    words = [word.upper().replace("_", "") for word in _names(entry, form.operations)]
    operations = dict.fromkeys(operation for word in words for operation in _ALLOWED.get(word, (word,)))
    principals = entry.found(form.principal)
    for principal in principals:
        for topic, line in entry.found(form.topic):
            for operation in operations:
                rule = AclRule(
                    source=context.source,
                    pattern_type="LITERAL" if topic == "*" else pattern,
                    name=topic,
                    principal=_principal(principal.text),
                    host=entry.first(form.host) or "*",
                    operation=operation,
                    permission=permission,
                )
                context.rights.setdefault(rule, f"{entry.file.path}:{line}")
    return len(principals)


def _principal(name: str) -> str:
    kind, mark, rest = name.partition(":")
    return f"{kind[:1].upper()}{kind[1:]}:{rest}" if mark else f"User:{name}"


_READERS: tuple[Callable[[Entry, TopicFiles, Context, str], int], ...] = (
    _add_topics,
    _add_program,
    _add_schema,
    _add_connector,
    _add_job,
    _add_rights,
)


def _topics(entry: Entry, expressions: tuple[str, ...], context: Context) -> list[Found]:
    """Return the names of topics; any other text is reported."""
    found = [topic for one in entry.found(expressions) for topic in listed_topics(one)]
    for name, line in found:
        if not is_topic_name(name):
            context.collector.problem(f"{entry.file.path}:{line}", f"{name!r} is not the name of a topic", _hint(name))
    return [topic for topic in found if is_topic_name(topic.text)]


def listed_topics(found: Found) -> list[Found]:
    """Return the topics that one text lists, such as `a,b`, or with partitions as in `NAME=a:3:1,b:1:1`."""
    names = [name.partition(":")[0] for name in _BETWEEN.split(found.text.rpartition("=")[2]) if name]
    is_list = not is_topic_name(found.text) and bool(names) and all(map(is_topic_name, names))
    return [found._replace(text=name) for name in names] if is_list else [found]


def _use(entry: Entry, job: str, topic: Found, writes: bool, context: Context, tool: str) -> None:
    place = f"{entry.file.path}:{topic.line}"
    if has_placeholder(job) or "*" in job:
        what = f"a {'writer' if writes else 'reader'} of the topic {topic.text!r} is not one program: {job!r}"
        return context.collector.problem(place, what, _hint(job))
    return context.use(job, topic.text, writes=writes, description=tool, place=place, separate=True)


def _hint(name: str) -> str:
    return "set its variable with --var" if has_placeholder(name) else ""


def _annotate(entry: Entry, form: TopicFiles, topic: str, context: Context, tool: str) -> None:
    """Add the owner, description and tags of a topic, if there are any."""
    owner, description, tags = (entry.found(part) for part in (form.owner, form.description, form.tags))
    if owner or description or tags:
        note = Annotation(
            source=context.source,
            name=f"{entry.file.path}#{topic}",
            kind=tool.replace(" ", "_"),
            topic=TopicName(topic),
            tags=tuple(dict.fromkeys(tag.text for tag in tags)),
            owner=owner[0].text if owner else "",
            description=mask_text(description[0].text.strip()) if description else "",
        )
        context.annotations.append(note)
