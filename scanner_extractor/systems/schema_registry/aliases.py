"""Subjects behind aliases: topics whose subject a registry's configuration names (Confluent, since 7.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.naming.strategies import default_names
from scanner_extractor.naming.subjects import parse_subject
from scanner_extractor.registries.result import RegistryContent
from scanner_extractor.results import Progress
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.systems.schema_registry.confluent_reader import ConfluentClient
from scanner_extractor.systems.schema_registry.settings import one_context
from scanner_model.errors import NotCaptured, NotFound, Problem, ScannerError, SourceRefused
from scanner_model.names import Role, SubjectName, TopicName
from scanner_model.schemas import DEFAULT_CONTEXT, Association, qualified_subject

_FIRST = (7, 4)
_SUFFIX = "-value"


def add_aliases(
    settings: RegistrySettings,
    client: ConfluentClient,
    gathered: RegistryContent,
    pool: WorkerPool,
    progress: Progress,
) -> RegistryContent:
    """Add an association for each topic whose subject `TOPIC-value` is an alias of another one.

    Only topics without that subject are looked up, one request each: `GET /config/TOPIC-value`. A failure is reported
    once; captures recorded before aliases were looked up contain none.
    """
    topics = _without_subject(settings, gathered)
    if not topics or "associated" not in (settings.naming.strategies or default_names(settings.type)):
        return gathered
    if not _knows_aliases(client):
        return gathered
    context = one_context(settings) or DEFAULT_CONTEXT
    names = [qualified_subject(context, f"{topic}{_SUFFIX}") for topic in topics]

    def report(done: int) -> None:
        """Report progress: a source without any is given up."""
        progress(settings.source, len(gathered.rows) + done, None)

    answers = map_concurrently(names, client.alias, pool=pool, on_result=report)
    links = [
        _association(settings, context, topic, alias)
        for topic, alias in zip(topics, answers, strict=True)
        if isinstance(alias, str) and alias
    ]
    return gathered + RegistryContent(associations=tuple(links)) + _failures(settings, answers)


def _without_subject(settings: RegistrySettings, gathered: RegistryContent) -> list[TopicName]:
    context = one_context(settings) or DEFAULT_CONTEXT
    subjects = {subject for at, subject, _ in gathered.rows if at == context} | set(gathered.unread)
    return sorted(topic for topic in settings.topics if f"{topic}{_SUFFIX}" not in subjects)


def _knows_aliases(client: ConfluentClient) -> bool:
    if client.origin.kind != "confluent":
        return False
    try:
        numbers = re.match(r"(\d+)\.(\d+)", client.server_version())
    except ScannerError:
        return False
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= _FIRST


def _association(settings: RegistrySettings, context: str, topic: TopicName, alias: str) -> Association:
    behind, subject = parse_subject(alias, settings.type)
    return Association(
        source=settings.source,
        context=context if alias == subject else behind,
        subject=SubjectName(subject),
        topic=topic,
        role=Role.VALUE,
    )


def _failures(settings: RegistrySettings, answers: Sequence[str | ScannerError]) -> RegistryContent:
    """Report failed lookups; aliases known from an earlier scan stay unless the user may not read them at all."""
    errors = [answer for answer in answers if isinstance(answer, ScannerError)]
    errors = [error for error in errors if not isinstance(error, NotFound | NotCaptured)]
    if not errors:
        return RegistryContent()
    what = f"the aliases of {len(errors)} topics without a subject could not be read: {errors[0].what}"
    refused = all(isinstance(error, SourceRefused) for error in errors)
    return RegistryContent(problems=(Problem(str(settings.source), what, errors[0].hint),), cut="" if refused else what)
