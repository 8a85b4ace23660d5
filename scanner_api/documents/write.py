"""Write documents as YAML: a directory of files, or one file of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import yaml

from scanner_api.dictionary import Dictionary
from scanner_api.documents.asyncapi import document
from scanner_api.documents.backstage import entities, entity_name
from scanner_api.documents.data_contract import contract
from scanner_api.documents.estate import DescribedCluster, described_clusters
from scanner_api.files import check_directory, check_file, write_text

Json = dict[str, Any]

DEFAULT_OWNER = "unknown"
"""The owner of entities that must have one, where no source knows it."""

_SafeDumper: type[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_SafeDumper):  # type: ignore[misc]
    """Writes every value where it stands: no other tool has to follow anchors."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        return True


class Document(NamedTuple):
    """A document, and the name of its file in a directory; several may have one file."""

    file: str
    content: Json


def _contracts(cluster: DescribedCluster, owner: str) -> Iterator[Document]:  # noqa: ARG001 - as its siblings
    directory = entity_name(cluster.row.name)
    for topic in cluster.topics:
        yield Document(f"{directory}/{topic.row.name}.odcs.yaml", contract(cluster, topic))


def _asyncapi(cluster: DescribedCluster, owner: str) -> Iterator[Document]:  # noqa: ARG001
    yield Document(f"{entity_name(cluster.row.name)}.asyncapi.yaml", document(cluster))


def _backstage(cluster: DescribedCluster, owner: str) -> Iterator[Document]:
    return (Document("catalog-info.yaml", entity) for entity in entities(cluster, owner))


DOCUMENTS: Mapping[str, Callable[[DescribedCluster, str], Iterator[Document]]] = {
    "odcs": _contracts,
    "asyncapi": _asyncapi,
    "backstage": _backstage,
}
"""Format → its documents of a cluster; the second argument is the owner of what no source has an owner for."""


class _Output(Protocol):
    def writelines(self, lines: Iterator[str], /) -> object: ...


def write_documents(
    dictionary: Dictionary, format: str, output: Path | _Output, *, cluster: str | None = None, owner: str = ""
) -> None:
    """Write the documents of *format*, of every cluster or of *cluster*, to *output* as YAML.

    Into a directory each document's own file; into a file (a path with a suffix) or a stream all of them, separated by
    `---`. Raises InputInvalid where it cannot be written, NameUnknown for an unknown cluster.
    """
    with described_clusters(dictionary, cluster) as described:
        documents = (each for row in described for each in DOCUMENTS[format](row, owner or DEFAULT_OWNER))
        if not isinstance(output, Path):
            output.writelines(map(_separated, documents))
        elif output.is_dir() or not output.suffix:
            _write_files(documents, check_directory(output, "--output"))
        else:
            write_text(check_file(output, "--output"), "".join(map(_separated, documents)))


def _separated(each: Document) -> str:
    return f"---\n{yaml_text(each.content)}"


def _write_files(documents: Iterator[Document], directory: Path) -> None:
    texts: dict[str, list[str]] = {}
    for each in documents:
        texts.setdefault(each.file, []).append(yaml_text(each.content))
    for name, parts in texts.items():
        file = directory / name
        check_directory(file.parent, "--output")
        write_text(file, "---\n".join(parts))


def yaml_text(content: Json) -> str:
    """Return *content* as YAML, its members in their order."""
    text = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=False)
    return str(text)
