"""What a report says: one template for each message of a finding, their order, and the report as JSON.

Nothing else writes a sentence of a finding, and nothing reads one again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from scanner_check.model import ChangeFinding, ChangeReport, Json, Message, Verdict, few


def sentence(message: Message) -> str:
    """Return the text of a message; names that are listed are separated by commas."""
    template = TEMPLATES[message.template]
    values = [sentence(value) if isinstance(value, Message) else value for value in message.values]
    if isinstance(template, str):
        return template.format(*map(_joined, values))
    return template(*values)


def _joined(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value


def _in_case(item: str, text: str) -> str:
    return f"{item}: {text}" if item else text


def _renamed(name: str) -> str:
    return f", perhaps renamed to {name}" if name else ""


def _gets_tag(name: str, tag: str, origin: tuple[str, str, int] | tuple[()], certainty: str) -> str:
    if not origin:
        return f"{name} gets {tag}, {certainty}"
    column, flow, steps = origin
    return f"{name} gets {tag}, from {column}, {flow}, {steps} step{'' if steps == 1 else 's'}"


def _topics(topics: tuple[str, ...]) -> str:
    return few(topics) if topics else "a topic that is not resolved"


def _topics_named(prefix: str) -> str:
    return f"topics whose names begin with {prefix}" if prefix else "all topics"


def _of_programs(what: str, names: tuple[str, ...], topics: tuple[str, ...], is_read: bool) -> str:
    of_names = f" for {few(names)}" if len(names) > 1 else ""
    effect = f"the effect on the records in {few(topics)} is not determined" if topics else "it writes no topic"
    if is_read and not topics:
        effect = f"its effect on {few(names)} is not determined"
    return f"{what}{of_names}; {effect if names or topics else 'scanner resolves no program that uses it'}"


def _topic_renamed(old: str, new: str, writers: tuple[str, ...], readers: tuple[str, ...]) -> str:
    users = ((did, names) for did, names in (("written by", writers), ("read by", readers)) if names)
    return f"{old} → {new}: the topic is renamed" + "".join(f"; {did} {', '.join(names)}" for did, names in users)


def _invalid(format: str, why: str, was_invalid: bool) -> str:
    return f"invalid {format} schema: {why}" + ("; it was invalid before the change, too" if was_invalid else "")


def _statements(clauses: tuple[str, ...]) -> str:
    where = f" ({', '.join(clauses)})" if clauses else ""
    return f"SQL statements change{where}, and scanner cannot tell what that does to their data"


_Template = str | Callable[..., str]

_OF_SCHEMAS: Mapping[str, _Template] = {
    "incompatible": lambda rule, item, why: f"{rule}{f' at {item}' if item else ''}: {why}",
    "schema-invalid": _invalid,
    "format-changed": "the format was {} and is {}",
    "not-compared": _in_case,
    "not-compared alias": "the registry compares with subject {}, which is not stored; this one is its alias",
    "not-compared columns only": "only its columns are stored, by which {} may fail: {}",
    "not-compared group": lambda group, value, message: (
        f"rejected if it is registered with {f'no {group}' if value is None else f'{group} = {value}'}: {message}"
    ),
    "not-compared no former version": "there is no former version of the document to compare its columns with",
    "not-compared not described": "the document describes it no more",
    "not-compared nothing stored": "no schema that was read is stored",
    "not-compared problem": "{}: {}",
    "not-compared reserved": (
        "the registry also checks that the fields {} stay reserved, which is metadata and in no file"
    ),
    "not-compared stored problem": "the stored schema is not read completely, {}: {}",
    "level-changed": lambda old, new: f"the compatibility level was {old or 'not set'} and is {new or 'not set'}",
    "level-unknown": "a level above {} rejects it ({}), and the subject's level is not stored",
    "column-removed": "{} is removed",
    "column-renamed": "{} is renamed to {}",
    "column-renamed perhaps": "{} is removed, perhaps renamed to {}",
    "column-renumbered": "{} has the number {} in place of {}",
    "column-retyped": "{} was {} and is {}",
    "column-added": "{} is added ({})",
    "made-nullable": "{} is nullable now",
    "made-required": "{} is required now",
    "symbols-removed": "{} loses symbols: {}",
    "symbols-removed of an enum": "the enum {} loses or renumbers {}; its users are elsewhere",
    "older-registry": "a registry before 8.4 rejects it: {} at {}",
    "older-registry of a product": (
        "the registry's product is not known: Redpanda's rejects a JSON Schema with another `$schema`"
    ),
    "copies-differ": "{} copies of the file stay as they were: {}",
    "old-data-rejected": lambda why, item: (
        f"a reader with the new schema rejects data written with the old one: {why}{f' ({item})' if item else ''}"
    ),
    "new-data-rejected": lambda why, item: (
        f"a reader with the old schema rejects data written with the new one: {why}{f' ({item})' if item else ''}"
    ),
    "record-renamed": "{} is called {}: a reader with a generated class may not find it",
    "record-renamed first": (
        "{} is the first message in place of {}: engines that read the first one read other columns"
    ),
    "key-changed": (
        "keys are written otherwise: one key has records in two partitions, and compaction and joins see two"
    ),
    "schema-added": "the subject is new",
    "no-readers-known elsewhere": "nothing in the repository reads what {} describes: its readers are elsewhere",
    "no-readers-known not scanned": "nothing was scanned in cluster {} that could name who reads {}",
    "no-readers-known without topic": "no topic is known that {} describes, so its readers are not known",
}

_OF_FLOWS: Mapping[str, _Template] = {
    "column-lost": "{} gets no value any more",
    "column-lost renamed": "{} is renamed to {}",
    "column-gained": "{} gets a value from {}",
    "flow-changed": "{} is made of something else",
    "output-lost": "{} is not written any more",
    "output-lost of a program": lambda name, topics: f"{name} no longer sends to {_topics(topics)}",
    "output-gained": "{} is written",
    "input-lost": "{} is not read any more",
    "input-gained": "{} is read",
    "input-without-writer": lambda name, instead: (
        f"reads {name}, which nothing in the repository writes or declares"
        + (f", instead of {', '.join(instead)}" if instead else "")
    ),
    "writer-lost": "{} does not write {} any more, and other jobs do",
    "topic-renamed": _topic_renamed,
    "topic-renamed of a program": lambda name, topics: f"{name} sends to another topic than {_topics(topics)}",
    "topic-gone": "the topic {} is not declared any more, and is used",
    "table-gone": "the table {} is not declared any more, and is used: {}",
    "right-lost": lambda principal, operations, name, is_prefix, is_kept: (
        f"{principal} {'keeps' if is_kept else 'loses'} {few(operations)} on "
        f"{_topics_named(name) if is_prefix else f'topic {name}'}{' from some hosts only' if is_kept else ''}"
    ),
    "job-stopped": lambda name, topics, setting: (
        f"{name}{f', which writes {few(topics)},' if topics else ''} is stopped or no longer deployed ({setting})"
    ),
    "job-stopped not deployed": "{} is no longer among the files that are deployed",
    "tag-spread": lambda name, tag, origin, certainty, _: _gets_tag(name, tag, origin, certainty),
    "tag-removed": "{} loses the tag {}, to which the policy refers",
    "policy-forbidden-flow": lambda name, tag, origin, certainty, dataset: (
        f"{_gets_tag(name, tag, origin, certainty)}; the policy forbids it in {dataset}"
    ),
    "policy-forbidden-flow of a commit": "{}: {}; the policy forbids it",
    "policy-forbidden-flow of an unknown class": (
        "{} reads {}, which has {}, and its class is unknown: "
        "the policy limits where that may go, and scanner does not know where it goes"
    ),
}

_OF_PROGRAMS: Mapping[str, _Template] = {
    "record-field-removed": lambda name, field, topics, new: (
        f"{name} no longer sets {field} of {_topics(topics)}{_renamed(new)}"
    ),
    "record-field-retyped": lambda name, field, topics, before, after: (
        f"{name} writes {field} of {_topics(topics)}, which was {before} and is {after}"
    ),
    "record-field-computed": lambda name, field, topics: (
        f"{name} computes {field or 'the value'} of {_topics(topics)} otherwise"
    ),
    "record-key-changed": lambda name, topics, aspect: f"{name} sends to {_topics(topics)} with another {aspect}",
    "record-format-changed": lambda name, topics: f"{name} sends to {_topics(topics)} in another form",
    "record-condition-changed": lambda name, topics: f"{name} sends to {_topics(topics)} under another condition",
    "record-field-expected": "{} now reads {} of {}, which no schema and no known program writes",
    "record-field-expected of a class": ("{} reads {} as {}, which now expects {}; no known program writes it"),
    "code-changed": lambda where, topics: f"{where}: the effect on the records in {_topics(topics)} is not determined",
}

_OF_FILES: Mapping[str, _Template] = {
    "not-judged broken file": "the file cannot be parsed any more; what it sets is not known",
    "not-judged commands": "commands on Kafka change, and scanner does not interpret them",
    "not-judged description": lambda names, topic, _: (
        f"{few(names)} of {topic} changed, and what that does to its users is not known"
    ),
    "not-judged job": "{} is changed, and what that does to its data is not known",
    "not-judged job gone": "{} is not declared any more; what it did is not known",
    "not-judged mapped class": "a class that is mapped to a table changes; its effect on jobs is not determined",
    "not-judged migrations": "migrations change; their effect on jobs is not determined",
    "not-judged notebook": "the code of a notebook changes; only its topics are compared",
    "not-judged of programs": _of_programs,
    "not-judged records of a library": lambda names: (
        f"{few(names)} {'is' if len(names) == 1 else 'are'} removed or retyped in a library that writes records; "
        "the programs that use it are not in this repository"
    ),
    "not-judged requests": (
        "requests to a schema registry or Kafka Connect change, and scanner does not interpret them"
    ),
    "not-judged right": lambda names, topic, does: (
        f"{few(names)} may no longer {does} {topic}; whether that is still done is not known"
    ),
    "not-judged statements": _statements,
    "not-judged topic": "{} of the topic {} changed, and what that does to its users is not known",
    "not-judged invalid file": lambda line: f"a changed line sets {line!r}, and the file cannot be parsed",
    "mentioned": "a changed line mentions topic {}, but scanner cannot interpret that line",
    "not-examined": "{}",
    "not-read": "{}",
    "not-read columns": "{}: its columns are not all known",
    "not-read elsewhere": "{} names {} and is not read ({})",
    "not-read not followed": "{}, which is not followed",
    "not-read of a kind": lambda kind, reason: (
        f"{kind}: {reason}"
        if reason
        else f"the base commit's {kind} cannot be parsed, so the change of this file is not compared"
    ),
    "not-read of Git LFS": "git has only a pointer to its content, which is in Git LFS",
    "not-read program": lambda paths: f"{few(paths)} changed in a program that uses Kafka and is not read",
    "unparsed": "{}",
    "unparsed statement": "is no {} statement: {}",
    "nothing-checked": lambda count: f"none of {count} files was checked" if count else "there is no file to check",
    "unknown-name": lambda what, hint: f"{what} ({hint})" if hint else what,
    "unknown-name not scanned": (
        "the dictionary knows no {}, which the base of the change has: what it loses is not known"
    ),
    "file-deleted": "{} may be deleted: {}",
    "settings-changed": "{}, which decides what this check reports, is {}",
    "stale-source": lambda name, reason: f"{name} is stale: {reason or 'it was never read completely'}",
    "old-source": "{} was last read at {}, before {}",
    "future-source": "{} was last read at {}, and it is {}: one of the clocks is wrong",
    "no-graph": "no graph was generated: who uses a column is not known; run `scanner dictionary dataflow`",
    "old-graph": "the graph is of scan {}, and the newest scan is {}; run `scanner dictionary dataflow`",
    "unread-jobs": "{}: they may use anything",
}

_REASONS: Mapping[str, _Template] = {
    "--map": "--map says what a path changes, as in --map 'schemas/{{subject}}.avsc'",
    "after": "after: {}",
    "alias": "an alias says so",
    "alias of": "{} is an alias of {}, whose versions and level count",
    "at any level": "at any level",
    "before": "before: {}",
    "came from": "it came from {}",
    "clause": "{} changes",
    "copy of the base": "this check uses the copy of the base commit; the change counts after it is merged",
    "direction": "{}, {}",
    "does not count": "{} does not count: {}",
    "edits": lambda *edits: "; ".join(edits),
    "field user": lambda name, use, places: f"{name} {f'{use} it' if use else 'uses all fields'}: {', '.join(places)}",
    "found by number": "readers find the value by its number",
    "level": lambda name, level, policy: f"{name} is {level}{f' {policy}' if policy else ''}",
    "level assumed": "the level of {} is not stored: {} is assumed, a registry's default",
    "library": "the library {} changes",
    "loaded": "a file that code loads by its name changes",
    "metadata": "the registry compares versions of equal metadata {} only, and a file has no metadata",
    "migration": lambda tables: f"a migration of {few(tables)} changes, and scanner does not interpret it",
    "more rules": "these rules only reject more: what is reported as breaking stays so",
    "more users": "{} more programs use it: `scanner clients TOPIC --columns`",
    "no reader": "no known program reads it",
    "no reader seen": "no known program reads it; programs outside of what was scanned cannot be seen",
    "no rule": "no rule covers the change of {}",
    "object added": "{} is added",
    "object removed": "{} is removed",
    "of a user": "{} {}: {}",
    "of file": "{}: {}",
    "only ones": "the only one removed and the only one added, of the same type",
    "policy still applies": "this check still applies the policy to the column",
    "reached": "{}:{} is reached from {}",
    "readers of other fields": "by their source code these read other fields only: {}",
    "readers of unknown fields": "these read the topic, and which fields is not known: {}",
    "reads": "it reads {}",
    "rules of Confluent": "the rules are those of Confluent's registry",
    "same documentation": "same type, same documentation",
    "same number": "the number {} is the same",
    "same schema": "the schema of {} does not change",
    "setting": "the setting {} changes",
    "similar": lambda *names: f"did you mean {' or '.join(names)}?",
    "similar name": "same type, similar name",
    "state the level": 'state it with --compatibility, or scan with "compatibility": true in cluster.json',
    "topics": "topics {}",
    "two names": "records under the old name are not read by who reads the new one, and the other way round",
    "what to scan": (
        "scan what names readers: Kafka (its consumer groups), Connect, ksqlDB, Flink, topologies of Kafka Streams; "
        "or deployment files, OpenLineage events, manual input"
    ),
    "writes": "it writes {}",
}

TEMPLATES: Mapping[str, _Template] = {
    "": "{}",
    **_OF_SCHEMAS,
    **_OF_FLOWS,
    **_OF_PROGRAMS,
    **_OF_FILES,
    **_REASONS,
}
"""The templates by their names; that of a rule is called like the rule, with the form if it has several."""


# --- order, and JSON


def report_document(report: ChangeReport) -> dict[str, Json]:
    """Return the report as JSON values, with the members that docs/json.md documents."""
    return {
        "verdict": str(report.verdict),
        "scans": [{"cluster": cluster, "number": number, "finished": at} for cluster, number, at in report.scans],
        "files": [{"file": file.file, "kind": file.kind, "targets": list(file.targets)} for file in report.files],
        "skipped": [{"file": skipped.file, "why": skipped.why} for skipped in report.skipped],
        "not_examined": [skipped.file for skipped in report.not_examined],
        "concerns_kafka": report.concerns_kafka,
        "scope": report.scope,
        "notes": list(report.notes),
        "findings": [_finding_document(finding) for finding in ordered(report.findings)],
    }


def ordered(findings: Sequence[ChangeFinding]) -> list[ChangeFinding]:
    """Return findings with the most serious first, those that do not count last, else in their order."""
    serious = list(Verdict)
    return sorted(findings, key=lambda finding: (not finding.counts, -serious.index(finding.verdict)))


def _finding_document(finding: ChangeFinding) -> dict[str, Json]:
    return {
        "rule": finding.rule,
        "verdict": str(finding.verdict),
        "file": finding.place.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "target": finding.target,
        "item": finding.item,
        "what": finding.what,
        "why": list(finding.why),
        "owner": finding.owner,
        "tags": list(finding.tags),
        "accepted": finding.accepted,
        "fingerprint": finding.fingerprint,
        "affected": [
            {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(hit).items()}
            for hit in finding.affected
        ],
    }
