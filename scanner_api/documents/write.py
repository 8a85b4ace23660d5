"""Write documents as YAML: a directory of files, or one file of all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import yaml

from scanner_api.dictionary import Dictionary
from scanner_api.documents.asyncapi import document
from scanner_api.documents.backstage import entities, entity_name
from scanner_api.documents.data_contract import contract
from scanner_api.documents.edited import with_edits
from scanner_api.documents.estate import DescribedCluster, described_clusters, short_hash
from scanner_api.files import Notify, check_directory, check_file, ignore, write_text
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.errors import InputInvalid

Json = dict[str, Any]

DEFAULT_OWNER = "unknown"
"""The owner of entities that must have one, where no source knows it."""

_EDITED = "odcs"
"""The format of documents that people add to."""
_LONGEST_STEM = 200
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Stems that Windows has for devices."""
_LARGEST = 4 * 1024 * 1024
"""Bytes of a file that people edited, at most."""
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
        yield Document(f"{directory}/{file_stem(topic.distinct)}.odcs.yaml", contract(cluster, topic))


def file_stem(name: str) -> str:
    """Return *name* as the stem of a file on any system: a hash precedes one that is too long, reserved or a path."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "-", name)[:_LONGEST_STEM]
    is_usable = plain == name and name.strip(".") and not _RESERVED.match(name)
    return name if is_usable else f"{short_hash(name)}-{plain}"


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

    Into a directory each document's own file, where what people wrote into a contract stays; into a file (a path with
    a suffix) or a stream all of them, separated by `---`. Raises InputInvalid where it cannot be written, NameUnknown
    for an unknown cluster.
    """
    with described_clusters(dictionary, cluster) as described:
        documents = (each for row in described for each in DOCUMENTS[format](row, owner or DEFAULT_OWNER))
        if not isinstance(output, Path):
            output.writelines(map(_separated, documents))
        elif output.is_dir() or not output.suffix:
            edited = _with_edits(documents, output, dictionary.notify or ignore) if format == _EDITED else documents
            _write_files(edited, check_directory(output, "--output"))
        else:
            write_text(check_file(output, "--output"), "".join(map(_separated, documents)))


def _with_edits(documents: Iterator[Document], directory: Path, notify: Notify) -> Iterator[Document]:
    """Yield contracts with what people wrote into their files; raises InputInvalid for a file that cannot be read."""
    for each in documents:
        file = directory / each.file
        yield each if not file.exists() else Document(each.file, _edited(each.content, file, notify))


def _edited(written: Json, file: Path, notify: Notify) -> Json:
    with file.open("rb") as opened:
        text = opened.read(_LARGEST + 1)
    try:
        parsed = list(parse_yaml(text.decode(), numbers=True)) if len(text) <= _LARGEST else []
    except UnicodeDecodeError:
        parsed = []
    if len(parsed) != 1 or not isinstance(parsed[0].value, dict):
        what = f"not a contract: {parsed[0].error or 'another document'}" if parsed else "not a contract"
        raise InputInvalid(what, where=str(file), hint="correct it, or remove it: it is written again")
    note = f"note: {file}: no schema has %s any more, so it is left out"
    held = json.loads(json.dumps(parsed[0].value))  # without the lines of its members
    return with_edits(written, held, lambda place: notify(note % place))


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
