"""The files of the pages, and pages of the whole dictionary that need no server."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

from scanner_api.dictionary import Dictionary
from scanner_api.files import check_directory, write_text
from scanner_api.graph.export import export, live_script, live_style
from scanner_api.questions import changes, graph, listings, names
from scanner_api.questions.clients import clients
from scanner_api.questions.documents import document
from scanner_api.questions.staleness import staleness
from scanner_api.questions.topic_schemas import topic_schemas
from scanner_api.questions.topics import TopicDescription, describe_topic
from scanner_api.questions.versions import compare_versions
from scanner_model.columns import KEY, path_name
from scanner_model.errors import NameUnknown
from scanner_model.schemas import qualified_subject

Json = Any

PAGES = ("index", "topics", "topic", "columns", "jobs", "subjects", "sources", "findings")
_EDGES = 4_000
_FIELDS = 1_000
_HISTORY = 1_000


def write_site(dictionary: Dictionary, directory: Path) -> None:
    """Write the pages of *dictionary* into *directory*; those of an earlier export in it are replaced.

    A page of a topic has its columns, versions, users and history; `flow.html` is the drawing of the graph. Raises
    InputInvalid where it cannot be written, NameUnknown where no graph was generated.
    """
    topics_directory = check_directory(directory, "--output") / "data" / "topics"
    for inner in (directory / "static", directory / "data", topics_directory):
        check_directory(inner, "--output")
    export(dictionary, directory / "flow.html", format="html")
    _write_pages(directory)
    pooled = dictionary.pooled(size=2)
    try:
        written = {f"topics/{name}" for name in _write_answers(pooled, directory / "data")}
    finally:
        pooled.close()
    for file in topics_directory.glob("*.js"):
        if f"topics/{file.stem}" not in written:
            file.unlink()


def _write_pages(directory: Path) -> None:
    shell = static_text("shell.html").replace('="/static/', '="static/').replace('href="/"', 'href="index.html"')
    shell = shell.replace("; /api/v1 has the same as JSON", "")
    for name in PAGES:
        write_text(directory / f"{name}.html", shell)
    write_text(directory / "static/page.css", live_style() + static_text("live.css"))
    write_text(directory / "static/lists.js", live_script("".join(map(static_text, STORED)), drawing=False))


def _write_answers(dictionary: Dictionary, directory: Path) -> Iterator[str]:
    """Write what the scripts ask for, and yield the names of the topics' files."""
    topics: list[Json] = []
    nodes: dict[tuple[str, str], str] = {}
    for row in listings.topics(dictionary):
        name = hashlib.sha256(f"{row.cluster}/{row.name}".encode()).hexdigest()[:16]
        about = describe_topic(dictionary, topic=row.name, cluster=row.cluster)
        nodes[row.cluster, row.name] = about.node
        topics.append({**document(row), "file": f"topics/{name}"})
        _write_answer(directory, f"topics/{name}", _topic_answers(dictionary, about))
        yield name
    columns = [_column(document(row), nodes) for row in listings.columns(dictionary)]
    _write_answer(directory, "topics", topics)
    _write_answer(directory, "columns", columns)
    _write_answer(directory, "nodes", document(names.nodes(dictionary).items))
    _write_answer(directory, "subjects", document(listings.schemas(dictionary).items))
    _write_answer(directory, "home", _home(dictionary, topics, columns))


def _topic_answers(dictionary: Dictionary, about: TopicDescription) -> Json:
    row, node = about.topic, about.node
    subjects = [
        (qualified_subject(subject.context, subject.name), subject.registry, subject.versions)
        for subject in listings.schemas(dictionary, cluster=row.cluster, topic=row.name)
    ]
    described = {"topic": row.name, "cluster": row.cluster}
    versions = {
        f"{name}/{version}": document(topic_schemas(dictionary, **described, subject=name, version=version))
        for name, _, numbers in subjects
        for version in numbers
    }
    judged = {
        f"{name}/{first}/{second}": document(
            compare_versions(
                dictionary, subject=name, first=first, second=second, cluster=row.cluster, registry=registry
            )
        )
        for name, registry, numbers in subjects
        for first, second in pairwise(numbers)
    }
    try:
        history = changes.history_lines(dictionary, node=node or row.name, limit=_HISTORY)
    except NameUnknown:
        history = None
    return {
        "about": document(about),
        "versions": versions,
        "judged": judged,
        "contents": document(graph.lineage(dictionary, node, upstream=0, downstream=0, contents=True))
        if node
        else None,
        "near": document(graph.lineage(dictionary, node, hops=1, columns=True, limit=_EDGES)) if node else None,
        "clients": document(clients(dictionary, topic=row.name, cluster=row.cluster, columns=True, limit=_FIELDS)),
        "history": document(history) if history else {"items": []},
    }


def _column(row: Json, nodes: dict[tuple[str, str], str]) -> Json:
    """Return the row of a column with the key that it has in the graph if it takes part in a flow."""
    topic = nodes.get((row["cluster"], row["topic"]), "")
    if topic and not row["node"]:
        path = (KEY, *row["path"]) if row["role"] == "key" else row["path"]
        row["node"] = f"{topic.replace('topic:', 'column:', 1)}#{path_name(tuple(path))}"
    return row


def _home(dictionary: Dictionary, topics: Iterable[Json], columns: Iterable[Json]) -> Json:
    tagged_topics = Counter(tag for topic in topics for tag in topic["tags"])
    tagged_columns = Counter(tag for column in columns for tag in _tags_of(column))
    owners = Counter(topic["owner"] for topic in topics if topic["owner"])
    tags = sorted({*tagged_topics, *tagged_columns})
    return {
        "/state": document(names.state(dictionary)),
        "/freshness": document(names.freshness(dictionary)),
        "/summary": document(names.summary(dictionary)),
        "/clusters": document(listings.clusters(dictionary)),
        "/findings": document(listings.findings(dictionary)),
        "/sources": document(listings.sources(dictionary)),
        "/scans": document(listings.scans(dictionary)),
        "/stale": document(staleness(dictionary)),
        "tags": [[tag, tagged_topics[tag], tagged_columns[tag]] for tag in tags],
        "owners": sorted(owners.items()),
    }


def _tags_of(column: Json) -> set[str]:
    """Return the tags that a column declares or inherits, as its page lists it."""
    return {*column["tags"], *column["inherited_tags"], *(found["tag"] for found in column["found_tags"])}


def _write_answer(directory: Path, name: str, answer: Json) -> None:
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).replace("\u2028", "\\u2028")
    write_text(directory / f"{name}.js", f"scannerAnswers({json.dumps(name)},{text});\n")


DRAWING = ("requests.js", "systems.js", "parts.js", "compare.js", "evidence.js", "acts.js", "live.js")
"""The scripts of the drawing, after those of the exported page."""

LISTS = (
    "requests.js",
    "systems.js",
    "site.js",
    "lists.js",
    "list_page.js",
    "home.js",
    "topic.js",
    "change.js",
    "owner.js",
    "routes.js",
)
"""The scripts of the other pages, after those that all pages have."""

STORED = (*LISTS[:-1], "stored.js")
"""Those of pages that need no server."""


@lru_cache
def static_text(name: str) -> str:
    """Return the text of a file of the pages."""
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")
