"""EventCatalog: services that send and receive messages through channels of Kafka, and the fields that they use.

Pages are Markdown with a header in YAML. A message travels through the channels of `to` or `from`, else through those
that its own page lists; a channel's `address` is the topic. Source: documentation of EventCatalog, frontmatter of
services, messages and channels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mappings, text, texts
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.payload import Json

NAME = "EventCatalog page"
_HEADER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_SIGN = re.compile(r"^(?:receives|sends|protocols|channels):", re.MULTILINE)


class _Page(NamedTuple):
    path: str
    value: Mapping[str, Json]

    @property
    def id(self) -> str:
        return text(self.value, "id")


def is_page(file: RepositoryFile) -> bool:
    """Check whether a file is a page of a service, message or channel."""
    header = _HEADER.match(file.text) if file.ending in (".mdx", ".md") else None
    return header is not None and _SIGN.search(header["yaml"]) is not None


def read_pages(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the services of all pages as readers and writers of topics, with the fields that they declare."""
    pages = list(_pages(files, context))
    topics = {
        page.id: text(page.value, "address") or page.id
        for page in pages
        if any(name.lower().startswith("kafka") for name in texts(page.value, "protocols"))
    }
    channels = {page.id: [text(each, "id") for each in mappings(page.value, "channels")] for page in pages}
    context.chart_files |= dict.fromkeys(page.path for page in pages if topics)
    for page in pages:
        for member, side in (("sends", "to"), ("receives", "from")):
            for message in mappings(page.value, member):
                named = [text(each, "id") for each in mappings(message, side)] or channels.get(text(message, "id"), [])
                place = f"{page.path}:{getattr(message, 'lines', {}).get('id', 0) + 1}"
                for topic in dict.fromkeys(topics[name] for name in named if name in topics):
                    if is_topic_name(topic):
                        writes = member == "sends"
                        context.use(page.id, topic, writes=writes, description="", place=place, separate=True)
                        context.fields(page.id, topic, texts(message, "fields"), place, writes=writes)


def _pages(files: Sequence[RepositoryFile], context: Context) -> Iterator[_Page]:
    for file in files:
        header = _HEADER.match(file.text)
        for parsed in parse_yaml(header["yaml"]) if header else ():
            if parsed.error:
                context.leave(file, NAME, f"line {parsed.line + 1}: invalid YAML: {parsed.error}")
            elif isinstance(parsed.value, dict):
                yield _Page(file.path, parsed.value)
