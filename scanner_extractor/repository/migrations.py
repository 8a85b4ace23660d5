"""Migrations of databases that are no SQL files: what they create, add, rename and drop, as statements.

A migration is a program that calls a few operations, or a document with their names. Source: the references of Alembic,
Django, Rails, Knex, Sequelize, TypeORM, Drizzle, Entity Framework Core, Liquibase, Prisma and Atlas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from scanner_extractor.repository.bounded_parsing import Trials
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mapping, mappings, text
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.statements import SqlStatement, statements_of
from scanner_extractor.repository.syntax_trees import Node, grammar_missing, grammar_of, is_test, parse_tree, words
from scanner_extractor.repository.yaml_documents import parse_yaml

MIGRATION = "migration"
"""The kind of these files, as they are counted."""
_SIGNS = (
    *(
        "from alembic",
        "migrations.Migration",
        "ActiveRecord::",
        "MigrationBuilder",
        "MigrationInterface",
        "drizzle-orm/",
        "org.flywaydb.",
    ),
    *(".createTable(", ".removeColumn(", ".dropColumn(", ".renameColumn(", ".addColumn("),
    *("pgm.dropColumns(", "pgm.addColumns(", "pgm.sql("),
    *("schema.table(", "schema.alterTable("),
)
_MODEL = re.compile(r"^(?:model|view) ", re.MULTILINE)
_MAPPED = re.compile(r"(?<!@)@map\(\"(?P<name>[^\"]+)\"\)")
_TABLE_MAPPED = re.compile(r"@@map\(\"(?P<name>[^\"]+)\"\)")
_RUBY_NAME = re.compile(r"(?<![\w:]):(\w+)\b(?!:)|\"(\w+)\"")
_REVISION = re.compile(r"^(?P<name>revision|down_revision)\b[^=\n]*=\s*['\"](?P<value>\w+)['\"]", re.MULTILINE)
_QUOTED = re.compile(r"[a-zA-Z@$]{0,2}(?P<quote>\"{3}|'{3}|[\"'`])(?P<text>.*)(?P=quote)", re.DOTALL)
_DOWN = re.compile(r"(?:[Dd]own|DOWN)(?:grade)?(?:[A-Z_0-9].*)?|state_operations|reverse_sql")
"""Parts of a program that take a migration back, or change only what Django knows of a table."""
_WORD = re.compile(r"[a-z_][a-z0-9_$]*")
_OPERATIONS = {
    **dict.fromkeys(("createtable", "pgtable", "mysqltable", "sqlitetable", "createmodel"), "create"),
    **dict.fromkeys(("addcolumn", "addcolumns", "addfield"), "add"),
    **dict.fromkeys(("dropcolumn", "dropcolumns", "removecolumn", "removefield"), "drop"),
    **dict.fromkeys(("renamecolumn", "renamefield", "altercolumn"), "rename"),
    **dict.fromkeys(("table", "altertable", "changetable", "batchaltertable"), "change"),
    **dict.fromkeys(("execute", "executeupdate", "exec", "execcontext", "query", "raw", "sql", "runsql"), "sql"),
    **dict.fromkeys(("alterfield", "changecolumn", "changecolumndefault", "altermodeltable"), "other"),
    **dict.fromkeys(("droptable", "deletemodel", "renametable", "renamemodel"), "other"),
}
"""What an operation does, by its name in small letters."""
_HARMLESS = re.compile(r"index|constraint|foreign|unique|primary|check|comment|sequence|trigger|insert|extension")
"""Words in the names of operations that leave the columns of a table as they are."""
_ALTERS = re.compile(r"alter|change|drop|rename|delete|remove|set")
"""Beginnings of the names of methods that take or change something of a table."""
_DJANGO = {
    "CreateModel": ("name", "fields", "options"),
    "RenameField": ("model_name", "old_name", "new_name"),
    **dict.fromkeys(("AddField", "RemoveField", "AlterField"), ("model_name", "name", "field")),
}
"""The names of what operations of Django are passed by position."""
_NO_COLUMNS = frozenset(
    (
        "index",
        "foreign",
        "references",
        "intable",
        "unique",
        "primary",
        "ondelete",
        "onupdate",
        "comment",
        "defaultto",
        "raw",
    )
)
"""Methods of a table of Knex or Rails that take a name and add no column."""
_NAMES = ("name", "model_name", "table", "tableName", "table_name")
_COLUMNS = ("name", "column", "columnName", "column_name", "old_name", "oldColumnName")
_NEW = ("new_column_name", "newName", "new_name", "newColumnName")


class _Argument(NamedTuple):
    keyword: str
    literal: str
    node: Node


class Migration(NamedTuple):
    """What a migration does to tables: statements, and the operations that are *left*, since no statement is known."""

    statements: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class _Call(NamedTuple):
    name: str
    arguments: Sequence[_Argument]
    node: Node
    constants: Mapping[str, str]

    def literals(self) -> list[str]:
        """Return the texts that are passed by position."""
        return [argument.literal for argument in self.arguments if not argument.keyword and argument.literal]

    def value(self, *keywords: str) -> str:
        """Return the text that is passed by one of *keywords*; empty if absent."""
        return next((one.literal for one in self.arguments if one.keyword in keywords and one.literal), "")


Change = tuple[str, Mapping[str, str], list[str]]
"""A change of Liquibase: its name, its attributes, and the columns in it."""
_LIQUIBASE_LEFT = frozenset(
    words(
        "addNotNullConstraint customChange delete dropNotNullConstraint dropTable mergeColumns modifyDataType"
        " renameTable update"
    )
)
"""Changes of Liquibase whose effect on columns, or rows, is not interpreted."""


def is_migration(file: RepositoryFile) -> bool:
    """Check whether a file is a migration that is not SQL, or a schema that migrations are made from."""
    if file.ending in (".xml", ".yaml", ".yml", ".json"):
        return "databaseChangeLog" in file.text
    if file.ending == ".prisma":
        return True
    if file.ending == ".hcl":
        return re.search(r"^table\s+\"", file.text, re.MULTILINE) is not None
    return (
        (file.ending == ".rb" or grammar_of(file.path) is not None)
        and not is_test(file.path)
        and (any(sign in file.text for sign in _SIGNS) or _runs_sql(file))
    )


def _runs_sql(file: RepositoryFile) -> bool:
    """Check whether a program alters tables, and its path says that it is a migration."""
    return "migrat" in file.path.lower() and _ALTERING.search(file.text) is not None


def read_migrations(files: Sequence[RepositoryFile], context: Context) -> None:
    """Keep the statements of migrations for the tables of SQL files, in the order in which they are applied."""
    trees = {_grammar_path(file): file.text for file in files if _has_tree(file)}
    refused = Trials().refused(trees) if trees else {}
    reader = _Reader()
    for file in _in_order(files):
        if _grammar_path(file) not in refused:
            statements = list(reader.statements(file))
            if statements:
                text = ";\n".join(statements)
                context.migrations.append((file.path, statements_of(text)))


def read_migration(file: RepositoryFile) -> Migration:
    """Return what a migration does to tables; the whole file is left if its parser does not end in time."""
    path, reader = _grammar_path(file), _Reader()
    if _has_tree(file) and path in Trials().refused({path: file.text}):
        return Migration(left=(file.text,))
    statements = tuple(reader.statements(file))
    is_silent = not (statements or reader.left) and _ALTERING.search(file.text)
    return Migration(statements, (file.text,) if is_silent else tuple(reader.left))


def _has_tree(file: RepositoryFile) -> bool:
    path = _grammar_path(file)
    return grammar_of(path) is not None and not grammar_missing(path)


def _grammar_path(file: RepositoryFile) -> str:
    """Return a path whose ending has the grammar of a file: Atlas has that of Terraform."""
    return f"{file.path}.tf" if file.ending == ".hcl" else file.path


def _in_order(files: Sequence[RepositoryFile]) -> list[RepositoryFile]:
    """Return files by the numbers in their paths; revisions of Alembic after those that they are based on."""
    by_path = sorted(files, key=lambda file: [(int(digits or 0), word) for digits, word in _PARTS.findall(file.path)])
    marks = {file.path: {match["name"]: match["value"] for match in _REVISION.finditer(file.text)} for file in files}
    bases = {mark["revision"]: mark.get("down_revision", "") for mark in marks.values() if "revision" in mark}

    def depth(file: RepositoryFile) -> int:
        revision, count = marks[file.path].get("revision", ""), 0
        while revision and count <= len(bases):
            revision, count = bases.get(revision, ""), count + 1
        return count

    return sorted(by_path, key=depth)


_PARTS = re.compile(r"(\d+)|(\D+)")


@dataclass(slots=True)
class _Reader:
    """Reads migrations one after the other; *tables* are those of Django's models, by application and model.

    What is *left* are operations of all files whose effect on columns is not known.
    """

    tables: dict[tuple[str, str], str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def statements(self, file: RepositoryFile) -> Iterator[str]:
        """Yield what a file does to tables, as statements."""
        if file.ending == ".prisma":
            yield from _prisma(file.text)
        elif file.ending == ".rb":
            yield from _Rails(self).statements(file.text)
        elif file.ending == ".xml":
            yield from self._liquibase(_xml_changes(file.text))
        elif file.ending in (".yaml", ".yml", ".json"):
            yield from self._liquibase(_document_changes(file.text))
        elif _has_tree(file):
            root = parse_tree(_grammar_path(file), file.text)
            yield from _atlas(root) if file.ending == ".hcl" else self._program(root, file)

    def _program(self, root: Node, file: RepositoryFile) -> Iterator[str]:
        application = file.directory.rpartition("/migrations")[0].rpartition("/")[2]
        inside: set[int] = set()
        for call in _calls(root, _constants(root)):
            operation = _OPERATIONS.get(_plain(call.name))
            if operation != "sql" and call.node.id in inside:
                continue
            is_about = operation == "sql" or bool(_table_of(call) or call.value("model_name", "name"))
            if operation and is_about:
                block = _block_of(call.node) if operation == "change" else call.node
                inside |= {one.node.id for one in _calls(block)}
                does = self.sql(_sql_in(call), call) if operation == "sql" else None
                yield from does or self._operation(operation, call, application)
            elif (operation or any(map(_PLAIN_NAME.fullmatch, call.literals()[:1]))) and not _HARMLESS.search(
                _plain(call.name)
            ):
                self.left.append(" ".join(_source(call.node).split()))

    def sql(self, text: str | None, call: _Call | str) -> Iterator[str]:
        """Yield the statements about tables in the text of SQL that is run; None: it is not written there."""
        listed = statements_of(text) if text is not None else ()
        for statement in listed:
            if _DDL.match(statement.code):
                yield statement.code.strip()
        if text is None or not all(_is_known(statement) for statement in listed):
            self.left.append(" ".join((call if isinstance(call, str) else _source(call.node)).split()))

    def _operation(self, operation: str, call: _Call, application: str) -> Iterator[str]:
        model = call.value("model_name") or (call.value("name") if call.name == "CreateModel" else "")
        table, columns = _table_of(call), _columns_of(call)
        if model:
            key = application, model.lower()
            if operation == "create":
                self.tables[key] = _option(call, "db_table") or f"{application}_{model.lower()}"
            table = self.tables.get(key, f"{application}_{model.lower()}")
        names = [name for name in call.literals() if name != table]
        own = call.value("old_name") or (
            "" if call.value("model_name") == "" and not call.value("table") else call.value("name")
        )
        name = own or next(iter(names), "")
        new = call.value(*_NEW) or next(iter(names[1:]), "")
        match operation:
            case "create":
                yield _created(table, columns)
            case "add" if columns or name:
                yield from (f"ALTER TABLE {_sql(table)} ADD COLUMN {_sql(one)} unknown" for one in columns or [name])
            case "drop" if listed := [name] if name else _listed(call):
                yield from (f"ALTER TABLE {_sql(table)} DROP COLUMN {_sql(one)}" for one in listed)
            case "rename" if name and new and (call.value(*_NEW) or _plain(call.name) != "altercolumn"):
                yield f"ALTER TABLE {_sql(table)} RENAME COLUMN {_sql(name)} TO {_sql(new)}"
            case "change":
                yield from _changed(table, _block_of(call.node), self.left)
            case _:
                self.left.append(" ".join(_source(call.node).split()))

    def _liquibase(self, changes: Iterable[Change]) -> Iterator[str]:
        for name, attributes, columns in changes:
            table, column = attributes.get("tableName", ""), attributes.get("columnName", "")
            old, new = attributes.get("oldColumnName", ""), attributes.get("newColumnName", "")
            match name:
                case "createTable":
                    yield _created(table, columns)
                case "addColumn":
                    yield from (f"ALTER TABLE {_sql(table)} ADD COLUMN {_sql(one)} unknown" for one in columns)
                case "dropColumn":
                    yield from (f"ALTER TABLE {_sql(table)} DROP COLUMN {_sql(one)}" for one in columns or [column])
                case "renameColumn":
                    yield f"ALTER TABLE {_sql(table)} RENAME COLUMN {_sql(old)} TO {_sql(new)}"
                case "sql":
                    yield from self.sql(attributes.get("sql") or attributes.get("", ""), f"sql {attributes}")
                case _ if name in _LIQUIBASE_LEFT:
                    self.left.append(f"{name} {dict(sorted(attributes.items()))}")


_DDL = re.compile(r"\s*(?:CREATE|ALTER)\s+TABLE\b", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.$]*")
_ALTERING = re.compile(r"(?i)\bALTER\s+TABLE\b|\bDROP\s+(?:TABLE|COLUMN)\b")
_OTHERWISE = re.compile(
    r"(?i)\b(?:ALTER\s+COLUMN|RENAME\s+TO|SET\s+SCHEMA)\b|(?<!\bADD\s)(?<!\bCOLUMN\s)\b(?:MODIFY|CHANGE|TYPE)\b"
)
"""A change of a table that is not of names of columns, which may be called like these words."""
_NO_COLUMN_OF = re.compile(
    r"(?i)\s*(?:INSERT\b.*\bVALUES\b|GRANT\b|COMMENT\s+ON\b"
    r"|CREATE\s+(?:UNIQUE\s+)?(?:INDEX|USER|ROLE|EXTENSION|SEQUENCE)\b|(?:BEGIN|COMMIT)\s*$)",
    re.DOTALL,
)


def _is_known(statement: SqlStatement) -> bool:
    """Check whether it is known what a statement does to columns: it has none, or creates, adds, drops or renames."""
    code = statement.code
    return bool(_NO_COLUMN_OF.match(code)) or (bool(_DDL.match(code)) and not _OTHERWISE.search(code))


def _created(table: str, columns: Iterable[str]) -> str:
    return f"CREATE TABLE {_sql(table)} ({', '.join(f'{_sql(column)} unknown' for column in columns)})"


def _block_of(node: Node) -> Node:
    """Return what a call is around: the body of a `with` statement of Python, else the call with its arguments."""
    at = node
    while at.parent is not None and at.type not in ("with_statement", "block"):
        at = at.parent
    return at if at.type == "with_statement" else node


def _listed(call: _Call) -> list[str]:
    """Return the columns in the list that is passed behind a table."""
    nodes = [one.node for one in call.arguments[1:2] if one.node.type in ("array", "list", "array_creation_expression")]
    return [name for node in nodes for name in _first_literals(node)]


def _changed(table: str, node: Node, left: list[str]) -> Iterator[str]:
    """Yield what the calls inside a call do to its table: `t.dropColumn('total')`; what is not known is *left*."""
    for call in _calls(node):
        plain, names = _plain(call.name), call.literals()
        operation = _OPERATIONS.get(plain)
        if call.node.id == node.id or not (names or plain == "alter"):
            continue
        if operation == "drop":
            yield from (f"ALTER TABLE {_sql(table)} DROP COLUMN {_sql(name)}" for name in names)
        elif operation == "rename" and len(names) > 1:
            yield f"ALTER TABLE {_sql(table)} RENAME COLUMN {_sql(names[0])} TO {_sql(names[1])}"
        elif operation in ("rename", "other") or (
            operation is None and _ALTERS.match(plain) and not _HARMLESS.search(plain)
        ):
            left.append(f"{table}: {' '.join(_source(call.node).split())}")
        elif operation in (None, "add") and plain not in _NO_COLUMNS and not _ALTERS.match(plain):
            yield f"ALTER TABLE {_sql(table)} ADD COLUMN {_sql(names[0])} unknown"


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _sql(name: str) -> str:
    parts = name.split(".")
    return ".".join(part if _WORD.fullmatch(part) else f'"{part}"' for part in parts)


# --- calls of programs


def _constants(root: Node) -> dict[str, str]:
    """Return the texts that names of a program stand for; a name with several texts stands for none."""
    found: dict[str, set[str]] = {}
    stack = [root]
    while stack:
        current = stack.pop()
        named, value = next(filter(None, map(current.child_by_field_name, ("left", "name"))), None), None
        value = next(filter(None, map(current.child_by_field_name, ("right", "value"))), None)
        if named is not None and value is not None and named.type == "identifier":
            found.setdefault(_source(named), set()).add(_literal(value))
        stack += current.named_children
    return {name: next(iter(texts)) for name, texts in found.items() if len(texts) == 1 and all(texts)}


def _sql_in(call: _Call) -> str | None:
    """Return the SQL that is passed to a call; None if a part of it is not written there."""
    keyword = call.value("sql", "statement", "sqltext")
    passed = [one.node for one in call.arguments]
    written = next((node for node in passed if any("string" in one.type for one in (node, *_below(node)))), None)
    first = written or next(iter(passed), None)  # what comes before may be a context
    return keyword or (_sql_text(first, call) if first is not None else None)


def _sql_text(node: Node, call: _Call) -> str | None:
    if node.type == "identifier":
        return call.constants.get(_source(node))
    if node.type in ("concatenated_string", "binary_expression", "binary_operator", "array", "list", "tuple"):
        parts = [_sql_text(child, call) for child in node.named_children]
        glue = ";\n" if node.type in ("array", "list") else ""
        return None if None in parts else glue.join(filter(None, parts))
    if "string" in node.type:
        dynamic = any("interpol" in one.type or "substitution" in one.type for one in _below(node))
        match = _QUOTED.fullmatch(_source(node))
        return None if dynamic or match is None else match["text"]
    arguments = node.child_by_field_name("arguments")
    children = node.named_children if arguments is None else arguments.named_children
    return _sql_text(children[0], call) if children else None


def _below(node: Node) -> Iterator[Node]:
    stack = list(node.named_children)
    while stack:
        current = stack.pop()
        yield current
        stack += current.named_children


def _calls(node: Node, constants: Mapping[str, str] | None = None) -> Iterator[_Call]:
    """Yield the calls of a program in order, without those in the part that takes a migration back."""
    stack = [node]
    while stack:
        current = stack.pop()
        if _DOWN.fullmatch(_name_of(current)):
            continue
        arguments = current.child_by_field_name("arguments")
        called = next(filter(None, map(current.child_by_field_name, ("function", "constructor", "type", "name"))), None)
        if arguments is not None and called is not None:
            own = next(filter(None, map(called.child_by_field_name, ("name", "property", "attribute"))), called)
            name = _source(own).partition("<")[0].rpartition(".")[2].strip()
            passed = [_argument(child, constants or {}) for child in arguments.named_children]
            for at, keyword in enumerate(_DJANGO.get(name, ())[: len(passed)]):
                passed[at] = passed[at] if passed[at].keyword else passed[at]._replace(keyword=keyword)
            yield _Call(name, passed, current, constants or {})
        stack += reversed(current.named_children)


def _name_of(node: Node) -> str:
    """Return the name of a function, method or member; empty for any other node."""
    for name in ("name", "key", "left"):
        named = node.child_by_field_name(name)
        if named is not None:
            return _source(named).rpartition(".")[2].strip()
    return ""


def _argument(node: Node, constants: Mapping[str, str]) -> _Argument:
    if node.type == "identifier":
        return _Argument("", constants.get(_source(node), ""), node)
    keyword, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    inside = node
    if keyword is not None and value is not None:
        return _Argument(_source(keyword), _literal(value), value)
    if node.type == "argument" and node.named_children:  # C#
        inside = node.named_children[-1]
        if len(node.named_children) > 1:
            return _Argument(_source(node.named_children[0]).rstrip(": "), _literal(inside), inside)
    return _Argument("", _literal(inside), inside)


def _literal(node: Node) -> str:
    match = _QUOTED.fullmatch(_source(node)) if "string" in node.type else None
    return match["text"].strip() if match else ""


def _source(node: Node) -> str:
    return str(node.text.decode("utf-8", "replace"))


def _table_of(call: _Call) -> str:
    """Return the table that a call is about: by keyword, in an object, else the first text."""
    named = call.value("table", "tableName", "table_name")
    if named:
        return named
    if _plain(call.name) == "createtable" and (name := call.value("name")):
        return name
    first = next((one for one in call.arguments if not one.keyword), None)
    if first is not None and first.node.type in ("identifier", "attribute", "member_expression"):
        return first.literal
    return next(iter(call.literals()), "") or _option(call, "name")


def _option(call: _Call, name: str) -> str:
    """Return the text of a member of an object that is passed, such as `{name: 'orders'}`; empty if absent."""
    return next((_literal(value) for key, value in _pairs(call.node) if key == name and _literal(value)), "")


def _pairs(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the members of the objects in a node, in order."""
    stack = [node]
    while stack:
        current = stack.pop()
        key, value = current.child_by_field_name("key"), current.child_by_field_name("value")
        if key is not None and value is not None:
            yield _source(key).strip("\"'"), value
        stack += reversed(current.named_children)


def _columns_of(call: _Call) -> list[str]:
    """Return the columns that a call names inside: of nested calls, members of an object, or pairs."""
    plain = _plain(call.name)
    nested = [one for one in _calls(call.node) if one.node.id != call.node.id]
    if plain.endswith("table") and plain != "createtable":  # Drizzle
        return [next(iter(_first_literals(value)), key) for key, value in _members(call.arguments[1:2])]
    if columns := [one.literals()[0] for one in nested if one.name == "Column" and one.literals()]:
        return columns
    if call.name == "CreateModel":
        fields = next((one.node for one in call.arguments if one.keyword == "fields"), None)
        return [next(iter(_first_literals(item)), "") for item in (fields.named_children if fields is not None else ())]
    if call.name == "CreateTable":
        listed = next((one.node for one in call.arguments if one.keyword == "columns"), None)
        return _anonymous_members(listed) if listed is not None else []
    if one := [one for one in nested if one.name in ("Table", "TableColumn")]:
        names = [_literal(value) for key, value in _pairs(one[0].node) if key == "name" and _literal(value)]
        return names[1:] if one[0].name == "Table" else names
    methods = [one for one in nested if one.literals() and _plain(one.name) not in (*_NO_COLUMNS, *_OPERATIONS)]
    return [one.literals()[0] for one in methods] or [key for key, _ in _members(call.arguments[1:2])]


def _members(arguments: Sequence[_Argument]) -> Iterator[tuple[str, Node]]:
    """Yield the own members of an object that is passed."""
    for argument in arguments:
        for child in argument.node.named_children:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and value is not None:
                yield _source(key).strip("\"'"), value


def _first_literals(node: Node) -> Iterator[str]:
    stack = [node]
    while stack:
        current = stack.pop()
        if literal := _literal(current):
            yield literal
        else:
            stack += reversed(current.named_children)


def _anonymous_members(node: Node) -> list[str]:
    """Return the members of an anonymous object of C#: `new { id = …, total = … }`."""
    return [match[1] for match in re.finditer(r"\b(\w++) ?= ?table\.Column", _source(node))]


# --- documents


_RAILS_KEYWORD = re.compile(r",\s*\w+: .*|\bdo\b.*")
_RAILS_LEFT = frozenset(
    words("change_column change_column_default change_column_null drop_table rename_table drop_join_table t.change")
)
_HEREDOC = re.compile(r"<<[~-]?['\"]?(\w+)")


@dataclass(slots=True)
class _Rails:
    """Reads the lines of a migration of Rails, or of its schema: there is no parser of Ruby here."""

    reader: _Reader
    table: str = ""
    columns: list[str] = field(default_factory=list)
    is_changed: bool = False

    def statements(self, text: str) -> Iterator[str]:
        """Yield what a migration does to tables."""
        lines = iter(text.partition("def down")[0].splitlines())
        for line in lines:
            plain = re.sub(r"^\s*(?:safety_assured|\w+\.up)\s*(?:\{|do)\s*", "", line).strip()
            if re.match(r"\w+\.down\b", plain):
                while "}" not in plain and plain != "end":
                    plain = next(lines, "end").strip()
            elif match := re.match(r"execute\b[\s(]*(?P<rest>.*)", plain):
                yield from self._execute(match["rest"], lines)
            elif plain == "end":
                yield from self._end()
            else:
                yield from self._line(*plain.replace("(", " ", 1).partition(" ")[::2], plain)
        yield from self._end()

    def _execute(self, rest: str, lines: Iterator[str]) -> Iterator[str]:
        match = _HEREDOC.match(rest)
        listed = []
        while match and (line := next(lines, match[1])).strip() != match[1]:
            listed.append(line)
        quoted = re.match(r"(['\"])(?P<text>.*)\1", rest)
        sql = "\n".join(listed) if match else quoted["text"] if quoted else None
        yield from self.reader.sql(None if sql is None or "#{" in sql else sql, f"execute {rest}")

    def _end(self) -> Iterator[str]:
        if self.table and not self.is_changed:
            yield _created(self.table, self.columns)
        self.table = ""

    def _line(self, name: str, rest: str, line: str) -> Iterator[str]:
        passed = _RAILS_KEYWORD.sub("", rest)
        args = [one or other for one, other in _RUBY_NAME.findall(passed)] if rest.lstrip()[:1] in (":", '"') else []
        if name in _RAILS_LEFT:
            self.reader.left.append(f"{self.table} {line}".strip())
        elif name.startswith("t.") and self.table:
            yield from self._member(name.removeprefix("t."), args)
        elif name in ("create_table", "change_table") and args:
            yield from self._end()
            self.table, self.is_changed = args[0], name == "change_table"
            self.columns = [] if re.search(r"\bid: false\b", rest) else ["id"]
        elif args[1:]:
            own, *named = args
            does, _, what = name.partition("_")
            ids = what in ("reference", "belongs_to")
            listed = [f"{one}_id" for one in named[:1]] if ids else named[:1] if what == "column" else named
            if does == "rename" and what == "column":
                yield f"ALTER TABLE {own} RENAME COLUMN {named[0]} TO {named[-1]}"
            elif does in ("add", "remove") and (ids or what in ("column", "columns")):
                yield from map(_ALTERED[does].format, *zip(*((own, one) for one in listed), strict=True))

    def _member(self, name: str, args: Sequence[str]) -> Iterator[str]:
        """Yield what a line in the block of a table does; columns of a new table are kept until its end."""
        if name == "timestamps":
            args = ("created_at", "updated_at")
        elif name in ("references", "belongs_to"):
            args = [f"{one}_id" for one in args]
        elif name in _NO_COLUMNS or (name == "remove" and not args):
            return
        if name == "rename" and args[1:]:
            yield f"ALTER TABLE {self.table} RENAME COLUMN {args[0]} TO {args[1]}"
        elif name == "remove" or self.is_changed:
            yield from (_ALTERED["remove" if name == "remove" else "add"].format(self.table, one) for one in args)
        else:
            self.columns += args


_ALTERED = {"add": "ALTER TABLE {} ADD COLUMN {} unknown", "remove": "ALTER TABLE {} DROP COLUMN {}"}


def _prisma(text: str) -> Iterator[str]:
    """Yield the tables of a schema of Prisma, without the members that are relations to other models."""
    parts = [part.partition("{") for part in _MODEL.split(text)[1:]]
    bodies = {name.strip(): body.partition("\n}")[0] for name, _, body in parts}
    for name, body in bodies.items():
        named = _TABLE_MAPPED.search(body)
        fields = [(line, line.split()) for line in body.splitlines()]
        columns = [
            mapped["name"] if (mapped := _MAPPED.search(line)) else words[0]
            for line, words in fields
            if len(words) > 1 and words[0].isidentifier() and words[1].rstrip("?[]") not in bodies
        ]
        yield _created(named["name"] if named else name, columns)


def _atlas(root: Node) -> Iterator[str]:
    """Yield the tables of a schema of Atlas: blocks `table` with blocks `column`."""
    for table, node in _blocks(root, "table"):
        yield _created(table, [name for name, _ in _blocks(node, "column")])


def _blocks(node: Node, kind: str) -> Iterator[tuple[str, Node]]:
    stack = list(reversed(node.named_children))
    while stack:
        current = stack.pop()
        if current.type == "block" and _source(current.named_children[0]) == kind:
            labels = [_source(child).strip('"') for child in current.named_children if child.type == "string_lit"]
            yield labels[-1] if labels else "", current
        else:
            stack += reversed(current.named_children)


def _document_changes(written: str) -> Iterator[Change]:
    for parsed in parse_yaml(written):
        for entry in mappings(parsed.value, "databaseChangeLog"):
            for change in mappings(entry, "changeSet", "changes"):
                for name, value in change.items():
                    columns = [text(one, "column", "name") for one in mappings(value, "columns")]
                    plain = {key: text(value, key) for key in mapping(value)}
                    yield (
                        name,
                        plain | ({"": text(change, name)} if isinstance(value, str) else {}),
                        list(filter(None, columns)),
                    )


def _xml_changes(written: str) -> Iterator[Change]:
    found: list[Change] = []
    rollback = [0]
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        plain = name.rpartition(":")[2]
        rollback[0] += plain == "rollback"
        if rollback[0]:
            return
        if plain == "column" and found and "name" in attributes:
            found[-1][2].append(attributes["name"])
        else:
            found.append((plain, dict(attributes), []))

    def end(name: str) -> None:
        rollback[0] -= name.rpartition(":")[2] == "rollback"

    def characters(part: str) -> None:
        if found and found[-1][0] == "sql" and not rollback[0]:
            attributes = dict(found[-1][1])
            found[-1] = ("sql", attributes | {"": attributes.get("", "") + part}, found[-1][2])

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    try:
        parser.Parse(written.encode("utf-8", "replace"), True)
    except expat.ExpatError:
        return
    # A column has constraints of its own inside: the columns behind them belong to the same change.
    merged: list[Change] = []
    for change in found:
        if change[0] == "constraints" and merged:
            merged[-1][2].extend(change[2])
        else:
            merged.append(change)
    yield from merged
