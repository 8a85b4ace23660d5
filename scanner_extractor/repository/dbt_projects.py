"""dbt projects by their files: models, sources and seeds as tables, where no manifest is given.

A model is compiled as dbt does it, as far as that takes no macro: `ref`, `source`, `this`, settings, and variables with
a default. Another model keeps what it depends on, without its columns. Source: dbt, "Building a DAG", "ref", "source"
and "Project configs".
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mapping, mappings, member, text, texts
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.sql_files import add_sql
from scanner_extractor.repository.statements import engine_of, statements_of
from scanner_extractor.repository.undeclared import topics_in
from scanner_extractor.repository.variables import template_parts
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.dbt.manifest import STREAM_ADAPTERS, Project
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.payload import Json, Payload, Unread
from scanner_model.redaction import mask_statement

DBT = "dbt project"
"""What these files are counted as."""
_PROJECT, _PROFILES = "dbt_project.yml", "profiles.yml"
_YAML = (".yml", ".yaml")
_PARTS = ("database", "schema")
_DATABASES = {"bigquery": ("project", "dataset"), "postgres": ("dbname", "schema"), "redshift": ("dbname", "schema")}
"""Adapter → the members of a profile that name database and schema; those of others have these names."""
_HOSTS = {"postgres": "5432", "redshift": "5439"}
"""Adapters whose namespace is host and port, with the usual port."""
_LONGEST = 100_000
_DEEPEST = 10
_MOST_COLUMNS = 1_000
_HASHES = frozenset(("surrogate_key", "generate_surrogate_key"))
"""Macros of dbt's own packages that make a hash of columns."""
_CREATES = re.compile(r"(?:\s|--[^\n]*\n)*+create\s", re.IGNORECASE)
"""The beginning of a model that is a whole statement, as a source or sink of a stream processor is."""
_UNLESS_FIRST = re.compile(r"if\s+(?:not\s+)?is_incremental\(\)")


def is_dbt_project(file: RepositoryFile) -> bool:
    """Check whether a file is the root of a dbt project."""
    return file.name == _PROJECT


def read_dbt_projects(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the tables of each project, with the SQL of its models, or with what they depend on."""
    for file in files:
        project = _ProjectFiles(file, context)
        if project.adapter in STREAM_ADAPTERS:
            context.leave(
                file, DBT, "its models are statements of a stream processor: compile it, and name its manifest"
            )
            continue
        settings = DbtSettings(files=FileSettings(pattern=file.path, base=Path()), namespace=project.namespace)
        nodes = project.nodes()
        if engine := project.engine:
            for path, sql in project.statements(nodes):
                add_sql(statements_of(sql), path, context, engine)
            nodes = {}
        else:
            project.left |= dict.fromkeys(project.stated, "it is a whole statement, of an engine that is not known")
        document = {"version": "v12", "adapter": project.adapter, "nodes": nodes, "catalog": None}
        unread = Unread(settings.source)
        manifest = Project(Payload(document), settings, unread)
        context.tables += [replace(table, source=context.source) for table in manifest.tables()]
        context.links += [replace(link, source=context.source) for link in manifest.links()]
        for path in project.read:
            if not topics_in(context.text(path) or "", path):  # a model may be a Kafka table of another engine
                context.chart_files[path] = None
        for path, reason in project.left.items():
            context.leave(path, DBT, reason)


@dataclass(slots=True)
class _DbtModel:
    """A model: the tables that it names, its settings, and its SQL; *unknown* says what of it is not compiled."""

    names: list[str] = field(default_factory=list)
    config: dict[str, str] = field(default_factory=dict)
    sql: str = ""
    unknown: str = ""

    @property
    def is_part(self) -> bool:
        """Return whether the model has no table: its SQL is a part of that of others."""
        return self.config.get("materialized") == "ephemeral"


@dataclass(frozen=True, slots=True)
class _ModelCompiler:
    """Puts the names of tables into the SQL of models, and models without a table before it, as dbt does."""

    models: Mapping[str, _DbtModel]
    relations: Mapping[str, str]

    def sql(self, model: _DbtModel, depth: int = 0) -> str:
        """Return the compiled SQL of a model; empty where a part of it is not known."""
        parts: dict[str, str] = {}

        def named(match: re.Match[str]) -> str:
            other = self.models.get(match[1])
            if other is None or not other.is_part:
                return self.relations.get(match[1], match[1])
            parts[f"__dbt__cte__{match[1]}"] = "" if other.unknown or depth > _DEEPEST else self.sql(other, depth + 1)
            return f"__dbt__cte__{match[1]}"

        sql = _REFERENCE.sub(named, model.sql)
        if not all(parts.values()):
            return ""
        before = ", ".join(f"{name} as ({part})" for name, part in parts.items())
        if not before:
            return sql
        own = _WITH.match(sql)
        return f"{own[0]}{before}, {sql[own.end() :]}" if own else f"with {before} {sql}"


_WITH = re.compile(r"(?i)(?:\s|--[^\n]*\n)*+with\s+(?:recursive\s+)?")


@dataclass
class _ProjectFiles:
    """The files of one project; *read* are those that its tables come from, *left* those that are not compiled.

    *stated* are models that are whole statements, each with its SQL.
    """

    file: RepositoryFile
    context: Context
    read: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)

    @cached_property
    def project(self) -> Json:
        return self._document(self.file.path)

    @cached_property
    def name(self) -> str:
        return text(self.project, "name") or PurePosixPath(self.file.directory).name

    @cached_property
    def profile(self) -> Json:
        """Return the target of the project's profile; empty where no profile is beside it."""
        found = self.context.path_of(_PROFILES, self.file.directory)
        profiles = self._document(found) if found else {}
        profile = mapping(profiles, text(self.project, "profile") or self.name)
        outputs = mapping(profile, "outputs")
        return mapping(outputs, self._plain(text(profile, "target")) or next(iter(outputs), ""))

    @cached_property
    def adapter(self) -> str:
        return text(self.profile, "type")

    @cached_property
    def namespace(self) -> str:
        """Return the warehouse by its profile; without a known one, the tables are those of the project."""
        host, account = (self._plain(text(self.profile, name)) for name in ("host", "account"))
        if self.adapter == "bigquery":
            return self.adapter
        if self.adapter in _HOSTS and host:
            return f"{self.adapter}://{host}:{self._plain(text(self.profile, 'port')) or _HOSTS[self.adapter]}"
        return f"snowflake://{account}" if self.adapter == "snowflake" and account else f"dbt://{self.name}"

    @property
    def engine(self) -> str:
        """Return the stream processor whose statements some models are; empty if none are."""
        found = engine_of(list(chain.from_iterable(map(statements_of, self.stated.values()))))
        return found if self.stated and found in STREAM_ADAPTERS else ""

    def statements(self, nodes: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
        """Yield the statement of each model with its file: that of a table is a view that keeps its result."""
        yield from self.stated.items()
        for node in nodes.values():
            if node.get("compiled_code") and node["relation_name"]:
                view = f"CREATE MATERIALIZED VIEW {node['relation_name']} AS {node['compiled_code']}"
                yield node["original_file_path"], view

    def _document(self, path: str) -> Json:
        """Return what a file of YAML holds; one that cannot be read is left, with the reason."""
        parsed = next(iter(parse_yaml(self.context.text(path) or "")), None)
        if parsed is None or (not parsed.error and isinstance(parsed.value, dict)):
            return parsed.value if parsed is not None else {}
        self.left[path] = parsed.error or "its top level is not a mapping"
        return {}

    def nodes(self) -> dict[str, Json]:
        """Return the nodes as a manifest has them."""
        sources = dict(self._sources())
        models = {PurePosixPath(path).stem: path for path in self._files("model-paths", "models", (".sql",))}
        seeds = {PurePosixPath(path).stem: path for path in self._files("seed-paths", "seeds", (".csv",))}
        compiled = {name: self._compiled(name, path, sources) for name, path in models.items()}
        relations = {name: self._relation(name, models[name], model.config) for name, model in compiled.items()}
        relations |= {name: self._relation(name, path, {}) for name, path in seeds.items()}
        nodes: dict[str, Json] = dict(sources)
        known = {**relations, **sources}
        for name, model in compiled.items():
            reason = model.unknown or next((f"no model is called {one}" for one in model.names if one not in known), "")
            sql = "" if reason else _ModelCompiler(compiled, relations).sql(model)
            if _CREATES.match(sql):
                self.stated[models[name]] = mask_statement(sql)
                continue
            if sql:
                self.read.append(models[name])
            else:
                self.left[models[name]] = f"its columns are not known: {reason or 'a part of it is not compiled'}"
            nodes[name] = {
                **self._described(name),
                "resource_type": "model",
                "relation_name": None if model.is_part else relations[name],
                "compiled_code": mask_statement(sql),
                "language": "sql",
                "depends_on": {"nodes": sorted(set(model.names))},
                "config": {"materialized": model.config.get("materialized", "view")},
                "original_file_path": models[name],
            }
        for name, path in seeds.items():
            head = next(csv.reader((self.context.text(path) or "").splitlines()[:1]), [])
            columns = [{"name": column} for column in head[:_MOST_COLUMNS] if column]
            described = {"columns": columns, **self._described(name)}
            nodes[name] = {**described, "resource_type": "seed", "relation_name": relations[name], "config": {}}
        return nodes

    def _files(self, setting: str, usual: str, endings: tuple[str, ...]) -> Iterator[str]:
        """Yield the files in the directories that a setting of the project lists."""
        listed = texts(self.project, setting) or texts(self.project, setting.replace("model", "source")) or (usual,)
        for folder in listed:
            place = str(PurePosixPath(self.file.directory) / folder) if self.file.directory else folder
            found = (path for path in self.context.entries if path.startswith(f"{place.rstrip('/')}/"))
            yield from sorted(path for path in found if path.endswith(endings))

    @cached_property
    def _properties(self) -> list[tuple[str, Json]]:
        """Return the descriptions of sources and models, each with its file."""
        paths = [*self._files("model-paths", "models", _YAML), *self._files("seed-paths", "seeds", _YAML)]
        return [(path, self._document(path)) for path in paths]

    def _sources(self) -> Iterator[tuple[str, Json]]:
        for path, document in self._properties:
            for source in mappings(document, "sources"):
                name = text(source, "name")
                schema = self._plain(text(source, "schema") or name)
                parts = [self._plain(text(source, "database")) or self._part(_PARTS[0]), schema]
                for table in mappings(source, "tables"):
                    own = self._plain(text(table, "identifier")) or text(table, "name")
                    yield (
                        f"{name}.{text(table, 'name')}",
                        {
                            **_description(table),
                            "resource_type": "source",
                            "relation_name": ".".join(filter(None, (*parts, own))),
                            "config": {},
                            "original_file_path": path,
                        },
                    )
                self.read.append(path)

    def _described(self, name: str) -> Json:
        for path, document in self._properties:
            for kind in ("models", "seeds"):
                for model in mappings(document, kind):
                    if text(model, "name") == name:
                        self.read.append(path)
                        return _description(model)
        return {}

    def _relation(self, name: str, path: str, config: Mapping[str, str]) -> str:
        """Return the full name of a model's table, as dbt's own `generate_schema_name` makes it."""
        inherited = self._configured(path)
        custom = config.get("schema") or inherited.get("schema", "")
        schema = "_".join(filter(None, (self._part(_PARTS[1]), custom)))
        database = config.get("database") or inherited.get("database", "") or self._part(_PARTS[0])
        return ".".join(filter(None, (database, schema, config.get("alias", name))))

    def _part(self, part: str) -> str:
        names = _DATABASES.get(self.adapter, _PARTS)
        return self._plain(text(self.profile, names[_PARTS.index(part)]))

    def _configured(self, path: str) -> dict[str, str]:
        """Return what the project file says of the models of a directory: the nearest goes first."""
        below = PurePosixPath(path.removeprefix(f"{self.file.directory}/")).parts
        node, found = mapping(mapping(self.project, "models"), self.name), dict[str, str]()
        for part in (*below[1:-1], PurePosixPath(path).stem):
            found |= {key.lstrip("+"): str(value) for key, value in node.items() if isinstance(value, str)}
            node = mapping(node, part)
        return found | {key.lstrip("+"): str(value) for key, value in node.items() if isinstance(value, str)}

    def _compiled(self, name: str, path: str, sources: Mapping[str, Json]) -> _DbtModel:
        model = _DbtModel(config=self._configured(path))
        content = self.context.text(path) or ""
        if not content or len(content) > _LONGEST:
            model.unknown = "it is empty, or too large"
            return model
        skipped, parts, at = 0, list[str](), 0
        for piece in template_parts(content):
            parts += [content[at : piece.start]] if not skipped else []
            at = piece.end
            if piece.kind == "%":
                block = piece.text
                is_end = block == "endif"
                if (is_end and skipped) or (not is_end and _UNLESS_FIRST.fullmatch(block)):
                    skipped += -1 if is_end else 1
                else:
                    model.unknown = f"{block.split()[0] if block else 'a block'} of Jinja is not evaluated"
            elif piece.kind == "{" and not skipped:
                parts.append(self._value(piece.text, name, model, sources))
        model.sql = "".join((*parts, content[at:])).strip().rstrip(";")
        if "{{" in model.sql or "{%" in model.sql:
            model.unknown = model.unknown or "Jinja in it is not evaluated"
        return model

    def _value(self, code: str, name: str, model: _DbtModel, sources: Mapping[str, Json]) -> str:
        """Return what stands for an expression of Jinja in compiled SQL; a table as a mark with its name."""
        try:
            tree = ast.parse(code.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            model.unknown = "an expression of Jinja is not evaluated"
            return ""
        if isinstance(tree, ast.Name) and tree.id == "this":
            return _mark(name)
        called = _last_name(tree.func) if isinstance(tree, ast.Call) else ""
        given = [_constant(one) for one in tree.args] if isinstance(tree, ast.Call) else []
        if called == "config" and isinstance(tree, ast.Call):
            named = {one.arg: _constant(one.value) for one in tree.keywords if one.arg}
            model.config |= {key: value for key, value in named.items() if isinstance(value, str)}
            return ""
        if called == "ref" and given and all(isinstance(one, str) for one in given):
            model.names.append(str(given[-1]))
            return _mark(str(given[-1]))
        if called == "source" and len(given) == 2 and f"{given[0]}.{given[1]}" in sources:
            model.names.append(f"{given[0]}.{given[1]}")
            return text(sources[f"{given[0]}.{given[1]}"], "relation_name")
        if called in _HASHES and given and isinstance(given[0], list):
            return f"MD5(CONCAT({', '.join(map(str, given[0]))}))"
        if called in ("var", "env_var") and given and (value := self._variable(called, given)) is not None:
            return value
        model.unknown = f"{called or 'an expression'} of Jinja is not evaluated"
        return ""

    def _variable(self, called: str, given: Sequence[object]) -> str | None:
        """Return a variable of the project or its default."""
        known = member(self.project, "vars") if called == "var" else None
        for scope in (mapping(known, self.name), known) if isinstance(known, dict) else ():
            if isinstance(value := member(scope, str(given[0])), str | int | float):
                return str(value)
        return str(given[1]) if len(given) > 1 and isinstance(given[1], str | int | float) else None

    def _plain(self, value: str) -> str:
        """Return a setting with the default of its environment variable; empty where that is not known."""
        if "{" not in value:
            return value
        model = _DbtModel()
        parts, at = list[str](), 0
        for piece in template_parts(value):
            parts += [value[at : piece.start], self._value(piece.text, "", model, {})]
            at = piece.end
        return "" if model.unknown else "".join((*parts, value[at:]))


_MARK = "\x00"
_REFERENCE = re.compile(r"\x00([^\x00]*)\x00")


def _mark(name: str) -> str:
    return f"{_MARK}{name}{_MARK}"


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _constant(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _description(node: Json) -> Json:
    return {
        "description": text(node, "description"),
        "columns": [
            {"name": text(one, "name"), "description": text(one, "description"), "data_type": text(one, "data_type")}
            for one in mappings(node, "columns")
            if text(one, "name")
        ],
        "tags": list(texts(node, "tags")),
        "meta": mapping(node, "meta"),
    }
