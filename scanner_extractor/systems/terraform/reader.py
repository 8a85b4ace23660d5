"""Read Terraform configurations: a directory is a module, and each provider's resource kind is a row of RESOURCES."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from scanner_extractor.repository.bounded_parsing import Trials
from scanner_extractor.repository.declared import CLASS, DeclaredSql
from scanner_extractor.repository.syntax_trees import LARGEST, Node, grammar_missing, parse_tree
from scanner_extractor.systems.terraform.values import (
    Block,
    Module,
    ModuleScope,
    TerraformValue,
    Unknown,
    as_text,
    attributes,
    plain,
    read_blocks,
)
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.errors import Problem
from scanner_model.manual import DeclaredFlow
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import Reference, SchemaVersion
from scanner_model.text import has_placeholder

TERRAFORM, CONFLUENT = "terraform", "confluent"
DEEPEST_MODULES = 5
"""Maximum levels of modules that call each other."""
MOST_MODULES = 500
"""Maximum module calls that are followed."""
_SOURCE = re.compile(r"^[ \t]*source[ \t]*=[ \t]*\"(?P<path>\.[^\"\n]*)\"", re.MULTILINE)
_OPEN_QUALIFIER = re.compile(r"`[^`\n]*\$\{[^{}`\n]*\}[^`\n]*`\s*\.\s*(?=[`\w])")


@dataclass(frozen=True, slots=True, kw_only=True)
class TerraformReading:
    """What Terraform files declare.

    *declarations* are topics and connectors, each with its settings as the files have them. *flows* have one end: an
    account that may read or write a topic. *schema_files* are subjects, each with the path of a file that has a version
    of it, *schemas* those whose text is in the configuration. *statement_files* are the paths of files whose text
    is a statement. *levels* are the compatibility levels of subjects, of all others under the empty name. *unread* are
    files with the reason.
    """

    declarations: tuple[tuple[Declaration, Mapping[str, TerraformValue]], ...] = ()
    statements: tuple[DeclaredSql, ...] = ()
    schemas: tuple[SchemaVersion, ...] = ()
    schema_files: tuple[tuple[str, str], ...] = ()
    statement_files: frozenset[str] = frozenset()
    levels: Mapping[str, str] = field(default_factory=dict)
    flows: tuple[DeclaredFlow, ...] = ()
    problems: tuple[Problem, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()


def is_terraform_file(path: str) -> bool:
    """Return whether a file is part of a Terraform configuration."""
    return path.endswith((".tf", ".tfvars"))


def read_terraform(
    files: Mapping[str, str], source: SourceId, variables: Mapping[str, str] | None = None
) -> TerraformReading:
    """Read the configurations of a repository: *files* are all its texts by path, since `file()` names others.

    *variables* are values that the user passes. Modules that others call are read with the values of each call.
    """
    reader = _Reader(files=files, source=source, given=variables or {})
    reader.read()
    return TerraformReading(
        declarations=tuple(reader.declarations.values()),
        statements=tuple(reader.statements.values()),
        schemas=tuple(reader.schemas),
        schema_files=tuple(dict.fromkeys(reader.schema_files)),
        statement_files=frozenset(reader.statement_files),
        levels=reader.levels,
        flows=tuple(reader.flows.values()),
        problems=tuple(reader.problems.values()),
        unread=tuple(sorted(set(reader.unread))),
    )


_RIGHT = "an account with this right in Terraform"


@dataclass(slots=True, kw_only=True)
class _Reader:
    files: Mapping[str, str]
    source: SourceId
    given: Mapping[str, str]
    paths: dict[str, list[str]] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)
    parsed: dict[str, tuple[list[Block], dict[str, TerraformValue]]] = field(default_factory=dict)
    declarations: dict[tuple[DeclaredKind, str], tuple[Declaration, Mapping[str, TerraformValue]]] = field(
        default_factory=dict
    )
    statements: dict[str, DeclaredSql] = field(default_factory=dict)
    schemas: list[SchemaVersion] = field(default_factory=list)
    schema_files: list[tuple[str, str]] = field(default_factory=list)
    statement_files: set[str] = field(default_factory=set)
    levels: dict[str, str] = field(default_factory=dict)
    flows: dict[tuple[str, str, str], DeclaredFlow] = field(default_factory=dict)
    problems: dict[tuple[str, str], Problem] = field(default_factory=dict)
    unread: list[tuple[str, str]] = field(default_factory=list)
    others: list[tuple[Module, Block]] = field(default_factory=list)
    calls: int = 0
    steps: list[int] = field(default_factory=lambda: [0])
    refused: dict[str, str] = field(default_factory=dict)

    def read(self) -> None:
        """Read every root module: the directories that no other one calls."""
        paths: dict[str, list[str]] = {}
        for path in sorted(path for path in self.files if is_terraform_file(path)):
            paths.setdefault(path.rpartition("/")[0], []).append(path)
        self.paths = paths
        texts = {path: self.files[path] for listed in paths.values() for path in listed if not grammar_missing(path)}
        self.refused = Trials().refused({path: text for path, text in texts.items() if len(text) <= LARGEST})
        self.called = {
            _joined(directory, match["path"])
            for directory, listed in paths.items()
            for path in listed
            for match in _SOURCE.finditer(self.files[path])
        }
        for directory in sorted(paths.keys() - self.called):
            self._read_module(directory, {}, 0)
        self._leave_others()

    def _leave_others(self) -> None:
        """Read what else names topics: resources with Kafka as their source or target; others are left, with a topic.

        A resource says by the names of its parts what a topic is for; one that does not, and one that only names a
        topic of these files, is left.
        """
        topics = {name for kind, name in self.declarations if kind is DeclaredKind.TOPIC}
        for module, block in self.others:
            label = ".".join(block.labels)
            for scope in ModuleScope(module).instances(block):
                members = list(_members(scope, block, (block.labels[0],)))
                for keys, topic in _topics_of_kafka(members):
                    if operation := _operation(keys):
                        self.allow(label, topic, operation, block.place, f"a resource whose {operation} topic it is")
                    else:
                        topics.add(topic)
                read = {name for flow in self.flows.values() if flow.job == label for name in _ends(flow)}
                if named := sorted((topics - read).intersection(text for _, text in members)):
                    self.unread.append((block.path, f"resource {label} names topic {named[0]} and is not read"))

    def _parsed(self, directory: str) -> tuple[list[Block], dict[str, TerraformValue]]:
        """Return the blocks and the values of variables that the files of a directory have."""
        if directory in self.parsed:
            return self.parsed[directory]
        blocks: list[Block] = []
        certain: dict[str, TerraformValue] = {}
        others: dict[str, TerraformValue] = {}
        for path in self.paths.get(directory, ()):
            body = self._body(path)
            if body is None:
                continue
            if path.endswith(".tfvars"):
                scope = ModuleScope(Module(directory, self.files.get))
                is_certain = path.endswith(".auto.tfvars") or PurePosixPath(path).name == "terraform.tfvars"
                known = certain if is_certain else others
                known |= {name: scope.value(node) for name, node in attributes(body).items()}
            else:
                blocks += read_blocks(path, body)
        found = (blocks, {**others, **certain})
        if directory in self.called:
            self.parsed[directory] = found  # it is read once for each call
        return found

    def _body(self, path: str) -> Node | None:
        """Parse a file; None where it is not read, or has nothing."""
        extra, text = grammar_missing(path), self.files[path]
        if extra:
            self.unread.append((path, f"it needs the extra `{extra}`: pip install 'kafka-lineage-scanner[{extra}]'"))
            return None
        if len(text) > LARGEST:
            self.unread.append((path, f"it is longer than {LARGEST} characters"))
            return None
        if path in self.refused:
            self.unread.append((path, self.refused[path]))
            return None
        tree = parse_tree(path, text)
        if tree.has_error:
            self._problem(path, "a part of it is not valid Terraform", "the rest is read")
        return next((child for child in tree.named_children if child.type == "body"), None)

    def _read_module(self, directory: str, variables: Mapping[str, TerraformValue], level: int) -> Module:
        """Read a module with the values that its caller passes; the user's precede those."""
        blocks, own = self._parsed(directory)
        passed = variables if level else own
        module = Module(directory, self.files.get, {**passed, **self.given}, steps=self.steps)
        for block in blocks:
            name = block.labels[-1] if block.labels else ""
            match block.kind:
                case "variable" if "default" in block.attributes:
                    module.defaults[name] = block.attributes["default"]
                case "locals":
                    module.locals |= block.attributes
                case "output" if "value" in block.attributes:
                    module.outputs[name] = block.attributes["value"]
                case "resource" if len(block.labels) == 2:
                    module.resources[".".join(block.labels)] = block
        for block in blocks:
            if block.kind == "module" and block.labels:
                self._call(directory, block, module, level)
        for block in blocks:
            if block.kind == "resource" and len(block.labels) == 2:
                self._read_resource(block, module)
        return module

    def _read_resource(self, block: Block, module: Module) -> None:
        read = RESOURCES.get(block.labels[0])
        if read is None:
            self.others.append((module, block))
            return
        for scope in ModuleScope(module).instances(block):
            read(self, block, scope)

    def _call(self, directory: str, block: Block, module: Module, level: int) -> None:
        written = ModuleScope(module).text(block, "source")
        place = _joined(directory, written)
        if not written.startswith(".") or place not in self.paths or level >= DEEPEST_MODULES:
            return
        for scope in ModuleScope(module).instances(block):
            self.calls += 1
            if self.calls > MOST_MODULES:
                self._problem(block.place, f"more than {MOST_MODULES} modules are called", "further ones are not read")
                return
            passed = {name: scope.value(node) for name, node in block.attributes.items() if name not in _META}
            module.children[block.labels[-1]] = self._read_module(place, passed, level + 1)

    # --- facts

    def declare(self, kind: DeclaredKind, block: Block, name: str, declared: _Declared) -> None:
        """Add a topic or connector; one whose name is not decided is a problem with its place."""
        if not name or has_placeholder(name):
            label = ".".join(block.labels)
            what = f"the name of the {kind} {label} is known only to Terraform: {name!r}"
            self._problem(block.place, what, "pass the values of its variables with --var")
            return
        declaration = Declaration(
            source=self.source,
            kind=kind,
            name=name,
            parent=declared.parent,
            tool=TERRAFORM,
            place=block.place,
            partitions=declared.partitions,
            replication=declared.replication,
            whole=kind is DeclaredKind.CONNECTOR,
        )
        self.declarations.setdefault((kind, name), (declaration, declared.settings))

    def state(self, name: str, sql: str, place: str) -> None:
        """Add a statement of Confluent Cloud; an environment or cluster that is not decided is the current one."""
        if sql.strip():
            sql = _OPEN_QUALIFIER.sub("", sql)
            plain_name = name if name and not has_placeholder(name) else place
            declared = DeclaredSql(name=plain_name, statement=sql, place=place, engine=CONFLUENT)
            self.statements.setdefault(plain_name, declared)

    def register(self, block: Block, subject: str, text: str, about: _Schema) -> None:
        """Add a schema as the next version of its subject; one in a file by the path of that."""
        if not subject or has_placeholder(subject):
            self._problem(block.place, f"the subject of a schema is known only to Terraform: {subject!r}", "")
            return
        if about.path in self.files:
            self.schema_files.append((subject, about.path))
            return
        if not text or (has_placeholder(text) and text.startswith("${")):
            self._problem(block.place, f"the text of the schema of {subject!r} is in no file", "it is not read")
            return
        version = 1 + sum(known.subject == subject for known in self.schemas)
        self.schemas.append(
            SchemaVersion(
                source=self.source,
                subject=SubjectName(subject),
                version=version,
                schema_id=f"{subject}-{version}",
                format=about.format.upper() or "AVRO",
                text=text,
                references=about.references,
            )
        )

    def allow(self, job: str, topic: str, operation: str, place: str, description: str = _RIGHT) -> None:
        """Add what a right permits: an account reads or writes a topic."""
        if not job or has_placeholder(job) or has_placeholder(topic) or not re.fullmatch(r"[\w.-]+", topic):
            return
        for is_writing, names in ((False, _READING), (True, _WRITING)):
            if operation.lower() in names:
                flow = DeclaredFlow.use(
                    topic,
                    writes=is_writing,
                    source=self.source,
                    job=job,
                    description=description,
                    evidence=place,
                    suggested=True,
                )
                self.flows.setdefault((job, flow.origin.name, flow.target.name), flow)

    def _problem(self, place: str, what: str, hint: str) -> None:
        self.problems.setdefault((place, what), Problem(f"{self.source} {place}", what, hint))


class _Declared(NamedTuple):
    settings: Mapping[str, TerraformValue]
    parent: str = ""
    partitions: int | None = None
    replication: int | None = None


class _Schema(NamedTuple):
    format: str
    path: str = ""
    references: tuple[Reference, ...] = ()


_META = frozenset({"source", "version", "providers", "depends_on", "for_each", "count"})
_READING = frozenset({"read", "consume", "developerread", "readwrite", "admin"})
_WRITING = frozenset({"write", "produce", "developerwrite", "readwrite", "admin"})


def _joined(directory: str, path: str) -> str:
    """Return the directory that a path in another one leads to."""
    parts: list[str] = []
    for part in f"{directory}/{path}".split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return "/".join(parts)


# --- resources


def _number(scope: ModuleScope, block: Block, *names: str) -> int | None:
    for name in names:
        value = as_text(scope.value(block.attributes.get(name)))
        if value.isdigit() and len(value) < 10:
            return int(value) or None
    return None


def _settings(scope: ModuleScope, block: Block, *names: str) -> dict[str, TerraformValue]:
    """Return the settings in an attribute that is a map, or in a block of that name."""
    found: dict[str, TerraformValue] = {}
    for name in names:
        value = scope.value(block.attributes.get(name))
        found |= value if isinstance(value, dict) else {}
        for inner in block.blocks:
            if inner.kind == name:
                found |= {key.replace("_", "."): scope.value(node) for key, node in inner.attributes.items()}
    return {key: as_text(plain(value)) for key, value in found.items()}


def _members(scope: ModuleScope, block: Block, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the texts of a block with the names that lead to each, also those in lists, maps and blocks inside it."""
    waiting = [((*keys, name), scope.value(node)) for name, node in block.attributes.items()]
    while waiting:
        path, value = waiting.pop()
        value = plain(value)
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            waiting += [((*path, key), inside) for key, inside in value.items()]
        elif isinstance(value, list):
            waiting += [(path, inside) for inside in value]
    for inner in block.blocks:
        yield from _members(scope, inner, (*keys, inner.kind))


_TOPIC_NAMES = frozenset({"topic", "topics", "topic_name", "topic_names", "topics_to_replicate"})
_PART = re.compile(r"[^A-Za-z0-9]+")
_OF_KAFKA = frozenset({"kafka", "msk", "redpanda"})
_SIDES = {
    "read": frozenset({"source", "sources", "input", "inputs", "consumer"}),
    "write": frozenset({"target", "destination", "sink", "output", "outputs", "producer"}),
}


def _topics_of_kafka(members: list[tuple[tuple[str, ...], str]]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the topics of members called so whose names, or those of what they are in, speak of Kafka."""
    for keys, text in members:
        if keys[-1].lower() in _TOPIC_NAMES and not _OF_KAFKA.isdisjoint(_words(keys)):
            yield from ((keys, topic.strip()) for topic in text.split(",") if topic.strip())


def _words(keys: tuple[str, ...]) -> list[str]:
    return [word.lower() for key in keys for word in _PART.split(key)]


def _operation(keys: tuple[str, ...]) -> str:
    """Return what a resource does with a topic, by the names of the parts that it is in; empty if they do not say."""
    words = _words(keys)
    found = [operation for operation, names in _SIDES.items() if not names.isdisjoint(words)]
    return found[0] if len(found) == 1 else ""


def _ends(flow: DeclaredFlow) -> tuple[str, ...]:
    return (flow.origin.name, flow.target.name)


def _first(scope: ModuleScope, block: Block, *names: str) -> str:
    return next((text for name in names if (text := scope.text(block, name))), "")


def _topic(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    declared = _Declared(
        _settings(scope, block, "config", "configuration"),
        partitions=_number(scope, block, "partitions_count", "partitions", "partition_count"),
        replication=_number(scope, block, "replication_factor", "replication"),
    )
    reader.declare(DeclaredKind.TOPIC, block, _first(scope, block, "topic_name", "name"), declared)


def _connector(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    maps = ("config_nonsensitive", "config", "connector_configuration")
    settings = _settings(scope, block, *maps)
    unknown = [name for name in maps if isinstance(scope.value(block.attributes.get(name)), Unknown)]
    if unknown and CLASS not in settings:
        reader.declare(DeclaredKind.CONNECTOR, block, f"${{{unknown[0]}}}", _Declared({}))
        return
    name = settings.get("name") or _first(scope, block, "connector_name", "name") or block.labels[1]
    reader.declare(DeclaredKind.CONNECTOR, block, str(name), _Declared(settings))


def _statement(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    reader.state(_first(scope, block, "statement_name") or block.labels[1], scope.text(block, "statement"), block.place)
    path = scope.file_path(block, "statement")
    if path in reader.files:
        reader.statement_files.add(path)


def _flink_version(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    """Read Aiven's version of a Flink application: its tables, and the statement that uses them."""
    tables = [scope.text(inner, "create_table") for inner in block.blocks if inner.kind in _TABLES]
    parts = [part.strip().removesuffix(";") for part in (*tables, scope.text(block, "statement")) if part.strip()]
    reader.statements.setdefault(
        block.labels[1], DeclaredSql(name=block.labels[1], statement=";\n".join(parts), place=block.place)
    )


def _level(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    """Read the compatibility level of a subject, or of the registry, which has none."""
    subject, level = _first(scope, block, "subject_name", "subject"), _first(scope, block, *_LEVELS)
    if level and not has_placeholder(subject + level):
        reader.levels.setdefault(subject, level.upper())


_LEVELS = ("compatibility_level", "compatibility")
_TABLES = frozenset({"source", "sink", "sources", "sinks"})
"""The blocks of tables; the plural is that of versions of the provider before 4.1."""


def _schema(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    references = tuple(
        Reference(
            name=scope.text(inner, "name"),
            subject=SubjectName(_first(scope, inner, "subject_name", "subject")),
            version=_number(scope, inner, "version") or -1,
        )
        for inner in block.blocks
        if inner.kind in ("schema_reference", "reference", "references")
    )
    subject = _first(scope, block, "subject_name", "subject", "schema_name")
    text = _first(scope, block, "schema", "schema_definition")
    kind = _first(scope, block, "format", "schema_type", "data_format") or "AVRO"
    path = scope.file_path(block, "schema") or scope.file_path(block, "schema_definition")
    about = _Schema({"JSONSCHEMA": "JSON"}.get(kind.upper(), kind), path, references)
    reader.register(block, subject, text, about)


def _right(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    """Read an access control entry on a topic of its literal name."""
    kind = _first(scope, block, "resource_type", "acl_resource_type")
    pattern = _first(scope, block, "pattern_type", "resource_pattern_type_filter", "resource_pattern_type")
    permission = _first(scope, block, "permission", "acl_permission_type", "permission_type")
    literal = pattern.lower() in ("", "literal")
    if kind.lower() != "topic" or not literal or permission.lower() not in ("", "allow"):
        return
    job = _first(scope, block, "principal", "acl_principal").removeprefix("User:")
    topic = _first(scope, block, "resource_name", "acl_resource_name")
    reader.allow(job, topic, _first(scope, block, "operation", "acl_operation"), block.place)


def _aiven_right(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    reader.allow(
        scope.text(block, "username"), scope.text(block, "topic"), scope.text(block, "permission"), block.place
    )


def _trigger(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    """Read a mapping of topics to the function of AWS that they start."""
    job = scope.text(block, "function_name")
    topics = plain(scope.value(block.attributes.get("topics")))
    for topic in topics if isinstance(topics, list) else ():
        reader.allow(job, as_text(topic), "read", block.place, "a function that the topic starts")


def _role(reader: _Reader, block: Block, scope: ModuleScope) -> None:
    """Read a role of Confluent Cloud on a topic, which its resource pattern names last."""
    match = re.search(r"/topic=([\w.-]+)$", scope.text(block, "crn_pattern"))
    if match:
        job = scope.text(block, "principal").removeprefix("User:")
        reader.allow(job, match[1], scope.text(block, "role_name"), block.place)


RESOURCES: Mapping[str, Callable[[_Reader, Block, ModuleScope], None]] = {
    "aiven_flink_application_version": _flink_version,
    "aiven_kafka_acl": _aiven_right,
    "aiven_kafka_connector": _connector,
    "aiven_kafka_native_acl": _right,
    "aiven_kafka_schema": _schema,
    "aiven_kafka_schema_configuration": _level,
    "aiven_kafka_topic": _topic,
    "aws_glue_schema": _schema,
    "aws_lambda_event_source_mapping": _trigger,
    "aws_mskconnect_connector": _connector,
    "confluent_connector": _connector,
    "confluent_flink_statement": _statement,
    "confluent_kafka_acl": _right,
    "confluent_kafka_topic": _topic,
    "confluent_role_binding": _role,
    "confluent_schema": _schema,
    "confluent_schema_registry_cluster_config": _level,
    "confluent_subject_config": _level,
    "kafka-connect_connector": _connector,
    "kafka_acl": _right,
    "kafka_connect_connector": _connector,
    "kafka_topic": _topic,
    "redpanda_acl": _right,
    "redpanda_schema": _schema,
    "redpanda_topic": _topic,
    "schemaregistry_schema": _schema,
}
"""How a resource is read, by its type."""
