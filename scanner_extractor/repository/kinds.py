"""The kinds of files that are found by content, one row each: which files fit, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scanner_extractor.repository.connectors import file_connector_name, is_mirror_maker
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.contracts import (
    ASYNCAPI,
    CONTRACT,
    is_asyncapi,
    is_contract,
    read_asyncapi,
    read_contracts,
)
from scanner_extractor.repository.dashboards.cube import is_cube, read_cube
from scanner_extractor.repository.dashboards.grafana import is_grafana, read_grafana
from scanner_extractor.repository.dashboards.lightdash import is_lightdash, read_lightdash
from scanner_extractor.repository.dashboards.lookml import is_lookml, read_lookml
from scanner_extractor.repository.dashboards.metabase import is_metabase, read_metabase
from scanner_extractor.repository.dashboards.power_bi import is_power_bi, read_power_bi
from scanner_extractor.repository.dashboards.superset import is_superset, read_superset
from scanner_extractor.repository.dashboards.tableau import is_tableau, read_tableau
from scanner_extractor.repository.dbt_projects import DBT, is_dbt_project, read_dbt_projects
from scanner_extractor.repository.declared import CLASS
from scanner_extractor.repository.embedded_schemas import EMBEDDED_SCHEMA, has_embedded_schema, read_embedded_schemas
from scanner_extractor.repository.embedded_sql import EMBEDDED, has_embedded_sql, read_embedded_sql
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.migrations import MIGRATION, is_migration, read_migrations
from scanner_extractor.repository.other_uses import is_other_use, leave_other_uses
from scanner_extractor.repository.programs import (
    APPLICATION,
    TERRAFORM,
    is_application,
    is_terraform,
    read_application_files,
    read_terraform_files,
)
from scanner_extractor.repository.redpanda_connect import PIPELINE, read_pipelines
from scanner_extractor.repository.redpanda_connect import is_pipeline as is_connect_pipeline
from scanner_extractor.repository.registrations import REGISTERING, is_registering, read_registering
from scanner_extractor.repository.schemas import is_build_file, is_schema, read_schemas, read_subjects
from scanner_extractor.repository.scripts import (
    SCRIPT_ENDINGS,
    has_commands,
    has_recipes,
    is_script,
    read_commands,
    read_scripts,
)
from scanner_extractor.repository.sql_files import is_sql, read_sql_files
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.repository.topic_files.forms import DESCRIPTION, is_description, read_descriptions
from scanner_extractor.repository.topic_files.kpops import is_pipeline
from scanner_extractor.repository.topic_files.mapping import without_braces
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_extractor.systems.deployment.reader import read_text
from scanner_model.payload import Json

TEMPLATE = "template of deployment files"
"""What a YAML file that is not rendered is listed as."""
_YAML = frozenset((".yaml", ".yml"))
_DOCUMENTS = frozenset((".adoc", ".md", ".mdx", ".rst", ".html", ".htm", ".ipynb", ".mustache"))
_CODE = words(
    ".c .cc .clj .cpp .cs .fs .go .groovy .h .java .js .jsx .kt .kts .mjs .php .pl .py .rb .rs .scala"
    " .swift .ts .tsx .vue .tf .tfvars .hcl .gradle .svg .xml .ps1 .bat .cmd .csv .tsv .ndjson .jsonl .log"
    " .lua"
)
"""Endings of programs: what they configure while they run is not a configuration that stands in the file."""
_SWITCHED_OFF = words(".disabled .off .bak .old .orig .skip .ignore .ignored .inactive .deactivated")
"""Endings of files that nothing deploys."""
_DEPLOYED = re.compile(
    r"connector\.class|^[ \t-]*kind:\s*['\"]?Kafka(?:Connect|MirrorMaker2)\b"
    r"|^[ \t-]*apiVersion:\s*['\"]?(?:kafka\.strimzi\.io|kafka\.jikkou\.io|core\.jikkou\.io"
    r"|platform\.confluent\.io|flink\.apache\.org|cmf\.confluent\.io)|^kind:\s*ConfigMap|\bdataType:|^context:"
    r"|\A(?>[\s\S]*?^(?:topics|services):\s*$)[\s\S]*?\b(?:partitions|type:\s*(?:application|kafka-streams|kafka-connect))\b",
    re.MULTILINE,
)
_RULES = re.compile(r"^custom(?:Service|User)Acls:", re.MULTILINE)
"""Rules of access of kafka-gitops, which may be in a file of their own."""
_TEMPLATE = re.compile(r"\{\{-?\s*(?:if|range|with|include|template|end|toYaml|\.Values|\.Release|\$)")


class Kind(NamedTuple):
    """A kind of file: *fits* is called once for each file, *read* once for all that fit, in the order of the table."""

    name: str
    fits: Callable[[RepositoryFile], bool]
    read: Callable[[Sequence[RepositoryFile], Context], None]


def is_connector_file(file: RepositoryFile) -> bool:
    """Check whether a file holds configurations of connectors, whatever its ending."""
    left_out = file.ending in _DOCUMENTS | _CODE | _YAML | SCRIPT_ENDINGS | _SWITCHED_OFF or file.text.startswith("#!")
    return not left_out and not has_recipes(file) and (CLASS in file.text or is_mirror_maker(file.text))


def read_connector_files(files: Sequence[RepositoryFile], context: Context) -> None:
    """Read the configurations of connectors; one without a name has the one that a script registers it under."""
    for file in files:
        text = context.variables.resolved(file.text, file.directory)
        listed = list(context.connectors_in(text, file.path))
        for connector in listed:
            own = context.connector_names.get(file.path, "") if len(listed) == 1 else ""
            name = own or connector.name or file_connector_name(file.path)
            context.connector(name, connector.config, f"{file.path}:{connector.line}")
        if not listed and "{" in file.text:
            context.leave(file, "connector", "the text around connector.class is no JSON and no properties")


def is_deployment_file(file: RepositoryFile) -> bool:
    """Check whether a YAML file declares topics, connectors or jobs; the connectors of a pipeline are read with it."""
    if file.ending not in _YAML or is_pipeline(file):
        return False
    return any(pattern.search(file.text) for pattern in (_DEPLOYED, _RULES))


def read_deployment_files(files: Sequence[RepositoryFile], context: Context) -> None:
    """Read rendered YAML files; a template that is not rendered is left, with the reason."""
    for file in files:
        if _TEMPLATE.search(file.text):
            reason = "it is a template: render it (helm template, kustomize build) and read its output"
            context.leave(file, TEMPLATE, reason)
            continue
        text = without_braces(context.variables.resolved(file.text, file.directory))
        read_text(file.path, text, context.collector)
        context.add_subjects(context.collector.schema_files, file.directory)
        context.collector.schema_files.clear()
    context.rights |= context.collector.rights


def has_yaml_commands(file: RepositoryFile) -> bool:
    """Check whether a YAML file has commands or configurations in its texts: compose files, ConfigMaps, jobs."""
    return file.ending in _YAML and (has_commands(file.text) or ("ConfigMap" in file.text and CLASS in file.text))


def read_yaml_commands(files: Sequence[RepositoryFile], context: Context) -> None:
    """Read the commands and configurations in the texts of YAML files."""
    for file in files:
        if _TEMPLATE.search(file.text):
            continue
        for parsed in parse_yaml(file.text):
            for text, line in _commands(parsed.value, parsed.line):
                if CLASS in text and text.lstrip()[:1] in ("{", "["):
                    resolved = context.variables.resolved(text, file.directory)
                    for connector in context.connectors_in(resolved, file.path):
                        name = connector.name or file_connector_name(file.path)
                        context.connector(name, connector.config, f"{file.path}:{line}")
                elif has_commands(text):
                    read_commands(text.replace("$$", "$"), file.path, max(line - 1, 0), context)


def _commands(value: Json, line: int) -> Iterator[tuple[str, int]]:
    """Yield the texts of a document that may be commands, each with its line; lists of words are one command."""
    match value:
        case str() if len(value) > 8:
            yield value, line
        case dict():
            lines = getattr(value, "lines", {})
            for key, inside in value.items():
                yield from _commands(inside, lines.get(key, line))
        case list() if value and all(isinstance(item, str) for item in value):
            longest = max(value, key=len)
            is_shell = any(item in ("bash", "sh", "-c", "/bin/sh", "/bin/bash", "-ec", "-lc") for item in value)
            yield (longest if is_shell or "\n" in longest or CLASS in longest else " ".join(value)), line
        case list():
            for inside in value:
                yield from _commands(inside, line)


KINDS: tuple[Kind, ...] = (
    Kind("script", is_script, read_scripts),
    Kind("commands in YAML", has_yaml_commands, read_yaml_commands),
    Kind("deployment file", is_deployment_file, read_deployment_files),
    Kind("connector", is_connector_file, read_connector_files),
    Kind(TERRAFORM, is_terraform, read_terraform_files),
    Kind(MIGRATION, is_migration, read_migrations),
    Kind(DBT, is_dbt_project, read_dbt_projects),
    Kind("SQL", is_sql, read_sql_files),
    Kind(EMBEDDED, has_embedded_sql, read_embedded_sql),
    Kind(APPLICATION, is_application, read_application_files),
    Kind(CONTRACT, is_contract, read_contracts),
    Kind(ASYNCAPI, is_asyncapi, read_asyncapi),
    Kind("build file with subjects", is_build_file, read_subjects),
    Kind(REGISTERING, is_registering, read_registering),
    Kind(DESCRIPTION, is_description, read_descriptions),
    Kind(PIPELINE, is_connect_pipeline, read_pipelines),
    Kind(EMBEDDED_SCHEMA, has_embedded_schema, read_embedded_schemas),
    Kind("schema", is_schema, read_schemas),
    Kind("Grafana dashboard", is_grafana, read_grafana),
    Kind("Cube model", is_cube, read_cube),
    Kind("LookML", is_lookml, read_lookml),
    Kind("Lightdash content", is_lightdash, read_lightdash),
    Kind("Superset export", is_superset, read_superset),
    Kind("Metabase serialization", is_metabase, read_metabase),
    Kind("Power BI project", is_power_bi, read_power_bi),
    Kind("Tableau file", is_tableau, read_tableau),
    Kind("other use of Kafka", is_other_use, leave_other_uses),
)
"""In the order in which they are read: scripts name the connectors whose configurations are in files, Terraform the
files of its statements, and build files the subjects of schemas, which are read when the names of topics are known."""
