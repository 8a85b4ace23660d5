"""Descriptions of topics in well-known forms, one row each; a file is recognised by its content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mapping, mappings, member, text, texts
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.settings import TopicFiles
from scanner_extractor.repository.topic_files.backstage import is_catalog, read_catalog
from scanner_extractor.repository.topic_files.eventcatalog import is_page, read_pages
from scanner_extractor.repository.topic_files.kpops import is_pipeline, read_pipeline
from scanner_extractor.repository.topic_files.mapping import add_entries, documents, matches, without_braces
from scanner_extractor.repository.topic_files.persister import is_service_map, read_service_map
from scanner_extractor.repository.yaml_documents import Parsed, parse_yaml
from scanner_model.payload import Json

DESCRIPTION = "description of a topic"
"""The kind of these files, as they are counted."""
_YAML = frozenset((".yaml", ".yml", ".json"))
_LISTS = {"Template": "objects", "List": "items"}
"""Documents of Kubernetes and OpenShift that contain others, by kind."""
_PARAMETER = re.compile(r"\$\{\{?(\w+)\}?\}")
_SCHEMA_FILES = " | ".join(
    f"$.{member}{part}"
    for member in ("schemas[*]", "schema")
    for part in (".resource", ".file", ".path", ".schema", "")
)


class Form(NamedTuple):
    """A well-known form: *sign* is in each of its files, *fits* checks one document of such a file.

    *grants*: only programs that a file lists may use its topic.
    """

    name: str
    sign: re.Pattern[str]
    fits: Callable[[Json], bool]
    members: tuple[TopicFiles, ...]
    grants: bool = False


def _is_described(document: Json) -> bool:
    """Check whether a document lists the users of one topic, or the files of its schemas."""
    services = mapping(document, "services")
    users = [texts(part, key) for part in (document, services) for key in ("producers", "consumers")]
    schemas = member(document, "schemas") or member(document, "schema")
    listed = schemas if isinstance(schemas, list) else [schemas]
    files = [text(entry, key) for entry in listed for key in ("resource", "file", "path", "schema")]
    has_schemas = any("." in name for name in (*files, *(entry for entry in listed if isinstance(entry, str))))
    has_topic = any(users) or isinstance(member(document, "topic"), str)
    return has_topic and (has_schemas or any(users[2:]))


def _is_kind(version: str, *kinds: str) -> Callable[[Json], bool]:
    return lambda document: text(document, "apiVersion").startswith(version) and text(document, "kind") in kinds


FORMS: tuple[Form, ...] = (
    Form(
        "topic description",
        re.compile(r"^[ \t]*(?:producers|consumers):|^topic:", re.MULTILINE),
        _is_described,
        (
            TopicFiles(
                files="",
                topic=("$.topic", "{file}"),
                readers=("$.services.consumers[*] | $.consumers[*]",),
                writers=("$.services.producers[*] | $.producers[*]",),
                owner=("$.owner", "$.team"),
                description=("$.description",),
                tags=("$.pipeline",),
                schemas=(_SCHEMA_FILES,),
            ),
        ),
    ),
    # The full name of a topic is `namespace.name`. Source: NAIS documentation, "Kafka topic reference".
    Form(
        "NAIS topic",
        re.compile(r"\bapiVersion:\s*['\"]?kafka\.nais\.io/"),
        _is_kind("kafka.nais.io/", "Topic"),
        (
            TopicFiles(
                files="",
                topic=("{$.metadata.namespace}.{$.metadata.name}", "{$.metadata.labels.team}.{$.metadata.name}"),
                readers=("$.spec.acl[?@.access == 'read' || @.access == 'readwrite'].application",),
                writers=("$.spec.acl[?@.access == 'write' || @.access == 'readwrite'].application",),
                owner=("$.metadata.labels.team", "$.metadata.namespace"),
                description=("$.metadata.annotations['dcat.data.nav.no/description']",),
            ),
        ),
        grants=True,
    ),
    # The topics that an application requests; only names of variables show who reads them.
    # Source: Clowder's API reference, KafkaTopicSpec.
    Form(
        "ClowdApp",
        re.compile(r"\bkind:\s*['\"]?ClowdApp\b"),
        _is_kind("cloud.redhat.com/", "ClowdApp"),
        (
            TopicFiles(files="", each="$.spec.kafkaTopics[*]", topic=("@.topicName",)),
            TopicFiles(
                files="",
                each="$.spec.deployments[*]",
                program=("{$.metadata.name}-{@.name}",),
                reads=("@.podSpec.env[?search(@.name, 'CONSUM.*TOPICS?$')].value",),
                writes=("@.podSpec.env[?search(@.name, 'PRODUCE.*TOPICS?$')].value",),
            ),
        ),
    ),
)
"""In the order in which a document is compared with them."""


READERS: tuple[tuple[Callable[[RepositoryFile], bool], Callable[[RepositoryFile, Context], None]], ...] = (
    (is_pipeline, read_pipeline),
    (is_service_map, read_service_map),
)
"""Forms that need more than the places of their members: what fits, and how one file is read."""


def is_description(file: RepositoryFile) -> bool:
    """Check whether a file may describe topics in a well-known form."""
    if file.ending not in _YAML:
        return is_page(file)
    return (
        any(form.sign.search(file.text) for form in FORMS) or any(fits(file) for fits, _ in READERS) or is_catalog(file)
    )


def granted(text: str) -> set[tuple[str, str, str]]:
    """Return the programs that a file allows to use its topics, each with `read` or `write`, and its team."""
    found: set[tuple[str, str, str]] = set()
    for form in FORMS:
        if form.grants and form.sign.search(text):
            parsed = parse_yaml(without_braces(text))
            described = [each.value for each in parsed if not each.error and form.fits(each.value)]
            for mapping, document in product(form.members, described):
                for expressions, does in ((mapping.readers, "read"), (mapping.writers, "write")):
                    for one in chain.from_iterable(matches(path, document) for path in expressions):
                        team = member(one.parent.obj, "team") if one.parent is not None else ""
                        found.add((str(one.obj), does, str(team)))
    return found


def read_descriptions(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the topics of each file, the programs that write and read them, and the subjects of their schema files."""
    read_catalog([file for file in files if is_catalog(file)], context)
    read_pages([file for file in files if is_page(file)], context)
    for file in files:
        for fits, read in READERS:
            if fits(file):
                read(file, context)
        forms = [form for form in FORMS if form.sign.search(file.text)]
        for parsed in documents(file, context, forms[0].name) if forms else ():
            for document in _inside(parsed):
                for form in forms:
                    if form.fits(document.value):
                        for members in form.members:
                            add_entries(file, document, members, context, form.name)


def _inside(parsed: Parsed) -> Iterator[Parsed]:
    """Yield a document, or those that a list or a template of OpenShift contains, with its parameters replaced."""
    value = parsed.value
    listed = _LISTS.get(text(value, "kind"))
    if listed is None:
        yield parsed
        return
    given = {text(entry, "name"): text(entry, "value") for entry in mappings(value, "parameters")}
    for item in mappings(value, listed):
        yield Parsed(getattr(item, "line", parsed.line), _replaced(item, given) if given else item)


def _replaced(value: Json, given: dict[str, str]) -> Json:
    """Return *value* with the parameters of its template replaced; one without a value stays."""
    if isinstance(value, str):
        return _PARAMETER.sub(lambda found: given.get(found[1]) or found[0], value)
    if isinstance(value, list):
        return [_replaced(item, given) for item in value]
    if isinstance(value, dict):
        for key in value:
            value[key] = _replaced(value[key], given)
    return value
